//! What a run's directory and messages are called: plat's names, or those that scripts written for
//! KLEE look for.

use crate::demangle;
use std::borrow::Cow;

/// The names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Names {
    /// Before every message.
    pub voice: &'static str,
    /// Run directories are this, a hyphen and a number.
    pub directory: &'static str,
    /// The link to the last one.
    pub last: &'static str,
}

impl Names {
    /// plat's own.
    pub const PLAT: Names = Names {
        voice: "plat",
        directory: "plat-out",
        last: "plat-last",
    };

    /// KLEE's.
    pub const KLEE: Names = Names {
        voice: "KLEE",
        directory: "klee-out",
        last: "klee-last",
    };

    /// A text as it is shown: with names of C++ and Rust as their sources have them, but under KLEE's
    /// names, where scripts read it.
    pub fn shown(self, text: &str) -> Cow<'_, str> {
        match self == Names::KLEE {
            true => Cow::Borrowed(text),
            false => demangle::text(text),
        }
    }

    /// One or the other.
    pub const fn of(klee: bool) -> Self {
        if klee { Names::KLEE } else { Names::PLAT }
    }
}

impl Default for Names {
    fn default() -> Self {
        Names::PLAT
    }
}
