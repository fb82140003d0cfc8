//! `Program`: plat's one lowered form of a whole-program module.
//!
//! Functions, blocks, instructions and operands are `u32` newtypes in flat vectors; constants are
//! folded, address computations are resolved to base + constant + scaled terms, and phis are
//! resolved to parallel moves on control-flow edges. LLVM is named only by [`reader`]; analyses
//! and the executor see nothing but `Program`.

pub mod annotations;
pub mod bytes;
pub mod constant;
mod fold;
pub mod function;
pub mod ids;
pub mod image;
pub mod inst;
pub mod program;
pub mod reader;
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
pub use types::{Type, Types};
pub use verify::{Violation, verify};
