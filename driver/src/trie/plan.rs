//! From a trie to what a run is led along.

use super::leaf::Reopen;
use super::tree::{Inner, Node, Place, Trie};
use plat_engine::{Answers, Branching, Next, NodeId, Plan, PlanNode, Side};
use plat_program::{InstId, Program};
use std::collections::{BTreeMap, HashMap};

impl Trie {
    /// The ways to all open nodes, for a run of this program. Empty if there is none.
    pub fn plan(&self, program: &Program, reopen: Reopen) -> Plan {
        let places = self.places.iter();
        let insts: Vec<Option<InstId>> = places.map(|place| place.inst_in(program)).collect();
        let mut plan = Plan::default();
        let mut open: HashMap<NodeId, u32> = HashMap::new();
        let mut order: Vec<(NodeId, u32)> = Vec::new();
        self.walk(&mut |id, depth, _| order.push((id, depth)));
        // Children before parents.
        for &(id, depth) in order.iter().rev() {
            let next = match self.node(id) {
                Node::Open => Next::Open(Answers::default()),
                Node::Left(answers) => Next::Open(answers.clone()),
                Node::Leaf(leaf) if reopen.opens(*leaf, depth.saturating_sub(1)) => {
                    Next::Open(Answers::default())
                }
                Node::Leaf(_) | Node::Explored(_) => continue,
                Node::Inner(inner) => match branching(inner, insts[inner.place], &open) {
                    Some(split) => Next::Split(split),
                    None => continue,
                },
            };
            open.insert(id, plan.nodes.len() as u32);
            plan.nodes.push(PlanNode { id, next });
        }
        for root in self.roots() {
            let number = root as usize;
            plan.roots.resize(plan.roots.len().max(number + 1), None);
            plan.roots[number] = open.get(&root).copied();
        }
        plan
    }

    /// How often paths have gone each side of each split of a program, by place and side.
    pub fn gone(&self, program: &Program) -> Vec<(Option<InstId>, u32, u64)> {
        let mut gone: BTreeMap<(usize, u32), u64> = BTreeMap::new();
        self.walk(&mut |_, _, node| {
            if let Node::Inner(inner) = node {
                for &(side, _) in &inner.sides {
                    *gone.entry((inner.place, side)).or_default() += 1;
                }
            }
        });
        let places = self.places.iter();
        let insts: Vec<Option<InstId>> = places.map(|place| place.inst_in(program)).collect();
        let gone = gone.into_iter();
        gone.map(|((place, side), times)| (insts[place], side, times))
            .collect()
    }
}

/// A split of the plan, if something behind it is open.
fn branching(
    inner: &Inner,
    inst: Option<InstId>,
    open: &HashMap<NodeId, u32>,
) -> Option<Branching> {
    let sides = inner.sides.iter().map(|&(side, node)| Side {
        side,
        node,
        next: open.get(&node).copied(),
    });
    let sides: Vec<Side> = sides.collect();
    let any = sides.iter().any(|side| side.next.is_some());
    any.then(|| Branching {
        inst,
        kind: inner.kind,
        answers: inner.answers.clone(),
        whole: true,
        sides,
    })
}

impl Place {
    /// The instruction in a program, if it has it.
    fn inst_in(&self, program: &Program) -> Option<InstId> {
        let function = program.function_named(&self.function)?;
        Some(InstId(function.first_inst.0 + self.inst?))
    }
}
