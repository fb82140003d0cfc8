//! The tests of a run on the native build: `plat replay`, several at once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::Common;

/// The tests that a run has written.
pub struct Tests {
    folder: PathBuf,
    /// Number and end of each.
    ends: Vec<(u32, String)>,
}

impl Tests {
    /// Those of a run directory.
    ///
    /// # Errors
    /// When its `tests.jsonl` cannot be read.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join("tests.jsonl");
        let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(&error))?;
        let end = |line: &str| {
            let line: Value = serde_json::from_str(line).ok()?;
            let number = u32::try_from(line["test"].as_u64()?).ok()?;
            Some((number, line["end"].as_str()?.to_owned()))
        };
        let ends = text
            .lines()
            .map(|line| end(line).ok_or_else(|| wrong(&line)))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            folder: folder.to_owned(),
            ends,
        })
    }

    /// How many there are.
    pub fn all(&self) -> usize {
        self.ends.len()
    }

    /// The tests of paths that ended like this.
    pub fn ending<'a>(&'a self, end: &'a str) -> impl Iterator<Item = u32> + 'a {
        (self.ends.iter())
            .filter(move |(_, is)| is == end)
            .map(|(number, _)| *number)
    }

    /// At most `most` tests, spread over the run; those of whole paths first.
    fn chosen(&self, most: usize) -> Vec<PathBuf> {
        let (cut, whole): (Vec<u32>, Vec<u32>) = {
            let (cut, whole): (Vec<_>, Vec<_>) =
                self.ends.iter().partition(|(_, end)| end == "limit");
            let numbers = |ends: Vec<&(u32, String)>| ends.iter().map(|end| end.0).collect();
            (numbers(cut), numbers(whole))
        };
        let mut chosen = spread(&whole, most);
        chosen.extend(spread(&cut, most - chosen.len()));
        chosen
            .into_iter()
            .map(|number| self.file(&format!("test{number:06}")))
            .collect()
    }

    /// The file of a test by its name.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.ktest"))
    }
}

/// At most `most` of the numbers, at equal distances.
fn spread(numbers: &[u32], most: usize) -> Vec<u32> {
    let count = numbers.len().min(most);
    (0..count)
        .map(|at| numbers[at * numbers.len() / count])
        .collect()
}

/// What replays have come to.
#[derive(Default)]
pub struct Replays {
    /// Tests that did what their path did.
    pub same: usize,
    /// Tests of paths that were cut off, or of faults that a machine need not notice, whose output
    /// begins as the path's.
    pub cut_off: usize,
    /// The others, in a line each.
    pub different: Vec<String>,
}

impl Replays {
    /// All that ran.
    pub fn replayed(&self) -> usize {
        self.same + self.cut_off + self.different.len()
    }

    fn add(&mut self, line: &str) {
        if line.ends_with(" same") {
            self.same += 1;
        } else if line.contains(" not compared: ") {
            self.cut_off += 1;
        } else {
            self.different.push(line.to_owned());
        }
    }
}

/// Tests given to one process.
const BATCH: usize = 200;

/// How tests are replayed.
pub struct Place<'a> {
    /// The native build.
    pub native: &'a Path,
    /// The directory that the program was explored in.
    pub explored_in: &'a Path,
}

/// Replays at most `most` of the tests on the native build, as many at once as there are cores,
/// each in an empty directory of its own. Inode numbers and times of that are not those which the
/// path saw: tests that differ run once more, one after the other, where the program was explored.
///
/// # Errors
/// When plat cannot be run or does not compare every test.
pub fn replay(
    common: &Common,
    most: usize,
    tests: &Tests,
    place: &Place<'_>,
) -> Result<Replays, String> {
    let chosen = tests.chosen(most);
    let batches: Vec<&[PathBuf]> = chosen.chunks(BATCH).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut lines = Vec::new();
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            lines.extend(replay_batch(common, batch, place.native, None)?);
        }
        Ok::<_, String>(lines)
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let lines = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let mut lines = Vec::new();
        for thread in threads {
            lines.extend(thread.join().map_err(|_| "a replay has panicked")??);
        }
        Ok::<_, String>(lines)
    })?;
    let mut replays = Replays::default();
    lines.iter().for_each(|line| replays.add(line));
    let again: Vec<PathBuf> = std::mem::take(&mut replays.different)
        .iter()
        .filter_map(|line| Some(tests.file(line.split(' ').next()?)))
        .collect();
    for batch in again.chunks(BATCH) {
        let lines = replay_batch(common, batch, place.native, Some(place.explored_in))?;
        lines.iter().for_each(|line| replays.add(line));
    }
    replays.different.sort();
    Ok(replays)
}

/// The lines of `plat replay`, one for each test.
fn replay_batch(
    common: &Common,
    batch: &[PathBuf],
    native: &Path,
    place: Option<&Path>,
) -> Result<Vec<String>, String> {
    let mut command = Command::new(&common.plat);
    command.arg("replay");
    if let Some(place) = place {
        command.arg("--run-in-dir").arg(place);
    }
    let done = command
        .args(batch)
        .arg("--")
        .arg(native)
        .output()
        .map_err(|error| format!("cannot run {}: {error}", common.plat.display()))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let lines: Vec<String> = text
        .lines()
        .filter(|line| {
            // Not the head of the table, whose word is alone.
            let rest = line.strip_prefix("test").unwrap_or_default();
            rest.starts_with(|first: char| first.is_ascii_digit())
        })
        .map(str::to_owned)
        .collect();
    if lines.len() == batch.len() {
        Ok(lines)
    } else {
        let why = String::from_utf8_lossy(&done.stderr);
        Err(format!("plat replay compared not every test: {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_spread_and_prefers_whole_paths() {
        assert_eq!(spread(&[1, 2, 3, 4, 5, 6], 3), [1, 3, 5]);
        assert_eq!(spread(&[7], 3), [7]);
        let ends = [(1, "limit"), (2, "exited"), (3, "limit"), (4, "fault")];
        let tests = Tests {
            folder: "out".into(),
            ends: ends.map(|(number, end)| (number, end.to_owned())).to_vec(),
        };
        let names = ["test000002.ktest", "test000004.ktest", "test000001.ktest"];
        assert_eq!(
            tests.chosen(3),
            names.map(|name| Path::new("out").join(name))
        );
    }

    #[test]
    fn verdicts_are_counted() {
        let mut replays = Replays::default();
        for line in [
            "test000001   exit 0       exit 0       same",
            "test000002   limit        exit 0       not compared: the path was cut off",
            "test000003   exit 0       exit 1       DIFFERS: the exit code",
        ] {
            replays.add(line);
        }
        assert_eq!((replays.same, replays.cut_off), (1, 1));
        assert_eq!(replays.different.len(), 1);
        assert_eq!(replays.replayed(), 3);
    }
}
