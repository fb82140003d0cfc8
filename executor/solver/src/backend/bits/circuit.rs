//! Gates over a SAT solver. Equal gates are shared, and simplified if an input is constant or
//! occurs twice. A gate's clauses are added when it is made (Tseitin encoding).
//!
//! The clauses define the output for every input, so gates that a query does not use never make it
//! unsatisfiable. This lets a circuit grow over many queries, with constraints as assumptions.

use std::cell::Cell;
use std::ops::Not;

use batsat::{Callbacks, Lit, Solver, SolverInterface as _, Var, lbool};
use rustc_hash::FxHashMap;

use crate::deadline::Deadline;

/// A literal of the SAT solver: twice the variable, plus one if complemented. Variable 0 is the
/// constant true.
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

/// Search steps between two clock reads.
const STEPS_PER_CLOCK_READ: u64 = 32;

/// Ends a search after a number of steps (about one for each decision), or at a deadline.
#[derive(Default)]
struct Clock {
    end: Cell<Deadline>,
    left: Cell<u64>,
    /// Stays set until the next search: the SAT solver calls `stop` again after it was true.
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
        if left == 0 || left.is_multiple_of(STEPS_PER_CLOCK_READ) && self.end.get().is_over() {
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
    Mux(Bit, Bit, Bit),
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
        circuit.add_clause(&[truth]);
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

    /// Adds a clause: one of these bits is true.
    pub fn add_clause(&mut self, bits: &[Bit]) {
        self.clause.clear();
        self.clause.extend(bits.iter().map(|bit| bit.literal()));
        self.sat.add_clause_reuse(&mut self.clause);
    }

    /// Whether all these bits can be true; `None` if the steps or the time run out.
    pub fn solve(&mut self, bits: &[Bit], steps: u64, deadline: Deadline) -> Option<bool> {
        self.sat.cb().start(deadline, steps);
        let assumptions: Vec<Lit> = bits.iter().map(|bit| bit.literal()).collect();
        let found = self.sat.solve_limited(&assumptions);
        (found != lbool::UNDEF).then_some(found == lbool::TRUE)
    }

    /// Steps that were left when the last search ended.
    pub fn steps_left(&self) -> u64 {
        self.sat.cb().left.get()
    }

    /// A bit's value in the last model.
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
            Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => [a, b, c],
        };
        let bits = [output, a, b, c];
        for clause in clauses {
            let mut list = [Bit::FALSE; 4];
            for (slot, &(at, positive)) in list.iter_mut().zip(*clause) {
                *slot = if positive { bits[at] } else { !bits[at] };
            }
            self.add_clause(&list[..clause.len()]);
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
        // Complemented inputs become a complemented output.
        let flip = a.is_complemented() != b.is_complemented();
        let (a, b) = (Bit(a.0 & !1), Bit(b.0 & !1));
        let (a, b) = (a.min(b), a.max(b));
        let output = if a == b {
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
        if flip { !output } else { output }
    }

    /// `a` if `c` is true, else `b`.
    pub fn mux(&mut self, c: Bit, a: Bit, b: Bit) -> Bit {
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
            return !self.mux(c, !a, !b);
        }
        self.gate(
            Gate::Mux(c, a, b),
            &[
                &[(1, false), (0, false), (2, true)],
                &[(1, false), (0, true), (2, false)],
                &[(1, true), (0, false), (3, true)],
                &[(1, true), (0, true), (3, false)],
                // Redundant; if both inputs are equal, the output propagates at once.
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
