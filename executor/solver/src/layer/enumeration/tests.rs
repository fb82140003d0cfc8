//! Queries with few inputs; answers are compared with known ones or with Z3.

use super::*;
use crate::answer::Solver as _;
use crate::backend::z3::Z3;
use crate::config::SolverConfig;
use plat_expr::{EvalMemo, FloatFormat, FloatOp, IntPredicate};

/// A table of 1,000 elements read at a bounded word of four bytes: every element is found at its
/// index, and values that are not in the table are refuted.
#[test]
fn reads_of_a_table_agree_with_the_table() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("i", 0, 5);
    let bytes: Vec<ExprId> = (0..5).map(|at| pool.symbol_byte(symbol, at)).collect();
    let index = bytes[1..4]
        .iter()
        .fold(bytes[0], |low, &byte| pool.concat(byte, low));
    let values: Vec<u64> = (0..1000).map(|at| at * at % 509).collect();
    let elements: Vec<ExprId> = values.iter().map(|&of| pool.constant(16, of)).collect();
    let table = pool.table(&elements);
    let (wide, size) = (pool.zext(index, 64), pool.constant(32, 1000));
    let read = pool.read(table, wide);
    let inside = pool.ult(index, size);
    let other = pool.zext(bytes[4], 16);
    let sum = pool.add(read, other);
    let mut solver = Enumeration::default();
    for asked in (0..1100).step_by(7) {
        let (of, least) = (pool.constant(16, asked), pool.constant(8, 250));
        let same = pool.eq(sum, of);
        let late = pool.compare(IntPredicate::Ult, least, bytes[4]);
        let constraints = [inside, same, late];
        let expected = (251..256).any(|add| values.iter().any(|value| value + add == asked));
        match solver.decide(&mut pool, &Query::new(&constraints)) {
            Some(Answer::Sat(model)) => {
                assert!(expected);
                let memo = &mut EvalMemo::new();
                assert!(constraints.iter().all(|&c| pool.holds(c, &model, memo)));
            }
            Some(Answer::Unsat) => assert!(!expected),
            other => panic!("{other:?}"),
        }
    }
    // Without its bound the word has too many values; only the ends are tried.
    let outside = pool.not(inside);
    let answer = solver.decide(&mut pool, &Query::new(&[outside]));
    assert!(matches!(answer, Some(Answer::Sat(_))));
    // No square ends in these bits, but there are too many inputs to show it.
    let square = pool.mul(index, index);
    let of = pool.constant(32, 3);
    let same = pool.eq(square, of);
    assert!(solver.decide(&mut pool, &Query::new(&[same])).is_none());
}

/// Two digits after an optional sign, as number parsers test them: no constraint is on one byte
/// alone, but the search prunes most of the 2^24 inputs.
#[test]
fn constraints_on_some_words_leave_few_inputs() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("text", 0, 3);
    let bytes: Vec<ExprId> = (0..3).map(|at| pool.symbol_byte(symbol, at)).collect();
    let (plus, nought) = (pool.constant(8, 43), pool.constant(64, 48));
    let (ten, third) = (
        pool.constant(64, 10),
        pool.constant(64, 0xaaaa_aaaa_aaaa_aaab),
    );
    let signed = pool.eq(bytes[0], plus);
    let (mut constraints, mut number) = (Vec::new(), pool.constant(64, 0));
    for at in 0..2 {
        let digit = pool.ite(signed, bytes[at + 1], bytes[at]);
        let digit = pool.zext(digit, 64);
        let digit = pool.sub(digit, nought);
        constraints.push(pool.ult(digit, ten));
        let scaled = pool.mul(number, ten);
        number = pool.add(scaled, digit);
    }
    // A multiple of 3 (its product with the inverse is small), but too large.
    let (inverse, most) = (pool.mul(number, third), pool.constant(64, u64::MAX / 3 + 1));
    constraints.push(pool.ult(inverse, most));
    for (least, expected) in [(97, true), (99, true), (100, false)] {
        let bound = pool.constant(64, least);
        let mut query = constraints.clone();
        query.push(pool.compare(IntPredicate::Uge, number, bound));
        match Enumeration::default().decide(&mut pool, &Query::new(&query)) {
            Some(Answer::Sat(model)) => {
                let memo = &mut EvalMemo::new();
                assert!(expected && query.iter().all(|&c| pool.holds(c, &model, memo)));
                let of: Vec<u8> = (0..3).map(|at| model.byte(symbol, at)).collect();
                assert!(of[0] == b'9' && of[1] == b'9' || of == *b"+99");
            }
            Some(Answer::Unsat) => assert!(!expected),
            other => panic!("{least}: {other:?}"),
        }
    }
}

/// Single-byte conditions of any form leave few inputs: three characters, each a digit or a point,
/// and the sum of their values, as number parsers compute it.
#[test]
fn character_classes_have_few_inputs() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("text", 0, 3);
    let bytes: Vec<ExprId> = (0..3).map(|at| pool.symbol_byte(symbol, at)).collect();
    let point = pool.constant(8, 46);
    let (nought, ten) = (pool.constant(32, 48), pool.constant(32, 10));
    let (mut constraints, mut number) = (Vec::new(), pool.constant(32, 0));
    for &byte in &bytes {
        let wide = pool.zext(byte, 32);
        let digit = pool.sub(wide, nought);
        let is_digit = pool.ult(digit, ten);
        let is_point = pool.eq(byte, point);
        constraints.push(pool.or(is_digit, is_point));
        let scaled = pool.mul(number, ten);
        let next = pool.add(scaled, digit);
        number = pool.ite(is_point, number, next);
    }
    let class: Vec<u8> = (b'0'..=b'9').chain([b'.']).collect();
    for asked in [0, 7, 123, 999, 1000, 5000] {
        let of = pool.constant(32, asked);
        let mut query = constraints.clone();
        query.push(pool.eq(number, of));
        // 2^24 inputs are too many for a query of this size, 11^3 are not.
        match Enumeration::default().decide(&mut pool, &Query::new(&query)) {
            Some(Answer::Sat(model)) => {
                let memo = &mut EvalMemo::new();
                assert!(query.iter().all(|&c| pool.holds(c, &model, memo)));
                let byte = |at| model.byte(symbol, at);
                assert!((0..3).all(|at| class.contains(&byte(at))));
                assert!(asked < 1000);
            }
            Some(Answer::Unsat) => assert!(asked >= 1000),
            other => panic!("{other:?}"),
        }
    }
}

/// Enumeration has a work estimate only if all words have few enough values to list.
#[test]
fn words_of_too_many_values_are_not_tried() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("word", 0, 4);
    let bytes: Vec<ExprId> = (0..4).map(|at| pool.symbol_byte(symbol, at)).collect();
    let number = bytes[1..]
        .iter()
        .fold(bytes[0], |low, &byte| pool.concat(byte, low));
    let ten = pool.constant(32, 10);
    let product = pool.mul(number, number);
    let equal = pool.eq(product, ten);
    for (bits, tried) in [(16, true), (22, true), (23, false), (30, false)] {
        let bound = pool.constant(32, 1 << bits);
        let inside = pool.ult(number, bound);
        let work = work(&pool, &[inside, equal]);
        assert_eq!(work.is_some(), tried, "{bits} {work:?}");
        assert!(work.is_none_or(|work| work >> bits > 0));
    }
}

/// A bounded integer converted to each float format: the layer alone agrees with Z3.
#[test]
fn floats_of_few_inputs_need_no_solver() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("n", 0, 2);
    let (low, high) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
    let n = pool.concat(high, low);
    let bound = pool.constant(16, 50);
    let small = pool.ult(n, bound);
    let mut answers = [0, 0];
    let unhurried = SolverConfig {
        time_limit: None,
        ..SolverConfig::default()
    };
    for format in [FloatFormat::Single, FloatFormat::Extended] {
        let width = format.bits();
        let x = pool.float(FloatOp::FromUnsigned, format, &[n], width);
        for (factor, target) in [(0.1f32, 0.3f32), (0.1, 4.0), (3.0, 50.0), (0.25, 12.25)] {
            let [factor, target] = [factor, target].map(|number| {
                let single = pool.constant(32, u64::from(number.to_bits()));
                let to = FloatOp::ToFormat(format);
                pool.float(to, FloatFormat::Single, &[single], width)
            });
            let product = pool.float(FloatOp::Mul, format, &[x, factor], width);
            let equal = pool.float(FloatOp::Eq, format, &[product, target], 1);
            let constraints = &[small, equal];
            let found = Enumeration::default().decide(&mut pool, &Query::new(constraints));
            let query = Query::new(constraints);
            let expected = Z3::new(&unhurried).check(&mut pool, &query);
            match (found, expected) {
                (Some(Answer::Sat(model)), Answer::Sat(_)) => {
                    answers[0] += 1;
                    assert!(pool.holds(equal, &model, &mut EvalMemo::new()));
                }
                (Some(Answer::Unsat), Answer::Unsat) => answers[1] += 1,
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(answers[0] > 0 && answers[1] > 0, "{answers:?}");
}
