//! Real programs on symbolic input: how they are explored, where something is not supported, and what
//! the tests do natively.

use std::collections::BTreeMap;
use std::path::Path;

use tempfile::TempDir;

use super::cases::{self, Case, built};
use super::checked::Checked;
use super::real::{Pages, Programs, Wrong};
use super::replays::{Place, Replays, Tests, replay};
use crate::Common;
use crate::process::{Run, explored, scratch, tool};
use crate::table::Table;

const HEAD: [&str; 15] = [
    "program",
    "paths",
    "cut off",
    "faults",
    "unsupported",
    "instructions",
    "queries",
    "answered without back end",
    "MiB",
    "seconds",
    "tests",
    "replayed",
    "same",
    "same until cut off",
    "different",
];

/// Beyond the time of an exploration: what linking, analysis and the last tests may take.
const BESIDE: u64 = 600;

/// Where a program is explored, in the scratch directory: in a directory of its own, as `ls` shows
/// the times of that too.
pub const ROOM: &str = "place/run";

/// Explores the programs and replays their tests.
///
/// # Errors
/// When a program is not there or cannot be started.
pub fn symbolic(
    common: &Common,
    what: &Programs,
    pages: &mut Pages<'_>,
    wrong: &mut Wrong,
    checked: &mut Checked,
) -> Result<Table, String> {
    let title = format!(
        "On symbolic input, {} s each, every test replayed natively",
        what.time
    );
    let mut table = Table::new(&title, &HEAD);
    for case in cases::read("symbolic.cases", &what.only)? {
        let program = built(&what.place.build(), &case.program)?;
        // What a run leaves goes before the next one starts.
        let scratch = scratch()?;
        let out = scratch.path().join("out");
        match explore(common, what, &scratch, &case, &program.bitcode) {
            Err(why) => wrong.push(format!("{}: {why}", case.program)),
            Ok(run) => {
                let tests = Tests::read(&out)?;
                let place = Place {
                    native: &program.native,
                    explored_in: &scratch.path().join(ROOM),
                };
                let replays = replay(common, what.replays, &tests, &place)?;
                let lines = lacks(&run, &tests, &out).into_iter();
                wrong.extend(
                    lines
                        .chain(checked.add(&run.summary))
                        .chain(replays.different.iter().cloned())
                        .map(|line| format!("{}: {line}", case.program)),
                );
                table.row(row(&case, &run, &tests, &replays));
            }
        }
        pages.show(&table)?;
    }
    Ok(table)
}

/// Explores in an empty directory, as the replays are run in one.
///
/// # Errors
/// When the directory cannot be made or plat cannot be run.
pub fn explore(
    common: &Common,
    what: &Programs,
    scratch: &TempDir,
    case: &Case,
    bitcode: &Path,
) -> Result<Run, String> {
    let room = scratch.path().join(ROOM);
    // Looked at once, so that later looks leave its time of access alone.
    std::fs::create_dir_all(&room)
        .and_then(|()| std::fs::read_dir(&room).map(Iterator::count))
        .map_err(|error| format!("{}: {error}", room.display()))?;
    let out = scratch.path().join("out");
    let mut command = tool(common, "explore", what.time + BESIDE);
    command
        .arg("--json")
        .arg(format!("--max-time={}s", what.time));
    command.arg(format!("--max-memory={}", what.memory));
    // The listings of the code that is run are not looked at.
    command.args(["--output-source=false", "--output-istats=false"]);
    // Natively it is now as well, by which ls decides how it writes a time.
    command.args(["--start-time", "now"]);
    command.args(&what.with).arg("--output-dir").arg(&out);
    if let Some(template) = &case.input {
        command.arg("--stdin-template").arg(template);
    }
    for model in &common.models {
        command.arg("--memory-model").arg(model);
    }
    command.arg(bitcode).args(&case.arguments).current_dir(room);
    explored(command)
}

/// A line for each place at which a path ended because something is not supported, and for lost paths.
fn lacks(run: &Run, tests: &Tests, out: &Path) -> Vec<String> {
    let mut places: BTreeMap<String, u64> = BTreeMap::new();
    for test in tests.ending("unsupported") {
        *places.entry(place(out, test)).or_default() += 1;
    }
    let ends = run.number("paths.unsupported");
    if ends != 0.0 && places.is_empty() {
        places.insert("no test says where".into(), ends as u64);
    }
    let mut lines: Vec<String> = places
        .into_iter()
        .map(|(place, count)| format!("unsupported, {count} paths: {place}"))
        .collect();
    if run.number("lost_paths") != 0.0 {
        lines.push("a process died and lost paths".into());
    }
    lines
}

/// What the error report of a test says: what happened, and where.
fn place(out: &Path, test: u32) -> String {
    let stem = format!("test{test:06}.");
    let report = std::fs::read_dir(out)
        .into_iter()
        .flatten()
        .flatten()
        .find(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            name.starts_with(&stem) && name.ends_with(".err")
        })
        .and_then(|entry| std::fs::read_to_string(entry.path()).ok())
        .unwrap_or_default();
    let said = |key: &str| {
        let line = report.lines().find_map(|line| line.strip_prefix(key));
        line.unwrap_or("?").trim().to_owned()
    };
    format!("{} at {}:{}", said("Error:"), said("File:"), said("Line:"))
}

fn row(case: &Case, run: &Run, tests: &Tests, replays: &Replays) -> Vec<String> {
    let count = |path: &str| format!("{:.0}", run.number(path));
    let asked = run.number("solver.queries");
    let without = match asked {
        0.0 => "-".to_owned(),
        _ => format!(
            "{:.2} %",
            100.0 * (1.0 - run.number("solver.backend_queries") / asked)
        ),
    };
    vec![
        case.program.clone(),
        count("paths.completed"),
        count("paths.limits"),
        count("paths.faults"),
        count("paths.unsupported"),
        count("instructions"),
        count("solver.queries"),
        without,
        format!("{:.0}", run.mebibytes()),
        format!("{:.0}", run.number("wall_s")),
        tests.all().to_string(),
        replays.replayed().to_string(),
        replays.same.to_string(),
        replays.cut_off.to_string(),
        replays.different.len().to_string(),
    ]
}
