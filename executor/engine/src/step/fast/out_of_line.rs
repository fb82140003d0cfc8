//! What the fast paths do out of line. It is given the parts that it needs, as a [`super::FastPath`]
//! that is seen from elsewhere would lie in memory.

use crate::code::calls::CopyPlan;
use crate::code::decoded::{Op, Slot};
use crate::code::plans::{NOWHERE, Order};
use crate::memory::bytes::UNCHECKED;
use crate::values;
use plat_basics::integer::word;
use plat_expr::{ObjectId, Pool, Value};
use plat_memory::{Memory, Word};
use plat_program::BinaryOp;

/// Bytes that a fast path copies.
const SHORT: u64 = plat_memory::SHORT as u64;

/// `dst = *pointer`, of so many bits of a byte.
#[inline(never)]
pub(super) fn load_bits(
    regs: &mut [Value],
    memory: &Memory,
    (bits, dst, pointer): (u8, Slot, Slot),
) -> bool {
    may_panic!();
    let Value::Pointer(object, offset) = regs[pointer as usize] else {
        return false;
    };
    let Some(Word::Bits(word)) = memory.load_word(object, offset, 1) else {
        return false;
    };
    regs[dst as usize] = Value::Int(word & values::mask(bits.into()));
    true
}

/// A shift that may be by too much when nobody uses it.
#[inline(never)]
pub(super) fn shift(regs: &mut [Value], guarded: &Op) -> bool {
    let Op::Guarded {
        op,
        bits,
        when,
        dst,
        a,
        b,
        cond,
    } = *guarded
    else {
        return false;
    };
    let (Value::Int(a), Value::Int(b)) = (regs[a as usize], regs[b as usize]) else {
        return false;
    };
    let unused = match regs[cond as usize] {
        Value::Int(bit) => (bit != 0) != when,
        _ => false,
    };
    let result = word::binary(op, bits.into(), a, b).or(unused.then_some(0));
    if let Some(word) = result {
        regs[dst as usize] = Value::Int(word);
    }
    result.is_some()
}

/// A copy of a few bytes.
#[inline(never)]
pub(super) fn copy_bytes(
    regs: &mut [Value],
    memory: &mut Memory,
    touched: &mut u64,
    plan: &CopyPlan,
) -> bool {
    let [to, from, size] = plan.args.map(|slot| regs[slot as usize]);
    let (Value::Pointer(target, at), Value::Pointer(source, behind)) = (to, from) else {
        return false;
    };
    let Value::Int(size @ 0..=SHORT) = size else {
        return false;
    };
    let sum = touched.saturating_add(size);
    if sum >= UNCHECKED {
        return false;
    }
    if size != 0 && !memory.copy_short((target, at), (source, behind), size as u32) {
        return false;
    }
    *touched = sum;
    if plan.dst != NOWHERE {
        regs[plan.dst as usize] = to;
    }
    true
}

/// The number of a pointer.
#[cold]
#[inline(never)]
pub(super) fn address(pool: &Pool, object: ObjectId, offset: i64) -> u64 {
    pool.object_number(object).wrapping_add_signed(offset)
}

#[cold]
#[inline(never)]
pub(super) fn pointer_result(pool: &Pool, op: BinaryOp, a: Value, b: Value) -> Option<Value> {
    let plain = |value| matches!(value, Value::Int(_) | Value::Pointer(..));
    if !plain(a) || !plain(b) {
        return None;
    }
    let result = values::pointer_binary(pool, op, a, b);
    if result.is_none() && matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor) {
        let (a, b) = (values::number(pool, a)?, values::number(pool, b)?);
        return word::binary(op, 64, a, b).map(Value::Int);
    }
    result
}

/// Whether a comparison of addresses holds.
#[cold]
#[inline(never)]
pub(super) fn compare_numbers(pool: &Pool, order: Order, a: Value, b: Value) -> Option<bool> {
    let (a, b) = (values::number(pool, a)?, values::number(pool, b)?);
    Some(order.compare(a, b))
}
