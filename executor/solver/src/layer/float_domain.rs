//! Decides queries with floating-point operations whose inputs have few values by trying them all.
//!
//! Bit-blasting floats is the dearest thing a back end can be asked for: one product of doubles is
//! seconds. But many floats in programs come from small integers or single characters. The inputs
//! of a query are its terms of input bytes side by side; where the values that its comparisons
//! leave them ([`super::intervals`]) are few, evaluating all combinations takes milliseconds.

use plat_expr::{Assignment, EvalMemo, ExprId, Node, Pool, SymbolId};
use rustc_hash::FxHashSet;

use super::intervals::{Set, bounds, free_bytes};
use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// Most evaluations of a node for one query.
const EVALUATIONS: u64 = 4_000_000;

/// One input: its bytes, lowest first, and the values that it can have.
struct Input {
    bytes: Vec<(SymbolId, u32)>,
    values: Set,
}

/// Trial above `inner`.
pub struct FloatDomain {
    inner: Box<dyn Solver>,
    counts: LayerStats,
}

impl FloatDomain {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            counts: LayerStats::default(),
        }
    }
}

/// The inputs of a query with floats; `None` if it has none or its inputs share bytes in a way
/// that they cannot be chosen one by one.
fn inputs(pool: &Pool, constraints: &[ExprId]) -> Option<(Vec<Input>, u64)> {
    let (mut terms, mut floats) = (Vec::new(), false);
    let (mut seen, mut stack) = (FxHashSet::default(), constraints.to_vec());
    while let Some(e) = stack.pop() {
        if !pool.has_symbol(e) || !seen.insert(e) {
            continue;
        }
        floats |= matches!(pool.node(e), Node::Float(..));
        if pool.width(e) <= 64 && free_bytes(pool, e).is_some() {
            terms.push(e);
            continue;
        }
        pool.node(e).for_each_operand(|operand| stack.push(operand));
        if let Node::Read(table, _) = pool.node(e)
            && !pool.table_is_constant(table)
        {
            stack.extend(pool.table_elements(table));
        }
    }
    if !floats {
        return None;
    }
    let nodes = seen.len() as u64;
    terms.sort_by_key(|&e| (std::cmp::Reverse(pool.width(e)), e));
    let bounds = bounds(pool, constraints);
    let (mut list, mut used) = (Vec::new(), FxHashSet::default());
    for term in terms {
        let bytes = free_bytes(pool, term)?;
        let covered = bytes.iter().filter(|byte| used.contains(*byte)).count();
        if covered == bytes.len() {
            continue;
        }
        if covered > 0 {
            return None;
        }
        used.extend(bytes.iter().copied());
        let bound = bounds.iter().find(|(bounded, _)| *bounded == term);
        let values = bound.map_or_else(|| Set::all(pool.width(term)), |(_, set)| set.clone());
        list.push(Input { bytes, values });
    }
    Some((list, nodes))
}

/// Tries every combination of values; `None` if there are too many.
fn decide(pool: &Pool, constraints: &[ExprId]) -> Option<Answer> {
    let (inputs, nodes) = inputs(pool, constraints)?;
    let mut combinations = 1u64;
    for input in &inputs {
        combinations = combinations.checked_mul(input.values.len()?)?;
        if combinations.checked_mul(nodes)? > EVALUATIONS {
            return None;
        }
    }
    for combination in 0..combinations {
        let (mut rest, mut assignment) = (combination, Assignment::new());
        for input in &inputs {
            let count = input.values.len()?;
            let value = input.values.nth(rest % count)?;
            rest /= count;
            for (at, &(symbol, index)) in input.bytes.iter().enumerate() {
                assignment.set_byte(symbol, index, (value >> (8 * at)) as u8);
            }
        }
        let mut memo = EvalMemo::new();
        let mut newest_first = constraints.iter().rev();
        if newest_first.all(|&c| pool.holds(c, &assignment, &mut memo)) {
            return Some(Answer::Sat(assignment));
        }
    }
    Some(Answer::Unsat)
}

impl Solver for FloatDomain {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(answer) = decide(pool, query.constraints) {
            self.counts.hits += 1;
            return answer;
        }
        self.counts.misses += 1;
        self.inner.check(pool, query)
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("float_domain", self.counts);
        self.inner.stats(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::z3::Z3;
    use crate::config::Config;
    use plat_expr::{FloatFormat, FloatOp};

    struct Refuse;

    impl Solver for Refuse {
        fn check(&mut self, _: &mut Pool, _: &Query<'_>) -> Answer {
            Answer::Unknown("asked".to_owned())
        }
        fn stats(&self, _: &mut SolverStats) {}
    }

    /// A bounded integer as a float: the layer alone says what Z3 says.
    #[test]
    fn small_inputs_need_no_solver() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("n", 0, 2);
        let (low, high) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
        let n = pool.concat(high, low);
        let bound = pool.constant(16, 50);
        let small = pool.ult(n, bound);
        let x = pool.float(FloatOp::FromUnsigned, FloatFormat::Single, &[n], 32);
        let mut answers = [0, 0];
        for (factor, target) in [(0.1f32, 0.3f32), (0.1, 4.0), (3.0, 50.0), (0.25, 12.25)] {
            let factor = pool.constant(32, u64::from(factor.to_bits()));
            let target = pool.constant(32, u64::from(target.to_bits()));
            let product = pool.float(FloatOp::Mul, FloatFormat::Single, &[x, factor], 32);
            let equal = pool.float(FloatOp::Eq, FloatFormat::Single, &[product, target], 1);
            let constraints = &[small, equal];
            let query = Query { constraints };
            let found = FloatDomain::new(Box::new(Refuse)).check(&mut pool, &query);
            let expected = Z3::new(&Config::default()).check(&mut pool, &query);
            match (found, expected) {
                (Answer::Sat(model), Answer::Sat(_)) => {
                    answers[0] += 1;
                    assert!(pool.holds(equal, &model, &mut EvalMemo::new()));
                }
                (Answer::Unsat, Answer::Unsat) => answers[1] += 1,
                other => panic!("{other:?}"),
            }
        }
        assert!(answers[0] > 0 && answers[1] > 0, "{answers:?}");
    }
}
