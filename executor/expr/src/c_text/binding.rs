//! How C's operators bind.

/// C's precedences, as far as they are needed: what binds more is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Binding {
    Choice,
    Either,
    Both,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Prefix,
    Whole,
}

impl Binding {
    /// Of an operand that must be in parentheses if its operator binds no more than this one.
    pub const fn above(self) -> Self {
        match self {
            Self::Choice => Self::Either,
            Self::Either => Self::Both,
            // C compilers warn of bits and shifts without parentheses, as people misread them.
            Self::Both | Self::BitOr | Self::BitXor | Self::BitAnd => Self::Equality,
            Self::Equality => Self::Relation,
            Self::Relation | Self::Shift => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Prefix => Self::Prefix,
            Self::Whole => Self::Whole,
        }
    }
}
