//! The first pass: what is held.

use crate::ids::{AggregateId, ExprId, TableId};
use crate::node::Node;
use crate::pool::Pool;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// A set of ids.
#[derive(Default)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    /// Puts an id in; whether it is new.
    #[inline]
    pub fn insert(&mut self, at: usize) -> bool {
        let (word, bit) = (&mut self.0[at / 64], 1 << (at % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    #[inline]
    pub fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 == 1
    }

    /// Puts all ids below `len` in.
    fn fill(&mut self, len: usize) {
        self.0[..len / 64].fill(!0);
        if !len.is_multiple_of(64) {
            self.0[len / 64] |= (1 << (len % 64)) - 1;
        }
    }

    pub fn words(&self) -> &[u64] {
        &self.0
    }
}

/// What holders hold, as far as they have said.
pub struct Marks<'p> {
    pool: &'p Pool,
    exprs: Bits,
    tables: Bits,
    aggregates: Bits,
    /// For shared data, by address: whether anything in them can move.
    shared: FxHashMap<usize, bool>,
    /// Whether anything that can move was marked in the shared data that are being visited.
    moves: bool,
}

/// What is held, with all that it is made of.
pub(super) struct Marked {
    pub exprs: Bits,
    pub tables: Bits,
    pub aggregates: Bits,
    pub shared: FxHashMap<usize, bool>,
}

impl<'p> Marks<'p> {
    pub(super) fn new(pool: &'p Pool) -> Self {
        let kept = pool.collection.permanent;
        let mut exprs = Bits::new(pool.entries.len());
        let mut tables = Bits::new(pool.tables.all.len());
        let mut aggregates = Bits::new(pool.aggregates.all.len());
        exprs.fill(kept.exprs);
        tables.fill(kept.tables);
        aggregates.fill(kept.aggregates);
        Self {
            pool,
            exprs,
            tables,
            aggregates,
            shared: FxHashMap::default(),
            moves: false,
        }
    }

    /// An expression is held.
    #[inline]
    pub fn expr(&mut self, e: ExprId) {
        if e.index() >= self.pool.collection.permanent.exprs {
            self.exprs.insert(e.index());
            self.moves = true;
        }
    }

    /// A table is held.
    pub fn table(&mut self, table: TableId) {
        self.tables.insert(table.index());
        self.moves = true;
    }

    /// A list of values is held.
    pub fn aggregate(&mut self, aggregate: AggregateId) {
        self.aggregates.insert(aggregate.index());
        self.moves = true;
    }

    /// Visits shared data, at this address, when nobody has visited them before.
    pub fn shared(&mut self, address: usize, visit: impl FnOnce(&mut Self)) {
        if let Some(&moves) = self.shared.get(&address) {
            self.moves |= moves;
            return;
        }
        let outside = std::mem::replace(&mut self.moves, false);
        visit(self);
        self.shared.insert(address, self.moves);
        self.moves |= outside;
    }

    /// Whether shared data were visited before.
    pub(super) fn knows(&self, address: usize) -> bool {
        self.shared.contains_key(&address)
    }

    /// Marks what the marked is made of. Operands, elements and values are older than what is made
    /// of them, so one pass from the newest to the oldest does it.
    pub(super) fn finish(mut self) -> Marked {
        for at in (0..self.pool.aggregates.all.len()).rev() {
            if self.aggregates.has(at) {
                for &value in self.pool.aggregates.all[at].iter() {
                    match value {
                        Value::Int(_) | Value::Pointer(..) => {}
                        Value::Expr(e) => self.expr(e),
                        Value::Aggregate(inner) => self.aggregate(inner),
                    }
                }
            }
        }
        for at in 0..self.pool.tables.all.len() {
            if self.tables.has(at) {
                self.elements(at);
            }
        }
        for at in (0..self.pool.entries.len()).rev() {
            if !self.exprs.has(at) {
                continue;
            }
            let node = self.pool.entries[at].node;
            node.for_each_operand(|operand| {
                self.exprs.insert(operand.index());
            });
            if let Node::Read(table, _) = node
                && self.tables.insert(table.index())
            {
                self.elements(table.index());
            }
        }
        Marked {
            exprs: self.exprs,
            tables: self.tables,
            aggregates: self.aggregates,
            shared: self.shared,
        }
    }

    fn elements(&mut self, table: usize) {
        for &element in self.pool.tables.all[table].elements.iter() {
            self.exprs.insert(element.index());
        }
    }
}
