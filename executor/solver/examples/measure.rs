//! Measurements behind the design of this crate: the cost of building and evaluating nodes, and of
//! queries by encoding of tables, kind and number of Z3 solvers.
//!
//! `cargo run --release -p plat-solver --example measure [nodes|tables|vectors|paths|growth]`

use std::time::Duration;

use plat_expr::{EvalMemo, ExprId, FALSE, Pool, SymbolId, TRUE};
use plat_solver::backend::z3::{Tuning, Z3};
use plat_solver::{Answer, Query, Solver, SolverConfig};

use fastrand::Rng;

/// Processor time of this thread, so that a loaded machine does not matter.
struct Cpu(Duration);

impl Cpu {
    fn read() -> Duration {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
        Duration::from_nanos(nanoseconds.unwrap_or(0))
    }

    fn now() -> Self {
        Self(Self::read())
    }

    fn elapsed(&self) -> Duration {
        Self::read().saturating_sub(self.0)
    }
}

fn main() {
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let wanted = |name: &str| chosen.is_empty() || chosen.iter().any(|c| c == name);
    if wanted("nodes") {
        nodes();
    }
    if wanted("tables") {
        tables();
    }
    if wanted("vectors") {
        vectors();
    }
    if wanted("paths") {
        paths();
    }
    if wanted("growth") {
        growth();
    }
}

/// A checksum over bytes: four nodes a byte, none of which simplify away.
fn checksum(pool: &mut Pool, s: SymbolId, rounds: u32) -> ExprId {
    let mut sum = pool.constant(32, 5381);
    for round in 0..rounds {
        let byte = pool.symbol_byte(s, round % 64);
        let byte = pool.zext(byte, 32);
        let factor = pool.constant(32, 33 + 2 * u64::from(round));
        let product = pool.mul(sum, factor);
        sum = pool.xor(product, byte);
    }
    sum
}

fn nodes() {
    const ROUNDS: u32 = 300_000;
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 64);
    let per = |time: Duration, count: usize| time.as_nanos() as f64 / count as f64;
    let start = Cpu::now();
    let sum = checksum(&mut pool, s, ROUNDS);
    let made = pool.len();
    println!(
        "building a new node: {:.0} ns ({made} nodes)",
        per(start.elapsed(), made)
    );
    let start = Cpu::now();
    assert_eq!(checksum(&mut pool, s, ROUNDS), sum);
    let calls = ROUNDS as usize * 5;
    println!(
        "building a known node: {:.0} ns",
        per(start.elapsed(), calls)
    );
    let assignment = plat_expr::Assignment::new();
    let start = Cpu::now();
    let mut memo = EvalMemo::new();
    std::hint::black_box(pool.eval(sum, &assignment, &mut memo));
    println!(
        "evaluating a node: {:.0} ns",
        per(start.elapsed(), memo.len())
    );
    let start = Cpu::now();
    for _ in 0..1000 {
        std::hint::black_box(pool.eval(sum, &assignment, &mut memo));
    }
    println!("evaluating again: {:.0} ns", per(start.elapsed(), 1000));
    let byte = pool.symbol_byte(s, 0);
    let wide = pool.zext(byte, 32);
    let mut e = wide;
    for round in 0..20u64 {
        let c = pool.constant(32, 0x9e37_79b9 + round);
        e = pool.mul(e, c);
        e = pool.xor(e, wide);
    }
    let conditions: Vec<ExprId> = (1..=1000)
        .map(|at| {
            let c = pool.constant(32, 12345 * at);
            pool.ult(e, c)
        })
        .collect();
    let start = Cpu::now();
    for &condition in &conditions {
        std::hint::black_box(pool.diagram(condition, plat_expr::THOROUGH));
    }
    println!("a truth table: {:.0} ns", per(start.elapsed(), 1000));
}

/// Ten branches a path, both sides asked at each: the mix that an executor asks.
fn walk(
    solver: &mut dyn Solver,
    pool: &mut Pool,
    paths: u32,
    mut condition: impl FnMut(&mut Pool, u32, u32) -> ExprId,
) -> (u32, u32, u32) {
    let (mut sat, mut unsat, mut unknown) = (0, 0, 0);
    for path in 0..paths {
        let mut constraints = Vec::new();
        for branch in 0..10 {
            let c = condition(pool, path, branch);
            if c == TRUE || c == FALSE {
                continue;
            }
            let mut side = None;
            for c in [c, pool.not(c)] {
                constraints.push(c);
                match solver.check(pool, &Query::new(&constraints)) {
                    Answer::Sat(_) => {
                        sat += 1;
                        side = Some(c);
                    }
                    Answer::Unsat => unsat += 1,
                    Answer::Unknown(_) => unknown += 1,
                }
                constraints.pop();
            }
            constraints.extend(side);
        }
    }
    (sat, unsat, unknown)
}

fn config() -> SolverConfig {
    SolverConfig {
        time_limit: Some(Duration::from_secs(5)),
        ..SolverConfig::default()
    }
}

fn report(name: &str, start: Cpu, (sat, unsat, unknown): (u32, u32, u32)) {
    let count = sat + unsat + unknown;
    let each = start.elapsed().as_secs_f64() * 1000.0 / f64::from(count.max(1));
    println!("{name}: {each:.2} ms a query ({sat} sat, {unsat} unsat, {unknown} unknown)");
}

/// Reads of tables of random bytes, constant and partly symbolic, at sums of input bytes.
fn tables() {
    for symbolic in [false, true] {
        for len in [16usize, 64, 256, 1024] {
            for (name, mux_limit, logic) in [
                ("choices, bit-vector solver", usize::MAX, "QF_BV"),
                ("choices, general solver", usize::MAX, ""),
                ("array, array solver", 0, "QF_ABV"),
                ("array, general solver", 0, ""),
            ] {
                let mut random = Rng::with_seed(7 + len as u64);
                let mut pool = Pool::new();
                let s = pool.symbol("x", 0, 64);
                let mut solver = Z3::with_tuning(
                    &config(),
                    Tuning {
                        constant_mux_limit: mux_limit,
                        mux_limit,
                        table_logic: logic,
                        ..Tuning::default()
                    },
                );
                let start = Cpu::now();
                let mut table = None;
                let found = walk(&mut solver, &mut pool, 6, |pool, _, branch| {
                    if branch == 0 || table.is_none() {
                        let elements: Vec<ExprId> = (0..len)
                            .map(|at| {
                                let value = random.u64(..);
                                if symbolic && at % 16 == 3 {
                                    pool.symbol_byte(s, 32 + at as u32 % 32)
                                } else {
                                    pool.constant(8, value)
                                }
                            })
                            .collect();
                        table = Some(pool.table(&elements));
                    }
                    let byte = |pool: &mut Pool, random: &mut Rng| {
                        let byte = pool.symbol_byte(s, random.u32(..6));
                        pool.zext(byte, 64)
                    };
                    let (a, b) = (byte(pool, &mut random), byte(pool, &mut random));
                    let four = pool.constant(64, 4);
                    let scaled = pool.mul(a, four);
                    let sum = pool.add(scaled, b);
                    let size = pool.constant(64, len as u64);
                    let index = pool.urem(sum, size);
                    let value = table.map(|table| pool.read(table, index)).unwrap_or(a);
                    let bound = pool.constant(8, 20 + random.u64(..200));
                    match random.u64(..3) {
                        0 => pool.eq(value, bound),
                        1 => pool.ult(value, bound),
                        _ => {
                            let other = pool.symbol_byte(s, random.u32(..6));
                            pool.ult(value, other)
                        }
                    }
                });
                let kind = if symbolic {
                    "partly symbolic"
                } else {
                    "constant"
                };
                report(&format!("{kind} table of {len}, {name}"), start, found);
            }
        }
    }
}

/// Comparisons of sums and products of input bytes.
fn vector_condition(pool: &mut Pool, random: &mut Rng, s: SymbolId, width: u32) -> ExprId {
    let mut byte = |pool: &mut Pool| {
        let byte = pool.symbol_byte(s, random.u32(..12));
        pool.zext(byte, width)
    };
    let (a, b, c) = (byte(pool), byte(pool), byte(pool));
    let value = match random.u64(..4) {
        0 => pool.mul(a, b),
        1 => pool.sub(a, b),
        _ => pool.add(a, b),
    };
    let constant = pool.constant(width, random.u64(..400));
    match random.u64(..4) {
        0 => pool.eq(value, constant),
        1 => pool.slt(value, constant),
        2 => pool.ult(c, value),
        _ => {
            let sum = pool.add(value, constant);
            pool.slt(sum, c)
        }
    }
}

fn vectors() {
    for width in [32, 64] {
        for logic in ["", "QF_BV", "QF_FD"] {
            let mut random = Rng::with_seed(99);
            let mut pool = Pool::new();
            let s = pool.symbol("x", 0, 64);
            let mut solver = Z3::with_tuning(
                &config(),
                Tuning {
                    plain_logic: logic,
                    ..Tuning::default()
                },
            );
            let start = Cpu::now();
            let found = walk(&mut solver, &mut pool, 20, |pool, _, _| {
                vector_condition(pool, &mut random, s, width)
            });
            report(
                &format!("no tables, {width} bits, logic {logic:?}"),
                start,
                found,
            );
        }
    }
}

/// Several paths walked in turn, by the number of solvers that follow them.
fn paths() {
    for solvers in [1, 2, 4, 8, 16] {
        let mut random = Rng::with_seed(5);
        let mut pool = Pool::new();
        let s = pool.symbol("x", 0, 64);
        let mut solver = Z3::with_tuning(
            &config(),
            Tuning {
                solvers,
                ..Tuning::default()
            },
        );
        let mut paths = vec![Vec::new(); 6];
        let start = Cpu::now();
        let mut found = (0, 0, 0);
        for _ in 0..8 {
            for path in &mut paths {
                let c = vector_condition(&mut pool, &mut random, s, 32);
                path.push(c);
                match solver.check(&mut pool, &Query::new(path)) {
                    Answer::Sat(_) => found.0 += 1,
                    Answer::Unsat => found.1 += 1,
                    Answer::Unknown(_) => found.2 += 1,
                }
                if found.1 + found.2 > 0 {
                    path.pop();
                }
            }
        }
        report(&format!("6 paths in turn, {solvers} solvers"), start, found);
    }
}

/// Many different paths through one back end: time and memory must not grow without bound.
fn growth() {
    let mut random = Rng::with_seed(5);
    let mut pool = Pool::new();
    let s = pool.symbol("x", 0, 64);
    let mut solver = Z3::new(&config());
    for round in 0..10 {
        let start = Cpu::now();
        let found = walk(&mut solver, &mut pool, 100, |pool, _, _| {
            vector_condition(pool, &mut random, s, 32)
        });
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let resident = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap_or("");
        let mut stats = plat_solver::SolverStats::default();
        solver.stats(&mut stats);
        report(
            &format!("round {round}, {resident}, {} resets", stats.backend_resets),
            start,
            found,
        );
    }
}
