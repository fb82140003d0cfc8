//! Folding of constant operations as far as it goes without knowing addresses.
//!
//! Integers of up to 128 bits fold completely; the difference of two addresses in one global is a
//! number; an integer-to-pointer conversion undoes a pointer-to-integer conversion of full width.

use crate::constant::Constant;
use crate::ids::{ConstId, GlobalId};
use crate::inst::CastOp;
use plat_basics::BinaryOp;
use plat_basics::integer::wide;

/// The global and offset behind an address or the full-width number of an address.
fn address(constants: &[Constant], id: ConstId) -> Option<(GlobalId, i64)> {
    match constants[id.index()] {
        Constant::Global(global, offset) => Some((global, offset)),
        Constant::Cast(CastOp::PtrToInt, 64, 64, inner) => address(constants, inner),
        _ => None,
    }
}

/// `lhs op rhs` on operands of `width` bits.
pub fn binary(
    constants: &[Constant],
    op: BinaryOp,
    width: u32,
    lhs: ConstId,
    rhs: ConstId,
) -> Constant {
    if let (Constant::Int { value: a, .. }, Constant::Int { value: b, .. }) =
        (&constants[lhs.index()], &constants[rhs.index()])
        && let Some(value) = wide::binary(op, width, *a, *b)
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
pub fn cast(constants: &[Constant], op: CastOp, from: u32, to: u32, value: ConstId) -> Constant {
    match (op, &constants[value.index()]) {
        // The result of a wider type is no number of 128 bits.
        (CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt, &Constant::Int { value, .. })
            if to <= 128 =>
        {
            Constant::Int {
                width: to,
                value: value & wide::mask(to),
            }
        }
        (CastOp::SExt, &Constant::Int { value, .. }) if to <= 128 => Constant::Int {
            width: to,
            value: wide::sign_extend(value, from, to),
        },
        (CastOp::PtrToInt, Constant::Null) if to <= 128 => Constant::Int {
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

    fn int(width: u32, value: u128) -> Constant {
        Constant::Int { width, value }
    }

    #[test]
    fn operations_fold_where_they_have_a_result() {
        let fold = |op, width, a, b| {
            let constants = [int(width, a), int(width, b)];
            binary(&constants, op, width, ConstId(0), ConstId(1))
        };
        let unfolded = |op, width| Constant::Binary(op, width, ConstId(0), ConstId(1));
        assert_eq!(fold(BinaryOp::Add, 8, 200, 100), int(8, 44));
        assert_eq!(fold(BinaryOp::SDiv, 8, 0xf9, 2), int(8, 0xfd));
        assert_eq!(fold(BinaryOp::Shl, 128, 1, 127), int(128, 1 << 127));
        for (op, a, b) in [
            (BinaryOp::UDiv, 7, 0),
            (BinaryOp::SRem, 0x80, 0xff),
            (BinaryOp::AShr, 7, 8),
        ] {
            assert_eq!(fold(op, 8, a, b), unfolded(op, 8));
        }
    }

    #[test]
    fn conversions_fold_up_to_128_bits() {
        let constants = [int(8, 0x80)];
        let fold = |op, to| cast(&constants, op, 8, to, ConstId(0));
        assert_eq!(fold(CastOp::Trunc, 4), int(4, 0));
        assert_eq!(fold(CastOp::ZExt, 128), int(128, 0x80));
        assert_eq!(fold(CastOp::SExt, 16), int(16, 0xff80));
        let unfolded = Constant::Cast(CastOp::SExt, 8, 129, ConstId(0));
        assert_eq!(fold(CastOp::SExt, 129), unfolded);
        let null = |to| cast(&[Constant::Null], CastOp::PtrToInt, 64, to, ConstId(0));
        assert_eq!(null(128), int(128, 0));
        let unfolded = Constant::Cast(CastOp::PtrToInt, 64, 129, ConstId(0));
        assert_eq!(null(129), unfolded);
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
