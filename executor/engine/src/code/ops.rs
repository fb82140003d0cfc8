//! What the fast paths know how to do: the operations that instructions are decoded to.

use crate::code::plans::{Order, Scalar};
use plat_memory::AccessKind;
use plat_program::{BinaryOp, EdgeId};

pub use crate::state::frame::Slot;

/// `dst = base + offset`, where the next instruction reads or writes.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub dst: Slot,
    pub base: Slot,
    pub offset: i32,
}

/// What the fast paths know how to do. Words have at most 64 bits.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// `(a + b) & mask`.
    Add {
        dst: Slot,
        a: Slot,
        b: Slot,
        mask: u64,
    },
    /// `(a + by) & mask`, the mask of `bits` bits.
    AddConst {
        bits: u8,
        dst: Slot,
        a: Slot,
        by: u64,
    },
    /// `(a - b) & mask`.
    Sub {
        dst: Slot,
        a: Slot,
        b: Slot,
        mask: u64,
    },
    /// `a & b`.
    And {
        bits: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// Another operation.
    Binary {
        op: BinaryOp,
        bits: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// A shift that matters only if the condition is what `when` says.
    Guarded {
        op: BinaryOp,
        bits: u8,
        when: bool,
        dst: Slot,
        a: Slot,
        b: Slot,
        cond: Slot,
    },
    /// A comparison; `branches` if the next instruction is a branch on its result.
    Compare {
        order: Order,
        branches: bool,
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// The same with a number.
    CompareConst {
        order: Order,
        branches: bool,
        dst: Slot,
        a: Slot,
        with: u64,
    },
    /// A load of a word of a byte.
    Load1 { dst: Slot, pointer: Slot },
    /// A load of a word of four bytes.
    Load4 { dst: Slot, pointer: Slot },
    /// A load of a word of eight bytes.
    Load8 { dst: Slot, pointer: Slot },
    /// A load of a word of another size.
    Load { bytes: u8, dst: Slot, pointer: Slot },
    /// A load of a word of so many bits that lie in one byte.
    LoadBits { bits: u8, dst: Slot, pointer: Slot },
    /// A store of a word of a byte.
    Store1 { value: Slot, pointer: Slot },
    /// A store of a word of four bytes.
    Store4 { value: Slot, pointer: Slot },
    /// A store of a word of eight bytes.
    Store8 { value: Slot, pointer: Slot },
    /// A store of a word of another size.
    Store {
        bytes: u8,
        value: Slot,
        pointer: Slot,
    },
    /// `base + offset`.
    Move { dst: Slot, base: Slot, offset: i64 },
    /// `base + offset + scale * index`, the index signed.
    Index {
        bits: u8,
        dst: Slot,
        base: Slot,
        index: Slot,
        scale: i32,
        offset: i32,
    },
    /// The same with any number of indices: `terms` of [`Decoded::terms`], from `first` on.
    Indices {
        terms: u8,
        dst: Slot,
        base: Slot,
        first: u32,
        offset: i32,
    },
    /// [`Op::Move`], and a load of four bytes there.
    LoadAt4 { place: Place, dst: Slot },
    /// The same of eight bytes.
    LoadAt8 { place: Place, dst: Slot },
    /// [`Op::Move`], and a store of four bytes there.
    StoreAt4 { place: Place, value: Slot },
    /// The same of eight bytes.
    StoreAt8 { place: Place, value: Slot },
    /// To the end of a block.
    Jump { edge: EdgeId },
    /// To one of two blocks.
    Branch {
        cond: Slot,
        then: EdgeId,
        otherwise: EdgeId,
    },
    /// `value & mask`; all of 64 bits: the value as it is, also a pointer.
    Cut { dst: Slot, value: Slot, mask: u64 },
    /// The low `from` bits, signed, in `to` bits.
    Extend {
        from: u8,
        to: u8,
        dst: Slot,
        value: Slot,
    },
    /// One of two values.
    Select {
        dst: Slot,
        cond: Slot,
        then: Slot,
        otherwise: Slot,
    },
    /// An intrinsic that is one operation on words.
    Scalar {
        scalar: Scalar,
        bits: u8,
        dst: Slot,
        a: Slot,
        b: Slot,
        c: Slot,
    },
    /// To the block for a value.
    Switch { value: Slot, plan: u32 },
    /// A stack object.
    Alloca { plan: u32 },
    /// A call of a function with a body.
    Call { plan: u32 },
    /// A call through a pointer.
    Indirect { plan: u32 },
    /// A call that the executor carries out itself; no fast path does.
    Native { plan: u32 },
    /// Such a call, of a function that copies bytes.
    Copy { plan: u32 },
    /// The end of a function; `value` may be [`NOWHERE`].
    Return { value: Slot },
    /// Nothing is to be done.
    Skip,
    /// Nothing for a fast path.
    Other,
}

const _: () = assert!(size_of::<Op>() == 24);

impl Op {
    /// Where the address is that a load or store uses.
    pub fn address(&self) -> Option<Slot> {
        match *self {
            Op::Load1 { pointer, .. }
            | Op::Load4 { pointer, .. }
            | Op::Load8 { pointer, .. }
            | Op::Load { pointer, .. }
            | Op::LoadBits { pointer, .. }
            | Op::Store1 { pointer, .. }
            | Op::Store4 { pointer, .. }
            | Op::Store8 { pointer, .. }
            | Op::Store { pointer, .. } => Some(pointer),
            _ => None,
        }
    }

    /// What an operation with an address does there, and to how many bytes.
    pub fn access(&self) -> (AccessKind, u64) {
        match *self {
            Op::Store1 { .. } => (AccessKind::Write, 1),
            Op::Store4 { .. } => (AccessKind::Write, 4),
            Op::Store8 { .. } => (AccessKind::Write, 8),
            Op::Store { bytes, .. } => (AccessKind::Write, bytes.into()),
            Op::Load4 { .. } => (AccessKind::Read, 4),
            Op::Load8 { .. } => (AccessKind::Read, 8),
            Op::Load { bytes, .. } => (AccessKind::Read, bytes.into()),
            _ => (AccessKind::Read, 1),
        }
    }
}

/// A control-flow edge: `count` of [`Decoded::moves`] from `first` on, then to `pc`.
#[derive(Clone, Copy, Debug)]
pub struct Exit {
    /// The first instruction of the block that it leads to.
    pub pc: u32,
    /// The first instruction behind that block.
    pub end: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}
