//! The least model of a path condition: the one whose first byte is the smallest possible, whose
//! second byte is the smallest possible with that, and so on.
//!
//! Solvers answer with any model, and which one depends on what they were asked before. The least
//! model depends on nothing but which inputs the constraints allow: a path has the same one
//! whatever other paths were explored before it, in whatever order, by whichever process. It is
//! found component by component, as components share no byte, and siblings share most components.
//!
//! In a component, bytes are fixed in order. The values that constraints on this byte alone leave
//! are tried upwards; a value is taken when the constraints hold with the other bytes as they are
//! (no question), or as the solver finds them. What is fixed is substituted, so that constraints
//! shrink on the way.

use crate::answer::{Answer, Query, Solver};
use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::layer::byte_tables::{Byte, ByteTables, Values, has, intersect};
use plat_expr::{Assignment, BinaryOp, EvalMemo, ExprId, Node, Pool, Substitution, TRUE};
use rustc_hash::FxHashMap;

/// Components that are remembered before the memory starts afresh.
const REMEMBERED: usize = 1 << 16;

/// A component: its constraints ascending, and its bytes in the order in which they are fixed.
type Key = (Vec<ExprId>, Vec<Byte>);

/// Finds least models and remembers those of components.
#[derive(Default)]
pub(crate) struct Least {
    known: FxHashMap<Key, Vec<u8>>,
    tables: ByteTables,
}

/// A component on the way.
struct Open<'a> {
    chain: &'a mut dyn Solver,
    deadline: Deadline,
    tables: &'a mut ByteTables,
    /// What is left of the constraints; none is true, and no fixed byte is in them.
    rest: Vec<ExprId>,
    /// Satisfies them.
    model: Assignment,
}

impl Least {
    /// Gives the bytes of a component their least values: `model` satisfies `constraints`, and
    /// `bytes` are theirs in the order in which they count. What is not settled at the deadline
    /// keeps the values that it has.
    pub fn settle(
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
            let mut open = Open {
                chain,
                deadline,
                tables: &mut self.tables,
                rest: constraints.to_vec(),
                model: model.clone(),
            };
            let mut values = Vec::with_capacity(key.1.len());
            for &byte in &key.1 {
                if !deadline.is_over() {
                    values.push(open.fix(pool, byte));
                }
            }
            if deadline.is_over() {
                *model = open.model;
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

impl Open<'_> {
    /// Gives a byte the least value that the rest allows; the value.
    fn fix(&mut self, pool: &mut Pool, byte: Byte) -> u8 {
        let is_about = |constraint: &ExprId| pool.symbols(*constraint).contains(byte.0, byte.1);
        let about: Vec<ExprId> = self.rest.iter().copied().filter(is_about).collect();
        if about.is_empty() {
            self.model.set_byte(byte.0, byte.1, 0);
            return 0;
        }
        let mut shared = Vec::new();
        let mut values = [u64::MAX; 4];
        for &constraint in &about {
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

    /// The least of the `values` of a byte with which the `shared` constraints on it and other
    /// bytes can hold; the model gets it.
    fn least_of(&mut self, pool: &mut Pool, byte: Byte, values: Values, shared: &[ExprId]) -> u8 {
        let mut reached = self.model.byte(byte.0, byte.1);
        let below = |reached: u8| -> Vec<u8> {
            (0..reached).filter(|&value| has(&values, value)).collect()
        };
        let mut candidates = below(reached);
        // The model with another value is the cheapest witness.
        for (at, &value) in candidates.iter().enumerate() {
            let mut tried = self.model.clone();
            tried.set_byte(byte.0, byte.1, value);
            let mut memo = EvalMemo::default();
            if shared.iter().all(|&c| pool.holds(c, &tried, &mut memo)) {
                self.model = tried;
                reached = value;
                candidates.truncate(at);
                break;
            }
        }
        // Mostly nothing is below: that is the first question.
        let mut all = true;
        while !candidates.is_empty() {
            let middle = if all {
                candidates.len() - 1
            } else {
                (candidates.len() - 1) / 2
            };
            all = false;
            match self.at_most(pool, byte, candidates[middle]) {
                Some(true) => {
                    reached = self.model.byte(byte.0, byte.1);
                    candidates.retain(|&value| value < reached);
                }
                Some(false) => drop(candidates.drain(..=middle)),
                None => break,
            }
        }
        reached
    }

    /// Whether the byte can have this value or a lesser one; the model gets one. Without an answer
    /// of the solver there is none here.
    fn at_most(&mut self, pool: &mut Pool, byte: Byte, value: u8) -> Option<bool> {
        let bound = pool.constant(8, u64::from(value));
        let it = pool.symbol_byte(byte.0, byte.1);
        let condition = pool.ule(it, bound);
        let mut constraints = self.rest.clone();
        constraints.push(condition);
        let query = Query {
            constraints: &constraints,
            deadline: self.deadline,
            effort: Effort::FULL,
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
