//! What gcov says of a program's own files: branches and lines, and which of them runs took.
//!
//! gcov prints a JSON object for each file of counts (`gcov --json-format --stdout`). A branch is one
//! side of a condition, as gcov has it; a line counts if gcov has a count for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::bits::Bits;

/// A place in a source: file, function, line, and the number of the branch at it; lines have none.
type Place = (String, String, u64, Option<usize>);

/// The branches and lines of a program, in order, and the files that say which ran.
pub struct Universe {
    notes: Vec<PathBuf>,
    own: Vec<String>,
    places: BTreeMap<Place, usize>,
    branches: Bits,
}

/// What some runs have taken of a [`Universe`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken(pub Bits);

impl Universe {
    /// What there is to cover in the sources of `own` (ends of paths, or folders with a `/` behind), by
    /// the `.gcno` files of a folder.
    ///
    /// # Errors
    /// When there are none, or gcov cannot read them.
    pub fn read(notes: &Path, own: &[String]) -> Result<Self, String> {
        let failed = |why: std::io::Error| format!("{}: {why}", notes.display());
        let mut files: Vec<PathBuf> = fs::read_dir(notes)
            .map_err(failed)?
            .filter_map(|entry| entry.ok().map(|entry| entry.path()))
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "gcno")
            })
            .collect();
        files.sort();
        let counts = said(&files)?;
        // A file without branches or lines of the program's own is not asked again.
        let mut universe = Self {
            notes: Vec::new(),
            own: own.to_vec(),
            places: BTreeMap::new(),
            branches: Bits::default(),
        };
        for (file, count) in files.into_iter().zip(&counts) {
            let before = universe.places.len();
            for (place, _) in universe.places_in(count) {
                universe.places.insert(place, 0);
            }
            if universe.places.len() > before {
                universe.notes.push(file);
            }
        }
        if universe.places.is_empty() {
            let own = own.join(", ");
            return Err(format!("{}: nothing of {own}", notes.display()));
        }
        for (at, (place, number)) in universe.places.iter_mut().enumerate() {
            *number = at;
            if place.3.is_some() {
                universe.branches.set(at);
            }
        }
        Ok(universe)
    }

    /// Puts the files that gcov needs beside those of counts into a folder.
    ///
    /// # Errors
    /// When it cannot.
    pub fn prepare(&self, folder: &Path) -> Result<(), String> {
        for note in &self.notes {
            let link = folder.join(note.file_name().unwrap_or_default());
            std::os::unix::fs::symlink(note, &link)
                .map_err(|why| format!("{}: {why}", link.display()))?;
        }
        Ok(())
    }

    /// What the files of counts in a folder say, in which [`Self::prepare`] has been.
    ///
    /// # Errors
    /// When gcov cannot read them.
    pub fn taken(&self, folder: &Path) -> Result<Taken, String> {
        let mut taken = Taken(Bits::default());
        let counts = self.notes.iter().filter_map(|note| {
            let counts = folder.join(note.file_name()?).with_extension("gcda");
            counts.is_file().then_some(counts)
        });
        let counts: Vec<PathBuf> = counts.collect();
        if counts.is_empty() {
            return Ok(taken);
        }
        for said in said(&counts)? {
            for (place, count) in self.places_in(&said) {
                if let (Some(&at), true) = (self.places.get(&place), count > 0) {
                    taken.0.set(at);
                }
            }
        }
        Ok(taken)
    }

    /// The share of branches that were taken, and of lines, in percent.
    pub fn shares(&self, taken: &Taken) -> (f64, f64) {
        let all = self.places.len();
        let branches = self.branches.count();
        let taken_branches = taken.0.and(&self.branches).count();
        let lines = taken.0.count() - taken_branches;
        (
            percent(taken_branches, branches),
            percent(lines, all - branches),
        )
    }

    /// The branches alone.
    pub fn branches_of(&self, taken: &Taken) -> Bits {
        taken.0.and(&self.branches)
    }

    fn is_own(&self, name: &str) -> bool {
        let is = |own: &String| match own.ends_with('/') {
            true => name.contains(own.as_str()),
            false => name.ends_with(own.as_str()),
        };
        self.own.iter().any(is)
    }

    /// The places in what gcov says of one file of counts, and how often each was passed.
    fn places_in(&self, said: &Value) -> Vec<(Place, u64)> {
        let mut places = Vec::new();
        for file in list(&said["files"]) {
            let name = file["file"].as_str().unwrap_or_default();
            if !self.is_own(name) {
                continue;
            }
            for line in list(&file["lines"]) {
                let function = line["function_name"].as_str().unwrap_or_default();
                let number = line["line_number"].as_u64().unwrap_or(0);
                let place = |branch| (name.to_owned(), function.to_owned(), number, branch);
                places.push((place(None), line["count"].as_u64().unwrap_or(0)));
                for (at, branch) in list(&line["branches"]).iter().enumerate() {
                    places.push((place(Some(at)), branch["count"].as_u64().unwrap_or(0)));
                }
            }
        }
        places
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn percent(part: usize, whole: usize) -> f64 {
    match whole {
        0 => 0.0,
        _ => {
            100.0 * f64::from(u32::try_from(part).unwrap_or(u32::MAX))
                / f64::from(u32::try_from(whole).unwrap_or(u32::MAX))
        }
    }
}

/// What gcov says of files of notes or of counts, an object for each.
fn said(files: &[PathBuf]) -> Result<Vec<Value>, String> {
    let gcov = std::env::var_os("GCOV").unwrap_or_else(|| "gcov".into());
    let out = Command::new(gcov)
        .args(["--branch-probabilities", "--json-format", "--stdout"])
        .args(files)
        .output()
        .map_err(|why| format!("cannot run gcov: {why}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let said: Result<Vec<Value>, _> = text
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(serde_json::from_str)
        .collect();
    match said {
        Ok(said) if said.len() == files.len() => Ok(said),
        _ => Err(format!(
            "gcov does not understand {} and others: {}",
            files
                .first()
                .map_or(Path::new(""), PathBuf::as_path)
                .display(),
            String::from_utf8_lossy(&out.stderr)
                .lines()
                .next()
                .unwrap_or("it says nothing")
        )),
    }
}
