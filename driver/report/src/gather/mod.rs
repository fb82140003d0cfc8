//! The directories of runs read. What cannot be read is left out and noted: a page of a damaged run has all that
//! is whole.

mod about;
mod assembly;
mod commands;
mod decisions;
mod faults;
mod functions;
mod segments;
mod sources;
mod totals;

use crate::model::{Report, Run};
use crate::tree;
use plat::Error;
use plat::cover;
use plat::output::{profile, samples, summary};
use plat::pipeline::{self, SEGMENTS};
use plat::suite::{self, Container};
use plat::trie::{self, Trie};
use std::path::{Path, PathBuf};

/// What a run's directory has at least one of.
const FILES: [&str; 5] = [
    "summary.json",
    "info",
    samples::FILE,
    suite::FILE,
    trie::FILE,
];

/// The directory of a run that is to be reported on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// The run's name; none if it is to be that of the directory.
    pub name: Option<String>,
    /// The directory.
    pub directory: PathBuf,
}

impl Report {
    /// Reads the directories of runs.
    ///
    /// # Errors
    /// When one of them is not the directory of a run.
    pub fn gather(runs: &[Named]) -> Result<Self, Error> {
        let runs = runs.iter().map(run);
        let runs = runs.collect::<Result<_, _>>()?;
        Ok(Report { runs })
    }
}

/// What a run's files are read into, before they are put together.
#[derive(Default)]
struct Files {
    profile: profile::Profile,
    tests: Option<Container>,
    assembly: assembly::Columns,
    texts: sources::Texts,
}

fn run(named: &Named) -> Result<Run, Error> {
    let directory = &named.directory;
    if !FILES.iter().any(|name| directory.join(name).is_file()) {
        return Err(Error::input(format!(
            "{}: not the directory of a run: it has no {}",
            directory.display(),
            FILES.join(", no ")
        )));
    }
    let mut notes = Notes::default();
    let tests = notes.maybe(directory, suite::FILE, || Container::open(directory));
    if let Some(damage) = tests.as_ref().and_then(Container::damage) {
        notes.0.push(damage);
    }
    let files = Files {
        profile: notes
            .maybe(directory, profile::FILE, || profile::read(directory))
            .unwrap_or_default(),
        assembly: assembly::Columns::of(directory),
        texts: sources::Texts::default(),
        tests,
    };
    let summary = notes.maybe(directory, "summary.json", || read_summary(directory));
    let samples = notes.maybe(directory, samples::FILE, || samples::read(directory));
    let coverage = notes.maybe(directory, cover::FILE, || sources::coverage(directory));
    let decisions = notes.maybe(directory, trie::FILE, || Trie::read(directory));
    let map = notes.maybe(directory, SEGMENTS, || {
        pipeline::segment_map(&directory.join(SEGMENTS))
    });
    let mut run = Run {
        about: about::about(named, &files, summary.as_ref()),
        samples: samples.unwrap_or_default(),
        segments: map.map(|map| segments::segments(&map)),
        ..Run::default()
    };
    run.tests = faults::tests(&files, &mut notes);
    run.faults = faults::faults(&files, &run.about, &mut notes);
    run.sources = sources::sources(coverage, &files, &run.faults, &mut notes);
    run.functions = functions::functions(&files.profile);
    run.asking = functions::asking(&files.profile, &files.texts);
    run.decisions = decisions.map(|trie| tree::pack(&trie, decisions::places(&trie, &files)));
    run.totals = totals::totals(&run, summary.as_ref());
    run.summary = summary;
    notes.add_missing(&run);
    run.notes = notes.0;
    Ok(run)
}

fn read_summary(directory: &Path) -> Result<summary::Summary, Error> {
    let path = directory.join("summary.json");
    let text = plat::input::read_text(&path, plat::input::Kind::Result)?;
    let wrong = |why| Error::input(format!("{}: {why}", path.display()));
    summary::Summary::from_json(&text).map_err(wrong)
}

/// What could not be had, and why.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    /// Reads a file if it is there.
    fn maybe<T>(
        &mut self,
        directory: &Path,
        name: &str,
        read: impl FnOnce() -> Result<T, Error>,
    ) -> Option<T> {
        if !directory.join(name).is_file() {
            return None;
        }
        read()
            .map_err(|why| self.0.push(format!("Left out: {why}")))
            .ok()
    }

    /// Says what of the page is empty because the run has not recorded it.
    fn add_missing(&mut self, run: &Run) {
        let here = |name: &str| run.about.directory.join(name).exists();
        let is_over = run.summary.is_some();
        let mut note = |text: &str| self.0.push(text.to_string());
        if !is_over {
            note(
                "The run has written no summary.json: figures are those of its last sample, and what is written at the end of a run is not there.",
            );
        }
        if run.decisions.is_none() && !here(trie::FILE) {
            note(
                "No tree of decisions: the run has none (--write-trie=false, or it followed seeds, merged paths or checked an analysis).",
            );
        }
        if run.samples.is_empty() && !here(samples::FILE) {
            note("No figures over time: the run was made with --output-stats=false.");
        }
        if run.functions.is_empty() && !here(profile::FILE) {
            note(
                "No functions, and no source lines in the tree: the run was made with --output-istats=false, or it is younger than the interval of run.istats (--istats-write-interval).",
            );
        }
        if run.tests.is_empty() && !here(suite::FILE) {
            note(
                "No tests: the run was made with --write-no-tests. Faults are named as far as messages.txt has them.",
            );
        }
    }
}
