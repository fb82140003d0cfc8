//! Processes that were made before anything else, and wait to become helpers.
//!
//! An executable with LLVM and Z3 takes 50 ms to load, most of them relocating what it will not use.
//! A fork has everything loaded. It is made while the process has one thread and little memory.

use crate::helper::{Errors, Helper};
use crate::{Divided, fork, receive, send};
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal, setpgid};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader};
use std::sync::{Mutex, PoisonError};

/// Those that wait, in the order in which they were made.
static WAITING: Mutex<VecDeque<Waiting>> = Mutex::new(VecDeque::new());

struct Waiting {
    program: OsString,
    helper: Helper,
}

/// What one is to become.
#[derive(Serialize, Deserialize, Debug)]
struct Call {
    arguments: Vec<OsString>,
    errors: Errors,
}

/// In which process [`stand_by`] has returned.
#[derive(PartialEq, Eq, Debug)]
pub enum Role {
    /// In the caller's.
    Caller,
    /// In a helper: what it is to do, as arguments of the executable. Its standard streams are those
    /// of a process that was started so.
    Helper(Vec<OsString>),
    /// In one that was not needed.
    Dismissed,
}

/// Makes processes that wait to be a helper of the executable `program`. Returns in them too, when
/// they are called. The process may not have other threads yet. If the system refuses, there are fewer.
pub fn stand_by(program: &OsStr, count: usize) -> Role {
    for _ in 0..count {
        match divide(program) {
            Ok(None) => {}
            Ok(Some(role)) => return role,
            // Who cannot be made now is started when it is needed.
            Err(_) => break,
        }
    }
    Role::Caller
}

/// Ends those that were not called.
pub fn dismiss() {
    WAITING
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clear();
}

fn divide(program: &OsStr) -> io::Result<Option<Role>> {
    let (requests, to) = io::pipe()?;
    let (from, replies) = io::pipe()?;
    let parent = rustix::process::getpid();
    Ok(match fork()? {
        Divided::Child => {
            drop((to, from));
            // Only ends of pipes of processes that are not this one's.
            dismiss();
            Some(wait(parent, requests, &replies).unwrap_or(Role::Dismissed))
        }
        Divided::Parent(child) => {
            let process = i32::try_from(child).ok().and_then(Pid::from_raw);
            let helper = Helper::of(process.ok_or(ErrorKind::NotFound)?, to, from);
            let program = program.to_owned();
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.push_back(Waiting { program, helper });
            None
        }
    })
}

/// What a process that was made does until it is called.
fn wait(parent: Pid, mut requests: PipeReader, replies: &io::PipeWriter) -> io::Result<Role> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    setpgid(None, None)?;
    if getppid() != Some(parent) {
        return Ok(Role::Dismissed);
    }
    let Some(call) = receive::<Call>(&mut requests)? else {
        return Ok(Role::Dismissed);
    };
    match call.errors {
        Errors::Output => dup2_stderr(io::stdout())?,
        Errors::Nowhere => dup2_stderr(File::options().write(true).open("/dev/null")?)?,
    }
    dup2_stdin(requests)?;
    dup2_stdout(replies)?;
    Ok(Role::Helper(call.arguments))
}

/// The next process that waits, as a helper that does `arguments`.
pub(crate) fn take(program: &OsStr, arguments: &[OsString], errors: Errors) -> Option<Helper> {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    let at = waiting
        .iter()
        .position(|waiting| waiting.helper.is_own() && waiting.program == program)?;
    let mut helper = waiting.remove(at)?.helper;
    let arguments = arguments.to_vec();
    // One that has been killed is no help.
    send(&mut helper.to, &Call { arguments, errors }).ok()?;
    Some(helper)
}
