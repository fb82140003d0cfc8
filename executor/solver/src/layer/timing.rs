//! Counts the queries that reach a back end, and measures their time.

use std::time::{Duration, Instant};

use plat_expr::{ExprId, Pool};
use rustc_hash::FxHashSet;

use crate::answer::{Answer, Query, Solver};
use crate::effort::{Effort, Z3_OVERRUN};
use crate::stats::SolverStats;

/// The reason of an unknown answer to a query that was not asked.
const PUT_OFF: &str = "no work is allowed";

/// A stopwatch around a back end.
pub struct Timing {
    inner: Box<dyn Solver>,
    nodes: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
    /// Queries not decided within their work budget.
    postponed: u64,
    wall: Duration,
    longest: Duration,
}

impl Timing {
    /// Around a back end.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        let (wall, longest) = (Duration::ZERO, Duration::ZERO);
        Self {
            inner,
            nodes: 0,
            sat: 0,
            unsat: 0,
            unknown: 0,
            postponed: 0,
            wall,
            longest,
        }
    }
}

/// The nodes of expressions, without the elements of tables.
fn nodes(pool: &Pool, roots: &[ExprId]) -> u64 {
    let mut seen: FxHashSet<ExprId> = roots.iter().copied().collect();
    let mut stack = roots.to_vec();
    while let Some(e) = stack.pop() {
        pool.node(e).for_each_operand(|operand| {
            if seen.insert(operand) {
                stack.push(operand);
            }
        });
    }
    seen.len() as u64
}

/// Charges a query without an answer for all that it was allowed, if its back end is Z3, which does not
/// count its work.
fn charge_attempt(query: &Query<'_>, before: u64) {
    let (allowed, done) = (query.effort.operations(), query.charged() - before);
    if done < allowed {
        query.charge(allowed.saturating_mul(Z3_OVERRUN) - done);
    }
}

plat_expr::holder!(Timing { inner }
    plain { nodes, sat, unsat, unknown, postponed, wall, longest });

impl Solver for Timing {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if query.effort == Effort::NONE {
            return Answer::Unknown(PUT_OFF.to_owned());
        }
        self.nodes += nodes(pool, query.constraints);
        let (start, before) = (Instant::now(), query.charged());
        let answer = self.inner.check(pool, query);
        let elapsed = start.elapsed();
        self.wall += elapsed;
        self.longest = self.longest.max(elapsed);
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) if query.effort.is_full() => self.unknown += 1,
            Answer::Unknown(_) => {
                self.postponed += 1;
                charge_attempt(query, before);
            }
        }
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_queries += self.sat + self.unsat + self.unknown + self.postponed;
        out.backend_nodes += self.nodes;
        out.backend_sat += self.sat;
        out.backend_unsat += self.unsat;
        out.backend_unknown += self.unknown;
        out.backend_postponed += self.postponed;
        out.backend_wall += self.wall;
        out.backend_longest = out.backend_longest.max(self.longest);
        self.inner.stats(out);
    }
}
