//! A prefix: the way to one open node, by names, so that it can be handed to another process or
//! machine and be explored there.

use super::tree::{Inner, Node, Place, Trie};
use plat_engine::{Answers, Branching, ForkKind, Next, NodeId, Plan, PlanNode, Side};
use plat_program::{InstId, Program};
use serde::{Deserialize, Serialize};

/// The way to an open node. It names nothing of a process or a build.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Prefix {
    /// The number of the initial state.
    pub root: u32,
    /// The splits on the way.
    pub steps: Vec<Step>,
    /// What the path was answered behind them.
    pub answers: Answers,
}

/// A split on the way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Where.
    pub place: Place,
    /// Why.
    pub kind: ForkKind,
    /// What the path was answered before.
    pub answers: Answers,
    /// The side that it takes.
    pub side: u32,
}

impl Trie {
    /// The ways to all open nodes.
    pub fn prefixes(&self) -> Vec<Prefix> {
        let mut found = Vec::new();
        // The way to the node at hand: its splits, each with the next of its sides to go.
        let mut way: Vec<(&Inner, usize)> = Vec::new();
        for root in self.roots() {
            self.prefixes_of(root, &mut way, &mut found);
        }
        found
    }

    fn prefixes_of<'t>(
        &'t self,
        root: NodeId,
        way: &mut Vec<(&'t Inner, usize)>,
        found: &mut Vec<Prefix>,
    ) {
        let mut node = Some(root);
        loop {
            match node.map(|id| self.node(id)) {
                Some(Node::Inner(inner)) => way.push((inner, 0)),
                Some(Node::Open) => found.push(self.prefix(root, way, Answers::default())),
                Some(Node::Left(answers)) => found.push(self.prefix(root, way, answers.clone())),
                Some(Node::Leaf(_)) | None => {}
            }
            let Some((inner, next)) = way.last_mut() else {
                return;
            };
            node = inner.sides.get(*next).map(|side| side.1);
            *next += 1;
            if node.is_none() {
                way.pop();
            }
        }
    }

    fn prefix(&self, root: NodeId, way: &[(&Inner, usize)], answers: Answers) -> Prefix {
        let steps = way.iter().map(|(inner, next)| Step {
            place: self.places[inner.place].clone(),
            kind: inner.kind,
            answers: inner.answers.clone(),
            side: inner.sides[next - 1].0,
        });
        Prefix {
            root: root as u32,
            steps: steps.collect(),
            answers,
        }
    }
}

impl Prefix {
    /// What a run of this program is led along to explore what is behind the prefix, and nothing else.
    pub fn plan(&self, program: &Program) -> Plan {
        let last = self.steps.len() as NodeId;
        let mut nodes = vec![PlanNode {
            id: last,
            next: Next::Open(self.answers.clone()),
        }];
        for (step, id) in self.steps.iter().zip(0..last).rev() {
            let child = nodes.len() as u32 - 1;
            nodes.push(PlanNode {
                id,
                next: Next::Split(Branching {
                    inst: step.place.inst_in(program),
                    kind: step.kind,
                    answers: step.answers.clone(),
                    whole: false,
                    sides: vec![Side {
                        side: step.side,
                        node: id + 1,
                        next: Some(child),
                    }],
                }),
            });
        }
        let mut roots = vec![None; self.root as usize];
        roots.push(Some(nodes.len() as u32 - 1));
        Plan { nodes, roots }
    }
}

impl Place {
    /// The instruction in a program, if it has it.
    pub fn inst_in(&self, program: &Program) -> Option<InstId> {
        let function = program.function_named(&self.function)?;
        Some(InstId(function.first_inst.0 + self.inst?))
    }
}
