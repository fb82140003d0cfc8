//! One program explored in one way, and what its tests cover. Kept in a folder, so that a table can
//! be made of several calls and nothing is measured twice.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::bits::{Bits, needed};
use super::gcov::{Taken, Universe};
use super::program::Program;
use super::replay::replay;
use crate::Common;
use crate::process::{Cost, cost, killed_after, scratch};

/// Beyond the time of an exploration: what linking and the last tests may take.
const BESIDE: u64 = 300;

/// Suffixes of error reports that are faults of the program: KLEE's names, and plat's.
const FAULTS: [&str; 13] = [
    "abort",
    "assert",
    "bad_vector_access",
    "div",
    "free",
    "overflow",
    "overshift",
    "ptr",
    "read_only",
    "uncaught_exception",
    "undefined_behavior",
    "unexpected_exception",
    "unreachable",
];

/// What explores.
#[derive(Clone)]
pub enum Explorer {
    /// A `plat`.
    Plat(PathBuf),
    /// A command with KLEE's options.
    Klee(PathBuf),
}

/// A way to explore, by a name.
#[derive(Clone)]
pub struct Way {
    /// What stands in the table.
    pub name: String,
    /// Who explores.
    pub explorer: Explorer,
    /// With what options.
    pub options: Vec<String>,
}

/// How all programs are explored and replayed.
pub struct Bounds {
    /// Seconds of each exploration.
    pub time: u64,
    /// Memory at which plat ends one.
    pub memory: String,
    /// Tests of every path, and not only of those that cover something new.
    pub all_tests: bool,
    /// The most tests that are replayed.
    pub replays: usize,
    /// Where results are kept.
    pub cache: PathBuf,
    /// Measure again what is kept.
    pub again: bool,
}

/// What a suite of tests has come to.
#[derive(Serialize, Deserialize)]
pub struct Suite {
    /// What the tests cover together.
    taken: String,
    /// Tests written.
    pub tests: usize,
    /// Tests that cover all branches of the suite.
    pub needed: usize,
    /// Reports of faults.
    pub faults: usize,
    /// User time of the exploration, in seconds.
    pub user: f64,
    /// Its time in the system.
    pub system: f64,
    /// Its peak memory, in MiB.
    pub mebibytes: u64,
}

impl Suite {
    /// What the tests cover together.
    pub fn taken(&self) -> Taken {
        Taken(Bits::from_text(&self.taken).unwrap_or_default())
    }

    /// Explores a program with a seed and replays its tests, or reads what was kept of that.
    ///
    /// # Errors
    /// When something cannot be run.
    pub fn of(
        common: &Common,
        bounds: &Bounds,
        program: &Program,
        universe: &Universe,
        (way, seed): (&Way, u64),
    ) -> Result<Self, String> {
        let kept = bounds.cache.join(name_of(bounds, program, way, seed)?);
        if let (false, Ok(text)) = (bounds.again, fs::read_to_string(&kept))
            && let Ok(suite) = serde_json::from_str(&text)
        {
            return Ok(suite);
        }
        let folder = scratch()?;
        let out = folder.path().join("out");
        let room = folder.path().join("room");
        fs::create_dir(&room).map_err(|why| format!("{}: {why}", room.display()))?;
        let mut command = command(common, bounds, way, seed);
        command.arg(format!("--output-dir={}", out.display()));
        command
            .arg(&program.bitcode)
            .args(&program.arguments)
            .current_dir(&room);
        let shown = format!("{command:?}");
        let cost = cost(command)?;
        let (tests, faults) = written(&out).map_err(|why| format!("{why}, after: {shown}"))?;
        let suite = Self::covering(bounds, program, universe, &tests, (faults, &cost))?;
        let text = serde_json::to_string(&suite).map_err(|why| why.to_string())?;
        fs::create_dir_all(&bounds.cache)
            .and_then(|()| fs::write(&kept, text))
            .map_err(|why| format!("{}: {why}", kept.display()))?;
        Ok(suite)
    }

    fn covering(
        bounds: &Bounds,
        program: &Program,
        universe: &Universe,
        tests: &[PathBuf],
        (faults, cost): (usize, &Cost),
    ) -> Result<Self, String> {
        let most = bounds.replays.min(tests.len());
        let chosen: Vec<PathBuf> = (0..most)
            .map(|at| tests[at * tests.len() / most].clone())
            .collect();
        let taken = replay(&program.counted, universe, &chosen)?;
        let mut all = Bits::default();
        taken.iter().for_each(|taken| all.add(&taken.0));
        let branches: Vec<Bits> = taken
            .iter()
            .map(|taken| universe.branches_of(taken))
            .collect();
        Ok(Self {
            taken: all.to_text(),
            tests: tests.len(),
            needed: needed(&branches).len(),
            faults,
            user: cost.user,
            system: cost.cpu - cost.user,
            mebibytes: cost.memory >> 20,
        })
    }
}

/// The exploration, but for its output, program and arguments.
fn command(common: &Common, bounds: &Bounds, way: &Way, seed: u64) -> Command {
    let mut command = killed_after(bounds.time + BESIDE);
    let new = "--only-output-states-covering-new";
    match &way.explorer {
        Explorer::Plat(plat) => {
            command.arg(plat).args(["explore", "--json"]);
            command.arg(format!("--max-time={}s", bounds.time));
            command.arg(format!("--max-memory={}", bounds.memory));
            command.arg(format!("--seed={seed}"));
            if let Some(libc) = &common.libc {
                command.env("PLAT_LIBC", libc);
            }
        }
        Explorer::Klee(klee) => {
            command
                .arg(klee)
                .arg(format!("--max-time={}s", bounds.time));
            command.arg(format!("--rng-initial-seed={seed}"));
        }
    }
    if !bounds.all_tests {
        command.arg(new);
    }
    command.args(&way.options);
    command
}

/// The tests in a run directory, in order, and how many reports of faults there are.
fn written(out: &Path) -> Result<(Vec<PathBuf>, usize), String> {
    let entries = fs::read_dir(out).map_err(|why| format!("{}: {why}", out.display()))?;
    let (mut tests, mut faults) = (Vec::new(), 0);
    for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        match name.split('.').collect::<Vec<_>>()[..] {
            [_, "ktest"] => tests.push(path),
            [_, kind, "err"] if FAULTS.contains(&kind) => faults += 1,
            _ => {}
        }
    }
    tests.sort();
    Ok((tests, faults))
}

/// The name of the file that keeps a result: all that it depends on.
fn name_of(bounds: &Bounds, program: &Program, way: &Way, seed: u64) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    let (Explorer::Plat(binary) | Explorer::Klee(binary)) = &way.explorer;
    for file in [binary, &program.bitcode, &program.counted] {
        let bytes = fs::read(file).map_err(|why| format!("{}: {why}", file.display()))?;
        bytes.hash(&mut hasher);
    }
    (&way.options, &program.arguments, &program.own).hash(&mut hasher);
    (
        bounds.time,
        &bounds.memory,
        bounds.all_tests,
        bounds.replays,
    )
        .hash(&mut hasher);
    Ok(format!(
        "{}-{}-{seed}-{:016x}.json",
        program.name,
        way.name,
        hasher.finish()
    ))
}
