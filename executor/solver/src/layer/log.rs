//! Hands every query that passes to a sink, as an SMT-LIB 2 script that stands for itself.

use plat_expr::Pool;

use crate::answer::{Answer, Query, Solver};
use crate::config::LogSink;
use crate::stats::SolverStats;

/// A listener above a back end.
pub struct Log {
    sink: LogSink,
    inner: Box<dyn Solver>,
    count: u64,
}

impl Log {
    /// Above `inner`.
    pub fn new(sink: LogSink, inner: Box<dyn Solver>) -> Self {
        Self {
            sink,
            inner,
            count: 0,
        }
    }
}

impl Solver for Log {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        self.count += 1;
        let mut script = pool.smtlib(query.constraints);
        let answer = self.inner.check(pool, query);
        let found = match &answer {
            Answer::Sat(_) => "sat".to_owned(),
            Answer::Unsat => "unsat".to_owned(),
            Answer::Unknown(reason) => format!("unknown ({})", reason.replace('\n', " ")),
        };
        script.insert_str(0, &format!("; answered: {found}\n"));
        (self.sink)(self.count, &script);
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        self.inner.stats(out);
    }
}
