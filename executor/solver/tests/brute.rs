//! The oracle against brute force: random path conditions over two input bytes are grown branch
//! by branch, and every answer is compared with trying all 65536 inputs.

use std::time::Duration;

use plat_expr::{Assignment, BinaryOp, EvalMemo, ExprId, IntPredicate, Pool, SymbolId};
use plat_solver::backend::z3::{Tuning, Z3};
use plat_solver::{
    Answer, BackEndChoice, Branch, Feasible, LogSink, Oracle, PathCondition, Query, QueryLanguage,
    SolverConfig, SolverStats,
};

use fastrand::Rng;

/// A random expression of `width` bits over two bytes.
fn expression(pool: &mut Pool, random: &mut Rng, s: SymbolId, width: u32, depth: u32) -> ExprId {
    let sub =
        |pool: &mut Pool, random: &mut Rng, width| expression(pool, random, s, width, depth - 1);
    if depth == 0 {
        if random.u64(..4) == 0 {
            let value = random.u64(..) >> random.u64(..48);
            return pool.constant(width, value);
        }
        let byte = pool.symbol_byte(s, random.u32(..2));
        return if random.bool() {
            pool.zext_or_trunc(byte, width)
        } else {
            pool.sext_or_trunc(byte, width)
        };
    }
    match random.u64(..8) {
        0..=3 => {
            const OPS: [BinaryOp; 13] = [
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Shl,
                BinaryOp::LShr,
                BinaryOp::AShr,
                BinaryOp::And,
                BinaryOp::Or,
                BinaryOp::Xor,
                BinaryOp::Mul,
                BinaryOp::UDiv,
                BinaryOp::SDiv,
                BinaryOp::URem,
                BinaryOp::SRem,
            ];
            // Products and quotients of many bits take solvers too long for a test.
            let ops = if width > 16 { 8 } else { 13 };
            let (a, b) = (sub(pool, random, width), sub(pool, random, width));
            pool.binary(OPS[random.u64(..ops) as usize], a, b)
        }
        4 => {
            let c = condition(pool, random, s, depth - 1);
            let (a, b) = (
                expression(pool, random, s, width, depth - 1),
                expression(pool, random, s, width, depth - 1),
            );
            pool.ite(c, a, b)
        }
        5 => {
            let len = 2 + random.u64(..40);
            let symbolic = random.u64(..3) == 0;
            let elements: Vec<ExprId> = (0..len)
                .map(|_| {
                    if symbolic && random.u64(..4) == 0 {
                        expression(pool, random, s, width, 0)
                    } else {
                        let value = random.u64(..);
                        pool.constant(width, value)
                    }
                })
                .collect();
            let table = pool.table(&elements);
            let index = expression(pool, random, s, 64, depth - 1);
            pool.read(table, index)
        }
        6 => {
            if width > 32 {
                return sub(pool, random, width);
            }
            let wide = sub(pool, random, width * 2);
            let low = random.u32(..width + 1);
            pool.extract(wide, low, width)
        }
        _ => {
            let (high, low) = (width / 2, width - width / 2);
            let (high, low) = (sub(pool, random, high), sub(pool, random, low));
            pool.concat(high, low)
        }
    }
}

fn condition(pool: &mut Pool, random: &mut Rng, s: SymbolId, depth: u32) -> ExprId {
    const PREDICATES: [IntPredicate; 6] = [
        IntPredicate::Eq,
        IntPredicate::Ne,
        IntPredicate::Ult,
        IntPredicate::Uge,
        IntPredicate::Slt,
        IntPredicate::Sge,
    ];
    let width = [8, 8, 16, 32][random.usize(..4)];
    let a = expression(pool, random, s, width, depth);
    let b = expression(pool, random, s, width, depth.min(1));
    pool.compare(PREDICATES[random.usize(..6)], a, b)
}

/// The inputs that satisfy all conditions.
fn satisfying(pool: &Pool, s: SymbolId, conditions: &[ExprId], among: &[u16]) -> Vec<u16> {
    let holds = |&input: &u16| {
        let mut assignment = Assignment::new();
        assignment.set(s, input.to_le_bytes());
        let mut memo = EvalMemo::new();
        conditions
            .iter()
            .all(|&c| pool.holds(c, &assignment, &mut memo))
    };
    among.iter().copied().filter(holds).collect()
}

fn input_of(model: &Assignment, s: SymbolId) -> u16 {
    u16::from_le_bytes([model.byte(s, 0), model.byte(s, 1)])
}

/// How many times the usual number of paths: `PLAT_TEST_ROUNDS`, 1 by default.
fn effort() -> u32 {
    std::env::var("PLAT_TEST_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// Grows random paths and compares every answer with brute force.
fn grow(make: impl Fn() -> Oracle, seed: u64, paths: u32) -> SolverStats {
    let mut random = Rng::with_seed(seed);
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 2);
    let mut oracle = make();
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for _ in 0..paths * effort() {
        let mut pc = PathCondition::new();
        let mut inputs = all.clone();
        for _ in 0..6 {
            let c = condition(&mut pool, &mut random, s, 2);
            let yes = satisfying(&pool, s, &[c], &inputs);
            let no_count = inputs.len() - yes.len();
            let (branch, negation) = (oracle.branch(&mut pool, &pc, c), pool.not(c));
            match branch {
                Branch::True => assert_eq!(no_count, 0, "{}", pool.display(c)),
                Branch::False => assert!(yes.is_empty(), "{}", pool.display(c)),
                Branch::Both { other, model_takes } => {
                    assert!(!yes.is_empty() && no_count > 0, "{}", pool.display(c));
                    let taken = yes.binary_search(&input_of(pc.model(), s)).is_ok();
                    assert_eq!(taken, model_takes);
                    let other_input = input_of(&other, s);
                    assert!(inputs.binary_search(&other_input).is_ok());
                    assert_eq!(yes.binary_search(&other_input).is_ok(), !model_takes);
                    let take_yes = random.bool();
                    let model = if take_yes == model_takes {
                        pc.model().clone()
                    } else {
                        other
                    };
                    let side = if take_yes { c } else { negation };
                    pc.add(&mut pool, side, &model);
                    if take_yes {
                        inputs = yes;
                    } else {
                        inputs.retain(|input| yes.binary_search(input).is_err());
                    }
                    assert!(inputs.binary_search(&input_of(pc.model(), s)).is_ok());
                }
                Branch::Unknown(reason) => panic!("{reason}: {}", pool.display(c)),
            }
            assert_eq!(
                oracle.must(&mut pool, &pc, c).ok(),
                Some(no_count == 0 || !yes_left(&pool, s, &inputs, negation))
            );
        }
        questions(&mut oracle, &mut pool, &mut random, &pc, s, &inputs);
    }
    oracle.stats()
}

fn yes_left(pool: &Pool, s: SymbolId, inputs: &[u16], c: ExprId) -> bool {
    !satisfying(pool, s, &[c], inputs).is_empty()
}

/// Values, bounds and the least model of a finished path.
fn questions(
    oracle: &mut Oracle,
    pool: &mut Pool,
    random: &mut Rng,
    pc: &PathCondition,
    s: SymbolId,
    inputs: &[u16],
) {
    let e = expression(pool, random, s, 16, 1);
    let mut values: Vec<u64> = inputs
        .iter()
        .map(|input| {
            let mut assignment = Assignment::new();
            assignment.set(s, input.to_le_bytes());
            pool.eval(e, &assignment, &mut EvalMemo::new())
        })
        .collect();
    values.sort_unstable();
    values.dedup();
    let unique = if values.len() == 1 {
        Some(values[0])
    } else {
        None
    };
    assert!(values.binary_search(&oracle.value(pool, pc, e)).is_ok());
    assert_eq!(oracle.unique(pool, pc, e).ok(), Some(unique));
    assert_eq!(
        oracle.bounds(pool, pc, e),
        (values[0], values[values.len() - 1])
    );
    // The first byte counts most.
    let least = inputs.iter().map(|input| input.swap_bytes()).min();
    let model = oracle.least_model(pool, pc, &[s]);
    assert_eq!(Some(input_of(&model, s).swap_bytes()), least);
}

fn with_config(config: SolverConfig) -> impl Fn() -> Oracle {
    move || Oracle::new(&config).expect("a known configuration")
}

#[test]
fn default_chain() {
    let stats = grow(
        with_config(SolverConfig::default()),
        0x1111_2222_3333_4445,
        20,
    );
    assert_eq!(stats.wrong.models, 0);
    assert!(stats.backend_queries < stats.queries);
}

#[test]
fn back_ends_alone_agree_with_enumeration() {
    for back_end in ["bits", "z3"] {
        let config = SolverConfig {
            backend: BackEndChoice::named(back_end).expect("a back end"),
            layers: Vec::new(),
            cross_check: BackEndChoice::named("enumerate"),
            ..SolverConfig::default()
        };
        let stats = grow(with_config(config), 0x9999_2222_3333_4445, 4);
        assert_eq!((stats.wrong.models, stats.wrong.disagreements), (0, 0));
    }
}

#[test]
fn every_encoding_of_tables() {
    for (mux_limit, logic) in [(0, ""), (1000, "QF_BV"), (1000, ""), (16, "QF_ABV")] {
        let tuning = Tuning {
            constant_mux_limit: mux_limit,
            mux_limit,
            max_terms: 200,
            solvers: 2,
            table_logic: logic,
            plain_logic: logic,
            ..Tuning::default()
        };
        let make =
            || Oracle::with_chain(Box::new(Z3::with_tuning(&SolverConfig::default(), tuning)));
        let stats = grow(make, 0x5555_2222_3333_4445 + mux_limit as u64, 6);
        assert_eq!(stats.wrong.models, 0);
        assert!(stats.backend_resets > 0);
    }
}

/// Factoring the product of two primes, each `bytes` long.
fn factoring_runs_into_the_time_limit(back_end: &str, bytes: u32, product: u128) {
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 16);
    let mut half = |from: u32| {
        (from..from + bytes).fold(None, |low: Option<ExprId>, index| {
            let byte = pool.symbol_byte(s, index);
            Some(low.map_or(byte, |low| pool.concat(byte, low)))
        })
    };
    let (p, q) = (half(0).expect("bytes"), half(8).expect("bytes"));
    let width = 16 * bytes;
    let (p, q) = (pool.zext(p, width), pool.zext(q, width));
    let n = pool.constant_u128(width, product);
    let product = pool.mul(p, q);
    let one = pool.constant(width, 1);
    let conditions = [pool.eq(product, n), pool.ult(one, p), pool.ult(one, q)];
    let config = SolverConfig {
        backend: BackEndChoice::named(back_end).expect("a back end"),
        time_limit: Some(Duration::from_millis(200)),
        ..SolverConfig::default()
    };
    let mut oracle = Oracle::new(&config).expect("a known configuration");
    let start = std::time::Instant::now();
    let all = conditions
        .into_iter()
        .reduce(|a, b| pool.and(a, b))
        .expect("conditions");
    let found = oracle.feasible(&mut pool, &PathCondition::new(), all);
    assert!(matches!(found, Feasible::Unknown(_)), "{found:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
    // The solver is still of use.
    let byte = pool.symbol_byte(s, 3);
    let other = pool.symbol_byte(s, 4);
    let less = pool.ult(byte, other);
    assert!(matches!(
        oracle.feasible(&mut pool, &PathCondition::new(), less),
        Feasible::Yes(_)
    ));
}

#[test]
fn a_hard_query_runs_into_the_time_limit() {
    for back_end in ["bits", "z3"] {
        let product = 4_611_686_018_427_387_847 * 4_611_686_018_427_387_817;
        factoring_runs_into_the_time_limit(back_end, 8, product);
        factoring_runs_into_the_time_limit(back_end, 4, 2_654_435_761 * 3_037_000_493);
    }
}

#[test]
fn independent_constraints_stay_separate() {
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 200);
    let mut pc = PathCondition::new();
    let model = |values: &[(u32, u8)]| {
        let mut model = Assignment::new();
        values
            .iter()
            .for_each(|&(at, value)| model.set_byte(s, at, value));
        model
    };
    let less = |pool: &mut Pool, a: u32, b: u32| {
        let (a, b) = (pool.symbol_byte(s, a), pool.symbol_byte(s, b));
        pool.ult(a, b)
    };
    let first = less(&mut pool, 0, 1);
    pc.add(&mut pool, first, &model(&[(1, 5)]));
    let second = less(&mut pool, 100, 101);
    pc.add(&mut pool, second, &model(&[(101, 9), (1, 0)]));
    assert_eq!((pc.model().byte(s, 1), pc.model().byte(s, 101)), (5, 9));
    let before = pc.clone();
    assert_eq!(pc.relevant(&pool, second), [second]);
    let link = less(&mut pool, 1, 100);
    assert_eq!(pc.relevant(&pool, link), [first, second]);
    pc.add(&mut pool, link, &model(&[(1, 5), (100, 6), (101, 9)]));
    let third = less(&mut pool, 0, 199);
    assert_eq!(pc.relevant(&pool, third), [first, second, link]);
    assert_eq!(before.relevant(&pool, third), [first]);
    assert_eq!(pc.constraints().collect::<Vec<_>>(), [first, second, link]);
    // A conjunction is taken apart.
    let (a, b) = (less(&mut pool, 20, 21), less(&mut pool, 30, 31));
    let both = pool.and(a, b);
    pc.add(&mut pool, both, &model(&[(21, 1), (31, 1)]));
    assert_eq!(pc.relevant(&pool, a), [a]);
    assert_eq!(pc.len(), 5);
}

#[test]
fn queries_are_logged_in_both_languages() {
    let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = |language| {
        let seen = lines.clone();
        let write = move |number, text: &str| {
            seen.lock()
                .expect("no panic")
                .push((number, text.to_owned()));
        };
        LogSink {
            language,
            write: std::sync::Arc::new(write),
        }
    };
    let config = SolverConfig {
        layers: Vec::new(),
        log: [QueryLanguage::SmtLib, QueryLanguage::KQuery]
            .map(sink)
            .into(),
        ..SolverConfig::default()
    };
    let mut solver = plat_solver::chain(&config).expect("a known configuration");
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 2);
    let (a, b) = (pool.symbol_byte(s, 0), pool.symbol_byte(s, 1));
    let less = pool.ult(a, b);
    let answer = solver.check(&mut pool, &Query::new(&[less]));
    assert!(matches!(answer, Answer::Sat(_)));
    let lines = lines.lock().expect("no panic");
    let beginnings = [
        "; answered: sat\n(set-logic QF_ABV)\n",
        "# answered: sat\narray x[2] : w32 -> w8 = symbolic\n(query [",
    ];
    assert_eq!(lines.len(), 2);
    for ((number, text), beginning) in lines.iter().zip(beginnings) {
        assert!(*number == 1 && text.starts_with(beginning), "{text}");
    }
}

/// Deep expressions, as from a long loop, neither overflow the stack nor panic.
#[test]
fn a_deep_expression() {
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 4);
    let mut sum = pool.constant(8, 1);
    for round in 0..100_000 {
        let byte = pool.symbol_byte(s, round % 4);
        let factor = pool.constant(8, 3 + 2 * u64::from(round % 100));
        let product = pool.mul(sum, factor);
        sum = pool.xor(product, byte);
    }
    let limit = pool.constant(8, 100);
    let less = pool.ult(sum, limit);
    let config = SolverConfig {
        time_limit: Some(Duration::from_millis(500)),
        ..SolverConfig::default()
    };
    let mut oracle = Oracle::new(&config).expect("a known configuration");
    let pc = PathCondition::new();
    // Either answer will do, and so will none.
    let _ = oracle.branch(&mut pool, &pc, less);
    assert!(pool.smtlib(&[less]).len() > 100_000);
    assert!(pool.display(less).to_string().len() > 100_000);
}
