//! Decides comparisons of terms with constants by intervals: loop counters against a symbolic
//! bound, binary searches, range checks.
//!
//! Such a constraint restricts its term to a set of intervals. If the sets of some term have an
//! empty intersection, the query is unsatisfiable, whatever the term is. If all constraints are of
//! this kind and the terms are words of the input (concatenated input bytes) that share no byte,
//! any values in the intersections are a model.

use plat_expr::{Assignment, BinaryOp, CompareOp, ExprId, Node, Pool, SymbolId, mask};
use rustc_hash::{FxHashMap, FxHashSet};

use super::byte_tables::{Values, has};
use super::decide::Decide;
use crate::answer::{Answer, Query};

/// The depth to which a condition's conjunctions and disjunctions are followed.
const DEPTH: u32 = 8;
/// The most intervals in one set.
const MAX_INTERVALS: usize = 64;

/// Disjoint, ascending, inclusive intervals with gaps between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct IntervalSet(Vec<(u64, u64)>);

impl IntervalSet {
    /// Every value of `width` bits.
    pub(super) fn all(width: u32) -> Self {
        Self(vec![(0, mask(width))])
    }

    /// A set of byte values.
    pub(super) fn of_byte(values: &Values) -> Self {
        let among = (0..=u8::MAX).filter(|&value| has(values, value));
        Self::of(among.map(|value| (value.into(), value.into())).collect())
    }

    /// The number of values; `None` if it is 2^64.
    pub(super) fn len(&self) -> Option<u64> {
        let sizes = self.0.iter().map(|&(lo, hi)| (hi - lo).checked_add(1));
        sizes.sum()
    }

    /// The least and the greatest value.
    pub(super) fn ends(&self) -> Option<(u64, u64)> {
        Some((self.0.first()?.0, self.0.last()?.1))
    }

    /// Its intervals, ascending.
    pub(super) fn intervals(&self) -> &[(u64, u64)] {
        &self.0
    }

    /// Its values, ascending.
    pub(super) fn values(&self) -> Vec<u64> {
        self.0.iter().flat_map(|&(lo, hi)| lo..=hi).collect()
    }

    fn below(bound: u64) -> Self {
        Self(
            bound
                .checked_sub(1)
                .map(|last| (0, last))
                .into_iter()
                .collect(),
        )
    }

    /// From any intervals: sorts and merges them.
    pub(super) fn of(mut intervals: Vec<(u64, u64)>) -> Self {
        intervals.sort_unstable();
        intervals.dedup_by(|next, kept| {
            let touches = kept.1 == u64::MAX || next.0 <= kept.1 + 1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
        Self(intervals)
    }

    fn union(&self, other: &Self) -> Self {
        Self::of(self.0.iter().chain(&other.0).copied().collect())
    }

    pub(super) fn complement(&self, width: u32) -> Self {
        let (mut gaps, mut from) = (Vec::new(), Some(0));
        for &(lo, hi) in &self.0 {
            if let Some(from) = from
                && from < lo
            {
                gaps.push((from, lo - 1));
            }
            from = hi.checked_add(1);
        }
        if let Some(from) = from
            && from <= mask(width)
        {
            gaps.push((from, mask(width)));
        }
        Self(gaps)
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let (mut a, mut b) = (&self.0[..], &other.0[..]);
        let mut common = Vec::new();
        while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
            let (lo, hi) = (x.0.max(y.0), x.1.min(y.1));
            if lo <= hi {
                common.push((lo, hi));
            }
            if x.1 < y.1 { a = a_rest } else { b = b_rest }
        }
        Self(common)
    }

    /// Every value plus `by`, modulo 2^`width`.
    fn plus(&self, by: u64, width: u32) -> Self {
        let all = mask(width);
        let mut moved = Vec::new();
        for &(lo, hi) in &self.0 {
            let (lo, hi) = (lo.wrapping_add(by) & all, hi.wrapping_add(by) & all);
            if lo <= hi {
                moved.push((lo, hi));
            } else {
                moved.extend([(0, hi), (lo, all)]);
            }
        }
        Self::of(moved)
    }

    /// The numbers of `width` bits whose quotient by a constant is in the set.
    fn dividends(&self, by: u64, width: u32) -> Self {
        let all = u128::from(mask(width));
        let wide = |value: u64| u128::from(value) * u128::from(by);
        let ends = self
            .0
            .iter()
            .map(|&(lo, hi)| (wide(lo), wide(hi) + u128::from(by) - 1));
        let inside = ends.filter(|&(lo, _)| lo <= all);
        Self::of(
            inside
                .map(|(lo, hi)| (lo as u64, hi.min(all) as u64))
                .collect(),
        )
    }

    /// The bitwise complement of every value.
    fn flipped(&self, width: u32) -> Self {
        let all = mask(width);
        Self(
            self.0
                .iter()
                .rev()
                .map(|&(lo, hi)| (all - hi, all - lo))
                .collect(),
        )
    }
}

/// A term and the set that restricts it.
pub(super) type Bound = (ExprId, IntervalSet);

/// The bound that a condition states, if it compares one term with constants.
fn bound(pool: &Pool, condition: ExprId, depth: u32) -> Option<Bound> {
    let (term, set) = match pool.node(condition) {
        Node::Not(inner) => {
            let (term, set) = bound(pool, inner, depth)?;
            let complement = set.complement(pool.width(term));
            (term, complement)
        }
        Node::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) if depth > 0 => {
            let ((x, s), (y, t)) = (bound(pool, a, depth - 1)?, bound(pool, b, depth - 1)?);
            let same = x == y;
            let set = if op == BinaryOp::And {
                s.intersection(&t)
            } else {
                s.union(&t)
            };
            same.then_some((x, set))?
        }
        Node::Compare(op, a, b) => {
            // The constant fits a `u64`, so `a` has at most 64 bits.
            let (width, c) = (pool.width(a), pool.as_u64(b)?);
            let sign = 1 << (width - 1);
            let set = match op {
                CompareOp::Eq => IntervalSet(vec![(c, c)]),
                CompareOp::Ult => IntervalSet::below(c),
                // Flipping the sign bit maps signed to unsigned order.
                CompareOp::Slt => IntervalSet::below(c ^ sign).plus(sign, width),
            };
            peel(pool, a, set)
        }
        Node::Extract { value, low } if low + 1 == pool.width(value) && low < 64 => {
            peel(pool, value, IntervalSet(vec![(1 << low, mask(low + 1))]))
        }
        _ => return None,
    };
    (set.0.len() <= MAX_INTERVALS).then_some((term, set))
}

/// The bound that a condition states, if it compares one term with constants.
pub(super) fn bound_of(pool: &Pool, condition: ExprId) -> Option<Bound> {
    bound(pool, condition, DEPTH)
}

/// The bounds that constraints state, one for each term.
pub(super) fn bounds(pool: &Pool, constraints: &[ExprId]) -> Vec<Bound> {
    let mut common: Vec<Bound> = Vec::new();
    let mut rest = constraints.to_vec();
    while let Some(constraint) = rest.pop() {
        let Some((term, set)) = bound(pool, constraint, DEPTH) else {
            if let Node::Binary(BinaryOp::And, a, b) = pool.node(constraint) {
                rest.extend([a, b]);
            }
            continue;
        };
        match common.iter_mut().find(|(known, _)| *known == term) {
            Some((_, left)) => *left = left.intersection(&set),
            None => common.push((term, set)),
        }
    }
    common
}

/// Strips constant summands and divisors, complements and always-zero bits off a term; adjusts its
/// set.
fn peel(pool: &Pool, mut term: ExprId, mut set: IntervalSet) -> Bound {
    let constant = |e| pool.as_u64(e);
    loop {
        let width = pool.width(term);
        (term, set) = match pool.node(term) {
            Node::Binary(BinaryOp::Add, x, c) if let Some(c) = constant(c) => {
                (x, set.plus(c.wrapping_neg(), width))
            }
            // c - x = !x + (c + 1)
            Node::Binary(BinaryOp::Sub, c, x) if let Some(c) = constant(c) => {
                let by = c.wrapping_add(1).wrapping_neg();
                (x, set.plus(by, width).flipped(width))
            }
            Node::Binary(BinaryOp::UDiv, x, c) if let Some(c) = constant(c).filter(|&c| c > 0) => {
                (x, set.dividends(c, width))
            }
            Node::Not(x) => (x, set.flipped(width)),
            Node::ZExt(x) => (x, set.intersection(&IntervalSet::all(pool.width(x)))),
            // Any bits above are 0.
            Node::Extract { value, low }
                if pool.width(value) <= 64 && pool.range(value).1 <= mask(low + width) =>
            {
                (value, set.dividends(1 << low, pool.width(value)))
            }
            _ => return (term, set),
        };
    }
}

/// The bytes of a word of the input (a concatenation of input bytes), lowest first.
pub(super) fn word_bytes(pool: &Pool, term: ExprId) -> Option<Vec<(SymbolId, u32)>> {
    let mut pieces = Vec::new();
    let mut rest = term;
    loop {
        let (piece, next) = match pool.node(rest) {
            Node::Concat(high, low) => (high, Some(low)),
            _ => (rest, None),
        };
        match pool.node(piece) {
            Node::Symbol(symbol, index) => pieces.push((symbol, index)),
            _ => return None,
        }
        match next {
            Some(next) => rest = next,
            None => break,
        }
    }
    pieces.reverse();
    Some(pieces)
}

/// A cache of the bounds of constraints.
#[derive(Default)]
pub struct Intervals {
    known: FxHashMap<ExprId, Option<Bound>>,
}

plat_expr::plain!(IntervalSet);

plat_expr::holder!(Intervals {} weak { known });

impl Decide for Intervals {
    const NAME: &'static str = "intervals";

    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer> {
        let constraints = query.constraints;
        let mut common: Vec<Bound> = Vec::new();
        let mut only_bounds = true;
        for &constraint in constraints {
            let compute = || bound(pool, constraint, DEPTH);
            let bound = self.known.entry(constraint).or_insert_with(compute);
            let Some((term, set)) = bound else {
                only_bounds = false;
                continue;
            };
            match common.iter_mut().find(|(known, _)| known == term) {
                Some((_, left)) => {
                    *left = left.intersection(set);
                    if left.0.is_empty() {
                        return Some(Answer::Unsat);
                    }
                }
                None if set.0.is_empty() => return Some(Answer::Unsat),
                None => common.push((*term, set.clone())),
            }
        }
        if !widen_top_bytes(pool, &mut common) {
            return Some(Answer::Unsat);
        }
        if only_bounds {
            model(pool, &common).map(Answer::Sat)
        } else {
            None
        }
    }
}

/// Turns a bound on the highest byte of a word (the byte of its sign) into a bound on the word.
/// False if the word has no value left.
fn widen_top_bytes(pool: &Pool, bounds: &mut Vec<Bound>) -> bool {
    let mut at = 0;
    while at < bounds.len() {
        let (byte, _) = bounds[at];
        let wider = matches!(pool.node(byte), Node::Symbol(..))
            .then(|| {
                bounds.iter().position(|(term, _)| match pool.node(*term) {
                    Node::Concat(top, _) => top == byte && pool.width(*term) <= 64,
                    _ => false,
                })
            })
            .flatten();
        let Some(wider) = wider else {
            at += 1;
            continue;
        };
        let (_, set) = bounds.remove(at);
        let wider = if wider > at { wider - 1 } else { wider };
        let (term, known) = &mut bounds[wider];
        let shift = pool.width(*term) - 8;
        let scale = |&(lo, hi): &(u64, u64)| (lo << shift, hi << shift | mask(shift));
        *known = known.intersection(&IntervalSet::of(set.0.iter().map(scale).collect()));
        if known.0.is_empty() {
            return false;
        }
    }
    true
}

/// A model for words that share no byte.
fn model(pool: &Pool, bounds: &[Bound]) -> Option<Assignment> {
    let mut model = Assignment::new();
    let mut used = FxHashSet::default();
    for (term, set) in bounds {
        let &(value, _) = set.0.first()?;
        for (at, byte) in word_bytes(pool, *term)?.into_iter().enumerate() {
            if !used.insert(byte) {
                return None;
            }
            model.set_byte(byte.0, byte.1, (value >> (8 * at)) as u8);
        }
    }
    Some(model)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::{EvalMemo, sign_extend};

    /// Comparisons of one byte, shifted by constants and complemented, against all its values.
    #[test]
    fn sets_are_exact() {
        let mut pool = Pool::new();
        let s = pool.symbol("x", 0, 1);
        let byte = pool.symbol_byte(s, 0);
        for round in 0u64..4000 {
            let (c, d) = (
                pool.constant(8, round * 37),
                pool.constant(8, round * 101 + 13),
            );
            let divisor = pool.constant(8, round % 255 + 1);
            let e = match round % 11 {
                0 | 1 => pool.add(byte, c),
                2 | 3 => pool.sub(c, byte),
                4 | 5 => pool.not(byte),
                6 => pool.binary(BinaryOp::UDiv, byte, divisor),
                7 => {
                    // The quotient is at most 21: no bit above the extracted ones is set.
                    let wide = pool.zext(byte, 12);
                    let by = pool.constant(12, 12 + round % 20);
                    let quotient = pool.binary(BinaryOp::UDiv, wide, by);
                    let low = pool.extract(quotient, 1, 7);
                    pool.zext(low, 8)
                }
                8 => {
                    let high = pool.extract(byte, (round % 7 + 1) as u32, 7 - (round % 7) as u32);
                    pool.zext(high, 8)
                }
                _ => byte,
            };
            let first = match round % 3 {
                0 => pool.ult(e, d),
                1 => pool.slt(e, d),
                _ => pool.eq(e, d),
            };
            let second = pool.ult(byte, c);
            let condition = match round % 7 {
                0 => pool.and(first, second),
                1 => pool.or(first, second),
                2 => pool.not(first),
                _ => first,
            };
            let Some((term, set)) = bound(&pool, condition, DEPTH) else {
                assert!(pool.is_constant(condition), "{}", pool.display(condition));
                continue;
            };
            assert_eq!(term, byte);
            for value in 0..=255u8 {
                let mut assignment = Assignment::new();
                assignment.set_byte(s, 0, value);
                let holds = pool.holds(condition, &assignment, &mut EvalMemo::new());
                let inside = set
                    .0
                    .iter()
                    .any(|&(lo, hi)| (lo..=hi).contains(&u64::from(value)));
                assert_eq!(
                    holds,
                    inside,
                    "{value} in {set:?}: {}",
                    pool.display(condition)
                );
            }
        }
    }

    /// Signed bounds of a four-byte integer need no solver.
    #[test]
    fn an_integer_between_bounds() {
        let mut pool = Pool::new();
        let s = pool.symbol("n", 0, 4);
        let bytes: Vec<ExprId> = (0..4).map(|at| pool.symbol_byte(s, at)).collect();
        let n = bytes
            .into_iter()
            .reduce(|low, high| pool.concat(high, low))
            .expect("bytes");
        let mut solver = Intervals::default();
        for lo in [-5i64, 0, 7] {
            for hi in [-5i64, 0, 7, 8, 100] {
                let (l, h) = (pool.constant(32, lo as u64), pool.constant(32, hi as u64));
                let constraints = [pool.sle(l, n), pool.slt(n, h)];
                match solver.decide(&mut pool, &Query::new(&constraints)) {
                    Some(Answer::Sat(model)) => {
                        let value = pool.eval(n, &model, &mut EvalMemo::new());
                        let value = sign_extend(value, 32, 64) as i64;
                        assert!(lo <= value && value < hi);
                    }
                    Some(Answer::Unsat) => assert!(lo >= hi),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
