//! Harnesses as people write them for KLEE run unchanged: each program of `tests/programs/klee`
//! says in its head what is to be found. What is found is held against a native build, linked with
//! the replay library, that runs every test.
//!
//! ```c
//! /* What it is.
//!  * options: --sym-arg 2     further words of the command line, behind the program
//!  * before: --all-output     and before it
//!  * tests: 3                 how many tests there are (default: any number)
//!  * exits: 0 1               the exit codes of paths that end by themselves, all of them
//!  * errors: ptr div          the suffixes of the .err files, all of them (default: none)
//!  * says: x:, y              parts of lines that the run prints
//!  * ktest: text:Hello        an object that some test has, and how its bytes begin
//!  * cut: yes                 some path is cut off (default: none is)
//!  * replay: no               it does something that has no native counterpart */
//! ```

use plat::output::tests_jsonl::{self, End, TestLine};
use plat::suite::Cases;
use plat_env::Ktest;
use plat_tests::explore::plat;
use plat_tests::program::{self, Program};
use plat_tests::{command, compile_bitcode, compile_bitcode_with, must_run, root, scratch};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

fn words(program: &Program, key: &str) -> BTreeSet<String> {
    program.words(key).map(str::to_string).collect()
}

fn native_build(source: &Path, out: &Path) {
    let runtime = root().join("transform/runtime");
    must_run(
        Command::new("clang-22")
            .args(["-g", "-w", "-I"])
            .arg(runtime.join("include"))
            .args([source, &runtime.join("native/replay.c")])
            .arg("-o")
            .arg(out)
            .arg("-lm"),
    );
}

/// One program: explored, its tests read, replayed.
fn check(program: &Program, directory: &Path) -> Result<(), String> {
    let (name, source) = (program.stem(), &program.source);
    let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
    compile_bitcode(source, &file("bc"));
    let (out, bitcode) = (file("out"), file("bc"));
    let (out_text, bitcode) = (out.to_string_lossy(), bitcode.to_string_lossy());
    let mut line = vec!["explore", "--output-dir", &out_text];
    line.extend(program.words("before"));
    line.push(&bitcode);
    line.extend(program.words("options"));
    let output = plat(command(), &line);
    let said = [&output.stderr[..], &output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let that = |holds: bool, what: String| match holds {
        true => Ok(()),
        false => Err(format!("{name}: {what}\n{said}")),
    };
    that(output.status.success(), format!("{}", output.status))?;
    let text = std::fs::read_to_string(out.join("tests.jsonl")).map_err(|why| why.to_string())?;
    let tests: Vec<TestLine> = tests_jsonl::parse(&text)?;
    let exits: BTreeSet<String> = tests
        .iter()
        .filter_map(|test| test.exit_code.map(|code| code.to_string()))
        .collect();
    that(exits == words(program, "exits"), format!("exits {exits:?}"))?;
    let faults = tests.iter().filter_map(|test| test.fault.as_ref());
    let faults: BTreeSet<String> = faults
        .filter(|fault| !fault.kind.starts_with("forks"))
        .map(|fault| fault.kind.clone())
        .collect();
    that(
        faults == words(program, "errors"),
        format!("errors {faults:?}"),
    )?;
    that(
        (program.numbers("tests").iter()).all(|count| *count == tests.len()),
        format!("{} tests", tests.len()),
    )?;
    let cut = tests.iter().any(|test| test.end == End::Limit);
    that(cut != program.entry("cut").is_empty(), "cut off".into())?;
    that(
        tests.iter().all(|test| test.end != End::Unsupported),
        "something is lacking".into(),
    )?;
    let says = program.entry("says").split(", ");
    for part in says.filter(|part| !part.is_empty()) {
        that(said.contains(part), format!("does not say {part}"))?;
    }
    has_objects(program, &out, &tests).or_else(|what| that(false, what))?;
    if !program.entry("replay").is_empty() {
        return Ok(());
    }
    native_build(source, &file("native"));
    let native = file("native");
    let replayed = plat(
        command(),
        &["replay", &out_text, "--", &native.to_string_lossy()],
    );
    let verdict = String::from_utf8_lossy(&replayed.stdout).into_owned();
    that(replayed.status.success(), verdict)
}

/// Whether some test has the objects that the head speaks of.
fn has_objects(program: &Program, out: &Path, tests: &[TestLine]) -> Result<(), String> {
    let wanted = program.entry("ktest").split(", ");
    let mut cases = Cases::default();
    let mut read: Vec<Ktest> = Vec::new();
    for test in tests {
        let path = out.join(format!("test{:06}.ktest", test.test));
        let case = cases.read(&path).map_err(|why| why.to_string())?;
        read.push(case.test);
    }
    for object in wanted.filter(|object| !object.is_empty()) {
        let (name, value) = object.split_once(':').expect("NAME:VALUE");
        let bytes = match value.parse::<u32>() {
            Ok(number) => number.to_le_bytes().to_vec(),
            Err(_) => value.as_bytes().to_vec(),
        };
        let has = |test: &Ktest| {
            let mut objects = test.objects.iter();
            objects.any(|found| found.name == name && found.bytes.starts_with(&bytes))
        };
        if !read.iter().any(has) {
            return Err(format!("no test has {object}"));
        }
    }
    Ok(())
}

#[test]
fn harnesses_run_unchanged() {
    let directory = scratch("klee-harnesses");
    let programs = program::all("klee");
    assert!(programs.len() >= 15);
    let failures: Vec<String> = programs
        .iter()
        .filter_map(|program| check(program, &directory).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// A test case has no object for standard input that is empty, so no seed is asked for it.
#[test]
fn seeds_are_followed_beside_an_empty_input() {
    let directory = scratch("klee-seeds");
    let program = directory.join("choose.bc");
    compile_bitcode(&root().join("tests/programs/klee/choose.c"), &program);
    let explored = |name: &str, options: &[&str]| {
        let out = directory.join(name);
        let mut run = Command::new(command());
        run.args(["explore", "--test-files", "all", "--output-dir"])
            .arg(&out)
            .args(options)
            .arg(&program)
            // A pipe that has ended.
            .stdin(Stdio::piped());
        let said = must_run(&mut run).stderr;
        let text = std::fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
        let tests = tests_jsonl::parse(&text).expect("tests");
        (tests, String::from_utf8_lossy(&said).into_owned())
    };
    let (all, _) = explored("all", &[]);
    for test in all {
        let seed = format!("all/test{:06}.ktest", test.test);
        let seed = directory.join(seed).to_string_lossy().into_owned();
        let name = format!("seed-{}", test.test);
        let options = ["--only-replay-seeds", "--seed-file", &seed];
        let (tests, said) = explored(&name, &options);
        let ends: Vec<_> = tests
            .iter()
            .map(|test| (test.end, test.exit_code))
            .collect();
        assert_eq!(ends, [(test.end, test.exit_code)], "{said}");
    }
}

/// The handlers of the sanitizer are plat's: nobody needs to define them.
#[test]
fn handlers_of_the_sanitizer_are_there() {
    let directory = scratch("klee-handlers");
    let source = root().join("tests/programs/faults/undefined.c");
    let program = directory.join("undefined.bc");
    compile_bitcode_with(&source, &["-fsanitize=undefined".into()], &program);
    let linked = must_run(
        Command::new(command())
            .arg("link")
            .arg(&program)
            .arg("-o")
            .arg(directory.join("linked.bc")),
    );
    let said = String::from_utf8_lossy(&linked.stderr);
    assert!(!said.contains("__ubsan_handle"), "{said}");
}
