//! Constants, folded as far as they go without knowing addresses, and global variables.

use crate::ids::{ConstId, FuncId, GlobalId, LocId, TypeId};
use crate::image::Image;
use crate::inst::{BinaryOp, CastOp, IntPredicate};
use serde::{Deserialize, Serialize};

/// The floating-point formats that LLVM has for C on x86-64.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FloatKind {
    /// IEEE binary16.
    Half,
    /// bfloat16.
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// x87 80-bit extended.
    X86Fp80,
    /// IEEE binary128.
    Quad,
}

impl FloatKind {
    /// Width in bits.
    pub const fn bits(self) -> u32 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X86Fp80 => 80,
            FloatKind::Quad => 128,
        }
    }

    /// Bytes that a store touches.
    pub const fn store_size(self) -> u64 {
        self.bits() as u64 / 8
    }
}

/// A constant. Operands of instructions and relocations of initialisers refer to these.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Constant {
    /// An integer of `width` <= 128 bits, zero-extended into `value`.
    Int {
        /// Width in bits.
        width: u32,
        /// The value, zero-extended.
        value: u128,
    },
    /// An integer wider than 128 bits: width and little-endian 64-bit limbs.
    WideInt(u32, Box<[u64]>),
    /// A floating-point number by its bit pattern.
    Float(FloatKind, u128),
    /// The null pointer.
    Null,
    /// The address of a global variable plus a byte offset.
    Global(GlobalId, i64),
    /// The address of a function.
    Function(FuncId),
    /// An unspecified value of a type.
    Undef(TypeId),
    /// A poison value of a type.
    Poison(TypeId),
    /// All bytes zero, of an aggregate or vector type.
    Zero(TypeId),
    /// A structure, array or vector element by element.
    Aggregate(TypeId, Box<[ConstId]>),
    /// An operation on constants that needs addresses; width of the operands in bits.
    Binary(BinaryOp, u32, ConstId, ConstId),
    /// A conversion that needs addresses: from and to width in bits.
    Cast(CastOp, u32, u32, ConstId),
    /// A comparison that needs addresses: width of the operands in bits.
    Compare(IntPredicate, u32, ConstId, ConstId),
    /// A constant of a kind that plat does not read: what it is.
    Unsupported(String),
}

/// A pointer-sized (or smaller) constant inside an initialiser whose bytes depend on an address.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Relocation {
    /// Byte offset in the global.
    pub offset: u64,
    /// Bytes it covers.
    pub size: u64,
    /// Its value.
    pub value: ConstId,
}

/// What a global holds at start: bytes, and relocations over them sorted by offset.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Initializer {
    /// The bytes (zero where a relocation lies).
    pub bytes: Image,
    /// The address-dependent parts.
    pub relocations: Vec<Relocation>,
}

/// A global variable.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Global {
    /// Its symbol.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes, a power of two.
    pub align: u64,
    /// Whether writing to it is an error.
    pub constant: bool,
    /// Its first contents; `None` if only declared here.
    pub initializer: Option<Initializer>,
    /// Where it is defined.
    pub location: LocId,
}
