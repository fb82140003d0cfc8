//! One run of plat or of another program: what it says, its processor time and its memory.

use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use tempfile::TempDir;

use crate::Common;

/// Processor time of this thread.
pub fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Processor time of another process; none if it is gone.
pub fn process_time(process: u32) -> Duration {
    let mut clock = 0;
    // SAFETY: the pointer is to a local. (rustix has no clocks of other processes.)
    if unsafe { libc::clock_getcpuclockid(process.cast_signed(), &raw mut clock) } != 0 {
        return Duration::ZERO;
    }
    // SAFETY: timespec is plain data, for which all zeros is a value, and the pointer is to a local.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(clock, &raw mut time);
        time
    };
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// What a process has cost.
pub struct Cost {
    /// User and system time, in seconds.
    pub cpu: f64,
    /// User time, in seconds.
    pub user: f64,
    /// Peak resident memory, in bytes.
    pub memory: u64,
}

/// What a run of `plat explore --json` left.
pub struct Run {
    /// The summary, as in `summary.json`.
    pub summary: Value,
    /// User and system time of the process, in seconds.
    pub cpu: f64,
    /// Its user time alone.
    pub user: f64,
    /// Peak resident memory, in bytes.
    pub memory: u64,
}

impl Run {
    /// A number of the summary, by the path of its keys: `forks.resolution`.
    pub fn number(&self, path: &str) -> f64 {
        self.value(path).as_f64().unwrap_or(f64::NAN)
    }

    /// A word of the summary.
    pub fn word(&self, path: &str) -> String {
        self.value(path).as_str().unwrap_or("?").to_owned()
    }

    /// Peak resident memory in MiB.
    #[expect(
        clippy::cast_precision_loss,
        reason = "memory of a process, shown with one digit"
    )]
    pub fn mebibytes(&self) -> f64 {
        self.memory as f64 / f64::from(1 << 20)
    }

    /// The keys of an object of the summary, sorted.
    pub fn keys(&self, path: &str) -> Vec<String> {
        let object = self.value(path).as_object();
        let mut keys: Vec<String> =
            object.map_or(vec![], |object| object.keys().cloned().collect());
        keys.sort_unstable();
        keys
    }

    /// The numbers of a list of the summary.
    pub fn numbers(&self, path: &str) -> Vec<f64> {
        let list = self.value(path).as_array().map_or(&[][..], Vec::as_slice);
        list.iter().filter_map(Value::as_f64).collect()
    }

    fn value(&self, path: &str) -> &Value {
        path.split('.')
            .fold(&self.summary, |value, key| &value[key])
    }
}

/// Explores `program` with `options`, writing nothing that stays.
///
/// # Errors
/// When plat cannot be run or refuses its command line.
pub fn explore(
    common: &Common,
    options: &[&str],
    program: &Path,
    arguments: &[&str],
) -> Result<Run, String> {
    let folder = scratch()?;
    let out = folder.path().join("out");
    explore_into(&out, common, options, program, arguments)
}

/// A directory of its own, which goes when this does.
///
/// # Errors
/// When it cannot be made.
pub fn scratch() -> Result<TempDir, String> {
    TempDir::with_prefix("plat-bench-").map_err(|error| format!("a directory: {error}"))
}

/// Explores `program` with `options` and leaves the run directory in `folder`.
///
/// # Errors
/// When plat cannot be run or refuses its command line.
pub fn explore_into(
    folder: &Path,
    common: &Common,
    options: &[&str],
    program: &Path,
    arguments: &[&str],
) -> Result<Run, String> {
    let mut command = Command::new(&common.plat);
    prepare(&mut command, common, Stages::All, options);
    explore_as(command, folder, program, arguments)
}

/// What plat does with a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stages {
    /// `plat explore`.
    All,
    /// `plat run`, on linked bitcode.
    Run,
}

impl Stages {
    /// The sub-command.
    fn name(self) -> &'static str {
        match self {
            Self::All => "explore",
            Self::Run => "run",
        }
    }
}

/// Links `program` with the C library.
///
/// # Errors
/// When plat cannot do it.
pub fn link(common: &Common, program: &Path) -> Result<PathBuf, String> {
    let linked = program.with_extension("linked.bc");
    link_into(common, program, &linked).map(|()| linked)
}

/// Links `program` with the C library into the file `linked`.
///
/// # Errors
/// When plat cannot do it.
pub fn link_into(common: &Common, program: &Path, linked: &Path) -> Result<(), String> {
    let mut command = Command::new(&common.plat);
    command.arg("link").arg(program).arg("-o").arg(linked);
    if let Some(libc) = &common.libc {
        command.env("PLAT_LIBC", libc);
    }
    let shown = format!("{command:?}");
    match finish(command)?.status {
        0 => Ok(()),
        status => Err(format!("wait status {status} from: {shown}")),
    }
}

/// Explores `program` with this plat.
///
/// # Errors
/// When plat cannot be run or refuses its command line.
pub fn explore_with(
    common: &Common,
    plat: &Path,
    stages: Stages,
    options: &[&str],
    program: &Path,
    arguments: &[&str],
) -> Result<Run, String> {
    let folder = scratch()?;
    let mut command = Command::new(plat);
    prepare(&mut command, common, stages, options);
    explore_as(command, &folder.path().join("out"), program, arguments)
}

fn explore_as(
    mut command: Command,
    folder: &Path,
    program: &Path,
    arguments: &[&str],
) -> Result<Run, String> {
    command.arg("--output-dir").arg(folder);
    command.arg(program).args(arguments);
    explored(command)
}

/// A sub-command of plat, killed after so many seconds whatever it does: it ignores a first signal that
/// asks it to end.
pub fn tool(common: &Common, name: &str, seconds: u64) -> Command {
    let mut command = killed_after(seconds);
    command.arg(&common.plat).arg(name);
    if let Some(libc) = &common.libc {
        command.env("PLAT_LIBC", libc);
    }
    command
}

/// A command that runs another one, to be given as arguments, for at most so many seconds.
pub fn killed_after(seconds: u64) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--signal", "KILL"]).arg(seconds.to_string());
    command
}

/// Runs a `plat` that prints its summary.
///
/// # Errors
/// When it cannot be run or prints none.
pub fn explored(command: Command) -> Result<Run, String> {
    let shown = format!("{command:?}");
    let Ended {
        printed,
        status,
        cost,
        ..
    } = finish(command)?;
    let summary = serde_json::from_str(&printed)
        .map_err(|_| format!("no summary (wait status {status}) from: {shown}"))?;
    Ok(Run {
        summary,
        cpu: cost.cpu,
        user: cost.user,
        memory: cost.memory,
    })
}

/// Instructions of the machine that an exploration takes, as callgrind counts them.
///
/// # Errors
/// When valgrind cannot be run or counts nothing.
pub fn machine_instructions(
    common: &Common,
    stages: Stages,
    options: &[&str],
    program: &Path,
    arguments: &[&str],
) -> Result<u64, String> {
    let folder = scratch()?;
    let counts = folder.path().join("callgrind");
    let mut command = Command::new("valgrind");
    command
        .args(["-q", "--tool=callgrind"])
        .arg(format!("--callgrind-out-file={}", counts.display()))
        .arg(&common.plat);
    prepare(&mut command, common, stages, options);
    command
        .arg("--output-dir")
        .arg(folder.path().join("out"))
        .arg(program)
        .args(arguments);
    finish(command)?;
    let text = std::fs::read_to_string(&counts).unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix("totals: "))
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| "valgrind has counted nothing".to_owned())
}

/// Runs a command to its end and says what it has cost.
///
/// # Errors
/// When it cannot be run.
pub fn cost(mut command: Command) -> Result<Cost, String> {
    command.stdin(Stdio::null());
    finish(command).map(|ended| ended.cost)
}

fn prepare(command: &mut Command, common: &Common, stages: Stages, options: &[&str]) {
    command.args([stages.name(), "--json", "--max-time", &common.max_time]);
    command.args(options).stdin(Stdio::null());
    if let Some(libc) = &common.libc {
        command.env("PLAT_LIBC", libc);
    }
}

/// Runs a command to its end; what it prints and what it has cost.
///
/// # Errors
/// When it cannot be run.
pub fn printed_at_cost(mut command: Command) -> Result<(String, Cost), String> {
    command.stdin(Stdio::null());
    finish(command).map(|ended| (ended.printed, ended.cost))
}

/// A command that has come to its end.
pub struct Ended {
    /// What it has printed.
    pub printed: String,
    /// The last of what it has complained of.
    pub complaint: String,
    /// The system's word for its end: 0 for exit code 0.
    pub status: i32,
    pub cost: Cost,
}

/// Reads what the command prints, waits for it, and says what it has cost.
///
/// # Errors
/// When it cannot be run.
pub fn finish(mut command: Command) -> Result<Ended, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let mut complaints = tempfile::tempfile().map_err(wrong)?;
    command.stdout(Stdio::piped());
    command.stderr(complaints.try_clone().map_err(wrong)?);
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", command.get_program().display()))?;
    let mut printed = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut printed).map_err(wrong)?;
    }
    let mut status = 0;
    // SAFETY: rusage is plain data, for which all zeros is a value; the process
    // is our child and nobody else waits for it. (rustix waits without a count of what was used.)
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let waited = libc::wait4(child.id().cast_signed(), &raw mut status, 0, &raw mut usage);
        (waited, usage)
    };
    if waited < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    let mut bytes = Vec::new();
    complaints.rewind().map_err(wrong)?;
    complaints.read_to_end(&mut bytes).map_err(wrong)?;
    let complaint = String::from_utf8_lossy(&bytes);
    let complaint = complaint.lines().last().unwrap_or_default().to_owned();
    let user = seconds(usage.ru_utime);
    let cost = Cost {
        cpu: user + seconds(usage.ru_stime),
        user,
        memory: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    };
    Ok(Ended {
        printed,
        complaint,
        status,
        cost,
    })
}

#[expect(clippy::cast_precision_loss, reason = "seconds of a benchmark are few")]
fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}
