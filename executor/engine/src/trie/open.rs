//! The leaves of the trie that no process has ended: what is left of the work of a worker that was
//! killed.
//!
//! The first process hears of every decision and of every end, wherever they are made. It keeps the
//! decisions that lead to a leaf without an end, and no others: about as much as the live paths take.

use super::plan::{Branching, Next, Plan, PlanNode, Side};
use super::{Decision, NodeId};
use plat_solver::Answers;
use rustc_hash::{FxHashMap, FxHashSet};

/// A node that leads to a leaf without an end.
#[derive(Default, Debug)]
struct Open {
    /// The node above it; none of an initial state, and as long as the decision above has not been heard
    /// of.
    parent: Option<NodeId>,
    /// Its decision with the nodes below it that are open, if it is no leaf.
    split: Option<(Decision, Vec<(u32, NodeId)>)>,
}

/// The nodes. What one process decides may be heard of before the decision of another one that led
/// there.
#[derive(Default, Debug)]
pub(crate) struct OpenNodes {
    nodes: FxHashMap<NodeId, Open>,
    /// Nodes that have ended before the decision above them was heard of.
    early: FxHashSet<NodeId>,
    roots: u64,
}

impl OpenNodes {
    /// The initial states alone.
    pub fn of_roots(roots: u64) -> Self {
        OpenNodes {
            nodes: (0..roots).map(|node| (node, Open::default())).collect(),
            early: FxHashSet::default(),
            roots,
        }
    }

    /// A node has been split.
    pub fn decided(&mut self, decision: &Decision) {
        let node = decision.node;
        if self.nodes.entry(node).or_default().split.is_some() {
            return;
        }
        let mut children: Vec<(u32, NodeId)> = Vec::new();
        for (&side, child) in decision.sides.iter().zip(decision.first..) {
            if !self.early.remove(&child) {
                self.nodes.entry(child).or_default().parent = Some(node);
                children.push((side, child));
            }
        }
        let ended = children.is_empty();
        if let Some(open) = self.nodes.get_mut(&node) {
            open.split = Some((decision.clone(), children));
        }
        if ended {
            self.closed(node);
        }
    }

    /// A leaf has ended; so has all above it that has no other leaf.
    pub fn closed(&mut self, leaf: NodeId) {
        let mut gone = leaf;
        loop {
            let parent = self.nodes.remove(&gone).and_then(|open| open.parent);
            let above = parent.and_then(|parent| self.nodes.get_mut(&parent));
            let split = above.and_then(|above| above.split.as_mut());
            let (Some(parent), Some((_, children))) = (parent, split) else {
                if gone >= self.roots {
                    self.early.insert(gone);
                }
                return;
            };
            children.retain(|&(_, node)| node != gone);
            if !children.is_empty() {
                return;
            }
            gone = parent;
        }
    }

    /// What is behind a node is explored anew.
    pub fn renewed(&mut self, node: NodeId) {
        let mut below = match self.nodes.get_mut(&node) {
            Some(open) => open.split.take().map(|split| split.1),
            None => None,
        };
        let mut rest: Vec<NodeId> = Vec::new();
        loop {
            rest.extend(below.take().into_iter().flatten().map(|(_, node)| node));
            let Some(next) = rest.pop() else { return };
            below = self
                .nodes
                .remove(&next)
                .and_then(|open| Some(open.split?.1));
        }
    }

    /// The way to all leaves; none if there are none.
    pub fn plan(&self) -> Option<Plan> {
        if self.nodes.is_empty() {
            return None;
        }
        let ids: Vec<NodeId> = self.nodes.keys().copied().collect();
        let places: FxHashMap<NodeId, u32> = ids.iter().copied().zip(0..).collect();
        let nodes = ids.iter().map(|id| PlanNode {
            id: *id,
            next: match &self.nodes[id].split {
                None => Next::Open(Answers::default()),
                Some((decision, children)) => Next::Split(Branching {
                    inst: decision.inst,
                    kind: decision.kind,
                    answers: decision.answers.clone(),
                    whole: true,
                    sides: sides(decision, children, &places),
                }),
            },
        });
        let roots = (0..self.roots).map(|root| places.get(&root).copied());
        Some(Plan {
            nodes: nodes.collect(),
            roots: roots.collect(),
        })
    }
}

/// All sides of a decision; those that are finished lead nowhere.
fn sides(
    decision: &Decision,
    open: &[(u32, NodeId)],
    places: &FxHashMap<NodeId, u32>,
) -> Vec<Side> {
    let all = decision.sides.iter().zip(decision.first..);
    let all = all.map(|(&side, node)| {
        let is_open = open.iter().any(|&(_, one)| one == node);
        Side {
            side,
            node,
            next: is_open.then(|| places[&node]),
        }
    });
    all.collect()
}
