//! Answers queries that so few inputs can satisfy that all of them are tried.
//!
//! An index into a table is a word that the path has bounded, a choice among objects another. The
//! constraints that compare such words with constants (see [`super::intervals`]) leave each a set
//! of values; bytes in no such word have 256. When the product of these sets is small, each of its
//! assignments is tried on all constraints, in straight-line code: the first that satisfies them
//! is a model, and if none does, there is none. A back end takes seconds to minutes for a read of
//! a table of 65,536 bytes; this takes milliseconds.
//!
//! Where there are too many, a few are tried: the ends of the words' sets. That is enough for the
//! conditions that a fresh input meets first, such as the negation of a bound on it.

use plat_expr::{Assignment, ExprId, Pool, Straight, SymbolId};

use super::intervals::{Bound, Set, bounds, free_bytes};
use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// Most assignments.
const INPUTS: u64 = 1 << 18;
/// Most nodes of all constraints.
const NODES: usize = 4096;
/// Most operations for a query (a few milliseconds), and how many more for each element of the
/// tables that it reads: what makes a query hard for a back end.
const WORK: u64 = 1 << 20;
const WORK_PER_ELEMENT: u64 = 1 << 8;

/// Most words that are tried to be unlike the others.
const GUESSES: usize = 8;

/// A word of the input and where it must lie.
struct Word {
    /// Positions of its bytes among the query's, lowest first.
    bytes: Vec<usize>,
    set: Set,
}

/// Trial above `inner`.
pub struct FewInputs {
    inner: Box<dyn Solver>,
    counts: LayerStats,
}

impl FewInputs {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            counts: LayerStats::default(),
        }
    }
}

/// The answer, if there are few enough inputs.
fn decide(pool: &Pool, constraints: &[ExprId]) -> Option<Answer> {
    let mut bytes: Vec<(SymbolId, u32)> = Vec::new();
    for &constraint in constraints {
        bytes.extend(pool.symbols(constraint).iter());
    }
    bytes.sort_unstable();
    bytes.dedup();
    let words = words(&bytes, &bounds(pool, constraints), pool);
    let inputs = words
        .iter()
        .try_fold(1, |product: u64, word| product.checked_mul(word.set.len()?));
    let mut code = pool.straight(constraints, &bytes, NODES)?;
    let work = WORK + WORK_PER_ELEMENT * code.table_elements() as u64;
    let tried = |inputs| inputs <= INPUTS && inputs * code.len() as u64 <= work;
    let few = inputs.is_some_and(tried);
    let mut values = vec![0; bytes.len()];
    if few && !search(&mut code, &words, &mut values) {
        return Some(Answer::Unsat);
    }
    if !few && !guess(&mut code, &words, &mut values) {
        return None;
    }
    let mut model = Assignment::new();
    for (&(symbol, index), value) in bytes.iter().zip(values) {
        model.set_byte(symbol, index, value);
    }
    Some(Answer::Sat(model))
}

/// Words that share no byte and have every byte of a query: those that are bounded, smallest set
/// first, then single bytes.
fn words(bytes: &[(SymbolId, u32)], bounds: &[Bound], pool: &Pool) -> Vec<Word> {
    let mut free = vec![true; bytes.len()];
    let mut words = Vec::new();
    let mut bounds: Vec<&Bound> = bounds.iter().collect();
    bounds.sort_by_key(|(term, set)| (set.len().unwrap_or(u64::MAX), *term));
    for (term, set) in bounds {
        let Some(of) = free_bytes(pool, *term) else {
            continue;
        };
        let positions: Option<Vec<usize>> = of
            .iter()
            .map(|byte| bytes.binary_search(byte).ok())
            .collect();
        let Some(positions) = positions else { continue };
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
            set: Set::all(8),
        });
    }
    words
}

/// Gives a word a value.
fn put(values: &mut [u8], word: &Word, value: u64) {
    for (part, &at) in word.bytes.iter().enumerate() {
        values[at] = (value >> (8 * part)) as u8;
    }
}

/// Tries the ends of the words' sets: all low, all high, and one unlike the others. Whether one of
/// these assignments satisfies the constraints; it is left in `values`.
fn guess(code: &mut Straight, words: &[Word], values: &mut [u8]) -> bool {
    let ends: Option<Vec<(u64, u64)>> = words.iter().map(|word| word.set.ends()).collect();
    let Some(ends) = ends else { return false };
    let odd = words.len().min(GUESSES);
    for high in [false, true] {
        for unlike in std::iter::once(None).chain((0..odd).map(Some)) {
            for (at, (word, &(lo, hi))) in words.iter().zip(&ends).enumerate() {
                let high = high != (unlike == Some(at));
                put(values, word, if high { hi } else { lo });
            }
            if code.holds(values) {
                return true;
            }
        }
    }
    false
}

/// Tries the assignments in order, the first word's values changing fastest; stops at one that
/// satisfies the constraints, left in `values`.
fn search(code: &mut Straight, words: &[Word], values: &mut [u8]) -> bool {
    let all: Vec<Vec<u64>> = words.iter().map(|word| word.set.values()).collect();
    if all.iter().any(Vec::is_empty) {
        return false;
    }
    for (word, of) in words.iter().zip(&all) {
        put(values, word, of[0]);
    }
    let mut chosen = vec![0; words.len()];
    loop {
        if code.holds(values) {
            return true;
        }
        let mut at = 0;
        loop {
            if at == words.len() {
                return false;
            }
            chosen[at] += 1;
            if chosen[at] < all[at].len() {
                put(values, &words[at], all[at][chosen[at]]);
                break;
            }
            chosen[at] = 0;
            put(values, &words[at], all[at][0]);
            at += 1;
        }
    }
}

impl Solver for FewInputs {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(answer) = decide(pool, query.constraints) {
            self.counts.hits += 1;
            return answer;
        }
        self.counts.misses += 1;
        self.inner.check(pool, query)
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("few_inputs", self.counts);
        self.inner.stats(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::{EvalMemo, Predicate};

    struct Refuse;

    impl Solver for Refuse {
        fn check(&mut self, _: &mut Pool, _: &Query<'_>) -> Answer {
            Answer::Unknown("asked".to_owned())
        }
        fn stats(&self, _: &mut SolverStats) {}
    }

    /// A table of 1,000 elements read at a bounded word of four bytes: every element that is asked
    /// for is found where it is, and what is not in the table is refuted.
    #[test]
    fn reads_of_a_table_agree_with_the_table() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("i", 0, 5);
        let bytes: Vec<ExprId> = (0..5).map(|at| pool.symbol_byte(symbol, at)).collect();
        let index = bytes[1..4]
            .iter()
            .fold(bytes[0], |low, &byte| pool.concat(byte, low));
        let values: Vec<u64> = (0..1000).map(|at| at * at % 509).collect();
        let elements: Vec<ExprId> = values.iter().map(|&of| pool.constant(16, of)).collect();
        let table = pool.table(&elements);
        let (wide, size) = (pool.zext(index, 64), pool.constant(32, 1000));
        let read = pool.read(table, wide);
        let inside = pool.ult(index, size);
        let other = pool.zext(bytes[4], 16);
        let sum = pool.add(read, other);
        let mut solver = FewInputs::new(Box::new(Refuse));
        for asked in (0..1100).step_by(7) {
            let (of, least) = (pool.constant(16, asked), pool.constant(8, 250));
            let same = pool.eq(sum, of);
            let late = pool.compare(Predicate::Ult, least, bytes[4]);
            let constraints = [inside, same, late];
            let query = Query {
                constraints: &constraints,
            };
            let expected = (251..256).any(|add| values.iter().any(|value| value + add == asked));
            match solver.check(&mut pool, &query) {
                Answer::Sat(model) => {
                    assert!(expected);
                    let memo = &mut EvalMemo::new();
                    assert!(constraints.iter().all(|&c| pool.holds(c, &model, memo)));
                }
                Answer::Unsat => assert!(!expected),
                Answer::Unknown(why) => panic!("{why}"),
            }
        }
        // Without its bound the word has too many values; an end of them will do where one does.
        let outside = pool.not(inside);
        let query = Query {
            constraints: &[outside],
        };
        assert!(matches!(solver.check(&mut pool, &query), Answer::Sat(_)));
        let of = pool.constant(16, 3);
        let constraints = [pool.eq(sum, of)];
        let query = Query {
            constraints: &constraints,
        };
        assert!(matches!(
            solver.check(&mut pool, &query),
            Answer::Unknown(_)
        ));
    }
}
