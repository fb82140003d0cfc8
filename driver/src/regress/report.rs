//! What has become of a change.

use super::behaviour::{Behaviour, FaultEnd, input_text};
use super::comparison::{Comparison, seed};
use super::earlier::count;
use crate::explorer::Replayer;
use crate::suite::{Container, SavedTest};
use crate::trie::Trie;
use crate::{Error, Outcome};
use plat_engine::InputObject;
use plat_engine::outcome::test_identity;
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
    /// Tests that were executed on both versions.
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
    /// Ended paths that the new version has as well: they were not explored again.
    pub taken_over: u64,
    /// The others.
    pub affected: Affected,
    /// Paths that were explored in the new version.
    pub explored: u64,
    /// Paths of it that are open.
    pub open: u64,
}

/// Why ended paths were not taken over.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Affected {
    /// They execute code that has changed.
    pub by_changes: u64,
    /// They have no test to execute.
    pub without_test: u64,
    /// Their tests do not do on the old version what the paths did.
    pub not_reproduced: u64,
    /// The new version does something else on code that has not changed (it depends on addresses, for
    /// example).
    pub otherwise: u64,
}

impl Affected {
    /// All of them.
    pub fn all(&self) -> u64 {
        self.by_changes + self.without_test + self.not_reproduced + self.otherwise
    }
}

/// Tests that were executed on both versions.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Tested {
    /// How many.
    pub executed: u64,
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
    /// The report, when the run of the new version that went on with the comparison is over. Its new
    /// tests are executed on both versions.
    ///
    /// # Errors
    /// When its directory cannot be read, or a test not be executed.
    pub fn report(mut self, directory: &Path, outcome: &Outcome) -> Result<Report, Error> {
        let tests = match Container::is_in(directory) {
            true => Container::open(directory)?.tests().collect(),
            false => Ok(Vec::new()),
        };
        let mut tests: Vec<SavedTest> = tests?;
        tests.retain(|test| !self.inputs.contains(&test_identity(&test.inputs, false)));
        let behaviours = |on: &Replayer| {
            let seeds = tests.iter().map(|test| seed(&test.inputs)).collect();
            let mut behaviours = Vec::new();
            on.run(seeds, self.longest, |_, executed| {
                let path = executed.and_then(|executed| executed.path);
                behaviours.push(Behaviour::of(path.as_ref()));
            })?;
            Ok::<_, Error>(behaviours)
        };
        let (old, new) = (behaviours(&self.old)?, behaviours(&self.new)?);
        for (test, (old, new)) in tests.iter().zip(old.iter().zip(&new)) {
            self.compare(Version::New, test, old, new);
        }
        let (ended, open) = count(&Trie::read(directory)?);
        let (old, old_open) = self.earlier.paths();
        let taken_over = self.taken.len() as u64;
        Ok(Report {
            finished: outcome.is_complete(),
            paths: Paths {
                old,
                old_open,
                taken_over,
                affected: self.affected,
                explored: ended.saturating_sub(taken_over),
                open,
            },
            new_faults: new_faults(&self.executions.differences),
            changed: self.matched.changed,
            added: self.matched.added,
            tests: self.executions,
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
            "tests executed on both versions: {}, different: {}",
            self.tests.executed,
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
        let Affected {
            by_changes,
            without_test,
            not_reproduced,
            otherwise,
        } = self.affected;
        let why = [
            (by_changes, "execute changed code"),
            (without_test, "have no test"),
            (not_reproduced, "not reproduced"),
            (otherwise, "go another way"),
        ];
        let why = why.iter().filter(|(count, _)| *count > 0);
        let why: Vec<String> = why.map(|(count, why)| format!("{count} {why}")).collect();
        let why = match why.is_empty() {
            true => String::new(),
            false => format!(" ({})", why.join(", ")),
        };
        let open = match self.old_open {
            0 => String::new(),
            open => format!(" and {open} open ones"),
        };
        let all = self.taken_over + self.explored;
        let share = 100.0 * self.explored as f64 / all.max(1) as f64;
        let mut text = format!(
            "paths of the old run: {}{open}; taken over: {}, affected: {}{why}\n\
             paths of the new version: {all}; explored: {} ({share:.1} %)",
            self.old,
            self.taken_over,
            self.affected.all(),
            self.explored
        );
        if self.open > 0 {
            let _ = write!(text, ", open: {}", self.open);
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
