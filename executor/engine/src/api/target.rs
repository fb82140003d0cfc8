//! Places of the program that a run is to reach.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A place that a run is to reach.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Target {
    /// The first instruction of a function, by symbol.
    Function(String),
    /// An instruction of a line: the source file, by its name or as many of the folders above as tell
    /// it from others, and the line.
    Line(String, u32),
    /// Any code that the new version of a program has and the old one has not
    /// ([`TrieConfig::changed`](crate::config::TrieConfig::changed)).
    Changed,
}

impl Target {
    /// What a text names: `FILE:LINE`, or a function.
    pub fn named(text: &str) -> Self {
        let line = text.rsplit_once(':');
        let line = line.and_then(|(file, line)| Some((file, line.parse::<u32>().ok()?)));
        match line {
            Some((file, line)) if !file.is_empty() => Target::Line(file.to_string(), line),
            _ => Target::Function(text.to_string()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Function(name) => write!(out, "{name}"),
            Target::Line(file, line) => write!(out, "{file}:{line}"),
            Target::Changed => write!(out, "changed code"),
        }
    }
}

/// A target was executed for the first time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reached<'a> {
    /// Which.
    pub target: &'a Target,
    /// By which state; none if an earlier run has reached it, with which this one goes on.
    pub state: Option<crate::StateId>,
    /// Instructions over all paths so far.
    pub instructions: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_behind_a_colon_is_a_line() {
        assert_eq!(
            Target::named("src/a.c:12"),
            Target::Line("src/a.c".into(), 12)
        );
        assert_eq!(Target::named("main"), Target::Function("main".into()));
        assert_eq!(Target::named("f::g"), Target::Function("f::g".into()));
        assert_eq!(Target::named(":3"), Target::Function(":3".into()));
        assert_eq!(Target::named("a.c:12").to_string(), "a.c:12");
    }
}
