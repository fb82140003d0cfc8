//! Garbage collection of the pool: what nobody holds is given back.
//!
//! Expressions are held by states, caches and tables all over the executor. Each of these implements
//! [`Holder`]. A collection has two passes over all holders: the first marks what they hold, the
//! second tells them where it has moved to. In between the pool slides what is marked down over what
//! is not. The order in which expressions were made stays the order of their ids: operands are
//! older than what is made of them, and whatever is sorted by id stays sorted.
//!
//! What was made before [`Pool::keep_all`] stays for ever and keeps its id: the program's constants.
//!
//! How no holder is forgotten: a holder is declared with [`crate::holder!`], which names *all* fields
//! of the type, so that a new field does not compile before it is said to hold expressions or not. In
//! a pool that is collected for tests ([`Pool::test_collections`]) every other collection leaves a gap
//! in front of what moves, so that an id that was not told of the move is the id of nothing.

mod compact;
mod holder;
mod marks;
mod moves;
mod rare;
mod weak;

pub use holder::{Holder, Link, Plain};
pub use marks::Marks;
pub use moves::Moves;
pub use rare::Rare;
pub use weak::{Weak, WeakValue};

use crate::ids::ExprId;
use crate::pool::{Lengths, NodeEntry, Pool};
use crate::value::Value;

/// What a collection has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Collected {
    /// Bytes of the pool before.
    pub before: u64,
    /// Bytes of the pool after.
    pub after: u64,
}

impl Pool {
    /// Bytes that the pool takes, roughly.
    pub fn bytes(&self) -> u64 {
        let entries = self.entries.capacity() * size_of::<NodeEntry>();
        let nodes = entries + self.known.bytes() + self.hash_consing.bytes();
        // A list lies in its table and in the one that finds it, with some words around it.
        let tables = self.tables.all.len() * 128 + self.tables.elements * size_of::<ExprId>();
        let aggregates = &self.aggregates;
        let aggregates = aggregates.all.len() * 64 + aggregates.values * size_of::<Value>();
        let derived = self.tables.derived.capacity() * 48;
        let memos = self.numbers.capacity() * 9 + self.shapes.capacity() * 17;
        let wide = self.wide.all.len() * 128;
        let diagrams = self.diagrams.borrow().bytes();
        let all =
            diagrams + nodes + tables + aggregates + derived + memos + wide + self.sets.bytes();
        all as u64
    }

    /// Everything that there is stays for ever, under its id.
    pub fn keep_all(&mut self) {
        self.collection.permanent = Lengths {
            exprs: self.entries.len(),
            tables: self.tables.all.len(),
            aggregates: self.aggregates.all.len(),
        };
    }

    /// Has every other collection leave a gap: an id that was not told of the last move is that of
    /// nothing.
    pub fn test_collections(&mut self) {
        self.collection.tests = true;
    }

    /// Gives back everything that `holders` do not hold. They are all holders of this pool's
    /// expressions that there are.
    ///
    /// # Panics
    /// When a holder does not mark what it holds.
    pub fn collect(&mut self, holders: &mut dyn Holder) -> Collected {
        let before = self.bytes();
        let mut marks = Marks::new(self);
        holders.mark(&mut marks);
        let marked = marks.finish();
        let mut moves = self.compact(marked);
        holders.relocate(&mut moves);
        Collected {
            before,
            after: self.bytes(),
        }
    }
}
