//! What a register or a memory cell holds. Concrete integers and plain pointers are not
//! expressions, so that concrete execution makes no nodes.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use crate::fold::mask;
use crate::ids::{AggregateId, ExprId, ObjectId, SymbolId};
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;

/// The content of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// A concrete integer of at most 64 bits, zero-extended; its width follows from its type.
    Int(u64),
    /// The address of an object plus a concrete offset.
    Pointer(ObjectId, i64),
    /// A symbolic value, or a constant wider than 64 bits.
    Expr(ExprId),
    /// A structure, an array or a vector.
    Aggregate(AggregateId),
}

/// One byte of memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Byte {
    /// A known value.
    Concrete(u8),
    /// An expression of 8 bits.
    Symbolic(ExprId),
}

/// All lists of values that were made.
#[derive(Default)]
pub(crate) struct Aggregates {
    pub all: Vec<Arc<[Value]>>,
    pub ids: FxHashMap<Arc<[Value]>, AggregateId>,
    /// How many values they have together.
    pub values: usize,
}

impl Aggregates {
    /// Adds a list that is not there.
    pub fn add(&mut self, values: Arc<[Value]>) -> AggregateId {
        let id = AggregateId::new(self.all.len());
        self.values += values.len();
        self.all.push(Arc::clone(&values));
        self.ids.insert(values, id);
        id
    }
}

impl Value {
    /// This value as an expression of `width` bits. An aggregate is its elements' bits, the
    /// first lowest, when they divide the width evenly.
    pub fn to_expr(self, pool: &mut Pool, width: u32) -> ExprId {
        match self {
            Self::Int(value) => pool.constant(width, value),
            Self::Pointer(object, offset) => {
                let (base, offset) = (pool.base(object), pool.constant(64, offset as u64));
                let pointer = pool.add(base, offset);
                pool.zext_or_trunc(pointer, width)
            }
            Self::Expr(e) => {
                debug_assert_eq!(pool.width(e), width, "the width of an expression");
                e
            }
            Self::Aggregate(id) => {
                let values = pool.shared_aggregate(id);
                let each = (width / values.len().max(1) as u32).max(1);
                let mut joined: Option<ExprId> = None;
                for &value in values.iter() {
                    let element = value.to_expr(pool, each);
                    joined = Some(match joined {
                        Some(low) => pool.concat(element, low),
                        None => element,
                    });
                }
                joined.unwrap_or_else(|| pool.constant(width, 0))
            }
        }
    }

    /// The plainest value that `e` stands for: an integer if it is a constant of at most 64
    /// bits, a pointer if it is a base plus a constant.
    pub fn from_expr(pool: &Pool, e: ExprId) -> Self {
        match pool.node(e) {
            Node::Const(value) => Self::Int(value),
            Node::Base(object) => Self::Pointer(object, 0),
            Node::Binary(BinaryOp::Add, base, offset) => {
                match (pool.node(base), pool.node(offset)) {
                    (Node::Base(object), Node::Const(offset)) => {
                        Self::Pointer(object, offset as i64)
                    }
                    _ => Self::Expr(e),
                }
            }
            _ => Self::Expr(e),
        }
    }

    /// The concrete number of this value when it has one: an integer, or the address that a
    /// pointer stands for.
    pub fn number(self, pool: &Pool) -> Option<u64> {
        match self {
            Self::Int(value) => Some(value),
            Self::Pointer(object, offset) => {
                Some(pool.object_number(object).wrapping_add(offset as u64))
            }
            Self::Expr(e) => pool.as_u64(e),
            Self::Aggregate(_) => None,
        }
    }
}

impl Byte {
    /// This byte as an expression.
    pub fn to_expr(self, pool: &mut Pool) -> ExprId {
        match self {
            Self::Concrete(value) => pool.constant(8, u64::from(value)),
            Self::Symbolic(e) => e,
        }
    }

    /// One byte of a symbol: a constant if the symbol is fixed ([`Pool::fix`]).
    pub fn of_symbol(pool: &mut Pool, symbol: SymbolId, index: u32) -> Self {
        let byte = pool.symbol_byte(symbol, index);
        Self::from_expr(pool, byte)
    }

    /// The plainest byte that `e` (8 bits) stands for.
    pub fn from_expr(pool: &Pool, e: ExprId) -> Self {
        match pool.node(e) {
            Node::Const(value) => Self::Concrete((value & mask(8)) as u8),
            _ => Self::Symbolic(e),
        }
    }
}

impl Pool {
    /// The interned list of these values.
    pub fn aggregate(&mut self, values: &[Value]) -> AggregateId {
        if let Some(&id) = self.aggregates.ids.get(values) {
            return id;
        }
        self.aggregates.add(values.into())
    }

    /// The values of an aggregate.
    pub fn aggregate_values(&self, aggregate: AggregateId) -> &[Value] {
        &self.aggregates.all[aggregate.index()]
    }

    fn shared_aggregate(&self, aggregate: AggregateId) -> Arc<[Value]> {
        self.aggregates.all[aggregate.index()].clone()
    }
}
