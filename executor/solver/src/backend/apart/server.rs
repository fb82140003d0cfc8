//! The other side: a process that asks Z3 for a run.

use std::io::{self, Write};
use std::time::Duration;

use plat_expr::{Assignment, Pool, SymbolId};

use super::wire;
use crate::answer::{Answer, Query, Solver};
use crate::backend::z3::{Tuning, Z3};
use crate::config::Config;
use crate::deadline::Deadline;

/// Nodes beyond which the process forgets what it was asked.
const NODES: usize = 1 << 21;
/// Megabytes beyond which Z3 gives a query up.
const MEMORY: u32 = 4096;

/// What lives from query to query.
struct Session {
    pool: Pool,
    z3: Z3,
}

impl Session {
    fn new() -> Self {
        let unlimited = Config {
            time_limit: None,
            ..Config::default()
        };
        let tuning = Tuning {
            max_memory: MEMORY,
            ..Tuning::default()
        };
        Self {
            pool: Pool::new(),
            z3: Z3::with_tuning(&unlimited, tuning),
        }
    }

    fn answer(&mut self, query: &[u8]) -> Vec<u8> {
        let refuse = |why: &str| Answer::Unknown(format!("the solver process: {why}"));
        let empty = std::iter::empty();
        let Some((milliseconds, effort, script)) = wire::parts(query) else {
            return wire::encode(&refuse("no query"), empty);
        };
        let deadline = Deadline::after(Some(Duration::from_millis(milliseconds)));
        let constraints = match self.pool.read_smtlib(script) {
            Ok(constraints) => constraints,
            Err(why) => return wire::encode(&refuse(&why), empty),
        };
        let query = Query {
            constraints: &constraints,
            deadline,
            effort,
        };
        let answer = self.z3.check(&mut self.pool, &query);
        match &answer {
            Answer::Sat(model) => {
                let mut bytes = Vec::new();
                for &constraint in &constraints {
                    bytes.extend(self.pool.symbols(constraint).iter());
                }
                bytes.sort_unstable();
                bytes.dedup();
                let named = |&(symbol, index)| named(&self.pool, model, symbol, index);
                wire::encode(&answer, bytes.iter().filter_map(named))
            }
            _ => wire::encode(&answer, empty),
        }
    }
}

/// A byte of a model by the numbers in its name: `s5_3` is byte 3 of symbol 5.
fn named(pool: &Pool, model: &Assignment, symbol: SymbolId, index: u32) -> Option<(u32, u32, u8)> {
    let name = pool.symbol_info(symbol).name.strip_prefix('s')?;
    let (number, at) = name.split_once('_')?;
    let value = model.byte(symbol, index);
    Some((number.parse().ok()?, at.parse().ok()?, value))
}

/// Answers the queries that come through standard input, until it ends or the process that has
/// started this one is gone.
///
/// # Errors
/// When the conversation breaks.
pub fn serve() -> io::Result<()> {
    // SAFETY: neither takes pointers. A process that has gone before is noticed by the end of input.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        let none = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const none);
    }
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    let mut session = Session::new();
    while let Some(query) = wire::receive(&mut from)? {
        if session.pool.len() > NODES {
            session = Session::new();
        }
        to.write_all(&wire::frame(&session.answer(&query)))?;
        to.flush()?;
    }
    Ok(())
}
