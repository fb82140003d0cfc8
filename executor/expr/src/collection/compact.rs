//! Between the passes: the pool slides what is marked down, and makes its tables anew.

use super::marks::Marked;
use super::moves::{Moves, Ranks};
use super::weak::Weak;
use crate::facts::FactTable;
use crate::flags::PLAIN;
use crate::hash_consing::HashConsing;
use crate::ids::{ExprId, TableId};
use crate::node::Node;
use crate::pool::{NodeEntry, Pool, WideConstants};
use crate::symbols::SetMoves;
use crate::table::{Derivation, Operand, Table, Tables};
use crate::value::{Aggregates, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What an id is that was not told of a move: an expression of no width.
const NOTHING: NodeEntry = NodeEntry {
    node: Node::Wide(u32::MAX),
    width: 0,
    symbols: 0,
    flags: 0,
    facts: 0,
};

/// The expression of an id, where it must have been marked.
fn to(moves: &Moves, mut e: ExprId) -> ExprId {
    moves.expr(&mut e);
    e
}

fn table_to(moves: &Moves, mut table: TableId) -> TableId {
    moves.table(&mut table);
    table
}

impl Pool {
    /// Removes everything that is not marked.
    pub(super) fn compact(&mut self, marked: Marked) -> Moves {
        let permanent = self.collection.permanent;
        let gap = match self.collection.tests && self.collection.gap == 0 {
            true => self.entries.len() - permanent.exprs,
            false => 0,
        };
        self.collection.gap = gap;
        let moves = Moves::of(marked, permanent, gap);
        self.hash_consing = HashConsing::new();
        self.compact_tables(&moves);
        self.compact_aggregates(&moves);
        let sets = self.compact_sets(&moves.exprs);
        self.slide(&moves, &sets, gap);
        self.numbers.forget(&moves);
        self.forget_shapes(&moves);
        self.diagrams.get_mut().forget(&moves);
        self.find_again(permanent.exprs + gap);
        moves
    }

    /// Moves the entries, and all that they refer to but expressions and tables.
    fn slide(&mut self, moves: &Moves, sets: &SetMoves, gap: usize) {
        let len = moves.exprs.count() + gap;
        let permanent = self.collection.permanent.exprs;
        let mut known = FactTable::default();
        let mut wide = WideConstants::default();
        let mut wide_moves: FxHashMap<u32, u32> = FxHashMap::default();
        // With a gap they go up, and cannot go in place.
        let mut up = match gap {
            0 => Vec::new(),
            _ => vec![NOTHING; len],
        };
        for at in 0..self.entries.len() {
            let Some(new) = moves.exprs.to(at) else {
                continue;
            };
            let mut entry = self.entries[at];
            entry.node = entry.node.with_ids(
                |e| to(moves, e),
                |table| table_to(moves, table),
                |old| {
                    *wide_moves.entry(old).or_insert_with(|| {
                        let limbs = std::mem::take(&mut self.wide.all[old as usize]);
                        wide.add(entry.width, limbs)
                    })
                },
            );
            entry.symbols = sets.to(entry.symbols);
            if entry.flags & PLAIN == 0 && !matches!(entry.node, Node::Const(_)) {
                entry.facts = known.intern(self.known.get(entry.facts));
            }
            match gap {
                0 => self.entries[new] = entry,
                _ => up[new] = entry,
            }
        }
        match gap {
            0 => self.entries.truncate(len),
            _ => self.entries = up,
        }
        debug_assert!(self.entries.len() >= permanent, "constants are kept");
        self.entries.shrink_to(len + len / 4);
        self.known = known;
        self.wide = wide;
    }

    /// Fills the table that finds equal nodes.
    fn find_again(&mut self, first_moved: usize) {
        let permanent = self.collection.permanent.exprs;
        for at in (0..permanent).chain(first_moved..self.entries.len()) {
            let entry = &self.entries[at];
            let newest = entry.node.operands().map(|[a, b, c]| a.max(b).max(c));
            let hash = entry.node.hash(entry.width);
            self.hash_consing.add(hash, newest, ExprId::new(at));
        }
    }

    /// Removes the sets of input bytes that no kept expression or table depends on. Comes before
    /// entries move and after tables.
    fn compact_sets(&mut self, exprs: &Ranks) -> SetMoves {
        let entries = self.entries.iter().enumerate();
        let of_exprs = entries
            .filter(|(at, _)| exprs.has(*at))
            .map(|(_, e)| e.symbols);
        let of_tables = self.tables.all.iter().map(|table| table.symbols);
        let moves = self.sets.compact(of_exprs.chain(of_tables));
        for table in &mut self.tables.all {
            table.symbols = moves.to(table.symbols);
        }
        moves
    }

    fn compact_tables(&mut self, moves: &Moves) {
        let Tables { all, derived, .. } = std::mem::take(&mut self.tables);
        let tables = &mut self.tables;
        for (at, table) in all.into_iter().enumerate() {
            if !moves.tables.has(at) {
                continue;
            }
            let elements = table.elements.iter().map(|&e| to(moves, e));
            let elements: Arc<[ExprId]> = elements.collect();
            let id = TableId::new(tables.all.len());
            tables.ids.insert(Arc::clone(&elements), id);
            tables.elements += elements.len();
            tables.all.push(Table { elements, ..table });
        }
        let derived = derived.into_iter().filter_map(|(derivation, result)| {
            let result = match result {
                Some(table) => Some(moves.kept_table(table)?),
                None => None,
            };
            Some((moved_derivation(derivation, moves)?, result))
        });
        tables.derived = derived.collect();
    }

    fn compact_aggregates(&mut self, moves: &Moves) {
        let all = std::mem::take(&mut self.aggregates).all;
        let aggregates: &mut Aggregates = &mut self.aggregates;
        for (at, values) in all.into_iter().enumerate() {
            if !moves.aggregates.has(at) {
                continue;
            }
            let values = values.iter().map(|&value| match value {
                Value::Int(_) | Value::Pointer(..) => value,
                Value::Expr(e) => Value::Expr(to(moves, e)),
                Value::Aggregate(mut inner) => {
                    moves.aggregate(&mut inner);
                    Value::Aggregate(inner)
                }
            });
            aggregates.add(values.collect());
        }
    }

    fn forget_shapes(&mut self, moves: &Moves) {
        let shapes = std::mem::take(&mut self.shapes).into_iter();
        let kept = shapes.filter_map(|(e, shape)| Some((moves.kept(e)?, shape)));
        self.shapes = kept.collect();
    }
}

fn moved_derivation(derivation: Derivation, moves: &Moves) -> Option<Derivation> {
    let table = |table| moves.kept_table(table);
    let operand = |operand| {
        Some(match operand {
            Operand::Constant(e) => Operand::Constant(moves.kept(e)?),
            Operand::Table(table) => Operand::Table(moves.kept_table(table)?),
        })
    };
    Some(match derivation {
        Derivation::Slice { of, low, width } => Derivation::Slice {
            of: table(of)?,
            low,
            width,
        },
        Derivation::Prefix { of, len } => Derivation::Prefix {
            of: table(of)?,
            len,
        },
        Derivation::Stride { of, shift, first } => Derivation::Stride {
            of: table(of)?,
            shift,
            first,
        },
        Derivation::Concat { high, low } => Derivation::Concat {
            high: table(high)?,
            low: table(low)?,
        },
        Derivation::Number { of } => Derivation::Number { of: table(of)? },
        Derivation::Lift { op, a, b } => Derivation::Lift {
            op,
            a: operand(a)?,
            b: operand(b)?,
        },
        Derivation::Compose { outer, inner } => Derivation::Compose {
            outer: table(outer)?,
            inner: table(inner)?,
        },
    })
}
