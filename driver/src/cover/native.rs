//! A suite on the user's own build with counters: gcov's (`--coverage`) or LLVM's
//! (`-fprofile-instr-generate -fcoverage-mapping`).
//!
//! Tests run at once on all cores, or one after the other in a sandbox, each as [`crate::replay::run`]
//! runs it: in an empty directory of its own, with a time limit. Where the build writes its counters is turned aside into a scratch
//! directory by the variables that both runtimes know, one place for each thread, so that no
//! counters of an earlier run count and no run waits for another. Which kind of counters it is
//! shows by what appears there.
//!
//! A test that ends by a signal or is stopped leaves no counters: what it covers is missing.

use super::gcov;
use super::lcov;
use super::source::SourceCoverage;
use super::tools;
use crate::Error;
use crate::replay::{self, How, NativeEnd, Sandbox};
use crate::scratch::Scratch;
use crate::suite::Case;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How a suite is replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The longest time of a test. Default 10 s.
    pub timeout: Duration,
    /// How many tests run at once. Default as many as there are cores; in a sandbox it is one.
    pub threads: usize,
    /// The command for gcov, in place of the one of the compiler that has made the build.
    pub gcov: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            timeout: Duration::from_secs(10),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            gcov: None,
        }
    }
}

/// What a suite has covered.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Replayed {
    /// The counts.
    pub coverage: SourceCoverage,
    /// Tests that ran to their ends.
    pub ended: usize,
    /// Tests that ended by a signal: what they covered is not counted.
    pub signalled: usize,
    /// Tests that were stopped as their time was over: what they covered is not counted.
    pub timed_out: usize,
    /// Tests that cannot run on a native build, with the reason.
    pub left_out: Vec<(PathBuf, String)>,
}

/// Replays test cases on a native build, in a sandbox, if there is one, and counts what they cover. A
/// sandbox ends what a run leaves behind, which can be told from another run only when there is none.
///
/// # Errors
/// When the build cannot be started, has no counters, or their tool fails.
pub fn replay(
    native: &Path,
    cases: &[Case],
    options: &Options,
    sandbox: Option<&Sandbox>,
) -> Result<Replayed, Error> {
    let scratch = Scratch::create()?;
    let threads = match sandbox {
        Some(_) => 1,
        None => options.threads.clamp(1, cases.len().max(1)),
    };
    let places: Vec<PathBuf> = (0..threads)
        .map(|at| scratch.path().join(at.to_string()))
        .collect();
    let next = AtomicUsize::new(0);
    let replayed = Mutex::new(Replayed::default());
    let work = |place: &Path| -> Result<(), Error> {
        fs::create_dir(place).map_err(|why| failed(place, &why))?;
        let how = How {
            directory: None,
            timeout: options.timeout,
            variables: variables(place),
            start_time: plat_env::START_TIME,
            writable: vec![place.to_path_buf()],
        };
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let end = run(native, case, &how, sandbox)?;
            let mut replayed = replayed.lock().map_err(|_| Error::internal("a panic"))?;
            match end {
                Ok(NativeEnd::Exited(_)) => replayed.ended += 1,
                Ok(NativeEnd::Signal(_)) => replayed.signalled += 1,
                Ok(NativeEnd::TimedOut) => replayed.timed_out += 1,
                Err(why) => replayed.left_out.push((case.path.clone(), why)),
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = places
            .iter()
            .map(|place| scope.spawn(|| work(place)))
            .collect();
        workers.into_iter().try_for_each(|worker| {
            let done = worker.join();
            done.unwrap_or_else(|_| Err(Error::internal("a replay has panicked")))
        })
    })?;
    let mut replayed = replayed
        .into_inner()
        .map_err(|_| Error::internal("a replay has panicked"))?;
    replayed.coverage = counted(native, &places, options)?;
    Ok(replayed)
}

/// One test; the reason if it cannot run natively.
fn run(
    native: &Path,
    case: &Case,
    how: &How,
    sandbox: Option<&Sandbox>,
) -> Result<Result<NativeEnd, String>, Error> {
    let input = match plat_env::replay::plan(&case.test) {
        Ok(input) => input,
        Err(why) => return Ok(Err(why.to_string())),
    };
    if input.failures {
        return Ok(Err("the path depends on injected failures".to_owned()));
    }
    let run = replay::run_within(native, &input, how, sandbox)?;
    Ok(Ok(run.end))
}

/// What turns counters aside: for gcov a directory before the paths of its files, for LLVM a file
/// that the runs add to.
fn variables(place: &Path) -> Vec<(OsString, OsString)> {
    vec![
        ("GCOV_PREFIX".into(), place.into()),
        ("LLVM_PROFILE_FILE".into(), place.join("%m.profraw").into()),
    ]
}

/// The coverage of the counters in these places.
fn counted(native: &Path, places: &[PathBuf], options: &Options) -> Result<SourceCoverage, Error> {
    let mut profiles = Vec::new();
    let mut data = Vec::new();
    for place in places {
        for file in files(place)? {
            match file.extension().and_then(|end| end.to_str()) {
                Some("profraw") => profiles.push(file),
                Some("gcda") => data.push((place.as_path(), file)),
                _ => {}
            }
        }
    }
    if !profiles.is_empty() {
        return of_profiles(native, &profiles, &places[0]);
    }
    if data.is_empty() {
        return Err(Error::input(format!(
            "{}: it has written no counters: build it with --coverage, or with \
             -fprofile-instr-generate -fcoverage-mapping",
            native.display()
        )));
    }
    let mut coverage = SourceCoverage::default();
    for (place, file) in &data {
        coverage.add(&of_gcov(place, file, options)?);
    }
    Ok(coverage)
}

/// All files below a directory.
fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        let entries = fs::read_dir(&directory).map_err(|why| failed(&directory, &why))?;
        for entry in entries.flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

fn of_profiles(native: &Path, raw: &[PathBuf], scratch: &Path) -> Result<SourceCoverage, Error> {
    let profile = scratch.join("all.profdata");
    let merge = tools::llvm("llvm-profdata")?;
    let mut args: Vec<OsString> = vec!["-sparse".into(), "-o".into(), profile.clone().into()];
    args.extend(raw.iter().map(OsString::from));
    tools::output(&[&merge, "merge"], args, scratch)?;
    let export = tools::llvm("llvm-cov")?;
    let args: [OsString; 4] = [
        "-format=lcov".into(),
        "-instr-profile".into(),
        profile.into(),
        native.into(),
    ];
    let text = tools::output(&[&export, "export"], args, scratch)?;
    lcov::parse(&text).map_err(|why| Error::input(format!("{export} export: {why}")))
}

/// The coverage of an object file. Its notes lie beside the object, where the counters would lie if
/// they had not been turned aside. GCC's tool is asked first; it refuses what LLVM's compilers write.
fn of_gcov(place: &Path, file: &Path, options: &Options) -> Result<SourceCoverage, Error> {
    let below = file.strip_prefix(place).unwrap_or(file);
    let notes = Path::new("/").join(below).with_extension("gcno");
    let beside = file.with_extension("gcno");
    fs::copy(&notes, &beside).map_err(|why| failed(&notes, &why))?;
    let directory = file.parent().unwrap_or(place);
    // LLVM's tool has no lines of a source that it does not find: paths are relative to where the
    // compiler was, which is where the notes are unless objects go elsewhere.
    let sources = notes.parent().unwrap_or(place);
    let asked = options.gcov.as_ref().map(|command| {
        let words: Vec<&str> = command.split_whitespace().collect();
        (words.iter().any(|word| word.contains("llvm")), words)
    });
    match asked {
        Some((true, tool)) => by_llvm(&tool, file, sources),
        Some((false, tool)) => by_gcc(&tool, file, directory),
        None => by_gcc(&["gcov"], file, directory).or_else(|refused| {
            let llvm = tools::llvm("llvm-cov").map_err(|_| refused)?;
            by_llvm(&[&llvm, "gcov"], file, sources)
        }),
    }
}

fn by_gcc(tool: &[&str], file: &Path, directory: &Path) -> Result<SourceCoverage, Error> {
    let args: [OsString; 4] = ["-j".into(), "-t".into(), "-b".into(), file.into()];
    let text = tools::output(tool, args, directory)?;
    gcov::parse_json(&text).map_err(|why| Error::input(format!("{}: {why}", tool.join(" "))))
}

fn by_llvm(tool: &[&str], file: &Path, directory: &Path) -> Result<SourceCoverage, Error> {
    let args: [OsString; 4] = ["-t".into(), "-b".into(), "-c".into(), file.into()];
    Ok(gcov::parse(&tools::output(tool, args, directory)?))
}

fn failed(path: &Path, why: &std::io::Error) -> Error {
    Error::input(format!("{}: {why}", path.display()))
}
