//! The tests of a run as a product: the container, what is made from it, what tests cover. Held
//! against files that the run writes itself, against native builds with gcov's and LLVM's counters,
//! and against runs that were killed.

use plat::cover::native::{self, Options};
use plat::suite::{Cases, Container, stem};
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CLASSIFY: &str = "\
#include <stdio.h>
#include <assert.h>

static int kind(int c) {
    switch (c) {
    case 'a': return 1;
    case 'b': return 2;
    case 'c':
    case 'd': return 3;
    default: return 0;
    }
}

static int never(int x) {
    return x + 1;
}

int main(int argc, char **argv) {
    int sum = 0;
    for (int i = 0; argv[1][i]; i++) {
        int one = kind(argv[1][i]);
        if (one == 0)
            continue;
        if (one > 2 && i == 1)
            puts(\"third at one\");
        sum += one;
    }
    if (sum == 6)
        assert(argv[1][0] != 'd');
    if (argc > 9)
        return never(argc);
    printf(\"%d\\n\", sum);
    return sum > 4;
}
";

struct Bench {
    directory: Scratch,
    bitcode: PathBuf,
}

impl Bench {
    fn new(name: &str, source: &str) -> Self {
        let directory = scratch(name);
        let file = directory.join("classify.c");
        fs::write(&file, source).expect("a source file");
        let bitcode = directory.join("classify.bc");
        compile_bitcode(&file, &bitcode);
        Bench { directory, bitcode }
    }

    fn explore(&self, name: &str, options: &[&str]) -> PathBuf {
        let out = self.directory.join(name);
        let (out_text, bitcode) = (out.to_string_lossy(), self.bitcode.to_string_lossy());
        let mut words = vec![
            "explore",
            "--quiet",
            "--search=dfs",
            "--output-dir",
            &out_text,
        ];
        words.extend(options);
        words.extend([&*bitcode, "--sym-arg", "3"]);
        plat_ok(command(), &words).expect("a run");
        out
    }

    fn native(&self, name: &str, compiler: &str, flags: &[&str]) -> PathBuf {
        let native = self.directory.join(name);
        let mut build = Command::new(compiler);
        build.current_dir(&self.directory).args(["-g", "-O0", "-w"]);
        must_run(build.args(flags).args(["classify.c", "-o", name]));
        native
    }
}

fn said(words: &[&str]) -> String {
    let output = plat_ok(command(), words).expect("success");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The files of tests in a directory.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).expect("a directory").flatten();
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry));
    let tests = named.filter(|(name, _)| name.starts_with("test0"));
    tests
        .map(|(name, entry)| (name, fs::read(entry.path()).expect("a file")))
        .collect()
}

#[test]
fn files_made_from_the_container_are_those_that_a_run_writes() {
    let bench = Bench::new("suites-files", CLASSIFY);
    // States are numbered alike in both runs.
    let all = bench.explore("all", &["--test-files=all"]);
    let new = bench.explore("new", &[]);
    let none = bench.explore("none", &["--test-files=none"]);
    let (all, written) = (files(&all), files(&new));
    let count = Container::open(&new).expect("tests").len();
    assert!(count > 20);
    let of_all = all.keys().filter(|name| name.ends_with(".ktest")).count();
    assert_eq!(of_all, count);
    assert!(files(&none).is_empty());
    // The fault has its files, and most other tests have none.
    assert!(written.keys().any(|name| name.ends_with(".assert.err")));
    assert!(written.len() * 2 < all.len(), "{:?}", written.keys());
    for (name, bytes) in &written {
        assert_eq!(all.get(name), Some(bytes), "{name}");
    }
    let made = bench.directory.join("made");
    for directory in [&new, &none] {
        let _ = fs::remove_dir_all(&made);
        let to = made.to_string_lossy();
        let text = said(&["tests", "extract", &directory.to_string_lossy(), "-o", &to]);
        assert!(text.starts_with(&format!("{count} tests in ")), "{text}");
        assert_eq!(files(&made), all);
    }
    let new = new.to_string_lossy();
    let list = said(&["tests", "list", "--fault", "any", &new]);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(
        list.contains("assert") && list.contains("classify.c:29: "),
        "{list}"
    );
    let json = said(&["tests", "list", "--json", &new]);
    let lines = fs::read_to_string(format!("{new}/tests.jsonl")).expect("lines");
    assert_eq!(json, lines);
    // A test without a file is there by the name that its file would have.
    let test = format!("{none}/test000002.ktest", none = none.display());
    assert!(said(&["ktest", &test]).contains("name: 'arg00'"));
    let refused = plat(command(), &["ktest", &format!("{new}/test000999.ktest")]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn tests_without_files_are_replayed_and_are_seeds() {
    let bench = Bench::new("suites-replay", CLASSIFY);
    let out = bench.explore("out", &["--test-files=none"]);
    let native = bench.native("native", "cc", &[]);
    let (out_text, native) = (out.to_string_lossy(), native.to_string_lossy());
    let text = said(&["replay", "--quiet", &out_text, "--", &native]);
    let count = Container::open(&out).expect("tests").len();
    assert_eq!(
        text,
        format!("{count} tests: {count} same, 0 differ, 0 not compared\n")
    );
    let again = bench.explore("again", &["--replay-ktest-dir", &out_text]);
    let inputs = |directory: &Path| -> BTreeSet<Vec<u8>> {
        let container = Container::open(directory).expect("tests");
        let tests = container.tests().map(|test| test.expect("a test"));
        tests.map(|test| test.to_ktest(&[]).to_bytes()).collect()
    };
    assert_eq!(inputs(&again), inputs(&out));
}

/// Which lines each test executes, by gcov, one test after the other.
fn lines_by_gcov(bench: &Bench, out: &Path) -> BTreeMap<u32, BTreeSet<u32>> {
    let native = bench.native("single", "cc", &["--coverage"]);
    let mut cases = Cases::default();
    let paths = cases.in_directory(out).expect("tests");
    let lines = paths.iter().map(|path| {
        let case = cases.read(path).expect("a test");
        let done = native::replay(&native, &[case], &Options::default(), None).expect("a replay");
        let mut files = done.coverage.files.iter();
        let (_, file) = files.next().expect("the source file");
        let executed = file.lines.iter().filter(|(_, count)| **count > 0);
        let number = plat::suite::number_of(path).expect("a number");
        (number, executed.map(|(line, _)| *line).collect())
    });
    lines.collect()
}

#[test]
fn tests_are_found_by_the_lines_that_gcov_sees() {
    // Without the fault, whose run leaves no counters.
    let bench = Bench::new("suites-lines", &CLASSIFY.replace("assert(", "(void)("));
    let out = bench.explore("out", &[]);
    let by_gcov = lines_by_gcov(&bench, &out);
    let out = out.to_string_lossy();
    // A case, the branch that two tests of the condition guard, the loop, its end.
    for line in [6, 7, 9, 10, 23, 25, 26, 32] {
        let place = format!("classify.c:{line}");
        let list = said(&["tests", "list", "--line", &place, &out]);
        let found: BTreeSet<String> = (list.lines().skip(1))
            .filter_map(|row| Some(row.split_whitespace().next()?.to_owned()))
            .collect();
        let expected = by_gcov.iter().filter(|(_, lines)| lines.contains(&line));
        let expected: BTreeSet<String> = expected.map(|(test, _)| stem(*test)).collect();
        assert_eq!(found, expected, "line {line}");
    }
    assert_eq!(
        said(&["tests", "list", "--line", "classify.c:15", &out])
            .lines()
            .count(),
        1
    );
    let first = said(&["tests", "list", "--first", "classify.c:25", &out]);
    assert_eq!(first.lines().count(), 2, "{first}");
    let refused = plat(
        command(),
        &["tests", "list", "--line", "classify.c:2", &out],
    );
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("the program has no code there"), "{why}");
}

#[test]
fn the_fewest_tests_cover_on_native_builds_what_all_of_them_do() {
    let bench = Bench::new("suites-minimise", &CLASSIFY.replace("assert(", "(void)("));
    let out = bench.explore("out", &[]);
    let small = bench.directory.join("small");
    let (out_text, small_text) = (out.to_string_lossy(), small.to_string_lossy());
    let text = said(&["tests", "minimise", &out_text, "-o", &small_text]);
    let found = files(&small)
        .keys()
        .filter(|name| name.ends_with(".ktest"))
        .count();
    let all = Container::open(&out).expect("tests").len();
    assert!((1..8).contains(&found) && all > 20, "{text}");
    let profile = ["-fprofile-instr-generate", "-fcoverage-mapping"];
    let builds = [
        bench.native("by-gcc", "cc", &["--coverage"]),
        bench.native("by-clang", "clang-22", &["--coverage"]),
        bench.native("by-profile", "clang-22", &profile),
    ];
    for build in builds {
        let cover = |directory: &Path| {
            let mut cases = Cases::default();
            let paths = cases.in_directory(directory).expect("tests");
            let cases: Vec<_> = (paths.iter())
                .map(|path| cases.read(path).expect("a test"))
                .collect();
            let done = native::replay(&build, &cases, &Options::default(), None).expect("a replay");
            assert_eq!(
                (done.ended, done.signalled, done.timed_out),
                (cases.len(), 0, 0)
            );
            let files = done.coverage.files.into_iter();
            let mut files = files.filter(|(path, _)| path.ends_with("classify.c"));
            let (_, file) = files.next().expect("the source file");
            (file.line_total(), file.branch_total(), file.functions)
        };
        let (lines, branches, functions) = cover(&out);
        let fewer = cover(&small);
        assert_eq!((fewer.0, fewer.1), (lines, branches), "{}", build.display());
        assert!(lines.covered > 10 && lines.covered < lines.all, "{lines:?}");
        assert!(
            branches.covered > 8 && branches.covered < branches.all,
            "{branches:?}"
        );
        let never = functions.iter().find(|(name, _)| name.ends_with("never"));
        assert_eq!(never.map(|(_, function)| function.count), Some(0));
        let main = &functions["main"];
        assert_eq!((main.line, main.count), (18, all as u64));
    }
}

#[test]
fn coverage_is_printed_beside_the_executors_own() {
    let bench = Bench::new("suites-cover", &CLASSIFY.replace("assert(", "(void)("));
    let out = bench.explore("out", &[]);
    let native = bench.native("by-gcc", "cc", &["--coverage"]);
    let lcov = bench.directory.join("native.lcov");
    let (out, lcov_text) = (out.to_string_lossy(), lcov.to_string_lossy());
    let native = native.to_string_lossy();
    let words = [
        "cover",
        "--functions",
        "--lcov",
        &lcov_text,
        &out,
        "--",
        &native,
    ];
    let text = said(&words);
    let row = |name: &str| -> Vec<&str> {
        let line = text.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{name}: {text}"))
            .split_whitespace()
            .collect()
    };
    // Lines by gcov and by the executor.
    assert_eq!(row("kind")[1..3], ["100.0", "%"]);
    assert_eq!(row("kind")[7], "100.0");
    assert_eq!((row("never")[1], row("never")[5]), ("0.0", "0.0"));
    let read = |path: &str| {
        let text = fs::read_to_string(path).expect("a trace");
        plat::cover::lcov::parse(&text).expect("a trace")
    };
    let of = |coverage: plat::cover::SourceCoverage| {
        let file = coverage
            .files
            .into_iter()
            .find(|(path, _)| path.ends_with("classify.c"));
        file.expect("the source file").1.lines
    };
    // Where both see code, they agree on what was executed. Compilers put the code of a line that
    // only closes or opens something elsewhere.
    let (by_gcov, own) = (of(read(&lcov_text)), of(read(&format!("{out}/run.lcov"))));
    let lines: Vec<&str> = CLASSIFY.lines().collect();
    let mut common = 0;
    for (&line, &count) in &by_gcov {
        let Some(&by_executor) = own.get(&line) else {
            continue;
        };
        common += 1;
        let text = lines[line as usize - 1].trim();
        assert!(
            (count > 0) == (by_executor > 0)
                || text.ends_with('{')
                || text == "}"
                || text.ends_with(':'),
            "{line}: {text}"
        );
    }
    assert!(common > 10, "{common}");
    let plain = bench.native("plain", "cc", &[]);
    let refused = plat(command(), &["cover", &out, "--", &plain.to_string_lossy()]);
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        why.contains("it has written no counters: build it with --coverage"),
        "{why}"
    );
}

#[test]
fn a_run_that_is_killed_leaves_its_tests() {
    let endless = "\
void klee_make_symbolic(void *, unsigned long, const char *);
int main(void) {
    unsigned n = 0;
    for (;;) {
        unsigned x;
        klee_make_symbolic(&x, sizeof x, \"x\");
        if (x == 7) return n & 1;
        n += x > 9;
    }
}
";
    let bench = Bench::new("suites-killed", endless);
    for round in 0..3 {
        let out = bench.directory.join(format!("out{round}"));
        let mut child = Command::new(command())
            .args(["explore", "--quiet", "--test-files=none", "--max-time=2min"])
            .args(["--search=bfs", "--output-dir"])
            .args([&out, &bench.bitcode])
            .stderr(Stdio::null())
            .spawn()
            .expect("plat runs");
        let start = Instant::now();
        // Read while it grows: what was there stays, and more comes. Two blocks at least, as the last
        // one is cut below.
        let (mut seen, mut growths) = (0, 0);
        while seen < 100 + 50 * round || growths < 2 {
            assert!(start.elapsed() < Duration::from_secs(100), "{seen} tests");
            std::thread::sleep(Duration::from_millis(5));
            if Container::is_in(&out)
                && let Ok(container) = Container::open(&out)
            {
                assert!(container.len() >= seen);
                growths += u32::from(container.len() > seen);
                seen = container.len();
                assert!(container.numbers().eq(1..=seen as u32));
            }
        }
        child.kill().expect("killed");
        let _ = child.wait();
        let mut container = Container::open(&out).expect("tests");
        assert!(container.len() >= seen);
        for test in container.tests() {
            let test = test.expect("a test");
            assert!(!test.inputs.is_empty());
        }
        let before = container.len();
        container.refresh().expect("the same file");
        assert_eq!(container.len(), before);
        let lines = fs::read_to_string(out.join("tests.jsonl")).expect("lines");
        assert!(lines.lines().count() <= before);
        // The file may end anywhere: here in its last block.
        let file = fs::OpenOptions::new()
            .write(true)
            .open(out.join("run.tests"));
        let file = file.expect("the file");
        let length = file.metadata().expect("a length").len();
        file.set_len(length - 3).expect("a shorter file");
        let out = out.to_string_lossy();
        let listed = plat_ok(command(), &["tests", "list", &out]).expect("a list");
        let why = String::from_utf8_lossy(&listed.stderr).into_owned();
        assert!(why.contains("were not written whole"), "{why}");
        let rows = String::from_utf8_lossy(&listed.stdout).lines().count() - 1;
        assert!(rows < before && rows > 0, "{rows} of {before}");
    }
}
