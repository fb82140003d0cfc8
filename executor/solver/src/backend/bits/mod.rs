//! Bit-blasting: constraints become a circuit, the circuit becomes clauses, and a SAT solver
//! decides them (Ganesh and Dill, "A Decision Procedure for Bit-Vectors and Arrays", CAV 2007,
//! without its arrays: a table is a tree of multiplexers, symbolic elements included).
//!
//! The circuit grows from query to query, so along a path only the last condition is new; the
//! constraints of a query are assumptions. A SAT solver assigns every variable, so gates of earlier
//! queries cost time: a new circuit is begun when they are half of all. With three quarters instead
//! of half, m4's queries take 6.5 s instead of 0.6, `factor`'s 4.6 instead of 3.4, `strtod`'s 5.4
//! instead of 5.5. A query of milliseconds can take many seconds among other queries' gates, so a
//! search that has not finished in a second restarts in a circuit of its own.
//!
//! On the sample of real queries (`plat-bench backends`) this takes 0.03 of Z3's time without
//! tables and 0.12 with tables, whatever Z3's encoding of tables (arrays take 1.7 times its
//! default, trees of multiplexers 1.3 times). Floats go to Z3 ([`super::z3_of`]), and so do
//! circuits that would be too large, unless all inputs can be enumerated: on tables of some
//! thousand elements Z3 can run for a minute without checking its time limit.
//!
//! A hash of two bytes takes a SAT solver minutes; enumeration of its inputs takes milliseconds.
//! Once the search has taken about as long as enumeration would, all inputs are enumerated, so a
//! query costs at most about twice the better of the two. Z3 is no alternative here: it does not
//! finish on such queries either, and with long tables it overruns its time limit (make: by a
//! minute, with a limit of a second).

mod circuit;
mod words;

use std::collections::hash_map::Entry;
use std::time::Duration;

use plat_expr::{
    Assignment, BinaryOp, ExprId, Holder, Marks, Moves, Node, Pool, SymbolId, TableId, Weak,
};
use rustc_hash::FxHashMap;

use super::size::{gates, table_bits};
use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::SolverConfig;
use crate::deadline::Deadline;
use crate::layer::enumeration;
use crate::stats::SolverStats;
use circuit::{Bit, Circuit};
use words::Word;

/// Gates beyond which a query goes to Z3.
const GATES: u64 = 1_000_000;
/// Gates of all products and quotients of unknown numbers beyond which a query goes to Z3.
const PRODUCT_GATES: u64 = 60_000;
/// Operations of the first search: some milliseconds.
const FIRST_SEARCH: u64 = 1 << 22;
/// The most operations for enumeration: a few seconds. One takes about a nanosecond.
const ENUMERATION: u64 = 1 << 32;
/// Operations of a search step, and those added for each variable of the circuit. Operations are
/// counted instead of time, so that a query has the same model on every run.
const STEP: u64 = 1 << 12;
const STEP_PER_VARIABLE: u64 = 32;
/// A new circuit is begun when the old one has more than this many times the variables that the
/// query needs ...
const GROWTH: usize = 2;
/// ... and more than this many variables.
const MIN_VARIABLES: usize = 4_000;
/// Operations of a search in a shared circuit before it restarts in one of its own: about a second.
const SHARED_CIRCUIT: u64 = 1 << 29;

/// Variables between two clock reads while a circuit is built.
const VARIABLES_PER_CLOCK_READ: usize = 1024;

/// A circuit with the words of the expressions in it.
struct Session {
    circuit: Circuit,
    words: FxHashMap<ExprId, Word>,
    bytes: FxHashMap<(SymbolId, u32), Word>,
    /// How many variables each expression added.
    added: FxHashMap<ExprId, usize>,
}

impl Session {
    fn new() -> Self {
        Self {
            circuit: Circuit::new(),
            words: FxHashMap::default(),
            bytes: FxHashMap::default(),
            added: FxHashMap::default(),
        }
    }

    /// The word of an expression whose operands have words.
    fn translate(&mut self, pool: &Pool, e: ExprId) -> Word {
        let (circuit, words) = (&mut self.circuit, &self.words);
        let width = pool.width(e) as usize;
        match pool.node(e) {
            Node::Const(value) => words::constant(width as u32, &[value]),
            Node::Wide(_) => {
                let limbs = pool.as_limbs(e).unwrap_or_default();
                words::constant(width as u32, &limbs)
            }
            Node::Base(object) => words::constant(64, &[pool.object_number(object)]),
            Node::Symbol(symbol, index) => {
                let byte: Word = (0..8).map(|_| circuit.variable()).collect();
                self.bytes.insert((symbol, index), byte.clone());
                byte
            }
            Node::Binary(op, a, b) => circuit.binary(op, &words[&a], &words[&b]),
            Node::Compare(op, a, b) => vec![circuit.compare(op, &words[&a], &words[&b])],
            Node::Not(a) => words[&a].iter().map(|&bit| !bit).collect(),
            Node::Ite(c, a, b) => circuit.mux_word(words[&c][0], &words[&a], &words[&b]),
            Node::Extract { value, low } => words[&value][low as usize..][..width].to_vec(),
            Node::Concat(high, low) => [&words[&low][..], &words[&high][..]].concat(),
            Node::ZExt(a) => words::resized(&words[&a], width, Bit::FALSE),
            Node::SExt(a) => {
                let sign = words[&a].last().copied().unwrap_or(Bit::FALSE);
                words::resized(&words[&a], width, sign)
            }
            Node::Read(table, index) => {
                let elements = pool.table_elements(table).iter();
                let elements: Vec<Word> = elements.map(|e| words[e].clone()).collect();
                circuit.element(&elements, &words[&index])
            }
            // Never reached: see `fit`.
            Node::Float(..) => vec![Bit::FALSE; width],
        }
    }

    /// Translates the expressions that have no word yet. Returns the number of variables that the
    /// query needs, or `None` if the deadline passes.
    fn add(&mut self, pool: &Pool, order: &[ExprId], deadline: Deadline) -> Option<usize> {
        let (mut needed, mut last_read) = (0, None);
        for &e in order {
            let read = needed / VARIABLES_PER_CLOCK_READ;
            if last_read.replace(read) != Some(read) && deadline.is_over() {
                return None;
            }
            if !self.words.contains_key(&e) {
                let before = self.circuit.variables();
                let word = self.translate(pool, e);
                self.added.insert(e, self.circuit.variables() - before);
                self.words.insert(e, word);
            }
            needed += self.added[&e];
        }
        Some(needed)
    }
}

/// The circuit keeps its expressions alive, as the next query shares most of them.
impl Holder for Session {
    fn mark(&self, marks: &mut Marks<'_>) {
        // `added` has the same keys.
        self.words.keys().for_each(|&e| marks.expr(e));
    }

    fn relocate(&mut self, moves: &mut Moves) {
        let Self {
            circuit: _,
            words,
            bytes: _,
            added,
        } = self;
        words.forget(moves);
        added.forget(moves);
    }
}

plat_expr::plain!(Bit);

/// The bit-blasting back end.
pub struct Bits {
    session: Session,
    /// Whether a search is running. If it is at the start of the next one, there was a panic.
    solving: bool,
    z3: Box<dyn Solver>,
    time_limit: Option<Duration>,
    resets: u64,
}

impl Bits {
    /// With the limits of `config`.
    pub fn new(config: &SolverConfig) -> Self {
        Self {
            session: Session::new(),
            solving: false,
            z3: super::z3_of(config),
            time_limit: config.time_limit,
            resets: 0,
        }
    }

    /// The SAT search, bounded by the query's effort and deadline only.
    fn solve(&mut self, pool: &Pool, query: &Query<'_>, order: &[ExprId]) -> Option<Answer> {
        let limit = query.effort.operations();
        let found = self.solve_bounded(pool, query, order, SHARED_CIRCUIT.min(limit));
        if found.is_some() || query.deadline.is_over() || limit <= SHARED_CIRCUIT {
            return found;
        }
        self.reset();
        self.solve_bounded(pool, query, order, limit)
    }

    /// The SAT search for about as long as enumeration would take, then enumeration. `None` if
    /// there are too many inputs and the search does not finish soon, or if the deadline passes.
    pub(super) fn solve_or_enumerate(
        &mut self,
        pool: &Pool,
        query: &Query<'_>,
        order: &[ExprId],
    ) -> Option<Answer> {
        let first = self.solve_bounded(pool, query, order, FIRST_SEARCH);
        if first.is_some() || query.deadline.is_over() {
            return first;
        }
        let work = enumeration_work(pool, query.constraints)?;
        if work > query.effort.operations() {
            return None;
        }
        let found = self.solve_bounded(pool, query, order, work);
        found.or_else(|| enumeration::try_all(pool, query))
    }

    /// Begins a new circuit.
    pub(super) fn reset(&mut self) {
        self.resets += 1;
        self.session = Session::new();
    }

    /// The SAT search with at most `work` operations.
    pub(super) fn solve_bounded(
        &mut self,
        pool: &Pool,
        query: &Query<'_>,
        order: &[ExprId],
        work: u64,
    ) -> Option<Answer> {
        // After a panic the circuit may be half built.
        if std::mem::replace(&mut self.solving, true) {
            self.reset();
        }
        let answer = self.search(pool, query, order, work);
        self.solving = false;
        answer
    }

    fn search(
        &mut self,
        pool: &Pool,
        query: &Query<'_>,
        order: &[ExprId],
        work: u64,
    ) -> Option<Answer> {
        let (constraints, deadline) = (query.constraints, query.deadline);
        let needed = self.session.add(pool, order, deadline)?;
        if self.session.circuit.variables() > MIN_VARIABLES.max(GROWTH * needed) {
            self.reset();
            self.session.add(pool, order, deadline)?;
        }
        let session = &mut self.session;
        let step = STEP + STEP_PER_VARIABLE * needed as u64;
        let steps = work / step;
        let mut assumptions: Vec<Bit> = constraints.iter().map(|c| session.words[c][0]).collect();
        assumptions.retain(|&bit| bit != Bit::TRUE);
        let found = session.circuit.solve(&assumptions, steps, deadline);
        query.charge((steps - session.circuit.steps_left()).saturating_mul(step));
        if !found? {
            return Some(Answer::Unsat);
        }
        let mut model = Assignment::new();
        for &e in order {
            let Node::Symbol(symbol, index) = pool.node(e) else {
                continue;
            };
            let bits = session.bytes[&(symbol, index)].iter().enumerate();
            let value = bits.fold(0, |value, (at, &bit)| {
                value | u8::from(session.circuit.value(bit)) << at
            });
            model.set_byte(symbol, index, value);
        }
        Some(Answer::Sat(model))
    }
}

/// Operations for enumerating all inputs of a query, if they are not too many.
pub(super) fn enumeration_work(pool: &Pool, constraints: &[ExprId]) -> Option<u64> {
    enumeration::work(pool, constraints).filter(|&work| work <= ENUMERATION)
}

/// Whether a query suits bit-blasting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// The circuit is small enough.
    Circuit,
    /// The circuit would be too large: this many times the limit.
    Large(u64),
    /// It contains floats.
    Floats,
}

pub(super) fn fit(pool: &Pool, order: &[ExprId]) -> Fit {
    let (mut all, mut products, mut tables) = (0, 0, FxHashMap::default());
    for &e in order {
        let size = gates(pool, e);
        all += size;
        match pool.node(e) {
            Node::Float(..) => return Fit::Floats,
            Node::Read(table, _) => match tables.entry(table) {
                Entry::Vacant(first) => {
                    first.insert(read_gates(pool, table));
                    all += table_bits(pool, table);
                }
                Entry::Occupied(known) => all += known.get(),
            },
            Node::Binary(op, a, b)
                if is_product(op) && !pool.is_constant(a) && !pool.is_constant(b) =>
            {
                products += size;
            }
            _ => {}
        }
    }
    match (all / GATES).max(products / PRODUCT_GATES) {
        0 => Fit::Circuit,
        times => Fit::Large(times),
    }
}

/// An estimate of the gates of a further read of a table: symbolic elements need a multiplexer
/// each; most multiplexers of constants are equal.
fn read_gates(pool: &Pool, table: TableId) -> u64 {
    let elements = pool.table_elements(table).iter();
    let unknown = elements.filter(|&&e| !pool.is_constant(e)).count() as u64;
    table_bits(pool, table) / 8 + unknown * u64::from(pool.table_width(table))
}

fn is_product(op: BinaryOp) -> bool {
    use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
    matches!(op, Mul | UDiv | SDiv | URem | SRem)
}

plat_expr::holder!(Bits { z3, session } plain { solving, time_limit, resets });

impl Solver for Bits {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let order = pool.postorder(query.constraints);
        let limited = query.within(self.time_limit);
        let answer = match fit(pool, &order) {
            Fit::Circuit => (self.solve_or_enumerate(pool, &limited, &order))
                .or_else(|| self.solve(pool, &limited, &order)),
            Fit::Large(_) if let Some(work) = enumeration_work(pool, query.constraints) => {
                let affordable = work <= query.effort.operations();
                affordable
                    .then(|| enumeration::try_all(pool, &limited))
                    .flatten()
            }
            Fit::Large(_) | Fit::Floats => return self.z3.check(pool, query),
        };
        answer.unwrap_or_else(|| Answer::Unknown(TIMEOUT.to_owned()))
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.resets;
        self.z3.stats(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_expr::{EvalMemo, IntPredicate};

    const OPERATIONS: [BinaryOp; 13] = {
        use BinaryOp::{AShr, Add, And, LShr, Mul, Or, SDiv, SRem, Shl, Sub, UDiv, URem, Xor};
        [
            Add, Sub, Mul, UDiv, SDiv, URem, SRem, Shl, LShr, AShr, And, Or, Xor,
        ]
    };

    /// The input bytes of a word of any width.
    fn input(pool: &mut Pool, name: &str, width: u32) -> (SymbolId, ExprId) {
        let bytes = width.div_ceil(8);
        let symbol = pool.symbol(name, 0, bytes);
        let first = pool.symbol_byte(symbol, 0);
        let word = (1..bytes).fold(first, |low, at| {
            let byte = pool.symbol_byte(symbol, at);
            pool.concat(byte, low)
        });
        (symbol, pool.extract(word, 0, width))
    }

    /// Numbers of 256 bits near the ends of the width and of the shift amounts.
    fn numbers(width: u32) -> Vec<[u8; 32]> {
        let mut top = [0; 32];
        top[(width as usize - 1) / 8] = 1 << ((width - 1) % 8);
        let mut mixed = [0; 32];
        for (at, byte) in mixed.iter_mut().enumerate() {
            *byte = (at as u8).wrapping_mul(151).wrapping_add(77);
        }
        let small = |value: u16| {
            let mut bytes = [0; 32];
            bytes[..2].copy_from_slice(&value.to_le_bytes());
            bytes
        };
        let width = width as u16;
        let mut numbers = vec![[0xff; 32], top, mixed];
        numbers.extend([0, 1, 3, width - 1, width, width + 1].map(small));
        numbers
    }

    /// With fixed inputs, the circuit of `e` has the evaluated value and no other.
    fn check(pool: &Pool, session: &mut Session, e: ExprId, inputs: &Assignment) {
        let order = pool.postorder(&[e]);
        session.add(pool, &order, Deadline::NEVER);
        let mut asked = Vec::new();
        for (&(symbol, index), word) in &session.bytes {
            let value = inputs.byte(symbol, index);
            let is = |(at, &bit): (usize, &Bit)| if value >> at & 1 == 1 { bit } else { !bit };
            asked.extend(word.iter().enumerate().map(is));
        }
        let limbs = pool.eval_limbs(e, inputs, &mut EvalMemo::new());
        let value = words::constant(pool.width(e), &limbs);
        let word = session.words[&e].clone();
        assert_eq!(word.len(), value.len());
        let same: Vec<Bit> = word
            .iter()
            .zip(&value)
            .map(|(&bit, &is)| if is == Bit::TRUE { bit } else { !bit })
            .collect();
        let same = session.circuit.all(same);
        for (wanted, bit) in [(true, same), (false, !same)] {
            asked.push(bit);
            let found = session.circuit.solve(&asked, u64::MAX, Deadline::NEVER);
            assert_eq!(found, Some(wanted), "{} {limbs:x?}", pool.display(e));
            asked.pop();
        }
    }

    /// Expressions of two words that are not binary operations.
    fn others(pool: &mut Pool, a: ExprId, b: ExprId) -> Vec<ExprId> {
        let width = pool.width(a);
        let index = pool.zext_or_trunc(a, 64);
        let last = pool.not(b);
        let table = pool.table(&[b, a, b, a, last]);
        let (unequal, slice) = (pool.compare(IntPredicate::Ne, a, b), width - width / 2);
        vec![
            pool.compare(IntPredicate::Ult, a, b),
            pool.compare(IntPredicate::Slt, a, b),
            pool.ite(unequal, a, last),
            pool.extract(a, width / 2, slice),
            pool.concat(a, b),
            pool.zext(a, width + 70),
            pool.sext(a, width + 70),
            pool.read(table, index),
        ]
    }

    /// Every operation, at widths around the limb size, on symbols and on constants.
    #[test]
    fn circuits_agree_with_evaluation() {
        for width in [1, 7, 33, 64, 65, 256] {
            let numbers = numbers(width);
            let mut pool = Pool::new();
            let ((x, a), (y, b)) = (input(&mut pool, "x", width), input(&mut pool, "y", width));
            let cases: Vec<(Assignment, ExprId)> = (0..numbers.len())
                .map(|at| {
                    let number = numbers[at];
                    let mut inputs = Assignment::new();
                    inputs.set(x, numbers[(at * 5 + 2) % numbers.len()]);
                    inputs.set(y, number);
                    let limbs = number
                        .as_chunks()
                        .0
                        .iter()
                        .map(|&limb| u64::from_le_bytes(limb));
                    let limbs: Vec<u64> = limbs.collect();
                    (inputs, pool.constant_limbs(width, &limbs))
                })
                .collect();
            for op in OPERATIONS {
                let unknown = !is_product(op) || width <= 65;
                for (inputs, constant) in &cases {
                    let mut asked = vec![pool.binary(op, a, *constant)];
                    if unknown {
                        asked.extend([pool.binary(op, a, b), pool.binary(op, *constant, a)]);
                    }
                    for e in asked {
                        check(&pool, &mut Session::new(), e, inputs);
                    }
                }
            }
            let mut session = Session::new();
            for e in others(&mut pool, a, b) {
                for (inputs, _) in &cases {
                    check(&pool, &mut session, e, inputs);
                }
            }
        }
    }

    /// Every read of a table is a tree of multiplexers: the size estimate counts each of them, and
    /// is close to the real size.
    #[test]
    fn every_read_of_a_table_counts() {
        let mut pool = Pool::new();
        let elements: Vec<ExprId> = (0..4096u64)
            .map(|at| pool.constant(8, (at * at * 40_503) >> 7))
            .collect();
        let table = pool.table(&elements);
        let (_, x) = input(&mut pool, "x", 64);
        let reads: Vec<ExprId> = (0..400)
            .map(|at| {
                let by = pool.constant(64, at);
                let index = pool.xor(x, by);
                pool.read(table, index)
            })
            .collect();
        let few = pool.postorder(&reads[..20]);
        assert_eq!(fit(&pool, &few), Fit::Circuit);
        assert_eq!(fit(&pool, &pool.postorder(&reads)), Fit::Large(1));
        let estimate = table_bits(&pool, table) + 19 * read_gates(&pool, table);
        let made = Session::new()
            .add(&pool, &few, Deadline::NEVER)
            .expect("time enough") as u64;
        assert!(
            (made / 4..made * 4).contains(&estimate),
            "{made} {estimate}"
        );
    }

    /// Reads of a table too large for a circuit, at the hash of two bytes: inputs are enumerated.
    #[test]
    fn a_hash_into_a_large_table() {
        let mut pool = Pool::new();
        let (key, other) = (pool.symbol("key", 0, 1), pool.symbol("slot", 0, 1));
        let unknown = pool.symbol_byte(other, 0);
        let unknown = pool.zext(unknown, 64);
        let mut elements: Vec<ExprId> = (0..1u64 << 14)
            .map(|at| pool.constant(64, at.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
            .collect();
        elements[77] = unknown;
        let table = pool.table(&elements);
        let byte = pool.symbol_byte(key, 0);
        let byte = pool.zext(byte, 64);
        let hash = |byte: u64| ((byte * 2_654_435_761) >> 7) & 0x3fff;
        let [factor, by, mask] = [2_654_435_761, 7, 0x3fff].map(|of| pool.constant(64, of));
        let product = pool.mul(byte, factor);
        let shifted = pool.binary(BinaryOp::LShr, product, by);
        let index = pool.and(shifted, mask);
        let reads = [pool.read(table, index), {
            let one = pool.constant(64, 1);
            let next = pool.xor(index, one);
            pool.read(table, next)
        }];
        let sum = pool.add(reads[0], reads[1]);
        let element = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for asked in [0u64, 3, 250] {
            let at = hash(asked);
            let there = element(at).wrapping_add(element(at ^ 1));
            for (value, possible) in [(there, true), (there.wrapping_add(1 << 40), false)] {
                let value = pool.constant(64, value);
                let constraints = [pool.eq(sum, value)];
                assert_eq!(fit(&pool, &pool.postorder(&constraints)), Fit::Large(1));
                let mut solver = Bits::new(&SolverConfig::default());
                match solver.check(&mut pool, &Query::new(&constraints)) {
                    Answer::Sat(model) => {
                        assert!(possible);
                        assert!(pool.holds(constraints[0], &model, &mut EvalMemo::new()));
                    }
                    Answer::Unsat => assert!(!possible),
                    Answer::Unknown(why) => panic!("{why}"),
                }
            }
        }
    }

    /// A deep circuit, as from a long loop, does not overflow the stack.
    #[test]
    fn a_deep_circuit() {
        let mut pool = Pool::new();
        let (x, word) = input(&mut pool, "x", 16);
        let (low, high) = (pool.extract(word, 0, 8), pool.extract(word, 8, 8));
        let mut sum = low;
        for round in 0..18_000 {
            let other = if round % 2 == 0 { high } else { low };
            let mixed = pool.xor(sum, other);
            sum = pool.add(mixed, low);
        }
        let limit = pool.constant(8, 100);
        let less = pool.ult(sum, limit);
        let order = pool.postorder(&[less]);
        assert!(order.len() > 36_000 && fit(&pool, &order) == Fit::Circuit);
        let mut inputs = Assignment::new();
        inputs.set(x, [0x5a, 0xc3]);
        check(&pool, &mut Session::new(), less, &inputs);
    }
}
