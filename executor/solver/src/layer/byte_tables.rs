//! Constraints on one input byte, as tables of the values for which they hold.

use plat_expr::{ExprId, Moves, Node, Pool, SymbolId, THOROUGH, Weak};
use rustc_hash::FxHashMap;

use super::intervals::bound_of;

/// A byte of the input.
pub(crate) type Byte = (SymbolId, u32);
/// A set of byte values, one bit each.
pub(crate) type Values = [u64; 4];

/// A cache of the tables of constraints.
#[derive(Default)]
pub(crate) struct ByteTables {
    tables: FxHashMap<ExprId, Option<Values>>,
    highest: FxHashMap<ExprId, Option<(Byte, Values)>>,
}

impl Weak for ByteTables {
    fn forget(&mut self, moves: &Moves) {
        let Self { tables, highest } = self;
        tables.forget(moves);
        highest.forget(moves);
    }
}

impl ByteTables {
    /// The byte of a constraint and its table, if it depends on one byte.
    pub fn of(&mut self, pool: &Pool, constraint: ExprId) -> Option<(Byte, Values)> {
        let mut bytes = pool.symbols(constraint).iter();
        let (Some(byte), None) = (bytes.next(), bytes.next()) else {
            return None;
        };
        let compute = || {
            let diagram = pool.diagram(constraint, THOROUGH)?;
            pool.diagram_values(diagram, byte)
        };
        let table = *self.tables.entry(constraint).or_insert_with(compute);
        Some((byte, table?))
    }

    /// If a constraint is a bound on a word, the word's highest byte and the values that the bound
    /// leaves it.
    pub fn of_highest(&mut self, pool: &Pool, constraint: ExprId) -> Option<(Byte, Values)> {
        let compute = || highest(pool, constraint);
        *self.highest.entry(constraint).or_insert_with(compute)
    }
}

/// The values of a word's highest byte for which some value of the word is within the bound: for a
/// 16-bit word below 2,048, those below 8.
fn highest(pool: &Pool, constraint: ExprId) -> Option<(Byte, Values)> {
    let (term, set) = bound_of(pool, constraint)?;
    let Node::Concat(high, low) = pool.node(term) else {
        return None;
    };
    let mut bytes = pool.symbols(high).iter();
    let (Some((symbol, index)), None) = (bytes.next(), bytes.next()) else {
        return None;
    };
    let shift = pool.width(low);
    let parts = pool.diagram_table(pool.diagram(high, THOROUGH)?, (symbol, index))?;
    let mut values = [0; 4];
    for (value, part) in (0..=u8::MAX).zip(parts) {
        let mut intervals = set.intervals().iter();
        if intervals.any(|(lo, hi)| (lo >> shift..=hi >> shift).contains(&part)) {
            values[usize::from(value) / 64] |= 1 << (value % 64);
        }
    }
    Some(((symbol, index), values))
}

/// Whether a set contains a value.
pub(crate) fn has(values: &Values, value: u8) -> bool {
    values[usize::from(value) / 64] >> (value % 64) & 1 == 1
}

/// Intersects `kept` with `others`.
pub(crate) fn intersect(kept: &mut Values, others: &Values) {
    for (kept, others) in kept.iter_mut().zip(others) {
        *kept &= others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::{Assignment, BinaryOp, EvalMemo, IntPredicate};

    /// For bounds on a 16-bit word and on parts of it, the high byte keeps exactly the values that
    /// occur in some satisfying pair.
    #[test]
    fn the_highest_byte_has_the_values_of_pairs() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("x", 0, 2);
        let (low, high) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
        let word = pool.concat(high, low);
        let part = pool.extract(word, 0, 11);
        let (mut tables, mut found) = (ByteTables::default(), 0);
        for (at, bound) in [0u64, 1, 62, 255, 256, 700, 2047, 2048, 40_000]
            .into_iter()
            .enumerate()
        {
            for (term, width) in [(word, 16), (part, 11)] {
                for predicate in [IntPredicate::Ult, IntPredicate::Uge, IntPredicate::Slt] {
                    let (by, bound) = (pool.constant(width, 77), pool.constant(width, bound));
                    let term = if at % 2 == 0 {
                        term
                    } else {
                        pool.binary(BinaryOp::Add, term, by)
                    };
                    let condition = pool.compare(predicate, term, bound);
                    let Some((byte, values)) = tables.of_highest(&pool, condition) else {
                        continue;
                    };
                    found += 1;
                    assert_eq!(byte, (symbol, 1));
                    for value in 0..=u8::MAX {
                        let mut model = Assignment::new();
                        let some = (0..=u8::MAX).any(|low| {
                            model.set(symbol, vec![low, value]);
                            pool.holds(condition, &model, &mut EvalMemo::new())
                        });
                        assert_eq!(has(&values, value), some, "{}", pool.display(condition));
                    }
                }
            }
        }
        assert!(found > 20, "{found}");
    }
}
