//! Solves linear equations over GF(2) between bits of the input.
//!
//! A cyclic redundancy check of symbolic bytes is an affine function of their bits ([`form`]), and
//! so is anything made of bytes by shifts, masks and exclusive or. A constraint that restricts such
//! a function to a set of intervals fixes its leading bits to one of a few prefixes, and each
//! prefix is a system of equations. Constraints on single bytes are treated alike. All combinations
//! of prefixes are tried, by Gaussian elimination ([`system`]). A SAT solver does not finish on
//! such a query of eight bytes: to it a parity is a tree of gates that propagates nothing until its
//! last input is known.
//!
//! Other constraints are checked last, on a number of solutions of the equations. The layer is
//! skipped unless some form is a parity of several bits or is constant.

mod form;
mod system;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use plat_expr::{Assignment, BinaryOp, CompareOp, EvalMemo, ExprId, Node, Pool, mask};

use super::byte_tables::{Byte, ByteTables};
use super::decide::Decide;
use super::intervals::{IntervalSet, bound_of};
use crate::answer::{Answer, Query};
use form::{Form, Forms};
use system::System;

/// The most prefixes of a constraint.
const PREFIXES: usize = 4096;
/// The most work for a query, in words of rows: some ten milliseconds.
const WORK: u64 = 1 << 24;
/// How many solutions are tried on the other constraints.
const SOLUTIONS: usize = 64;

/// A restriction of an affine expression to a set of values.
struct Literal {
    form: Rc<Form>,
    set: IntervalSet,
}

/// Decides affine constraints.
#[derive(Default)]
pub struct Affine {
    forms: Forms,
    tables: ByteTables,
}

/// A query split into restrictions of affine expressions and other constraints.
#[derive(Default)]
struct Parts {
    literals: Vec<(ExprId, Literal)>,
    others: Vec<ExprId>,
}

impl Parts {
    /// Restricts a term to a set, in addition to earlier restrictions.
    fn add(&mut self, term: ExprId, form: Rc<Form>, set: IntervalSet) {
        match self.literals.iter_mut().find(|(known, _)| *known == term) {
            Some((_, literal)) => literal.set = literal.set.intersection(&set),
            None => self.literals.push((term, Literal { form, set })),
        }
    }
}

impl Affine {
    /// Splits the constraints, conjunctions first.
    fn parts(&mut self, pool: &mut Pool, constraints: &[ExprId]) -> Parts {
        let mut parts = Parts::default();
        let mut rest: Vec<ExprId> = constraints.iter().rev().copied().collect();
        while let Some(constraint) = rest.pop() {
            match pool.node(constraint) {
                Node::Binary(BinaryOp::And, a, b) => rest.extend([b, a]),
                Node::Not(or) if let Node::Binary(BinaryOp::Or, a, b) = pool.node(or) => {
                    rest.extend([pool.not(b), pool.not(a)]);
                }
                _ if self.literal(pool, constraint, &mut parts) => {}
                _ => parts.others.push(constraint),
            }
        }
        parts
    }

    /// Adds one constraint if it restricts an affine expression. Returns whether it does.
    fn literal(&mut self, pool: &mut Pool, constraint: ExprId, parts: &mut Parts) -> bool {
        if let Some((byte, values)) = self.tables.of(pool, constraint) {
            let term = pool.symbol_byte(byte.0, byte.1);
            if let Some(form) = self.forms.of(pool, term) {
                parts.add(term, form, IntervalSet::of_byte(&values));
                return true;
            }
        }
        if let Some((term, set)) = bound_of(pool, constraint)
            && let Some(form) = self.forms.of(pool, term)
        {
            parts.add(term, form, set);
            return true;
        }
        if let Some(form) = self.forms.of(pool, constraint) {
            parts.add(constraint, form, IntervalSet::of(vec![(1, 1)]));
            return true;
        }
        let (inner, equal) = match pool.node(constraint) {
            Node::Not(inner) => (inner, false),
            _ => (constraint, true),
        };
        let Node::Compare(CompareOp::Eq, a, b) = pool.node(inner) else {
            return false;
        };
        let (Some(a), Some(b)) = (self.forms.of(pool, a), self.forms.of(pool, b)) else {
            return false;
        };
        let zero = IntervalSet::of(vec![(0, 0)]);
        let set = if equal {
            zero
        } else {
            zero.complement(a.width)
        };
        parts.add(constraint, Rc::new(a.xor(&b)), set);
        true
    }
}

plat_expr::holder!(Affine {} weak { forms, tables });

impl Decide for Affine {
    const NAME: &'static str = "affine";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        let parts = self.parts(pool, query.constraints);
        let literals: Vec<Literal> = parts.literals.into_iter().map(|(_, one)| one).collect();
        let useful = |literal: &Literal| literal.form.has_parity() || literal.form.is_constant();
        if !literals.iter().any(useful) {
            return None;
        }
        Search::new(pool, &literals, &parts.others)?.run()
    }
}

/// The leading bits of a value: those in `mask`.
struct Prefix {
    mask: u64,
    value: u64,
}

/// A set of values of `width` bits as prefixes, the shortest first.
fn prefixes(set: &IntervalSet, width: u32) -> Vec<Prefix> {
    let mut prefixes = Vec::new();
    for &(mut from, to) in set.intervals() {
        loop {
            let aligned = from.trailing_zeros().min(width);
            let mut free = mask(aligned);
            while free > to - from {
                free >>= 1;
            }
            prefixes.push(Prefix {
                mask: mask(width) & !free,
                value: from,
            });
            if to - from == free {
                break;
            }
            from += free + 1;
        }
    }
    prefixes.sort_by_key(|prefix| prefix.mask.count_ones());
    prefixes
}

/// The alternatives of a literal: one of these prefixes.
struct Alternatives {
    prefixes: Vec<Prefix>,
    /// For each bit of the form, the equation that it is 0.
    rows: Vec<Vec<u64>>,
}

/// The equations of a form's bits.
fn rows(form: &Form, bytes: &[Byte], words: usize) -> Vec<Vec<u64>> {
    let unknowns = 8 * bytes.len();
    let row = |bit: u32| {
        let mut row = vec![0; words];
        row[unknowns / 64] |= (form.constant >> bit & 1) << (unknowns % 64);
        for (byte, flips) in &form.columns {
            let at = 8 * bytes.partition_point(|known| known < byte);
            let of_byte = (flips.iter().enumerate())
                .fold(0, |all, (of, flips)| all | (flips >> bit & 1) << of);
            // A byte lies within one word.
            row[at / 64] |= of_byte << (at % 64);
        }
        row
    };
    (0..form.width).map(row).collect()
}

/// The result at a leaf of the search.
enum Found {
    Model(Assignment),
    /// No solution satisfies the other constraints.
    Nothing,
    /// None was found, but not all were tried.
    Incomplete,
}

/// Backtracking over all combinations of prefixes.
struct Search<'a> {
    pool: &'a Pool,
    bytes: Vec<Byte>,
    literals: Vec<Alternatives>,
    others: &'a [ExprId],
    /// Whether the other constraints depend on these bytes only.
    closed: bool,
    system: System,
    /// How many more solutions may be tried on the other constraints.
    tries_left: usize,
}

impl<'a> Search<'a> {
    fn new(pool: &'a Pool, literals: &[Literal], others: &'a [ExprId]) -> Option<Self> {
        let columns = literals.iter().flat_map(|literal| &literal.form.columns);
        let mut bytes: Vec<Byte> = columns.map(|(byte, _)| *byte).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let system = System::new(8 * bytes.len());
        let mut alternatives = Vec::with_capacity(literals.len());
        for Literal { form, set } in literals {
            let prefixes = prefixes(set, form.width);
            if prefixes.len() > PREFIXES {
                return None;
            }
            let rows = rows(form, &bytes, system.words());
            alternatives.push(Alternatives { prefixes, rows });
        }
        alternatives.sort_by_key(|one| one.prefixes.len());
        let mut seen = others.iter().flat_map(|&other| pool.symbols(other).iter());
        let closed = seen.all(|byte| bytes.binary_search(&byte).is_ok());
        Some(Self {
            pool,
            bytes,
            literals: alternatives,
            others,
            closed,
            system,
            tries_left: SOLUTIONS,
        })
    }

    /// The answer, or `None` if the work or the tries run out.
    fn run(mut self) -> Option<Answer> {
        let mut complete = true;
        // For each literal on the way: the rank before its equations, and its next prefix.
        let mut path = vec![(0, 0)];
        while let Some((rank, next)) = path.pop() {
            self.system.truncate(rank);
            if self.system.work > WORK {
                return None;
            }
            let depth = path.len();
            let Some(alternatives) = self.literals.get(depth) else {
                match self.leaf() {
                    Found::Model(model) => return Some(Answer::Sat(model)),
                    Found::Nothing => continue,
                    Found::Incomplete if self.tries_left == 0 => return None,
                    Found::Incomplete => complete = false,
                }
                continue;
            };
            let Some(prefix) = alternatives.prefixes.get(next) else {
                continue;
            };
            path.push((rank, next + 1));
            if add(&mut self.system, alternatives, prefix) {
                path.push((self.system.rank(), 0));
            }
        }
        complete.then_some(Answer::Unsat)
    }

    /// Looks for a solution of the equations that satisfies the other constraints.
    fn leaf(&mut self) -> Found {
        if self.others.is_empty() {
            return Found::Model(self.model(&mut || false));
        }
        let free = self.system.free();
        let all = (free < usize::BITS as usize).then(|| 1usize << free);
        let tried = all.unwrap_or(usize::MAX).min(self.tries_left);
        self.tries_left -= tried;
        let mut random = 0x9e37_79b9_7f4a_7c15u64;
        for at in 0..tried {
            let mut bits = if all == Some(tried) { at } else { 0 };
            let model = self.model(&mut || {
                if all == Some(tried) {
                    let bit = bits & 1 == 1;
                    bits >>= 1;
                    return bit;
                }
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                at > 0 && random >> 32 & 1 == 1
            });
            let memo = &mut EvalMemo::new();
            if (self.others.iter()).all(|&other| self.pool.holds(other, &model, memo)) {
                return Found::Model(model);
            }
        }
        match self.closed && all == Some(tried) {
            true => Found::Nothing,
            false => Found::Incomplete,
        }
    }

    /// The solution with these values of the free unknowns.
    fn model(&self, free: &mut dyn FnMut() -> bool) -> Assignment {
        let solution = self.system.solution(free);
        let mut model = Assignment::new();
        for (at, &(symbol, index)) in self.bytes.iter().enumerate() {
            let value = solution[at / 8] >> (8 * (at % 8));
            model.set_byte(symbol, index, value as u8);
        }
        model
    }
}

/// Adds the equations of a prefix. False if they contradict earlier ones.
fn add(system: &mut System, alternatives: &Alternatives, prefix: &Prefix) -> bool {
    let last = system.unknowns();
    let mut bits = prefix.mask;
    while bits != 0 {
        let bit = bits.trailing_zeros();
        bits &= bits - 1;
        let mut row = alternatives.rows[bit as usize].clone();
        row[last / 64] ^= (prefix.value >> bit & 1) << (last % 64);
        if !system.add(&row) {
            return false;
        }
    }
    true
}
