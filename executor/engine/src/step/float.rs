//! Floating-point arithmetic on concrete operands, exact as the machine's.
//!
//! A float in a register is its bit pattern, so that moving one needs nothing. Negation, absolute
//! value and sign copying are bit operations and work on symbolic operands too; for other operations
//! a symbolic operand is enumerated, a path for each of its values, which is counted and warned of.
//! Single and double precision run on the machine, the other formats in [`super::soft`].

use super::soft::Soft;
use crate::engine::Engine;
use crate::state::State;
use crate::step::compare::lanes;
use crate::stop::{Flow, Step, unsupported};
use crate::summary::ForkKind;
use crate::types::{Class, TypeInfo};
use crate::values;
use plat_expr::Value;
use plat_program::{BinaryOp, CastOp, FloatKind, FloatOp, FloatPredicate, Reg, TypeId};
use std::cmp::Ordering;

/// The bit pattern of a float operand.
///
/// # Errors
/// When it is symbolic.
pub(crate) fn bits(engine: &Engine<'_>, value: Value) -> Step<u128> {
    match values::wide_number(&engine.pool, value) {
        Some(bits) => Ok(bits),
        None => {
            engine.require_scalar(value)?;
            unsupported("internal: symbolic floating point")
        }
    }
}

fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn arithmetic(kind: FloatKind, op: FloatOp, a: u128, b: u128) -> Step<u128> {
    macro_rules! machine {
        ($a:expr, $b:expr) => {
            match op {
                FloatOp::Add => $a + $b,
                FloatOp::Sub => $a - $b,
                FloatOp::Mul => $a * $b,
                FloatOp::Div => $a / $b,
                FloatOp::Rem => $a % $b,
                FloatOp::Neg => -$a,
            }
        };
    }
    Ok(match kind {
        FloatKind::Single => u128::from(machine!(single(a), single(b)).to_bits()),
        FloatKind::Double => u128::from(machine!(double(a), double(b)).to_bits()),
        _ => {
            let (a, b) = (Soft::unpack(kind, a), Soft::unpack(kind, b));
            let result = match op {
                FloatOp::Add => a.add(b),
                FloatOp::Sub => a.add(b.opposite()),
                FloatOp::Mul => a.mul(b),
                FloatOp::Div => a.div(b),
                FloatOp::Neg => a.opposite(),
                FloatOp::Rem => return unsupported("remainder of an extended float"),
            };
            result.pack(kind)
        }
    })
}

fn order(kind: FloatKind, a: u128, b: u128) -> Option<Ordering> {
    match kind {
        FloatKind::Single => single(a).partial_cmp(&single(b)),
        FloatKind::Double => double(a).partial_cmp(&double(b)),
        _ => Soft::unpack(kind, a).compare(Soft::unpack(kind, b)),
    }
}

/// Applies a function on machine numbers to bit patterns of a format. The narrow formats are
/// computed in single precision and rounded.
pub(crate) fn apply(
    engine: &mut Engine<'_>,
    kind: FloatKind,
    patterns: &[u128],
    on_singles: &dyn Fn(&[f32]) -> f32,
    on_doubles: &dyn Fn(&[f64]) -> f64,
) -> Step<Value> {
    let result = match kind {
        FloatKind::Single => {
            let args: Vec<f32> = patterns.iter().map(|&bits| single(bits)).collect();
            u128::from(on_singles(&args).to_bits())
        }
        FloatKind::Double => {
            let args: Vec<f64> = patterns.iter().map(|&bits| double(bits)).collect();
            u128::from(on_doubles(&args).to_bits())
        }
        FloatKind::Half | FloatKind::BFloat => {
            let args: Vec<f32> = patterns
                .iter()
                .map(|&bits| single(change(kind, FloatKind::Single, bits)))
                .collect();
            let result = u128::from(on_singles(&args).to_bits());
            change(FloatKind::Single, kind, result)
        }
        FloatKind::X86Fp80 | FloatKind::Quad => {
            return unsupported("function of an extended float");
        }
    };
    Ok(values::from_u128(&mut engine.pool, kind.bits(), result))
}

/// The bit pattern in another format.
fn change(from: FloatKind, to: FloatKind, pattern: u128) -> u128 {
    match (from, to) {
        (FloatKind::Single, FloatKind::Double) => u128::from(f64::from(single(pattern)).to_bits()),
        (FloatKind::Double, FloatKind::Single) => u128::from((double(pattern) as f32).to_bits()),
        _ if from == to => pattern,
        _ => Soft::unpack(from, pattern).pack(to),
    }
}

/// A number as a double, rounded if it must be.
pub(crate) fn to_double(_: &Engine<'_>, kind: FloatKind, pattern: u128) -> Step<f64> {
    match kind {
        FloatKind::X86Fp80 | FloatKind::Quad => unsupported("function of an extended float"),
        _ => Ok(double(change(kind, FloatKind::Double, pattern))),
    }
}

/// The class of a number as the bit number of `llvm.is.fpclass`.
pub(crate) fn class(kind: FloatKind, pattern: u128) -> Step<u32> {
    if matches!(kind, FloatKind::X86Fp80 | FloatKind::Quad) {
        return unsupported("class of an extended float");
    }
    let width = kind.bits();
    let (exponent, fraction) = match kind {
        FloatKind::Half => (5, 10),
        FloatKind::BFloat => (8, 7),
        FloatKind::Single => (8, 23),
        _ => (11, 52),
    };
    let negative = pattern >> (width - 1) & 1 == 1;
    let biased = pattern >> fraction & ((1 << exponent) - 1);
    let rest = pattern & ((1 << fraction) - 1);
    let side = |below: u32, above: u32| if negative { below } else { above };
    Ok(if biased == (1 << exponent) - 1 {
        match rest {
            0 => side(2, 9),
            _ if rest >> (fraction - 1) == 1 => 1,
            _ => 0,
        }
    } else if biased == 0 {
        if rest == 0 { side(5, 6) } else { side(4, 7) }
    } else {
        side(3, 8)
    })
}

/// `a op b` for scalars.
pub(crate) fn scalar(
    engine: &mut Engine<'_>,
    op: FloatOp,
    info: &TypeInfo,
    a: Value,
    b: Value,
) -> Step<Value> {
    engine.float_scalar(op, info, a, b)
}

impl Engine<'_> {
    /// An operand of a floating-point operation as a number: a path for each value it can have.
    pub(crate) fn settled(
        &mut self,
        state: &mut State,
        info: &TypeInfo,
        value: Value,
    ) -> Step<Value> {
        if let Class::Vector(element, count) = info.class {
            let info = *self.code.ty(element);
            let mut list = lanes(self, value, count)?;
            for value in &mut list {
                *value = self.settled(state, &info, *value)?;
            }
            return Ok(Value::Aggregate(self.pool.aggregate(&list)));
        }
        if matches!(value, Value::Aggregate(_)) || values::wide_number(&self.pool, value).is_some()
        {
            return Ok(value);
        }
        const LACK: &str = "symbolic floating point, which is enumerated";
        *self.counts.lacks.entry(LACK.into()).or_default() += 1;
        self.warn_once("symbolic floating point is enumerated: a path for each value");
        let mut pattern = 0u128;
        for low in (0..info.bits).step_by(64) {
            let width = (info.bits - low).min(64);
            let part = values::extract(&mut self.pool, value, info.bits, low, width);
            let part = self.concrete(state, ForkKind::Library, part, width)?;
            pattern |= u128::from(part) << low;
        }
        Ok(values::from_u128(&mut self.pool, info.bits, pattern))
    }

    /// `dst = a op b`.
    pub(super) fn float(
        &mut self,
        state: &mut State,
        op: FloatOp,
        ty: TypeId,
        dst: Reg,
        a: Value,
        b: Value,
    ) -> Step<Flow> {
        let info = *self.code.ty(ty);
        let (mut a, mut b) = (a, b);
        if op != FloatOp::Neg {
            a = self.settled(state, &info, a)?;
            b = self.settled(state, &info, b)?;
        }
        let result = match info.class {
            Class::Vector(element, count) => {
                let info = *self.code.ty(element);
                let a = lanes(self, a, count)?;
                let b = if op == FloatOp::Neg {
                    a.clone()
                } else {
                    lanes(self, b, count)?
                };
                let mut list = Vec::with_capacity(a.len());
                for (a, b) in a.into_iter().zip(b) {
                    list.push(self.float_scalar(op, &info, a, b)?);
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => self.float_scalar(op, &info, a, b)?,
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    fn float_scalar(&mut self, op: FloatOp, info: &TypeInfo, a: Value, b: Value) -> Step<Value> {
        let Class::Float(kind) = info.class else {
            return unsupported("internal: float operation on another type");
        };
        if op == FloatOp::Neg {
            self.require_scalar(a)?;
            let sign = values::from_u128(&mut self.pool, info.bits, 1 << (info.bits - 1));
            return Ok(values::binary(
                &mut self.pool,
                BinaryOp::Xor,
                info.bits,
                a,
                sign,
            ));
        }
        let result = arithmetic(kind, op, bits(self, a)?, bits(self, b)?)?;
        Ok(values::from_u128(&mut self.pool, info.bits, result))
    }

    /// `dst = a predicate b`.
    pub(super) fn float_compare(
        &mut self,
        state: &mut State,
        predicate: FloatPredicate,
        ty: TypeId,
        dst: Reg,
        a: Value,
        b: Value,
    ) -> Step<Flow> {
        let info = *self.code.ty(ty);
        let a = self.settled(state, &info, a)?;
        let b = self.settled(state, &info, b)?;
        let compare = |engine: &Self, info: &TypeInfo, a, b| {
            let Class::Float(kind) = info.class else {
                return unsupported("internal: float comparison on another type");
            };
            let order = order(kind, bits(engine, a)?, bits(engine, b)?);
            Ok(Value::Int(u64::from(holds(predicate, order))))
        };
        let result = match info.class {
            Class::Vector(element, count) => {
                let info = *self.code.ty(element);
                let (a, b) = (lanes(self, a, count)?, lanes(self, b, count)?);
                let mut list = Vec::with_capacity(a.len());
                for (a, b) in a.into_iter().zip(b) {
                    list.push(compare(self, &info, a, b)?);
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => compare(self, &info, a, b)?,
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }
}

/// Whether a predicate holds between operands of that order (`None` if one is not a number).
fn holds(predicate: FloatPredicate, order: Option<Ordering>) -> bool {
    use FloatPredicate as P;
    let Some(order) = order else {
        return matches!(
            predicate,
            P::Uno | P::Ueq | P::Ugt | P::Uge | P::Ult | P::Ule | P::Une | P::True
        );
    };
    match predicate {
        P::False | P::Uno => false,
        P::True | P::Ord => true,
        P::Oeq | P::Ueq => order == Ordering::Equal,
        P::One | P::Une => order != Ordering::Equal,
        P::Ogt | P::Ugt => order == Ordering::Greater,
        P::Oge | P::Uge => order != Ordering::Less,
        P::Olt | P::Ult => order == Ordering::Less,
        P::Ole | P::Ule => order != Ordering::Greater,
    }
}

/// A conversion between or with floats.
pub(super) fn convert(
    engine: &mut Engine<'_>,
    op: CastOp,
    source: &TypeInfo,
    target: &TypeInfo,
    value: Value,
) -> Step<Value> {
    let pattern = bits(engine, value)?;
    let result = match (source.class, target.class) {
        (Class::Float(from), Class::Float(to)) => change(from, to, pattern),
        (Class::Float(from), _) => float_to_int(op, target.bits, Soft::unpack(from, pattern))?,
        (_, Class::Float(to)) => int_to_float(op, source.bits, to, pattern)?,
        _ => return unsupported("internal: float conversion without a float"),
    };
    Ok(values::from_u128(&mut engine.pool, target.bits, result))
}

/// A float as an integer of `bits` bits. A number that does not fit gives what x86-64 code gives:
/// up to 32 bits the conversion is to 32 (signed) or 64 (unsigned) bits and cut; it gives the
/// lowest number of that size if it does not fit.
fn float_to_int(op: CastOp, bits: u32, number: Soft) -> Step<u128> {
    if bits > 128 {
        return unsupported("conversion of a float to a very wide integer");
    }
    let whole = number.to_integer();
    let within = |low: i128, high: i128| whole.filter(|&whole| low <= whole && whole <= high);
    let (word, long) = (i128::from(i32::MIN), i128::from(i64::MIN));
    let wide = if op == CastOp::FpToSi && bits <= 32 {
        within(word, i128::from(i32::MAX)).unwrap_or(word)
    } else if bits <= 32 || op == CastOp::FpToSi && bits <= 64 {
        within(long, i128::from(i64::MAX)).unwrap_or(long)
    } else if bits <= 64 {
        within(long, i128::from(u64::MAX)).unwrap_or(if whole.is_some() { 0 } else { long })
    } else {
        whole.unwrap_or(i128::MIN)
    };
    let kept = if bits == 128 {
        u128::MAX
    } else {
        (1u128 << bits) - 1
    };
    Ok(wide as u128 & kept)
}

fn int_to_float(op: CastOp, bits: u32, to: FloatKind, pattern: u128) -> Step<u128> {
    if bits > 128 {
        return unsupported("conversion of a very wide integer to a float");
    }
    let unused = 128 - bits;
    let signed = ((pattern << unused) as i128) >> unused;
    let negative = op == CastOp::SiToFp && signed < 0;
    let magnitude = if negative {
        signed.unsigned_abs()
    } else {
        pattern
    };
    Ok(Soft::from_integer(negative, magnitude).pack(to))
}
