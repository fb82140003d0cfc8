//! The command's own standard input: handed to the program under test as concrete bytes, or the program
//! itself.
//!
//! A file or a pipe is read to its end before the run. A terminal is not: a path cannot wait for
//! someone to type. A pipe that stays silent (a script's own input, left open) is given up after a
//! second, so that it does not hang a run of a program that never reads.

use plat::Error;
use plat::input::Kind;
use std::fs::File;
use std::io::{IsTerminal as _, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;
use std::sync::mpsc;
use std::time::Duration;

/// How long a pipe may stay silent.
const PATIENCE: Duration = Duration::from_secs(1);

/// What stands for a program that comes from standard input.
pub const PROGRAM: &str = "-";

/// The program on standard input.
///
/// # Errors
/// When it cannot be one, or somebody would have to type it.
pub fn program() -> Result<Vec<u8>, Error> {
    let wrong = |why: &dyn std::fmt::Display| Error::input(format!("standard input: {why}"));
    if std::io::stdin().is_terminal() {
        let why = "is a terminal; name a file of bitcode, or redirect standard input from one";
        return Err(wrong(&why));
    }
    let most = Kind::Bitcode.most();
    let mut bytes = Vec::new();
    let read = (std::io::stdin().lock().take(most + 1)).read_to_end(&mut bytes);
    read.map_err(|why| wrong(&why))?;
    match bytes.len() as u64 > most {
        true => Err(wrong(&format!(
            "more than {} GiB are no bitcode",
            most >> 30
        ))),
        false => Ok(bytes),
    }
}

/// Everything on standard input, if it is a file or a pipe.
///
/// # Errors
/// When it is more than a run can have.
pub fn redirected() -> Result<Option<Vec<u8>>, Error> {
    match bytes() {
        Some(bytes) if bytes.len() as u64 > Kind::StandardInput.most() => {
            let most = Kind::StandardInput.most() >> 20;
            let why = format!("standard input has more than {most} MiB; </dev/null is none");
            Err(Error::input(why))
        }
        bytes => Ok(bytes),
    }
}

fn bytes() -> Option<Vec<u8>> {
    let most = Kind::StandardInput.most() + 1;
    let own = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
    let mut input = File::from(own);
    let kind = input.metadata().ok()?.file_type();
    let mut bytes = Vec::new();
    if kind.is_file() {
        input.take(most).read_to_end(&mut bytes).ok()?;
        return Some(bytes);
    }
    if !kind.is_fifo() {
        return None;
    }
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut first = [0u8; 1];
        let count = input.read(&mut first).unwrap_or(0);
        let mut rest = Vec::new();
        // The receiver is told at once that something comes, then gets all of it.
        if send.send(first[..count].to_vec()).is_ok() && count > 0 {
            let _ = input.take(most).read_to_end(&mut rest);
            let _ = send.send(rest);
        }
    });
    bytes = receive.recv_timeout(PATIENCE).ok()?;
    if !bytes.is_empty() {
        bytes.extend(receive.recv().ok()?);
    }
    Some(bytes)
}
