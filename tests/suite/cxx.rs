//! Programs in C++ with their library, libc++: what they print is what they print natively, with the
//! distribution's build of the same library, and tests of symbolic input replay.

use plat_tests::explore::{plat, plat_ok};
use plat_tests::{command, faulty, must_run, root, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const COMPILER: &str = "clang++-22";
const COMMON: &[&str] = &["-stdlib=libc++", "-std=c++20", "-w"];

fn source(name: &str) -> PathBuf {
    root()
        .join("tests/programs/cxx")
        .join(name)
        .with_extension("cc")
}

/// The bitcode of a program, as a user makes it, and the native program.
fn built(name: &str, directory: &Path) -> (PathBuf, PathBuf) {
    let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
    let native = (COMMON.iter()).chain(&["-static-libstdc++", "-pthread"]);
    must_run(
        (Command::new(COMPILER)
            .args(native)
            .arg(source(name))
            .arg("-o"))
        .arg(file("native")),
    );
    let bitcode = COMMON.iter().chain(&["-g", "-O1", "-emit-llvm", "-c"]);
    must_run(
        (Command::new(COMPILER)
            .args(bitcode)
            .arg(source(name))
            .arg("-o"))
        .arg(file("bc")),
    );
    (file("bc"), file("native"))
}

/// Runs with `input` as standard input.
fn fed(program: &mut Command, directory: &Path, input: &str) -> Output {
    let file = directory.join("input");
    fs::write(&file, input).expect("a file");
    let file = fs::File::open(&file).expect("a file");
    program.stdin(Stdio::from(file)).output().expect("a run")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The stages before a run, of which the programs here have several.
fn prepared(bitcode: &Path, directory: &Path) -> PathBuf {
    let file = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let [bitcode, linked, points_to, segments, transformed] = [
        &*bitcode.to_string_lossy(),
        "linked.bc",
        "linked.pts",
        "segments.json",
        "plat.bc",
    ]
    .map(file);
    let stages: [&[&str]; 4] = [
        &["link", &bitcode, "-o", &linked],
        &["analyze", &linked, "-o", &points_to],
        &[
            "segment",
            &linked,
            "--points-to",
            &points_to,
            "-o",
            &segments,
        ],
        &[
            "transform",
            &linked,
            "--segments",
            &segments,
            "-o",
            &transformed,
        ],
    ];
    for stage in stages {
        plat_ok(command(), stage).expect("a stage");
    }
    transformed.into()
}

/// Runs with options, and has every test replayed natively. The run directory.
fn explored((program, native): (&Path, &Path), name: &str, words: &[&str]) -> PathBuf {
    let out = program.with_file_name(name);
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let head = ["run", "--quiet", "--output-dir", &out_text, &program];
    plat_ok(command(), &[&head[..], words].concat()).expect("an exploration");
    let native = native.to_string_lossy();
    let replayed = plat(command(), &["replay", &out_text, "--", &native]);
    let said = text(&replayed.stdout) + &text(&replayed.stderr);
    assert_eq!(replayed.status.code(), Some(0), "{name}: {said}");
    assert!(said.contains(" 0 differ, 0 not compared"), "{name}: {said}");
    out
}

/// How often a path ended with this exit code.
fn exits(out: &Path, code: u8) -> usize {
    let lines = fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
    let lines = plat::output::tests_jsonl::parse(&lines).expect("the tests");
    let with = lines.iter().filter(|line| line.exit_code == Some(code));
    with.count()
}

fn messages(out: &Path) -> Vec<String> {
    let reports = faulty::reports(out).into_iter();
    let mut messages: Vec<String> = reports.map(|report| report.message).collect();
    messages.sort();
    messages
}

/// A program with known input prints what it prints natively, and ends as it ends natively.
fn agrees(name: &str, input: &str) {
    let directory = scratch(&format!("cxx-{name}"));
    let (bitcode, native) = built(name, &directory);
    let expected = fed(&mut Command::new(native), &directory, input);
    let mut plat = Command::new(command());
    plat.args(["explore", "--quiet", "--exit-code", "--output-dir"])
        .arg(directory.join("out"))
        .arg(bitcode);
    let got = fed(&mut plat, &directory, input);
    assert_eq!(
        text(&got.stdout),
        text(&expected.stdout),
        "{}",
        text(&got.stderr)
    );
    assert_eq!(got.status.code(), expected.status.code());
}

#[test]
fn containers() {
    agrees("containers", "");
}

#[test]
fn streams() {
    agrees("streams", "hello 41\nthe line\nlast");
}

#[test]
fn exceptions() {
    agrees("exceptions", "");
}

#[test]
fn patterns_and_formats() {
    agrees("patterns", "");
}

#[test]
fn conditions_wait_until_their_time() {
    agrees("waiting", "");
}

#[test]
fn the_programs_own_handler_of_its_end_runs() {
    agrees("handlers", "");
}

#[test]
fn every_bomb_is_triggered() {
    let directory = scratch("cxx-bombs");
    let (bitcode, native) = built("bombs", &directory);
    let program = prepared(&bitcode, &directory);
    let bombs = [
        ("vector", "2"),
        ("maps", "2"),
        ("list", "3"),
        ("string", "4"),
        ("queue", "2"),
        ("constructors", "2"),
        ("exception", "3"),
    ];
    for (bomb, length) in bombs {
        let out = explored((&program, &native), bomb, &[bomb, "--sym-arg", length]);
        assert!(exits(&out, 3) >= 1, "{bomb}");
    }
}

#[test]
fn symbolic_input_goes_through_the_library() {
    let directory = scratch("cxx-symbolic");
    let (bitcode, native) = built("symbolic", &directory);
    let program = prepared(&bitcode, &directory);
    let explore = |name: &str, words: &[&str]| {
        let words = [&[name], words].concat();
        explored((&program, &native), name, &words)
    };
    // Three bytes of two bits each: one, two or three keys.
    let out = explore("count", &["--sym-arg", "3"]);
    assert!(exits(&out, 1) >= 1 && exits(&out, 0) >= 1);
    let out = explore("number", &["--sym-arg", "2"]);
    assert!(exits(&out, 3) >= 1 && exits(&out, 1) >= 1);
    let out = explore("input", &["--sym-stdin", "3"]);
    assert!(exits(&out, 3) >= 1 && exits(&out, 1) >= 1);
    let out = explore("pattern", &["--sym-arg", "3"]);
    assert!(exits(&out, 3) >= 3);
    let out = explore("shapes", &["--sym-arg", "2"]);
    assert!(exits(&out, 0) >= 1 && exits(&out, 1) >= 1);
    assert_eq!(messages(&out), ["divide by zero"]);
    // Nobody catches them: the fault says the type, and what the exception says.
    let out = explore("thrown", &["--sym-arg", "1"]);
    assert_eq!(
        messages(&out),
        [
            "abort failure: uncaught exception of type app::Refused: refused: r",
            "abort failure: uncaught exception of type int",
            "abort failure: uncaught exception of type std::out_of_range: vector",
        ]
    );
}

/// A program that was compiled for the other library is told so in a line.
#[test]
fn programs_of_the_other_library_are_told_what_to_do() {
    let directory = scratch("cxx-other");
    let (source, bitcode) = (directory.join("p.cc"), directory.join("p.bc"));
    let program = "#include <iostream>\nint main() { std::cout << 1 << std::endl; }\n";
    fs::write(&source, program).expect("a file");
    must_run(
        Command::new(COMPILER)
            .args(["-stdlib=libstdc++", "-g", "-O1", "-emit-llvm", "-c"])
            .arg(&source)
            .arg("-o")
            .arg(&bitcode),
    );
    let linked = directory.join("linked.bc");
    let output = Command::new(command())
        .arg("link")
        .arg(&bitcode)
        .arg("-o")
        .arg(&linked)
        .output();
    let said = text(&output.expect("a run").stderr);
    let about: Vec<&str> = said.lines().collect();
    assert_eq!(about.len(), 1, "{said}");
    assert!(
        about[0].contains("was compiled for GNU's C++ library"),
        "{said}"
    );
    assert!(
        about[0].ends_with("compile it with clang++-22 -stdlib=libc++"),
        "{said}"
    );
}

/// What a program does not use of the library is not linked, and a program in C takes nothing of it.
#[test]
fn only_what_a_program_needs_is_linked() {
    let directory = scratch("cxx-small");
    let functions = |name: &str, program: &str| {
        let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
        fs::write(file("cc"), program).expect("a file");
        let options = COMMON.iter().chain(&["-g", "-O1", "-emit-llvm", "-c"]);
        must_run(
            (Command::new(COMPILER)
                .args(options)
                .arg(file("cc"))
                .arg("-o"))
            .arg(file("bc")),
        );
        let (from, to) = (file("bc"), file("linked.bc"));
        must_run(
            Command::new(command())
                .arg("link")
                .arg(from)
                .arg("-o")
                .arg(&to),
        );
        let names = must_run(Command::new("llvm-nm-22").arg("--defined-only").arg(to));
        text(&names.stdout).lines().count()
    };
    let none = functions("none", "int main() { return 0; }\n");
    let vector = functions(
        "vector",
        "#include <vector>\nint main(int n, char **) { return std::vector<int>(n).size(); }\n",
    );
    let stream = functions(
        "stream",
        "#include <iostream>\nint main() { std::cout << 1; }\n",
    );
    assert!(vector < none + 100, "{none} {vector}");
    assert!(stream > vector && stream < 6000, "{vector} {stream}");
}

#[test]
fn names_are_shown_as_sources_have_them() {
    let directory = scratch("cxx-names");
    let (bitcode, _) = built("names", &directory);
    let report = |name: &str, options: &[&str]| {
        let out = directory.join(name);
        let (out_text, bitcode) = (out.to_string_lossy(), bitcode.to_string_lossy());
        let head = ["explore", "--quiet", "--output-dir", &out_text];
        let line = [&head[..], options, &[&*bitcode, "--sym-arg", "1"]].concat();
        plat_ok(command(), &line).expect("an exploration");
        let reports = faulty::reports(&out);
        assert_eq!(reports.len(), 1);
        reports[0].text.clone()
    };
    let shown = report("shown", &[]);
    assert!(
        shown.contains(" in app::Reader<char volatile>::at("),
        "{shown}"
    );
    assert!(!shown.contains("_ZN"), "{shown}");
    let raw = report("raw", &["--klee-names"]);
    assert!(raw.contains(" in _ZNK3app6ReaderIVcE2atEm("), "{raw}");
}

/// Who asks for it has memory released by functions that do not go with its allocation, as natively.
#[test]
fn mismatched_releases_run_on_if_they_are_asked_to() {
    let directory = scratch("cxx-mismatched");
    let (bitcode, native) = built("mismatched", &directory);
    let program = prepared(&bitcode, &directory);
    let run = |name: &str, option: &str| {
        let out = directory.join(name);
        let (text, program) = (out.to_string_lossy(), program.to_string_lossy());
        let words = ["run", "--quiet", option, "--output-dir", &text, &program];
        let words = [&words[..], &["--sym-arg", "1"]].concat();
        plat_ok(command(), &words).expect("an exploration");
        out
    };
    let out = run("checked", "--check-mismatched-release");
    assert_eq!(messages(&out), ["memory error: mismatched deallocation"; 2]);
    assert_eq!(exits(&out, 3), 0);

    let out = run("on", "--check-mismatched-release=false");
    assert_eq!(messages(&out), [""; 0]);
    assert_eq!(exits(&out, 3), 2);
    let (out_text, native) = (out.to_string_lossy(), native.to_string_lossy());
    let replayed = plat(command(), &["replay", &out_text, "--", &native]);
    let said = text(&replayed.stdout) + &text(&replayed.stderr);
    assert!(said.contains(" 0 differ, 0 not compared"), "{said}");
}
