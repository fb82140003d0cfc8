//! Z3 in a process of its own, which is killed when it overruns its time limit.
//!
//! Parts of Z3's preprocessing do not check the time limit: with long tables and many inputs they
//! can take minutes, and no limit of the run would hold. A process can be killed at any time, and
//! its crashes and memory do not affect the run. Queries are sent as SMT-LIB scripts
//! ([`Pool::smtlib`]). The process hash-conses them, so Z3 runs incrementally there as it does in
//! this process ([`super::z3`]).

mod messages;
mod pipe;
mod server;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::time::Duration;

use plat_expr::Pool;
use plat_protocol::{Errors, Helper, Incoming};
use rustix::process::Signal;

use super::z3::Z3;
use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::SolverConfig;
use crate::deadline::Deadline;
use crate::effort::Z3_PRICE;
use crate::stats::SolverStats;

pub use messages::{Reply, Request};
pub use server::serve;

/// How long the process may take to report a timeout, in addition to an eighth of the time limit.
const GRACE: Duration = Duration::from_millis(100);

/// A solver process.
struct Running(Helper);

impl Running {
    fn start(command: &[OsString]) -> io::Result<Self> {
        let helper = Helper::start(command, Errors::Nowhere)?;
        pipe::set_nonblocking(&helper.to)?;
        pipe::set_nonblocking(&helper.from)?;
        Ok(Self(helper))
    }

    /// How a process that has closed its pipe has ended.
    fn exit_reason(&mut self) -> String {
        for _ in 0..GRACE.as_millis() {
            if let Ok(Some(status)) = self.0.try_wait() {
                return match status.signal() {
                    Some(signal) if signal == Signal::KILL.as_raw() => {
                        "the solver's process was killed (signal 9): by hand, or as memory is short"
                            .into()
                    }
                    _ => format!("the solver's process has crashed: {status}"),
                };
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        "the solver's process has closed its pipe".into()
    }
}

/// A query that was sent.
struct Pending {
    /// When the process is killed if it has not answered.
    end: Deadline,
    /// The part of the reply that has arrived.
    incoming: Incoming,
}

/// Out-of-process Z3.
pub struct Z3Process {
    command: Vec<OsString>,
    time_limit: Option<Duration>,
    running: Option<Running>,
    pending: Option<Pending>,
    /// How many processes were killed or exited.
    ended: u64,
    /// Answers if no process can be started.
    fallback: Z3,
}

/// Why a query was not sent.
pub(super) enum Refusal {
    /// Its time limit is over.
    Late,
    /// No process can be started.
    NoProcess,
}

impl Z3Process {
    /// The first query starts the process, by the command in `config`.
    pub fn new(config: &SolverConfig) -> Self {
        Self {
            command: config.process.clone(),
            time_limit: config.time_limit,
            running: None,
            pending: None,
            ended: 0,
            fallback: Z3::new(config),
        }
    }

    /// The id of the process, if there is one.
    pub fn process(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.0.id())
    }

    /// Sends a query to the process without waiting for the answer.
    pub(super) fn begin(&mut self, pool: &mut Pool, query: &Query<'_>) -> Result<(), Refusal> {
        let effort = query.effort;
        let limited = query.within(self.time_limit).within(effort.time_limit());
        let deadline = limited.deadline;
        query.charge(Z3_PRICE);
        let script = pool.smtlib(query.constraints);
        if deadline.is_over() {
            return Err(Refusal::Late);
        }
        let (milliseconds, end) = match deadline.left() {
            None => (None, deadline),
            Some(left) => {
                let milliseconds = u64::try_from(left.as_millis()).unwrap_or(u64::MAX);
                let milliseconds = milliseconds.saturating_add(1);
                (Some(milliseconds), deadline.later(left / 8 + GRACE))
            }
        };
        let request = plat_protocol::frame(&Request {
            milliseconds,
            effort,
            script: script.into(),
        });
        // A script too long for a message goes to the fallback.
        let request = request.map_err(|_| Refusal::NoProcess)?;
        // An outstanding answer would be taken for the answer to this query.
        if self.pending.is_some() {
            self.stop();
        }
        self.running.take_if(|running| !running.0.is_own());
        // A failed write shows that the process has exited since the last query; then a new one is
        // started, once.
        for fresh in [self.running.is_none(), true] {
            if fresh {
                let started = Running::start(&self.command);
                self.running = Some(started.map_err(|_| Refusal::NoProcess)?);
            }
            let Some(running) = &mut self.running else {
                break;
            };
            match pipe::write_all(&mut running.0.to, &request, end) {
                Ok(true) => {
                    let incoming = Incoming::default();
                    self.pending = Some(Pending { end, incoming });
                    return Ok(());
                }
                Ok(false) => {
                    self.stop();
                    return Err(Refusal::Late);
                }
                Err(_) => self.stop(),
            }
        }
        Err(Refusal::NoProcess)
    }

    /// The answer to the query that was sent; `None` if there is none by `until`. Kills a process
    /// that has overrun its time.
    pub(super) fn answer(&mut self, until: Deadline) -> Option<Answer> {
        let unknown = |reason: &str| Some(Answer::Unknown(reason.to_owned()));
        let (Some(running), Some(pending)) = (&mut self.running, &mut self.pending) else {
            return unknown("nothing was asked");
        };
        let deadline = pending.end.or(until);
        match pipe::read_reply(&mut running.0.from, &mut pending.incoming, deadline) {
            Ok(Some(reply)) => {
                self.pending = None;
                Some(reply.into())
            }
            Ok(None) if pending.end.is_over() => {
                self.stop();
                unknown("timeout; the solver's process was ended")
            }
            Ok(None) => None,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                self.stop();
                unknown("the solver's process gave no answer")
            }
            Err(_) => {
                let how = running.exit_reason();
                self.stop();
                unknown(&how)
            }
        }
    }

    /// Kills the process and drops the query that was sent.
    pub(super) fn stop(&mut self) {
        self.pending = None;
        self.ended += u64::from(self.running.take().is_some());
    }
}

plat_expr::holder!(Z3Process { fallback }
    plain { command, time_limit, running, pending, ended });

impl Solver for Z3Process {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        match self.begin(pool, query) {
            Err(Refusal::Late) => Answer::Unknown(TIMEOUT.to_owned()),
            Err(Refusal::NoProcess) => self.fallback.check(pool, query),
            // Without `until` there is always an answer.
            Ok(()) => (self.answer(Deadline::NEVER))
                .unwrap_or_else(|| Answer::Unknown(TIMEOUT.to_owned())),
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.ended;
        self.fallback.stats(out);
    }
}
