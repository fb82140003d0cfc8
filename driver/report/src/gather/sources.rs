//! Source files, and what is covered of them.

use super::{Files, Notes};
use crate::model::{Covered, Fault, Line, Place, Share, Source};
use plat::Error;
use plat::cover::{self, FileCoverage, SourceCoverage, Total, lcov};
use plat::input::{self, Kind};
use plat::output::profile::{Cost, Profile};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::rc::Rc;

/// Bytes of source that a page has at most.
const MOST: usize = 3 << 20;

/// Texts of source files, each read once.
#[derive(Default)]
pub struct Texts {
    read: RefCell<HashMap<String, Option<Rc<str>>>>,
}

impl Texts {
    /// The text of a file that is there. Only whole paths are looked up: others are of the C library.
    fn of(&self, path: &str) -> Option<Rc<str>> {
        if !Path::new(path).is_absolute() {
            return None;
        }
        let mut read = self.read.borrow_mut();
        let text = read.entry(path.to_string()).or_insert_with(|| {
            let bytes = input::read(Path::new(path), Kind::Template).ok()?;
            Some(String::from_utf8_lossy(&bytes).into())
        });
        text.clone()
    }

    /// A line without the blanks around it.
    pub fn line(&self, path: &str, line: u32) -> Option<String> {
        let text = self.of(path)?;
        let line = text.lines().nth(line.checked_sub(1)? as usize)?;
        Some(line.trim().to_string())
    }

    /// The lines around a place: the number of the first, and the lines.
    pub fn around(&self, place: &Place, around: u32) -> (u32, Vec<String>) {
        let first = place.line.saturating_sub(around).max(1);
        let last = place.line + around;
        match self.of(&place.file) {
            Some(text) if place.line > 0 => {
                let lines = text.lines().zip(1..);
                let lines = lines.filter(|(_, at)| (first..=last).contains(at));
                (first, lines.map(|(line, _)| line.to_string()).collect())
            }
            _ => (0, Vec::new()),
        }
    }
}

/// The coverage that the run has written.
pub(super) fn coverage(directory: &Path) -> Result<SourceCoverage, Error> {
    let path = directory.join(cover::FILE);
    let text = input::read_text(&path, Kind::Result)?;
    let wrong = |why| Error::input(format!("{}: {why}", path.display()));
    lcov::parse(&text).map_err(wrong)
}

/// The source files of a run.
pub(super) fn sources(
    coverage: Option<SourceCoverage>,
    files: &Files,
    faults: &[Fault],
    notes: &mut Notes,
) -> Vec<Source> {
    let costs = costs(&files.profile);
    let coverage = coverage.unwrap_or_else(|| {
        let coverage = by_profile(&costs);
        if !coverage.files.is_empty() {
            let note = "Lines are those of run.istats, without branches: run.lcov is written when a run ends.";
            notes.0.push(note.to_string());
        }
        coverage
    });
    let mut sources: Vec<Source> = coverage
        .files
        .iter()
        .map(|(path, file)| source(path, file, costs.get(path.as_str())))
        .collect();
    // Files with faults come first, then those of which most is covered.
    let mut order: Vec<usize> = (0..sources.len()).collect();
    let has_fault = |path: &str| faults.iter().any(|fault| fault.place.file == path);
    order.sort_by_key(|&at| {
        let source: &Source = &sources[at];
        (!has_fault(&source.path), u64::MAX - source.line_share.part)
    });
    let mut left = MOST;
    let (mut missing, mut large) = (0, 0);
    for at in order {
        let Some(text) = files.texts.of(&sources[at].path) else {
            missing += 1;
            continue;
        };
        if text.len() > left {
            large += 1;
            continue;
        }
        left -= text.len();
        sources[at].text = Some(text.to_string());
    }
    if missing > 0 {
        notes.0.push(format!(
            "{missing} of {} source files are not where they were compiled: only their figures are shown.",
            sources.len()
        ));
    }
    if large > 0 {
        notes.0.push(format!(
            "The text of {large} source files is left out: a page has {} MiB of source at most.",
            MOST >> 20
        ));
    }
    sources
}

/// What lines have cost, by file.
fn costs(profile: &Profile) -> HashMap<&str, BTreeMap<u32, Cost>> {
    let mut costs: HashMap<&str, BTreeMap<u32, Cost>> = HashMap::new();
    for function in &profile.functions {
        for &(file, line, cost) in &function.insts {
            let lines = costs.entry(&profile.files[file as usize]).or_default();
            *lines.entry(line).or_default() += cost;
        }
    }
    costs
}

/// The lines of the program's own files, by the profile alone.
fn by_profile(costs: &HashMap<&str, BTreeMap<u32, Cost>>) -> SourceCoverage {
    let mut coverage = SourceCoverage::default();
    for (path, lines) in costs {
        if !Path::new(path).is_absolute() {
            continue;
        }
        let lines = lines.iter().filter(|(line, _)| **line > 0);
        let file = coverage.files.entry((*path).to_string()).or_default();
        file.lines = lines.map(|(&line, cost)| (line, cost.executed)).collect();
    }
    coverage
}

fn source(path: &str, file: &FileCoverage, costs: Option<&BTreeMap<u32, Cost>>) -> Source {
    let lines = file.lines.iter().map(|(&number, &count)| {
        let on_line = (number, 0, 0)..(number + 1, 0, 0);
        let sides = file.branches.range(on_line);
        let sides = sides.fold(Share::default(), |sum, (_, count)| Share {
            part: sum.part + u64::from(count.is_some_and(|count| count > 0)),
            all: sum.all + 1,
        });
        let cost = costs.and_then(|costs| costs.get(&number));
        let cost = cost.copied().unwrap_or_default();
        Line {
            number,
            count,
            sides,
            asked: cost.asked,
            forks: cost.forks,
        }
    });
    let functions = file.by_function();
    let functions = functions
        .into_iter()
        .map(|(name, function, lines, branches)| Covered {
            name: name.to_string(),
            line: function.line,
            calls: function.count,
            lines: share(lines),
            branches: share(branches),
        });
    Source {
        path: path.to_string(),
        text: None,
        lines: lines.collect(),
        functions: functions.collect(),
        line_share: share(file.line_total()),
        branch_share: share(file.branch_total()),
    }
}

fn share(total: Total) -> Share {
    Share {
        part: total.covered as u64,
        all: total.all as u64,
    }
}
