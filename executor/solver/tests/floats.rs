//! Z3's floats against the evaluator. For every operation and format, on chosen patterns Z3 must
//! give exactly the evaluator's value, and its models for unknown operands must satisfy the query.

use fastrand::Rng;
use plat_expr::{Assignment, EvalMemo, ExprId, FloatFormat, FloatOp, Pool, Rounding};
use plat_solver::backend::z3::Z3;
use plat_solver::{Answer, Query, Solver, SolverConfig};

/// A pattern of a format: special values, numbers near one, and any.
fn pattern(random: &mut Rng, format: FloatFormat) -> u128 {
    let all = u128::MAX >> (128 - format.bits());
    let sign = u128::from(random.bool()) << (format.bits() - 1);
    let fraction = random.u128(..) & ((1 << format.fraction_bits()) - 1);
    let stored = format.fraction_bits() + u32::from(format.is_explicit());
    let integer = u128::from(format.is_explicit()) << format.fraction_bits();
    let bias = (1u128 << (format.exponent_bits() - 1)) - 1;
    sign ^ match random.u64(..9) {
        0 => 0,
        1 => format.infinity(),
        2 => format.infinity() | fraction,
        3 => fraction,
        4 => random.u128(..) & all,
        5 => format.infinity() - 1,
        _ => (bias + u128::from(random.u64(..9)) - 4) << stored | integer | fraction,
    }
}

fn symbolic(pool: &mut Pool, name: &str, width: u32) -> ExprId {
    let size = width.div_ceil(8);
    let symbol = pool.symbol(name, 0, size);
    let mut value = pool.symbol_byte(symbol, 0);
    for at in 1..size {
        let byte = pool.symbol_byte(symbol, at);
        value = pool.concat(byte, value);
    }
    pool.zext_or_trunc(value, width)
}

fn operations(format: FloatFormat) -> Vec<(FloatOp, u32)> {
    let bits = format.bits();
    let mut list = vec![
        (FloatOp::Add, bits),
        (FloatOp::Sub, bits),
        (FloatOp::Mul, bits),
        (FloatOp::Div, bits),
        (FloatOp::Sqrt, bits),
        (FloatOp::Eq, 1),
        (FloatOp::Lt, 1),
        (FloatOp::Le, 1),
        (FloatOp::FromSigned, bits),
        (FloatOp::FromUnsigned, bits),
    ];
    if !matches!(format, FloatFormat::Extended | FloatFormat::Quad) {
        list.push((FloatOp::Fma, bits));
    }
    let roundings = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Zero,
        Rounding::Down,
        Rounding::Up,
    ];
    list.extend(roundings.map(|rounding| (FloatOp::Round(rounding), bits)));
    list.extend(FloatFormat::ALL.map(|to| (FloatOp::ToFormat(to), to.bits())));
    for width in [1, 8, 16, 32, 64] {
        list.push((FloatOp::ToSigned, width));
        list.push((FloatOp::ToUnsigned, width));
    }
    list
}

/// Z3 without a time limit.
fn z3() -> Z3 {
    Z3::new(&SolverConfig {
        time_limit: None,
        ..SolverConfig::default()
    })
}

/// The operation on symbols whose bytes are all asserted.
fn pinned_values_agree(format: FloatFormat, rounds: u32, seed: u64) {
    let mut random = Rng::with_seed(seed);
    for (op, width) in operations(format) {
        for round in 0..rounds {
            let mut pool = Pool::new();
            let mut solver = z3();
            let from = if op.is_from_integer() {
                [8, 16, 32, 64][random.usize(..4)]
            } else {
                format.bits()
            };
            let (mut operands, mut constraints) = (Vec::new(), Vec::new());
            let (mut constants, mut shown) = (Vec::new(), Vec::new());
            for at in 0..op.operands() {
                let e = symbolic(&mut pool, &format!("x{at}"), from);
                let value = if op.is_from_integer() {
                    random.u128(..) >> random.u64(..128) & (u128::MAX >> (128 - from))
                } else {
                    pattern(&mut random, format)
                };
                let constant = pool.constant_u128(from, value);
                constraints.push(pool.eq(e, constant));
                operands.push(e);
                constants.push(constant);
                shown.push(value);
            }
            let e = pool.float(op, format, &operands, width);
            let value = pool.float(op, format, &constants, width);
            assert!(pool.is_constant(value));
            let same = pool.eq(e, value);
            let other = pool.not(same);
            for (condition, holds) in [(same, true), (other, false)] {
                let mut constraints = constraints.clone();
                constraints.push(condition);
                let constraints = &constraints;
                let answer = solver.check(&mut pool, &Query::new(constraints));
                let expected = match answer {
                    Answer::Sat(_) => holds,
                    Answer::Unsat => !holds,
                    Answer::Unknown(ref reason) => panic!("{op:?} {format:?}: {reason}"),
                };
                assert!(
                    expected,
                    "round {round}: {op:?} {format:?} {shown:x?} is {}: {answer:?}",
                    pool.display(value)
                );
            }
        }
    }
}

#[test]
fn single() {
    pinned_values_agree(FloatFormat::Single, 6, 0x9e37_79b9_7f4a_7c15);
}

#[test]
fn double() {
    pinned_values_agree(FloatFormat::Double, 3, 0x1234_5678_9abc_def1);
}

#[test]
fn half_and_bfloat() {
    pinned_values_agree(FloatFormat::Half, 6, 77);
    pinned_values_agree(FloatFormat::BFloat, 6, 99);
}

#[test]
fn extended() {
    pinned_values_agree(FloatFormat::Extended, 3, 0xabcd_ef01_2345);
}

/// Z3 chooses operands; evaluation must confirm its model.
#[test]
fn models_evaluate() {
    let mut random = Rng::with_seed(4242);
    let mut sat = 0;
    for format in [FloatFormat::Half, FloatFormat::Single, FloatFormat::Double] {
        for (op, width) in operations(format) {
            let slow = matches!(
                op,
                FloatOp::Div | FloatOp::Sqrt | FloatOp::Fma | FloatOp::Mul
            );
            if op.is_from_integer() || slow && format != FloatFormat::Half {
                continue;
            }
            let mut pool = Pool::new();
            let mut solver = z3();
            let mut operands = vec![symbolic(&mut pool, "x", format.bits())];
            while operands.len() < op.operands() {
                let value = pattern(&mut random, format);
                operands.push(pool.constant_u128(format.bits(), value));
            }
            let e = pool.float(op, format, &operands, width);
            let bit = random.u32(..width);
            let first = pool.extract(e, bit, 1);
            let second = pool.not(first);
            for condition in [first, second] {
                let constraints = &[condition];
                match solver.check(&mut pool, &Query::new(constraints)) {
                    Answer::Sat(model) => {
                        sat += 1;
                        assert!(
                            pool.holds(condition, &model, &mut EvalMemo::new()),
                            "{op:?} {format:?}: {model:?}"
                        );
                    }
                    Answer::Unsat => {
                        // No value of the operand that is tried must satisfy it.
                        for _ in 0..2000 {
                            let mut model = Assignment::new();
                            let value = pattern(&mut random, format).to_le_bytes();
                            let symbol = pool.symbol("x", 0, format.bits() / 8);
                            model.set(symbol, value[..format.bits() as usize / 8].to_vec());
                            assert!(!pool.holds(condition, &model, &mut EvalMemo::new()));
                        }
                    }
                    Answer::Unknown(reason) => panic!("{op:?} {format:?}: {reason}"),
                }
            }
        }
    }
    assert!(sat > 60, "only {sat} questions had a model");
}
