//! Z3 in a process of its own, which is ended when it does not heed its time limit.
//!
//! Z3 looks at its limit where its authors have thought of it. In some of what it does before the
//! search it has none: with long tables and many inputs it can work for minutes, and then no limit
//! of the run holds. A process can be ended whatever it does, and neither its crash nor its memory
//! is the run's. Queries go to it as scripts ([`Pool::smtlib`]), equal parts of which are equal
//! nodes there, so that Z3 is asked incrementally as it is here ([`super::z3`]).

mod server;
mod wire;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use plat_expr::Pool;

use super::z3::Z3;
use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::Config;
use crate::deadline::Deadline;
use crate::stats::SolverStats;

pub use server::serve;

/// How long the process may take to say that its time is over, beside an eighth of that time.
const GRACE: Duration = Duration::from_millis(100);

/// The process, and the pipes to it.
struct Running {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    /// Who has started it: a fork of the run has copies of the pipes, which are not its own.
    owner: u32,
}

impl Running {
    fn start(command: &[OsString]) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // An interrupt from the terminal is for the run alone.
            .process_group(0)
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let running = Self {
            child,
            to,
            from,
            owner: std::process::id(),
        };
        wire::never_wait(&running.to)?;
        wire::never_wait(&running.from)?;
        Ok(running)
    }

    /// How it has ended, which has closed its pipe.
    fn end(&mut self) -> String {
        for _ in 0..GRACE.as_millis() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return match status.signal() {
                    Some(libc::SIGKILL) => {
                        "the solver's process was killed (signal 9): by hand, or as \
                                            memory is short"
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

impl Drop for Running {
    /// Between queries it only waits for the next one, and in one it is not waited for any more:
    /// nothing is lost with it.
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// A query that is being answered.
struct Asked {
    /// When the process is ended if it has not answered.
    end: Deadline,
    /// What it has answered so far.
    answer: Vec<u8>,
}

/// Z3 in another process.
pub struct Apart {
    command: Vec<OsString>,
    time_limit: Option<Duration>,
    running: Option<Running>,
    asked: Option<Asked>,
    /// How often a process was ended, or ended by itself.
    ended: u64,
    /// Who answers where no process can be started.
    here: Z3,
}

/// Why a query has not begun.
pub(super) enum Refusal {
    /// Its time is over.
    Late,
    /// The system lets no process start.
    NoProcess,
}

impl Apart {
    /// The process is started with the first query, by the command of `config`.
    pub fn new(config: &Config) -> Self {
        Self {
            command: config.process.clone(),
            time_limit: config.time_limit,
            running: None,
            asked: None,
            ended: 0,
            here: Z3::new(config),
        }
    }

    /// The number of the process, if there is one.
    pub fn process(&self) -> Option<u32> {
        self.running.as_ref().map(|running| running.child.id())
    }

    /// Lets the process begin with a query.
    pub(super) fn begin(&mut self, pool: &mut Pool, query: &Query<'_>) -> Result<(), Refusal> {
        let effort = query.effort;
        let limited = query.within(self.time_limit).within(effort.backstop());
        let deadline = limited.deadline;
        let script = pool.smtlib(query.constraints);
        if deadline.is_over() {
            return Err(Refusal::Late);
        }
        let (milliseconds, end) = match deadline.left() {
            None => (u64::MAX, deadline),
            Some(left) => {
                let milliseconds = u64::try_from(left.as_millis()).unwrap_or(u64::MAX) + 1;
                (milliseconds, deadline.later(left / 8 + GRACE))
            }
        };
        let query = wire::frame(&wire::query(milliseconds, effort, &script));
        // Nobody has waited for the last answer, so it would be taken for this one.
        if self.asked.is_some() {
            self.stop();
        }
        let here = std::process::id();
        self.running.take_if(|running| running.owner != here);
        // A process that has gone since the last query shows when it is asked.
        for fresh in [self.running.is_none(), true] {
            if fresh {
                let started = Running::start(&self.command);
                self.running = Some(started.map_err(|_| Refusal::NoProcess)?);
            }
            let Some(running) = &mut self.running else {
                break;
            };
            match wire::write_all(&mut running.to, &query, end) {
                Ok(true) => {
                    let answer = Vec::new();
                    self.asked = Some(Asked { end, answer });
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

    /// The answer to the query that was begun; none if there is none yet at this moment. A process
    /// that has had its time is ended.
    pub(super) fn answer(&mut self, until: Deadline) -> Option<Answer> {
        let unknown = |reason: &str| Some(Answer::Unknown(reason.to_owned()));
        let (Some(running), Some(asked)) = (&mut self.running, &mut self.asked) else {
            return unknown("nothing was asked");
        };
        let read = wire::read_more(&mut running.from, &mut asked.answer, asked.end.or(until));
        match read {
            Ok(true) => {
                let bytes = std::mem::take(&mut asked.answer);
                self.asked = None;
                match wire::whole(&bytes).ok().flatten().and_then(wire::decode) {
                    Some(answer) => Some(answer),
                    None => unknown("the solver's process gave no answer"),
                }
            }
            Ok(false) if asked.end.is_over() => {
                self.stop();
                unknown("timeout; the solver's process was ended")
            }
            Ok(false) => None,
            Err(_) => {
                let how = running.end();
                self.stop();
                unknown(&how)
            }
        }
    }

    /// Ends the process, and with it what it was asked.
    pub(super) fn stop(&mut self) {
        self.asked = None;
        self.ended += u64::from(self.running.take().is_some());
    }
}

impl Solver for Apart {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        match self.begin(pool, query) {
            Err(Refusal::Late) => Answer::Unknown(TIMEOUT.to_owned()),
            Err(Refusal::NoProcess) => self.here.check(pool, query),
            // There is one: nobody asks for less time.
            Ok(()) => (self.answer(Deadline::NEVER))
                .unwrap_or_else(|| Answer::Unknown(TIMEOUT.to_owned())),
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.ended;
        self.here.stats(out);
    }
}
