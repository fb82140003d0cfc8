//! Gates over a SAT solver: each is made once, simplified where an input is constant or occurs
//! twice, and described by clauses when it is made.
//!
//! The description says what the gate's output is for every input, so that gates which a query
//! does not ask about can always be given values: a circuit grows over many queries, and the
//! constraints of one are assumptions.

use std::cell::Cell;
use std::ops::Not;

use batsat::{Callbacks, Lit, Solver, SolverInterface as _, Var, lbool};
use rustc_hash::FxHashMap;

use crate::deadline::Deadline;

/// A constant, or a variable of the SAT solver, perhaps complemented: twice its number, plus one
/// where it is complemented. The solver's first variable is the constant true.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Bit(u32);

impl Bit {
    pub const TRUE: Self = Self(0);
    pub const FALSE: Self = Self(1);

    pub fn constant(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    fn is_complemented(self) -> bool {
        self.0 & 1 == 1
    }

    fn literal(self) -> Lit {
        Lit::new(Var::unsafe_from_idx(self.0 >> 1), !self.is_complemented())
    }
}

impl Not for Bit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// How often the clock is read: once in so many steps of the search.
const STEPS: u64 = 32;

/// Ends a search after so many steps (about one for each decision), or when its time is over.
#[derive(Default)]
struct Clock {
    end: Cell<Deadline>,
    left: Cell<u64>,
    /// Stays so once it is: every part of the search asks anew.
    over: Cell<bool>,
}

impl Clock {
    fn start(&self, end: Deadline, steps: u64) {
        self.end.set(end);
        self.left.set(steps);
        self.over.set(end.is_over());
    }
}

impl Callbacks for Clock {
    fn stop(&self) -> bool {
        let left = self.left.get();
        if left == 0 || left.is_multiple_of(STEPS) && self.end.get().is_over() {
            self.over.set(true);
        }
        self.left.set(left.saturating_sub(1));
        self.over.get()
    }
}

/// A kind of gate with its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Bit, Bit),
    Xor(Bit, Bit),
    /// The second input if the first is true, else the third.
    Choice(Bit, Bit, Bit),
    Majority(Bit, Bit, Bit),
}

/// A circuit in a SAT solver.
pub(super) struct Circuit {
    sat: Solver<Clock>,
    gates: FxHashMap<Gate, Bit>,
    clause: Vec<Lit>,
}

impl Circuit {
    pub fn new() -> Self {
        let sat = Solver::new(batsat::SolverOpts::default(), Clock::default());
        let mut circuit = Self {
            sat,
            gates: FxHashMap::default(),
            clause: Vec::new(),
        };
        let truth = circuit.variable();
        debug_assert_eq!(truth, Bit::TRUE);
        circuit.always(&[truth]);
        circuit
    }

    /// A new input.
    pub fn variable(&mut self) -> Bit {
        Bit(self.sat.new_var_default().idx() << 1)
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.sat.num_vars() as usize
    }

    /// Demands that one of these bits is true.
    pub fn always(&mut self, bits: &[Bit]) {
        self.clause.clear();
        self.clause.extend(bits.iter().map(|bit| bit.literal()));
        self.sat.add_clause_reuse(&mut self.clause);
    }

    /// Whether all these bits can be true; `None` if it takes more steps, or longer.
    pub fn solve(&mut self, bits: &[Bit], steps: u64, deadline: Deadline) -> Option<bool> {
        self.sat.cb().start(deadline, steps);
        let assumptions: Vec<Lit> = bits.iter().map(|bit| bit.literal()).collect();
        let found = self.sat.solve_limited(&assumptions);
        (found != lbool::UNDEF).then_some(found == lbool::TRUE)
    }

    /// A bit's value in the model that was found last.
    pub fn value(&self, bit: Bit) -> bool {
        self.sat.value_lit(bit.literal()) == lbool::TRUE
    }

    fn gate(&mut self, gate: Gate, clauses: &[&[(usize, bool)]]) -> Bit {
        if let Some(&known) = self.gates.get(&gate) {
            return known;
        }
        let output = self.variable();
        let [a, b, c] = match gate {
            Gate::And(a, b) | Gate::Xor(a, b) => [a, b, Bit::TRUE],
            Gate::Choice(a, b, c) | Gate::Majority(a, b, c) => [a, b, c],
        };
        let bits = [output, a, b, c];
        for clause in clauses {
            let mut list = [Bit::FALSE; 4];
            for (slot, &(at, plain)) in list.iter_mut().zip(*clause) {
                *slot = if plain { bits[at] } else { !bits[at] };
            }
            self.always(&list[..clause.len()]);
        }
        self.gates.insert(gate, output);
        output
    }

    pub fn and(&mut self, a: Bit, b: Bit) -> Bit {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Bit::TRUE => return b,
            Bit::FALSE => return Bit::FALSE,
            _ if a == b => return a,
            _ if a == !b => return Bit::FALSE,
            _ => {}
        }
        self.gate(
            Gate::And(a, b),
            &[
                &[(0, false), (1, true)],
                &[(0, false), (2, true)],
                &[(0, true), (1, false), (2, false)],
            ],
        )
    }

    pub fn or(&mut self, a: Bit, b: Bit) -> Bit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Bit, b: Bit) -> Bit {
        // Complements move to the output.
        let flip = a.is_complemented() != b.is_complemented();
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let plain = if a == b {
            Bit::FALSE
        } else if a == Bit::TRUE {
            !b
        } else {
            self.gate(
                Gate::Xor(a, b),
                &[
                    &[(0, false), (1, true), (2, true)],
                    &[(0, false), (1, false), (2, false)],
                    &[(0, true), (1, true), (2, false)],
                    &[(0, true), (1, false), (2, true)],
                ],
            )
        };
        if flip { !plain } else { plain }
    }

    /// `a` if `c` is true, else `b`.
    pub fn choice(&mut self, c: Bit, a: Bit, b: Bit) -> Bit {
        let (c, a, b) = if c.is_complemented() {
            (!c, b, a)
        } else {
            (c, a, b)
        };
        match () {
            () if c == Bit::TRUE || a == b => return a,
            () if a == !b => return !self.xor(c, a),
            () if a == Bit::TRUE || a == c => return self.or(c, b),
            () if a == Bit::FALSE || a == !c => return self.and(!c, b),
            () if b == Bit::TRUE || b == !c => return self.or(!c, a),
            () if b == Bit::FALSE || b == c => return self.and(c, a),
            () => {}
        }
        if a.is_complemented() {
            return !self.choice(c, !a, !b);
        }
        self.gate(
            Gate::Choice(c, a, b),
            &[
                &[(1, false), (0, false), (2, true)],
                &[(1, false), (0, true), (2, false)],
                &[(1, true), (0, false), (3, true)],
                &[(1, true), (0, true), (3, false)],
                // These follow; they let equal inputs through at once.
                &[(0, false), (2, true), (3, true)],
                &[(0, true), (2, false), (3, false)],
            ],
        )
    }

    /// Whether at least two of three bits are true.
    pub fn majority(&mut self, a: Bit, b: Bit, c: Bit) -> Bit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        match () {
            () if a == Bit::TRUE => return self.or(b, c),
            () if a == Bit::FALSE => return self.and(b, c),
            () if a == b || b == c => return b,
            () if a == !b => return c,
            () if b == !c => return a,
            () => {}
        }
        self.gate(
            Gate::Majority(a, b, c),
            &[
                &[(0, false), (1, true), (2, true)],
                &[(0, false), (1, true), (3, true)],
                &[(0, false), (2, true), (3, true)],
                &[(0, true), (1, false), (2, false)],
                &[(0, true), (1, false), (3, false)],
                &[(0, true), (2, false), (3, false)],
            ],
        )
    }

    /// The sum of three bits and its carry.
    pub fn sum(&mut self, a: Bit, b: Bit, c: Bit) -> (Bit, Bit) {
        let two = self.xor(a, b);
        (self.xor(two, c), self.majority(a, b, c))
    }

    /// Whether all bits are true.
    pub fn all(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        bits.into_iter()
            .fold(Bit::TRUE, |all, bit| self.and(all, bit))
    }
}
