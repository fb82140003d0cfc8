//! Two back ends side by side where one of them may hang: `bits` searches here, Z3 in its own process
//! on another core, and who is first answers.
//!
//! Most queries take `bits` milliseconds, so they begin together only for what is not decided by
//! then and has too many inputs to try. A circuit too large for `bits` alone is made for the race.
//! Verdicts do not depend on who is first; models do, and with them the order of paths, so this is
//! not the default. Tests do not: each has the least model of its path.

use std::time::Duration;

use plat_expr::{ExprId, Pool};

use super::apart::Apart;
use super::bits::{Bits, Fit, fit, trial_work};
use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::Config;
use crate::deadline::Deadline;
use crate::stats::SolverStats;

/// Operations of the search between two looks at the other process: some ten milliseconds.
const TURN: u64 = 1 << 25;
/// The largest circuit for a race, in those that `bits` takes alone.
const LARGEST: u64 = 4;

/// The portfolio.
pub(super) struct Portfolio {
    bits: Bits,
    z3: Apart,
    time_limit: Option<Duration>,
}

impl Portfolio {
    pub fn new(config: &Config) -> Self {
        Self {
            bits: Bits::new(config),
            z3: Apart::new(config),
            time_limit: config.time_limit,
        }
    }

    /// Asks both.
    fn race(&mut self, pool: &mut Pool, query: &Query<'_>, order: &[ExprId]) -> Answer {
        let mut beside = self.z3.begin(pool, query).is_ok();
        self.bits.renew();
        let mut answer = None;
        while answer.is_none() && !query.deadline.is_over() {
            answer = self.bits.ask(pool, query, order, TURN);
            if answer.is_some() || !beside {
                continue;
            }
            match self.z3.answer(Deadline::after(Some(Duration::ZERO))) {
                None => {}
                Some(Answer::Unknown(_)) => beside = false,
                found => {
                    beside = false;
                    answer = found;
                }
            }
        }
        if beside {
            self.z3.stop();
        }
        answer.unwrap_or_else(|| Answer::Unknown(TIMEOUT.to_owned()))
    }
}

impl Solver for Portfolio {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let order = pool.postorder(query.constraints);
        let limited = query.within(self.time_limit);
        let soon = match fit(pool, &order) {
            Fit::Floats => return self.z3.check(pool, query),
            Fit::Large(times) if trial_work(pool, query.constraints).is_none() => {
                if times > LARGEST {
                    return self.z3.check(pool, query);
                }
                None
            }
            // Its inputs are tried.
            Fit::Large(_) => return self.bits.check(pool, query),
            Fit::Circuit => self.bits.search_or_try(pool, &limited, &order),
        };
        soon.unwrap_or_else(|| self.race(pool, &limited, &order))
    }

    fn stats(&self, out: &mut SolverStats) {
        self.bits.stats(out);
        self.z3.stats(out);
    }
}
