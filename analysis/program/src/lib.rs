//! `Program`: plat's one lowered form of a whole-program module.
//!
//! Functions, blocks, instructions and operands are `u32` newtypes in flat vectors; constants are
//! folded, address computations are resolved to base + constant + scaled terms, and phis are
//! resolved to parallel moves on control-flow edges. Analyses and the executor see nothing but
//! `Program`. LLVM is not needed here; the crate `plat-bitcode` makes a `Program` of bitcode.

#![forbid(unsafe_code)]

pub mod annotations;
pub mod bytes;
pub mod constant;
mod digest;
pub mod fold;
pub mod function;
pub mod ids;
pub mod image;
pub mod inst;
mod layout;
pub mod operands;
pub mod program;
mod renumber;
mod result;
pub mod text;
pub mod types;
pub mod verify;

pub use annotations::{AllocationContext, Annotations};
pub use constant::{Constant, FloatKind, Global, Initializer, Relocation};
pub use function::{Block, Edge, Function, Location, Move};
pub use ids::{
    BlockId, ConstId, EdgeId, FuncId, GlobalId, GroupId, InstId, LocId, Reg, SiteId, TypeId,
};
pub use image::{Image, Piece};
pub use inst::{
    Access, BinaryOp, Call, Callee, CastOp, FloatOp, FloatPredicate, Inst, IntPredicate, Operand,
    RmwOp, Span,
};
pub use program::Program;
pub use text::parse;
pub use types::{MOST_BITS, Type, Types};
pub use verify::{Violation, verify};
