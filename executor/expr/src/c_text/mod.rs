//! Expressions as an engineer would write them in C, for people to read: bytes of the input by its
//! name (`stdin[3]`, `*(uint32_t *)&stdin[4]` for neighbours), C's operators and precedences. C promotes
//! narrow operands to `int`, and expressions are unsigned: casts stand where that would change the value, so
//! that a compiler gives the text the value of the expression.
//!
//! Nodes that are used more than once are written each time, so a text has a bound on its length and
//! depth; `…` stands for what is left out.

mod binding;
mod leaves;

use std::fmt::Write as _;

use crate::float::FloatOp;
use crate::ids::{ExprId, SymbolId};
use crate::node::{BinaryOp, CompareOp, Node};
use crate::pool::Pool;
use binding::Binding;

/// Operators within one another.
const DEEPEST: u32 = 48;

/// Constants that are no `int`, or that make a sum overflow.
const LARGE: u64 = 1 << 30;

impl Pool {
    /// `e` in C's terms, of about `most` characters.
    pub fn c_text(&self, e: ExprId, most: usize) -> String {
        let mut writer = Writer {
            pool: self,
            text: String::new(),
            most,
            depth: 0,
        };
        writer.write(e, Binding::Choice);
        writer.text
    }

    /// Neighbouring bytes of one symbol in little-endian order: the symbol, the first byte and how many.
    fn neighbours(&self, e: ExprId) -> Option<(SymbolId, u32, u32)> {
        let (mut rest, mut above) = (e, None);
        let mut bytes = 0;
        loop {
            // The highest byte stands first.
            let (byte, low) = match self.node(rest) {
                Node::Concat(high, low) => (high, Some(low)),
                _ => (rest, None),
            };
            let Node::Symbol(symbol, at) = self.node(byte) else {
                return None;
            };
            if above.is_some_and(|before: (SymbolId, u32)| before != (symbol, at + 1)) {
                return None;
            }
            (above, bytes) = (Some((symbol, at)), bytes + 1);
            match low {
                Some(low) => rest = low,
                None => return Some((symbol, at, bytes)),
            }
        }
    }
}

struct Writer<'a> {
    pool: &'a Pool,
    text: String,
    most: usize,
    depth: u32,
}

impl Writer<'_> {
    /// Writes an operand of an operator that lets what binds as much as this stand without parentheses.
    fn write(&mut self, e: ExprId, least: Binding) {
        if self.text.len() >= self.most || self.depth >= DEEPEST {
            self.text.push('…');
            return;
        }
        self.depth += 1;
        let binding = self.binding(e);
        if binding < least {
            self.text.push('(');
            self.node(e);
            self.text.push(')');
        } else {
            self.node(e);
        }
        self.depth -= 1;
    }

    /// How what is written for a node binds.
    fn binding(&self, e: ExprId) -> Binding {
        let width = self.pool.width(e);
        match self.pool.node(e) {
            Node::Binary(op, _, second) if self.is_plain(op, width) => {
                self.binary_binding(op, width, second)
            }
            Node::Compare(CompareOp::Eq, ..) => Binding::Equality,
            Node::Compare(..) => Binding::Relation,
            Node::Not(inner) if width == 1 => match self.pool.node(inner) {
                Node::Compare(CompareOp::Eq, ..) => Binding::Equality,
                Node::Compare(..) => Binding::Relation,
                _ => Binding::Prefix,
            },
            Node::Ite(..) => Binding::Choice,
            Node::Concat(..) if self.pool.neighbours(e).is_none() => Binding::BitOr,
            Node::ZExt(inner) if self.is_promoted(inner, width) => self.binding(inner),
            Node::Extract { .. } if width == 1 => Binding::BitAnd,
            Node::Float(FloatOp::Add | FloatOp::Sub, ..) => Binding::Sum,
            Node::Float(FloatOp::Mul | FloatOp::Div, ..) => Binding::Product,
            Node::Float(FloatOp::Eq, ..) => Binding::Equality,
            Node::Float(FloatOp::Lt | FloatOp::Le, ..) => Binding::Relation,
            Node::Const(_)
            | Node::Wide(_)
            | Node::Symbol(..)
            | Node::Read(..)
            | Node::Float(..) => Binding::Whole,
            _ => Binding::Prefix,
        }
    }

    fn binary_binding(&self, op: BinaryOp, width: u32, second: ExprId) -> Binding {
        match op {
            BinaryOp::Add | BinaryOp::Sub if width > 1 => Binding::Sum,
            BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                Binding::Product
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => Binding::Shift,
            BinaryOp::And if width == 1 => Binding::Both,
            BinaryOp::Or if width == 1 => Binding::Either,
            BinaryOp::And => Binding::BitAnd,
            BinaryOp::Or => Binding::BitOr,
            BinaryOp::Xor if width > 1 && self.is_ones(second) => Binding::Prefix,
            BinaryOp::Xor if width > 1 => Binding::BitXor,
            // Of bits: whether they differ.
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => Binding::Equality,
        }
    }

    /// Whether C's operator has the value without a cast around it.
    fn is_plain(&self, op: BinaryOp, width: u32) -> bool {
        width == 1 || width >= 32 && !is_signed(op)
    }

    /// Whether C has what is written for a node as an `int`.
    fn is_int(&self, e: ExprId) -> bool {
        let width = self.pool.width(e);
        match self.pool.node(e) {
            Node::Const(value) => value < LARGE,
            _ if width < 32 => true,
            Node::ZExt(inner) => self.is_promoted(inner, width),
            Node::Binary(BinaryOp::LShr, a, _) => width == 32 && self.is_int(a),
            Node::Binary(op, a, b) => {
                let stays = matches!(
                    op,
                    BinaryOp::Add
                        | BinaryOp::And
                        | BinaryOp::Or
                        | BinaryOp::Xor
                        | BinaryOp::UDiv
                        | BinaryOp::URem
                );
                stays && self.is_int(a) && self.is_int(b)
            }
            Node::Ite(_, then, otherwise) => self.is_int(then) && self.is_int(otherwise),
            _ => false,
        }
    }

    fn is_ones(&self, e: ExprId) -> bool {
        let width = self.pool.width(e);
        let ones = |value| width <= 64 && value == u64::MAX >> (64 - width);
        self.pool.as_u64(e).is_some_and(ones)
    }

    /// Whether C widens a value of these bits by itself, and to as many.
    fn is_promoted(&self, inner: ExprId, width: u32) -> bool {
        let bits = self.pool.width(inner);
        bits == 1 || bits <= 16 && width == 32
    }

    fn node(&mut self, e: ExprId) {
        let width = self.pool.width(e);
        if let Some((symbol, first, bytes)) = self.pool.neighbours(e)
            && matches!(bytes, 1 | 2 | 4 | 8)
        {
            return self.input(symbol, first, bytes);
        }
        match self.pool.node(e) {
            Node::Const(value) => self.constant(value, width),
            Node::Wide(at) => {
                let limbs = self.pool.wide_constant(at).iter().rev();
                let digits: String = limbs.map(|limb| format!("{limb:016x}")).collect();
                let _ = write!(self.text, "0x{}", digits.trim_start_matches('0'));
            }
            // All symbols are single bytes, and were written above.
            Node::Symbol(symbol, at) => self.input(symbol, at, 1),
            Node::Base(object) => {
                let _ = write!(self.text, "&object{}", object.0);
            }
            Node::Binary(op, a, b) if self.is_plain(op, width) => self.binary(op, (a, b), width),
            Node::Binary(op, a, b) => {
                // C would compute it in an int, or has it signed.
                let _ = write!(self.text, "({})(", unsigned(width));
                self.binary(op, (a, b), width);
                self.text.push(')');
            }
            Node::Compare(op, a, b) => self.compare(op, a, b, false),
            Node::Not(inner) => match self.pool.node(inner) {
                Node::Compare(op, a, b) => self.compare(op, a, b, true),
                _ if width == 1 => self.prefixed("!", inner),
                _ if width >= 32 && self.is_int(inner) => {
                    self.prefixed(&format!("~({})", unsigned(width)), inner);
                }
                _ if width >= 32 => self.prefixed("~", inner),
                _ => self.prefixed(&format!("({})~", unsigned(width)), inner),
            },
            Node::Ite(condition, then, otherwise) => {
                self.write(condition, Binding::Either);
                self.text.push_str(" ? ");
                self.write(then, Binding::Either);
                self.text.push_str(" : ");
                self.write(otherwise, Binding::Choice);
            }
            Node::Extract { value, low } => self.extract(value, low, width),
            Node::Concat(high, low) => {
                let bits = self.pool.width(low);
                let _ = write!(self.text, "({})", unsigned(width));
                self.write(high, Binding::Prefix);
                let _ = write!(self.text, " << {bits} | ");
                self.write(low, Binding::BitOr.above());
            }
            Node::ZExt(inner) if self.is_promoted(inner, width) => self.node(inner),
            Node::ZExt(inner) => self.prefixed(&format!("({})", unsigned(width)), inner),
            Node::SExt(inner) => {
                let from = signing(self.pool.width(inner));
                self.prefixed(&format!("({}){from}", unsigned(width)), inner);
            }
            Node::Read(table, index) => {
                self.table(table);
                self.text.push('[');
                self.write(index, Binding::Choice);
                self.text.push(']');
            }
            Node::Float(op, format, operands) => self.float(op, format, operands, width),
        }
    }

    fn prefixed(&mut self, prefix: &str, operand: ExprId) {
        self.text.push_str(prefix);
        self.write(operand, Binding::Prefix);
    }

    fn binary(&mut self, op: BinaryOp, (a, b): (ExprId, ExprId), width: u32) {
        let binding = self.binary_binding(op, width, b);
        if op == BinaryOp::Xor && width > 1 && self.is_ones(b) {
            return self.prefixed("~", a);
        }
        // A constant stands behind; what is added may be what is subtracted.
        let (a, b) = match self.pool.is_constant(a) && !self.pool.is_constant(b) {
            true if matches!(
                op,
                BinaryOp::Add | BinaryOp::Mul | BinaryOp::And | BinaryOp::Or | BinaryOp::Xor
            ) =>
            {
                (b, a)
            }
            _ => (a, b),
        };
        let less = self.pool.as_u64(b).filter(|_| (2..=64).contains(&width));
        let less = less
            .map(|value| extended(value, width))
            .filter(|&value| value < 0);
        let word = match op {
            BinaryOp::Add if width == 1 => "!=",
            BinaryOp::Add if less.is_some() => "-",
            BinaryOp::Add => "+",
            BinaryOp::Sub if width == 1 => "!=",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::UDiv | BinaryOp::SDiv => "/",
            BinaryOp::URem | BinaryOp::SRem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::LShr | BinaryOp::AShr => ">>",
            BinaryOp::And if width == 1 => "&&",
            BinaryOp::And => "&",
            BinaryOp::Or if width == 1 => "||",
            BinaryOp::Or => "|",
            BinaryOp::Xor if width == 1 => "!=",
            BinaryOp::Xor => "^",
        };
        let same = |of: &Self, e: ExprId| match of.pool.node(e) {
            // The same operator again needs no parentheses on the left.
            Node::Binary(inner, ..) => inner == op && of.pool.width(e) == width,
            _ => false,
        };
        let left = if same(self, a) {
            binding
        } else {
            binding.above()
        };
        // These leave what an int can hold.
        let overflows = matches!(op, BinaryOp::Sub | BinaryOp::Shl | BinaryOp::Mul)
            || op == BinaryOp::Add && less.is_some()
            || op == BinaryOp::LShr && width > 32;
        if is_signed(op) && width > 1 {
            self.cast(a, width);
        } else if width >= 32 && overflows && self.is_int(a) {
            self.prefixed(&format!("({})", unsigned(width)), a);
        } else {
            self.write(a, left);
        }
        let _ = write!(self.text, " {word} ");
        match (op, less) {
            (BinaryOp::Add, Some(less)) => {
                let _ = write!(self.text, "{}", less.unsigned_abs());
            }
            (BinaryOp::SDiv | BinaryOp::SRem, _) => self.cast(b, width),
            _ => self.write(b, binding.above()),
        }
    }

    /// An operand as a signed number.
    fn cast(&mut self, e: ExprId, width: u32) {
        match self.pool.node(e) {
            Node::Const(value) => self.signed_constant(value, width),
            _ => self.prefixed(&signing(width), e),
        }
    }

    fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId, negated: bool) {
        let width = self.pool.width(a);
        // The constant stands behind: `10 < x` is `x > 10`.
        let turned = self.pool.is_constant(a) && !self.pool.is_constant(b);
        let (a, b) = if turned { (b, a) } else { (a, b) };
        let word = match (op, negated, turned) {
            (CompareOp::Eq, false, _) => "==",
            (CompareOp::Eq, true, _) => "!=",
            (_, false, false) => "<",
            (_, false, true) => ">",
            (_, true, false) => ">=",
            (_, true, true) => "<=",
        };
        let binding = match op {
            CompareOp::Eq => Binding::Equality.above(),
            CompareOp::Ult | CompareOp::Slt => Binding::Relation.above(),
        };
        let write = |writer: &mut Self, e| match op {
            CompareOp::Slt => writer.cast(e, width),
            CompareOp::Eq | CompareOp::Ult => writer.write(e, binding),
        };
        write(self, a);
        let _ = write!(self.text, " {word} ");
        write(self, b);
    }

    fn extract(&mut self, value: ExprId, low: u32, width: u32) {
        match (width, low) {
            (1, 0) => self.write(value, Binding::BitAnd.above()),
            (1, _) => {
                self.write(value, Binding::Shift.above());
                let _ = write!(self.text, " >> {low}");
            }
            (_, 0) => self.prefixed(&format!("({})", unsigned(width)), value),
            _ => {
                let _ = write!(self.text, "({})(", unsigned(width));
                self.write(value, Binding::Shift.above());
                let _ = write!(self.text, " >> {low})");
            }
        }
        if width == 1 {
            self.text.push_str(" & 1");
        }
    }
}

const fn is_signed(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr)
}

/// A value of so many bits as a signed number.
fn extended(value: u64, width: u32) -> i64 {
    let above = 64 - width.clamp(1, 64);
    (value << above).cast_signed() >> above
}

/// What makes a number of so many bits a signed one. A bit is 0 or -1.
fn signing(width: u32) -> String {
    match width {
        1 => "-".to_owned(),
        width => format!("({})", signed(width)),
    }
}

fn unsigned(width: u32) -> String {
    format!("uint{width}_t")
}

fn signed(width: u32) -> String {
    format!("int{width}_t")
}
