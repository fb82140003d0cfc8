//! A back end of our own: constraints become a circuit, the circuit clauses, and a SAT solver
//! decides them (Ganesh and Dill, "A Decision Procedure for Bit-Vectors and Arrays", CAV 2007,
//! without its arrays: a table is a tree of choices, symbolic elements included).
//!
//! A circuit grows from query to query, so that along a path only the last condition is new; the
//! constraints of a query are assumptions. As a SAT solver gives every variable a value, gates
//! that belong to other queries cost time: when most are such, a new circuit is begun.
//!
//! Floats, and circuits that would be too large, go to Z3.

mod circuit;
mod words;

use std::time::Duration;

use plat_expr::{Assignment, BinaryOp, ExprId, Node, Pool, SymbolId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::size::{gates, table_bits};
use super::z3::Z3;
use crate::answer::{Answer, Query, Solver};
use crate::config::Config;
use crate::stats::SolverStats;
use circuit::{Bit, Circuit};
use words::Word;

/// Gates beyond which a query goes to Z3.
const GATES: u64 = 1_000_000;
/// Gates of all products and quotients of unknown numbers beyond which a query goes to Z3.
const PRODUCT_GATES: u64 = 60_000;
/// A new circuit is begun when the old one has so many times the variables that a query needs,
const GROWTH: usize = 4;
/// and more than these.
const VARIABLES: usize = 20_000;

/// The words of a circuit, by expression.
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
            Node::Ite(c, a, b) => circuit.choose(words[&c][0], &words[&a], &words[&b]),
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
            // Not asked for: see `suits`.
            Node::Float(..) => vec![Bit::FALSE; width],
        }
    }

    /// Translates what has no word yet; the number of variables that belong to the query.
    fn add(&mut self, pool: &Pool, order: &[ExprId]) -> usize {
        let mut needed = 0;
        for &e in order {
            if !self.words.contains_key(&e) {
                let before = self.circuit.variables();
                let word = self.translate(pool, e);
                self.added.insert(e, self.circuit.variables() - before);
                self.words.insert(e, word);
            }
            needed += self.added[&e];
        }
        needed
    }
}

/// The bit-blasting back end.
pub struct Bits {
    session: Session,
    z3: Z3,
    time_limit: Option<Duration>,
    resets: u64,
}

impl Bits {
    /// With the limits of `config`.
    pub fn new(config: &Config) -> Self {
        Self {
            session: Session::new(),
            z3: Z3::new(config),
            time_limit: config.time_limit,
            resets: 0,
        }
    }

    fn ask(&mut self, pool: &Pool, constraints: &[ExprId], order: &[ExprId]) -> Answer {
        let needed = self.session.add(pool, order);
        if self.session.circuit.variables() > VARIABLES.max(GROWTH * needed) {
            self.resets += 1;
            self.session = Session::new();
            self.session.add(pool, order);
        }
        let session = &mut self.session;
        let mut asked: Vec<Bit> = constraints.iter().map(|c| session.words[c][0]).collect();
        asked.retain(|&bit| bit != Bit::TRUE);
        match session.circuit.solve(&asked, self.time_limit) {
            None => Answer::Unknown("timeout".to_owned()),
            Some(false) => Answer::Unsat,
            Some(true) => {
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
                Answer::Sat(model)
            }
        }
    }
}

/// Whether the circuit of a query is small enough, and there are no floats in it.
fn suits(pool: &Pool, order: &[ExprId]) -> bool {
    let (mut all, mut products, mut tables) = (0, 0, FxHashSet::default());
    for &e in order {
        let size = gates(pool, e);
        all += size;
        match pool.node(e) {
            Node::Float(..) => return false,
            Node::Read(table, _) if tables.insert(table) => all += table_bits(pool, table),
            Node::Binary(op, a, b)
                if is_product(op) && !pool.is_constant(a) && !pool.is_constant(b) =>
            {
                products += size;
            }
            _ => {}
        }
    }
    all <= GATES && products <= PRODUCT_GATES
}

fn is_product(op: BinaryOp) -> bool {
    use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
    matches!(op, Mul | UDiv | SDiv | URem | SRem)
}

impl Solver for Bits {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let order = pool.postorder(query.constraints);
        if suits(pool, &order) {
            self.ask(pool, query.constraints, &order)
        } else {
            self.z3.check(pool, query)
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.resets;
        self.z3.stats(out);
    }
}
