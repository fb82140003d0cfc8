//! Decides queries with few possible inputs by enumerating all of them.
//!
//! A word of the input that a path has bounded (a table index, a choice among objects) has few
//! values: bounds give each word a set (see [`super::intervals`]), a byte in no bounded word has
//! 256. If the product of these sets is small, each assignment is evaluated on all constraints, in
//! straight-line code. The first that satisfies them is a model; if none does, the query is
//! unsatisfiable. This takes milliseconds where a back end takes seconds to minutes: reads of a
//! table of 65,536 bytes, products of doubles. Nodes wider than 64 bits (long doubles) and tables
//! of expressions have no straight-line code; such constraints are evaluated node by node, which is
//! slower, so the limit on inputs is lower.
//!
//! If there are too many assignments, the ends of the words' sets are tried first. That often
//! satisfies the first conditions on a fresh input, such as the negation of a bound. Then comes a
//! search with a work limit, which often succeeds because constraints on some of the words rule out
//! most of their values ([`search`]).
//!
//! Before all this, constraints on two bytes are decided by their diagrams ([`super::tables`]). One of
//! many values takes longer than many a query that it could answer. So they together take no more work
//! than such queries have taken that had none, and an advance.

mod evaluator;
mod search;

use plat_expr::{ExprId, Pool};
use rustc_hash::FxHashSet;

use super::byte_tables::{Byte, ByteTables};
use super::decide::Decide;
use super::intervals::{Bound, IntervalSet, bound_of, bounds, word_bytes};
use super::tables;
use crate::answer::{Answer, Query};
use evaluator::{FEW_INPUTS, NODE_COST, Size};
use search::{Bounds, Word, order, search, set_word};

pub(super) use evaluator::{Evaluator, assignment, bytes_of};

/// The most assignments that are enumerated.
const INPUTS: u64 = 1 << 18;
/// The most values of a word in [`try_all`], which lists them.
const VALUES: u64 = 1 << 22;
/// The most operations for a query (a few milliseconds), and more for what is hard for a back end:
/// nodes, table elements, operations on floats.
const WORK: u64 = 1 << 20;
const WORK_PER_ELEMENT: u64 = 1 << 8;
const WORK_PER_NODE: u64 = 1 << 11;
const WORK_PER_FLOAT: u64 = 1 << 24;
/// At most this many operations on floats count.
const FLOATS: u64 = 8;
/// The most words that [`try_ends`] sets to the opposite end one by one.
const ODD_WORDS: usize = 8;
/// Steps beyond the quick ones that diagrams may take before any are earned: what one takes.
const ADVANCE: usize = 1 << 16;
/// What a step takes, in operations.
const OPERATIONS_PER_STEP: u64 = 1 << 7;

/// The most operations for a query of this size.
fn work_limit(size: &Size) -> u64 {
    let floats = WORK_PER_FLOAT * FLOATS.min(size.floats);
    WORK + WORK_PER_NODE * size.nodes + WORK_PER_ELEMENT * size.elements + floats
}

/// An estimate of the operations that [`try_all`] takes; `None` if a word has too many values to list.
pub(crate) fn work(pool: &Pool, constraints: &[ExprId]) -> Option<u64> {
    let inputs = Inputs::of(pool, constraints, &mut ByteTables::default());
    let listed = |word: &Word| word.set.len().is_some_and(|values| values <= VALUES);
    if !inputs.words.iter().all(listed) {
        return None;
    }
    let count = inputs.count()?;
    let (evaluator, size) = inputs.evaluator(pool, Some(FEW_INPUTS))?;
    let cost = match evaluator {
        Evaluator::Code(_) => size.cost,
        // A read evaluates one element of its table.
        Evaluator::Nodes { .. } => NODE_COST * outside_tables(pool, &inputs.rest),
    };
    count.checked_mul(cost)
}

/// Enumerates all inputs of a query, however many. `None` if the deadline passes first, or if it takes
/// more than the query's effort: [`work`] cannot know how much of nested tables is read.
pub(crate) fn try_all(pool: &Pool, query: &Query<'_>) -> Option<Answer> {
    let inputs = Inputs::of(pool, query.constraints, &mut ByteTables::default());
    let (mut evaluator, _) = inputs.evaluator(pool, Some(FEW_INPUTS))?;
    let mut values = vec![0; inputs.bytes.len()];
    let bounds = Bounds {
        work: None,
        nodes: query.effort.operations() / NODE_COST,
        deadline: query.deadline,
    };
    let found = search(&mut evaluator, &inputs.words, &mut values, &bounds);
    query.charge(spent(&evaluator));
    Some(inputs.answer(found?, &values))
}

/// The operations that an evaluator has done. What it notes as work may have more table elements than
/// were read.
fn spent(evaluator: &Evaluator<'_>) -> u64 {
    match evaluator {
        Evaluator::Code(_) => evaluator.work(),
        Evaluator::Nodes { .. } => evaluator.nodes().saturating_mul(NODE_COST),
    }
}

/// The number of nodes of constraints, table elements not counted.
fn outside_tables(pool: &Pool, constraints: &[ExprId]) -> u64 {
    let (mut seen, mut stack) = (FxHashSet::default(), constraints.to_vec());
    while let Some(e) = stack.pop() {
        if pool.has_symbol(e) && seen.insert(e) {
            pool.node(e).for_each_operand(|operand| stack.push(operand));
        }
    }
    seen.len() as u64
}

/// The inputs of a query.
struct Inputs {
    bytes: Vec<Byte>,
    /// Its words, each with the values that the constraints on it alone allow.
    words: Vec<Word>,
    /// The other constraints.
    rest: Vec<ExprId>,
}

impl Inputs {
    fn of(pool: &Pool, constraints: &[ExprId], tables: &mut ByteTables) -> Self {
        let bytes = bytes_of(pool, constraints);
        let mut words = words(&bytes, &bounds(pool, constraints), pool);
        let mut rest = constraints.to_vec();
        rest.retain(|&constraint| !narrow(pool, constraint, &bytes, &mut words, tables));
        order(pool, &rest, &bytes, &mut words);
        Self { bytes, words, rest }
    }

    /// The number of assignments; `None` if there are 2^64 or more.
    fn count(&self) -> Option<u64> {
        let mut words = self.words.iter();
        words.try_fold(1, |product: u64, word| product.checked_mul(word.set.len()?))
    }

    /// The constraints in executable form; `count` is the number of assignments.
    fn evaluator<'a>(
        &'a self,
        pool: &'a Pool,
        count: Option<u64>,
    ) -> Option<(Evaluator<'a>, Size)> {
        Evaluator::new(pool, &self.rest, &self.bytes, &self.words, count)
    }

    /// The answer of a finished search.
    fn answer(&self, found: bool, values: &[u8]) -> Answer {
        match found {
            true => Answer::Sat(assignment(&self.bytes, values)),
            false => Answer::Unsat,
        }
    }
}

/// The layer.
pub struct Enumeration {
    tables: ByteTables,
    /// Steps that diagrams of two bytes may take.
    allowance: usize,
}

plat_expr::holder!(Enumeration {} plain { allowance } weak { tables });

impl Default for Enumeration {
    fn default() -> Self {
        Self {
            tables: ByteTables::default(),
            allowance: ADVANCE,
        }
    }
}

impl Enumeration {
    /// Allows as much work on diagrams as a query has taken that had none.
    fn earn(&mut self, pool: &Pool, query: &Query<'_>, operations: u64) {
        if tables::few_bytes(pool, query.constraints) {
            let steps = usize::try_from(operations / OPERATIONS_PER_STEP);
            let steps = steps.unwrap_or(usize::MAX);
            self.allowance = self.allowance.saturating_add(steps);
        }
    }
}

impl Decide for Enumeration {
    const NAME: &'static str = "enumeration";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        if let Some(answer) = tables::decide(pool, query.constraints, &mut self.allowance) {
            return Some(answer);
        }
        let inputs = Inputs::of(pool, query.constraints, &mut self.tables);
        let count = inputs.count();
        let (mut evaluator, size) = inputs.evaluator(pool, count)?;
        let limit = work_limit(&size);
        let feasible = |count| count <= INPUTS && count * size.cost <= limit;
        let few = count.is_some_and(feasible);
        let mut values = vec![0; inputs.bytes.len()];
        if !few && try_ends(&mut evaluator, &inputs.words, &mut values) {
            return Some(inputs.answer(true, &values));
        }
        // Constraints on some of the words may rule out most inputs.
        let listed = |word: &Word| word.set.len().is_some_and(|values| values <= INPUTS);
        let search_pays = evaluator.is_word_by_word() && inputs.words.iter().all(listed);
        if !few && !search_pays {
            return None;
        }
        let bounds = Bounds {
            work: (!few).then_some(limit.min(WORK)),
            nodes: u64::MAX,
            deadline: query.deadline,
        };
        let found = search(&mut evaluator, &inputs.words, &mut values, &bounds);
        let spent = spent(&evaluator);
        query.charge(spent);
        let answer = found.map(|found| inputs.answer(found, &values));
        self.earn(pool, query, spent);
        answer
    }

    fn passed_on(&mut self, pool: &Pool, query: &Query<'_>, operations: u64) {
        if operations > 0 {
            self.earn(pool, query, operations);
        }
    }
}

/// Partitions the bytes of a query into words: bounded words, smallest set first, then single
/// bytes.
fn words(bytes: &[Byte], bounds: &[Bound], pool: &Pool) -> Vec<Word> {
    let mut free = vec![true; bytes.len()];
    let mut words = Vec::new();
    let mut bounds: Vec<&Bound> = bounds.iter().collect();
    bounds.sort_by_key(|(term, set)| (set.len().unwrap_or(u64::MAX), *term));
    for (term, set) in bounds {
        let Some(positions) = positions(pool, *term, bytes) else {
            continue;
        };
        let mut distinct = positions.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if distinct.len() == positions.len() && positions.iter().all(|&at| free[at]) {
            positions.iter().for_each(|&at| free[at] = false);
            let set = set.clone();
            words.push(Word {
                bytes: positions,
                set,
            });
        }
    }
    for at in (0..bytes.len()).filter(|&at| free[at]) {
        words.push(Word {
            bytes: vec![at],
            set: IntervalSet::all(8),
        });
    }
    words
}

/// Whether the words' sets imply a constraint, so that it need not be evaluated. That holds for a
/// bound on a word, and for any constraint on one byte ("a digit or a point"), which this
/// intersects with the byte's set.
fn narrow(
    pool: &Pool,
    constraint: ExprId,
    bytes: &[Byte],
    words: &mut [Word],
    tables: &mut ByteTables,
) -> bool {
    if let Some((byte, values)) = tables.of(pool, constraint) {
        let at = bytes.binary_search(&byte).ok();
        let word = (words.iter_mut()).find(|word| at.is_some_and(|at| word.bytes == [at]));
        let Some(word) = word else { return false };
        word.set = word.set.intersection(&IntervalSet::of_byte(&values));
        return true;
    }
    let Some((term, _)) = bound_of(pool, constraint) else {
        return false;
    };
    let of = positions(pool, term, bytes);
    of.is_some_and(|of| words.iter().any(|word| word.bytes == of))
}

/// The positions of a term's bytes among a query's, if the term is a concatenation of bytes.
fn positions(pool: &Pool, term: ExprId, bytes: &[Byte]) -> Option<Vec<usize>> {
    let of = word_bytes(pool, term)?;
    let found = of.iter().map(|byte| bytes.binary_search(byte).ok());
    found.collect()
}

/// Tries the ends of the words' sets: all low, all high, and all but one word at the same end.
/// Returns whether one of these assignments satisfies the constraints, and leaves it in `values`.
fn try_ends(evaluator: &mut Evaluator<'_>, words: &[Word], values: &mut [u8]) -> bool {
    let ends: Option<Vec<(u64, u64)>> = words.iter().map(|word| word.set.ends()).collect();
    let Some(ends) = ends else { return false };
    let odd_words = words.len().min(ODD_WORDS);
    for high in [false, true] {
        for odd in std::iter::once(None).chain((0..odd_words).map(Some)) {
            for (at, (word, &(lo, hi))) in words.iter().zip(&ends).enumerate() {
                let high = high != (odd == Some(at));
                set_word(values, word, if high { hi } else { lo });
            }
            if evaluator.holds(values) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
