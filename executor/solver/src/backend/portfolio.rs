//! Races two back ends on hard queries: `bits` in this process, Z3 in its own process on another
//! core. The first answer counts.
//!
//! `bits` decides most queries in milliseconds, so Z3 starts only for queries that are not decided by
//! then and have too many inputs to enumerate. The limit on circuit size is higher in a race. Which
//! back end is first changes models, and with them the order of paths, so this is not the default.
//! Verdicts and tests do not change: each test is the least model of its path.

use std::time::Duration;

use plat_expr::{ExprId, Pool};

use super::bits::{Bits, Fit, enumeration_work, fit};
use super::z3_process::Z3Process;
use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::SolverConfig;
use crate::deadline::Deadline;
use crate::stats::SolverStats;

/// SAT operations between two polls of the Z3 process: some ten milliseconds.
const SLICE: u64 = 1 << 25;
/// The largest circuit for a race, as a multiple of the limit of `bits` alone.
const MAX_SIZE: u64 = 4;

/// The portfolio.
pub(super) struct Portfolio {
    bits: Bits,
    z3: Z3Process,
    time_limit: Option<Duration>,
}

impl Portfolio {
    pub fn new(config: &SolverConfig) -> Self {
        Self {
            bits: Bits::new(config),
            z3: Z3Process::new(config),
            time_limit: config.time_limit,
        }
    }

    /// Runs both until one answers.
    fn race(&mut self, pool: &mut Pool, query: &Query<'_>, order: &[ExprId]) -> Answer {
        let mut z3_running = self.z3.begin(pool, query).is_ok();
        self.bits.reset();
        let mut answer = None;
        while answer.is_none() && !query.deadline.is_over() {
            answer = self.bits.solve_bounded(pool, query, order, SLICE);
            if answer.is_some() || !z3_running {
                continue;
            }
            match self.z3.answer(Deadline::after(Some(Duration::ZERO))) {
                None => {}
                Some(Answer::Unknown(_)) => z3_running = false,
                found => {
                    z3_running = false;
                    answer = found;
                }
            }
        }
        if z3_running {
            self.z3.stop();
        }
        answer.unwrap_or_else(|| Answer::Unknown(TIMEOUT.to_owned()))
    }
}

plat_expr::holder!(Portfolio { bits, z3 } plain { time_limit });

impl Solver for Portfolio {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let order = pool.postorder(query.constraints);
        let limited = query.within(self.time_limit);
        let quick = match fit(pool, &order) {
            Fit::Floats => return self.z3.check(pool, query),
            Fit::Large(times) if enumeration_work(pool, query.constraints).is_none() => {
                if times > MAX_SIZE {
                    return self.z3.check(pool, query);
                }
                None
            }
            // Decided by enumeration.
            Fit::Large(_) => return self.bits.check(pool, query),
            Fit::Circuit => self.bits.solve_or_enumerate(pool, &limited, &order),
        };
        quick.unwrap_or_else(|| self.race(pool, &limited, &order))
    }

    fn stats(&self, out: &mut SolverStats) {
        self.bits.stats(out);
        self.z3.stats(out);
    }
}
