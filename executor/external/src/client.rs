//! The executor's end: starts the helper, and again if it is gone.

use crate::protocol::{Reply, Request, Setup};
use crate::regions::{self, Region};
use crate::wire::{receive, send};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// How long a helper that has closed its pipe may take to end.
const LAST: Duration = Duration::from_millis(500);

/// Why a call could not be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

/// A helper process and the pipes to it.
struct Running {
    child: Child,
    to: ChildStdin,
    from: ChildStdout,
    /// Who has started it: a fork of the run has copies of the pipes, which are not its own.
    owner: u32,
}

/// Makes external calls.
pub struct Client {
    command: Vec<OsString>,
    setup: Setup,
    running: Option<Running>,
}

impl Client {
    /// Starts the helper with `command`: a program that calls [`crate::helper::reserve_early`] before
    /// `main`, and [`crate::helper::serve`] with its further arguments. The regions are where objects
    /// are.
    ///
    /// # Errors
    /// When it cannot be started, a region is not to be had, or a library cannot be loaded.
    pub fn start(
        mut command: Vec<OsString>,
        regions: &[Region],
        setup: Setup,
    ) -> Result<Self, Error> {
        command.extend(regions.iter().map(regions::argument));
        let running = Some(Running::start(&command, &setup)?);
        Ok(Self {
            command,
            setup,
            running,
        })
    }

    /// Makes a call.
    ///
    /// # Errors
    /// When the helper cannot be started or has gone.
    pub fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        let here = std::process::id();
        self.running.take_if(|running| running.owner != here);
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(&self.command, &self.setup)?),
        };
        running
            .exchange(&request.encode())
            .inspect_err(|_| self.running = None)
    }
}

impl Running {
    fn start(command: &[OsString], setup: &Setup) -> Result<Self, Error> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(Error("no helper for external calls".into()));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error("no pipes to the helper".into()));
        };
        let owner = std::process::id();
        let mut running = Running {
            child,
            to,
            from,
            owner,
        };
        match running.exchange(&setup.encode())? {
            Reply::Failed(why) => Err(Error(why)),
            _ => Ok(running),
        }
    }

    fn exchange(&mut self, bytes: &[u8]) -> Result<Reply, Error> {
        // A helper that has gone gives no reply either.
        let _ = send(&mut self.to, bytes);
        let reply = receive(&mut self.from)?;
        let reply = reply.and_then(|bytes| Reply::decode(&bytes));
        reply.ok_or_else(|| self.gone())
    }

    /// Why there is no reply.
    fn gone(&mut self) -> Error {
        let mut status = None;
        for _ in 0..LAST.as_millis() {
            status = self.child.try_wait().ok().flatten();
            if status.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Error(match status.map(|status| (status.signal(), status)) {
            Some((Some(libc::SIGKILL), _)) => {
                "the process that makes external calls was killed (signal 9): by hand, or as memory is \
                 short"
                    .into()
            }
            Some((Some(signal), _)) => {
                format!("signal {signal} ended the process that makes external calls")
            }
            Some((None, status)) => format!("the process that makes external calls: {status}"),
            None => "the process that makes external calls does not answer".into(),
        })
    }
}

impl Drop for Running {
    /// Between calls the helper only waits for the next one, and nothing of a call is left: nothing is
    /// lost with it.
    fn drop(&mut self) {
        if self.owner == std::process::id() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
