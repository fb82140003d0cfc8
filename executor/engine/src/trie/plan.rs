//! Decisions that a run is led along.

use super::NodeId;
use crate::api::summary::ForkKind;
use plat_program::InstId;
use plat_solver::Answers;
use std::sync::Arc;

/// A part of a trie: the ways to all leaves that are to be reached. Nodes name each other by their
/// position, so that no depth is too large for the stack.
#[derive(Clone, Default, Debug)]
pub struct Plan {
    /// The nodes.
    pub nodes: Vec<PlanNode>,
    /// The node of each initial state; those without one are finished.
    pub roots: Vec<Option<u32>>,
}

/// A node of a plan.
#[derive(Clone, Debug)]
pub struct PlanNode {
    /// Its identity in the trie.
    pub id: NodeId,
    /// What comes behind it.
    pub next: Next,
}

/// What comes behind a node of a plan.
#[derive(Clone, Debug)]
pub enum Next {
    /// The path goes on by itself, after it was answered this.
    Open(Answers),
    /// It splits.
    Split(Branching),
    /// What comes behind a node of another plan.
    Further(Arc<Plan>, u32),
}

/// A split of a plan.
#[derive(Clone, Debug)]
pub struct Branching {
    /// Where.
    pub inst: Option<InstId>,
    /// Why.
    pub kind: ForkKind,
    /// What the path is answered before.
    pub answers: Answers,
    /// Whether `sides` are all that there are.
    pub whole: bool,
    /// The sides.
    pub sides: Vec<Side>,
}

/// A side of a split of a plan.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Its number.
    pub side: u32,
    /// Its node in the trie.
    pub node: NodeId,
    /// Its position in the plan; none if it is finished.
    pub next: Option<u32>,
}
