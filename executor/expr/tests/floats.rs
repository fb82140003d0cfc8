//! Floating-point operations on constants against the machine's own, bit for bit.

use fastrand::Rng;
use plat_expr::{FloatFormat, FloatOp, Rounding, fold_float};

/// Bit patterns of singles and doubles: every kind of number, and pseudo-random ones.
fn patterns() -> Vec<u64> {
    let mut list = vec![
        0,
        1,
        0x000f_ffff_ffff_ffff,
        0x0010_0000_0000_0000,
        0x3fdf_ffff_ffff_ffff,
        0x3fe0_0000_0000_0000,
        0x3ff0_0000_0000_0000,
        0x3ff8_0000_0000_0000,
        0x4004_0000_0000_0000,
        0x41df_ffff_ffc0_0000,
        0x41e0_0000_0000_0000,
        0x43e0_0000_0000_0000,
        0x43f0_0000_0000_0000,
        0x7fef_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0x7ff8_0000_0000_1234,
        0x4f00_0000_3f80_0000,
        0x7f80_0001_7fc0_0000,
        0x5f80_0000_5f00_0000,
    ];
    let mut random = Rng::with_seed(1);
    for _ in 0..40 {
        let bits = random.u64(..);
        list.push(bits);
        list.push((bits & 0x800f_ffff_ffff_ffff) | 0x3fe0_0000_0000_0000);
        list.push((bits & 0x807f_ffff_807f_ffff) | 0x3f80_0000_4000_0000);
    }
    let negative: Vec<u64> = list.iter().map(|bits| bits ^ 1 << 63).collect();
    list.extend(negative);
    list
}

/// The machine's result; of NaN operands the first, quiet, and the machine's own NaN negative.
macro_rules! check {
    ($float:ident, $word:ident, $format:expr) => {{
        let format = $format;
        let width = $word::BITS;
        let quiet: $word = 1 << ($float::MANTISSA_DIGITS - 2);
        let nan = -$float::NAN.abs();
        let list: Vec<$word> = patterns().into_iter().map(|bits| bits as $word).collect();
        let expect = |op, operands: &[$word], result: $float| {
            let mut values = [0; 3];
            for (value, &operand) in values.iter_mut().zip(operands) {
                *value = u128::from(operand);
            }
            let first = operands
                .iter()
                .find(|&&bits| $float::from_bits(bits).is_nan());
            let expected = match first {
                Some(&bits) => bits | quiet,
                None if result.is_nan() => nan.to_bits(),
                None => result.to_bits(),
            };
            let found = fold_float(op, format, width, width, values);
            assert_eq!(found, u128::from(expected), "{op:?} {operands:x?}");
        };
        for &a in &list {
            let x = $float::from_bits(a);
            expect(FloatOp::Sqrt, &[a], x.sqrt());
            let round = |rounding, result| expect(FloatOp::Round(rounding), &[a], result);
            round(Rounding::Up, x.ceil());
            round(Rounding::Down, x.floor());
            round(Rounding::Zero, x.trunc());
            round(Rounding::NearestAway, x.round());
            round(Rounding::NearestEven, x.round_ties_even());
            let from = |op, bits: u64| fold_float(op, format, 64, width, [u128::from(bits), 0, 0]);
            let wide = u64::from(a).rotate_left(7);
            let (signed, unsigned) = (wide as i64 as $float, wide as $float);
            assert_eq!(
                from(FloatOp::FromSigned, wide),
                u128::from(signed.to_bits())
            );
            assert_eq!(
                from(FloatOp::FromUnsigned, wide),
                u128::from(unsigned.to_bits())
            );
            let to = |op, bits| fold_float(op, format, width, bits, [u128::from(a), 0, 0]);
            // Rust's casts saturate, and are exact where a number fits.
            let (low, high) = (-9223372036854775808.0, 9223372036854775808.0);
            let word = if x >= low && x < high {
                x as i64 as u64
            } else {
                1 << 63
            };
            assert_eq!(to(FloatOp::ToSigned, 64), u128::from(word), "{x:e}");
            let word = if x > -1.0 && x < 2.0 * high {
                x as u64
            } else {
                1 << 63
            };
            assert_eq!(to(FloatOp::ToUnsigned, 64), u128::from(word), "{x:e}");
            let fits = (x as f64) > -2147483649.0 && (x as f64) < 2147483648.0;
            let word = if fits { x as i32 as u32 } else { 1 << 31 };
            assert_eq!(to(FloatOp::ToSigned, 32), u128::from(word), "{x:e}");
            for &b in &list {
                let y = $float::from_bits(b);
                expect(FloatOp::Add, &[a, b], x + y);
                expect(FloatOp::Sub, &[a, b], x - y);
                expect(FloatOp::Mul, &[a, b], x * y);
                expect(FloatOp::Div, &[a, b], x / y);
                expect(FloatOp::Fma, &[a, b, a], x.mul_add(y, x));
                let holds = |op| {
                    let operands = [u128::from(a), u128::from(b), 0];
                    fold_float(op, format, width, 1, operands) == 1
                };
                assert_eq!(holds(FloatOp::Eq), x == y);
                assert_eq!(holds(FloatOp::Lt), x < y);
                assert_eq!(holds(FloatOp::Le), x <= y);
            }
        }
    }};
}

#[test]
fn singles() {
    check!(f32, u32, FloatFormat::Single);
}

#[test]
fn doubles() {
    check!(f64, u64, FloatFormat::Double);
}

/// Between formats: the machine's conversions, and there and back through wider formats.
#[test]
fn formats() {
    use FloatFormat::{Double, Extended, Quad, Single};
    let change = |from: FloatFormat, to: FloatFormat, bits: u128| {
        let (op, width) = (FloatOp::ToFormat(to), from.bits());
        fold_float(op, from, width, to.bits(), [bits, 0, 0])
    };
    for bits in patterns() {
        let x = f64::from_bits(bits);
        if !x.is_nan() {
            let single = change(Double, Single, u128::from(bits));
            assert_eq!(single, u128::from((x as f32).to_bits()));
        }
        let quiet = bits | if x.is_nan() { 1 << 51 } else { 0 };
        for wide in [Extended, Quad] {
            let there = change(Double, wide, u128::from(bits));
            assert_eq!(
                change(wide, Double, there),
                u128::from(quiet),
                "{x:e} {wide:?}"
            );
            // The roots of squares are exact.
            let square = fold_float(FloatOp::Mul, wide, 80, 80, [there, there, 0]);
            let root = fold_float(FloatOp::Sqrt, wide, 80, 80, [square, 0, 0]);
            if !x.is_nan() {
                let root = f64::from_bits(change(wide, Double, root) as u64);
                assert_eq!(root, x.abs(), "{wide:?}");
            }
        }
    }
}
