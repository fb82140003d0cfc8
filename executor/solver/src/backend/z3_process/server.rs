//! The solver process: answers the queries of a run with Z3.

use std::io;
use std::time::Duration;

use plat_expr::{Assignment, Pool, SymbolId};
use plat_protocol::{receive, send};
use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};

use super::messages::{ModelByte, Reply, Request};
use crate::answer::{Answer, Query, Solver};
use crate::backend::z3::{Tuning, Z3};
use crate::config::SolverConfig;
use crate::deadline::Deadline;

/// The number of nodes at which the session restarts.
const NODES: usize = 1 << 21;
/// Z3's memory limit in megabytes.
const MEMORY: u32 = 4096;

/// The state kept from query to query.
struct Session {
    pool: Pool,
    z3: Z3,
}

impl Session {
    fn new() -> Self {
        let unlimited = SolverConfig {
            time_limit: None,
            ..SolverConfig::default()
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

    fn answer(&mut self, request: &Request<'_>) -> Reply {
        let constraints = match self.pool.read_smtlib(&request.script) {
            Ok(constraints) => constraints,
            Err(why) => return Reply::Unknown(format!("the solver process: {why}")),
        };
        let query = Query {
            constraints: &constraints,
            deadline: Deadline::after(request.milliseconds.map(Duration::from_millis)),
            effort: request.effort,
            spent: None,
            model: None,
        };
        match self.z3.check(&mut self.pool, &query) {
            Answer::Unsat => Reply::Unsat,
            Answer::Unknown(reason) => Reply::Unknown(reason),
            Answer::Sat(model) => {
                let mut bytes = Vec::new();
                for &constraint in &constraints {
                    bytes.extend(self.pool.symbols(constraint).iter());
                }
                bytes.sort_unstable();
                bytes.dedup();
                let named = |&(symbol, index)| named(&self.pool, &model, symbol, index);
                Reply::Sat(bytes.iter().filter_map(named).collect())
            }
        }
    }
}

/// A byte of a model, by the numbers in the name of its symbol.
fn named(pool: &Pool, model: &Assignment, symbol: SymbolId, index: u32) -> Option<ModelByte> {
    let value = model.byte(symbol, index);
    let name = pool.symbol_info(symbol).name.strip_prefix('s')?;
    let (symbol, index) = name.split_once('_')?;
    Some(ModelByte {
        symbol: symbol.parse().ok()?,
        index: index.parse().ok()?,
        value,
    })
}

/// Answers queries from standard input until it is closed or the parent process has exited.
///
/// # Errors
/// When the pipes break or a message is not a query.
pub fn serve() -> io::Result<()> {
    // If the parent exited before this call, standard input is closed.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    // No core file if Z3 crashes.
    setrlimit(Resource::Core, none)?;
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    let mut session = Session::new();
    while let Some(request) = receive(&mut from)? {
        if session.pool.len() > NODES {
            session = Session::new();
        }
        send(&mut to, &session.answer(&request))?;
    }
    Ok(())
}
