//! A helper: a process that works for this one, by a command of its own, and the pipes to it.
//!
//! It is one that was made before ([`crate::stand_by`]), if there is one of the same executable, as a
//! new process spends more time in the dynamic linker, on LLVM and Z3, than most requests take.

use crate::standby;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus, Stdio};

/// What a helper has as its error stream.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Errors {
    /// Nothing is heard.
    Nowhere,
    /// This process's standard output, for results that go there.
    Output,
}

/// A helper. It ends with this, at once: no answer is needed any more.
#[derive(Debug)]
pub struct Helper {
    /// Its standard input.
    pub to: PipeWriter,
    /// Its standard output.
    pub from: PipeReader,
    process: Pid,
    ended: Option<ExitStatus>,
    /// The process that started it. Forks of that inherit the pipes but must not use them.
    owner: u32,
}

impl Helper {
    /// Starts a command, in a process group of its own: an interrupt from the terminal is for this
    /// process alone.
    ///
    /// # Errors
    /// When there is no command, or the system refuses.
    pub fn start(command: &[OsString], errors: Errors) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(ErrorKind::NotFound)?;
        if let Some(waiting) = standby::take(program, arguments, errors) {
            return Ok(waiting);
        }
        let errors = match errors {
            Errors::Nowhere => Stdio::null(),
            Errors::Output => io::stdout().into(),
        };
        let mut child = Command::new(program)
            .arg0("plat")
            .args(arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()?;
        let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        match (child.stdin.take(), child.stdout.take(), process) {
            (Some(to), Some(from), Some(process)) => {
                let (to, from) = (OwnedFd::from(to).into(), OwnedFd::from(from).into());
                Ok(Helper::of(process, to, from))
            }
            _ => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    pub(crate) fn of(process: Pid, to: PipeWriter, from: PipeReader) -> Self {
        Helper {
            to,
            from,
            process,
            ended: None,
            owner: std::process::id(),
        }
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.process.as_raw_pid().cast_unsigned()
    }

    /// Whether this process has started it.
    pub fn is_own(&self) -> bool {
        self.owner == std::process::id()
    }

    /// How it has ended, if it has.
    ///
    /// # Errors
    /// When the system does not know it.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.wait(WaitOptions::NOHANG)
    }

    fn wait(&mut self, how: WaitOptions) -> io::Result<Option<ExitStatus>> {
        if self.ended.is_none() {
            let status = waitpid(Some(self.process), how)?;
            self.ended = status.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
        }
        Ok(self.ended)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // Its number is its own until it is waited for.
        if self.is_own() && self.ended.is_none() {
            let _ = kill_process(self.process, Signal::KILL);
            while let Err(why) = self.wait(WaitOptions::empty())
                && why.kind() == ErrorKind::Interrupted
            {}
        }
    }
}
