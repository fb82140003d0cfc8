//! Fault deduplication: one test for each message at each place.
//!
//! Of the paths that meet an error, the one with the fewest instructions stands for it, among
//! equals the one with the least input. So the tests of errors do not depend on which path came
//! first; a test that has been written may be replaced. A path that was the first to cover something
//! keeps a test of its own, without a report, when another one stands for its error.

use crate::api::outcome::{FaultKind, InputObject, KnownFault, PathEnd, TestRecord};
use plat_program::InstId;
use rustc_hash::FxHashMap;

/// What makes two errors the same: the instruction to blame, the kind, the message.
pub type ErrorKey = (Option<InstId>, String, String);

/// The path that stands for an error.
#[derive(Debug)]
struct Best {
    instructions: u64,
    /// Its input, if it has a test.
    inputs: Option<Vec<InputObject>>,
    /// Its record, if it was the first to cover something.
    covering: Option<Box<TestRecord>>,
}

impl Best {
    fn of(record: &TestRecord) -> Self {
        let covering = record.wanted && record.covered_new;
        Best {
            instructions: record.instructions,
            inputs: record.wanted.then(|| record.inputs.clone()),
            covering: covering.then(|| Box::new(record.clone())),
        }
    }
}

/// Whether an error was seen before.
#[derive(Clone, Debug)]
pub enum Seen {
    /// It was not.
    First,
    /// The path is a better one than that of its test. The other one's record, if that was the first
    /// to cover something and needs a test still.
    Better(Option<Box<TestRecord>>),
    /// It has its test.
    Before,
}

/// The errors that have a test, and which path stands for each.
#[derive(Default, Debug)]
pub struct FaultDeduplication(FxHashMap<ErrorKey, Best>);

/// The error that a path has ended in, if it has.
pub fn key(end: &PathEnd, blamed: Option<InstId>) -> Option<ErrorKey> {
    let suffix = match end {
        PathEnd::Fault(fault) => fault.kind.suffix(),
        PathEnd::Unsupported(_) | PathEnd::Internal(_) => "engine",
        _ => return None,
    };
    let message = match end {
        // The text of a panic may show values of the input.
        PathEnd::Fault(fault) if fault.kind == FaultKind::Panic => {
            let named = fault.named.as_ref();
            named.map_or_else(String::new, |named| {
                format!("{}:{}", named.file, named.line)
            })
        }
        _ => end.message().to_string(),
    };
    Some((blamed, suffix.to_string(), message))
}

impl FaultDeduplication {
    /// With the errors of an earlier run.
    pub fn with(known: &[KnownFault]) -> Self {
        let known = known.iter().map(|fault| {
            let best = Best {
                instructions: fault.instructions,
                inputs: Some(fault.inputs.clone()),
                covering: None,
            };
            (fault.key.clone(), best)
        });
        FaultDeduplication(known.collect())
    }

    /// Whether a path of so many instructions may get a test, before its input is known.
    pub fn expects(&self, key: &ErrorKey, instructions: u64) -> bool {
        let known = self.0.get(key);
        known.is_none_or(|known| known.inputs.is_none() || instructions <= known.instructions)
    }

    /// Whether an error has been met.
    pub fn knows(&self, key: &ErrorKey) -> bool {
        self.0.contains_key(key)
    }

    /// Notes the error of a path.
    pub fn add(&mut self, key: ErrorKey, record: &TestRecord) -> Seen {
        let Some(known) = self.0.get_mut(&key) else {
            self.0.insert(key, Best::of(record));
            return Seen::First;
        };
        let seen = match &known.inputs {
            _ if !record.wanted => return Seen::Before,
            None => Seen::First,
            Some(old) if (record.instructions, &record.inputs) < (known.instructions, old) => {
                Seen::Better(known.covering.take())
            }
            Some(_) => return Seen::Before,
        };
        *known = Best::of(record);
        seen
    }
}
