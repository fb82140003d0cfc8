//! Which errors have been reported: one test for each message at each place.
//!
//! Of the paths that meet an error, the one with the fewest instructions stands for it, among
//! equals the one with the least input. So the tests of a run do not depend on which path came
//! first; a test that has been written may be replaced.

use crate::outcome::{InputObject, PathEnd, TestRecord};
use plat_program::InstId;
use rustc_hash::FxHashMap;

/// What makes two errors the same: the instruction to blame, the kind, the message.
pub type ErrorKey = (Option<InstId>, String, String);

/// The path that stands for an error: its instructions and its input, if it has a test.
type Rank = (u64, Option<Vec<InputObject>>);

/// What an error is to those who have heard of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum News {
    /// Nobody has heard of it.
    First,
    /// The path is a better one than that of its test.
    Better,
    /// It has its test.
    Old,
}

/// The errors that have been reported.
#[derive(Default, Debug)]
pub struct Reported(FxHashMap<ErrorKey, Rank>);

/// The error that a path has ended in, if it has.
pub fn key(end: &PathEnd, blamed: Option<InstId>) -> Option<ErrorKey> {
    let suffix = match end {
        PathEnd::Fault(fault) => fault.kind.suffix(),
        PathEnd::Unsupported(_) => "exec",
        _ => return None,
    };
    Some((blamed, suffix.to_string(), end.message().to_string()))
}

impl Reported {
    /// Whether a path of so many instructions may be news, before its input is known.
    pub fn expects(&self, key: &ErrorKey, instructions: u64) -> bool {
        let known = self.0.get(key);
        known.is_none_or(|known| known.1.is_none() || instructions <= known.0)
    }

    /// Whether an error has been met.
    pub fn knows(&self, key: &ErrorKey) -> bool {
        self.0.contains_key(key)
    }

    /// Notes the error of a path.
    pub fn hear(&mut self, key: ErrorKey, record: &TestRecord) -> News {
        let rank = |inputs: Option<Vec<InputObject>>| (record.instructions, inputs);
        let inputs = record.wanted.then(|| record.inputs.clone());
        let Some(known) = self.0.get_mut(&key) else {
            self.0.insert(key, rank(inputs));
            return News::First;
        };
        let better = match (&known.1, &inputs) {
            (None, Some(_)) => News::First,
            (Some(old), Some(new)) if (record.instructions, new) < (known.0, old) => News::Better,
            _ => return News::Old,
        };
        *known = rank(inputs);
        better
    }
}
