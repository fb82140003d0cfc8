//! What plat says a program does: its stages run as commands, its run directory read back.

use crate::corpus::Case;
use crate::{Behaviour, Scratch, command, compile_bitcode_with, root, scratch};
use plat::output::summary::Summary;
use plat::output::tests_jsonl::{self, End};
use plat::suite::{self, Container};
use plat_env::Ktest;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One test that plat wrote.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number.
    pub test: u32,
    /// Its input, as [`crate::brute`] takes it.
    pub input: Vec<u8>,
    /// What the path did; an error for ends that no program of the corpus should have.
    pub behaviour: Result<Behaviour, String>,
}

/// Longest time for one command, in seconds: a defect must not hang the tests.
const LONGEST: &str = "150";

/// Runs the command.
pub fn plat(executable: &Path, args: &[&str]) -> Output {
    Command::new("timeout")
        .arg(LONGEST)
        .arg(executable)
        .args(args)
        .output()
        .unwrap_or_else(|why| panic!("{}: {why}", executable.display()))
}

/// Runs the command; a failure is an error with what it said.
///
/// # Errors
/// When it exits with another code than 0.
pub fn plat_ok(executable: &Path, args: &[&str]) -> Result<Output, String> {
    let output = plat(executable, args);
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "plat {}: {}\n{said}",
        args.join(" "),
        output.status
    ))
}

/// The points-to sets of a prepared program, to check its runs against.
pub fn points_to(program: &Path) -> PathBuf {
    program.with_extension("pts")
}

/// Takes a source file through all stages but the last, and analyses what comes out.
///
/// # Errors
/// With what the failing stage said.
pub fn prepare(executable: &Path, source: &Path, directory: &Path) -> Result<PathBuf, String> {
    prepare_with(executable, source, &[], directory)
}

/// The same with further flags for the compiler.
///
/// # Errors
/// With what the failing stage said.
pub fn prepare_with(
    executable: &Path,
    source: &Path,
    flags: &[String],
    directory: &Path,
) -> Result<PathBuf, String> {
    let name = source
        .file_stem()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let (program, linked, points_to) = (file("bc"), text(&file("linked.bc")), text(&file("pts")));
    let (segments, transformed) = (text(&file("segments.json")), file("plat.bc"));
    let after = text(&self::points_to(&transformed));
    compile_bitcode_with(source, flags, &program);
    plat_ok(executable, &["link", &text(&program), "-o", &linked])?;
    plat_ok(executable, &["analyze", &linked, "-o", &points_to])?;
    plat_ok(
        executable,
        &[
            "segment",
            &linked,
            "--points-to",
            &points_to,
            "-o",
            &segments,
        ],
    )?;
    plat_ok(
        executable,
        &[
            "transform",
            &linked,
            "--segments",
            &segments,
            "-o",
            &text(&transformed),
        ],
    )?;
    plat_ok(executable, &["analyze", &text(&transformed), "-o", &after])?;
    Ok(transformed)
}

/// A program of a folder of `tests/programs`, prepared in a directory of its own.
///
/// # Panics
/// If a stage fails.
pub fn prepared(folder: &str, name: &str) -> (Scratch, PathBuf) {
    let directory = scratch(&format!("{folder}-{name}"));
    let source = root().join(format!("tests/programs/{folder}/{name}.c"));
    let program = prepare(command(), &source, &directory).expect("a prepared program");
    (directory, program)
}

/// Runs a prepared program with options into a directory. Its summary.
///
/// # Panics
/// If the run fails or leaves none.
pub fn summary_of_run(program: &Path, out: &Path, options: &[&str]) -> Summary {
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let mut words = vec!["run", "--quiet", "--output-dir", &out_text];
    words.extend(options);
    words.push(&program);
    plat_ok(command(), &words).expect("a run");
    summary(out)
}

/// The summary of a run.
///
/// # Panics
/// If there is none.
pub fn summary(out: &Path) -> Summary {
    let text = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("a summary")
}

/// Runs a prepared program under a model, with further options, and reads its tests; its pointers
/// must lead where the analysis says.
///
/// # Errors
/// When the run fails or leaves something that cannot be read.
pub fn run(
    executable: &Path,
    case: &Case,
    program: &Path,
    (model, further): (&str, &[&str]),
    directory: &Path,
) -> Result<Vec<Found>, String> {
    let out = directory.join(format!("{}-{model}{}", case.name, further.concat()));
    let points_to = points_to(program);
    let check = format!("--check-points-to={}", points_to.display());
    let mut options = vec!["--memory-model", model, &check];
    options.extend(further);
    run_to(executable, case, program, &options, &out)
}

/// Runs a prepared program with options into a directory and reads its tests.
///
/// # Errors
/// When the run fails or leaves something that cannot be read.
pub fn run_to(
    executable: &Path,
    case: &Case,
    program: &Path,
    options: &[&str],
    out: &Path,
) -> Result<Vec<Found>, String> {
    let (out_text, program_text) = (out.to_string_lossy(), program.to_string_lossy());
    let mut args = vec!["run", "--quiet", "--emit-all-errors"];
    args.extend(options);
    args.extend([
        "--max-time",
        "120s",
        "--output-dir",
        &out_text,
        &program_text,
    ]);
    let options = case.symbolic_options();
    args.extend(options.iter().map(String::as_str));
    plat_ok(executable, &args)?;
    read_tests(case, out)
}

fn read_tests(case: &Case, out: &Path) -> Result<Vec<Found>, String> {
    let text = |why: plat::Error| why.to_string();
    let container = Container::open(out).map_err(text)?;
    let lines = out.join("tests.jsonl");
    let lines =
        std::fs::read_to_string(&lines).map_err(|why| format!("{}: {why}", lines.display()))?;
    let lines = tests_jsonl::parse(&lines)?;
    if !container.numbers().eq(lines.iter().map(|line| line.test)) {
        return Err(format!(
            "{}: run.tests and tests.jsonl differ",
            out.display()
        ));
    }
    lines
        .into_iter()
        .map(|line| {
            let name = suite::stem(line.test);
            let test = container.test(line.test).map_err(text)?;
            if test.line() != line {
                return Err(format!("{name}: {:?} is not {line:?}", test.line()));
            }
            let behaviour = match (line.end, line.exit_code) {
                (End::Fault, _) => Ok(Behaviour::Fault),
                (End::Returned | End::Exited, Some(code)) => {
                    let text = String::from_utf8_lossy(&test.stdout).into_owned();
                    Ok(Behaviour::Ended(code, text))
                }
                (end, _) => Err(format!("{name} ended as {end:?}: {:?}", line.fault)),
            };
            Ok(Found {
                test: line.test,
                input: input_of(case, &test.to_ktest(&container.run().arguments))?,
                behaviour,
            })
        })
        .collect()
}

/// The input vector of a test case; inputs that the path did not ask for are 0.
fn input_of(case: &Case, test: &Ktest) -> Result<Vec<u8>, String> {
    let mut intrinsic = Vec::new();
    let mut stdin = Vec::new();
    let mut args = Vec::new();
    for object in &test.objects {
        let bytes = &object.bytes;
        match object.name.as_str() {
            "stdin" => stdin.clone_from(bytes),
            name if name.ends_with("_stat") => {}
            name if is_argument(name) && !case.args.is_empty() => {
                args.extend_from_slice(&bytes[..bytes.len() - 1]);
            }
            // A range: an int of little-endian bytes.
            _ if case
                .inputs
                .get(intrinsic.len())
                .is_some_and(|&count| count < 256) =>
            {
                if bytes.len() != 4 || bytes[1..] != [0, 0, 0] {
                    return Err(format!("{object:?} is not in the declared range"));
                }
                intrinsic.push(bytes[0]);
            }
            _ => intrinsic.extend_from_slice(bytes),
        }
    }
    let pad = |values: &mut Vec<u8>, length: usize, what: &str| {
        if values.len() > length {
            return Err(format!(
                "{} values for {what}, {length} declared",
                values.len()
            ));
        }
        values.resize(length, 0);
        Ok(())
    };
    pad(&mut intrinsic, case.inputs.len(), "intrinsics")?;
    pad(&mut stdin, case.stdin, "stdin")?;
    pad(&mut args, case.args.iter().sum(), "arguments")?;
    Ok([intrinsic, stdin, args].concat())
}

fn is_argument(name: &str) -> bool {
    name.strip_prefix("arg")
        .is_some_and(|digits| digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
