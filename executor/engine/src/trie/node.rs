//! The decisions of a path, from the last to the first: a list that paths share.

use super::NodeId;
use super::plan::{Branching, Next, Plan, PlanNode, Side};
use crate::api::summary::ForkKind;
use plat_program::InstId;
use plat_solver::Answers;
use std::rc::Rc;

/// Where and why a path was split, and what it had been answered since the split before.
#[derive(Debug)]
pub(crate) struct Point {
    pub inst: Option<InstId>,
    pub kind: ForkKind,
    pub answers: Answers,
}

/// A node of the trie with the way to it.
#[derive(Debug)]
pub(crate) struct Node {
    pub id: NodeId,
    /// The side of the split that has led to it; of a root, the number of the initial state.
    side: u32,
    parent: Option<(Rc<Node>, Rc<Point>)>,
}

impl Node {
    pub fn root(id: NodeId, number: u32) -> Rc<Self> {
        Rc::new(Node {
            id,
            side: number,
            parent: None,
        })
    }

    /// A side of a split of a node.
    pub fn child(self: &Rc<Self>, point: &Rc<Point>, id: NodeId, side: u32) -> Rc<Self> {
        Rc::new(Node {
            id,
            side,
            parent: Some((Rc::clone(self), Rc::clone(point))),
        })
    }

    /// The way from a root to this node and what comes behind it, and the number of the root's initial
    /// state.
    pub fn plan(&self, next: Next) -> (Plan, u32) {
        let mut nodes = vec![PlanNode { id: self.id, next }];
        let mut node = self;
        while let Some((parent, point)) = &node.parent {
            let child = nodes.len() as u32 - 1;
            nodes.push(PlanNode {
                id: parent.id,
                next: Next::Split(Branching {
                    inst: point.inst,
                    kind: point.kind,
                    answers: point.answers.clone(),
                    // Others are other states' to go.
                    whole: false,
                    sides: vec![Side {
                        side: node.side,
                        node: node.id,
                        next: Some(child),
                    }],
                }),
            });
            node = parent;
        }
        let root = nodes.len() as u32 - 1;
        let mut roots = vec![None; node.side as usize];
        roots.push(Some(root));
        (Plan { nodes, roots }, node.side)
    }
}

impl Drop for Node {
    /// One after another: a path may have more decisions than the stack has room for.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some((node, _)) = next {
            next = Rc::into_inner(node).and_then(|mut node| node.parent.take());
        }
    }
}
