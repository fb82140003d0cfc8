//! Bit-vector expressions: the language in which the executor states values, conditions and
//! addresses, and in which it asks solvers.
//!
//! A [`Pool`] holds every expression of a run once (hash-consing). Expressions are made by
//! simplifying constructors, carry facts (intervals, known bits, the input bytes they depend on)
//! and are read in several ways: by number for arithmetic and solvers, by place or offset for
//! resolving pointers ([`Pool::shape`]).

mod assignment;
mod build;
mod byte_table;
mod display;
mod eval;
mod facts;
mod flags;
mod float;
mod fold;
mod ids;
mod intern;
mod kquery;
mod limbs;
mod narrow;
mod node;
mod pool;
mod reading;
mod shape;
mod simplify;
mod smtlib;
mod straight;
mod substitute;
mod symbols;
mod table;
mod users;
mod value;

pub use assignment::Assignment;
pub use display::Display;
pub use eval::EvalMemo;
pub use facts::KnownBits;
pub use float::{
    Exceptions, FloatFormat, FloatOp, IntegerRange, Rounding, fold as fold_float,
    fold_in as fold_float_in,
};
pub use fold::{mask, sign_extend, signed};
pub use ids::{AggregateId, ExprId, ObjectId, SymbolId, TableId};
pub use narrow::Narrowed;
pub use node::{BinaryOp, CompareOp, Node, Predicate};
pub use pool::{FALSE, Pool, SymbolInfo, TRUE};
pub use shape::Shape;
pub use straight::Straight;
pub use substitute::Substitution;
pub use symbols::SymbolSet;
pub use value::{Byte, Value};
