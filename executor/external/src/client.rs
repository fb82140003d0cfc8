//! The executor's end: starts the helper, and again if it is gone.

use crate::protocol::{Reply, Request, Setup, Started};
use crate::regions::{self, Region};
use plat_protocol::{receive, send};
use rustix::process::Signal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
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
    directory: Option<PathBuf>,
    setup: Setup,
    lacking: Option<String>,
    running: Option<Running>,
}

impl Client {
    /// Starts the helper with `command`: a program that calls [`crate::helper::reserve_early`] before
    /// `main`, and [`crate::helper::serve`] with its further arguments. It works in a directory, by
    /// default that of this process. The regions are where objects are.
    ///
    /// # Errors
    /// When it cannot be started, a region is not to be had, or a library cannot be loaded.
    pub fn start(
        mut command: Vec<OsString>,
        directory: Option<PathBuf>,
        regions: &[Region],
        setup: Setup,
    ) -> Result<Self, Error> {
        command.extend(regions.iter().map(regions::argument));
        let (running, lacking) = Running::start(&command, directory.as_deref(), &setup)?;
        Ok(Self {
            command,
            directory,
            setup,
            lacking,
            running: Some(running),
        })
    }

    /// What callees can do nevertheless that they should not, in one line, if there is anything.
    pub fn lacking(&self) -> Option<&str> {
        self.lacking.as_deref()
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
            none => {
                let directory = self.directory.as_deref();
                none.insert(Running::start(&self.command, directory, &self.setup)?.0)
            }
        };
        running
            .exchange(request)
            .inspect_err(|_| self.running = None)
    }
}

impl Running {
    /// The helper, and what its confinement lacks.
    fn start(
        command: &[OsString],
        directory: Option<&Path>,
        setup: &Setup,
    ) -> Result<(Self, Option<String>), Error> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(Error("no helper for external calls".into()));
        };
        let mut helper = Command::new(program);
        if let Some(directory) = directory {
            helper.current_dir(directory);
        }
        let mut child = helper
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
        match running.exchange(setup)? {
            Started::Failed(why) => Err(Error(why)),
            Started::Ready(lacking) => Ok((running, lacking)),
        }
    }

    fn exchange<T: DeserializeOwned>(&mut self, message: &impl Serialize) -> Result<T, Error> {
        // A helper that has ended gives no reply either, and how it ended says more.
        if let Err(error) = send(&mut self.to, message)
            && error.kind() == io::ErrorKind::InvalidData
        {
            return Err(error.into());
        }
        match receive(&mut self.from) {
            Ok(Some(reply)) => Ok(reply),
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error.into()),
            _ => Err(self.gone()),
        }
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
            Some((Some(signal), _)) if signal == Signal::KILL.as_raw() => {
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
