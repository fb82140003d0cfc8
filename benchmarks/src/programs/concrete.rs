//! Real programs on concrete input: standard output and exit code as natively.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use super::cases::{self, Built, Case, built};
use super::checked::Checked;
use super::folder;
use super::real::{Pages, Programs, Wrong};
use crate::Common;
use crate::process::{killed_after, link_into, scratch, tool};
use crate::table::Table;

const HEAD: [&str; 7] = [
    "program",
    "case",
    "exit code",
    "plat",
    "output",
    "instructions",
    "seconds",
];

/// What a run left.
struct Ran {
    code: Option<i32>,
    output: Vec<u8>,
}

/// Runs the cases and says which differ. Programs are linked once and run, or explored if there are
/// options for that.
///
/// # Errors
/// When a program is not there or a run cannot be started.
pub fn concrete(
    common: &Common,
    what: &Programs,
    pages: &mut Pages<'_>,
    wrong: &mut Wrong,
    checked: &mut Checked,
) -> Result<Table, String> {
    let mut table = Table::new("On concrete input, beside the native build", &HEAD);
    let scratch = scratch()?;
    let mut linked = BTreeMap::new();
    for case in cases::read("concrete.cases", &what.only)? {
        let program = built(&what.place.build(), &case.program)?;
        let bitcode = match linked.get(&case.program) {
            _ if !what.with.is_empty() => program.bitcode.clone(),
            Some(bitcode) => PathBuf::clone(bitcode),
            None => {
                let bitcode = scratch.path().join(format!("{}.bc", case.program));
                link_into(common, &program.bitcode, &bitcode)?;
                linked.insert(case.program.clone(), bitcode.clone());
                bitcode
            }
        };
        let compared = compare(common, what, &scratch, &case, &program, &bitcode)?;
        table.row(compared.row);
        let mut lines = checked.add(&compared.summary);
        // plat's exit code is its own where the analysis is wrong.
        if !compared.same_output || (!compared.same_code && lines.is_empty()) {
            lines.push("differs".to_owned());
        }
        let lines = lines.into_iter();
        wrong.extend(lines.map(|line| format!("{} {}: {line}", case.program, case.shown())));
        pages.show(&table)?;
    }
    Ok(table)
}

/// A case beside its native run.
struct Compared {
    row: Vec<String>,
    same_output: bool,
    same_code: bool,
    summary: Value,
}

/// Runs a case natively and by plat.
fn compare(
    common: &Common,
    what: &Programs,
    scratch: &TempDir,
    case: &Case,
    program: &Built,
    bitcode: &Path,
) -> Result<Compared, String> {
    let mut native = killed_after(20);
    native.arg(&program.native).env_clear();
    // The environment that plat gives a program.
    native.envs([("HOME", "/"), ("LC_ALL", "C"), ("PATH", "/bin:/usr/bin")]);
    let expected = run(native, case, scratch)?;
    let out = scratch.path().join("out");
    let mut command = tool(common, stage(what), what.case_time);
    command.args([
        "--exit-code",
        "--output-source=false",
        "--output-istats=false",
    ]);
    command.args(&what.with);
    command.arg("--output-dir").arg(&out).arg(bitcode);
    let start = std::time::Instant::now();
    let got = run(command, case, scratch)?;
    let seconds = start.elapsed().as_secs_f64();
    let summary = summary(&out);
    let instructions = summary["instructions"].as_u64();
    let _ = std::fs::remove_dir_all(&out);
    // The name of the program in its output is the file's.
    let same_output = replaced(
        &expected.output,
        program.native.as_os_str().as_encoded_bytes(),
        bitcode.as_os_str().as_encoded_bytes(),
    ) == got.output;
    let code = |code: Option<i32>| code.map_or("killed".to_owned(), |code| code.to_string());
    let row = vec![
        case.program.clone(),
        case.shown(),
        code(expected.code),
        code(got.code),
        if same_output { "same" } else { "DIFFERS" }.to_owned(),
        instructions.map_or("-".into(), |count| count.to_string()),
        format!("{seconds:.1}"),
    ];
    Ok(Compared {
        row,
        same_output,
        same_code: expected.code == got.code,
        summary,
    })
}

/// The command of plat for a concrete run.
fn stage(what: &Programs) -> &'static str {
    match what.with.is_empty() {
        true => "run",
        false => "explore",
    }
}

/// The summary that a run has left; null if it has left none.
fn summary(out: &Path) -> Value {
    let text = std::fs::read_to_string(out.join("summary.json")).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

/// Runs a command with the case's input and arguments in a fresh copy of the inputs.
fn run(mut command: Command, case: &Case, scratch: &TempDir) -> Result<Ran, String> {
    let room = scratch.path().join("run");
    let _ = std::fs::remove_dir_all(&room);
    copy(&folder().join("inputs"), &room)
        .map_err(|error| format!("{}: {error}", room.display()))?;
    let input = case.input.as_deref().unwrap_or(Path::new("/dev/null"));
    let input = File::open(input).map_err(|error| format!("{}: {error}", input.display()))?;
    let done = command
        .args(&case.arguments)
        .current_dir(&room)
        .stdin(input)
        .stderr(Stdio::null())
        .output()
        .map_err(|error| format!("cannot run {command:?}: {error}"))?;
    Ok(Ran {
        code: done.status.code(),
        output: done.stdout,
    })
}

/// Copies a folder; everything in the copy is equally old.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let there = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &there)?;
        } else {
            std::fs::copy(entry.path(), &there)?;
            age(&there)?;
        }
    }
    age(to)
}

fn age(path: &Path) -> std::io::Result<()> {
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let times = std::fs::FileTimes::new()
        .set_accessed(then)
        .set_modified(then);
    File::open(path)?.set_times(times)
}

fn replaced(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut rest = text;
    let mut out = Vec::with_capacity(text.len());
    while let Some((&first, others)) = rest.split_first() {
        if let Some(after) = rest.strip_prefix(from) {
            out.extend_from_slice(to);
            rest = after;
        } else {
            out.push(first);
            rest = others;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn replaces_all() {
        assert_eq!(replaced(b"a/b: a/b a", b"a/b", b"c"), b"c: c a");
    }
}
