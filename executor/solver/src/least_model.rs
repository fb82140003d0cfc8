//! The lexicographically least model of a path condition.
//!
//! The model that a solver returns depends on its earlier queries. The least model depends only on
//! the inputs that the constraints allow, so a path's test is the same whatever other paths were
//! explored before it, in whatever order, by whichever process. Components are minimised one by
//! one: they share no byte, and sibling paths share most of them.
//!
//! Within a component, bytes are fixed in order. Candidates are the values that the constraints on
//! this byte alone allow, in ascending order. A candidate is first tried with the current model, by
//! evaluation, then by the solver. A fixed byte is substituted, so the constraints shrink.

use crate::answer::{Answer, Query, Solver};
use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::layer::byte_tables::{Byte, ByteTables, Values, has, intersect};
use plat_expr::{
    Assignment, BinaryOp, EvalMemo, ExprId, Moves, Node, Pool, Substitution, TRUE, Weak,
};
use rustc_hash::FxHashMap;

/// Cached components before the cache is cleared.
const REMEMBERED: usize = 1 << 16;

/// A component: its constraints ascending, and its bytes in the order in which they are fixed.
type Key = (Vec<ExprId>, Vec<Byte>);

/// Finds least models; caches those of components.
#[derive(Default)]
pub(crate) struct LeastModels {
    known: FxHashMap<Key, Vec<u8>>,
    tables: ByteTables,
}

/// The minimisation of one component.
struct Minimisation<'a> {
    chain: &'a mut dyn Solver,
    deadline: Deadline,
    tables: &'a mut ByteTables,
    /// The remaining constraints, with fixed bytes substituted; none is constant true.
    rest: Vec<ExprId>,
    /// A model of `rest`, with the fixed bytes.
    model: Assignment,
}

impl Weak for LeastModels {
    fn forget(&mut self, moves: &Moves) {
        let Self { known, tables } = self;
        let all = std::mem::take(known).into_iter();
        let kept = all.filter_map(|((constraints, bytes), values)| {
            Some(((moves.all_kept(&constraints)?, bytes), values))
        });
        *known = kept.collect();
        tables.forget(moves);
    }
}

impl LeastModels {
    /// Gives `bytes`, the bytes of a component, their least values in this order. `model` must
    /// satisfy `constraints`. Bytes not minimised by the deadline keep their values.
    pub fn minimise(
        &mut self,
        pool: &mut Pool,
        chain: &mut dyn Solver,
        deadline: Deadline,
        constraints: &[ExprId],
        bytes: Vec<Byte>,
        model: &mut Assignment,
    ) {
        let mut sorted = constraints.to_vec();
        sorted.sort_unstable();
        let key = (sorted, bytes);
        if !self.known.contains_key(&key) {
            let mut minimisation = Minimisation {
                chain,
                deadline,
                tables: &mut self.tables,
                rest: constraints.to_vec(),
                model: model.clone(),
            };
            let mut values = Vec::with_capacity(key.1.len());
            for &byte in &key.1 {
                if !deadline.is_over() {
                    values.push(minimisation.fix(pool, byte));
                }
            }
            if deadline.is_over() {
                *model = minimisation.model;
                return;
            }
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(key.clone(), values);
        }
        for (&(symbol, index), &value) in key.1.iter().zip(&self.known[&key]) {
            model.set_byte(symbol, index, value);
        }
    }
}

impl Minimisation<'_> {
    /// Fixes a byte at the least value that the remaining constraints allow. Returns the value.
    fn fix(&mut self, pool: &mut Pool, byte: Byte) -> u8 {
        let constrains = |constraint: &ExprId| pool.symbols(*constraint).contains(byte.0, byte.1);
        let constraints: Vec<ExprId> = self.rest.iter().copied().filter(constrains).collect();
        if constraints.is_empty() {
            self.model.set_byte(byte.0, byte.1, 0);
            return 0;
        }
        let mut shared = Vec::new();
        let mut values = [u64::MAX; 4];
        for &constraint in &constraints {
            match self.tables.of(pool, constraint) {
                Some((_, table)) => intersect(&mut values, &table),
                None => shared.push(constraint),
            }
        }
        let value = self.least_of(pool, byte, values, &shared);
        let mut known = Substitution::new([(byte, value)]);
        let mut left: Vec<ExprId> = Vec::with_capacity(self.rest.len());
        for constraint in std::mem::take(&mut self.rest) {
            let mut parts = vec![constraint];
            if pool.symbols(constraint).contains(byte.0, byte.1) {
                parts = vec![known.apply(pool, constraint)];
            }
            while let Some(part) = parts.pop() {
                match pool.node(part) {
                    Node::Binary(BinaryOp::And, a, b) => parts.extend([b, a]),
                    _ if part != TRUE && !left.contains(&part) => left.push(part),
                    _ => {}
                }
            }
        }
        self.rest = left;
        value
    }

    /// The least of these `values` of a byte that is feasible together with `shared`, the
    /// constraints on this byte and others. Updates the model.
    fn least_of(&mut self, pool: &mut Pool, byte: Byte, values: Values, shared: &[ExprId]) -> u8 {
        let mut least = self.model.byte(byte.0, byte.1);
        let smaller = (0..least).filter(|&value| has(&values, value));
        let mut candidates: Vec<u8> = smaller.collect();
        // First by evaluation: the current model with another value of this byte.
        for (at, &value) in candidates.iter().enumerate() {
            let mut tried = self.model.clone();
            tried.set_byte(byte.0, byte.1, value);
            let mut memo = EvalMemo::default();
            if shared.iter().all(|&c| pool.holds(c, &tried, &mut memo)) {
                self.model = tried;
                least = value;
                candidates.truncate(at);
                break;
            }
        }
        // Usually no candidate is feasible, so the first query covers all of them.
        let mut first = true;
        while !candidates.is_empty() {
            let middle = if first {
                candidates.len() - 1
            } else {
                (candidates.len() - 1) / 2
            };
            first = false;
            match self.at_most(pool, byte, candidates[middle]) {
                Some(true) => {
                    least = self.model.byte(byte.0, byte.1);
                    candidates.retain(|&value| value < least);
                }
                Some(false) => drop(candidates.drain(..=middle)),
                None => break,
            }
        }
        least
    }

    /// Whether the byte can have this value or a smaller one; if so, updates the model. `None` if
    /// the solver gives no answer.
    fn at_most(&mut self, pool: &mut Pool, byte: Byte, value: u8) -> Option<bool> {
        let bound = pool.constant(8, u64::from(value));
        let byte = pool.symbol_byte(byte.0, byte.1);
        let condition = pool.ule(byte, bound);
        let mut constraints = self.rest.clone();
        constraints.push(condition);
        let query = Query {
            constraints: &constraints,
            deadline: self.deadline,
            effort: Effort::FULL,
            spent: None,
            model: None,
        };
        match self.chain.check(pool, &query) {
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
            Answer::Sat(found) => {
                let bytes = constraints.iter().flat_map(|&c| pool.symbols(c).iter());
                let found = found.merged_over(&self.model, &bytes.collect());
                let mut memo = EvalMemo::default();
                let holds = constraints
                    .iter()
                    .all(|&c| pool.holds(c, &found, &mut memo));
                holds.then(|| {
                    self.model = found;
                    true
                })
            }
        }
    }
}
