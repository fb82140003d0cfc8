//! Floating-point operations in SMT-LIB 2. A node `e` that is a float gets two names: `f` of the
//! floating-point sort, and `e`, its bits, as a constant that is constrained to be them (there is
//! no standard function from floats to bits); the bits of a NaN are those of [`crate::float`].

use std::fmt::Write;

use crate::float::{FloatFormat, FloatOp, IntegerRange, Rounding};
use crate::ids::ExprId;
use crate::node::Node;
use crate::pool::Pool;

fn sort(format: FloatFormat) -> String {
    format!("{} {}", format.exponent_bits(), format.fraction_bits() + 1)
}

fn bits(width: u32, value: u128) -> String {
    format!("(_ bv{value} {width})")
}

const fn mode(rounding: Rounding) -> &'static str {
    match rounding {
        Rounding::NearestEven => "RNE",
        Rounding::NearestAway => "RNA",
        Rounding::Zero => "RTZ",
        Rounding::Down => "RTN",
        Rounding::Up => "RTP",
    }
}

/// The float behind a pattern.
fn number(format: FloatFormat, pattern: &str) -> String {
    if !format.is_explicit() {
        return format!("((_ to_fp {}) {pattern})", sort(format));
    }
    // Sign, exponent, the bit in front of the point, the fraction.
    let cut = |high: u32, low: u32| format!("((_ extract {high} {low}) {pattern})");
    let (sign, exponent, integer, fraction) = (cut(79, 79), cut(78, 64), cut(63, 63), cut(62, 0));
    let zero = bits(15, 0);
    format!(
        "(ite (and (= {integer} #b0) (not (= {exponent} {zero}))) (_ NaN {}) \
         (fp {sign} (ite (and (= {integer} #b1) (= {exponent} {zero})) {} {exponent}) {fraction}))",
        sort(format),
        bits(15, 1),
    )
}

impl Pool {
    /// An operand as a float.
    fn smtlib_number(&self, format: FloatFormat, e: ExprId) -> String {
        match self.node(e) {
            Node::Float(op, from, _) if op.result(from) == Some(format) => format!("f{}", e.0),
            _ => number(format, &format!("e{}", e.0)),
        }
    }

    /// The definitions of a floating-point node.
    pub(super) fn smtlib_float(
        &self,
        script: &mut String,
        e: ExprId,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
    ) {
        let (name, width) = (e.0, self.width(e));
        let a = if op.is_from_integer() {
            format!("e{}", operands[0].0)
        } else {
            self.smtlib_number(format, operands[0])
        };
        let second = || self.smtlib_number(format, operands[1]);
        let to = |format| format!("(_ to_fp {})", sort(format));
        let term = match op {
            FloatOp::Add => format!("(fp.add RNE {a} {})", second()),
            FloatOp::Sub => format!("(fp.sub RNE {a} {})", second()),
            FloatOp::Mul => format!("(fp.mul RNE {a} {})", second()),
            FloatOp::Div => format!("(fp.div RNE {a} {})", second()),
            FloatOp::Fma => {
                let c = self.smtlib_number(format, operands[2]);
                format!("(fp.fma RNE {a} {} {c})", second())
            }
            FloatOp::Sqrt => format!("(fp.sqrt RNE {a})"),
            FloatOp::Round(rounding) => format!("(fp.roundToIntegral {} {a})", mode(rounding)),
            FloatOp::ToFormat(target) => format!("({} RNE {a})", to(target)),
            FloatOp::FromSigned => format!("({} RNE {a})", to(format)),
            FloatOp::FromUnsigned => format!("((_ to_fp_unsigned {}) RNE {a})", sort(format)),
            FloatOp::Eq => format!("(fp.eq {a} {})", second()),
            FloatOp::Lt => format!("(fp.lt {a} {})", second()),
            FloatOp::Le => format!("(fp.leq {a} {})", second()),
            FloatOp::ToSigned | FloatOp::ToUnsigned => {
                let signed = op == FloatOp::ToSigned;
                let range = IntegerRange::new(format, signed, width);
                let bound = |pattern| number(format, &bits(format.bits(), pattern));
                let above = if range.inclusive { "fp.geq" } else { "fp.gt" };
                format!(
                    "(ite (and ({above} {a} {}) (fp.lt {a} {})) ((_ fp.to_{}bv {width}) RTZ {a}) {})",
                    bound(range.low),
                    bound(range.high),
                    if signed { 's' } else { 'u' },
                    bits(width, 1 << (width - 1)),
                )
            }
        };
        let Some(result) = op.result(format) else {
            let value = if width == 1 && !matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned) {
                format!("(ite {term} #b1 #b0)")
            } else {
                term
            };
            let _ = writeln!(script, "(define-fun e{name} () (_ BitVec {width}) {value})");
            return;
        };
        let nan = self.smtlib_nan(op, format, operands);
        let _ = writeln!(
            script,
            "(define-fun f{name} () (_ FloatingPoint {}) {term})\n\
             (declare-const e{name} (_ BitVec {width}))\n\
             (assert (ite (fp.isNaN f{name}) (= e{name} {nan}) {}))",
            sort(result),
            same_bits(result, name),
        );
    }

    /// The bits of a NaN that an operation gives.
    fn smtlib_nan(&self, op: FloatOp, format: FloatFormat, operands: [ExprId; 3]) -> String {
        let result = op.result(format).unwrap_or(format);
        let mut nan = bits(result.bits(), result.default_nan());
        if op.is_from_integer() {
            return nan;
        }
        for &e in operands[..op.operands()].iter().rev() {
            let quiet = match op {
                FloatOp::ToFormat(to) => changed_nan(format, to, e),
                _ => quiet_nan(format, e),
            };
            let number = self.smtlib_number(format, e);
            nan = format!("(ite (fp.isNaN {number}) {quiet} {nan})");
        }
        nan
    }
}

/// That the bits of a number that is no NaN are `e`.
fn same_bits(format: FloatFormat, name: u32) -> String {
    let decoded = number(format, &format!("e{name}"));
    if !format.is_explicit() {
        return format!("(= f{name} {decoded})");
    }
    format!(
        "(and (= f{name} {decoded}) (= ((_ extract 63 63) e{name}) \
         (ite (= ((_ extract 78 64) e{name}) {}) #b0 #b1)))",
        bits(15, 0)
    )
}

fn quiet_nan(format: FloatFormat, e: ExprId) -> String {
    let width = format.bits();
    let quiet = format!("(bvor e{} {})", e.0, bits(width, format.quiet_bit()));
    if !format.is_explicit() {
        return quiet;
    }
    let default = bits(width, format.default_nan());
    format!(
        "(ite (= ((_ extract 63 63) e{}) #b1) {quiet} {default})",
        e.0
    )
}

fn changed_nan(from: FloatFormat, to: FloatFormat, e: ExprId) -> String {
    let pattern = quiet_nan(from, e);
    let (before, after) = (from.fraction_bits(), to.fraction_bits());
    let top = from.bits() - 1;
    let payload = if after > before {
        let zeros = bits(after - before, 0);
        format!("(concat ((_ extract {} 0) {pattern}) {zeros})", before - 1)
    } else {
        format!("((_ extract {} {}) {pattern})", before - 1, before - after)
    };
    let middle = to.infinity() >> after;
    format!(
        "(concat (concat ((_ extract {top} {top}) {pattern}) {}) {payload})",
        bits(to.bits() - 1 - after, middle)
    )
}
