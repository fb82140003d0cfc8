//! Every layer, and all of them together, against enumeration. Paths of random constraints on three
//! bytes, of the kinds that layers look for, are grown; each query of a path goes to layers above a
//! solver that tries all inputs. If a layer drops a constraint wrongly, a model does not satisfy it
//! or the answer differs from enumeration's.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use plat_expr::{
    Assignment, BinaryOp, EvalMemo, ExprId, Holder, IntPredicate, Marks, Moves, Pool, SymbolId,
};
use plat_solver::{Answer, LAYERS, Query, Solver, SolverConfig, SolverStats};

/// The most inputs tried in straight-line code, and node by node where there is none.
const INPUTS: usize = 1 << 16;
const EVALUATIONS: usize = 1 << 10;

use fastrand::Rng;

/// Tries all inputs that constraints on single bytes allow. The cache is shared by all solvers of a
/// pool.
#[derive(Clone, Default)]
struct Exact(Rc<RefCell<HashMap<Vec<ExprId>, Answer>>>);

fn holds(pool: &Pool, constraints: &[ExprId], model: &Assignment) -> bool {
    let memo = &mut EvalMemo::new();
    constraints.iter().all(|&c| pool.holds(c, model, memo))
}

fn enumerate(pool: &Pool, constraints: &[ExprId]) -> Answer {
    let of_each = constraints.iter().flat_map(|&c| pool.symbols(c).iter());
    let mut bytes: Vec<(SymbolId, u32)> = of_each.collect();
    bytes.sort_unstable();
    bytes.dedup();
    let mut values: Vec<Vec<u8>> = Vec::new();
    let mut inputs = 1;
    for &(symbol, index) in &bytes {
        let alone = |c: &ExprId| pool.symbols(*c).iter().eq([(symbol, index)]);
        let alone: Vec<ExprId> = constraints.iter().copied().filter(alone).collect();
        let allowed = |&value: &u8| {
            let mut model = Assignment::new();
            model.set_byte(symbol, index, value);
            holds(pool, &alone, &model)
        };
        values.push((0..=u8::MAX).filter(allowed).collect());
        inputs *= values[values.len() - 1].len();
    }
    let mut code = pool.straight(constraints, &bytes, usize::MAX);
    if inputs > if code.is_some() { INPUTS } else { EVALUATIONS } {
        return Answer::Unknown("too many inputs".to_owned());
    }
    for input in 0..inputs {
        let mut rest = input;
        let mut tried = Vec::with_capacity(bytes.len());
        for values in &values {
            tried.push(values[rest % values.len()]);
            rest /= values.len();
        }
        if code.as_mut().is_some_and(|code| !code.holds(&tried)) {
            continue;
        }
        let mut model = Assignment::new();
        for (&(symbol, index), &value) in bytes.iter().zip(&tried) {
            model.set_byte(symbol, index, value);
        }
        if holds(pool, constraints, &model) {
            return Answer::Sat(model);
        }
    }
    Answer::Unsat
}

/// Its keys are ids, which change in a collection.
impl Holder for Exact {
    fn mark(&self, _: &mut Marks<'_>) {}

    fn relocate(&mut self, _: &mut Moves) {
        self.0.borrow_mut().clear();
    }
}

impl Solver for Exact {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let mut known = self.0.borrow_mut();
        let answer = known.entry(query.constraints.to_vec());
        let answer = answer.or_insert_with(|| enumerate(pool, query.constraints));
        answer.clone()
    }

    fn stats(&self, _: &mut SolverStats) {}
}

/// The bytes, and values that satisfy the path so far.
struct Input {
    bytes: [ExprId; 3],
    model: Assignment,
}

/// A number of 1 to 128 bits.
fn term(pool: &mut Pool, random: &mut Rng, input: &Input, depth: u32) -> ExprId {
    if depth == 0 {
        let mut word = random.choice(input.bytes).unwrap();
        for _ in 0..random.choice([0, 0, 1, 1, 2]).unwrap() {
            let high = random.choice(input.bytes).unwrap();
            word = pool.concat(high, word);
        }
        return word;
    }
    let a = term(pool, random, input, depth - 1);
    let width = pool.width(a);
    let value = random.u64(..) >> random.u64(..48);
    let constant = pool.constant_u128(width, value.into());
    match random.u64(..14) {
        at @ (0 | 1) => {
            let wider = random.choice([16, 24, 32, 64, 65, 128]).unwrap().max(width);
            match at {
                0 => pool.zext_or_trunc(a, wider),
                _ => pool.sext_or_trunc(a, wider),
            }
        }
        2 => {
            let low = random.u32(..width);
            let kept = 1 + random.u32(..width - low);
            pool.extract(a, low, kept)
        }
        3 => pool.not(a),
        4 => pool.add(a, constant),
        5 => pool.sub(constant, a),
        6 => {
            let by = pool.constant_u128(width, (1 + random.u64(..300)).into());
            pool.binary(
                random.choice([BinaryOp::UDiv, BinaryOp::URem]).unwrap(),
                a,
                by,
            )
        }
        7 => {
            let by = pool.constant_u128(width, random.u64(..u64::from(width) + 1).into());
            const SHIFTS: [BinaryOp; 3] = [BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr];
            pool.binary(random.choice(SHIFTS).unwrap(), a, by)
        }
        8 => pool.binary(
            random.choice([BinaryOp::And, BinaryOp::Or]).unwrap(),
            a,
            constant,
        ),
        9 | 10 => {
            let b = term(pool, random, input, depth - 1);
            let b = pool.zext_or_trunc(b, width);
            use BinaryOp::{Add, And, Mul, Or, Sub, Xor};
            pool.binary(
                random
                    .choice([Add, And, Mul, Or, Sub, Xor, Xor, Xor])
                    .unwrap(),
                a,
                b,
            )
        }
        11 => {
            let (len, affine) = (random.choice([3, 40, 256]).unwrap(), random.bool());
            let of = random.choice([1, 8, 16]).unwrap();
            let elements: Vec<ExprId> = (0..len)
                .map(|at: u64| match affine {
                    true => pool.constant(of, at << 3 ^ at ^ value),
                    false => pool.constant(of, random.u64(..)),
                })
                .collect();
            let (table, index) = (pool.table(&elements), pool.zext_or_trunc(a, 64));
            pool.read(table, index)
        }
        12 => {
            let condition = condition(pool, random, input, depth - 1);
            let b = term(pool, random, input, depth - 1);
            let b = pool.zext_or_trunc(b, width);
            pool.ite(condition, a, b)
        }
        _ => {
            let b = term(pool, random, input, 0);
            match width + pool.width(b) <= 128 {
                true => pool.concat(a, b),
                false => a,
            }
        }
    }
}

fn condition(pool: &mut Pool, random: &mut Rng, input: &Input, depth: u32) -> ExprId {
    match random.u64(..10) {
        at @ 0..3 if depth > 0 => {
            let a = condition(pool, random, input, depth - 1);
            let b = condition(pool, random, input, depth - 1);
            match at {
                0 => pool.and(a, b),
                1 => pool.or(a, b),
                _ => pool.not(a),
            }
        }
        _ => {
            let a = term(pool, random, input, depth);
            let width = pool.width(a);
            let b = match random.u64(..5) {
                0 => {
                    let b = term(pool, random, input, depth.min(1));
                    pool.zext_or_trunc(b, width)
                }
                1 => pool.constant_u128(width, random.u64(..).into()),
                // What the number can be, or close to it.
                _ => {
                    let limbs = pool.eval_limbs(a, &input.model, &mut EvalMemo::new());
                    let near = limbs
                        .iter()
                        .rev()
                        .fold(0, |high, &l| high << 64 | u128::from(l));
                    let by = random.choice([0, 0, 1, u128::MAX, 9]).unwrap();
                    pool.constant_u128(width, near.wrapping_add(by))
                }
            };
            const PREDICATES: [IntPredicate; 6] = {
                use IntPredicate::{Eq, Ne, Sge, Slt, Uge, Ult};
                [Eq, Ne, Sge, Slt, Uge, Ult]
            };
            pool.compare(random.choice(PREDICATES).unwrap(), a, b)
        }
    }
}

/// A constraint that leaves a byte few values, in a form that programs have.
fn domain(pool: &mut Pool, random: &mut Rng, byte: ExprId) -> ExprId {
    let first = pool.constant(8, random.u64(..256));
    let size = pool.constant(8, 1 + random.u64(..14));
    let offset = pool.sub(byte, first);
    let inside = pool.ult(offset, size);
    match random.u64(..3) {
        0 => {
            let other = pool.constant(8, random.u64(..256));
            let other = pool.eq(byte, other);
            pool.or(inside, other)
        }
        _ => inside,
    }
}

/// Solvers above enumeration, by name.
fn solvers(exact: &Exact) -> Vec<(String, Box<dyn Solver>)> {
    let alone = LAYERS.iter().map(|layer| {
        let solver = (layer.wrap)(Box::new(exact.clone()));
        (layer.name.to_owned(), solver)
    });
    let mut all: Box<dyn Solver> = Box::new(exact.clone());
    for name in SolverConfig::default().layers.iter().rev() {
        let layer = LAYERS.iter().find(|layer| layer.name == name);
        all = (layer.expect("a layer").wrap)(all);
    }
    alone.chain([("all".to_owned(), all)]).collect()
}

/// Asks every solver. Returns whether the query is satisfiable, unless it has too many inputs to
/// try.
fn ask(
    pool: &mut Pool,
    exact: &mut Exact,
    solvers: &mut [(String, Box<dyn Solver>)],
    constraints: &[ExprId],
) -> Option<Answer> {
    let query = Query::new(constraints);
    let expected = exact.check(pool, &query);
    if matches!(expected, Answer::Unknown(_)) {
        return None;
    }
    let shown = |pool: &Pool| {
        let all = constraints.iter().map(|&c| pool.display(c).to_string());
        all.collect::<Vec<_>>().join("\n")
    };
    for (name, solver) in solvers {
        match (solver.check(pool, &query), &expected) {
            (Answer::Sat(model), Answer::Sat(_)) => {
                assert!(holds(pool, constraints, &model), "{name}: {}", shown(pool));
            }
            (Answer::Unsat, Answer::Unsat) => {}
            (found, _) => panic!("{name}: {found:?}, not {expected:?}:\n{}", shown(pool)),
        }
    }
    Some(expected)
}

/// How many times the usual number of paths: `PLAT_TEST_ROUNDS`, 1 by default.
fn effort() -> u64 {
    let rounds = std::env::var("PLAT_TEST_ROUNDS").ok();
    rounds.and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn layers_agree_with_enumeration() {
    let mut stats = SolverStats::default();
    let mut counts = [0; 2];
    for seed in 1..=10 * effort() {
        let mut random = Rng::with_seed(seed);
        let mut pool = Pool::new();
        let symbol = pool.symbol("x", 0, 3);
        let bytes = [0, 1, 2].map(|at| pool.symbol_byte(symbol, at));
        let mut exact = Exact::default();
        let mut solvers = solvers(&exact);
        for _ in 0..20 {
            let model = Assignment::new();
            let mut input = Input { bytes, model };
            let mut path = Vec::new();
            // One byte is free now and then, or all are, so that words have many values.
            let free = random.u64(..6);
            for (at, byte) in bytes.into_iter().enumerate() {
                if free < 5 && at as u64 != free {
                    path.push(domain(&mut pool, &mut random, byte));
                }
            }
            for _ in 0..8 {
                let depth = random.u32(..4);
                let newest = condition(&mut pool, &mut random, &input, depth);
                path.push(newest);
                match ask(&mut pool, &mut exact, &mut solvers, &path) {
                    Some(Answer::Sat(model)) => {
                        counts[0] += 1;
                        input.model = model;
                    }
                    other => {
                        counts[1] += u32::from(other.is_some());
                        path.pop();
                    }
                }
            }
        }
        solvers
            .iter()
            .for_each(|(_, solver)| solver.stats(&mut stats));
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    let layers = [
        "affine",
        "byte_domain",
        "byte_ranges",
        "enumeration",
        "intervals",
        "tables",
    ];
    for name in layers {
        assert!(stats.layers[name].hits > 200, "{name}: {:?}", stats.layers);
    }
}
