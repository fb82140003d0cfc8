//! External calls: what the machine's functions do comes back as it does natively, and calls that
//! crash, hang or cannot be made end their own path only.

use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::collections::BTreeMap;
use std::fs;
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

/// What a short program says that makes one call, with options and what a shell does before.
fn say_with(directory: &Path, shell: &str, options: &[&str]) -> Output {
    let (source, bitcode) = (directory.join("one.c"), directory.join("one.bc"));
    if !bitcode.exists() {
        fs::write(
            &source,
            "long write(int, const void *, unsigned long);\n\
             int main(void) { return write(1, \"called\\n\", 7) == 7 ? 0 : 1; }\n",
        )
        .expect("a source");
        compile_bitcode(&source, &bitcode);
    }
    let out = directory.join("one.out");
    let _ = fs::remove_dir_all(&out);
    Command::new("sh")
        .args(["-c", &format!("{shell} exec \"$@\""), "sh"])
        .arg(command())
        .args(["run", "--quiet", "--external-calls", "concrete"])
        .args(["--external-allow", "write", "--output-dir"])
        .arg(&out)
        .args(options)
        .arg(&bitcode)
        .output()
        .expect("plat runs")
}

/// Where the system puts the parts of a process changes from run to run.
#[test]
fn the_regions_are_free_in_every_run() {
    let directory = scratch("external-regions");
    let says = |shell: &str, options: &[&str]| {
        let output = say_with(&directory, shell, options);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.stdout, b"called\n", "{shell} {options:?}: {errors}");
    };
    for _ in 0..10 {
        says("", &[]);
    }
    // The whole range in which mimalloc likes to be; the system's other order of addresses.
    says(
        "",
        &[
            "--region",
            "stack=8192G@0xc0000000000",
            "--region",
            "heap=8192G@0x140000000000",
        ],
    );
    says("ulimit -s unlimited;", &[]);
    says("ulimit -s unlimited;", &["--allocator", "bump"]);
    let small = ["constants=64M", "globals=64M", "stack=256M", "heap=1G"];
    let small: Vec<&str> = small
        .iter()
        .flat_map(|region| ["--region", region])
        .collect();
    says("ulimit -v 8000000;", &small);
}

#[test]
fn regions_that_are_not_free_are_one_error() {
    let directory = scratch("external-taken");
    let refuses = |shell: &str, options: &[&str], says: &[&str]| {
        let output = say_with(&directory, shell, options);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{options:?}: {said}");
        for part in says {
            assert!(said.contains(part), "{options:?}: {said}");
        }
        assert!(output.stdout.is_empty());
    };
    // The executable is there, the libraries, or the stack.
    let taken = ["at 0x400000000000 overlaps ", "--region"];
    refuses("", &["--region", "heap=64512G@0x400000000000"], &taken);
    let limit = ["ulimit -v", "--region"];
    refuses("ulimit -v 8000000;", &[], &limit);
}

/// Every process of a run has a helper of its own.
#[test]
fn workers_make_external_calls() {
    let directory = scratch("external-workers");
    let (library, bitcode) = build(&directory, "ends");
    let ends = |workers: &str| {
        let out = directory.join(workers);
        // None of the allowed functions hangs; a helper takes long to start on a busy machine.
        let time = ["--max-external-time", "30s", "--workers", workers];
        run(
            &bitcode,
            (&library, "write,crash,overrun,count,twice,first_byte"),
            &out,
            &time,
        );
        let text = fs::read_to_string(out.join("tests.jsonl")).expect("tests");
        let mut lines: Vec<String> = text
            .lines()
            .map(|line| line.split_once(',').map_or("", |(_, rest)| rest).to_owned())
            .collect();
        lines.sort();
        lines
    };
    assert_eq!(ends("3"), ends("1"));
}
