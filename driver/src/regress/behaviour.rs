//! What a program does with an input, as far as its user can see it.

use crate::output::tests_jsonl::End;
use crate::suite::SavedTest;
use plat_engine::{InputObject, PathEnd, TestRecord};
use serde::{Serialize, Serializer};
use std::fmt;

/// What a program does with an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Behaviour {
    /// How it ends.
    pub end: Ending,
    /// What it writes to standard output, as far as it is kept,
    #[serde(serialize_with = "escaped")]
    pub stdout: Vec<u8>,
    /// and how many bytes more.
    pub stdout_cut: u64,
    /// What it writes to standard error.
    #[serde(serialize_with = "escaped")]
    pub stderr: Vec<u8>,
}

/// How an execution ends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// With this exit code.
    Exit(i32),
    /// By a fault.
    Fault(FaultEnd),
    /// Something is not supported.
    Unsupported(String),
    /// It has not ended within this limit.
    Limit(&'static str),
    /// The program asked for no report.
    Silent,
    /// The test does not fit the program's input, or leaves some of it open.
    Unfit,
}

/// A fault. Where it is does not tell two of them apart: code moves.
#[derive(Clone, Eq, Debug, Serialize)]
pub struct FaultEnd {
    /// The suffix of its `.err` file.
    pub kind: String,
    /// One line.
    pub message: String,
    /// File and line, or the function without debug information.
    pub place: String,
}

impl PartialEq for FaultEnd {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.message) == (&other.kind, &other.message)
    }
}

impl Behaviour {
    /// That of a path; of none if the test does not fit.
    pub fn of(path: Option<&TestRecord>) -> Self {
        let Some(path) = path else {
            return Behaviour {
                end: Ending::Unfit,
                stdout: Vec::new(),
                stdout_cut: 0,
                stderr: Vec::new(),
            };
        };
        Behaviour {
            end: Ending::of(path),
            stdout: path.stdout.clone(),
            stdout_cut: path.stdout_cut,
            stderr: path.stderr.clone(),
        }
    }

    /// What the path of a test has done; nothing if a limit has cut it off.
    pub fn shown(test: &SavedTest) -> Option<Self> {
        let end = match (test.end, test.exit_code, &test.fault) {
            (End::Returned | End::Exited, Some(code), _) => Ending::Exit(i32::from(code)),
            (End::Fault, _, Some(fault)) => Ending::Fault(FaultEnd {
                kind: fault.kind.clone(),
                message: fault.message.clone(),
                place: match fault.line {
                    0 => "an unknown place".to_owned(),
                    line => format!("{}:{line}", fault.file),
                },
            }),
            (End::Unsupported, _, Some(fault)) => Ending::Unsupported(fault.message.clone()),
            _ => return None,
        };
        Some(Behaviour {
            end,
            stdout: test.stdout.clone(),
            stdout_cut: test.stdout_cut,
            stderr: test.stderr.clone(),
        })
    }

    /// The fault, if it ends in one.
    pub fn fault(&self) -> Option<&FaultEnd> {
        match &self.end {
            Ending::Fault(fault) => Some(fault),
            _ => None,
        }
    }
}

impl Ending {
    fn of(path: &TestRecord) -> Self {
        match &path.end {
            PathEnd::Returned(code) | PathEnd::Exited(code) => Ending::Exit(code & 0xff),
            PathEnd::Fault(fault) => Ending::Fault(FaultEnd {
                kind: fault.kind.suffix().to_owned(),
                message: fault.message.clone(),
                place: place(path),
            }),
            PathEnd::Unsupported(what) | PathEnd::Internal(what) => {
                Ending::Unsupported(what.clone())
            }
            PathEnd::Limit(plat_engine::Limit::Seeds, _) => Ending::Unfit,
            PathEnd::Limit(limit, _) => Ending::Limit(limit.name()),
            PathEnd::Silent | PathEnd::Merged => Ending::Silent,
        }
    }
}

/// Where a path has ended, for people.
fn place(path: &TestRecord) -> String {
    match (path.source.line, path.stack.first()) {
        (0, Some(frame)) => frame.function.clone(),
        (0, None) => "an unknown place".to_owned(),
        (line, _) => format!("{}:{line}", path.source.file),
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Exit(code) => write!(out, "exit code {code}"),
            Ending::Fault(fault) => write!(
                out,
                "fault {}: {} at {}",
                fault.kind, fault.message, fault.place
            ),
            Ending::Unsupported(what) => write!(out, "unsupported: {what}"),
            Ending::Limit(limit) => write!(out, "has not ended (limit: {limit})"),
            Ending::Silent => write!(out, "ends without a report"),
            Ending::Unfit => write!(out, "the input does not fit"),
        }
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.end)?;
        let outputs = [("stdout", &self.stdout), ("stderr", &self.stderr)];
        for (name, bytes) in outputs.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            write!(out, "; {name} {}", shown(bytes))?;
        }
        Ok(())
    }
}

/// Bytes in quotes, cut off where they are many.
fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 80;
    match bytes.get(..MOST) {
        Some(first) => format!("\"{}\"... ({} bytes)", first.escape_ascii(), bytes.len()),
        None => format!("\"{}\"", bytes.escape_ascii()),
    }
}

/// An input as one line, without what the system says of files.
pub fn input_text(inputs: &[InputObject]) -> String {
    let of_system = |name: &str| name.ends_with("_stat") || name == "model_version";
    let objects = inputs.iter().filter(|object| !of_system(&object.name));
    let objects = objects.map(|object| format!("{} = {}", object.name, shown(&object.bytes)));
    objects.collect::<Vec<_>>().join(", ")
}

pub fn escaped<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&bytes.escape_ascii())
}
