//! A run that was stopped, by a limit or by force, goes on to the same tests as one that was not, and
//! writes none twice.

use plat::output::tests_jsonl::End;
use plat::suite::Container;
use plat_tests::explore::{plat, plat_ok, prepare};
use plat_tests::{command, compile_bitcode, corpus, scratch};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Programs with tables of objects, faults that many paths meet, freed objects, allocations, arguments,
/// standard input, floats, jumps.
const PROGRAMS: &[&str] = &[
    "assertion",
    "binary_tree",
    "double_free",
    "float_sort",
    "function_pointers",
    "hash_table",
    "matrix_store",
    "option_args",
];

/// A test: its input, and how its path ends.
pub(crate) type Test = (Vec<u8>, String);
pub(crate) type Summary = serde_json::Value;

/// The tests of the paths that have ended, with how many there are of each; those that stand for no
/// error of their own, and those of paths that a limit of the run has cut off, depend on the order.
pub(crate) fn tests(out: &Path) -> BTreeMap<Test, u32> {
    let lines = fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
    let container = Container::open(out).expect("the tests");
    assert_eq!(lines.lines().count(), container.len());
    let mut tests = BTreeMap::new();
    for (test, line) in container.tests().zip(lines.lines()) {
        let test = test.expect("a test");
        let mut line: Summary = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["test"].take(), test.number);
        if test.repeats || test.end == End::Limit {
            continue;
        }
        // Which path is the first depends on the order.
        line["covers_new"].take();
        let input = test.to_ktest(&[]).to_bytes();
        *tests.entry((input, line.to_string())).or_default() += 1;
    }
    tests
}

pub(crate) fn summary(out: &Path) -> Summary {
    let text = fs::read(out.join("summary.json")).expect("the summary");
    serde_json::from_slice(&text).expect("the summary is JSON")
}

pub(crate) fn run(program: &Path, out: &Path, options: &[&str], inputs: &[String]) {
    let (out, program) = (out.to_string_lossy(), program.to_string_lossy());
    let mut args = vec!["run", "--quiet", "--batch-instructions", "100"];
    args.extend(["--output-dir", &out]);
    args.extend(options);
    args.push(&program);
    args.extend(inputs.iter().map(String::as_str));
    plat_ok(command(), &args).expect("a run");
}

pub(crate) fn resume(out: &Path, options: &[&str]) -> Summary {
    let text = out.to_string_lossy();
    let mut args = vec!["resume", "--quiet", &text];
    args.extend(options);
    plat_ok(command(), &args).expect("it goes on");
    summary(out)
}

pub(crate) fn programs(directory: &Path) -> Vec<(String, PathBuf, Vec<String>)> {
    let cases = corpus::all().into_iter();
    let cases = cases.filter(|case| PROGRAMS.contains(&case.name.as_str()));
    let prepared = cases.map(|case| {
        let program = prepare(command(), &case.source, directory).expect("a program");
        (case.name.clone(), program, case.symbolic_options())
    });
    prepared.collect()
}

/// Runs the command in a directory.
fn run_there(there: &Path, args: &[&str]) {
    let output = Command::new(command())
        .args(args)
        .current_dir(there)
        .output();
    let output = output.expect("the command");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {said}");
}

#[test]
fn a_compressed_trie_goes_on_to_the_same_tests() {
    let directory = scratch("resume-compressed");
    let mut dropped = 0;
    for (name, program, inputs) in programs(&directory) {
        let (whole, out) = (
            directory.join(format!("{name}.whole")),
            directory.join(&name),
        );
        run(&program, &whole, &[], &inputs);
        let all = summary(&whole)["instructions"].as_u64().expect("a number");
        let part = (all / 2).to_string();
        let little = [
            "--max-instructions",
            &part,
            "--max-halt-tests",
            "0",
            "--search",
            "dfs",
        ];
        run(&program, &out, &little, &inputs);
        let to = out.to_string_lossy();
        let size = || fs::metadata(out.join("run.trie")).expect("the trie").len();
        let before = size();
        plat_ok(command(), &["trie", "compress", &to]).expect("compressed");
        dropped += before.saturating_sub(size());
        let last = resume(&out, &["--max-instructions", "0"]);
        assert_eq!(last["stop"], "finished", "{name}");
        assert_eq!(tests(&out), tests(&whole), "{name}");
        for count in ["completed", "faults"] {
            assert_eq!(
                last["paths"][count],
                summary(&whole)["paths"][count],
                "{name}: {count}"
            );
        }
    }
    assert!(dropped > 0, "nothing was dropped");
}

#[test]
fn a_run_goes_on_from_another_directory() {
    let directory = scratch("resume-elsewhere");
    let mut all = programs(&directory).into_iter();
    let found = all.find(|(name, ..)| name == "hash_table");
    let (_, program, inputs) = found.expect("the program");
    let there = program.parent().expect("a directory");
    let name = program.file_name().expect("a name").to_string_lossy();
    let begin = |out: &str, options: &[&str]| {
        let mut args = vec!["run", "--quiet", "--batch-instructions", "100"];
        args.extend(["--output-dir", out]);
        args.extend(options);
        args.push(&name);
        args.extend(inputs.iter().map(String::as_str));
        run_there(there, &args);
    };
    begin("whole", &[]);
    begin("stopped", &["--max-instructions", "300"]);
    let out = there.join("stopped");
    assert_ne!(summary(&out)["stop"], "finished");
    let elsewhere = scratch("resume-elsewhere-too");
    let to = out.to_string_lossy();
    run_there(
        &elsewhere,
        &["resume", "--quiet", "--max-instructions", "0", &to],
    );
    assert_eq!(summary(&out)["stop"], "finished");
    assert_eq!(tests(&out), tests(&there.join("whole")));
    // Their decisions are the same, and differ from those of a part.
    begin("part", &["--max-instructions", "300"]);
    let compare = |other: &str| plat(command(), &["trie", "diff", &to, other]).status.code();
    let (whole, part) = (there.join("whole"), there.join("part"));
    assert_eq!(compare(&whole.to_string_lossy()), Some(0));
    assert_eq!(compare(&part.to_string_lossy()), Some(1));
    let page = plat(command(), &["trie", "html", &to]).stdout;
    let page = String::from_utf8_lossy(&page).into_owned();
    let folds = |word: &str| page.matches(word).count();
    assert_eq!(folds("<details"), folds("</details>"));
    assert!(folds("finished") > 1, "{page}");
}

#[test]
fn a_run_that_a_limit_has_stopped_goes_on() {
    let directory = scratch("resume-limits");
    let mut remembered = 0;
    for (name, program, inputs) in programs(&directory) {
        for model in ["forking", "segmented"] {
            let whole = directory.join(format!("{name}-{model}"));
            run(&program, &whole, &["--memory-model", model], &inputs);
            let expected = tests(&whole);
            let out = directory.join(format!("{name}-{model}-stopped"));
            let options = ["--memory-model", model, "--max-instructions", "3000"];
            run(&program, &out, &options, &inputs);
            let mut last = summary(&out);
            let mut bound = 3000;
            for search in ["bfs", "dfs", "random-state"].iter().cycle() {
                if last["stop"] == "finished" {
                    break;
                }
                bound *= 4;
                let most = bound.to_string();
                let options = ["--max-instructions", &most, "--search", search];
                last = resume(&out, &options);
                remembered += last["led"]["remembered"].as_u64().expect("a number");
            }
            let what = format!("{name} {model}");
            assert_eq!(tests(&out), expected, "{what}");
            assert_eq!(last["led"]["divergences"], serde_json::json!({}), "{what}");
            let undisturbed = summary(&whole);
            for key in ["completed", "faults", "unsupported"] {
                assert_eq!(
                    last["paths"][key], undisturbed["paths"][key],
                    "{what} {key}"
                );
            }
            assert_eq!(last["coverage"], undisturbed["coverage"], "{what}");
        }
    }
    assert!(remembered > 100, "{remembered}");
}

/// A path for each of many values, with faults and a table of objects among them.
const MANY: &str = "
#include <klee/klee.h>
#include <stdlib.h>
int main(void)
{
\tunsigned char bytes[4];
\tint *rows[3], sum = 0;
\tklee_make_symbolic(bytes, sizeof bytes, \"bytes\");
\tfor (int i = 0; i < 3; i++)
\t\trows[i] = calloc(2, sizeof(int));
\tfor (int i = 0; i < 4; i++)
\t\tfor (int value = 1; value < 6; value++)
\t\t\tif (bytes[i] == value) {
\t\t\t\tsum = sum * 7 + value;
\t\t\t\tfor (volatile int wait = 0; wait < 300; wait++)
\t\t\t\t\t;
\t\t\t}
\tif (bytes[0] < 3)
\t\trows[bytes[0]][bytes[1] & 1] = sum;
\tif (sum == 1234)
\t\trows[0][bytes[2] + 2] = 1;
\treturn sum % 5;
}
";

/// Runs until it is killed after a span of time, or has ended.
fn killed(args: &[&str], after: Duration) -> bool {
    let mut child = Command::new(command())
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("plat runs");
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{args:?}: {status}");
            return false;
        }
        if started.elapsed() >= after {
            child.kill().expect("it is killed");
            child.wait().expect("a child");
            return true;
        }
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_run_that_is_killed_again_and_again_comes_to_the_same_tests() {
    let directory = scratch("resume-kills");
    let (source, bitcode) = (directory.join("many.c"), directory.join("many.bc"));
    fs::write(&source, MANY).expect("a file");
    compile_bitcode(&source, &bitcode);
    let program = bitcode.to_string_lossy();
    let whole = directory.join("whole");
    let started = Instant::now();
    plat_ok(
        command(),
        &[
            "explore",
            "--quiet",
            "--output-dir",
            &whole.to_string_lossy(),
            &program,
        ],
    )
    .expect("a run");
    let took = started.elapsed();
    let expected = tests(&whole);
    assert!(expected.len() > 1000, "{}", expected.len());
    let mut random = fastrand::Rng::with_seed(20);
    for workers in ["1", "2"] {
        let out = directory.join(format!("killed-{workers}"));
        let text = out.to_string_lossy();
        let first = ["explore", "--quiet", "--workers", workers];
        let first = [&first[..], &["--output-dir", &text, &program]].concat();
        // A busy machine may have been slow for the whole run and be fast now: then in shorter times.
        let mut pace = took;
        while killed_again_and_again(&first, &out, pace, &mut random) < 2 {
            same_as_never_killed(&out, &expected, workers);
            fs::remove_dir_all(&out).expect("a directory");
            pace /= 2;
        }
        same_as_never_killed(&out, &expected, workers);
    }
}

/// The number of times that a run into `out` was killed after it had begun, until it came to its end.
fn killed_again_and_again(
    first: &[&str],
    out: &Path,
    pace: Duration,
    random: &mut fastrand::Rng,
) -> u32 {
    let resume = ["resume", "--quiet", &out.to_string_lossy()];
    let (mut kills, mut began) = (0, pace / 2);
    let mut again = killed(first, began);
    while again {
        if !out.join("run.trie").exists() {
            // It was killed before it began.
            let _ = fs::remove_dir_all(out);
            began *= 2;
            again = killed(first, began);
            continue;
        }
        kills += 1;
        // Longer each time, so that it comes to an end on a busy machine too.
        let most = pace.as_millis() as u64 * (2 + u64::from(kills)) / 8 + 2;
        let after = Duration::from_millis(random.u64(most / 2..most));
        again = killed(&resume, after);
    }
    kills
}

fn same_as_never_killed(out: &Path, expected: &BTreeMap<Test, u32>, workers: &str) {
    assert_eq!(&tests(out), expected, "{workers} workers");
    let last = summary(out);
    assert_eq!(last["stop"], "finished");
    assert_eq!(last["led"]["divergences"], serde_json::json!({}));
}

#[test]
fn a_greater_depth_explores_what_is_behind_the_smaller_one() {
    let directory = scratch("resume-depth");
    let (_, program, inputs) = programs(&directory)
        .into_iter()
        .find(|one| one.0 == "binary_tree")
        .expect("the program");
    let whole = directory.join("whole");
    run(&program, &whole, &[], &inputs);
    let out = directory.join("deeper");
    run(&program, &out, &["--max-depth", "2"], &inputs);
    let mut before = u64::MAX;
    for depth in ["4", "6", "0"] {
        let last = resume(&out, &["--max-depth", depth]);
        assert_eq!(last["stop"], "finished");
        let limits = last["paths"]["limits"].as_u64().expect("a number");
        before = before.min(limits);
    }
    assert_eq!(
        tests(&out).keys().collect::<Vec<_>>(),
        tests(&whole).keys().collect::<Vec<_>>()
    );
    assert_eq!(before, 0);
}

/// A path for each set of bytes, each with pages of memory of its own.
const LARGE: &str = "
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
\tunsigned char bytes[12];
\tchar *pages = malloc(100000);
\tint sum = 0;
\tmemset(pages, 1, 100000);
\tklee_make_symbolic(bytes, sizeof bytes, \"bytes\");
\tfor (int i = 0; i < 12; i++) {
\t\tpages[i * 8000 + i] = i;
\t\tif (bytes[i] > 100)
\t\t\tsum += i;
\t}
\treturn sum;
}
";

/// Memory for far fewer states than there are.
#[test]
fn states_that_do_not_fit_into_memory_are_explored_all_the_same() {
    let directory = scratch("resume-memory");
    let (source, bitcode) = (directory.join("large.c"), directory.join("large.bc"));
    fs::write(&source, LARGE).expect("a file");
    compile_bitcode(&source, &bitcode);
    let program = bitcode.to_string_lossy();
    let explored = |most: u32| {
        let out = directory.join(format!("within-{most}"));
        let (text, most) = (out.to_string_lossy(), most.to_string());
        let args = ["explore", "--quiet", "--search", "bfs", "--max-memory"];
        let args = [&args[..], &[&most, "--output-dir", &text, &program]].concat();
        plat_ok(command(), &args).expect("a run");
        (tests(&out), summary(&out))
    };
    let (plenty, _) = explored(2000);
    // What plat itself takes is different from machine to machine.
    let scarce = (45..200).step_by(2).map(explored);
    let warmed = |(_, last): &(_, Summary)| {
        last["stop"] == "finished" && last["led"]["warmed"].as_u64() > Some(100)
    };
    let (scarce, last) = scarce.into_iter().find(warmed).expect("a bound");
    assert_eq!(scarce, plenty);
    let led = &last["led"];
    assert!(led["cooled"].as_u64() > Some(100), "{led}");
    assert_eq!(led["divergences"], serde_json::json!({}));
}

#[test]
fn what_cannot_go_on_is_refused_in_one_line() {
    let directory = scratch("resume-refused");
    let (_, program, inputs) = programs(&directory)
        .into_iter()
        .find(|one| one.0 == "assertion")
        .expect("the program");
    let refused = |out: &Path, why: &str| {
        let output = plat(command(), &["resume", &out.to_string_lossy()]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert_eq!(said.trim().lines().count(), 1, "{said}");
        assert!(said.contains(why), "{said}");
    };
    refused(&directory.join("nowhere"), "no run.trie in it");
    let kept_none = directory.join("none");
    run(&program, &kept_none, &["--write-trie=false"], &inputs);
    refused(&kept_none, "no run.trie in it");
    let out = directory.join("out");
    run(&program, &out, &["--max-instructions", "2000"], &inputs);
    let trie = out.join("run.trie");
    let whole = fs::read(&trie).expect("the trie");
    let mut damaged = whole.clone();
    // In a block of records: behind the header.
    let within = damaged.len() - 3;
    damaged[within] ^= 1;
    fs::write(&trie, &damaged).expect("a file");
    refused(&out, "damaged");
    fs::write(&trie, &whole[..whole.len() - 3]).expect("a file");
    resume(&out, &["--max-instructions", "0"]);
    // Another program under the same name.
    let (_, other, _) = programs(&directory)
        .into_iter()
        .find(|one| one.0 == "float_sort")
        .expect("the program");
    fs::copy(&other, &program).expect("a copy");
    refused(&out, "the program differs");
}

/// Goes on to the end of a program, or until a file has more than so many blocks of 512 bytes, as if the
/// disk were full. Returns whether that happened.
fn fills_a_small_disk(program: &Path, out: &Path, blocks: u32) -> bool {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
    let mut small = Command::new("sh");
    small.args(["-c", &script, "sh"]).arg(command());
    // The listing of the program is larger than all else.
    small.args(["run", "--quiet", "--output-source=false", "--output-dir"]);
    let output = small.arg(out).arg(program).output().expect("a run");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!said.contains("panicked"), "{said}");
    match output.status.code() {
        Some(0) => false,
        Some(_) => true,
        None => panic!("{}: {said}", output.status),
    }
}

#[test]
fn a_run_that_has_filled_the_disk_goes_on_when_there_is_room() {
    let directory = scratch("resume-full-disk");
    let source = directory.join("many.c");
    fs::write(&source, MANY).expect("a file");
    let program = prepare(command(), &source, &directory).expect("a program");
    let whole = directory.join("whole");
    run(&program, &whole, &["--output-source=false"], &[]);
    let mut cut = 0;
    for blocks in [100, 120, 150, 200, 250, 300, 400, 500] {
        let out = directory.join(blocks.to_string());
        assert!(fills_a_small_disk(&program, &out, blocks), "{blocks}");
        let before = Container::open(&out).expect("tests").len();
        assert_eq!(resume(&out, &[])["stop"], "finished", "{blocks}");
        assert_eq!(tests(&out), tests(&whole), "{blocks}");
        cut += u32::from(before > 0 && before < Container::open(&whole).expect("tests").len());
    }
    assert!(cut > 2, "only {cut} runs were cut off between their tests");
}
