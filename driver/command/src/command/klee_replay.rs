//! Under the name `klee-replay`: one test case after the other on a native build, seen and not
//! compared, with the lines of KLEE's replayer.

use crate::args::KleeReplayArgs;
use crate::sandbox;
use crate::say::note;
use plat::Error;
use plat::input::{self, Kind};
use plat::replay::{self, NativeEnd};
use plat_env::Ktest;
use plat_env::replay::{Replay, plan};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const VOICE: &str = "KLEE-REPLAY: NOTE";

pub(super) fn execute(args: &KleeReplayArgs) -> Result<ExitCode, Error> {
    if let Some(test) = &args.create_files_only {
        let directory = replay::files_only(&read(test)?)?;
        note!(
            "{VOICE}: Storing KLEE replay files in {}",
            directory.display()
        );
        return Ok(ExitCode::SUCCESS);
    }
    let Some((native, tests)) = args.words.split_first() else {
        return Err(Error::input("name an executable and test cases"));
    };
    let wrong = |why| Error::input(format!("{}: {why}", native.display()));
    let path = fs::canonicalize(native).map_err(wrong)?;
    let timeout = match std::env::var_os(TIMEOUT) {
        Some(text) => seconds(&text)?,
        None => NO_LIMIT,
    };
    let timeout = Duration::from_secs(timeout);
    let sandbox = sandbox::enter("klee-replay", args.no_sandbox)?;
    for test in tests {
        let mut input = read(test)?;
        if let Some(name) = input.argv.first_mut() {
            *name = native.as_os_str().as_bytes().to_vec();
        }
        note!("{VOICE}: Test file: {}", test.display());
        let words = input.argv.iter();
        let words = words.map(|word| format!("\"{}\" ", String::from_utf8_lossy(word)));
        note!("{VOICE}: Arguments: {}", words.collect::<String>());
        for (name, bytes) in &input.files {
            note!("{VOICE}: Creating file {name} of length {}", bytes.len());
        }
        let start = Instant::now();
        let keep = args.keep_replay_dir;
        let (end, kept) = replay::watch(&path, &input, timeout, keep, sandbox.as_ref())?;
        let status = match end {
            NativeEnd::Exited(0) => "NORMAL".to_string(),
            NativeEnd::Exited(code) => format!("ABNORMAL {code}"),
            NativeEnd::Signal(signal) => format!("CRASHED signal {signal}"),
            NativeEnd::TimedOut => "TIMED OUT".to_string(),
        };
        let seconds = start.elapsed().as_secs();
        note!("{VOICE}: EXIT STATUS: {status} ({seconds} seconds)");
        if let Some(directory) = kept {
            note!("{VOICE}: KLEE replay files are in {}", directory.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The variable with the seconds that a run may take.
const TIMEOUT: &str = "KLEE_REPLAY_TIMEOUT";

/// Seconds that a run may take if nobody says.
const NO_LIMIT: u64 = 10_000_000;

fn seconds(text: &OsStr) -> Result<u64, Error> {
    let seconds = text.to_str().and_then(|text| text.parse().ok());
    seconds.ok_or_else(|| Error::input(format!("{TIMEOUT} takes a number of seconds")))
}

fn read(test: &Path) -> Result<Replay, Error> {
    let wrong = |why: String| Error::input(format!("{}: {why}", test.display()));
    input::check(test, Kind::TestCase)?;
    let read = Ktest::read(test).map_err(|why| wrong(why.to_string()))?;
    plan(&read).map_err(|why| wrong(why.to_string()))
}
