//! Tries every input. Feasible for two bytes; a reference for the other back ends.

use plat_expr::{Assignment, EvalMemo, Pool, SymbolSet};

use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::stats::SolverStats;

/// Inputs between two clock reads.
const INPUTS_PER_CLOCK_READ: u32 = 1 << 8;

/// Tries every value of up to two bytes.
pub struct Enumerate;

plat_expr::holder!(Enumerate {});

impl Solver for Enumerate {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let bytes: SymbolSet = query
            .constraints
            .iter()
            .flat_map(|&c| pool.symbols(c).iter())
            .collect();
        let bytes: Vec<_> = bytes.iter().collect();
        if bytes.len() > 2 {
            return Answer::Unknown("more than two input bytes".to_owned());
        }
        for input in 0..1u32 << (8 * bytes.len()) {
            if input.is_multiple_of(INPUTS_PER_CLOCK_READ) && query.deadline.is_over() {
                return Answer::Unknown(TIMEOUT.to_owned());
            }
            let mut assignment = Assignment::new();
            for (at, &(symbol, index)) in bytes.iter().enumerate() {
                assignment.set_byte(symbol, index, (input >> (8 * at)) as u8);
            }
            let mut memo = EvalMemo::new();
            if query
                .constraints
                .iter()
                .all(|&c| pool.holds(c, &assignment, &mut memo))
            {
                return Answer::Sat(assignment);
            }
        }
        Answer::Unsat
    }

    fn stats(&self, _: &mut SolverStats) {}
}
