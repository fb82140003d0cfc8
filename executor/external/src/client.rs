//! The executor's end: starts the helper at the first call, and again if it is gone.

use crate::protocol::{Reply, Request, Setup};
use crate::wire::{receive, send};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

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
}

/// Makes external calls.
pub struct Client {
    command: Vec<OsString>,
    setup: Setup,
    running: Option<Running>,
}

impl Client {
    /// A client whose helper is started by `command` when it is needed: a program that calls
    /// [`crate::helper::serve`] with its standard input and output.
    pub fn new(command: Vec<OsString>, setup: Setup) -> Self {
        Self {
            command,
            setup,
            running: None,
        }
    }

    /// Makes a call.
    ///
    /// # Errors
    /// When the helper cannot be started or has gone.
    pub fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        if self.running.is_none() {
            self.running = Some(self.start()?);
        }
        let running = self.running.as_mut().expect("it was started above");
        match running.exchange(&request.encode()) {
            Ok(reply) => Ok(reply),
            Err(error) => {
                self.running = None;
                Err(error)
            }
        }
    }

    fn start(&self) -> Result<Running, Error> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(Error("no helper for external calls".into()));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // An interrupt from the terminal is for the executor alone.
            .process_group(0)
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error("no pipes to the helper".into()));
        };
        let mut running = Running { child, to, from };
        match running.exchange(&self.setup.encode())? {
            Reply::Failed(why) => Err(Error(why)),
            _ => Ok(running),
        }
    }
}

impl Running {
    fn exchange(&mut self, bytes: &[u8]) -> Result<Reply, Error> {
        send(&mut self.to, bytes)?;
        let reply = receive(&mut self.from)?;
        let reply = reply.and_then(|bytes| Reply::decode(&bytes));
        reply.ok_or_else(|| Error("the helper for external calls has gone".into()))
    }
}

impl Drop for Running {
    /// Between calls the helper only waits for the next one: nothing is lost with it.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
