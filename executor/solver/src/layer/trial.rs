//! Trying inputs: the constraints of a query in executable form, and the search through the values
//! that its words can have.
//!
//! The search goes by words. As soon as the values of some words decide a constraint, the constraint
//! is looked at, so that most values of a word are given up before the next word is tried: of two
//! characters that are digits if they are not signs, 100 pairs are left for the rest of the query, not
//! 65,536. Which words come first follows from the constraints: those that complete one soonest.

use plat_expr::{Assignment, EvalMemo, ExprId, Node, Pool, Straight, SymbolId};
use rustc_hash::FxHashSet;

use super::intervals::Set;
use crate::deadline::Deadline;

/// Most nodes of all constraints, and when there are at most so many assignments.
const NODES: usize = 4096;
const MANY_NODES: usize = 1 << 16;
/// That many assignments.
pub(super) const HANDFUL: u64 = 256;
/// What evaluating a node costs where there is no straight-line code.
pub(super) const EVALUATION: u64 = 16;
/// How often the clock is read: once in so many trials.
const TRIALS: u64 = 1 << 8;
/// A search that is limited is given up when a quarter of what it may cost did not do a sixteenth of
/// it.
const EARLY: (u64, f64) = (4, 1.0 / 16.0);

/// A word of the input and where it must lie.
pub(super) struct Word {
    /// Positions of its bytes among the query's, lowest first.
    pub bytes: Vec<usize>,
    pub set: Set,
}

/// The constraints of a query, ready to be tried.
pub(super) enum Trial<'a> {
    Code(Straight),
    Nodes {
        pool: &'a Pool,
        constraints: &'a [ExprId],
        bytes: &'a [(SymbolId, u32)],
        /// What one evaluation costs, and all so far.
        cost: u64,
        computed: u64,
    },
}

/// How large the constraints of a query are.
pub(super) struct Size {
    /// Operations for one trial.
    pub cost: u64,
    pub nodes: u64,
    /// Elements in constant tables.
    pub elements: u64,
    /// Operations on floats.
    pub floats: u64,
}

impl<'a> Trial<'a> {
    /// Unless there are too many nodes; more are allowed for few inputs. The words get their values
    /// in this order.
    pub(super) fn new(
        pool: &'a Pool,
        constraints: &'a [ExprId],
        bytes: &'a [(SymbolId, u32)],
        words: &[Word],
        inputs: Option<u64>,
    ) -> Option<(Self, Size)> {
        let most = match inputs {
            Some(..=HANDFUL) => MANY_NODES,
            _ => NODES,
        };
        let mut stages = vec![0; bytes.len()];
        for (stage, word) in words.iter().enumerate() {
            word.bytes.iter().for_each(|&at| stages[at] = stage as u32);
        }
        if let Some(code) = pool.straight_in_stages(constraints, bytes, &stages, most) {
            let size = Size {
                cost: code.len() as u64,
                nodes: code.len() as u64,
                elements: code.table_elements() as u64,
                floats: code.floats() as u64,
            };
            return Some((Self::Code(code), size));
        }
        let (nodes, floats) = nodes(pool, constraints, most)?;
        let cost = EVALUATION * nodes as u64;
        let size = Size {
            cost,
            nodes: nodes as u64,
            elements: 0,
            floats: floats as u64,
        };
        let trial = Self::Nodes {
            pool,
            constraints,
            bytes,
            cost,
            computed: 0,
        };
        Some((trial, size))
    }

    /// Whether all constraints hold when the bytes have these values.
    pub(super) fn holds(&mut self, values: &[u8]) -> bool {
        match self {
            Self::Code(code) => code.holds(values),
            Self::Nodes { .. } => self.evaluated(values),
        }
    }

    /// Whether constraints are looked at as soon as their words have values.
    pub(super) fn goes_by_words(&self) -> bool {
        matches!(self, Self::Code(_))
    }

    /// Whether the constraints hold whose last word, of `words`, has got a value now.
    fn holds_at(&mut self, word: usize, words: usize, values: &[u8]) -> bool {
        match self {
            Self::Code(code) => code.stage_holds(word, values),
            Self::Nodes { .. } => word + 1 < words || self.evaluated(values),
        }
    }

    fn evaluated(&mut self, values: &[u8]) -> bool {
        let Self::Nodes {
            pool,
            constraints,
            bytes,
            cost,
            computed,
        } = self
        else {
            return false;
        };
        *computed += *cost;
        let (model, mut memo) = (assignment(bytes, values), EvalMemo::new());
        let mut newest_first = constraints.iter().rev();
        newest_first.all(|&c| pool.holds(c, &model, &mut memo))
    }

    /// Operations so far.
    fn computed(&self) -> u64 {
        match self {
            Self::Code(code) => code.computed(),
            Self::Nodes { computed, .. } => *computed,
        }
    }
}

/// The input bytes of a query, ascending.
pub(super) fn bytes_of(pool: &Pool, constraints: &[ExprId]) -> Vec<(SymbolId, u32)> {
    let of_each = constraints.iter().map(|&c| pool.symbols(c));
    let mut bytes: Vec<(SymbolId, u32)> = of_each.flat_map(|bytes| bytes.iter()).collect();
    bytes.sort_unstable();
    bytes.dedup();
    bytes
}

/// Bytes with their values.
pub(super) fn assignment(bytes: &[(SymbolId, u32)], values: &[u8]) -> Assignment {
    let mut assignment = Assignment::new();
    for (&(symbol, index), &value) in bytes.iter().zip(values) {
        assignment.set_byte(symbol, index, value);
    }
    assignment
}

/// How many nodes constraints have, and how many of them are operations on floats; `None` if
/// there are too many.
fn nodes(pool: &Pool, constraints: &[ExprId], most: usize) -> Option<(usize, usize)> {
    let (mut seen, mut stack, mut floats) = (FxHashSet::default(), constraints.to_vec(), 0);
    while let Some(e) = stack.pop() {
        if !pool.has_symbol(e) || !seen.insert(e) {
            continue;
        }
        if seen.len() + stack.len() > most {
            return None;
        }
        floats += usize::from(matches!(pool.node(e), Node::Float(..)));
        pool.node(e).for_each_operand(|operand| stack.push(operand));
        if let Node::Read(table, _) = pool.node(e)
            && !pool.table_is_constant(table)
        {
            stack.extend(pool.table_elements(table));
        }
    }
    Some((seen.len(), floats))
}

/// Puts words in the order in which they get values: again and again those of the constraint whose
/// missing words have the fewest values together.
pub(super) fn order(
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
        let its = pool.symbols(constraint).iter();
        let its = its.filter_map(|byte| bytes.binary_search(&byte).ok());
        let mut its: Vec<usize> = its.map(|at| word_of[at]).collect();
        its.sort_unstable();
        its.dedup();
        missing.push(its);
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
pub(super) fn put(values: &mut [u8], word: &Word, value: u64) {
    for (part, &at) in word.bytes.iter().enumerate() {
        values[at] = (value >> (8 * part)) as u8;
    }
}

/// The way of a search: for each word its values and how many of them were tried before this one.
struct Way {
    all: Vec<Vec<u64>>,
    chosen: Vec<usize>,
}

impl Way {
    /// Which part of all inputs lies behind.
    fn done(&self) -> f64 {
        let words = self.all.iter().zip(&self.chosen);
        words.rev().fold(0.0, |within, (values, &chosen)| {
            (chosen as f64 + within) / values.len() as f64
        })
    }
}

/// Tries the assignments in order, the last word's values changing fastest; stops at one that
/// satisfies the constraints, left in `values`. Whether there is one, unless the time is over or the
/// search takes, or is going to take, more than `most` operations.
pub(super) fn search(
    trial: &mut Trial<'_>,
    words: &[Word],
    values: &mut [u8],
    most: Option<u64>,
    deadline: Deadline,
) -> Option<bool> {
    let mut way = Way {
        all: words.iter().map(|word| word.set.values()).collect(),
        chosen: vec![0; words.len()],
    };
    if way.all.iter().any(Vec::is_empty) {
        return Some(false);
    }
    if words.is_empty() {
        return Some(trial.holds(values));
    }
    let before = trial.computed();
    let (part, share) = EARLY;
    let mut at = 0;
    put(values, &words[0], way.all[0][0]);
    for tried in 1u64.. {
        if tried.is_multiple_of(TRIALS) {
            let cost = trial.computed() - before;
            let hopeless = |most| cost > most || cost > most / part && way.done() < share;
            if deadline.is_over() || most.is_some_and(hopeless) {
                return None;
            }
        }
        if trial.holds_at(at, words.len(), values) {
            if at + 1 == words.len() {
                return Some(true);
            }
            at += 1;
            way.chosen[at] = 0;
        } else {
            way.chosen[at] += 1;
            while way.chosen[at] == way.all[at].len() {
                way.chosen[at] = 0;
                if at == 0 {
                    return Some(false);
                }
                at -= 1;
                way.chosen[at] += 1;
            }
        }
        put(values, &words[at], way.all[at][way.chosen[at]]);
    }
    None
}
