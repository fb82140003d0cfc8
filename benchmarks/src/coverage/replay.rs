//! Tests on a build that counts what runs: each in an empty directory, with counts of its own.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use plat_env::Ktest;
use plat_env::replay::{Replay, plan};

use super::gcov::{Taken, Universe};

/// A run that takes longer is killed, and counts for nothing.
const LONGEST: Duration = Duration::from_secs(3);

/// What each of the tests takes. Tests that are no test cases, and those whose input cannot be given
/// to a native run, take nothing.
///
/// # Errors
/// When a directory cannot be made, the program cannot be started or gcov does not work.
pub fn replay(native: &Path, universe: &Universe, tests: &[PathBuf]) -> Result<Vec<Taken>, String> {
    let folder = crate::process::scratch()?;
    let counts = folder.path().join("counts");
    fs::create_dir(&counts).map_err(|why| format!("{}: {why}", counts.display()))?;
    universe.prepare(&counts)?;
    let one = |test: &PathBuf| {
        let input = Ktest::read(test).ok().and_then(|test| plan(&test).ok());
        if let Some(input) = input {
            run(native, &input, folder.path())
                .map_err(|why| format!("{}: {why}", native.display()))?;
        }
        let taken = universe.taken(&counts)?;
        forget(&counts).map_err(|why| format!("{}: {why}", counts.display()))?;
        Ok(taken)
    };
    tests.iter().map(one).collect()
}

/// Removes the counts of a run.
fn forget(counts: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(counts)? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "gcda")
        {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

fn run(native: &Path, input: &Replay, folder: &Path) -> std::io::Result<()> {
    let room = folder.join("room");
    fs::create_dir(&room)?;
    for (name, bytes) in &input.files {
        fs::write(room.join(name), bytes)?;
    }
    let stdin = folder.join("stdin");
    fs::write(&stdin, &input.stdin)?;
    let mut command = Command::new(native);
    if let Some((name, arguments)) = input.argv.split_first() {
        command.arg0(OsStr::from_bytes(name));
        command.args(arguments.iter().map(|word| OsStr::from_bytes(word)));
    }
    command
        .env_clear()
        .envs(
            plat_env::PROGRAM_ENVIRONMENT
                .iter()
                .filter_map(|entry| entry.split_once('=')),
        )
        .env("GCOV_PREFIX", folder.join("counts"))
        // All of the path of a file of counts but its name.
        .env("GCOV_PREFIX_STRIP", "100")
        .current_dir(&room)
        .stdin(File::open(&stdin)?)
        .stdout(output(input, folder)?)
        .stderr(Stdio::null())
        .process_group(0);
    let mut child = command.spawn()?;
    if let Some(mut pipe) = child.stdout.take() {
        std::thread::spawn(move || std::io::copy(&mut pipe, &mut std::io::sink()));
    }
    await_end(&mut child);
    fs::remove_dir_all(&room)
}

/// Standard output of the kind that it has on the path: a file or a device if the test says so, and
/// a pipe otherwise.
fn output(input: &Replay, folder: &Path) -> std::io::Result<Stdio> {
    const TYPE: u32 = 0o170_000;
    const DEVICE: u32 = 0o020_000;
    Ok(match input.output_mode {
        _ if input.writes_to_file() => File::create(folder.join("stdout"))?.into(),
        Some(mode) if mode & TYPE == DEVICE => Stdio::null(),
        _ => Stdio::piped(),
    })
}

/// Waits for the end of a run; kills it if its time is over, and then what it has started.
fn await_end(child: &mut Child) {
    let begun = Instant::now();
    let mut pause = Duration::from_micros(200);
    let group = rustix::process::Pid::from_child(child);
    while matches!(child.try_wait(), Ok(None)) {
        if begun.elapsed() >= LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            break;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    // Fails if nothing is left of it.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
}
