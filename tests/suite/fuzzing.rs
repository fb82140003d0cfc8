//! Fuzzers' harnesses, run as they are: what they are given, what is found, and that native builds
//! with plat's driver do the same on the tests.

use plat::output::tests_jsonl::{self, End, TestLine};
use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode_with, must_run, root, scratch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn source(name: &str) -> PathBuf {
    root().join("tests/programs/fuzzing").join(name)
}

fn compiler(name: &str) -> &'static str {
    match name.ends_with(".cpp") {
        true => "clang++-22",
        false => "clang-22",
    }
}

/// Compiles a harness to bitcode.
fn bitcode(name: &str, flags: &[&str], directory: &Path) -> String {
    let out = directory.join(name).with_extension("bc");
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    compile_bitcode_with(&source(name), &flags, &out);
    out.to_string_lossy().into_owned()
}

/// The native build with plat's driver, which ends by a signal where AddressSanitizer finds an error.
fn native(name: &str, flags: &[&str], directory: &Path) -> String {
    let out = directory.join(name).with_extension("native");
    must_run(
        Command::new(compiler(name))
            .args(["-g", "-w", "-fsanitize=address"])
            .args(flags)
            .arg(source(name))
            .arg(root().join("target/libc/libplatRuntest.a"))
            .arg("-o")
            .arg(&out),
    );
    out.to_string_lossy().into_owned()
}

/// Explores; the tests of the run, in order, with what their paths printed, and what plat said.
fn explored(program: &str, options: &[&str], out: &Path) -> (Vec<(TestLine, String)>, String) {
    let out_text = out.to_string_lossy();
    let words = [
        &["explore", "--test-files=all", "--output-dir", &out_text],
        options,
        &[program],
    ]
    .concat();
    let said = plat_ok(command(), &words).expect("an exploration").stderr;
    let text = std::fs::read_to_string(out.join("tests.jsonl")).expect("tests");
    let lines = tests_jsonl::parse(&text).expect("lines");
    let printed = |line: &TestLine| {
        let file = out.join(format!("test{:06}.out", line.test));
        std::fs::read_to_string(file).unwrap_or_default()
    };
    let tests = lines
        .into_iter()
        .map(|line| {
            let printed = printed(&line);
            (line, printed)
        })
        .collect();
    (tests, String::from_utf8_lossy(&said).into_owned())
}

fn outputs(tests: &[(TestLine, String)]) -> BTreeSet<String> {
    tests.iter().map(|(_, printed)| printed.clone()).collect()
}

/// Replays all tests; the last line says how they compare.
fn replayed(out: &Path, native: &str) -> String {
    let out = out.to_string_lossy();
    let output = plat_ok(command(), &["replay", &out, "--", native]).expect("a replay");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_string()
}

#[test]
fn a_harness_runs_as_it_is_and_a_byte_too_far_is_found() {
    let directory = scratch("fuzzing-container");
    let native = native("container.c", &[], &directory);
    // As it is, and as fuzzers have it compiled.
    for (at, flags) in [&[][..], &["-fsanitize=fuzzer-no-link"]]
        .into_iter()
        .enumerate()
    {
        let program = bitcode("container.c", flags, &directory);
        let out = directory.join(format!("out-{at}"));
        let (tests, said) = explored(&program, &["--fuzz-max-len", "8"], &out);
        assert!(said.contains("a fuzzer's harness"), "{said}");
        assert!(!said.contains("nobody defines"), "{said}");
        let faults: Vec<_> = tests
            .iter()
            .filter_map(|(line, _)| line.fault.as_ref())
            .collect();
        let [fault] = &faults[..] else {
            panic!("{faults:?}");
        };
        assert_eq!((fault.kind.as_str(), fault.line), ("ptr", 40));
        for printed in [
            "no container\n",
            "end\n0 chunks\n",
            "cut off\n",
            "2 chunks\n",
        ] {
            assert!(outputs(&tests).contains(printed), "{printed}");
        }
        let all = tests.len();
        let same = format!("{all} tests: {all} same, 0 differ, 0 not compared");
        assert_eq!(replayed(&out, &native), same);
    }
}

#[test]
fn paths_do_what_all_inputs_do() {
    let directory = scratch("fuzzing-classes");
    let brute = directory.join("brute");
    must_run(
        Command::new("clang-22")
            .args(["-O1", "-w", "-DBRUTE"])
            .arg(source("classes.c"))
            .arg("-o")
            .arg(&brute),
    );
    let printed = must_run(&mut Command::new(&brute)).stdout;
    let text = String::from_utf8(printed).expect("text");
    let expected: BTreeSet<String> = text.lines().map(|line| format!("{line}\n")).collect();
    assert!(expected.len() > 8, "{expected:?}");
    let program = bitcode("classes.c", &[], &directory);
    let native = native("classes.c", &[], &directory);
    for policy in ["bounded", "fork", "max"] {
        let out = directory.join(policy);
        let options = ["--fuzz-max-len=2", "--symbolic-size", policy];
        let (tests, _) = explored(&program, &options, &out);
        let cut = |(line, _): &&(TestLine, String)| line.end != End::Limit;
        let ended: Vec<_> = tests.iter().filter(cut).cloned().collect();
        let found = outputs(&ended);
        match policy {
            // The greatest size only; the others are cut off.
            "max" => assert!(found.is_subset(&expected) && found.len() > 4, "{found:?}"),
            _ => assert_eq!(found, expected, "{policy}"),
        }
        assert!(ended.iter().all(|(line, _)| line.exit_code == Some(0)));
        let all = ended.len();
        let said = replayed(&out, &native);
        assert!(said.contains(&format!("{all} same, 0 differ")), "{said}");
    }
}

#[test]
fn a_harness_in_cpp() {
    let directory = scratch("fuzzing-cpp");
    let program = bitcode("words.cpp", &[], &directory);
    let out = directory.join("out");
    let (tests, _) = explored(&program, &["--fuzz-max-len", "3"], &out);
    let expected = ["the answer\n", "a number\n", "wrong at 0\n", "wrong at 1\n"];
    assert_eq!(outputs(&tests), expected.map(String::from).into());
    let native = native("words.cpp", &[], &directory);
    assert!(replayed(&out, &native).contains(" 0 differ, 0 not compared"));
}

#[test]
fn a_main_of_its_own_comes_first() {
    let directory = scratch("fuzzing-main");
    let program = bitcode("own_main.c", &[], &directory);
    let run = |name: &str, options: &[&str]| {
        let (tests, said) = explored(&program, options, &directory.join(name));
        (outputs(&tests), said)
    };
    let (own, said) = run("own", &[]);
    assert_eq!(own, ["main\nharness, found\n".to_string()].into());
    assert!(!said.contains("a fuzzer's harness"), "{said}");
    let both = ["harness\n", "harness, found\n"].map(String::from);
    let (asked, _) = run("asked", &["--entry-point", "LLVMFuzzerTestOneInput"]);
    assert_eq!(asked, both.into());
    // It may call the driver.
    let program = bitcode("own_main.c", &["-DRUN_DRIVER"], &directory);
    let out = directory.join("driver");
    let (tests, _) = explored(&program, &["--fuzz-max-len=1"], &out);
    let both = ["main\nharness\n", "main\nharness, found\n"].map(String::from);
    assert_eq!(outputs(&tests), both.into());
    let native = native("own_main.c", &["-DRUN_DRIVER"], &directory);
    assert!(replayed(&out, &native).contains(" 0 differ, 0 not compared"));
}

/// One stage after the other, with the entry point named at each of them.
#[test]
fn stage_by_stage() {
    let directory = scratch("fuzzing-stages");
    let program = bitcode("own_main.c", &[], &directory);
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let (linked, out) = (path("linked.bc"), path("out"));
    let entry = ["--entry-point", "LLVMFuzzerTestOneInput"];
    let link = [&["link"], &entry[..], &[&program, "-o", &linked]].concat();
    plat_ok(command(), &link).expect("a link");
    let run = [
        &["run", "--quiet", "--output-dir", &out],
        &entry[..],
        &[&linked],
    ]
    .concat();
    plat_ok(command(), &run).expect("a run");
    let tests = std::fs::read_to_string(path("out/tests.jsonl")).expect("tests");
    assert!(tests.lines().count() >= 2, "{tests}");
}

/// The driver without a test case: files, and standard input.
#[test]
fn the_native_driver_runs_raw_inputs() {
    let directory = scratch("fuzzing-driver");
    let native = native("container.c", &[], &directory);
    let file = directory.join("input");
    std::fs::write(&file, b"CNT1a\x01bE").expect("an input");
    let expected = "end\n1 chunks\n";
    let ran = must_run(Command::new(&native).args([&file, &file]));
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected.repeat(2));
    let input = std::fs::File::open(&file).expect("the input");
    let ran = must_run(Command::new(&native).stdin(input));
    assert_eq!(String::from_utf8_lossy(&ran.stdout), expected);
    let ran = Command::new(&native)
        .arg(directory.join("missing"))
        .output();
    assert_eq!(ran.expect("a run").status.code(), Some(1));
}

/// What is in a directory: names and bytes.
fn corpus(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory).expect("a corpus");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let file = |path: PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bytes = std::fs::read(&path).expect("an input");
        (name.into_owned(), bytes)
    };
    let mut files: Vec<_> = paths.filter(|path| path.is_file()).map(file).collect();
    files.sort();
    files
}

/// Out to libFuzzer's own driver, and back as seeds: each input leads along the path that it is of.
#[test]
fn tests_are_a_corpus_and_a_corpus_is_seeds() {
    let directory = scratch("fuzzing-corpus");
    let program = bitcode("classes.c", &[], &directory);
    let out = directory.join("out");
    let (tests, _) = explored(&program, &["--fuzz-max-len=2"], &out);
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let export = |names: &str, to: &str, more: &[&str]| {
        let (out, to) = (path("out"), path(to));
        let words = ["corpus", "export", "--names", names, "-o", &to, &out];
        let said = plat_ok(command(), &[&words[..], more].concat()).expect("an export");
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    let all = tests.len();
    let said = export("libfuzzer", "corpus", &[]);
    assert_eq!(
        said,
        format!("{all} tests: {all} inputs written, 0 known\n")
    );
    let again = export("libfuzzer", "corpus", &[]);
    assert_eq!(
        again,
        format!("{all} tests: 0 inputs written, {all} known\n")
    );
    // libFuzzer's own build runs them, and they print what the paths did.
    let native = directory.join("libfuzzer");
    must_run(
        Command::new("clang-22")
            .args(["-g", "-w", "-fsanitize=fuzzer"])
            .arg(source("classes.c"))
            .arg("-o")
            .arg(&native),
    );
    let mut files: Vec<PathBuf> = Vec::new();
    for (name, bytes) in corpus(&directory.join("corpus")) {
        files.push(directory.join("corpus").join(&name));
        let sum = must_run(Command::new("sha1sum").arg(files.last().expect("it")));
        assert!(sum.stdout.starts_with(name.as_bytes()), "{name}: {bytes:?}");
    }
    let ran = must_run(Command::new(&native).args(&files));
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let printed: BTreeSet<String> = text.lines().map(|line| format!("{line}\n")).collect();
    assert_eq!(printed, outputs(&tests));
    // Only what covers something new, in AFL's way.
    export("afl", "queue", &["--only-new"]);
    let few = corpus(&directory.join("queue"));
    assert!(!few.is_empty() && few.len() < all, "{few:?}");
    for (at, (name, _)) in few.iter().enumerate() {
        assert!(name.starts_with(&format!("id:{at:06},orig:test")), "{name}");
    }
    // Back as seeds: a path for each input and no other, whatever the corpus is.
    for (from, count) in [("corpus", all), ("queue", few.len())] {
        let again = directory.join(format!("again-{from}"));
        let options = ["--fuzz-max-len=2", "--only-replay-seeds", "--seed-dir"];
        let seeds = path(from);
        let (followed, _) = explored(&program, &[&options[..], &[&seeds]].concat(), &again);
        assert_eq!(followed.len(), count, "{from}");
        if from == "corpus" {
            assert_eq!(outputs(&followed), outputs(&tests));
        }
    }
}

/// Raw seeds as standard input and as a file, shorter and longer than it.
#[test]
fn raw_seeds_go_where_the_input_is_symbolic() {
    let directory = scratch("fuzzing-raw");
    let source = directory.join("echo.c");
    let text = "#include <stdio.h>\n#include <fcntl.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) {\n\
        int in = argc > 1 ? open(argv[1], O_RDONLY) : 0;\n\
        char b[8] = \"\"; long n = read(in, b, 4);\n\
        if (n == 4 && b[0] == 'k' && b[1] == 'e' && b[2] == 'y' && !b[3]) puts(\"short\");\n\
        else if (n == 4 && b[0] == 'k' && b[1] == 'e' && b[2] == 'y' && b[3] == 's') puts(\"long\");\n\
        else puts(\"other\");\n\
        return 0; }\n";
    std::fs::write(&source, text).expect("a program");
    let program = directory.join("echo.bc");
    compile_bitcode_with(&source, &[], &program);
    let program = program.to_string_lossy();
    let seed = |name: &str, bytes: &str| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).expect("a seed");
        path.to_string_lossy().into_owned()
    };
    let (short, long) = (seed("short", "key"), seed("long", "keys and more"));
    for (at, input) in [&["--sym-stdin", "4"][..], &["A", "--sym-files", "1", "4"]]
        .into_iter()
        .enumerate()
    {
        let out = directory.join(format!("out-{at}"));
        let out_text = out.to_string_lossy();
        let words = [
            "explore",
            "--test-files=all",
            "--only-replay-seeds",
            "--output-dir",
            &out_text,
        ];
        let seeds = ["--seed-file", &short, "--seed-file", &long, &program];
        let said = plat_ok(command(), &[&words[..], &seeds, input].concat()).expect("a run");
        let said = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.contains("1 of 2 seeds are cut off"), "{said}");
        assert!(said.contains("has 13 bytes"), "{said}");
        let printed: BTreeSet<String> = (1..=2)
            .map(|test| std::fs::read_to_string(out.join(format!("test{test:06}.out"))))
            .map(|text| text.expect("an output"))
            .collect();
        assert_eq!(printed, ["long\n", "short\n"].map(String::from).into());
    }
    // Nowhere to go.
    let refused = Command::new(command())
        .args(["explore", "--seed-file", &short, &program, "--sym-arg", "2"])
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(said.contains("--sym-stdin N"), "{said}");
}

/// Without a bound, the harness's data have room for the longest seed.
#[test]
fn long_seeds_widen_the_data_of_a_harness() {
    let directory = scratch("fuzzing-long");
    let program = bitcode("container.c", &[], &directory);
    let seed = directory.join("seed");
    let mut bytes = b"CNT1a\xf0".to_vec();
    bytes.extend([b'x'; 0xf0]);
    std::fs::write(&seed, &bytes).expect("a seed");
    let seed = seed.to_string_lossy();
    let options = ["--only-replay-seeds", "--seed-file", &seed];
    let (tests, said) = explored(&program, &options, &directory.join("out"));
    assert!(!said.contains("cut off"), "{said}");
    assert_eq!(outputs(&tests), ["1 chunks\n".to_string()].into());
    let bounded = [&options[..], &["--fuzz-max-len", "100"]].concat();
    let (tests, said) = explored(&program, &bounded, &directory.join("bounded"));
    assert!(said.contains("1 of 1 seeds are cut off"), "{said}");
    assert_eq!(outputs(&tests), ["cut off\n".to_string()].into());
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for something for a minute.
fn await_it(what: &str, mut there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !there() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What a fuzzer finds while plat runs is followed, and what lies beside it; both are published.
#[test]
fn inputs_of_a_fuzzer_are_taken_up_while_the_run_goes_on() {
    let directory = scratch("fuzzing-beside");
    let program = bitcode("locked.c", &[], &directory);
    let path = |name: &str| directory.join(name);
    let queue = path("fuzzer/main/queue");
    std::fs::create_dir_all(&queue).expect("a fuzzer's directory");
    let run = Command::new(command())
        .args([
            "explore",
            "--test-files=all",
            "--max-solver-time",
            "500ms",
            "--max-halt-tests",
            "0",
            // Under which the strings that are printed are two paths.
            "--memory-model",
            "forking",
        ])
        .args(["--sync", "1", "--fuzzer-corpus"])
        .arg(path("fuzzer"))
        .arg("--output-dir")
        .arg(path("out"))
        .arg(&program)
        .stderr(Stdio::piped())
        .spawn()
        .expect("a run");
    let mut run = Running(run);
    let published = || -> Vec<Vec<u8>> {
        let queue = path("fuzzer/plat/queue");
        if !queue.is_dir() {
            return Vec::new();
        }
        corpus(&queue).into_iter().map(|(_, bytes)| bytes).collect()
    };
    await_it("test", || !published().is_empty());
    let opened = |bytes: &[u8]| bytes.starts_with(b"Key4plat");
    assert!(!published().iter().any(|bytes| opened(bytes)));
    std::fs::write(queue.join("id:000000,orig:key"), b"Key4plat?").expect("an input");
    // Its own path is the fuzzer's already; the one beside it is new.
    await_it("path beside the key", || {
        published()
            .iter()
            .any(|bytes| opened(bytes) && bytes[8] == b'!')
    });
    must_run(Command::new("kill").args(["-INT", &run.0.id().to_string()]));
    assert!(run.0.wait().expect("its end").success());
    let tests = std::fs::read_dir(path("out")).expect("the run's directory");
    let tests = tests.map(|entry| entry.expect("an entry").path());
    let outputs = tests.filter(|path| path.extension().is_some_and(|end| end == "out"));
    let printed: BTreeSet<String> = outputs
        .map(|path| std::fs::read_to_string(path).expect("an output"))
        .collect();
    for expected in ["opened\n", "opened, loudly\n"] {
        assert!(printed.contains(expected), "{expected}");
    }
    let names: Vec<String> = corpus(&path("fuzzer/plat/queue"))
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    for (at, name) in names.iter().enumerate() {
        assert!(name.starts_with(&format!("id:{at:06},time:")), "{names:?}");
    }
}

/// The exchange with AFL++ itself: it takes plat's tests, and plat takes what it has.
#[test]
fn afl_takes_tests_and_gives_inputs() {
    let there = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !there("afl-fuzz") || !there("afl-clang-fast") {
        println!("not tested: AFL++ is not installed (scripts/setup fuzzers)");
        return;
    }
    let directory = scratch("fuzzing-afl");
    let path = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let program = bitcode("container.c", &[], &directory);
    let native = path("container.afl");
    must_run(
        Command::new("afl-clang-fast")
            .args(["-O1", "-w"])
            .arg(source("container.c"))
            .arg(root().join("target/libc/libplatRuntest.a"))
            .args(["-o", &native]),
    );
    let (out, seeds) = (path("fuzzer"), path("seeds"));
    for directory in [&out, &seeds] {
        std::fs::create_dir(directory).expect("a directory");
    }
    std::fs::write(directory.join("seeds/hello"), "hello").expect("a seed");
    let explore = |node: &str, to: &str| {
        let to = path(to);
        let words = ["explore", "--fuzz-max-len", "12", "--max-time", "3s"];
        let beside = [
            "--fuzzer-corpus",
            &out,
            "--fuzzer-node",
            node,
            "--output-dir",
            &to,
        ];
        let said = plat_ok(command(), &[&words[..], &beside, &[&program]].concat());
        String::from_utf8_lossy(&said.expect("a run").stderr).into_owned()
    };
    let said = explore("plat", "first");
    assert!(said.contains("with the fuzzer: 0 inputs taken, "), "{said}");
    // The magic number is nothing that a fuzzer guesses within seconds.
    must_run(
        Command::new("timeout")
            .args(["120", "afl-fuzz", "-M", "main", "-V", "5"])
            .args(["-i", &seeds, "-o", &out, "--", &native])
            .envs(
                [
                    "SKIP_CPUFREQ",
                    "NO_AFFINITY",
                    "NO_UI",
                    "IMPORT_FIRST",
                    "FINAL_SYNC",
                ]
                .map(|name| (format!("AFL_{name}"), "1")),
            )
            .env("AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES", "1")
            .stdout(Stdio::null()),
    );
    let queue = corpus(&directory.join("fuzzer/main/queue"));
    let taken = queue
        .iter()
        .filter(|(name, bytes)| name.contains(",sync:plat,") && bytes.starts_with(b"CNT1"));
    assert!(taken.count() > 0, "{queue:?}");
    let said = explore("second", "second");
    assert!(!said.contains("with the fuzzer: 0 inputs taken"), "{said}");
}
