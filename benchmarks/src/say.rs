//! What the benchmarks print. A reader that has seen enough (`| head`) ends the command quietly.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};
use std::process::exit;

/// Prints to standard output as `println!` does; ends the process if that cannot be done.
macro_rules! sayln {
    ($($part:tt)*) => { $crate::say::line(format_args!($($part)*)) };
}

pub(crate) use sayln;

pub(crate) fn line(text: Arguments<'_>) {
    let mut out = io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.write_all(b"\n")) {
        Ok(()) => {}
        Err(why) if why.kind() == ErrorKind::BrokenPipe => exit(0),
        Err(why) => {
            eprintln!("plat-bench: standard output: {why}");
            exit(2)
        }
    }
}
