//! What has become of a change.

use super::behaviour::{Behaviour, FaultEnd, input_text};
use super::comparison::Comparison;
use super::earlier::count;
use crate::trie::Trie;
use crate::{Error, Outcome};
use plat_engine::InputObject;
use serde::{Serialize, Serializer};
use std::fmt::Write as _;
use std::path::Path;

/// How many differences, and how many names, the text shows.
const SHOWN: usize = 10;

/// What has become of a change: the object that `plat regress --json` prints.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Whether all paths of the new version were explored.
    pub finished: bool,
    /// Functions of the old version in which something has changed, and those that are gone.
    pub changed: Vec<String>,
    /// Functions that only the new version has.
    pub added: Vec<String>,
    /// Paths.
    pub paths: Paths,
    /// The tests of both runs, and what both versions do with them.
    pub tests: Tested,
    /// Faults of the new version on inputs on which the old one has none or another.
    pub new_faults: Vec<NewFault>,
}

/// Paths of both runs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Paths {
    /// Ended paths of the old run.
    pub old: u64,
    /// Paths that were open when it ended.
    pub old_open: u64,
    /// Ended paths that the new version has as well: nothing was asked about them again.
    pub taken_over: u64,
    /// The others: they execute code that has changed.
    pub affected: u64,
    /// How many times the new version has gone another way without a change: it depends on addresses, for
    /// example. What is behind was explored again.
    pub divergences: u64,
    /// Paths that were explored in the new version.
    pub explored: u64,
    /// Paths of it that are open.
    pub open: u64,
}

/// Tests, and what both versions do with them.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Tested {
    /// How many were compared: those of taken paths do the same.
    pub compared: u64,
    /// Those of them that fit the input of neither version.
    pub unfit: u64,
    /// Those on which the versions differ.
    pub differences: Vec<Difference>,
}

/// Which run a test is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Version {
    /// That of the old version.
    Old,
    /// That of the new one.
    New,
}

/// A test on which the versions differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// The run that it is of,
    pub of: Version,
    /// and its number in that.
    pub test: u32,
    /// Its input.
    #[serde(serialize_with = "texts")]
    pub inputs: Vec<InputObject>,
    /// What the old version does.
    pub old: Behaviour,
    /// What the new version does.
    pub new: Behaviour,
}

/// A fault of the new version that the old one does not have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NewFault {
    /// The fault.
    pub fault: FaultEnd,
    /// The run that a test for it is of,
    pub of: Version,
    /// and the number of the test in that.
    pub test: u32,
}

fn texts<S: Serializer>(inputs: &[InputObject], to: S) -> Result<S::Ok, S::Error> {
    let objects = inputs.iter();
    to.collect_seq(objects.map(|object| (&object.name, object.bytes.escape_ascii().to_string())))
}

impl Comparison {
    /// The report, when the run of the new version that went on with the comparison is over.
    ///
    /// # Errors
    /// When its directory cannot be read, or a test not be executed.
    pub fn report(self, directory: &Path, outcome: &Outcome) -> Result<Report, Error> {
        let tests = self.outcomes(directory)?;
        let (ended, open) = count(&Trie::read(directory)?);
        let (old, old_open) = self.earlier.paths();
        let taken_over = self.observed.noted().taken.len() as u64;
        let divergences = outcome.summary.counts.trie.divergences.values().sum();
        Ok(Report {
            finished: outcome.is_complete(),
            paths: Paths {
                old,
                old_open,
                taken_over,
                affected: old.saturating_sub(taken_over),
                divergences,
                explored: ended.saturating_sub(taken_over),
                open,
            },
            new_faults: new_faults(&tests.differences),
            changed: self.matched.changed,
            added: self.matched.added,
            tests,
        })
    }
}

/// The faults of the new version that the old one does not have, each once.
fn new_faults(differences: &[Difference]) -> Vec<NewFault> {
    let mut faults: Vec<NewFault> = Vec::new();
    for difference in differences {
        let Some(fault) = difference.new.fault() else {
            continue;
        };
        let known = faults.iter();
        let mut known = known.filter(|known| known.fault == *fault);
        let is_known = known.any(|known| known.fault.place == fault.place);
        if difference.old.fault() != Some(fault) && !is_known {
            faults.push(NewFault {
                fault: fault.clone(),
                of: difference.of,
                test: difference.test,
            });
        }
    }
    faults
}

impl Report {
    /// Whether the versions differ on some test.
    pub fn differs(&self) -> bool {
        !self.tests.differences.is_empty()
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// As lines.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let _ = writeln!(text, "changed functions: {}", names(&self.changed));
        if !self.added.is_empty() {
            let _ = writeln!(text, "added functions: {}", names(&self.added));
        }
        text += &self.paths.to_text();
        let _ = writeln!(
            text,
            "tests compared: {}, different: {}",
            self.tests.compared,
            self.tests.differences.len()
        );
        for difference in self.tests.differences.iter().take(SHOWN) {
            text += &difference.to_text();
        }
        let more = self.tests.differences.len().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(text, "... and {more} more (--json has all)");
        }
        for NewFault { fault, of, test } in &self.new_faults {
            let (kind, message, place) = (&fault.kind, &fault.message, &fault.place);
            let of = of.name();
            let _ = writeln!(
                text,
                "new fault {kind}: {message} at {place} ({of} test {test})"
            );
        }
        if !self.finished {
            text += "not finished: a limit has ended the run before all paths were explored\n";
        }
        text
    }
}

impl Paths {
    fn to_text(self) -> String {
        let open = match self.old_open {
            0 => String::new(),
            open => format!(" and {open} open ones"),
        };
        let all = self.taken_over + self.explored;
        let share = 100.0 * self.explored as f64 / all.max(1) as f64;
        let mut text = format!(
            "paths of the old run: {}{open}; taken over: {}, affected: {}\n\
             paths of the new version: {all}; explored: {} ({share:.1} %)",
            self.old, self.taken_over, self.affected, self.explored
        );
        if self.open > 0 {
            let _ = write!(text, ", open: {}", self.open);
        }
        if self.divergences > 0 {
            let _ = write!(text, "; another way without a change: {}", self.divergences);
        }
        text + "\n"
    }
}

impl Difference {
    fn to_text(&self) -> String {
        format!(
            "{} test {}: {}\n  old: {}\n  new: {}\n",
            self.of.name(),
            self.test,
            input_text(&self.inputs),
            self.old,
            self.new
        )
    }
}

impl Version {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            Version::Old => "old",
            Version::New => "new",
        }
    }
}

/// The first names of a list.
fn names(names: &[String]) -> String {
    let shown = names.iter().take(SHOWN).map(String::as_str);
    let shown: Vec<&str> = shown.collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > SHOWN => format!("{}, ... ({count})", shown.join(", ")),
        _ => shown.join(", "),
    }
}
