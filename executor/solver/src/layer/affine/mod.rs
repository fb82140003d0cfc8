//! Solves systems of linear equations between bits of the input.
//!
//! A cyclic redundancy check of symbolic bytes is an affine function of their bits ([`form`]), and
//! so is what is made of bytes by shifts, masks and exclusive or. That such a function is below a
//! constant, or anything else that leaves it a set of intervals, means that its first bits are one
//! of a few prefixes: a system of equations for each. The same is done for constraints on single
//! bytes, whatever they are made of. The systems of a query's constraints are tried in all combinations,
//! by Gaussian elimination ([`system`]). A SAT solver, to which a sum of bits is a tree of gates
//! that says nothing before its last input is known, finds no end in such a query of eight bytes.
//!
//! Constraints that are none of this are looked at in the end: some solutions of the others are
//! tried on them. Where neither bits are mixed nor all input cancels out, queries are left to others.

mod form;
mod system;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use plat_expr::{Assignment, BinaryOp, CompareOp, EvalMemo, ExprId, Node, Pool, mask};

use super::byte_tables::{Byte, ByteTables};
use super::decide::Decide;
use super::intervals::{Set, bound_of};
use crate::answer::{Answer, Query};
use form::{Form, Forms};
use system::System;

/// Most prefixes that a constraint may be.
const PREFIXES: usize = 4096;
/// Most work for a query, in words of rows: some ten milliseconds.
const WORK: u64 = 1 << 24;
/// How many solutions are tried on the constraints that are not affine.
const SOLUTIONS: usize = 64;

/// What a constraint says about an affine expression.
struct Literal {
    form: Rc<Form>,
    set: Set,
}

/// Decides affine constraints.
#[derive(Default)]
pub struct Affine {
    forms: Forms,
    tables: ByteTables,
}

/// A query taken apart.
#[derive(Default)]
struct Parts {
    literals: Vec<(ExprId, Literal)>,
    others: Vec<ExprId>,
}

impl Parts {
    /// Adds what a term must be, together with what it must be anyway.
    fn add(&mut self, term: ExprId, form: Rc<Form>, set: Set) {
        match self.literals.iter_mut().find(|(known, _)| *known == term) {
            Some((_, literal)) => literal.set = literal.set.intersection(&set),
            None => self.literals.push((term, Literal { form, set })),
        }
    }
}

impl Affine {
    /// What the constraints say, conjunctions taken apart.
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

    /// Adds what one constraint says, if it is about an affine expression.
    fn literal(&mut self, pool: &mut Pool, constraint: ExprId, parts: &mut Parts) -> bool {
        if let Some((byte, values)) = self.tables.of(pool, constraint) {
            let term = pool.symbol_byte(byte.0, byte.1);
            if let Some(form) = self.forms.of(pool, term) {
                parts.add(term, form, Set::of_byte(&values));
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
            parts.add(constraint, form, Set::of(vec![(1, 1)]));
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
        let zero = Set::of(vec![(0, 0)]);
        let set = if equal {
            zero
        } else {
            zero.complement(a.width)
        };
        parts.add(constraint, Rc::new(a.xor(&b)), set);
        true
    }
}

impl Decide for Affine {
    const NAME: &'static str = "affine";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        let parts = self.parts(pool, query.constraints);
        let literals: Vec<Literal> = parts.literals.into_iter().map(|(_, one)| one).collect();
        let says_more = |literal: &Literal| literal.form.mixes() || literal.form.is_constant();
        if !literals.iter().any(says_more) {
            return None;
        }
        Search::new(pool, &literals, &parts.others)?.run()
    }
}

/// The first bits of a value: those in `mask`.
struct Prefix {
    mask: u64,
    value: u64,
}

/// An interval of values of so many bits as prefixes, the shortest first.
fn prefixes(set: &Set, width: u32) -> Vec<Prefix> {
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

/// A literal ready for search.
struct Choice {
    prefixes: Vec<Prefix>,
    /// For each bit of the form the equation that it is 0.
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
            // No byte crosses a word.
            row[at / 64] |= of_byte << (at % 64);
        }
        row
    };
    (0..form.width).map(row).collect()
}

/// What a search has found.
enum Found {
    Model(Assignment),
    /// Nothing, and there is nothing in what was looked at.
    Nothing,
    /// Nothing, but not everything was looked at.
    Unclear,
}

/// Trial of all combinations of prefixes.
struct Search<'a> {
    pool: &'a Pool,
    bytes: Vec<Byte>,
    choices: Vec<Choice>,
    others: &'a [ExprId],
    /// Whether the others are about these bytes only.
    closed: bool,
    system: System,
    /// How many solutions may still be tried on the others.
    left: usize,
}

impl<'a> Search<'a> {
    fn new(pool: &'a Pool, literals: &[Literal], others: &'a [ExprId]) -> Option<Self> {
        let columns = literals.iter().flat_map(|literal| &literal.form.columns);
        let mut bytes: Vec<Byte> = columns.map(|(byte, _)| *byte).collect();
        bytes.sort_unstable();
        bytes.dedup();
        let system = System::new(8 * bytes.len());
        let mut choices = Vec::with_capacity(literals.len());
        for Literal { form, set } in literals {
            let prefixes = prefixes(set, form.width);
            if prefixes.len() > PREFIXES {
                return None;
            }
            let rows = rows(form, &bytes, system.words());
            choices.push(Choice { prefixes, rows });
        }
        choices.sort_by_key(|choice| choice.prefixes.len());
        let mut seen = others.iter().flat_map(|&other| pool.symbols(other).iter());
        let closed = seen.all(|byte| bytes.binary_search(&byte).is_ok());
        Some(Self {
            pool,
            bytes,
            choices,
            others,
            closed,
            system,
            left: SOLUTIONS,
        })
    }

    /// The answer, if it is found.
    fn run(mut self) -> Option<Answer> {
        let mut unclear = false;
        // For each choice above the current one, where the equations of its prefix begin, and
        // which prefix is tried next.
        let mut path = vec![(0, 0)];
        while let Some((rank, next)) = path.pop() {
            self.system.truncate(rank);
            if self.system.work > WORK {
                return None;
            }
            let depth = path.len();
            let Some(choice) = self.choices.get(depth) else {
                match self.leaf() {
                    Found::Model(model) => return Some(Answer::Sat(model)),
                    Found::Nothing => continue,
                    Found::Unclear if self.left == 0 => return None,
                    Found::Unclear => unclear = true,
                }
                continue;
            };
            let Some(prefix) = choice.prefixes.get(next) else {
                continue;
            };
            path.push((rank, next + 1));
            if add(&mut self.system, choice, prefix) {
                path.push((self.system.rank(), 0));
            }
        }
        (!unclear).then_some(Answer::Unsat)
    }

    /// Looks for a solution of the equations that satisfies the other constraints.
    fn leaf(&mut self) -> Found {
        if self.others.is_empty() {
            return Found::Model(self.model(&mut || false));
        }
        let free = self.system.free();
        let all = (free < usize::BITS as usize).then(|| 1usize << free);
        let tried = all.unwrap_or(usize::MAX).min(self.left);
        self.left -= tried;
        let mut scattered = 0x9e37_79b9_7f4a_7c15u64;
        for at in 0..tried {
            let mut bits = if all == Some(tried) { at } else { 0 };
            let model = self.model(&mut || {
                if all == Some(tried) {
                    let bit = bits & 1 == 1;
                    bits >>= 1;
                    return bit;
                }
                scattered ^= scattered << 13;
                scattered ^= scattered >> 7;
                scattered ^= scattered << 17;
                at > 0 && scattered >> 32 & 1 == 1
            });
            let memo = &mut EvalMemo::new();
            if (self.others.iter()).all(|&other| self.pool.holds(other, &model, memo)) {
                return Found::Model(model);
            }
        }
        match self.closed && all == Some(tried) {
            true => Found::Nothing,
            false => Found::Unclear,
        }
    }

    /// The solution with these values of the unknowns that are free.
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

/// Adds the equations of a prefix. False if they contradict what is there.
fn add(system: &mut System, choice: &Choice, prefix: &Prefix) -> bool {
    let last = system.unknowns();
    let mut bits = prefix.mask;
    while bits != 0 {
        let bit = bits.trailing_zeros();
        bits &= bits - 1;
        let mut row = choice.rows[bit as usize].clone();
        row[last / 64] ^= (prefix.value >> bit & 1) << (last % 64);
        if !system.add(&row) {
            return false;
        }
    }
    true
}
