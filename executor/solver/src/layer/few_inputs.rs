//! Answers queries that so few inputs can satisfy that all of them are tried.
//!
//! An index into a table is a word that the path has bounded, a choice among objects another. The
//! constraints that compare such words with constants (see [`super::intervals`]) leave each a set
//! of values; bytes in no such word have 256. When the product of these sets is small, each of its
//! assignments is tried on all constraints, in straight-line code: the first that satisfies them
//! is a model, and if none does, there is none. A back end takes seconds to minutes for a read of
//! a table of 65,536 bytes and seconds for a product of doubles; this takes milliseconds. Nodes
//! wider than 64 bits (long doubles) and tables of expressions have no straight-line code: such
//! constraints are evaluated as they are, which is slower, on fewer inputs.
//!
//! Where there are too many, a few are tried: the ends of the words' sets. That is enough for the
//! conditions that a fresh input meets first, such as the negation of a bound on it. Else the search
//! has the same work that it could have for few inputs, and often ends: constraints on some of the
//! words rule out most of their values ([`super::trial`]).

use plat_expr::{ExprId, Pool};
use rustc_hash::FxHashSet;

use super::byte_tables::{Byte, ByteTables};
use super::decide::Decide;
use super::intervals::{Bound, Set, bound_of, bounds, free_bytes};
use super::trial::{
    EVALUATION, HANDFUL, Size, Trial, Word, assignment, bytes_of, order, put, search,
};
use crate::answer::{Answer, Query};

/// Most assignments.
const INPUTS: u64 = 1 << 18;
/// Most values of a word when all inputs are tried however many: there is a list of them.
const VALUES: u64 = 1 << 22;
/// Most operations for a query (a few milliseconds), and how many more for each node, each element
/// of the tables that it reads and each operation on floats: what makes a query hard for a back end.
const WORK: u64 = 1 << 20;
const WORK_PER_ELEMENT: u64 = 1 << 8;
const WORK_PER_NODE: u64 = 1 << 11;
const WORK_PER_FLOAT: u64 = 1 << 24;
/// Operations on floats beyond which there is no more work for them.
const FLOATS: u64 = 8;
/// Most words that are tried to be unlike the others.
const GUESSES: usize = 8;

/// Most operations for all trials of a query of that size.
fn most_work(size: &Size) -> u64 {
    let floats = WORK_PER_FLOAT * FLOATS.min(size.floats);
    WORK + WORK_PER_NODE * size.nodes + WORK_PER_ELEMENT * size.elements + floats
}

/// Roughly how many operations it takes to try all inputs of a query; none if a word of it has too
/// many values to list.
pub(crate) fn work(pool: &Pool, constraints: &[ExprId]) -> Option<u64> {
    let inputs = Inputs::of(pool, constraints, &mut ByteTables::default());
    let listed = |word: &Word| word.set.len().is_some_and(|values| values <= VALUES);
    if !inputs.words.iter().all(listed) {
        return None;
    }
    let count = inputs.count()?;
    let (trial, size) = inputs.trial(pool, Some(HANDFUL))?;
    let cost = match trial {
        Trial::Code(_) => size.cost,
        // Of a table one element is evaluated.
        Trial::Nodes { .. } => EVALUATION * outside_tables(pool, &inputs.rest),
    };
    count.checked_mul(cost)
}

/// Tries all inputs of a query, however many; an answer unless the time is over before.
pub(crate) fn try_all(pool: &Pool, query: &Query<'_>) -> Option<Answer> {
    let inputs = Inputs::of(pool, query.constraints, &mut ByteTables::default());
    let (mut trial, _) = inputs.trial(pool, Some(HANDFUL))?;
    let mut values = vec![0; inputs.bytes.len()];
    let found = search(&mut trial, &inputs.words, &mut values, None, query.deadline)?;
    Some(inputs.answer(found, &values))
}

/// How many nodes constraints have, elements of tables aside.
fn outside_tables(pool: &Pool, constraints: &[ExprId]) -> u64 {
    let (mut seen, mut stack) = (FxHashSet::default(), constraints.to_vec());
    while let Some(e) = stack.pop() {
        if pool.has_symbol(e) && seen.insert(e) {
            pool.node(e).for_each_operand(|operand| stack.push(operand));
        }
    }
    seen.len() as u64
}

/// The input of a query.
struct Inputs {
    bytes: Vec<Byte>,
    /// Its words with no more values than constraints on a word alone leave.
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

    /// How many assignments there are.
    fn count(&self) -> Option<u64> {
        let mut words = self.words.iter();
        words.try_fold(1, |product: u64, word| product.checked_mul(word.set.len()?))
    }

    /// What is to be tried, if there are so many assignments.
    fn trial<'a>(&'a self, pool: &'a Pool, count: Option<u64>) -> Option<(Trial<'a>, Size)> {
        Trial::new(pool, &self.rest, &self.bytes, &self.words, count)
    }

    /// What a search says that has found these values.
    fn answer(&self, found: bool, values: &[u8]) -> Answer {
        match found {
            true => Answer::Sat(assignment(&self.bytes, values)),
            false => Answer::Unsat,
        }
    }
}

/// Trial of all inputs.
#[derive(Default)]
pub struct FewInputs {
    tables: ByteTables,
}

impl Decide for FewInputs {
    const NAME: &'static str = "few_inputs";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        let inputs = Inputs::of(pool, query.constraints, &mut self.tables);
        let count = inputs.count();
        let (mut trial, size) = inputs.trial(pool, count)?;
        let most = most_work(&size);
        let tried = |count| count <= INPUTS && count * size.cost <= most;
        let few = count.is_some_and(tried);
        let mut values = vec![0; inputs.bytes.len()];
        if !few && guess(&mut trial, &inputs.words, &mut values) {
            return Some(inputs.answer(true, &values));
        }
        // Many inputs are few where constraints on some of the words rule out most of them.
        let listed = |word: &Word| word.set.len().is_some_and(|values| values <= INPUTS);
        let searched = few || trial.goes_by_words() && inputs.words.iter().all(listed);
        if !searched {
            return None;
        }
        let limit = (!few).then_some(most.min(WORK));
        let found = search(
            &mut trial,
            &inputs.words,
            &mut values,
            limit,
            query.deadline,
        )?;
        Some(inputs.answer(found, &values))
    }
}

/// Words that share no byte and have every byte of a query: those that are bounded, smallest set
/// first, then single bytes.
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
            set: Set::all(8),
        });
    }
    words
}

/// Whether a constraint is on one word alone and says nothing beyond the word's set: it is a bound, of
/// which the set is made, or on one byte, in any form ("a digit or a point"); then the set gets it.
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
        word.set = word.set.intersection(&Set::of_byte(&values));
        return true;
    }
    let Some((term, _)) = bound_of(pool, constraint) else {
        return false;
    };
    let of = positions(pool, term, bytes);
    of.is_some_and(|of| words.iter().any(|word| word.bytes == of))
}

/// Where the bytes of a term are among a query's, if it is bytes side by side.
fn positions(pool: &Pool, term: ExprId, bytes: &[Byte]) -> Option<Vec<usize>> {
    let of = free_bytes(pool, term)?;
    let found = of.iter().map(|byte| bytes.binary_search(byte).ok());
    found.collect()
}

/// Tries the ends of the words' sets: all low, all high, and one unlike the others. Whether one of
/// these assignments satisfies the constraints; it is left in `values`.
fn guess(trial: &mut Trial<'_>, words: &[Word], values: &mut [u8]) -> bool {
    let ends: Option<Vec<(u64, u64)>> = words.iter().map(|word| word.set.ends()).collect();
    let Some(ends) = ends else { return false };
    let odd = words.len().min(GUESSES);
    for high in [false, true] {
        for unlike in std::iter::once(None).chain((0..odd).map(Some)) {
            for (at, (word, &(lo, hi))) in words.iter().zip(&ends).enumerate() {
                let high = high != (unlike == Some(at));
                put(values, word, if high { hi } else { lo });
            }
            if trial.holds(values) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::Solver as _;
    use crate::backend::z3::Z3;
    use crate::config::Config;
    use plat_expr::{EvalMemo, FloatFormat, FloatOp, Predicate};

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
        let mut solver = FewInputs::default();
        for asked in (0..1100).step_by(7) {
            let (of, least) = (pool.constant(16, asked), pool.constant(8, 250));
            let same = pool.eq(sum, of);
            let late = pool.compare(Predicate::Ult, least, bytes[4]);
            let constraints = [inside, same, late];
            let expected = (251..256).any(|add| values.iter().any(|value| value + add == asked));
            match solver.decide(&mut pool, &Query::new(&constraints)) {
                Some(Answer::Sat(model)) => {
                    assert!(expected);
                    let memo = &mut EvalMemo::new();
                    assert!(constraints.iter().all(|&c| pool.holds(c, &model, memo)));
                }
                Some(Answer::Unsat) => assert!(!expected),
                other => panic!("{other:?}"),
            }
        }
        // Without its bound the word has too many values; an end of them will do where one does.
        let outside = pool.not(inside);
        let answer = solver.decide(&mut pool, &Query::new(&[outside]));
        assert!(matches!(answer, Some(Answer::Sat(_))));
        // No square ends in these bits, which takes too many words to find out.
        let square = pool.mul(index, index);
        let of = pool.constant(32, 3);
        let same = pool.eq(square, of);
        assert!(solver.decide(&mut pool, &Query::new(&[same])).is_none());
    }

    /// Two characters after an optional sign, as readers of numbers see them: no constraint is on one
    /// byte alone, and 2^24 inputs are few all the same.
    #[test]
    fn constraints_on_some_words_leave_few_inputs() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("text", 0, 3);
        let bytes: Vec<ExprId> = (0..3).map(|at| pool.symbol_byte(symbol, at)).collect();
        let (plus, nought) = (pool.constant(8, 43), pool.constant(64, 48));
        let (ten, third) = (
            pool.constant(64, 10),
            pool.constant(64, 0xaaaa_aaaa_aaaa_aaab),
        );
        let signed = pool.eq(bytes[0], plus);
        let (mut constraints, mut number) = (Vec::new(), pool.constant(64, 0));
        for at in 0..2 {
            let digit = pool.ite(signed, bytes[at + 1], bytes[at]);
            let digit = pool.zext(digit, 64);
            let digit = pool.sub(digit, nought);
            constraints.push(pool.ult(digit, ten));
            let scaled = pool.mul(number, ten);
            number = pool.add(scaled, digit);
        }
        // A multiple of 3 (its product with the inverse is small) that is so large.
        let (inverse, most) = (pool.mul(number, third), pool.constant(64, u64::MAX / 3 + 1));
        constraints.push(pool.ult(inverse, most));
        for (least, expected) in [(97, true), (99, true), (100, false)] {
            let bound = pool.constant(64, least);
            let mut query = constraints.clone();
            query.push(pool.compare(Predicate::Uge, number, bound));
            match FewInputs::default().decide(&mut pool, &Query::new(&query)) {
                Some(Answer::Sat(model)) => {
                    let memo = &mut EvalMemo::new();
                    assert!(expected && query.iter().all(|&c| pool.holds(c, &model, memo)));
                    let of: Vec<u8> = (0..3).map(|at| model.byte(symbol, at)).collect();
                    assert!(of[0] == b'9' && of[1] == b'9' || of == *b"+99");
                }
                Some(Answer::Unsat) => assert!(!expected),
                other => panic!("{least}: {other:?}"),
            }
        }
    }

    /// Conditions on single bytes in any form leave few inputs: of three characters that are a digit
    /// or a point each, sums of what they stand for, as a reader of numbers computes them.
    #[test]
    fn characters_of_a_class_are_few() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("text", 0, 3);
        let bytes: Vec<ExprId> = (0..3).map(|at| pool.symbol_byte(symbol, at)).collect();
        let point = pool.constant(8, 46);
        let (nought, ten) = (pool.constant(32, 48), pool.constant(32, 10));
        let (mut constraints, mut number) = (Vec::new(), pool.constant(32, 0));
        for &byte in &bytes {
            let wide = pool.zext(byte, 32);
            let digit = pool.sub(wide, nought);
            let is_digit = pool.ult(digit, ten);
            let is_point = pool.eq(byte, point);
            constraints.push(pool.or(is_digit, is_point));
            let scaled = pool.mul(number, ten);
            let next = pool.add(scaled, digit);
            number = pool.ite(is_point, number, next);
        }
        let class: Vec<u8> = (b'0'..=b'9').chain([b'.']).collect();
        for asked in [0, 7, 123, 999, 1000, 5000] {
            let of = pool.constant(32, asked);
            let mut query = constraints.clone();
            query.push(pool.eq(number, of));
            // 2^24 inputs times the query's size are too many, 11^3 are not.
            match FewInputs::default().decide(&mut pool, &Query::new(&query)) {
                Some(Answer::Sat(model)) => {
                    let memo = &mut EvalMemo::new();
                    assert!(query.iter().all(|&c| pool.holds(c, &model, memo)));
                    let byte = |at| model.byte(symbol, at);
                    assert!((0..3).all(|at| class.contains(&byte(at))));
                    assert!(asked < 1000);
                }
                Some(Answer::Unsat) => assert!(asked >= 1000),
                other => panic!("{other:?}"),
            }
        }
    }

    /// What all inputs take is known where their values can be listed.
    #[test]
    fn words_of_too_many_values_are_not_tried() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("word", 0, 4);
        let bytes: Vec<ExprId> = (0..4).map(|at| pool.symbol_byte(symbol, at)).collect();
        let number = bytes[1..]
            .iter()
            .fold(bytes[0], |low, &byte| pool.concat(byte, low));
        let ten = pool.constant(32, 10);
        let product = pool.mul(number, number);
        let equal = pool.eq(product, ten);
        for (bits, tried) in [(16, true), (22, true), (23, false), (30, false)] {
            let bound = pool.constant(32, 1 << bits);
            let inside = pool.ult(number, bound);
            let work = work(&pool, &[inside, equal]);
            assert_eq!(work.is_some(), tried, "{bits} {work:?}");
            assert!(work.is_none_or(|work| work >> bits > 0));
        }
    }

    /// A bounded integer as a float of each format: the layer alone says what Z3 says.
    #[test]
    fn floats_of_few_inputs_need_no_solver() {
        let mut pool = Pool::new();
        let symbol = pool.symbol("n", 0, 2);
        let (low, high) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
        let n = pool.concat(high, low);
        let bound = pool.constant(16, 50);
        let small = pool.ult(n, bound);
        let mut answers = [0, 0];
        let unhurried = Config {
            time_limit: None,
            ..Config::default()
        };
        for format in [FloatFormat::Single, FloatFormat::Extended] {
            let width = format.bits();
            let x = pool.float(FloatOp::FromUnsigned, format, &[n], width);
            for (factor, target) in [(0.1f32, 0.3f32), (0.1, 4.0), (3.0, 50.0), (0.25, 12.25)] {
                let [factor, target] = [factor, target].map(|number| {
                    let single = pool.constant(32, u64::from(number.to_bits()));
                    let to = FloatOp::ToFormat(format);
                    pool.float(to, FloatFormat::Single, &[single], width)
                });
                let product = pool.float(FloatOp::Mul, format, &[x, factor], width);
                let equal = pool.float(FloatOp::Eq, format, &[product, target], 1);
                let constraints = &[small, equal];
                let found = FewInputs::default().decide(&mut pool, &Query::new(constraints));
                let query = Query::new(constraints);
                let expected = Z3::new(&unhurried).check(&mut pool, &query);
                match (found, expected) {
                    (Some(Answer::Sat(model)), Answer::Sat(_)) => {
                        answers[0] += 1;
                        assert!(pool.holds(equal, &model, &mut EvalMemo::new()));
                    }
                    (Some(Answer::Unsat), Answer::Unsat) => answers[1] += 1,
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(answers[0] > 0 && answers[1] > 0, "{answers:?}");
    }
}
