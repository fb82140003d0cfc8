//! The diagrams of a pool: which expression has which. This module knows of no pool.

use rustc_hash::FxHashMap;
use std::rc::Rc;

use super::store::{Diagram, Leaf, Store};
use crate::ids::ExprId;

/// Bytes of memory beyond which no diagram is made until the next collection.
const MOST: usize = 256 << 20;
/// Bytes of memory that a collection leaves at most.
pub(super) const KEPT: usize = 64 << 20;

/// What is known of an expression.
#[derive(Clone, Copy)]
pub(super) enum Known {
    Diagram(Diagram),
    /// Its diagram takes more than this many steps.
    Beyond(usize),
}

impl Known {
    pub fn diagram(self) -> Option<Diagram> {
        match self {
            Self::Diagram(diagram) => Some(diagram),
            Self::Beyond(_) => None,
        }
    }
}

/// The values of a function, if there are not too many.
type Listed = Option<Rc<[Leaf]>>;

/// The diagrams of a pool.
#[derive(Default)]
pub(crate) struct Diagrams {
    pub(super) store: Store,
    pub(super) known: FxHashMap<ExprId, Known>,
    /// Conjunctions that were made.
    pub(super) both: FxHashMap<(Diagram, Diagram), Diagram>,
    /// The values of functions under conditions, if they are at most that many.
    pub(super) under: FxHashMap<(Diagram, Diagram, usize), Listed>,
    /// How many values these are.
    pub(super) listed: usize,
    /// Functions under conditions that were made expressions of a width, in at most that many tables.
    pub(super) read: FxHashMap<(Diagram, Diagram, u32, usize), Option<ExprId>>,
    /// Bytes of the store when what nobody needs was last dropped.
    pub(super) compacted: usize,
}

impl Diagrams {
    pub(super) fn is_full(&self) -> bool {
        self.bytes() > MOST
    }

    /// Bytes in use, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.store.bytes()
            + self.known.capacity() * 24
            + self.both.capacity() * 13
            + self.read.capacity() * 40
            + self.under.capacity() * 33
            + self.listed * size_of::<Leaf>()
    }
}
