//! Forms against evaluation, answers against brute force, checksums against a computation.

use super::*;
use crate::answer::Query;
use plat_expr::{IntPredicate, SymbolId};

use fastrand::Rng;

/// The table of a bytewise CRC-32.
fn crc_table() -> Vec<u64> {
    let step = |crc: u64| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
    (0..256)
        .map(|byte| (0..8).fold(byte, |crc, _| step(crc)))
        .collect()
}

fn crc_of(text: &[u8]) -> u32 {
    let table = crc_table();
    let update = |crc: u32, &byte: &u8| crc >> 8 ^ table[(crc as u8 ^ byte) as usize] as u32;
    !text.iter().fold(!0, update)
}

/// A random condition or number over two bytes, mostly affine.
fn expression(pool: &mut Pool, random: &mut Rng, bytes: [ExprId; 2], depth: u32) -> ExprId {
    if depth == 0 {
        let byte = bytes[random.usize(..2)];
        return pool.zext(byte, 16);
    }
    let sub = |pool: &mut Pool, random: &mut Rng| expression(pool, random, bytes, depth - 1);
    let a = sub(pool, random);
    let value = random.u64(..);
    let constant = pool.constant(16, value);
    let by = pool.constant(16, value % 16);
    let one = pool.constant(16, 1);
    match random.u64(..14) {
        0..=2 => {
            let b = sub(pool, random);
            pool.xor(a, b)
        }
        3 => pool.and(a, constant),
        4 => pool.or(a, constant),
        5 => pool.binary(BinaryOp::Shl, a, by),
        6 => pool.binary(BinaryOp::LShr, a, by),
        7 => pool.binary(BinaryOp::AShr, a, by),
        8 => {
            let bit = pool.and(a, one);
            let negated = {
                let zero = pool.constant(16, 0);
                pool.sub(zero, bit)
            };
            pool.and(negated, constant)
        }
        9 => {
            let bit = pool.extract(a, (value % 16) as u32, 1);
            let b = sub(pool, random);
            let other = pool.xor(b, constant);
            pool.ite(bit, b, other)
        }
        10 => {
            let values: Vec<ExprId> = (0..256u64)
                .map(|at| {
                    let flips = (0..8).filter(|bit| at >> bit & 1 == 1);
                    let value = flips.fold(value, |all, bit| all ^ value.rotate_left(7 * bit + 3));
                    pool.constant(16, value)
                })
                .collect();
            let table = pool.table(&values);
            let low = pool.extract(a, 0, 8);
            let index = pool.zext(low, 64);
            pool.read(table, index)
        }
        11 => {
            let (high, low) = (pool.extract(a, 3, 8), pool.extract(a, 5, 8));
            pool.concat(high, low)
        }
        12 => {
            let low = pool.extract(a, 0, 9);
            pool.sext(low, 16)
        }
        _ => {
            let b = sub(pool, random);
            pool.add(a, b)
        }
    }
}

fn model_of(symbol: SymbolId, value: u64) -> Assignment {
    let mut model = Assignment::new();
    model.set(symbol, vec![value as u8, (value >> 8) as u8]);
    model
}

#[test]
fn forms_and_answers_agree_with_brute_force() {
    let mut random = Rng::with_seed(0x1234_5678_9abc_def1);
    let (mut affine, mut answers) = (0, [0, 0, 0]);
    for _ in 0..300 {
        let mut pool = Pool::new();
        let symbol = pool.symbol("x", 0, 2);
        let bytes = [pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1)];
        let inputs: Vec<u64> = (0..200).map(|_| random.u64(..1 << 16)).collect();
        let mut forms = Forms::default();
        let mut constraints = Vec::new();
        for _ in 0..1 + random.u64(..3) {
            let e = expression(&mut pool, &mut random, bytes, 4);
            if let Some(form) = forms.of(&pool, e) {
                affine += 1;
                for &input in &inputs {
                    let model = model_of(symbol, input);
                    let found = form
                        .columns
                        .iter()
                        .fold(form.constant, |value, (byte, flips)| {
                            let byte = model.byte(byte.0, byte.1);
                            let set = (0..8).filter(|bit| byte >> bit & 1 == 1);
                            set.fold(value, |value, bit| value ^ flips[bit])
                        });
                    assert_eq!(found, pool.eval(e, &model, &mut EvalMemo::new()));
                }
            }
            const PREDICATES: [IntPredicate; 6] = {
                use IntPredicate::{Eq, Ne, Sge, Slt, Uge, Ult};
                [Eq, Ne, Ult, Uge, Slt, Sge]
            };
            // The constant is often close to a real value.
            let near = pool.eval(e, &model_of(symbol, inputs[0]), &mut EvalMemo::new());
            let far = random.u64(..) & 0xffff;
            let of = [near, near, near ^ 1 << random.u64(..16), far][random.usize(..4)];
            let of = pool.constant(16, of);
            constraints.push(pool.compare(PREDICATES[random.usize(..6)], e, of));
        }
        let mut layer = Affine::default();
        let holds = |pool: &Pool, model: &Assignment| {
            let memo = &mut EvalMemo::new();
            constraints.iter().all(|&c| pool.holds(c, model, memo))
        };
        match layer.decide(&mut pool, &Query::new(&constraints)) {
            Some(Answer::Sat(model)) => {
                answers[0] += 1;
                assert!(holds(&pool, &model));
            }
            Some(Answer::Unsat) => {
                answers[1] += 1;
                let bytes = [(symbol, 0), (symbol, 1)];
                let code = pool.straight(&constraints, &bytes, usize::MAX);
                let mut code = code.expect("narrow numbers");
                let mut all = 0..=u16::MAX;
                assert!(!all.any(|input| code.holds(&input.to_le_bytes())));
            }
            _ => answers[2] += 1,
        }
    }
    assert!(affine > 300, "{affine}");
    assert!(answers.iter().all(|&count| count > 20), "{answers:?}");
}

/// Symbolic bytes and the CRC-32 of them, made with a table or bit by bit.
fn checksum(pool: &mut Pool, symbol: SymbolId, length: u32, by_table: bool) -> ExprId {
    let elements = crc_table();
    let elements: Vec<ExprId> = elements.iter().map(|&of| pool.constant(32, of)).collect();
    let table = pool.table(&elements);
    let all = pool.constant(32, 0xffff_ffff);
    let (eight, one) = (pool.constant(32, 8), pool.constant(32, 1));
    let polynomial = pool.constant(32, 0xedb8_8320);
    let mut crc = all;
    for at in 0..length {
        let byte = pool.symbol_byte(symbol, at);
        let byte = pool.zext(byte, 32);
        crc = pool.xor(crc, byte);
        if by_table {
            let low = pool.extract(crc, 0, 8);
            let index = pool.zext(low, 64);
            let rest = pool.binary(BinaryOp::LShr, crc, eight);
            let of = pool.read(table, index);
            crc = pool.xor(rest, of);
            continue;
        }
        for _ in 0..8 {
            let bit = pool.and(crc, one);
            let chosen = {
                let zero = pool.constant(32, 0);
                pool.sub(zero, bit)
            };
            let flips = pool.and(chosen, polynomial);
            let rest = pool.binary(BinaryOp::LShr, crc, one);
            crc = pool.xor(rest, flips);
        }
    }
    pool.xor(crc, all)
}

#[test]
fn text_with_a_given_checksum_is_found() {
    assert_eq!(crc_of(b"123456789"), 0xcbf4_3926);
    for by_table in [true, false] {
        let mut pool = Pool::new();
        let symbol = pool.symbol("text", 0, 12);
        let crc = checksum(&mut pool, symbol, 12, by_table);
        let stored = pool.constant(32, 0x1234_5678);
        let mut constraints = vec![pool.eq(crc, stored)];
        // Printable characters, and a quotient.
        let (space, tilde) = (pool.constant(8, 32), pool.constant(8, 127));
        for at in 0..12 {
            let byte = pool.symbol_byte(symbol, at);
            constraints.push(pool.ule(space, byte));
            constraints.push(pool.ult(byte, tilde));
        }
        let mut layer = Affine::default();
        let answer = layer.decide(&mut pool, &Query::new(&constraints));
        let Some(Answer::Sat(model)) = answer else {
            panic!("{answer:?}");
        };
        let text: Vec<u8> = (0..12).map(|at| model.byte(symbol, at)).collect();
        assert!(text.iter().all(|byte| (32..127).contains(byte)), "{text:?}");
        assert_eq!(crc_of(&text), 0x1234_5678);
    }
}

/// The same checksum computed in two ways: the difference is constant.
#[test]
fn checksums_are_equal_however_they_are_made() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("text", 0, 9);
    let [a, b] = [true, false].map(|by_table| checksum(&mut pool, symbol, 9, by_table));
    let equal = pool.eq(a, b);
    let differ = pool.not(equal);
    let mut layer = Affine::default();
    let answer = layer.decide(&mut pool, &Query::new(&[differ]));
    assert!(matches!(answer, Some(Answer::Unsat)));
    let answer = layer.decide(&mut pool, &Query::new(&[equal]));
    assert!(matches!(answer, Some(Answer::Sat(_))));
}

/// A long checksum computed bit by bit exceeds the limit; other queries are still answered.
#[test]
fn checksums_that_are_too_large_are_left_to_others() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("text", 0, 128);
    let mut layer = Affine::default();
    for (by_table, answered) in [(false, false), (true, true), (false, false)] {
        let crc = checksum(&mut pool, symbol, 128, by_table);
        let stored = pool.constant(32, 0x1234_5678);
        let same = pool.eq(crc, stored);
        let answer = layer.decide(&mut pool, &Query::new(&[same]));
        assert_eq!(answer.is_some(), answered);
        if let Some(answer) = answer {
            let Answer::Sat(model) = answer else {
                panic!("{answer:?}");
            };
            assert!(pool.holds(same, &model, &mut EvalMemo::new()));
        }
    }
}

/// Every checksum belongs to some four bytes, but not to four decimal digits.
#[test]
fn checksums_of_few_bytes_are_exact() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("text", 0, 4);
    let crc = checksum(&mut pool, symbol, 4, true);
    let mut layer = Affine::default();
    let digits: Vec<ExprId> = (0..4)
        .flat_map(|at| {
            let byte = pool.symbol_byte(symbol, at);
            let (nought, after) = (pool.constant(8, 48), pool.constant(8, 58));
            [pool.ule(nought, byte), pool.ult(byte, after)]
        })
        .collect();
    let all: Vec<u32> = (0..10_000u32)
        .map(|n| crc_of(format!("{n:04}").as_bytes()))
        .collect();
    let mut random = Rng::with_seed(77);
    for at in 0..60 {
        let wanted = match at % 3 {
            0 => all[random.usize(..10_000)],
            _ => random.u32(..),
        };
        let of = pool.constant(32, u64::from(wanted));
        let free = pool.eq(crc, of);
        let answer = layer.decide(&mut pool, &Query::new(&[free]));
        let Some(Answer::Sat(model)) = answer else {
            panic!("{answer:?}");
        };
        assert!(pool.holds(free, &model, &mut EvalMemo::new()));
        // Fixing the high digits of a checksum leaves an interval.
        for (predicate, shown) in [
            (IntPredicate::Eq, wanted),
            (IntPredicate::Ule, wanted % 1000 * 1000),
        ] {
            let of = pool.constant(32, u64::from(shown));
            let mut query = digits.clone();
            query.push(pool.compare(predicate, crc, of));
            let expected = all.iter().any(|&crc| match predicate {
                IntPredicate::Eq => crc == shown,
                _ => crc <= shown,
            });
            match layer.decide(&mut pool, &Query::new(&query)) {
                Some(Answer::Sat(model)) => {
                    let memo = &mut EvalMemo::new();
                    assert!(expected && query.iter().all(|&c| pool.holds(c, &model, memo)));
                }
                Some(Answer::Unsat) => assert!(!expected),
                other => panic!("{other:?}"),
            }
        }
    }
}
