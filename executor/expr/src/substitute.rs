//! Input bytes replaced by values that are known for them, or by other bytes.

use rustc_hash::FxHashMap;

use crate::collection::{Moves, Weak};
use crate::ids::{ExprId, SymbolId, TableId};
use crate::node::Node;
use crate::pool::Pool;
use crate::symbols::SymbolSet;

/// What stands for a byte.
#[derive(Clone, Copy, Debug)]
enum With {
    Value(u8),
    Expr(ExprId),
}

/// Values for some input bytes, and what expressions became under them.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    values: FxHashMap<(SymbolId, u32), With>,
    bytes: SymbolSet,
    exprs: FxHashMap<ExprId, ExprId>,
    tables: FxHashMap<TableId, TableId>,
}

impl Weak for Substitution {
    fn forget(&mut self, moves: &Moves) {
        let Self {
            values,
            bytes: _,
            exprs,
            tables,
        } = self;
        debug_assert!(
            values.values().all(|with| matches!(with, With::Value(_))),
            "replacements by expressions are not kept over collections"
        );
        exprs.forget(moves);
        tables.forget(moves);
    }
}

impl Substitution {
    /// Replaces these bytes.
    pub fn new(values: impl IntoIterator<Item = ((SymbolId, u32), u8)>) -> Self {
        Self::with(
            values
                .into_iter()
                .map(|(byte, value)| (byte, With::Value(value))),
        )
    }

    /// Replaces these bytes by expressions of 8 bits, which may not contain them.
    pub fn by_exprs(exprs: impl IntoIterator<Item = ((SymbolId, u32), ExprId)>) -> Self {
        Self::with(
            exprs
                .into_iter()
                .map(|(byte, expr)| (byte, With::Expr(expr))),
        )
    }

    fn with(values: impl Iterator<Item = ((SymbolId, u32), With)>) -> Self {
        let values: FxHashMap<_, _> = values.collect();
        let bytes = values.keys().copied().collect();
        Self {
            values,
            bytes,
            ..Self::default()
        }
    }

    /// How many expressions are remembered.
    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    /// Whether no expression is remembered.
    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    /// Whether `e` contains none of the bytes.
    fn leaves(&self, pool: &Pool, e: ExprId) -> bool {
        !pool.symbols(e).intersects(&self.bytes)
    }

    fn get(&self, e: ExprId) -> ExprId {
        self.exprs.get(&e).copied().unwrap_or(e)
    }

    /// `e` with the bytes replaced, simplified.
    pub fn apply(&mut self, pool: &mut Pool, e: ExprId) -> ExprId {
        let mut stack = vec![(e, false)];
        while let Some((e, ready)) = stack.pop() {
            if self.exprs.contains_key(&e) || self.leaves(pool, e) {
                continue;
            }
            if !ready {
                stack.push((e, true));
                pool.node(e)
                    .for_each_operand(|operand| stack.push((operand, false)));
                if let Node::Read(table, _) = pool.node(e)
                    && !self.tables.contains_key(&table)
                {
                    let elements = pool.table_elements(table).iter();
                    stack.extend(elements.map(|&element| (element, false)));
                }
                continue;
            }
            let replaced = match pool.node(e) {
                Node::Symbol(symbol, index) => match self.values.get(&(symbol, index)) {
                    Some(&With::Value(value)) => pool.constant(8, u64::from(value)),
                    Some(&With::Expr(other)) => other,
                    None => e,
                },
                Node::Read(table, index) => {
                    let table = match self.tables.get(&table) {
                        Some(&known) => known,
                        None => {
                            let elements = pool.table_elements(table).iter();
                            let elements: Vec<ExprId> = elements.map(|&e| self.get(e)).collect();
                            let replaced = pool.table(&elements);
                            self.tables.insert(table, replaced);
                            replaced
                        }
                    };
                    let index = self.get(index);
                    pool.read(table, index)
                }
                _ => pool.rebuild(e, |_, operand| self.get(operand)),
            };
            self.exprs.insert(e, replaced);
        }
        self.get(e)
    }
}
