//! Bit counting, reversal and funnel shifts.

use super::{Invocation, Reply, Run, each};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, unsupported};
use crate::values;
use plat_expr::{Pool, Value};
use plat_program::{BinaryOp, IntPredicate};

pub(super) const TABLE: &[(&str, Run)] = &[
    ("bitreverse", bitreverse),
    ("bswap", bswap),
    ("ctlz", ctlz),
    ("ctpop", ctpop),
    ("cttz", cttz),
    ("fshl", fshl),
    ("fshr", fshr),
];

/// Bit `at` of a scalar.
fn bit(pool: &mut Pool, value: Value, bits: u32, at: u32) -> Value {
    values::extract(pool, value, bits, at, 1)
}

fn ctpop(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 1, &mut |exec, bits, args| {
        if let Value::Int(word) = args[0] {
            return Ok(Value::Int(u64::from(word.count_ones())));
        }
        let pool = &mut exec.pool;
        let mut count = values::from_u128(pool, bits, 0);
        for at in 0..bits {
            let one = bit(pool, args[0], bits, at);
            let one = values::zext(pool, one, 1, bits);
            count = values::binary(pool, BinaryOp::Add, bits, count, one);
        }
        Ok(count)
    })
}

/// Of a scalar, what `of` says of its first one in the order of `places`: of how many places are before
/// it, and of its own. `none` if it has no one.
pub(crate) fn first_one(
    pool: &mut Pool,
    (value, bits): (Value, u32),
    places: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator,
    of: impl Fn(usize, u32) -> u32,
    none: Value,
) -> Value {
    let mut found = none;
    for (before, at) in places.enumerate().rev() {
        let one = bit(pool, value, bits, at);
        let here = values::from_u128(pool, bits, u128::from(of(before, at)));
        found = values::select(pool, bits, one, here, found);
    }
    found
}

/// Zeros in front of the first one in the order of `places`.
fn zeros(
    pool: &mut Pool,
    value: Value,
    bits: u32,
    places: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator,
) -> Value {
    let all = values::from_u128(pool, bits, u128::from(bits));
    first_one(pool, (value, bits), places, |before, _| before as u32, all)
}

fn ctlz(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 1, &mut |exec, bits, args| {
        if let (Value::Int(word), true) = (args[0], bits <= 64) {
            return Ok(Value::Int(u64::from(word.leading_zeros() - (64 - bits))));
        }
        Ok(zeros(&mut exec.pool, args[0], bits, (0..bits).rev()))
    })
}

fn cttz(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 1, &mut |exec, bits, args| {
        if let (Value::Int(word), true) = (args[0], bits <= 64) {
            return Ok(Value::Int(u64::from(word.trailing_zeros().min(bits))));
        }
        Ok(zeros(&mut exec.pool, args[0], bits, 0..bits))
    })
}

/// Parts of `each_bits` bits in reverse order.
fn reversed(pool: &mut Pool, value: Value, bits: u32, each_bits: u32) -> Value {
    let mut result = values::extract(pool, value, bits, 0, each_bits);
    let mut filled = each_bits;
    while filled < bits {
        let part = values::extract(pool, value, bits, filled, each_bits);
        result = values::concat(pool, result, filled, part, each_bits);
        filled += each_bits;
    }
    result
}

fn bswap(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 1, &mut |exec, bits, args| {
        if !bits.is_multiple_of(8) {
            return unsupported("bswap of this width");
        }
        if let (Value::Int(word), true) = (args[0], bits <= 64) {
            return Ok(Value::Int(word.swap_bytes() >> (64 - bits)));
        }
        Ok(reversed(&mut exec.pool, args[0], bits, 8))
    })
}

fn bitreverse(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 1, &mut |exec, bits, args| {
        if let (Value::Int(word), true) = (args[0], bits <= 64) {
            return Ok(Value::Int(word.reverse_bits() >> (64 - bits)));
        }
        Ok(reversed(&mut exec.pool, args[0], bits, 1))
    })
}

/// The two operands side by side, shifted by the third modulo the width.
fn funnel(exec: &mut Executor<'_>, call: &Invocation<'_>, left: bool) -> Step<Reply> {
    each(exec, call, 3, &mut |exec, bits, args| {
        let pool = &mut exec.pool;
        let width = values::from_u128(pool, bits, u128::from(bits));
        let by = if bits.is_power_of_two() {
            let low = values::from_u128(pool, bits, u128::from(bits - 1));
            values::binary(pool, BinaryOp::And, bits, args[2], low)
        } else {
            values::binary(pool, BinaryOp::URem, bits, args[2], width)
        };
        let rest = values::binary(pool, BinaryOp::Sub, bits, width, by);
        // Shifting by the whole width is avoided by the choice below.
        let (main, other, main_op, other_op) = if left {
            (args[0], args[1], BinaryOp::Shl, BinaryOp::LShr)
        } else {
            (args[1], args[0], BinaryOp::LShr, BinaryOp::Shl)
        };
        let main_part = values::binary(pool, main_op, bits, main, by);
        let other_part = values::binary(pool, other_op, bits, other, rest);
        let both = values::binary(pool, BinaryOp::Or, bits, main_part, other_part);
        let zero = values::from_u128(pool, bits, 0);
        let unmoved = values::compare(pool, IntPredicate::Eq, bits, by, zero);
        Ok(values::select(pool, bits, unmoved, main, both))
    })
}

fn fshl(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    funnel(exec, call, true)
}

fn fshr(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    funnel(exec, call, false)
}
