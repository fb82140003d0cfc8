//! External calls: what the machine's functions do comes back as it does natively, and calls that
//! crash, hang or cannot be made end their own path only.

use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn source(name: &str) -> PathBuf {
    root().join("tests/programs/external").join(name)
}

/// The shared library, and a program in bitcode that is linked with nothing.
fn build(directory: &Path, name: &str) -> (String, String) {
    let library = directory.join("library.so");
    must_run(
        Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-w"])
            .arg(source("library.c"))
            .arg("-o")
            .arg(&library),
    );
    let bitcode = directory.join(format!("{name}.bc"));
    compile_bitcode(&source(&format!("{name}.c")), &bitcode);
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    (text(library), text(bitcode))
}

/// Runs bitcode that may call functions of a library.
fn run(bitcode: &str, (library, names): (&str, &str), out: &Path, more: &[&str]) -> Output {
    let out = out.to_string_lossy();
    let mut words = vec!["run", "--quiet", "--external-calls", "concrete"];
    words.extend(["--external-allow", names, "--external-library", library]);
    words.extend(["--output-dir", &out]);
    words.extend(more);
    words.push(bitcode);
    plat_ok(command(), &words).expect("a run")
}

#[test]
fn results_memory_and_errno_are_as_they_are_natively() {
    let directory = scratch("external-calls");
    let (library, bitcode) = build(&directory, "calls");
    let native = directory.join("calls.native");
    must_run(
        Command::new("cc")
            .args(["-w", "-I"])
            .arg(root().join("transform/runtime/include"))
            .arg(source("calls.c"))
            .arg(&library)
            .arg("-o")
            .arg(&native),
    );
    let expected = must_run(&mut Command::new(&native)).stdout;
    for allocator in ["bump", "kdalloc"] {
        let out = directory.join(allocator);
        let names = "snprintf,strtod,getpid,write,puts,sum_list,reverse_list,find_last,product,\
                     fail_with,narrow,many,variadic";
        let allocator = ["--allocator", allocator];
        let output = run(&bitcode, (&library, names), &out, &allocator);
        let (got, expected) = (&output.stdout, &expected);
        assert_eq!(
            String::from_utf8_lossy(got),
            String::from_utf8_lossy(expected)
        );
    }
}

#[test]
fn every_other_end_of_a_call_ends_one_path() {
    let directory = scratch("external-ends");
    let (library, bitcode) = build(&directory, "ends");
    let out = directory.join("out");
    let names = "write,crash,hang,overrun,own_memory,leave,count,twice,first_byte,in_no_library,\
                 qsort";
    let time = ["--max-external-time", "700ms"];
    run(&bitcode, (&library, names), &out, &time);
    let text = std::fs::read_to_string(out.join("tests.jsonl")).expect("tests");
    let mut ends: BTreeMap<String, u32> = BTreeMap::new();
    for line in text.lines() {
        let part = |key: &str| {
            let rest = line.split_once(&format!("\"{key}\":\""));
            rest.and_then(|(_, rest)| rest.split_once('"'))
                .map_or("", |(word, _)| word)
        };
        let end = format!("{}: {}", part("end"), part("message"));
        *ends.entry(end).or_default() += 1;
    }
    let expected = [
        ("exited: ", 1),
        ("fault: failed external call: crash", 1),
        ("fault: failed external call: overrun", 1),
        ("fault: memory error: object read only", 1),
        ("limit: external function hang did not return in 0.7 s", 1),
        // Fresh memory, a kept argument, kept memory; the last needs no path of its own.
        ("returned: ", 3),
        (
            "unsupported: external function in_no_library is in no library",
            1,
        ),
        (
            "unsupported: external function not_allowed is not among those of --external-allow",
            1,
        ),
        (
            "unsupported: external function own_memory returned a pointer to memory of its own",
            1,
        ),
        (
            "unsupported: external function qsort takes a function: the callee cannot call back",
            1,
        ),
    ];
    let expected = expected.map(|(end, count)| (end.to_string(), count));
    assert_eq!(ends, BTreeMap::from(expected));
    let files = std::fs::read_dir(&out).expect("a run directory");
    let outputs: Vec<String> = files
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|suffix| suffix == "out"))
        .map(|path| std::fs::read_to_string(path).expect("output"))
        .filter(|text| !text.is_empty())
        .collect();
    assert_eq!(outputs.iter().filter(|text| *text == "kept\n").count(), 2);
    assert_eq!(outputs.iter().filter(|text| *text == "fresh\n").count(), 1);
    let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
    assert!(summary.contains("\"concretized\": 2"), "{summary}");
}

#[test]
fn calls_are_refused_unless_they_are_asked_for() {
    let directory = scratch("external-refused");
    let (_, bitcode) = build(&directory, "calls");
    let out = directory.join("out");
    let words = [
        "run",
        "--quiet",
        "--output-dir",
        &out.to_string_lossy(),
        &bitcode,
    ];
    plat_ok(command(), &words).expect("a run");
    let text = std::fs::read_to_string(out.join("tests.jsonl")).expect("tests");
    assert!(
        text.contains("\"message\":\"external function snprintf\""),
        "{text}"
    );
}
