//! The words for operations, used by the printer and by the parser.

use crate::constant::FloatKind;
use crate::inst::{BinaryOp, CastOp, FloatOp, FloatPredicate, IntPredicate, RmwOp};

/// An operation that has a word.
pub trait Worded: Copy + PartialEq + 'static {
    /// All operations with their words.
    const WORDS: &'static [(&'static str, Self)];

    /// The word of an operation.
    fn word(self) -> &'static str {
        let entry = Self::WORDS.iter().find(|entry| entry.1 == self);
        entry.map_or("?", |entry| entry.0)
    }

    /// The operation that has a word.
    fn from_word(word: &str) -> Option<Self> {
        let entry = Self::WORDS.iter().find(|entry| entry.0 == word);
        entry.map(|entry| entry.1)
    }
}

impl Worded for BinaryOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("add", BinaryOp::Add),
        ("sub", BinaryOp::Sub),
        ("mul", BinaryOp::Mul),
        ("udiv", BinaryOp::UDiv),
        ("sdiv", BinaryOp::SDiv),
        ("urem", BinaryOp::URem),
        ("srem", BinaryOp::SRem),
        ("shl", BinaryOp::Shl),
        ("lshr", BinaryOp::LShr),
        ("ashr", BinaryOp::AShr),
        ("and", BinaryOp::And),
        ("or", BinaryOp::Or),
        ("xor", BinaryOp::Xor),
    ];
}

impl Worded for FloatOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("fadd", FloatOp::Add),
        ("fsub", FloatOp::Sub),
        ("fmul", FloatOp::Mul),
        ("fdiv", FloatOp::Div),
        ("frem", FloatOp::Rem),
        ("fneg", FloatOp::Neg),
    ];
}

impl Worded for IntPredicate {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("eq", IntPredicate::Eq),
        ("ne", IntPredicate::Ne),
        ("ult", IntPredicate::Ult),
        ("ule", IntPredicate::Ule),
        ("ugt", IntPredicate::Ugt),
        ("uge", IntPredicate::Uge),
        ("slt", IntPredicate::Slt),
        ("sle", IntPredicate::Sle),
        ("sgt", IntPredicate::Sgt),
        ("sge", IntPredicate::Sge),
    ];
}

impl Worded for FloatPredicate {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("false", FloatPredicate::False),
        ("oeq", FloatPredicate::Oeq),
        ("ogt", FloatPredicate::Ogt),
        ("oge", FloatPredicate::Oge),
        ("olt", FloatPredicate::Olt),
        ("ole", FloatPredicate::Ole),
        ("one", FloatPredicate::One),
        ("ord", FloatPredicate::Ord),
        ("uno", FloatPredicate::Uno),
        ("ueq", FloatPredicate::Ueq),
        ("ugt", FloatPredicate::Ugt),
        ("uge", FloatPredicate::Uge),
        ("ult", FloatPredicate::Ult),
        ("ule", FloatPredicate::Ule),
        ("une", FloatPredicate::Une),
        ("true", FloatPredicate::True),
    ];
}

impl Worded for CastOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("trunc", CastOp::Trunc),
        ("zext", CastOp::ZExt),
        ("sext", CastOp::SExt),
        ("fptoui", CastOp::FpToUi),
        ("fptosi", CastOp::FpToSi),
        ("uitofp", CastOp::UiToFp),
        ("sitofp", CastOp::SiToFp),
        ("fptrunc", CastOp::FpTrunc),
        ("fpext", CastOp::FpExt),
        ("ptrtoint", CastOp::PtrToInt),
        ("inttoptr", CastOp::IntToPtr),
        ("bitcast", CastOp::Bitcast),
    ];
}

impl Worded for RmwOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("xchg", RmwOp::Xchg),
        ("add", RmwOp::Add),
        ("sub", RmwOp::Sub),
        ("and", RmwOp::And),
        ("nand", RmwOp::Nand),
        ("or", RmwOp::Or),
        ("xor", RmwOp::Xor),
        ("max", RmwOp::Max),
        ("min", RmwOp::Min),
        ("umax", RmwOp::UMax),
        ("umin", RmwOp::UMin),
    ];
}

impl Worded for FloatKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("half", FloatKind::Half),
        ("bfloat", FloatKind::BFloat),
        ("float", FloatKind::Single),
        ("double", FloatKind::Double),
        ("x86_fp80", FloatKind::X86Fp80),
        ("fp128", FloatKind::Quad),
    ];
}
