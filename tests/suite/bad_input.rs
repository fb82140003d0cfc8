//! Bad input: one line on standard error, exit code 2, nothing left behind.

use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A directory with a good program, and bad ones.
struct Bench {
    directory: Scratch,
}

impl Bench {
    fn new(name: &str) -> Self {
        let directory = scratch(name);
        let write = |file: &str, text: &str| {
            fs::write(directory.join(file), text).expect("a source file");
        };
        write("good.c", "int main(void) { return 0; }\n");
        write("no_main.c", "int other(void) { return 0; }\n");
        for program in ["good", "no_main"] {
            let file = |suffix: &str| directory.join(format!("{program}.{suffix}"));
            compile_bitcode(&file("c"), &file("bc"));
        }
        let bench = Bench { directory };
        let good = fs::read(bench.path("good.bc")).expect("bitcode");
        fs::write(bench.path("truncated.bc"), &good[..good.len() / 2]).expect("a file");
        fs::write(bench.path("text.bc"), "not bitcode at all\n").expect("a file");
        fs::write(bench.path("newer.bc"), newer(&good)).expect("a file");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn files(&self) -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(&self.directory).expect("the directory");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    }

    /// Runs the command and checks that it refuses; `@name` stands for a file of the bench.
    fn refuses(&self, line: &str, says: &str) {
        let before = self.files();
        let words: Vec<String> = line
            .split(' ')
            .map(|word| match word.strip_prefix('@') {
                Some(name) => self.path(name).to_string_lossy().into_owned(),
                None => word.to_string(),
            })
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = plat(command(), &words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "plat {line}: {said}");
        assert_eq!(
            said.lines().count(),
            1,
            "plat {line}: not one line:\n{said}"
        );
        assert!(
            said.contains(says),
            "plat {line}: `{says}` is not in: {said}"
        );
        assert!(
            output.stdout.is_empty(),
            "plat {line}: wrote to standard output"
        );
        assert_eq!(self.files(), before, "plat {line}: left something behind");
    }
}

/// The same bitcode as if a later LLVM had written it: another producer's name, a string of 6-bit
/// characters at any bit offset, and records that nobody knows.
fn newer(bitcode: &[u8]) -> Vec<u8> {
    let code = |c: u8| {
        if c.is_ascii_digit() {
            c - b'0' + 52
        } else {
            c - b'A' + 26
        }
    };
    let bits = |text: &str| -> Vec<bool> {
        let spread = |c: u8| (0..6).map(move |bit| code(c) >> bit & 1 == 1);
        text.bytes().flat_map(spread).collect()
    };
    let mut bytes = bitcode.to_vec();
    let bit = |at: usize| bitcode[at / 8] >> (at % 8) & 1 == 1;
    let from = bits("LLVM22");
    let start = (0..4096)
        .find(|start| {
            from.iter()
                .enumerate()
                .all(|(at, &set)| bit(start + at) == set)
        })
        .expect("the producer's name");
    for (at, set) in bits("LLVM99").into_iter().enumerate() {
        let (byte, mask) = ((start + at) / 8, 1u8 << ((start + at) % 8));
        bytes[byte] = bytes[byte] & !mask | if set { mask } else { 0 };
    }
    let length = bytes.len();
    bytes[length / 4..length / 2].fill(0xff);
    bytes
}

#[test]
fn programs_that_are_none() {
    let bench = Bench::new("programs");
    for command in ["explore", "run"] {
        for file in ["@truncated.bc", "@text.bc"] {
            bench.refuses(&format!("{command} {file}"), "not usable as bitcode");
        }
        bench.refuses(&format!("{command} @newer.bc"), "made by a newer LLVM");
        bench.refuses(
            &format!("{command} @missing.bc"),
            "missing.bc: cannot be read",
        );
        bench.refuses(
            &format!("{command} @no_main.bc"),
            "Entry function 'main' not found in module",
        );
    }
    bench.refuses("link @truncated.bc -o @out.bc", "not usable as bitcode");
    bench.refuses(
        "link @no_main.bc -o @out.bc",
        "Entry function 'main' not found in module",
    );
    bench.refuses("link @good.bc -o @nowhere/out.bc", "cannot be written");
    bench.refuses("analyze @text.bc -o @out.pts", "not usable as bitcode");
    bench.refuses(
        "segment @good.bc --points-to @text.bc -o @out.json",
        "text.bc",
    );
    bench.refuses(
        "transform @good.bc --segments @text.bc -o @out.bc",
        "text.bc",
    );
}

#[test]
fn options_that_make_no_sense() {
    let bench = Bench::new("options");
    for command in ["explore", "run"] {
        let refuses = |options: &str, says: &str| {
            bench.refuses(&format!("{command} {options} @good.bc"), says);
        };
        refuses(
            "--memory-model magic",
            "unknown memory model `magic`; known are auto, dynamic, flat, forking",
        );
        refuses(
            "--memory-model dynamic --join demand",
            "--join is about segments of the analysis, and the memory model dynamic goes by none",
        );
        refuses(
            "--memory-model forking --segments @text.bc",
            "the memory model forking goes by none: segmented does",
        );
        refuses("--search magic", "unknown searcher `magic`");
        refuses("--solver magic", "unknown solver `magic`");
        refuses("--max-time soon", "not a time span");
        refuses("--nonsense", "--nonsense");
        refuses("--stdin-template @missing", "missing");
        refuses("--file-template A=/nonexistent", "/nonexistent");
        refuses("--output-dir @good.bc", "exists already");
        refuses("--output-dir @nowhere/out", "cannot be created");
        refuses("--seed-file=x", "plat: x: ");
    }
    bench.refuses("explore --libc-dir @nowhere @good.bc", "no C library there");
    bench.refuses("replay @nowhere -- /bin/true", "nowhere");
    bench.refuses("replay @good.bc", "required");
    bench.refuses("ktest @good.bc", "not a .ktest file");
    bench.refuses("table @nowhere", "summary.json");
    bench.refuses("magic", "magic");
}

/// The process in which LLVM works is spoken to through its standard input and output: a file of
/// that name is not its conversation.
#[test]
fn standard_input_and_output_are_the_users() {
    let bench = Bench::new("bad-standard");
    let (good, linked) = (bench.path("good.bc"), bench.path("linked.bc"));
    let link = |out: &Path| {
        let words = [
            "link".as_ref(),
            good.as_os_str(),
            "-o".as_ref(),
            out.as_os_str(),
        ];
        let words = words.map(|word| word.to_str().expect("text"));
        plat_ok(command(), &words).expect("linked")
    };
    link(&linked);
    let written = link(Path::new("/dev/stdout")).stdout;
    assert!(written.starts_with(b"BC"));
    assert_eq!(written, fs::read(linked).expect("bitcode"));
    for line in ["link /dev/stdin -o @out.bc", "run --quiet /dev/stdin"] {
        // A device, a pipe or an empty file, depending on who runs the tests.
        bench.refuses(line, "/dev/stdin: ");
    }
}

/// Runs a program with all options, where no file may become longer than 100 KiB.
fn run_with_short_files(directory: &Path, source: &str) -> Output {
    let file = |name: &str| directory.join(name);
    fs::write(file("long.c"), source).expect("a source file");
    compile_bitcode(&file("long.c"), &file("long.bc"));
    Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 200; exec timeout 120 \"$@\"",
            "sh",
        ])
        .arg(command())
        .args(["run", "--quiet", "--test-files=all", "--output-dir"])
        .args([file("out"), file("long.bc")])
        .output()
        .expect("a run")
}

/// What is in the directory of results.
fn results(directory: &Path) -> BTreeSet<String> {
    let names = fs::read_dir(directory.join("out")).expect("what the run has found");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    names.flatten().map(name).collect()
}

/// Only the program's text is too long.
#[test]
fn a_text_that_cannot_be_written_takes_nothing_with_it() {
    let directory = scratch("bad-text");
    let source =
        "int table[40000] = {[0 ... 39999] = 7};\nint main(void) { return table[9] - 7; }\n";
    let output = run_with_short_files(&directory, source);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("assembly.ll: cannot be written: File too large"),
        "{said}"
    );
    let names = results(&directory);
    for name in ["test000001.ktest", "tests.jsonl", "summary.json"] {
        assert!(names.contains(name), "{name}: {names:?}");
    }
    assert!(
        !names.iter().any(|name| name.contains("assembly")),
        "{names:?}"
    );
}

/// The list of tests is too long, not a test.
#[test]
fn a_list_that_cannot_be_written_takes_no_test_with_it() {
    let directory = scratch("bad-list");
    let source = "void klee_make_symbolic(void *, unsigned long, const char *);\n\
                  int main(void) {\n  unsigned x; int n = 0;\n  klee_make_symbolic(&x, 4, \"x\");\n  \
                  for (int i = 0; i < 10; i++) if (x >> i & 1) n += i;\n  return n;\n}\n";
    let output = run_with_short_files(&directory, source);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("File too large"), "{said}");
    let names = results(&directory);
    let tests = (names.iter()).filter(|name| name.ends_with(".ktest"));
    assert!(tests.count() > 100, "{names:?}");
}

/// Files of other kinds, which users have at hand: each is told what to do.
#[test]
fn other_kinds_of_files_say_what_to_do() {
    let bench = Bench::new("kinds");
    let make = |program: &str, arguments: &str| {
        let mut make = Command::new(program);
        make.current_dir(&bench.directory);
        must_run(make.args(arguments.split(' ')));
    };
    make("cc", "-c good.c -o native.o");
    make("cc", "good.c -o native");
    make("clang-22", "-fembed-bitcode -c good.c -o embedded.o");
    make("clang-22", "-flto -ffat-lto-objects -c good.c -o fat.o");
    make("ar", "rc native.a native.o");
    make("ar", "rcT thin.a native.o");
    make("ar", "rc bitcode.a good.bc");
    make("clang-22", "-S -emit-llvm good.c -o good.ll");
    let text = fs::read_to_string(bench.path("good.ll")).expect("text");
    fs::write(bench.path("bad.ll"), text.replace("ret i32", "ret ret")).expect("a file");
    let kinds = [
        ("native.o", "a native object file: compile its sources with"),
        (
            "native",
            "a native program or library: compile its sources with",
        ),
        (
            "embedded.o",
            "a native object file with bitcode in it: llvm-objcopy-22 --dump-section .llvmbc=OUT.bc",
        ),
        (
            "fat.o",
            "a native object file with bitcode in it: llvm-objcopy-22 --dump-section .llvm.lto=OUT.bc",
        ),
        (
            "native.a",
            "an archive of native code: compile its sources with",
        ),
        ("thin.a", "a thin archive"),
        ("bitcode.a", "an archive: unpack it with llvm-ar-22 x"),
        ("good.c", "C source: compile it with clang-22"),
        ("bad.ll", "neither bitcode nor textual IR: "),
    ];
    for (file, says) in kinds {
        let says = format!("{file}: not usable as bitcode: {says}");
        for command in ["explore", "run", "link -o @out.bc", "analyze -o @out.pts"] {
            bench.refuses(&format!("{command} @{file}"), &says);
        }
    }
    bench.refuses(
        "link @good.bc --link-llvm-lib @native.a -o @out.bc",
        "native.a: not usable as bitcode: an archive of native code",
    );
    // What the advice leads to, and text, is usable.
    make(
        "llvm-objcopy-22",
        "--dump-section .llvmbc=a.bc embedded.o /dev/null",
    );
    make(
        "llvm-objcopy-22",
        "--dump-section .llvm.lto=b.bc fat.o /dev/null",
    );
    for file in ["a.bc", "b.bc", "good.ll"] {
        let [input, out] = [file, "out.bc"].map(|name| bench.path(name).display().to_string());
        plat_ok(command(), &["link", &input, "-o", &out]).expect("linked");
    }
}

#[test]
fn files_without_end_and_files_that_are_none() {
    let bench = Bench::new("endless-files");
    let made = Command::new("mkfifo").arg(bench.path("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    fs::create_dir(bench.path("folder")).expect("a directory");
    fs::create_dir(bench.path("seeds")).expect("a directory");
    let made = Command::new("mkfifo")
        .arg(bench.path("seeds/a.ktest"))
        .status();
    assert!(made.expect("mkfifo runs").success());
    let huge = fs::File::create(bench.path("huge")).expect("a file");
    huge.set_len(1 << 40).expect("a sparse file");
    let files = [
        ("/dev/zero", "is a device, not "),
        ("@pipe", "is a pipe, not "),
        ("@folder", "is a directory, not "),
        ("@huge", "has 1099511627776 bytes; "),
    ];
    let lines = [
        "explore FILE",
        "run FILE",
        "analyze FILE -o @out.pts",
        "explore --link-llvm-lib FILE @good.bc",
        "explore --seed-file FILE @good.bc",
        "explore --replay-ktest-file FILE @good.bc",
        "explore --segments FILE @good.bc",
        "run --segments FILE @good.bc",
        "explore --stdin-template FILE @good.bc",
        "explore --env-file FILE @good.bc",
        "ktest FILE",
    ];
    for line in lines {
        for (file, says) in files {
            bench.refuses(&line.replace("FILE", file), says);
        }
    }
    bench.refuses(
        "explore --seed-dir @seeds @good.bc",
        "a.ktest: is a pipe, not ",
    );
    let line = "run --check-points-to=/dev/zero @good.bc";
    bench.refuses(line, "is a device, not ");
}

#[test]
fn standard_input_without_end() {
    let bench = Bench::new("endless-input");
    let out = bench.path("out");
    let mut yes = Command::new("yes")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("yes runs");
    let ended = Command::new(command())
        .args(["explore", "--quiet", "--output-dir"])
        .args([&out, &bench.path("good.bc")])
        .stdin(yes.stdout.take().expect("a pipe"))
        .output()
        .expect("plat runs");
    let _ = (yes.kill(), yes.wait());
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(
        said.contains("standard input has more than 256 MiB"),
        "{said}"
    );
    assert!(!out.exists());
}
