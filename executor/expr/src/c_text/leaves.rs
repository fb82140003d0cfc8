//! What stands alone in a text: bytes of the input, constants, tables; and operations on floats.

use std::fmt::Write as _;

use super::binding::Binding;
use super::{LARGE, Writer, extended, signed, unsigned};
use crate::float::{FloatFormat, FloatOp, Rounding};
use crate::ids::{ExprId, SymbolId, TableId};
use crate::node::Node;

/// Elements of a table that are written.
const ELEMENTS: usize = 8;

impl Writer<'_> {
    pub(super) fn input(&mut self, symbol: SymbolId, first: u32, bytes: u32) {
        let info = self.pool.symbol_info(symbol);
        if bytes > 1 {
            let _ = write!(self.text, "*({} *)&", unsigned(8 * bytes));
        }
        let _ = match info.occurrence {
            0 => write!(self.text, "{}[{first}]", info.name),
            again => write!(self.text, "{}_{again}[{first}]", info.name),
        };
    }

    /// A constant; characters are written as such beside a byte.
    pub(super) fn constant(&mut self, value: u64, width: u32) {
        let byte = u8::try_from(value).ok().filter(|_| width == 8);
        let written = match byte {
            Some(byte) if byte.is_ascii_graphic() || byte == b' ' => {
                write!(self.text, "'{}'", char::from(byte).escape_default())
            }
            Some(byte @ (b'\n' | b'\t' | b'\r')) => {
                write!(self.text, "'{}'", char::from(byte).escape_default())
            }
            _ if value > 0xffff_ffff => write!(self.text, "{value:#x}"),
            _ if value >= LARGE && width > 32 => write!(self.text, "{value}ul"),
            _ if value >= LARGE => write!(self.text, "{value}u"),
            _ => write!(self.text, "{value}"),
        };
        written.unwrap_or_default();
    }

    pub(super) fn signed_constant(&mut self, value: u64, width: u32) {
        let written = match extended(value, width) {
            i64::MIN => write!(self.text, "INT64_MIN"),
            value => write!(self.text, "{value}"),
        };
        written.unwrap_or_default();
    }

    /// A table: as a string if it is one.
    pub(super) fn table(&mut self, table: TableId) {
        let elements = self.pool.table_elements(table);
        let byte = |&e: &ExprId| {
            let value = self.pool.as_u64(e).filter(|_| self.pool.width(e) == 8);
            let byte = value.map(|value| value as u8);
            byte.filter(|byte| byte.is_ascii_graphic() || *byte == b' ' || *byte == 0)
        };
        let shown = &elements[..elements.len().min(2 * ELEMENTS)];
        let bytes: Option<Vec<u8>> = shown.iter().map(byte).collect();
        let more = elements.len() > shown.len();
        if let Some(bytes) = bytes.filter(|bytes| bytes.first().is_some_and(|&byte| byte != 0)) {
            let text = bytes.escape_ascii().to_string().replace("\\x00", "\\0");
            let _ = write!(self.text, "\"{text}{}\"", if more { "…" } else { "" });
            return;
        }
        self.text.push('{');
        for (at, &element) in elements.iter().take(ELEMENTS).enumerate() {
            if at > 0 {
                self.text.push_str(", ");
            }
            self.write(element, Binding::Choice);
        }
        let more = elements.len() > ELEMENTS;
        self.text.push_str(if more { ", …}" } else { "}" });
    }

    pub(super) fn float(
        &mut self,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
        width: u32,
    ) {
        let [a, b, _] = operands;
        let sign = match op {
            FloatOp::Add => Some(("+", Binding::Sum)),
            FloatOp::Sub => Some(("-", Binding::Sum)),
            FloatOp::Mul => Some(("*", Binding::Product)),
            FloatOp::Div => Some(("/", Binding::Product)),
            FloatOp::Eq => Some(("==", Binding::Equality)),
            FloatOp::Lt => Some(("<", Binding::Relation)),
            FloatOp::Le => Some(("<=", Binding::Relation)),
            _ => None,
        };
        if let Some((sign, binding)) = sign {
            self.pattern(a, format, binding.above());
            let _ = write!(self.text, " {sign} ");
            return self.pattern(b, format, binding.above());
        }
        let name = match op {
            FloatOp::Fma => "fma".to_owned(),
            FloatOp::Sqrt => "sqrt".to_owned(),
            FloatOp::Round(Rounding::NearestEven) => "rint".to_owned(),
            FloatOp::Round(Rounding::NearestAway) => "round".to_owned(),
            FloatOp::Round(Rounding::Zero) => "trunc".to_owned(),
            FloatOp::Round(Rounding::Down) => "floor".to_owned(),
            FloatOp::Round(Rounding::Up) => "ceil".to_owned(),
            FloatOp::ToFormat(to) => format!("({})", float_name(to)),
            FloatOp::ToSigned => format!("({})", signed(width)),
            FloatOp::ToUnsigned => format!("({})", unsigned(width)),
            FloatOp::FromSigned => {
                let from = signed(self.pool.width(a));
                format!("({})({from})", float_name(format))
            }
            _ => format!("({})", float_name(format)),
        };
        let _ = write!(self.text, "{name}(");
        for (at, &operand) in operands[..op.operands()].iter().enumerate() {
            if at > 0 {
                self.text.push_str(", ");
            }
            match op.is_from_integer() {
                true => self.write(operand, Binding::Choice),
                false => self.pattern(operand, format, Binding::Choice),
            }
        }
        self.text.push(')');
    }

    /// An operand that is the pattern of a float: what computes one, a number, or bits that are read as one.
    fn pattern(&mut self, e: ExprId, format: FloatFormat, least: Binding) {
        match (self.pool.node(e), format) {
            (Node::Float(..), _) => self.write(e, least),
            (Node::Const(bits), FloatFormat::Double) => {
                let _ = write!(self.text, "{:?}", f64::from_bits(bits));
            }
            (Node::Const(bits), FloatFormat::Single) => {
                let _ = write!(self.text, "{:?}f", f32::from_bits(bits as u32));
            }
            _ => {
                let _ = write!(self.text, "as_{}(", float_name(format).replace(' ', "_"));
                self.write(e, Binding::Choice);
                self.text.push(')');
            }
        }
    }
}

const fn float_name(format: FloatFormat) -> &'static str {
    match format {
        FloatFormat::Half => "_Float16",
        FloatFormat::BFloat => "__bf16",
        FloatFormat::Single => "float",
        FloatFormat::Double => "double",
        FloatFormat::Extended => "long double",
        FloatFormat::Quad => "__float128",
    }
}
