//! Diagrams against evaluation of all inputs.

use super::*;
use crate::assignment::Assignment;
use crate::eval::EvalMemo;
use crate::float::{FloatFormat, FloatOp};
use crate::ids::{ObjectId, SymbolId};
use crate::node::{BinaryOp, IntPredicate};
use rustc_hash::FxHashMap;

/// Random expressions over some bytes and objects.
struct Random {
    numbers: fastrand::Rng,
    pool: Pool,
    symbol: SymbolId,
    objects: Vec<ObjectId>,
    /// Numbers of 8, 16, 32 or 64 bits, and addresses.
    terms: Vec<ExprId>,
}

const BINARY: [BinaryOp; 13] = {
    use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
    [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
    ]
};

impl Random {
    fn new(seed: u64, bytes: u32) -> Self {
        let mut pool = Pool::new();
        let symbol = pool.symbol("x", 0, bytes);
        let objects = vec![pool.new_object(0x1000), pool.new_object(0x5000)];
        let terms = (0..bytes).map(|at| pool.symbol_byte(symbol, at)).collect();
        let numbers = fastrand::Rng::with_seed(seed);
        Self {
            numbers,
            pool,
            symbol,
            objects,
            terms,
        }
    }

    /// A term of that width, made of one that there is.
    fn pick(&mut self, width: u32) -> ExprId {
        let e = self.terms[self.numbers.usize(..self.terms.len())];
        let e = if width < 64 { self.pool.number(e) } else { e };
        match self.numbers.u8(..6) {
            0 => {
                let shift = self.numbers.u32(..width);
                self.pool.constant(width, self.numbers.u64(..) >> shift)
            }
            1 => self.pool.sext_or_trunc(e, width),
            _ => self.pool.zext_or_trunc(e, width),
        }
    }

    fn condition(&mut self) -> ExprId {
        let width = [8, 16, 32, 64][self.numbers.usize(..4)];
        let (a, b) = (self.pick(width), self.pick(width));
        const PREDICATES: [IntPredicate; 4] = [
            IntPredicate::Eq,
            IntPredicate::Ult,
            IntPredicate::Slt,
            IntPredicate::Ne,
        ];
        let (a, b) = (self.pool.number(a), self.pool.number(b));
        self.pool.compare(PREDICATES[self.numbers.usize(..4)], a, b)
    }

    /// A table of constants, terms or addresses, read at a term.
    fn read(&mut self) -> ExprId {
        let (len, kind) = (self.numbers.usize(1..40), self.numbers.u8(..3));
        let elements: Vec<ExprId> = (0..len)
            .map(|at| match kind {
                0 => self.pool.constant(64, self.numbers.u64(..7)),
                1 if at % 3 > 0 => self.pool.constant(64, 3),
                1 => self.pick(64),
                _ => self.address(),
            })
            .collect();
        let table = self.pool.table(&elements);
        let index = self.pick(64);
        let (index, len) = (
            self.pool.number(index),
            self.pool.constant(64, 1 + len as u64),
        );
        let index = self.pool.binary(BinaryOp::URem, index, len);
        self.pool.read(table, index)
    }

    fn address(&mut self) -> ExprId {
        let object = self.objects[self.numbers.usize(..2)];
        let base = self.pool.base(object);
        let offset = self.pool.constant(64, self.numbers.u64(..64));
        self.pool.add(base, offset)
    }

    fn grow(&mut self) {
        let width = [8, 16, 32, 64, 64][self.numbers.usize(..5)];
        let term = match self.numbers.u8(..10) {
            0..=4 => {
                let (a, b) = (self.pick(width), self.pick(width));
                self.pool.binary(BINARY[self.numbers.usize(..13)], a, b)
            }
            5 => self.address(),
            6 | 7 => self.read(),
            8 => {
                let (c, a, b) = (self.condition(), self.pick(width), self.pick(width));
                self.pool.ite(c, a, b)
            }
            _ => {
                let (a, b) = (self.pick(32), self.pick(32));
                let format = FloatFormat::Single;
                let op = [FloatOp::Add, FloatOp::Mul][self.numbers.usize(..2)];
                self.pool.float(op, format, &[a, b], 32)
            }
        };
        self.terms.push(term);
    }

    fn input(&self, values: &[u8]) -> Assignment {
        let mut input = Assignment::new();
        input.set(self.symbol, values.to_vec());
        input
    }

    /// The value by evaluation node by node: a memo that assumes something reads no diagram.
    fn evaluated(&self, e: ExprId, values: &[u8]) -> u64 {
        let mut memo = EvalMemo::new();
        memo.assume(crate::pool::TRUE, 1);
        self.pool.eval(e, &self.input(values), &mut memo)
    }
}

#[test]
fn every_table_is_what_evaluation_says_for_all_inputs() {
    let (mut tabled, mut pointers, mut beyond) = (0, 0, 0);
    for seed in 0..150 {
        let bytes = 1 + seed as u32 % 2;
        let mut random = Random::new(seed, bytes);
        (0..12).for_each(|_| random.grow());
        for e in random.terms.clone() {
            if random.pool.is_constant(e) {
                continue;
            }
            let Some(of) = random.pool.diagram(e, THOROUGH) else {
                assert_eq!(bytes, 2, "one byte has a table");
                beyond += 1;
                continue;
            };
            tabled += 1;
            let store = |byte| random.pool.diagram_table(of, (random.symbol, byte));
            if bytes == 1 {
                let table = store(0).unwrap();
                for value in 0..=255 {
                    assert_eq!(table[usize::from(value)], random.evaluated(e, &[value]));
                }
                continue;
            }
            for _ in 0..200 {
                let values = [random.numbers.u8(..), random.numbers.u8(..)];
                let value = random.pool.tabled_value(e, &random.input(&values));
                assert_eq!(value, Some(random.evaluated(e, &values)));
            }
            pointers += u32::from(random.pool.shape(e).is_some());
        }
    }
    assert!(tabled > 1200 && pointers > 100, "{tabled} {pointers}");
    assert!(beyond < tabled / 20, "{beyond} of {tabled}");
}

/// The leaves of pointers are their objects and offsets.
#[test]
fn pointers_are_objects_and_offsets() {
    let mut seen = 0;
    for seed in 0..200 {
        let mut random = Random::new(seed, 1);
        (0..10).for_each(|_| random.grow());
        for e in random.terms.clone() {
            if random.pool.shape(e).is_none() {
                continue;
            }
            let of = random.pool.diagram(e, THOROUGH).unwrap();
            let always = random.pool.diagram_true();
            let offset = random
                .pool
                .offset_reading(e, &mut |_| 0, &mut FxHashMap::default());
            let mut which = |o: Option<ObjectId>| o.map_or(0, |o| 1 + u64::from(o.0));
            let which = random
                .pool
                .select_reading(e, &mut which, &mut FxHashMap::default());
            for (leaf, input) in random.pool.diagram_values_under(of, always, 256).unwrap() {
                let value = input.first().map_or(0, |&(_, value)| value);
                let object = leaf.object.map_or(0, |o| 1 + u64::from(o.0));
                assert_eq!(object, random.evaluated(which, &[value]));
                assert_eq!(leaf.value, random.evaluated(offset, &[value]));
                seen += 1;
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// Conjunctions, the least model, and what is left under a condition.
#[test]
fn questions_are_answered_as_by_trying_all_inputs() {
    let (mut both, mut flattened) = ([0, 0], 0);
    for seed in 0..14 {
        let mut random = Random::new(1000 + seed, 2);
        (0..8).for_each(|_| random.grow());
        let (a, b) = (random.condition(), random.condition());
        let pool = &random.pool;
        let (Some(x), Some(y)) = (pool.diagram(a, THOROUGH), pool.diagram(b, THOROUGH)) else {
            continue;
        };
        let condition = pool.diagram_and(x, y).unwrap();
        let e = random.terms[random.terms.len() - 1];
        let Some(of) = random.pool.diagram(e, THOROUGH) else {
            continue;
        };
        let all = (0..=u8::MAX).flat_map(|first| (0..=u8::MAX).map(move |second| [first, second]));
        let holds =
            |values: &[u8; 2]| random.evaluated(a, values) == 1 && random.evaluated(b, values) == 1;
        let allowed: Vec<[u8; 2]> = all.filter(holds).collect();
        both[usize::from(allowed.is_empty())] += 1;
        let model = random.pool.diagram_model(condition);
        let model = model.map(|model| {
            let of = |at| model.iter().find(|((_, index), _)| *index == at);
            [0, 1].map(|at| of(at).map_or(0, |&(_, value)| value))
        });
        assert_eq!(model, allowed.first().copied());
        let mut expected: Vec<u64> = (allowed.iter())
            .map(|values| random.evaluated(e, values))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        let found = random
            .pool
            .diagram_values_under(of, condition, 1 << 16)
            .unwrap();
        let leaves: Vec<Leaf> = found.iter().map(|(leaf, _)| *leaf).collect();
        for most in leaves.len().saturating_sub(1)..=leaves.len() {
            let listed = random.pool.diagram_leaves_under(of, condition, most);
            let expected = (most == leaves.len()).then_some(&leaves[..]);
            assert_eq!(listed.as_deref(), expected);
        }
        // Which of its values it is, as a function of its own.
        let which = |leaf: Leaf| leaves.binary_search(&leaf).map_or(0, |at| at as u64 + 1);
        let places = random
            .pool
            .diagram_map(of, &|leaf| Leaf::number(which(leaf)))
            .unwrap();
        for values in allowed.iter().step_by(1 + allowed.len() / 500) {
            let input = random.input(values);
            let leaf = random.pool.diagram_value(of, &input);
            let place = random.pool.diagram_value(places, &input);
            assert_eq!(place, Leaf::number(which(leaf)));
            assert_eq!(leaves[place.value as usize - 1], leaf);
        }
        let number = |leaf: &Leaf| {
            let base = leaf.object.map_or(0, |o| random.pool.object_number(o));
            base.wrapping_add(leaf.value)
        };
        let mut found: Vec<u64> = found.iter().map(|(leaf, _)| number(leaf)).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, expected);
        if let Some(flat) = random
            .pool
            .diagram_read(of, condition, random.pool.width(e), 300)
        {
            for values in allowed.iter().step_by(1 + allowed.len() / 500) {
                assert_eq!(random.evaluated(flat, values), random.evaluated(e, values));
            }
            flattened += 1;
        }
        for value in [0, 7, 255] {
            let after = random
                .pool
                .diagram_after(condition, (random.symbol, 1), value)
                .unwrap();
            let first: Vec<u8> = (allowed.iter().filter(|at| at[1] == value))
                .map(|at| at[0])
                .collect();
            let values = random
                .pool
                .diagram_values(after, (random.symbol, 0))
                .unwrap();
            for at in 0..=u8::MAX {
                let holds = values[usize::from(at) / 64] >> (at % 64) & 1 == 1;
                assert_eq!(holds, first.contains(&at));
            }
        }
    }
    assert!(both.iter().all(|&count| count > 1), "{both:?}");
    assert!(flattened > 5, "{flattened}");
}

/// Equal functions have equal ids, however they are written, also after a collection.
#[test]
fn equal_functions_are_one() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("x", 0, 2);
    let (x, y) = (pool.symbol_byte(symbol, 0), pool.symbol_byte(symbol, 1));
    let (x, y) = (pool.zext(x, 32), pool.zext(y, 32));
    let (sum, both) = (pool.add(x, y), pool.xor(x, y));
    let (common, two) = (pool.and(x, y), pool.constant(32, 2));
    let twice = pool.mul(common, two);
    let other = pool.add(both, twice);
    assert_ne!(sum, other);
    let diagram = |pool: &Pool, e| pool.diagram(e, THOROUGH).unwrap();
    assert_eq!(diagram(&pool, sum), diagram(&pool, other));
    struct Held(ExprId, ExprId);
    impl crate::Holder for Held {
        fn mark(&self, marks: &mut crate::Marks<'_>) {
            self.0.mark(marks);
            self.1.mark(marks);
        }
        fn relocate(&mut self, moves: &mut crate::Moves) {
            self.0.relocate(moves);
            self.1.relocate(moves);
        }
    }
    let mut held = Held(sum, other);
    pool.test_collections();
    for _ in 0..3 {
        pool.collect(&mut held);
        assert!(pool.diagrams.borrow().known.contains_key(&held.0));
        assert_eq!(diagram(&pool, held.0), diagram(&pool, held.1));
        let mut input = Assignment::new();
        input.set(symbol, vec![200, 99]);
        assert_eq!(pool.tabled_value(held.1, &input), Some(299));
    }
}

/// What takes too many steps has no diagram, and has one when more are allowed.
#[test]
fn steps_are_bounded() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("x", 0, 3);
    let bytes = [0, 1, 2].map(|at| pool.symbol_byte(symbol, at));
    let word = pool.concat(bytes[1], bytes[0]);
    let (wide, factor) = (pool.zext(word, 32), pool.constant(32, 0x0101_0101));
    let hash = pool.mul(wide, factor);
    assert!(pool.diagram(hash, QUICK).is_none());
    assert!(pool.diagram(hash, THOROUGH).is_some());
    assert!(pool.diagram(hash, QUICK).is_some());
    let all = pool.concat(bytes[2], word);
    assert!(pool.diagram(all, THOROUGH).is_none());
}

/// Functions of two bytes and many values take their steps from an allowance; those of few values and
/// those of one byte are always made.
#[test]
fn many_values_are_paid_for() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("x", 0, 2);
    let bytes = [0, 1].map(|at| pool.symbol_byte(symbol, at));
    let word = pool.concat(bytes[1], bytes[0]);
    let wide = pool.zext(word, 32);
    let hash = |pool: &mut Pool, round: u64| {
        let factor = pool.constant(32, 0x0101_0101 + 2 * round);
        pool.mul(wide, factor)
    };
    let mut allowance = 1 << 20;
    let last = (0..100).find(|&round| {
        let hash = hash(&mut pool, round);
        pool.diagram_within(hash, &mut allowance).is_none()
    });
    // The word has 65,536 values, and each product of it as many.
    assert!((8..16).contains(&last.expect("the allowance ends")));
    let refused = hash(&mut pool, last.unwrap());
    let ten = pool.constant(8, 10);
    let [first, second] = bytes.map(|byte| pool.ult(byte, ten));
    let both = pool.and(first, second);
    assert!(pool.diagram_within(both, &mut allowance).is_some());
    let one = pool.zext(bytes[0], 32);
    let factor = pool.constant(32, 0x0101_0101);
    let one = pool.mul(one, factor);
    assert!(pool.diagram_within(one, &mut allowance).is_some());
    assert!(pool.diagram_within(refused, &mut allowance).is_none());
    assert!(pool.diagram_within(refused, &mut (1 << 20)).is_some());
}

/// A hash of many operations has the values that evaluation says, and its parts have no diagrams.
#[test]
fn a_hash_is_made_from_its_values() {
    let mut pool = Pool::new();
    let symbol = pool.symbol("x", 0, 2);
    let bytes = [0, 1].map(|at| pool.symbol_byte(symbol, at));
    let word = pool.concat(bytes[1], bytes[0]);
    let (mut hash, factor) = (pool.zext(word, 32), pool.constant(32, 0x9e37_79b1));
    let mut mixed = hash;
    for by in [15, 13, 7, 16] {
        let shift = pool.constant(32, by);
        mixed = pool.mul(hash, factor);
        let high = pool.lshr(mixed, shift);
        hash = pool.xor(mixed, high);
    }
    let size = pool.constant(32, 1021);
    let bucket = pool.urem(hash, size);
    let of = pool.diagram(bucket, THOROUGH).expect("two bytes");
    assert!(!matches!(
        pool.diagrams.borrow().known.get(&mixed),
        Some(Known::Diagram(_))
    ));
    for word in 0..=u16::MAX {
        let [low, high] = word.to_le_bytes();
        let mut input = Assignment::new();
        input.set_byte(symbol, 0, low);
        input.set_byte(symbol, 1, high);
        // A memo that assumes something reads no diagram.
        let mut memo = EvalMemo::new();
        memo.assume(crate::pool::TRUE, 1);
        let value = pool.eval(bucket, &input, &mut memo);
        let diagrams = pool.diagrams.borrow();
        let leaf = diagrams.store.value(of, |(_, at)| [low, high][at as usize]);
        assert_eq!(leaf, Leaf::number(value));
    }
}
