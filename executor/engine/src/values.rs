//! Operations on scalar values: concrete words, pointers and expressions.
//!
//! A pointer behaves as its number in every operation; adding to it, subtracting from it and
//! changing its low bits keeps, beside the number, which object it points to, so that aligned
//! and tagged pointers are dereferenced without a search. No operation here can fail or fork:
//! the checks (division by zero, shift amounts) come before, in `step`.

use plat_basics::integer::word;
pub use plat_basics::integer::word::{mask, signed};
use plat_basics::{BinaryOp, IntPredicate};
use plat_expr::{ExprId, ObjectId, Pool, Value};

/// A comparison that the parts of its operands decide: of pointers into one object, and of a
/// pointer with null, when the offsets are those of an access and not astray.
#[inline(always)]
pub fn compare_pointers(predicate: IntPredicate, a: &Value, b: &Value) -> Option<bool> {
    // No object lies so high that adding this to its number would overflow a signed word.
    const NEAR: u64 = 1 << 32;
    match (a, b) {
        (Value::Pointer(a, x), Value::Pointer(b, y)) if a == b => {
            let (x, y) = (x.cast_unsigned(), y.cast_unsigned());
            (x < NEAR && y < NEAR).then(|| word::compare(predicate, 64, x, y))
        }
        (Value::Pointer(_, x), Value::Int(0)) if x.cast_unsigned() < NEAR => match predicate {
            IntPredicate::Eq => Some(false),
            IntPredicate::Ne => Some(true),
            _ => None,
        },
        _ => None,
    }
}

/// The concrete number that a value is: of a word itself, of a pointer its address.
#[inline]
pub fn number(pool: &Pool, value: Value) -> Option<u64> {
    match value {
        Value::Int(word) => Some(word),
        Value::Pointer(object, offset) => {
            Some(pool.object_number(object).wrapping_add_signed(offset))
        }
        Value::Expr(expr) => pool.as_u64(expr),
        Value::Aggregate(_) => None,
    }
}

/// Rounding a pointer down to a multiple of less than this keeps its object.
const ROUNDING: u64 = 1 << 16;

/// Changing bits of a pointer below this keeps its object: tags in the bits that alignment leaves
/// free. The exclusive or of two addresses (a list linked both ways by one word) is larger.
const TAGS: u64 = 16;

/// A word that is as large as an address, or the negation or complement of one, is no distance
/// within an object: `p + ~q` is a distance between two pointers and no pointer.
const FAR: u64 = 1 << 40;

/// Whether a word added to a pointer moves it.
fn moves(word: u64) -> bool {
    word.cast_signed().unsigned_abs() < FAR
}

/// A pointer whose number an operation on bits has changed.
fn changed(pool: &Pool, op: BinaryOp, object: ObjectId, offset: i64, word: u64) -> Value {
    let before = pool.object_number(object).wrapping_add_signed(offset);
    let after = match op {
        BinaryOp::And => before & word,
        BinaryOp::Or => before | word,
        _ => before ^ word,
    };
    let moved = after.wrapping_sub(before).cast_signed();
    Value::Pointer(object, offset.wrapping_add(moved))
}

/// The pointer operations that keep the object.
pub(crate) fn pointer_binary(pool: &Pool, op: BinaryOp, a: Value, b: Value) -> Option<Value> {
    match (op, a, b) {
        (BinaryOp::Add, Value::Pointer(object, offset), Value::Int(word))
        | (BinaryOp::Add, Value::Int(word), Value::Pointer(object, offset))
            if moves(word) =>
        {
            Some(Value::Pointer(object, offset.wrapping_add_unsigned(word)))
        }
        (BinaryOp::Sub, Value::Pointer(object, offset), Value::Int(word)) if moves(word) => {
            Some(Value::Pointer(object, offset.wrapping_sub_unsigned(word)))
        }
        (BinaryOp::Sub, Value::Pointer(left, a), Value::Pointer(right, b)) if left == right => {
            Some(Value::Int(a.wrapping_sub(b) as u64))
        }
        (BinaryOp::And, Value::Pointer(object, offset), Value::Int(word))
        | (BinaryOp::And, Value::Int(word), Value::Pointer(object, offset))
            if !word < ROUNDING =>
        {
            Some(changed(pool, op, object, offset, word))
        }
        (BinaryOp::Or | BinaryOp::Xor, Value::Pointer(object, offset), Value::Int(word))
        | (BinaryOp::Or | BinaryOp::Xor, Value::Int(word), Value::Pointer(object, offset))
            if word < TAGS =>
        {
            Some(changed(pool, op, object, offset, word))
        }
        _ => None,
    }
}

/// An integer operation on scalars of `bits` bits. A division by zero and a shift by the width or
/// more have the values of [`plat_expr::Node::Binary`].
pub fn binary(pool: &mut Pool, op: BinaryOp, bits: u32, a: Value, b: Value) -> Value {
    if let (Value::Int(a), Value::Int(b)) = (a, b)
        && let Some(result) = word::binary(op, bits, a, b)
    {
        return Value::Int(result);
    }
    if bits == 64 {
        if let Some(result) = pointer_binary(pool, op, a, b) {
            return result;
        }
        if let (Some(a), Some(b)) = (number(pool, a), number(pool, b))
            && let Some(result) = word::binary(op, bits, a, b)
        {
            return Value::Int(result);
        }
    }
    let a = a.to_expr(pool, bits);
    let b = b.to_expr(pool, bits);
    let result = pool.binary(op, a, b);
    Value::from_expr(pool, result)
}

/// A comparison of scalars of `bits` bits.
pub fn compare(pool: &mut Pool, predicate: IntPredicate, bits: u32, a: Value, b: Value) -> Value {
    if bits <= 64
        && let (Some(a), Some(b)) = (number(pool, a), number(pool, b))
    {
        return Value::Int(u64::from(word::compare(predicate, bits, a, b)));
    }
    let a = a.to_expr(pool, bits);
    let b = b.to_expr(pool, bits);
    let result = pool.compare(predicate, a, b);
    Value::from_expr(pool, result)
}

/// `then` if the 1-bit `cond` holds, else `otherwise`; scalars of `bits` bits.
pub fn select(pool: &mut Pool, bits: u32, cond: Value, then: Value, otherwise: Value) -> Value {
    match cond {
        Value::Int(0) => otherwise,
        Value::Int(_) => then,
        _ if then == otherwise => then,
        _ => {
            let cond = cond.to_expr(pool, 1);
            let then = then.to_expr(pool, bits);
            let otherwise = otherwise.to_expr(pool, bits);
            let result = pool.ite(cond, then, otherwise);
            Value::from_expr(pool, result)
        }
    }
}

/// The low `to` bits of a scalar of `from` bits.
pub fn trunc(pool: &mut Pool, value: Value, from: u32, to: u32) -> Value {
    if from == to {
        return value;
    }
    if to <= 64
        && let Some(word) = number(pool, value)
    {
        return Value::Int(word & mask(to));
    }
    let value = value.to_expr(pool, from);
    let result = pool.extract(value, 0, to);
    Value::from_expr(pool, result)
}

/// A scalar of `from` bits with zeros above, up to `to` bits.
pub fn zext(pool: &mut Pool, value: Value, from: u32, to: u32) -> Value {
    if from == to || (to <= 64 && matches!(value, Value::Int(_))) {
        return value;
    }
    let value = value.to_expr(pool, from);
    let result = pool.zext(value, to);
    Value::from_expr(pool, result)
}

/// A scalar of `from` bits with copies of its sign above, up to `to` bits.
pub fn sext(pool: &mut Pool, value: Value, from: u32, to: u32) -> Value {
    if from == to {
        return value;
    }
    if let (Value::Int(word), true) = (value, to <= 64) {
        return Value::Int(signed(word, from) as u64 & mask(to));
    }
    let value = value.to_expr(pool, from);
    let result = pool.sext(value, to);
    Value::from_expr(pool, result)
}

/// A scalar of `from` bits cut or zero-extended to `to` bits.
pub fn resize(pool: &mut Pool, value: Value, from: u32, to: u32) -> Value {
    if from > to {
        trunc(pool, value, from, to)
    } else {
        zext(pool, value, from, to)
    }
}

/// `bits` bits of a scalar of `width` bits, from bit `low` upwards.
pub fn extract(pool: &mut Pool, value: Value, width: u32, low: u32, bits: u32) -> Value {
    if low == 0 && bits == width {
        return value;
    }
    if let (Value::Int(word), true) = (value, bits <= 64 && width <= 64) {
        return Value::Int((word >> low) & mask(bits));
    }
    let value = value.to_expr(pool, width);
    let result = pool.extract(value, low, bits);
    Value::from_expr(pool, result)
}

/// The scalar with `high` (of `high_bits`) above `low` (of `low_bits`).
pub fn concat(pool: &mut Pool, high: Value, high_bits: u32, low: Value, low_bits: u32) -> Value {
    if let (Value::Int(high), Value::Int(low)) = (high, low)
        && high_bits + low_bits <= 64
    {
        return Value::Int((high << low_bits) | low);
    }
    let high = high.to_expr(pool, high_bits);
    let low = low.to_expr(pool, low_bits);
    let result = pool.concat(high, low);
    Value::from_expr(pool, result)
}

/// A 128-bit (or narrower) concrete scalar as a number.
pub fn wide_number(pool: &Pool, value: Value) -> Option<u128> {
    match value {
        Value::Expr(expr) => match pool.as_u64(expr) {
            Some(word) => Some(u128::from(word)),
            None => {
                let limbs = pool.as_limbs(expr)?;
                let limb = |at: usize| u128::from(limbs.get(at).copied().unwrap_or(0));
                Some(limb(0) | limb(1) << 64)
            }
        },
        other => number(pool, other).map(u128::from),
    }
}

/// A concrete scalar of `bits` <= 128 bits.
pub fn from_u128(pool: &mut Pool, bits: u32, value: u128) -> Value {
    if bits <= 64 {
        Value::Int(value as u64 & mask(bits))
    } else {
        let expr = pool.constant_u128(bits, value);
        Value::from_expr(pool, expr)
    }
}

/// A 1-bit condition as an expression.
pub fn condition(pool: &mut Pool, value: Value) -> ExprId {
    value.to_expr(pool, 1)
}
