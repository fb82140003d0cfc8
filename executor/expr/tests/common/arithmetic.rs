//! Arithmetic on words of up to 128 bits, independent of that under test.

use plat_expr::BinaryOp;

pub fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

pub fn signed(value: u128, width: u32) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

pub fn divide(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match op {
        BinaryOp::UDiv if b == 0 => u128::MAX,
        BinaryOp::UDiv => a / b,
        BinaryOp::URem if b == 0 => a,
        BinaryOp::URem => a % b,
        BinaryOp::SDiv if sb == 0 => {
            if sa < 0 {
                1
            } else {
                u128::MAX
            }
        }
        BinaryOp::SDiv => sa.wrapping_div(sb) as u128,
        BinaryOp::SRem if sb == 0 => a,
        _ => sa.wrapping_rem(sb) as u128,
    }
}
