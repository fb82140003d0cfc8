//! How the leaf of a trie has ended.

use crate::api::outcome::{Limit, PathEnd};
use serde::{Deserialize, Serialize};

/// The end of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Leaf {
    /// The program's own end.
    Finished,
    /// The program did something wrong.
    Fault,
    /// Something is not supported.
    Unsupported,
    /// An error of plat.
    Internal,
    /// The program asked for no report.
    Silent,
    /// It has become part of another path.
    Merged,
    /// A limit.
    Limit(Limit),
    /// Other work has it ([`crate::Plan`]s of one trie that are explored apart).
    Elsewhere,
}

impl Leaf {
    /// The end of a path.
    pub fn of(end: &PathEnd) -> Self {
        match end {
            PathEnd::Returned(_) | PathEnd::Exited(_) => Leaf::Finished,
            PathEnd::Fault(_) => Leaf::Fault,
            PathEnd::Unsupported(_) => Leaf::Unsupported,
            PathEnd::Internal(_) => Leaf::Internal,
            PathEnd::Silent => Leaf::Silent,
            PathEnd::Merged => Leaf::Merged,
            PathEnd::Limit(limit, _) => Leaf::Limit(*limit),
        }
    }

    /// One word for reports.
    pub fn name(self) -> &'static str {
        match self {
            Leaf::Finished => "finished",
            Leaf::Fault => "fault",
            Leaf::Unsupported => "unsupported",
            Leaf::Internal => "internal",
            Leaf::Silent => "silent",
            Leaf::Merged => "merged",
            Leaf::Limit(limit) => limit.name(),
            Leaf::Elsewhere => "elsewhere",
        }
    }
}
