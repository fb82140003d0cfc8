//! Harnesses as people write them for KLEE run unchanged: each program of `tests/programs/klee`
//! says in its head what is to be found. What is found is held against a native build, linked with
//! the replay library, that runs every test.
//!
//! ```c
//! /* What it is.
//!  * options: --sym-arg 2     further words of the command line, behind the program
//!  * tests: 3                 how many tests there are (default: any number)
//!  * exits: 0 1               the exit codes of paths that end by themselves, all of them
//!  * errors: ptr div          the suffixes of the .err files, all of them (default: none)
//!  * says: x:, y              parts of lines that the run prints
//!  * ktest: text:Hello        an object that some test has, and how its bytes begin
//!  * cut: yes                 some path is cut off (default: none is)
//!  * replay: no               it does something that has no native counterpart */
//! ```

use plat::output::tests_jsonl::{self, End, TestLine};
use plat_env::Ktest;
use plat_tests::explore::plat;
use plat_tests::{compile_bitcode, must_run, root, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn command() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_plat-under-test"))
}

/// The lines `key: value` in a program's head.
fn head(source: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(source).expect("a program");
    let head = text.split("*/").next().unwrap_or_default();
    let lines = head.lines().filter_map(|line| {
        let (key, value) = line.trim_start_matches([' ', '*']).split_once(": ")?;
        Some((key.to_string(), value.trim().to_string()))
    });
    lines.collect()
}

fn words(head: &BTreeMap<String, String>, key: &str) -> BTreeSet<String> {
    let value = head.get(key).map(String::as_str).unwrap_or_default();
    value.split_whitespace().map(str::to_string).collect()
}

fn native_build(source: &Path, out: &Path) {
    let runtime = root().join("transform/runtime");
    must_run(
        Command::new("clang-22")
            .args(["-g", "-w", "-I"])
            .arg(runtime.join("include"))
            .args([source, &runtime.join("native/replay.c")])
            .arg("-o")
            .arg(out),
    );
}

/// One program: explored, its tests read, replayed.
fn check(source: &Path, directory: &Path) -> Result<(), String> {
    let name = source.file_stem().expect("a name").to_string_lossy();
    let head = head(source);
    let file = |suffix: &str| directory.join(format!("{name}.{suffix}"));
    compile_bitcode(source, &file("bc"));
    let (out, program) = (file("out"), file("bc"));
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let options = head.get("options").map(String::as_str).unwrap_or_default();
    let mut line = vec!["explore", "--output-dir", &out_text, &program];
    line.extend(options.split_whitespace());
    let output = plat(command(), &line);
    let said = String::from_utf8_lossy(&output.stderr);
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
    that(exits == words(&head, "exits"), format!("exits {exits:?}"))?;
    let faults = tests.iter().filter_map(|test| test.fault.as_ref());
    let faults: BTreeSet<String> = faults
        .filter(|fault| !fault.kind.starts_with("forks"))
        .map(|fault| fault.kind.clone())
        .collect();
    that(
        faults == words(&head, "errors"),
        format!("errors {faults:?}"),
    )?;
    let count = head
        .get("tests")
        .map(|count| count.parse::<usize>().expect("a number"));
    that(
        count.is_none_or(|count| count == tests.len()),
        format!("{} tests", tests.len()),
    )?;
    let cut = tests.iter().any(|test| test.end == End::Limit);
    that(cut == head.contains_key("cut"), "cut off".into())?;
    that(
        tests.iter().all(|test| test.end != End::Unsupported),
        "something is lacking".into(),
    )?;
    for part in head
        .get("says")
        .map(|says| says.split(", "))
        .into_iter()
        .flatten()
    {
        that(said.contains(part), format!("does not say {part}"))?;
    }
    has_objects(&head, &out, &tests).or_else(|what| that(false, what))?;
    if head.contains_key("replay") {
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
fn has_objects(
    head: &BTreeMap<String, String>,
    out: &Path,
    tests: &[TestLine],
) -> Result<(), String> {
    let Some(wanted) = head.get("ktest") else {
        return Ok(());
    };
    let files = tests
        .iter()
        .map(|test| out.join(format!("test{:06}.ktest", test.test)));
    let read = files.map(|file| Ktest::read(&file).map_err(|why| why.to_string()));
    let read: Vec<Ktest> = read.collect::<Result<_, _>>()?;
    for object in wanted.split(", ") {
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
    let entries = std::fs::read_dir(root().join("tests/programs/klee")).expect("the programs");
    let mut sources: Vec<PathBuf> = entries.map(|entry| entry.expect("one").path()).collect();
    sources.sort();
    assert!(sources.len() >= 15);
    let failures: Vec<String> = sources
        .iter()
        .filter_map(|source| check(source, &directory).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}
