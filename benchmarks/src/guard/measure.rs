//! What a row costs: instructions of the machine in user mode, or seconds in user mode where they cannot be counted.

use crate::Common;
use crate::process::{Ended, finish, scratch};
use crate::programs::{bitcode, folder};
use crate::suites::command::{Prepared, plain};
use crate::suites::rows::{Places, Row};
use std::path::Path;
use std::process::{Command, Stdio};

/// Seconds that a row may take.
const LIMIT: f64 = 600.0;

/// How costs are found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Way {
    /// Instructions, by the counters of the processor (perf)
    Perf,
    /// Instructions, by valgrind: fifty times as slow, and the same on a busy machine
    Valgrind,
    /// User time
    Time,
}

impl Way {
    /// The ways to count that this machine has, the faster one first.
    pub fn counting() -> Vec<Self> {
        let perf = perf_counts().then_some(Self::Perf);
        let valgrind = valgrind().is_ok().then_some(Self::Valgrind);
        perf.into_iter().chain(valgrind).collect()
    }

    /// The best that this machine has.
    pub fn best() -> Self {
        Self::counting().first().copied().unwrap_or(Self::Time)
    }

    /// Whether it counts, so that one run says all.
    pub fn counts(self) -> bool {
        self != Self::Time
    }

    /// What it counts with, for a key of counts that are kept.
    ///
    /// # Errors
    /// When valgrind cannot be run.
    pub fn named(self) -> Result<String, String> {
        match self {
            Self::Perf => Ok("perf".to_owned()),
            Self::Valgrind => valgrind(),
            Self::Time => Ok("user time".to_owned()),
        }
    }
}

/// The version of valgrind.
fn valgrind() -> Result<String, String> {
    let output = Command::new("valgrind").arg("--version").output();
    let output =
        output.map_err(|_| "valgrind is not installed: `scripts/setup valgrind`".to_owned())?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Whether perf can count instructions here: virtual machines often have no counters.
fn perf_counts() -> bool {
    let mut perf = Command::new("perf");
    perf.args(["stat", "-x,", "-e", "instructions:u", "true"]);
    let output = perf.stdin(Stdio::null()).output();
    output.is_ok_and(|output| counted(&String::from_utf8_lossy(&output.stderr)).is_some())
}

/// The number of perf's line.
fn counted(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.contains("instructions"))?;
    line.split(',').next()?.parse().ok()
}

/// Runs the row with this plat; what its last step costs.
///
/// # Errors
/// When a program cannot be built, or a step does not come to its end.
pub fn cost(common: &Common, plat: &Path, row: &Row, way: Way) -> Result<f64, String> {
    let room = scratch()?;
    let program = bitcode(&row.program)?;
    let places = Places {
        program: &program,
        programs: &folder(),
        folder: room.path(),
        limit: LIMIT,
    };
    let mut cost = Err(format!("{} has no steps", row.id));
    for (at, step) in row.steps.iter().enumerate() {
        let words = row.words(step, &places, &|_| None)?;
        let prepared = Prepared::new(&step.name, &words, room.path());
        let last = at + 1 == row.steps.len();
        cost = one(
            common,
            plat,
            &prepared,
            room.path(),
            if last { way } else { Way::Time },
        );
        if let Err(why) = &cost {
            return Err(format!(
                "{}: {why} from: {}",
                row.id,
                plain(&prepared.words)
            ));
        }
    }
    cost
}

fn one(
    common: &Common,
    plat: &Path,
    prepared: &Prepared,
    room: &Path,
    way: Way,
) -> Result<f64, String> {
    let counts = room.join("counts");
    let mut command = match way {
        Way::Time => Command::new(plat),
        Way::Perf => {
            let mut perf = Command::new("perf");
            perf.args(["stat", "-x,", "-e", "instructions:u", "-o"]);
            perf.arg(&counts).arg(plat);
            perf
        }
        Way::Valgrind => {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
            valgrind
                .arg(format!("--log-file={}", counts.display()))
                .arg(plat);
            valgrind
        }
    };
    prepared.give(&mut command, common, room);
    let Ended {
        printed,
        status,
        cost,
        complaint,
    } = finish(command)?;
    let ended = match prepared.explores {
        true => serde_json::from_str::<serde_json::Value>(&printed).is_ok_and(|summary| {
            matches!(summary["stop"].as_str(), Some("finished" | "instructions"))
        }),
        false => status == 0,
    };
    if !ended {
        return Err(format!("it did not come to its end ({complaint})"));
    }
    let text = std::fs::read_to_string(&counts).unwrap_or_default();
    match way {
        Way::Time => Ok(cost.user),
        Way::Perf => counted(&text).ok_or("perf has counted nothing".to_owned()),
        Way::Valgrind => collected(&text).ok_or("valgrind has counted nothing".to_owned()),
    }
}

/// The number of callgrind's line `Collected : N` of the process that was started, whose lines are the first. Those
/// that it forks write to the same file, often before it.
fn collected(text: &str) -> Option<f64> {
    let process = text.split_whitespace().next()?;
    let mut own = text.lines().filter_map(|line| line.strip_prefix(process));
    let count = own.find_map(|line| line.trim_start().strip_prefix("Collected :"))?;
    count.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read() {
        assert_eq!(counted("1234,,instructions:u,5,100.00,,\n"), Some(1234.0));
        assert_eq!(
            counted("<not supported>,,instructions:u,0,100.00,,\n"),
            None
        );
        assert_eq!(
            collected("==7== \n==7== Collected : 98765\n"),
            Some(98765.0)
        );
        let forked =
            "==7== Callgrind\n==8== Collected : 5\n==7== Events : Ir\n==7== Collected : 98765\n";
        assert_eq!(collected(forked), Some(98765.0));
        assert_eq!(collected("==7== nothing\n==8== Collected : 5\n"), None);
    }
}
