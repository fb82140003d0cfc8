//! Writes every query to sinks, as an SMT-LIB 2 script or a KQuery query of its own, and reads logs of
//! scripts.

use plat_expr::{ExprId, Pool};

use crate::answer::{Answer, Query, Solver};
use crate::config::{LogSink, QueryLanguage};
use crate::stats::SolverStats;

/// Prefix of the line with the answer to a query, behind the mark of a comment.
const ANSWERED: &str = " answered: ";

/// A logged query.
#[derive(Clone, Debug)]
pub struct Logged {
    /// All must hold.
    pub constraints: Vec<ExprId>,
    /// Whether it was satisfiable; `None` if it was not decided.
    pub satisfiable: Option<bool>,
}

/// The queries of a log, or of a part of one.
///
/// # Errors
/// Errors of [`Pool::read_smtlib`], with the number of the query.
pub fn read_log(pool: &mut Pool, text: &str) -> Result<Vec<Logged>, String> {
    let answered = format!(";{ANSWERED}");
    let scripts = text.split(&answered).skip(1).enumerate();
    let logged = scripts.map(|(at, script)| {
        let (answer, script) = script.split_once('\n').unwrap_or((script, ""));
        let satisfiable = match answer {
            "sat" => Some(true),
            "unsat" => Some(false),
            _ => None,
        };
        let constraints = pool.read_smtlib(script);
        let constraints = constraints.map_err(|wrong| format!("query {}: {wrong}", at + 1))?;
        Ok(Logged {
            constraints,
            satisfiable,
        })
    });
    logged.collect()
}

/// A layer that logs queries.
pub struct Log {
    sinks: Vec<LogSink>,
    inner: Box<dyn Solver>,
    count: u64,
}

impl Log {
    /// Above `inner`.
    pub fn new(sinks: Vec<LogSink>, inner: Box<dyn Solver>) -> Self {
        Self {
            sinks,
            inner,
            count: 0,
        }
    }
}

plat_expr::holder!(Log { inner } plain { sinks, count });

impl Solver for Log {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        self.count += 1;
        let texts: Vec<_> = (self.sinks.iter())
            .map(|sink| match sink.language {
                QueryLanguage::SmtLib => (';', pool.smtlib(query.constraints)),
                QueryLanguage::KQuery => ('#', pool.kquery(query.constraints)),
            })
            .collect();
        let answer = self.inner.check(pool, query);
        let found = match &answer {
            Answer::Sat(_) => "sat".to_owned(),
            Answer::Unsat => "unsat".to_owned(),
            Answer::Unknown(reason) => format!("unknown ({})", reason.replace('\n', " ")),
        };
        for (sink, (comment, text)) in self.sinks.iter().zip(texts) {
            (sink.write)(self.count, &format!("{comment}{ANSWERED}{found}\n{text}"));
        }
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        self.inner.stats(out);
    }
}
