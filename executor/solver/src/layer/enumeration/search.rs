//! Backtracking search over the values of the words of a query.
//!
//! Words get values one by one. A constraint is evaluated as soon as all of its words have values,
//! which prunes most values before the next word. For two characters that must be digits unless
//! they are signs, about 100 pairs are left instead of 65,536. Words that complete a constraint
//! soonest come first.

use plat_expr::{ExprId, Pool, SymbolId};

use super::evaluator::Evaluator;
use crate::deadline::Deadline;
use crate::layer::intervals::IntervalSet;

/// Assignments between two clock reads.
const TRIALS_PER_CLOCK_READ: u64 = 1 << 8;
/// A search with a work limit is abandoned if a quarter of it covers less than 1/16 of the inputs.
const EARLY: (u64, f64) = (4, 1.0 / 16.0);

/// A word of the input and the values that it may have.
pub struct Word {
    /// Positions of its bytes among the query's, lowest first.
    pub bytes: Vec<usize>,
    pub set: IntervalSet,
}

/// Sorts words into the order in which they get values. Repeatedly takes the constraint whose
/// remaining words have the fewest combinations of values, and appends these words.
pub fn order(
    pool: &Pool,
    constraints: &[ExprId],
    bytes: &[(SymbolId, u32)],
    words: &mut Vec<Word>,
) {
    let mut word_of = vec![0; bytes.len()];
    for (at, word) in words.iter().enumerate() {
        word.bytes.iter().for_each(|&byte| word_of[byte] = at);
    }
    let mut missing: Vec<Vec<usize>> = Vec::with_capacity(constraints.len());
    for &constraint in constraints {
        let bytes_of = pool.symbols(constraint).iter();
        let positions = bytes_of.filter_map(|byte| bytes.binary_search(&byte).ok());
        let mut words_of: Vec<usize> = positions.map(|at| word_of[at]).collect();
        words_of.sort_unstable();
        words_of.dedup();
        missing.push(words_of);
    }
    let sizes: Vec<f64> = (words.iter())
        .map(|word| {
            word.set
                .len()
                .map_or(64.0, |len| (len.max(1) as f64).log2())
        })
        .collect();
    let mut ordered: Vec<usize> = Vec::with_capacity(words.len());
    loop {
        missing
            .iter_mut()
            .for_each(|of| of.retain(|at| !ordered.contains(at)));
        missing.retain(|of| !of.is_empty());
        let values = |of: &Vec<usize>| of.iter().map(|&at| sizes[at]).sum::<f64>();
        let next = missing
            .iter()
            .min_by(|a, b| values(a).total_cmp(&values(b)));
        let Some(next) = next else { break };
        let mut next = next.clone();
        next.sort_by(|&a, &b| sizes[a].total_cmp(&sizes[b]));
        ordered.extend(next);
    }
    let rest = (0..words.len()).filter(|at| !ordered.contains(at));
    let ordered: Vec<usize> = ordered.iter().copied().chain(rest).collect();
    let mut taken: Vec<Option<Word>> = words.drain(..).map(Some).collect();
    words.extend(ordered.iter().filter_map(|&at| taken[at].take()));
}

/// Gives a word a value.
pub fn set_word(values: &mut [u8], word: &Word, value: u64) {
    for (part, &at) in word.bytes.iter().enumerate() {
        values[at] = (value >> (8 * part)) as u8;
    }
}

/// The position of a search: for each word its values and the index of the current one.
struct Position {
    all: Vec<Vec<u64>>,
    chosen: Vec<usize>,
}

impl Position {
    /// The fraction of all inputs that was searched.
    fn done(&self) -> f64 {
        let words = self.all.iter().zip(&self.chosen);
        words.rev().fold(0.0, |within, (values, &chosen)| {
            (chosen as f64 + within) / values.len() as f64
        })
    }
}

/// What a search may take.
pub struct Bounds {
    /// The most operations that it takes or is expected to take.
    pub work: Option<u64>,
    /// The most nodes that are evaluated one by one.
    pub nodes: u64,
    /// When it ends.
    pub deadline: Deadline,
}

/// Enumerates assignments, the last word's values changing fastest. Returns whether one satisfies
/// the constraints, and leaves the first in `values`. `None` if a bound is reached.
pub fn search(
    evaluator: &mut Evaluator<'_>,
    words: &[Word],
    values: &mut [u8],
    bounds: &Bounds,
) -> Option<bool> {
    let mut position = Position {
        all: words.iter().map(|word| word.set.values()).collect(),
        chosen: vec![0; words.len()],
    };
    if position.all.iter().any(Vec::is_empty) {
        return Some(false);
    }
    if words.is_empty() {
        return Some(evaluator.holds(values));
    }
    let before = evaluator.work();
    let (part, share) = EARLY;
    let mut at = 0;
    set_word(values, &words[0], position.all[0][0]);
    // Evaluating all nodes takes longer than reading the clock.
    let slow = !evaluator.is_word_by_word();
    for tried in 1u64.. {
        let due = tried.is_multiple_of(TRIALS_PER_CLOCK_READ);
        if due {
            let cost = evaluator.work() - before;
            let hopeless = |limit| cost > limit || cost > limit / part && position.done() < share;
            if bounds.work.is_some_and(hopeless) {
                return None;
            }
        }
        if evaluator.nodes() > bounds.nodes || (due || slow) && bounds.deadline.is_over() {
            return None;
        }
        if evaluator.holds_at(at, words.len(), values) {
            if at + 1 == words.len() {
                return Some(true);
            }
            at += 1;
            position.chosen[at] = 0;
        } else {
            position.chosen[at] += 1;
            while position.chosen[at] == position.all[at].len() {
                position.chosen[at] = 0;
                if at == 0 {
                    return Some(false);
                }
                at -= 1;
                position.chosen[at] += 1;
            }
        }
        set_word(values, &words[at], position.all[at][position.chosen[at]]);
    }
    None
}
