//! The second pass: where what is held has moved to.

use super::marks::{Bits, Marked};
use crate::ids::{AggregateId, ExprId, TableId};
use crate::pool::Lengths;
use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};

/// Where the members of a set go that slides down: how many members are below.
pub(super) struct Ranks {
    set: Bits,
    /// For each 64 ids: how many members are below them.
    below: Vec<u32>,
    /// Members from here on go up by `gap`.
    permanent: usize,
    gap: usize,
    count: usize,
}

impl Ranks {
    pub fn new(set: Bits, permanent: usize, gap: usize) -> Self {
        let mut count = 0;
        let words = set.words().iter();
        let below = words
            .map(|word| {
                let below = count;
                count += word.count_ones();
                below
            })
            .collect();
        Self {
            set,
            below,
            permanent,
            gap,
            count: count as usize,
        }
    }

    /// Whether it is a member.
    #[inline]
    pub fn has(&self, at: usize) -> bool {
        self.set.has(at)
    }

    /// How many members there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Where a member goes.
    #[inline]
    pub fn to(&self, at: usize) -> Option<usize> {
        if at < self.permanent {
            return Some(at);
        }
        let word = *self.set.words().get(at / 64)?;
        let lower = word & ((1 << (at % 64)) - 1);
        let rank = self.below[at / 64] as usize + lower.count_ones() as usize;
        (word >> (at % 64) & 1 == 1).then_some(rank + self.gap)
    }
}

/// Shared data that were copied, and the copy.
struct Copied {
    /// Keeps the address from being used again.
    _old: Box<dyn Any>,
    new: Box<dyn Any>,
}

/// Where expressions have moved to.
pub struct Moves {
    pub(super) exprs: Ranks,
    pub(super) tables: Ranks,
    pub(super) aggregates: Ranks,
    shared: FxHashMap<usize, bool>,
    copied: FxHashMap<(usize, TypeId), Copied>,
}

/// The defect that a holder has marked something else than it holds.
const UNMARKED: &str = "what is held was marked";

impl Moves {
    /// The sets of ids of what was marked, with gaps.
    pub(super) fn of(marked: Marked, permanent: Lengths, gap: usize) -> Self {
        let Marked {
            exprs,
            tables,
            aggregates,
            shared,
        } = marked;
        Self {
            exprs: Ranks::new(exprs, permanent.exprs, gap),
            tables: Ranks::new(tables, permanent.tables, 0),
            aggregates: Ranks::new(aggregates, permanent.aggregates, 0),
            shared,
            copied: FxHashMap::default(),
        }
    }

    /// An expression that is held.
    ///
    /// # Panics
    /// When it was not marked.
    #[inline]
    pub fn expr(&self, e: &mut ExprId) {
        *e = self.kept(*e).expect(UNMARKED);
    }

    /// A table that is held.
    ///
    /// # Panics
    /// When it was not marked.
    pub fn table(&self, table: &mut TableId) {
        *table = self.kept_table(*table).expect(UNMARKED);
    }

    /// A list of values that is held.
    ///
    /// # Panics
    /// When it was not marked.
    pub fn aggregate(&self, aggregate: &mut AggregateId) {
        let to = self.aggregates.to(aggregate.index());
        *aggregate = AggregateId::new(to.expect(UNMARKED));
    }

    /// What has become of an expression, if anybody holds it.
    #[inline]
    pub fn kept(&self, e: ExprId) -> Option<ExprId> {
        self.exprs.to(e.index()).map(ExprId::new)
    }

    /// What has become of a table, if anybody holds it.
    pub fn kept_table(&self, table: TableId) -> Option<TableId> {
        self.tables.to(table.index()).map(TableId::new)
    }

    /// What has become of a set of expressions in order, if all are held.
    pub fn all_kept(&self, all: &[ExprId]) -> Option<Vec<ExprId>> {
        all.iter().map(|&e| self.kept(e)).collect()
    }

    /// Whether anything in shared data may have moved.
    pub(super) fn moves(&self, address: usize) -> bool {
        self.shared.get(&address).copied().unwrap_or(true)
    }

    /// The copy of shared data, if it was made.
    pub(super) fn copy_of<P: Clone + 'static>(&self, address: usize) -> Option<P> {
        let copied = self.copied.get(&(address, TypeId::of::<P>()))?;
        copied.new.downcast_ref::<P>().cloned()
    }

    /// Notes the copy of shared data.
    pub(super) fn note_copy<P: Clone + 'static>(&mut self, address: usize, old: P, new: P) {
        let copied = Copied {
            _old: Box::new(old),
            new: Box::new(new),
        };
        self.copied.insert((address, TypeId::of::<P>()), copied);
    }
}
