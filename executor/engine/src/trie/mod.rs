//! The trie of decisions: which splits have led to a state, and how a state is led to them again.
//!
//! Every split of a path is a node's ([`Decision`]): its place, its kind, the answers that the solver
//! had given since the split before, and a child for each side. What a path is told it tells observers,
//! and a [`Plan`] of earlier decisions leads a run along them: at each split the sides that are
//! finished are left out, and no question is asked of the solver ([`plat_solver::Answers`]). A path
//! that does not come by a decision where the plan has it has diverged; what is behind its last
//! sound decision is then explored anew.
//!
//! After "Memoise" (Yang, Păsăreanu, Khurshid, ICSE 2012) and "Running symbolic execution forever" (Busse, Nowack, Cadar, ISSTA
//! 2020). Departing from both, a node keeps the answers and models and not only the side: the walk
//! again is then the same walk, with the same models, whatever is asked.

mod leaf;
mod node;
mod open;
mod plan;

pub use leaf::Leaf;
pub(crate) use node::{Node, Point};
pub(crate) use open::OpenNodes;
pub use plan::{Branching, Next, Plan, PlanNode, Side};

use crate::api::summary::ForkKind;
use plat_program::InstId;
use plat_solver::Answers;
use serde::{Deserialize, Serialize};

/// Tells nodes of a trie apart.
pub type NodeId = u64;

/// A split of a path: an inner node of the trie.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Decision {
    /// The node that is split.
    pub node: NodeId,
    /// The node of the first side; those of the others follow.
    pub first: NodeId,
    /// The sides that are possible, by their number among all of the instruction.
    pub sides: Vec<u32>,
    /// Where.
    pub inst: Option<InstId>,
    /// Why.
    pub kind: ForkKind,
    /// What the path was answered since the split before.
    pub answers: Answers,
}

/// A live path at the end of a run: an open leaf of the trie.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Left {
    /// Its node.
    pub node: NodeId,
    /// What it was answered since the last split.
    pub answers: Answers,
}
