//! Instructions. Operands are registers or constants in one `u32`.

use crate::ids::{ConstId, EdgeId, FuncId, Reg, TypeId};
pub use plat_basics::{BinaryOp, IntPredicate};
use serde::{Deserialize, Serialize};

/// A register or a constant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Operand(u32);

const CONSTANT_BIT: u32 = 1 << 31;

impl Operand {
    /// The operand that reads register `reg`.
    pub fn reg(reg: Reg) -> Self {
        debug_assert!(reg.0 < CONSTANT_BIT);
        Self(reg.0)
    }

    /// The operand that is constant `id`.
    pub fn constant(id: ConstId) -> Self {
        debug_assert!(id.0 < CONSTANT_BIT);
        Self(id.0 | CONSTANT_BIT)
    }

    /// The register it reads, if it reads one.
    pub const fn as_reg(self) -> Option<Reg> {
        if self.0 & CONSTANT_BIT == 0 {
            Some(Reg(self.0))
        } else {
            None
        }
    }

    /// The constant it is, if it is one.
    pub const fn as_constant(self) -> Option<ConstId> {
        if self.0 & CONSTANT_BIT == 0 {
            None
        } else {
            Some(ConstId(self.0 & !CONSTANT_BIT))
        }
    }
}

/// A range in one of a function's side tables (`call_args`, `gep_terms`, `switch_cases`, ...).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// First entry.
    pub start: u32,
    /// Number of entries.
    pub len: u32,
}

impl Span {
    /// As a range of positions.
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

/// Floating-point operations (the second operand of `Neg` is ignored).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
}

/// Floating-point comparisons: ordered (`O..`) are false on NaN, unordered (`U..`) true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// Conversions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    Bitcast,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
}

/// What a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Callee {
    /// A function by name (aliases resolved).
    Direct(FuncId),
    /// A function pointer.
    Indirect(Operand),
    /// Inline assembly; its text is the function's `asm_texts` entry.
    Asm(u32),
}

/// The parts that calls and invokes share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Arguments: a span of [`crate::Function::call_args`].
    pub args: Span,
    /// Type of the result ([`crate::Type::Void`] if none).
    pub ret: TypeId,
}

/// Attributes of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Access {
    /// Alignment that the program promises, in bytes.
    pub align: u32,
    /// Whether the access is volatile.
    pub volatile: bool,
    /// Whether the access is atomic.
    pub atomic: bool,
}

/// An instruction. `dst` is the register that it defines; `ty` the type that it works on
/// (for vectors the operation is element-wise).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Inst {
    Binary {
        op: BinaryOp,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    },
    /// `ty` is the operands' type.
    Compare {
        predicate: IntPredicate,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    },
    Float {
        op: FloatOp,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        /// Any NaN is an invalid operand, not only a signalling one.
        signals: bool,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    },
    Cast {
        op: CastOp,
        from: TypeId,
        to: TypeId,
        dst: Reg,
        value: Operand,
    },
    Select {
        ty: TypeId,
        dst: Reg,
        cond: Operand,
        then: Operand,
        otherwise: Operand,
    },
    Freeze {
        ty: TypeId,
        dst: Reg,
        value: Operand,
    },
    /// `count` elements of `element_size` bytes on the stack; `count_ty` is the type of `count`.
    Alloca {
        dst: Reg,
        element_size: u64,
        count: Operand,
        count_ty: TypeId,
        align: u32,
    },
    Load {
        ty: TypeId,
        dst: Reg,
        pointer: Operand,
        access: Access,
    },
    Store {
        ty: TypeId,
        value: Operand,
        pointer: Operand,
        access: Access,
    },
    /// `base + offset + sum(scale * sext(index))`; terms are a span of [`crate::Function::gep_terms`].
    Gep {
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: Span,
    },
    /// Field at `path` (a span of [`crate::Function::indices`]) of an aggregate of type `ty`.
    ExtractValue {
        ty: TypeId,
        dst: Reg,
        aggregate: Operand,
        path: Span,
    },
    InsertValue {
        ty: TypeId,
        dst: Reg,
        aggregate: Operand,
        element: Operand,
        path: Span,
    },
    /// `ty` is the vector's type.
    ExtractElement {
        ty: TypeId,
        dst: Reg,
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        ty: TypeId,
        dst: Reg,
        vector: Operand,
        element: Operand,
        index: Operand,
    },
    /// `mask` is a span of [`crate::Function::indices`]; `u32::MAX` means poison. `ty` is the operands' type.
    Shuffle {
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
        mask: Span,
    },
    Call {
        dst: Option<Reg>,
        call: Call,
    },
    /// A call with an exceptional edge.
    Invoke {
        dst: Option<Reg>,
        call: Call,
        normal: EdgeId,
        unwind: EdgeId,
    },
    /// Where exceptions arrive: `dst` is the pair `{exception, selector}`, set by who unwinds.
    /// Clauses are a span of [`crate::Function::call_args`]: a constant array of the types of a
    /// filter, or the type that is caught, null for all.
    LandingPad {
        ty: TypeId,
        dst: Reg,
        cleanup: bool,
        clauses: Span,
    },
    /// Goes on unwinding with the pair that a landing pad got.
    Resume {
        value: Operand,
    },
    AtomicRmw {
        op: RmwOp,
        ty: TypeId,
        dst: Reg,
        pointer: Operand,
        value: Operand,
    },
    /// `dst` is the pair `{old value, succeeded}`.
    CompareExchange {
        ty: TypeId,
        dst: Reg,
        pointer: Operand,
        expected: Operand,
        new: Operand,
    },
    Fence,
    Jump {
        edge: EdgeId,
    },
    Branch {
        cond: Operand,
        then: EdgeId,
        otherwise: EdgeId,
    },
    /// Cases are a span of [`crate::Function::switch_cases`].
    Switch {
        ty: TypeId,
        value: Operand,
        cases: Span,
        default: EdgeId,
    },
    Return {
        value: Option<Operand>,
    },
    Unreachable,
    /// An instruction that plat cannot run: the index of its description in `asm_texts`.
    Unsupported {
        dst: Option<Reg>,
        what: u32,
    },
}

impl Inst {
    /// Whether it ends a block.
    pub const fn is_terminator(&self) -> bool {
        matches!(
            self,
            Inst::Jump { .. }
                | Inst::Branch { .. }
                | Inst::Switch { .. }
                | Inst::Return { .. }
                | Inst::Resume { .. }
                | Inst::Invoke { .. }
                | Inst::Unreachable
        )
    }

    /// The register that it defines.
    pub const fn dst(&self) -> Option<Reg> {
        match *self {
            Inst::Binary { dst, .. }
            | Inst::Compare { dst, .. }
            | Inst::Float { dst, .. }
            | Inst::FloatCompare { dst, .. }
            | Inst::Cast { dst, .. }
            | Inst::Select { dst, .. }
            | Inst::Freeze { dst, .. }
            | Inst::Alloca { dst, .. }
            | Inst::Load { dst, .. }
            | Inst::Gep { dst, .. }
            | Inst::ExtractValue { dst, .. }
            | Inst::InsertValue { dst, .. }
            | Inst::ExtractElement { dst, .. }
            | Inst::InsertElement { dst, .. }
            | Inst::Shuffle { dst, .. }
            | Inst::LandingPad { dst, .. }
            | Inst::AtomicRmw { dst, .. }
            | Inst::CompareExchange { dst, .. } => Some(dst),
            Inst::Call { dst, .. } | Inst::Invoke { dst, .. } | Inst::Unsupported { dst, .. } => {
                dst
            }
            _ => None,
        }
    }
}
