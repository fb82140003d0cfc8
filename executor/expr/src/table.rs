//! Tables: interned lists of equally wide expressions, the arrays of this expression language.
//! A read is of one table at one index; there are no updates inside expressions.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::ids::{ExprId, TableId};
use crate::node::{BinaryOp, CompareOp};
use crate::pool::Pool;

/// An interned list with what is known about all its elements.
pub(crate) struct Table {
    pub elements: Arc<[ExprId]>,
    pub width: u32,
    pub facts: Facts,
    pub symbols: u32,
    pub has_base: bool,
    /// Every element is a constant.
    pub constant: bool,
    /// Every element is the same.
    pub uniform: bool,
}

/// All tables.
#[derive(Default)]
pub(crate) struct Tables {
    pub all: Vec<Table>,
    pub ids: FxHashMap<Arc<[ExprId]>, TableId>,
    pub derived: FxHashMap<Derivation, Option<TableId>>,
    /// How many elements they have together.
    pub elements: usize,
}

/// An operation that is done element by element.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Lifted {
    Binary(BinaryOp),
    Compare(CompareOp),
    Concat,
    ZExt(u32),
    SExt(u32),
    Not,
}

/// An operand of a lifted operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operand {
    Constant(ExprId),
    Table(TableId),
}

/// How a table was made from others; memoised, since it costs as much as the table is long.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Derivation {
    /// Bits `low..low + width` of each element.
    Slice { of: TableId, low: u32, width: u32 },
    /// The first `len` elements.
    Prefix { of: TableId, len: u32 },
    /// Every 2^`shift`-th element from `first`, then the last once more.
    Stride { of: TableId, shift: u32, first: u32 },
    /// Element by element, the first table's above the second's.
    Concat { high: TableId, low: TableId },
    /// Each base replaced by its number.
    Number { of: TableId },
    /// An operation element by element.
    Lift { op: Lifted, a: Operand, b: Operand },
    /// The elements of `outer` at the positions in `inner`.
    Compose { outer: TableId, inner: TableId },
}

impl Pool {
    /// The table of these elements, which have one width. (An empty one counts as 8 bits wide.)
    pub fn table(&mut self, elements: &[ExprId]) -> TableId {
        if let Some(&id) = self.tables.ids.get(elements) {
            return id;
        }
        let width = elements.first().map_or(8, |&e| self.width(e));
        debug_assert!(
            elements.iter().all(|&e| self.width(e) == width),
            "unequal widths"
        );
        let facts = elements.iter().map(|&e| self.facts(e)).reduce(Facts::join);
        let mut sets: Vec<u32> = elements.iter().map(|&e| self.symbol_set_id(e)).collect();
        sets.sort_unstable();
        sets.dedup();
        let symbols = match sets[..] {
            [] => 0,
            [set] => set,
            _ => {
                let bytes = sets
                    .iter()
                    .flat_map(|&set| self.sets.get(set).iter())
                    .collect();
                self.sets.intern(bytes)
            }
        };
        let elements: Arc<[ExprId]> = elements.into();
        let id = TableId::new(self.tables.all.len());
        self.tables.elements += elements.len();
        self.tables.all.push(Table {
            width,
            facts: facts.unwrap_or(Facts::top(width)),
            symbols,
            has_base: elements.iter().any(|&e| self.has_base(e)),
            constant: elements.iter().all(|&e| self.is_constant(e)),
            uniform: elements.windows(2).all(|pair| pair[0] == pair[1]),
            elements: elements.clone(),
        });
        self.tables.ids.insert(elements, id);
        id
    }

    /// The elements of a table.
    pub fn table_elements(&self, table: TableId) -> &[ExprId] {
        &self.tables.all[table.index()].elements
    }

    /// The elements, shared, for use while the pool changes.
    pub(crate) fn shared_elements(&self, table: TableId) -> Arc<[ExprId]> {
        self.tables.all[table.index()].elements.clone()
    }

    /// The width of every element.
    pub fn table_width(&self, table: TableId) -> u32 {
        self.tables.all[table.index()].width
    }

    /// Whether every element is a constant.
    pub fn table_is_constant(&self, table: TableId) -> bool {
        self.tables.all[table.index()].constant
    }

    pub(crate) fn table_facts(&self, table: TableId) -> Facts {
        self.tables.all[table.index()].facts
    }

    /// The table made in that way, from the memo or by `make`, which gives up with `None`.
    pub(crate) fn derived(
        &mut self,
        derivation: Derivation,
        make: impl FnOnce(&mut Self) -> Option<Vec<ExprId>>,
    ) -> Option<TableId> {
        if let Some(&table) = self.tables.derived.get(&derivation) {
            return table;
        }
        let table = make(self).map(|elements| self.table(&elements));
        self.tables.derived.insert(derivation, table);
        table
    }
}
