//! Bit-vector expressions: the language in which the executor states values, conditions and
//! addresses, and in which it asks solvers.
//!
//! A [`Pool`] holds every expression of a run once (hash-consing). Expressions are made by
//! simplifying constructors, carry facts (intervals, known bits, the input bytes they depend on)
//! and are read in several ways: by number for arithmetic and solvers, by place or offset for
//! resolving pointers ([`Pool::shape`]).

#![forbid(unsafe_code)]

mod assignment;
mod base_rewriting;
mod build;
mod c_text;
mod collection;
mod diagram;
mod display;
mod eval;
mod facts;
mod flags;
mod float;
mod fold;
mod hash_consing;
mod ids;
mod intern;
mod kquery;
mod limbs;
mod narrow;
mod node;
mod pool;
mod shape;
mod simplify;
mod smtlib;
mod straight;
mod substitute;
mod symbols;
mod table;
mod value;

pub use assignment::Assignment;
pub use collection::{Collected, Holder, Link, Marks, Moves, Plain, Rare, Weak, WeakValue};
pub use diagram::{Diagram, Input, Leaf, THOROUGH};
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
pub use node::{BinaryOp, CompareOp, IntPredicate, Node};
pub use pool::{FALSE, Pool, SymbolInfo, TRUE};
pub use shape::Shape;
pub use straight::{Straight, StraightOfTerm};
pub use substitute::Substitution;
pub use symbols::SymbolSet;
pub use value::{Byte, Value};
