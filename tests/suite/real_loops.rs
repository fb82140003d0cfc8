//! `--detect-infinite-loops` on programs of the distribution: their loops are found, each once, and
//! nothing is reported of runs of the same programs that end, wait or count. Natively, the tests of loops run
//! into their time-out, and all others end.
//!
//! `make -C benchmarks/programs coreutils sed` builds the programs; PLAT_PROGRAMS names another folder that has them.

use plat_tests::explore::{plat, plat_ok};
use plat_tests::{command, faulty, root, scratch};
use std::path::{Path, PathBuf};

/// How the paths of a run go on.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Paths {
    /// Some for ever, at a place in the sources. All others end.
    Loop(&'static str, u32),
    /// All end.
    End,
    /// Some for ever, but never as they were before: they wait for the world, or count, or grow.
    GoOn,
}
use Paths::{End, GoOn, Loop};

/// Where sed executes a command of a script.
const SED: Paths = Loop("execute.c", 1287);
/// Without it an allocation has another address in each turn, up to the 72nd.
const AT_ONCE: &[&str] = &["--kdalloc-quarantine", "0"];
/// For paths that go on.
const LONG: &[&str] = &["--max-instructions", "3000000"];

fn programs() -> PathBuf {
    let named = std::env::var_os("PLAT_PROGRAMS").map(PathBuf::from);
    named.unwrap_or_else(|| root().join("benchmarks/programs/build"))
}

/// Runs a program of the build with some arguments, if it is there.
fn check(program: &str, number: usize, options: &[&str], arguments: &[&str], paths: Paths) {
    let bitcode = programs().join(format!("{program}.bc"));
    if !bitcode.is_file() {
        let file = bitcode.display();
        eprintln!("not run: no {file}: make -C benchmarks/programs coreutils sed");
        return;
    }
    let name = format!("real-loops-{}-{number}", program.replace('/', "-"));
    let directory = scratch(&name);
    let out = directory.join("out");
    let (out_text, bitcode) = (out.to_string_lossy(), bitcode.to_string_lossy());
    let mut words = vec!["explore", "--quiet", "--detect-infinite-loops"];
    words.extend(["--test-files=all", "--output-dir", &out_text]);
    words.extend(options);
    words.push(&bitcode);
    words.extend(arguments);
    plat_ok(command(), &words).expect("an exploration");
    let what = format!("{program} {}", arguments.join(" "));
    check_reports(&out, paths, &what);
    check_natively(
        &out,
        &programs().join(format!("{program}.native")),
        paths,
        &what,
    );
}

fn check_reports(out: &Path, paths: Paths, what: &str) {
    let found: Vec<_> = faulty::reports(out)
        .into_iter()
        .map(|report| {
            let file = Path::new(&report.file).file_name().unwrap_or_default();
            (
                file.to_string_lossy().into_owned(),
                report.line,
                report.suffix,
            )
        })
        .collect();
    let expected: Vec<_> = match paths {
        Loop(file, line) => vec![(file.to_string(), line, "loop".to_string())],
        End | GoOn => vec![],
    };
    assert_eq!(found, expected, "{what}");
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
    let stop = match paths {
        GoOn => r#""stop": "instructions""#,
        Loop(..) | End => r#""stop": "finished""#,
    };
    assert!(summary.contains(stop), "{what}: not {stop}");
}

/// The tests do natively what their paths did.
fn check_natively(out: &Path, native: &Path, paths: Paths, what: &str) {
    let (out, native) = (out.to_string_lossy(), native.to_string_lossy());
    let output = plat(
        command(),
        &["replay", "--timeout", "700ms", &out, "--", &native],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{what}:\n{text}");
    let of = |sign: &str| text.lines().filter(|line| line.contains(sign)).count();
    // A path that goes on has a test that is cut off.
    assert_eq!(
        of(" loop ") > 0,
        matches!(paths, Loop(..)),
        "{what}:\n{text}"
    );
    assert_eq!(of(" limit ") > 0, paths == GoOn, "{what}:\n{text}");
    assert_eq!(
        of(" loop ") + of(" limit "),
        of(" time-out "),
        "{what}:\n{text}"
    );
}

#[test]
fn yes_writes_for_ever() {
    check("coreutils/yes", 1, &[], &[], Loop("yes.c", 126));
    // With --help and --version it ends.
    check(
        "coreutils/yes",
        2,
        &[],
        &["--sym-arg", "2"],
        Loop("yes.c", 126),
    );
    check("coreutils/yes", 3, &[], &["--help"], End);
    check(
        "coreutils/yes",
        4,
        &[],
        &["--sym-arg", "1", "--version"],
        End,
    );
}

#[test]
fn tail_waits_for_more() {
    let file = ["--sym-files", "1", "2", "A"];
    check(
        "coreutils/tail",
        1,
        LONG,
        &["-f", file[0], file[1], file[2], file[3]],
        GoOn,
    );
    check(
        "coreutils/tail",
        2,
        &[],
        &["-n1", file[0], file[1], file[2], file[3]],
        End,
    );
    check("coreutils/tail", 3, &[], &["-c1", "--sym-stdin", "3"], End);
}

#[test]
fn seq_counts() {
    check("coreutils/seq", 1, LONG, &["inf"], GoOn);
    check("coreutils/seq", 2, &[], &["1", "30"], End);
}

#[test]
fn scripts_of_sed_that_loop() {
    let line = ["--sym-stdin", "1"];
    let scripts: [(&[&str], &str); 4] = [
        (&[], "s/x/y/;:a;ba"),
        (AT_ONCE, ":a;s/a/a/;ta"),
        (AT_ONCE, ":a;s/x*/x/;ta"),
        // Twice around, a line is what it was.
        (AT_ONCE, ":a;y/ab/ba/;/^[ab]/ba"),
    ];
    for (number, (options, script)) in scripts.into_iter().enumerate() {
        check("sed", number, options, &[script, line[0], line[1]], SED);
    }
}

#[test]
fn scripts_of_sed_that_end() {
    let scripts = [
        ":a;s/a/b/;ta",
        ":a;N;ba",
        ":a;n;ba",
        ":a;s/ab/ba/;ta",
        "p;D",
        // Fills a line up to ten columns.
        r":a;s/^.\{1,9\}$/ &/;ta",
    ];
    for (number, script) in scripts.into_iter().enumerate() {
        check("sed", 10 + number, &[], &[script, "--sym-stdin", "2"], End);
    }
    check("sed", 20, LONG, &["G;P;D", "--sym-stdin", "1"], GoOn);
}
