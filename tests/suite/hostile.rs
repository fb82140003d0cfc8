//! Programs that no executor likes: bounded time and memory, a clear end, no crash.
//!
//! Each program of `tests/programs/hostile` says in its head how it is run and what its ends are:
//!
//! ```c
//! /* What it does.
//!  * options: --max-memory 500   options for plat (default: --max-time 60s)
//!  * arguments: 1000             so many arguments for the program
//!  * input: 1000                 so many bytes of standard input
//!  * ends: exit 0                the only end: this exit code;
//!  *       limit memory          or a path that this limit cut off;
//!  *       fault ptr MESSAGE     or among others this fault; any */
//! ```

use plat_tests::program::{self, Program};
use plat_tests::{command, compile_bitcode, faulty, root, scratch};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longest time for one program, on a machine that does other things too.
const LONGEST: Duration = Duration::from_secs(150);

/// Most memory of one run, mapped or not, in KiB.
const MOST: u64 = 4 << 20;

/// The programs to test: all, or those whose names contain $PLAT_HOSTILE.
fn programs() -> Vec<Program> {
    let only = std::env::var("PLAT_HOSTILE").unwrap_or_default();
    let programs = program::all("hostile").into_iter();
    programs
        .filter(|program| program.file.contains(&only))
        .collect()
}

fn count(program: &Program, key: &str) -> usize {
    program.numbers(key).first().copied().unwrap_or(0)
}

/// Runs a command under a clock and a bound on its memory.
fn run(command: &Command, directory: &Path) -> Output {
    let mut words = Command::new("timeout");
    words
        .args(["-s", "KILL", &LONGEST.as_secs().to_string()])
        .args(["sh", "-c"])
        .arg(format!("ulimit -v {MOST}; exec \"$@\""))
        .arg("sh")
        .arg(command.get_program())
        .args(command.get_args())
        .stdin(Stdio::null());
    if let Ok(input) = std::fs::File::open(directory.join("input")) {
        words.stdin(input);
    }
    words.output().expect("a run")
}

/// What is wrong with how a run ended.
fn wrong_end(program: &Program, out: &Path, output: &Output) -> Option<String> {
    let expected = program.entry("ends");
    assert!(!expected.is_empty(), "{}: no ends", program.file);
    let mut words = expected.splitn(3, ' ');
    let (kind, detail) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let files = |suffix: &str| {
        let entries = std::fs::read_dir(out).expect("a run directory");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let mut texts = Vec::new();
        for path in paths.filter(|path| path.to_string_lossy().ends_with(suffix)) {
            let text = std::fs::read(&path).expect("a file");
            texts.push(String::from_utf8_lossy(&text).into_owned());
        }
        texts
    };
    let reports = faulty::reports(out);
    let right = match kind {
        "exit" => {
            let code = output.status.code().map(|code| code.to_string());
            code.as_deref() == Some(detail) && reports.is_empty()
        }
        "limit" => files(".early").iter().any(|text| text.contains(detail)),
        "fault" => {
            let message = words.next().unwrap_or_default();
            let mut reports = reports.iter();
            reports.any(|report| report.suffix == detail && report.message == message)
        }
        _ => true,
    };
    let unsupported = reports.iter().any(|report| report.suffix == "exec");
    (!right || unsupported).then(|| format!("not `{expected}`: {reports:?}"))
}

#[test]
fn hostile_programs_end_clearly() {
    let mut wrong = Vec::new();
    for program in programs() {
        let directory = scratch(&format!("hostile-{}", program.stem()));
        let (bitcode, out) = (directory.join("program.bc"), directory.join("out"));
        compile_bitcode(&program.source, &bitcode);
        let input = count(&program, "input");
        if input > 0 {
            std::fs::write(directory.join("input"), vec![0; input]).expect("an input");
        }
        let options = match program.entry("options") {
            "" => "--max-time 60s",
            options => options,
        };
        let mut command = Command::new(command());
        command
            .args(["explore", "--quiet", "--exit-code", "--output-dir"])
            .arg(&out)
            .args(options.split_whitespace())
            .arg(&bitcode)
            .args((0..count(&program, "arguments")).map(|_| "sixsix"));
        let started = Instant::now();
        let output = run(&command, &directory);
        let name = &program.file;
        let said = String::from_utf8_lossy(&output.stderr);
        if started.elapsed() >= LONGEST || output.status.code().is_none_or(|code| code == 137) {
            wrong.push(format!("{name}: {}: {said}", output.status));
        } else if said.contains("panicked") {
            wrong.push(format!("{name}: {said}"));
        } else if let Some(why) = wrong_end(&program, &out, &output) {
            wrong.push(format!("{name}: {why}: {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn damaged_bitcode_is_refused_or_linked() {
    let directory = scratch("damaged");
    let good = directory.join("good.bc");
    compile_bitcode(&root().join("tests/programs/hostile/jump_table.c"), &good);
    let good = std::fs::read(&good).expect("bitcode");
    let (damaged, out) = (directory.join("damaged.bc"), directory.join("out.bc"));
    let mut random = fastrand::Rng::with_seed(7);
    let mut refused = 0;
    for round in 0..80 {
        let mut bytes = good.clone();
        for _ in 0..=round % 3 {
            let at = random.usize(..bytes.len() * 8);
            bytes[at / 8] ^= 1 << (at % 8);
        }
        std::fs::write(&damaged, &bytes).expect("a file");
        let output = Command::new("timeout")
            .args(["-s", "KILL", "60"])
            .arg(command())
            .arg("link")
            .arg(&damaged)
            .arg("-o")
            .arg(&out)
            .output()
            .expect("a run");
        let said = String::from_utf8_lossy(&output.stderr);
        // LLVM writes a line of its own where it leaves out damaged debug information.
        let lines = said.lines().filter(|line| line.starts_with("plat: "));
        match output.status.code() {
            Some(0) => {}
            Some(2) => {
                refused += 1;
                assert_eq!(lines.count(), 1, "round {round}: {said}");
            }
            _ => panic!("round {round}: {}: {said}", output.status),
        }
    }
    assert!(refused > 10, "the damage does none");
}

/// Twenty branches, a path for each way through them: 2^20.
const TWENTY: &str = "
#include <klee/klee.h>
int main(void)
{
\tunsigned char bytes[20];
\tint sum = 0;
\tklee_make_symbolic(bytes, sizeof bytes, \"bytes\");
\tfor (int round = 0; round < 20; round++)
\t\tif (bytes[round] > 100)
\t\t\tsum += round;
\treturn sum == 1000;
}
";

/// A bound on memory that holds a few thousand paths does not keep others from being explored: near
/// it, paths end before others begin, also under a searcher that would end none before all live.
#[test]
fn paths_in_little_memory_end_by_themselves() {
    const MIB: u64 = 160;
    let directory = scratch("hostile-twenty");
    let (source, bitcode, out) = (
        directory.join("program.c"),
        directory.join("program.bc"),
        directory.join("out"),
    );
    std::fs::write(&source, TWENTY).expect("a source");
    compile_bitcode(&source, &bitcode);
    let mut command = Command::new(command());
    command
        .args(["explore", "--quiet", "--search", "bfs", "--write-no-tests"])
        .args(["--dump-states-on-halt=false", "--max-instructions=4000000"])
        .arg(format!("--max-memory={MIB}"))
        .arg("--output-dir")
        .args([&out, &bitcode]);
    let output = run(&command, &directory);
    assert!(output.status.success(), "{output:?}");
    let text = std::fs::read(out.join("summary.json")).expect("the summary");
    let summary: serde_json::Value = serde_json::from_slice(&text).expect("the summary is JSON");
    assert_eq!(summary["stop"], "instructions");
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    let (ended, alive) = (
        number(&summary["paths"]["completed"]),
        number(&summary["paths"]["limits"]),
    );
    assert!(ended > 2 * alive, "{ended} paths ended, {alive} did not");
    let peak = number(&summary["peak_rss_bytes"]);
    assert!(peak < (MIB * 5 / 4) << 20, "{peak} bytes");
    let warnings = std::fs::read_to_string(out.join("warnings.txt")).expect("the warnings");
    assert_eq!(warnings.matches("memory is scarce").count(), 1);
}
