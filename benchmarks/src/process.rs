//! One run of plat: its summary, its processor time and its memory.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::Common;

/// What a run of `plat explore --json` left.
pub struct Run {
    /// The summary, as in `summary.json`.
    pub summary: Value,
    /// User and system time of the process, in seconds.
    pub cpu: f64,
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
    let folder = scratch();
    let run = explore_into(&folder, common, options, program, arguments);
    let _ = std::fs::remove_dir_all(&folder);
    run
}

/// A directory that does not exist yet.
pub fn scratch() -> PathBuf {
    std::env::temp_dir().join(format!("plat-bench-{}", std::process::id()))
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
    command.args(["explore", "--json", "--max-time", &common.max_time]);
    command
        .arg("--output-dir")
        .arg(folder)
        .args(options)
        .arg(program)
        .args(arguments);
    if let Some(libc) = &common.libc {
        command.env("PLAT_LIBC", libc);
    }
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let shown = format!("{command:?}");
    let child = command
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", common.plat.display()))?;
    let (text, status, usage) = finish(child)?;
    let summary = serde_json::from_str(&text)
        .map_err(|_| format!("no summary (wait status {status}) from: {shown}"))?;
    Ok(Run {
        summary,
        cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime),
        memory: u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024,
    })
}

/// Reads what the process prints, then waits for it.
fn finish(mut child: Child) -> Result<(String, i32, libc::rusage), String> {
    let mut text = String::new();
    if let Some(mut pipe) = child.stdout.take() {
        pipe.read_to_string(&mut text)
            .map_err(|error| error.to_string())?;
    }
    let mut status = 0;
    // SAFETY: rusage is plain data, for which all zeros is a value; the process
    // is our child and nobody else waits for it.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let waited = libc::wait4(child.id().cast_signed(), &raw mut status, 0, &raw mut usage);
        (waited, usage)
    };
    if waited < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    Ok((text, status, usage))
}

#[expect(clippy::cast_precision_loss, reason = "seconds of a benchmark are few")]
fn seconds(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 * 1e-6
}
