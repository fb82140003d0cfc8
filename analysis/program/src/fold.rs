//! Folding of constant operations as far as it goes without knowing addresses.
//!
//! Integers of up to 128 bits fold completely; the difference of two addresses in one global is a
//! number; an integer-to-pointer conversion undoes a pointer-to-integer conversion of full width.

use crate::constant::Constant;
use crate::ids::{ConstId, GlobalId};
use crate::inst::{BinaryOp, CastOp};

/// The low `width` bits set.
pub(crate) const fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn sign_extend(value: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    (value << shift).cast_signed() >> shift
}

/// The value of `lhs op rhs` on `width`-bit integers, where it is defined.
fn integer(op: BinaryOp, width: u32, lhs: u128, rhs: u128) -> Option<u128> {
    let in_range = || (rhs < u128::from(width)).then_some(rhs as u32);
    Some(
        match op {
            BinaryOp::Add => lhs.wrapping_add(rhs),
            BinaryOp::Sub => lhs.wrapping_sub(rhs),
            BinaryOp::Mul => lhs.wrapping_mul(rhs),
            BinaryOp::And => lhs & rhs,
            BinaryOp::Or => lhs | rhs,
            BinaryOp::Xor => lhs ^ rhs,
            BinaryOp::Shl => lhs << in_range()?,
            BinaryOp::LShr => lhs >> in_range()?,
            BinaryOp::AShr => (sign_extend(lhs, width) >> in_range()?).cast_unsigned(),
            BinaryOp::UDiv => lhs.checked_div(rhs)?,
            BinaryOp::URem => lhs.checked_rem(rhs)?,
            BinaryOp::SDiv | BinaryOp::SRem => return None,
        } & mask(width),
    )
}

/// The global and offset behind an address or the full-width number of an address.
fn address(constants: &[Constant], id: ConstId) -> Option<(GlobalId, i64)> {
    match constants[id.index()] {
        Constant::Global(global, offset) => Some((global, offset)),
        Constant::Cast(CastOp::PtrToInt, 64, 64, inner) => address(constants, inner),
        _ => None,
    }
}

/// `lhs op rhs` on operands of `width` bits.
pub(crate) fn binary(
    constants: &[Constant],
    op: BinaryOp,
    width: u32,
    lhs: ConstId,
    rhs: ConstId,
) -> Constant {
    if let (Constant::Int { value: a, .. }, Constant::Int { value: b, .. }) =
        (&constants[lhs.index()], &constants[rhs.index()])
        && let Some(value) = integer(op, width, *a, *b)
    {
        return Constant::Int { width, value };
    }
    if op == BinaryOp::Sub
        && width == 64
        && let (Some((a, at)), Some((b, from))) = (address(constants, lhs), address(constants, rhs))
        && a == b
    {
        let value = u128::from(at.wrapping_sub(from).cast_unsigned());
        return Constant::Int { width, value };
    }
    Constant::Binary(op, width, lhs, rhs)
}

/// `value` converted by `op` from `from` to `to` bits.
pub(crate) fn cast(
    constants: &[Constant],
    op: CastOp,
    from: u32,
    to: u32,
    value: ConstId,
) -> Constant {
    match (op, &constants[value.index()]) {
        (CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt, &Constant::Int { value, .. }) => {
            Constant::Int {
                width: to,
                value: value & mask(to),
            }
        }
        (CastOp::SExt, &Constant::Int { value, .. }) => Constant::Int {
            width: to,
            value: sign_extend(value, from).cast_unsigned() & mask(to),
        },
        (CastOp::PtrToInt, Constant::Null) => Constant::Int {
            width: to,
            value: 0,
        },
        (CastOp::IntToPtr, Constant::Int { value: 0, .. }) => Constant::Null,
        (CastOp::IntToPtr, &Constant::Cast(CastOp::PtrToInt, 64, 64, inner)) => {
            constants[inner.index()].clone()
        }
        (CastOp::PtrToInt, &Constant::Cast(CastOp::IntToPtr, 64, 64, inner)) if to == 64 => {
            constants[inner.index()].clone()
        }
        _ => Constant::Cast(op, from, to, value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: operate on mathematical integers, then take the low bits.
    fn by_definition(op: BinaryOp, width: u32, a: i64, b: i64) -> Option<i64> {
        let signed = |x: i64| {
            if x >> (width - 1) & 1 == 1 {
                x - (1 << width)
            } else {
                x
            }
        };
        let shift = (b < i64::from(width)).then_some(b);
        Some(match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::UDiv => a.checked_div(b)?,
            BinaryOp::URem => a.checked_rem(b)?,
            BinaryOp::Shl => a * (1 << shift?),
            BinaryOp::LShr => a.div_euclid(1 << shift?),
            BinaryOp::AShr => signed(a).div_euclid(1 << shift?),
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::SDiv | BinaryOp::SRem => return None,
        })
    }

    #[test]
    fn folding_agrees_with_the_definition_on_all_narrow_integers() {
        use BinaryOp::*;
        for width in 1..=5 {
            let range = 0..1i64 << width;
            for (a, b) in range
                .clone()
                .flat_map(|a| range.clone().map(move |b| (a, b)))
            {
                let int = |x: i64| Constant::Int {
                    width,
                    value: u128::from(x.cast_unsigned()),
                };
                let constants = [int(a), int(b)];
                for op in [
                    Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
                ] {
                    let folded = binary(&constants, op, width, ConstId(0), ConstId(1));
                    let unfolded = Constant::Binary(op, width, ConstId(0), ConstId(1));
                    let low = |x: i64| int(x.rem_euclid(1 << width));
                    let expected = by_definition(op, width, a, b).map_or(unfolded, low);
                    assert_eq!(folded, expected, "{op:?} i{width} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn addresses_fold_where_they_cancel() {
        let address = |at| Constant::Global(GlobalId(0), at);
        let number = |at: u32| Constant::Cast(CastOp::PtrToInt, 64, 64, ConstId(at));
        let constants = [address(40), address(8), number(0), number(1)];
        let difference = binary(&constants, BinaryOp::Sub, 64, ConstId(3), ConstId(2));
        let expected = u128::from((-32i64).cast_unsigned());
        assert_eq!(
            difference,
            Constant::Int {
                width: 64,
                value: expected
            }
        );
        assert_eq!(
            cast(&constants, CastOp::IntToPtr, 64, 64, ConstId(3)),
            address(8)
        );
        let narrow = cast(&constants, CastOp::PtrToInt, 64, 32, ConstId(0));
        assert_eq!(narrow, Constant::Cast(CastOp::PtrToInt, 64, 32, ConstId(0)));
    }
}
