//! What the command says: the one place that writes to standard output and standard error.
//!
//! Either may be closed, full, or a pipe whose reader has gone; none of that is a panic.
//! Messages that cannot be written are dropped: there is nobody to tell, and the run goes on. What
//! a command was asked to print is another matter: a reader that has seen enough (`| head`) ends
//! the command quietly, and a full disk ends it with an error. A run prints its results last, when
//! all of its files are written, by [`print`].

use plat::Error;
use std::fmt::Arguments;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::Path;
use std::process::exit;
use std::sync::OnceLock;

/// Prints to standard output as `print!` does; ends the process if that cannot be done.
macro_rules! say {
    ($($part:tt)*) => { $crate::say::print_or_exit(format_args!($($part)*)) };
}

/// Prints to standard output as `println!` does; ends the process if that cannot be done.
macro_rules! sayln {
    ($($part:tt)*) => {{
        $crate::say::print_or_exit(format_args!($($part)*));
        $crate::say::print_or_exit(format_args!("\n"));
    }};
}

/// Prints a line to standard error, if that can be done.
macro_rules! note {
    ($($part:tt)*) => { $crate::say::line(format_args!($($part)*)) };
}

pub(crate) use {note, say, sayln};

/// Prints to standard output.
///
/// # Errors
/// When that cannot be done, unless it is because nobody reads any more.
pub(crate) fn print(text: Arguments<'_>) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    reported(out.write_fmt(text).and_then(|()| out.flush()))
}

/// Writes to standard output what the program under test has written there. That it cannot be
/// written is no reason to stop exploring; [`finish`] says so in the end.
pub(crate) fn pass_on(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if let Err(failure) = reported(out.write_all(bytes).and_then(|()| out.flush())) {
        let _ = LOST.set(failure);
    }
}

/// Why output of the program under test was lost.
static LOST: OnceLock<Error> = OnceLock::new();

/// The same for standard error.
pub(crate) fn pass_on_error(bytes: &[u8]) {
    let _ = io::stderr().lock().write_all(bytes);
}

/// Prints a line to standard error, in one piece, if that can be done.
pub(crate) fn line(text: Arguments<'_>) {
    let line = format!("{text}\n");
    let _ = io::stderr().lock().write_all(line.as_bytes());
}

/// Refuses a terminal as the place for bitcode.
///
/// # Errors
/// When `path` is standard output, and that is a terminal.
pub(crate) fn check_binary(path: &Path) -> Result<(), Error> {
    let standard = path.as_os_str() == plat_transform::STANDARD_OUTPUT;
    match standard && output_is_terminal() {
        true => Err(Error::input(
            "bitcode is not written to a terminal; redirect standard output, or name a file",
        )),
        false => Ok(()),
    }
}

/// Whether somebody looks at standard output.
pub(crate) fn output_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether somebody looks at standard error.
pub(crate) fn errors_are_on_terminal() -> bool {
    io::stderr().is_terminal()
}

pub(crate) fn print_or_exit(text: Arguments<'_>) {
    let written = io::stdout().write_fmt(text);
    let gone = matches!(&written, Err(why) if why.kind() == ErrorKind::BrokenPipe);
    match reported(written) {
        Ok(()) if gone => exit(0),
        Ok(()) => {}
        Err(failure) => {
            note!("plat: {failure}");
            exit(crate::exit::code(&failure).into())
        }
    }
}

/// Writes what waits in the buffer of standard output.
///
/// # Errors
/// As [`print`], and when output of the program under test was lost.
pub(crate) fn finish() -> Result<(), Error> {
    LOST.get().map_or(Ok(()), |why| Err(why.clone()))?;
    reported(io::stdout().flush())
}

fn reported(written: io::Result<()>) -> Result<(), Error> {
    match written {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(Error::input(format!("standard output: {why}")))
        }
        _ => Ok(()),
    }
}
