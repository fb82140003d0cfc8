//! Standard output. A reader that has seen enough (`| head`) ends the command quietly; output that
//! cannot be written ends it with an error.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::process::exit;

/// Prints as `print!` does.
macro_rules! say {
    ($($part:tt)*) => { $crate::say::write(format_args!($($part)*)) };
}

/// Prints as `println!` does.
macro_rules! sayln {
    ($($part:tt)*) => {{
        $crate::say::write(format_args!($($part)*));
        $crate::say::write(format_args!("\n"));
    }};
}

pub(crate) use {say, sayln};

pub(crate) fn write(text: Arguments<'_>) {
    match std::io::stdout().write_fmt(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => exit(0),
        Err(error) => {
            eprintln!("plat: standard output: {error}");
            exit(2)
        }
    }
}
