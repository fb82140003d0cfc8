//! Refutes queries whose constraints depend on the input only through one term of few values.
//!
//! A hash modulo the number of buckets mixes all bytes of a key, but later constraints (is this
//! bucket empty, does it point into that object) depend on the bucket number only. Each constraint
//! has the set of term values for which it holds, computed once by trying all of them. If the sets
//! of a term have an empty intersection, the query is unsatisfiable. Otherwise it is passed on, as
//! not every value in the range of a term need be feasible.

use plat_expr::{ExprId, Moves, Node, Pool, WeakValue};
use rustc_hash::FxHashMap;

use super::decide::Decide;
use crate::answer::{Answer, Query};

/// The most values of a term.
const VALUES: u64 = 1 << 14;
/// The most nodes that are visited in one constraint.
const NODES: usize = 256;

/// How an expression depends on the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dependence {
    /// Not at all.
    Constant,
    /// Only through this term of few values.
    Term(ExprId),
    /// In any other way.
    Other,
}

/// The values of a term for which a constraint holds: bit `v - low` for a value `v`.
struct Domain {
    term: ExprId,
    holds: Vec<u64>,
}

/// A cache of the domains of constraints.
#[derive(Default)]
pub struct TermDomain {
    known: FxHashMap<ExprId, Option<Domain>>,
}

impl WeakValue for Domain {
    fn kept(self, moves: &Moves) -> Option<Self> {
        let Self { term, holds } = self;
        let term = moves.kept(term)?;
        Some(Self { term, holds })
    }
}

plat_expr::holder!(TermDomain {} weak { known });

impl Decide for TermDomain {
    const NAME: &'static str = "term_domain";

    /// Unsatisfiable if the domains of some term have an empty intersection.
    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        let constraints = query.constraints;
        let mut common: Vec<(ExprId, Vec<u64>)> = Vec::new();
        for &constraint in constraints {
            let compute = || domain(pool, constraint);
            let domain = self.known.entry(constraint).or_insert_with(compute);
            let Some(domain) = domain else { continue };
            let known = common.iter_mut().find(|(term, _)| *term == domain.term);
            let left = match known {
                Some((_, left)) => {
                    for (left, holds) in left.iter_mut().zip(&domain.holds) {
                        *left &= holds;
                    }
                    left
                }
                None => {
                    common.push((domain.term, domain.holds.clone()));
                    &mut common.last_mut().expect("just pushed").1
                }
            };
            if left.iter().all(|&word| word == 0) {
                return Some(Answer::Unsat);
            }
        }
        None
    }
}

/// The domain of a constraint, if it depends on one term of few values.
fn domain(pool: &Pool, constraint: ExprId) -> Option<Domain> {
    let Dependence::Term(term) = dependence(pool, constraint)? else {
        return None;
    };
    if term == constraint || matches!(pool.node(term), Node::Symbol(..)) {
        return None;
    }
    let (low, high) = pool.range(term);
    let mut code = pool.straight_of_term(constraint, term, NODES)?;
    let mut holds = vec![0u64; ((high - low) / 64 + 1) as usize];
    for value in low..=high {
        if code.holds(value) {
            let bit = value - low;
            holds[(bit / 64) as usize] |= 1 << (bit % 64);
        }
    }
    Some(Domain { term, holds })
}

/// How `root` depends on the input; `None` if it is too large to say.
fn dependence(pool: &Pool, root: ExprId) -> Option<Dependence> {
    let mut dependences: FxHashMap<ExprId, Dependence> = FxHashMap::default();
    let mut stack = vec![(root, false)];
    while let Some((e, ready)) = stack.pop() {
        if dependences.contains_key(&e) {
            continue;
        }
        if !pool.has_symbol(e) {
            dependences.insert(e, Dependence::Constant);
            continue;
        }
        if !ready {
            if dependences.len() + stack.len() > NODES {
                return None;
            }
            stack.push((e, true));
            pool.node(e)
                .for_each_operand(|operand| stack.push((operand, false)));
            continue;
        }
        let mut dependence = match pool.node(e) {
            Node::Symbol(..) => Dependence::Term(e),
            Node::Read(table, _) if !pool.table_is_constant(table) => Dependence::Other,
            _ => Dependence::Constant,
        };
        pool.node(e)
            .for_each_operand(|operand| dependence = join(dependence, dependences[&operand]));
        if dependence == Dependence::Other && has_few_values(pool, e) {
            dependence = Dependence::Term(e);
        }
        dependences.insert(e, dependence);
    }
    Some(dependences[&root])
}

fn join(a: Dependence, b: Dependence) -> Dependence {
    match (a, b) {
        (Dependence::Constant, other) | (other, Dependence::Constant) => other,
        _ if a == b => a,
        _ => Dependence::Other,
    }
}

fn has_few_values(pool: &Pool, e: ExprId) -> bool {
    let (low, high) = pool.range(e);
    pool.width(e) <= 64 && high - low < VALUES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_about_a_bucket_need_no_solver() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("key", 0, 2);
        let (a, b) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
        let key = pool.concat(a, b);
        let (factor, size) = (pool.constant(16, 33), pool.constant(16, 300));
        let mixed = pool.mul(key, factor);
        let hash = pool.add(mixed, key);
        let bucket = pool.urem(hash, size);
        let index = pool.zext(bucket, 64);
        let mut table = |of: &dyn Fn(u64) -> u64| {
            let elements: Vec<ExprId> = (0..300).map(|at| pool.constant(64, of(at))).collect();
            let table = pool.table(&elements);
            pool.read(table, index)
        };
        let node = table(&|at| if at % 7 == 0 { 0x1000 + at } else { 0 });
        let size = table(&|at| if at % 7 == 0 { 24 } else { 0 });
        let (zero, needed) = (pool.constant(64, 0), pool.constant(64, 16));
        let present = pool.ne(node, zero);
        let outside = pool.ult(size, needed);
        let inside = pool.not(outside);
        let mut solver = TermDomain::default();
        let answer = solver.decide(&mut pool, &Query::new(&[present, outside]));
        assert!(matches!(answer, Some(Answer::Unsat)));
        assert!(
            solver
                .decide(&mut pool, &Query::new(&[present, inside]))
                .is_none()
        );
    }
}
