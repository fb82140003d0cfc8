//! Every solver respects deadlines: a past one gives no answer at once, a near one ends an endless
//! search.

use std::time::Duration;

use plat_expr::{Assignment, BinaryOp, ExprId, IntPredicate, Pool};
use plat_solver::{
    Answer, BACKENDS, BackEndChoice, Deadline, Effort, Feasible, Oracle, PathCondition, Query,
    SolverConfig, chain,
};

/// No limits but the deadline.
fn unlimited(backend: &str) -> SolverConfig {
    SolverConfig {
        backend: BackEndChoice::named(backend).expect("a back end"),
        time_limit: None,
        ..SolverConfig::default()
    }
}

/// A word of the input.
fn number(pool: &mut Pool, name: &str, bytes: u32) -> ExprId {
    let symbol = pool.symbol(name, 0, bytes);
    let first = pool.symbol_byte(symbol, 0);
    (1..bytes).fold(first, |low, at| {
        let byte = pool.symbol_byte(symbol, at);
        pool.concat(byte, low)
    })
}

/// Factoring the product of two primes near 2^48: years of work.
fn factors(pool: &mut Pool) -> Vec<ExprId> {
    const PRODUCT: u128 = 235_848_283_603_883 * 109_153_376_441_867;
    let (x, y) = (number(pool, "x", 6), number(pool, "y", 6));
    let (wide_x, wide_y) = (pool.zext(x, 96), pool.zext(y, 96));
    let product = pool.mul(wide_x, wide_y);
    let limbs = [PRODUCT as u64, (PRODUCT >> 64) as u64];
    let number = pool.constant_limbs(96, &limbs);
    let one = pool.constant(48, 1);
    vec![pool.ult(one, x), pool.ult(one, y), pool.eq(product, number)]
}

#[test]
fn a_past_deadline_gives_no_answer() {
    // The dummy has no answer at any time.
    let answering = BACKENDS.iter().filter(|backend| backend.name != "dummy");
    for backend in answering {
        let mut pool = Pool::new();
        let (x, y) = (number(&mut pool, "x", 1), number(&mut pool, "y", 1));
        let less = pool.compare(IntPredicate::Ult, x, y);
        let mut solver = (backend.make)(&unlimited(backend.name));
        let mut ask = |deadline| {
            let constraints = &[less];
            let query = Query {
                constraints,
                deadline,
                effort: Effort::FULL,
                spent: None,
                model: None,
            };
            solver.check(&mut pool, &query)
        };
        let late = ask(Deadline::after(Some(Duration::ZERO)));
        assert!(matches!(late, Answer::Unknown(_)), "{}", backend.name);
        assert!(
            matches!(ask(Deadline::NEVER), Answer::Sat(_)),
            "{}",
            backend.name
        );
    }
}

#[test]
fn a_deadline_ends_an_endless_search() {
    for backend in ["bits", "z3"] {
        let mut pool = Pool::new();
        let constraints = factors(&mut pool);
        let mut solver = chain(&unlimited(backend)).expect("a back end");
        let query = Query {
            constraints: &constraints,
            deadline: Deadline::after(Some(Duration::from_millis(200))),
            effort: Effort::FULL,
            spent: None,
            model: None,
        };
        let answer = solver.check(&mut pool, &query);
        assert!(matches!(answer, Answer::Unknown(_)), "{backend}");
    }
}

/// A table index and another byte: a layer above the back end enumerates them, which takes long.
#[test]
fn layers_respect_the_deadline() {
    let mut pool = Pool::new();
    let (index, other) = (number(&mut pool, "i", 2), number(&mut pool, "o", 1));
    let elements: Vec<ExprId> = (0..1000u64)
        .map(|at| pool.constant(16, at * at % 509))
        .collect();
    let table = pool.table(&elements);
    let (wide, size) = (pool.zext(index, 64), pool.constant(16, 1000));
    let inside = pool.ult(index, size);
    let read = pool.read(table, wide);
    let (least, other16) = (pool.constant(8, 250), pool.zext(other, 16));
    let late = pool.compare(IntPredicate::Ult, least, other);
    let (sum, wanted) = (pool.add(read, other16), pool.constant(16, 456));
    // No square modulo 509 is so near below.
    let equal = pool.eq(sum, wanted);
    let never = pool.and(inside, late);
    let never = pool.and(never, equal);
    let byte = number(&mut pool, "byte", 1);
    let small = pool.constant(8, 3);
    let below = pool.ult(byte, small);

    let mut oracle = Oracle::new(&unlimited("bits")).expect("a chain");
    let pc = PathCondition::new();
    oracle.set_deadline(Deadline::after(Some(Duration::ZERO)));
    let late = oracle.feasible(&mut pool, &pc, never);
    assert!(matches!(late, Feasible::Unknown(_)), "{late:?}");
    assert!(matches!(
        oracle.feasible(&mut pool, &pc, below),
        Feasible::Yes(_)
    ));
    oracle.set_deadline(Deadline::NEVER);
    let found = oracle.feasible(&mut pool, &pc, never);
    assert!(matches!(found, Feasible::No), "{found:?}");
}

/// Without time to find the least model, there still is a model.
#[test]
fn a_past_deadline_still_gives_a_model() {
    let mut pool = Pool::new();
    let (x, y) = (number(&mut pool, "x", 2), number(&mut pool, "y", 2));
    let (sum, wanted) = (pool.add(x, y), pool.constant(16, 7777));
    let equal = pool.eq(sum, wanted);
    let mut model = Assignment::new();
    for name in ["x", "y"] {
        let symbol = pool.symbol(name, 0, 2);
        let half: u16 = if name == "x" { 7000 } else { 777 };
        model.set(symbol, half.to_le_bytes());
    }
    let mut pc = PathCondition::new();
    pc.add(&mut pool, equal, &model);
    let mut oracle = Oracle::new(&unlimited("bits")).expect("a chain");
    let mut least = |deadline| {
        oracle.set_deadline(deadline);
        let model = oracle.least_model(&mut pool, &pc, &[]);
        oracle.value(&mut pool, &pc, equal);
        let memo = &mut plat_expr::EvalMemo::new();
        assert!(pool.holds(equal, &model, memo));
        pool.eval(x, &model, memo)
    };
    // Nothing is remembered that was not settled.
    assert_eq!(least(Deadline::after(Some(Duration::ZERO))), 7000);
    assert_eq!(least(Deadline::NEVER), 0);
}

/// A hash of two bytes takes a SAT search minutes, so inputs are enumerated.
#[test]
fn a_hard_search_ends_in_enumeration() {
    let mut pool = Pool::new();
    let word = number(&mut pool, "w", 2);
    let seed = pool.constant(32, 0xdead_beef);
    let wide = pool.zext(word, 32);
    let mut hash = pool.add(wide, seed);
    let mut model = (0..=u16::MAX).map(|word| u32::from(word).wrapping_add(0xdead_beef));
    let mut values: Vec<u32> = model.by_ref().collect();
    for round in [14u64, 11, 25, 16, 4, 14, 24] {
        let (left, right) = (pool.constant(32, round), pool.constant(32, 32 - round));
        let (high, low) = (
            pool.binary(BinaryOp::Shl, hash, left),
            pool.binary(BinaryOp::LShr, hash, right),
        );
        let turned = pool.or(high, low);
        let mixed = pool.xor(hash, seed);
        hash = pool.binary(BinaryOp::Sub, mixed, turned);
        for value in &mut values {
            let turned = value.rotate_left(round as u32);
            *value = (*value ^ 0xdead_beef).wrapping_sub(turned);
        }
    }
    let mut solver = (BACKENDS.iter().find(|entry| entry.name == "bits"))
        .map(|entry| (entry.make)(&unlimited("bits")))
        .expect("a back end");
    let mut sorted = values.clone();
    sorted.sort_unstable();
    for wanted in [values[777], values[65_000], 12_345, 0x8000_0001] {
        let constant = pool.constant(32, u64::from(wanted));
        let equal = pool.eq(hash, constant);
        let answer = solver.check(&mut pool, &Query::new(&[equal]));
        match answer {
            Answer::Sat(model) => {
                let memo = &mut plat_expr::EvalMemo::new();
                let at = pool.eval(word, &model, memo) as usize;
                assert_eq!(values[at], wanted);
            }
            Answer::Unsat => assert!(sorted.binary_search(&wanted).is_err()),
            Answer::Unknown(why) => panic!("{why}"),
        }
    }
}
