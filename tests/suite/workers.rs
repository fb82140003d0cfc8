//! Exploring in several processes: the set of tests is that of one process; an interrupt leaves a
//! complete directory; a process that dies is missed.

use plat_tests::explore::{plat_ok, prepare};
use plat_tests::{command, compile_bitcode, corpus, must_run, scratch};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Programs with paths enough to share, and of all kinds: tables of objects, faults that many paths
/// meet, freed objects, allocations, arguments, standard input, floats, jumps.
const PROGRAMS: &[&str] = &[
    "assertion",
    "binary_tree",
    "double_free",
    "duplicate_strings",
    "float_sort",
    "function_pointers",
    "hash_table",
    "linked_list",
    "matrix_store",
    "neighbour_overflow",
    "non_local_jumps",
    "option_args",
];

/// What a test is, but for its number: its input, and how its path ends.
type Test = (Vec<u8>, String);

/// The tests of a run with how many there are of each, and its summary.
fn explored(
    program: &Path,
    out: &Path,
    options: &[&str],
    inputs: &[String],
) -> (BTreeMap<Test, u32>, Summary) {
    let mut args = vec![
        "run",
        "--quiet",
        "--worker-interval",
        "0",
        "--test-files=all",
    ];
    // The sooner the searcher is asked, the sooner a process can divide.
    args.extend(["--batch-instructions", "100", "--output-dir"]);
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    args.push(&out_text);
    args.extend(options);
    args.push(&program);
    args.extend(inputs.iter().map(String::as_str));
    plat_ok(command(), &args).expect("a run");
    (written(out), summary(out))
}

/// The tests in a directory.
fn written(out: &Path) -> BTreeMap<Test, u32> {
    let lines = fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
    let mut tests = BTreeMap::new();
    for line in lines.lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        // Which path covers something first depends on the order.
        if line["repeats"] == true {
            continue;
        }
        line["covers_new"].take();
        let number = line["test"].take().as_u64().expect("a number");
        let input = out.join(format!("test{number:06}.ktest"));
        let input = fs::read(input).expect("a test");
        *tests.entry((input, line.to_string())).or_default() += 1;
    }
    tests
}

type Summary = serde_json::Value;

fn summary(out: &Path) -> Summary {
    let text = fs::read(out.join("summary.json")).expect("the summary");
    serde_json::from_slice(&text).expect("the summary is JSON")
}

/// What does not depend on which process does what.
fn totals(summary: &Summary) -> Vec<&Summary> {
    let keys = [
        "stop",
        "instructions",
        "paths",
        "forks",
        "coverage",
        "lost_paths",
    ];
    keys.iter().map(|key| &summary[key]).collect()
}

#[test]
fn many_processes_find_what_one_does() {
    let directory = scratch("workers");
    let mut processes = 0;
    for case in corpus::all() {
        if !PROGRAMS.contains(&case.name.as_str()) {
            continue;
        }
        let program = prepare(command(), &case.source, &directory).expect("a program");
        let inputs = case.symbolic_options();
        for model in ["forking", "segmented"] {
            let run = |workers: &str| {
                let out = directory.join(format!("{}-{model}-{workers}", case.name));
                let options = ["--memory-model", model, "--workers", workers];
                explored(&program, &out, &options, &inputs)
            };
            let (one, alone) = run("1");
            assert_eq!(alone["processes"], 1);
            for workers in ["2", "4"] {
                let (several, together) = run(workers);
                let what = format!("{} {model} {workers}", case.name);
                assert_eq!(one, several, "{what}");
                assert_eq!(totals(&alone), totals(&together), "{what}");
                processes += together["processes"].as_u64().expect("a number");
            }
        }
    }
    // 48 runs, and most of them have divided.
    assert!(processes > 96, "{processes}");
}

/// Each process collects its own expressions, those that it had before it was divided off included.
#[test]
fn with_collections_between_all_batches() {
    let directory = scratch("workers-collections");
    let mut collections = 0;
    for case in corpus::all() {
        if !PROGRAMS.contains(&case.name.as_str()) {
            continue;
        }
        let program = prepare(command(), &case.source, &directory).expect("a program");
        let inputs = case.symbolic_options();
        let run = |workers: &str, when: &str| {
            let out = directory.join(format!("{}-{workers}-{when}", case.name));
            let options = ["--workers", workers, "--collect", when];
            explored(&program, &out, &options, &inputs)
        };
        let (one, alone) = run("1", "never");
        let (several, together) = run("4", "always");
        assert_eq!(one, several, "{}", case.name);
        assert_eq!(totals(&alone), totals(&together), "{}", case.name);
        collections += together["pool"]["collections"].as_u64().expect("a number");
    }
    assert!(collections > 100, "{collections}");
}

/// Every model on the papers' matrix and on a table of objects: what a model moves or leaves out on
/// a path depends on this path alone.
#[test]
fn under_every_memory_model() {
    let directory = scratch("workers-models");
    let table = corpus::all()
        .into_iter()
        .find(|case| case.name == "hash_table");
    let table = table.expect("the program");
    let matrix = plat_tests::root().join("benchmarks/programs/matrix.c");
    let programs = [
        (matrix, vec![]),
        (table.source.clone(), table.symbolic_options()),
    ];
    let programs = programs.map(|(source, inputs)| {
        let program = prepare(command(), &source, &directory);
        (program.expect("a program"), inputs)
    });
    let mut processes = 0;
    for (program, inputs) in &programs {
        for model in plat_memory::model::ALL {
            let run = |workers: &str| {
                let name = program.file_stem().expect("a name").to_string_lossy();
                let out = directory.join(format!("{name}-{}-{workers}", model.name));
                let options = ["--memory-model", model.name, "--workers", workers];
                explored(program, &out, &options, inputs)
            };
            let ((one, alone), (two, together)) = (run("1"), run("2"));
            let what = format!("{} {}", program.display(), model.name);
            assert_eq!(one, two, "{what}");
            assert_eq!(totals(&alone), totals(&together), "{what}");
            processes += together["processes"].as_u64().expect("a number");
        }
    }
    // Some of these runs have divided.
    let runs = programs.len() * plat_memory::model::ALL.len();
    assert!(processes > runs as u64, "{processes}");
}

/// Compiles the program without end into a directory.
fn endless(directory: &Path) -> PathBuf {
    let (source, bitcode) = (directory.join("endless.c"), directory.join("endless.bc"));
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    bitcode
}

/// Explores the program without end under a bound; the directory.
fn bounded(directory: &Path, bitcode: &Path, workers: &str, bound: [&str; 2]) -> PathBuf {
    let out = directory.join(format!("out{}-{workers}", bound[0]));
    let mut command = Command::new(command());
    command.args(["explore", "--quiet", "--worker-interval", "0"]);
    command.arg("--test-files=all");
    command.args(["--batch-instructions", "100", "--workers", workers]);
    command
        .args(bound)
        .arg("--output-dir")
        .args([&out, bitcode]);
    must_run(&mut command);
    out
}

#[test]
fn what_depends_on_the_order_has_one_process() {
    let directory = scratch("workers-one");
    let bitcode = endless(&directory);
    for (bound, why) in [
        (["--max-tests", "40"], "tests are bounded"),
        (["--max-instructions", "20000"], "instructions are bounded"),
    ] {
        let out = bounded(&directory, &bitcode, "2", bound);
        let summary = summary(&out);
        // Paths that were alive at the end have tests too.
        assert_eq!(summary["processes"], 1);
        assert!(summary["tests"].as_u64() >= Some(40));
        let messages = fs::read_to_string(out.join("messages.txt")).expect("the messages");
        assert!(messages.contains(&format!("exploring in one process: {why}")));
    }
}

/// Bounds on a path hold wherever it is explored; bounds on the run end all its processes.
#[test]
fn bounds_hold_for_all_processes() {
    let directory = scratch("workers-bounds");
    let bitcode = endless(&directory);
    let depth = |workers| {
        let out = bounded(&directory, &bitcode, workers, ["--max-depth", "12"]);
        (written(&out), summary(&out))
    };
    let ((one, alone), (three, together)) = (depth("1"), depth("3"));
    assert_eq!(one, three);
    assert_eq!(totals(&alone), totals(&together));
    assert!(together["processes"].as_u64() > Some(1));
    for (bound, stop) in [
        (["--max-time", "1s"], "time"),
        (["--max-memory", "30"], "memory"),
    ] {
        let out = bounded(&directory, &bitcode, "3", bound);
        let summary = summary(&out);
        assert_eq!(
            (&summary["stop"], &summary["lost_paths"]),
            (&stop.into(), &0.into())
        );
        assert_eq!(summary["tests"], count_tests(&out));
    }
}

/// Sixteen paths without end, each of which has paths that end for every value.
const ENDLESS: &str = "
#include <klee/klee.h>
int main(void)
{
\tunsigned long n;
\tunsigned char b, ones = 0;
\tklee_make_symbolic(&n, sizeof n, \"n\");
\tklee_make_symbolic(&b, sizeof b, \"b\");
\tfor (int i = 0; i < 4; i++)
\t\tif (b >> i & 1)
\t\t\tones++;
\tfor (unsigned long i = 0;; i++)
\t\tif (n == i)
\t\t\treturn ones;
}
";

/// The longest that anything here may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something is there.
fn wait_for<T>(what: &str, mut get: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(got) = get() {
            return got;
        }
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        sleep(Duration::from_millis(20));
    }
}

/// Explores without end in three processes; the process, and those that it makes.
fn start(directory: &Path, out: &Path) -> (Child, impl Fn() -> Vec<String> + use<>) {
    let bitcode = endless(directory);
    let child = Command::new(command())
        .args(["explore", "--quiet", "--workers", "3", "--search", "bfs"])
        .arg("--test-files=all")
        .args([
            "--worker-interval",
            "0",
            "--batch-instructions",
            "20",
            "--max-time",
            "5min",
        ])
        .arg("--output-dir")
        .args([out, &bitcode])
        .stderr(Stdio::null())
        .spawn()
        .expect("plat runs");
    let tasks = format!("/proc/{0}/task/{0}/children", child.id());
    let workers = move || -> Vec<String> {
        let children = fs::read_to_string(&tasks).unwrap_or_default();
        children.split_whitespace().map(str::to_string).collect()
    };
    wait_for("workers", || {
        // Before the run the children are the stages'.
        let begun = out.join("test000009.ktest").exists();
        (begun && !workers().is_empty()).then_some(())
    });
    (child, workers)
}

fn signal(signal: &str, process: &str) {
    let sent = Command::new("kill").args([signal, process]).status();
    assert!(sent.expect("kill runs").success());
}

fn count_tests(out: &Path) -> usize {
    let files = fs::read_dir(out).expect("the directory").flatten();
    let ktests = files.filter(|file| file.path().extension().is_some_and(|it| it == "ktest"));
    ktests.count()
}

#[test]
fn an_interrupt_ends_all_and_leaves_a_complete_directory() {
    let directory = scratch("workers-interrupt");
    let out = directory.join("out");
    let (mut child, workers) = start(&directory, &out);
    let workers = workers();
    signal("-INT", &child.id().to_string());
    let status = wait_for("the end", || child.try_wait().expect("a child"));
    assert!(status.success(), "{status}");
    let summary = summary(&out);
    assert_eq!(
        (&summary["stop"], &summary["lost_paths"]),
        (&"interrupted".into(), &0.into())
    );
    assert_eq!(summary["tests"], count_tests(&out));
    let paths = &summary["paths"];
    assert_eq!(
        paths["completed"].as_u64().unwrap_or(0) + paths["limits"].as_u64().unwrap_or(0),
        count_tests(&out) as u64
    );
    for worker in workers {
        wait_for("the end of a worker", || {
            let stat = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
            (stat.is_empty() || stat.contains(") Z")).then_some(())
        });
    }
}

#[test]
fn a_worker_that_dies_is_missed() {
    let directory = scratch("workers-killed");
    let out = directory.join("out");
    let (mut child, workers) = start(&directory, &out);
    let warnings = out.join("warnings.txt");
    wait_for("a warning", || {
        // One that has just ended its work is not missed.
        for worker in workers() {
            let _ = Command::new("kill")
                .args(["-KILL", &worker])
                .stderr(Stdio::null())
                .status();
        }
        let said = fs::read_to_string(&warnings).unwrap_or_default();
        said.contains("has ended before its work: its paths are explored again")
            .then_some(())
    });
    signal("-INT", &child.id().to_string());
    let status = wait_for("the end", || child.try_wait().expect("a child"));
    assert_eq!(status.code(), Some(4));
    let summary = summary(&out);
    assert!(summary["lost_paths"].as_u64() > Some(0));
    assert_eq!(
        summary["tests"],
        count_tests(&out),
        "what was heard of it is there"
    );
}

/// A worker that is killed is one whose paths others explore: the tests are those of one process.
#[test]
fn paths_of_a_killed_worker_go_on_elsewhere() {
    let directory = scratch("workers-again");
    let bitcode = directory.join("many.bc");
    let source = directory.join("many.c");
    fs::write(&source, MANY).expect("a program");
    compile_bitcode(&source, &bitcode);
    let explore = |workers: &str, out: &Path| {
        let mut command = Command::new(command());
        command
            .args(["explore", "--quiet", "--workers", workers])
            .args(["--test-files=all", "--worker-interval", "0", "--output-dir"])
            .args([out, &bitcode])
            .stderr(Stdio::null())
            .stdout(Stdio::null());
        command
    };
    let alone = directory.join("alone");
    assert!(explore("1", &alone).status().expect("a run").success());
    let mut killed = 0;
    for round in 0..4u64 {
        let out = directory.join(format!("killed-{round}"));
        let mut child = explore("3", &out).spawn().expect("a run");
        // Before the run the children are the stages'.
        wait_for("tests", || {
            out.join("test000009.ktest").exists().then_some(())
        });
        // At other moments each time.
        sleep(Duration::from_millis(120 * round));
        let tasks = format!("/proc/{0}/task/{0}/children", child.id());
        let children = fs::read_to_string(tasks).unwrap_or_default();
        for worker in children.split_whitespace() {
            let sent = Command::new("kill")
                .args(["-KILL", worker])
                .stderr(Stdio::null())
                .status();
            killed += u32::from(sent.expect("kill runs").success());
        }
        let status = wait_for("the end", || child.try_wait().expect("a child"));
        let summary = summary(&out);
        assert_eq!(
            (&summary["stop"], &summary["lost_paths"]),
            (&"finished".into(), &0.into())
        );
        assert_eq!(status.code(), Some(0));
        assert!(
            written(&alone) == written(&out),
            "round {round}: other tests"
        );
        assert_eq!(summary["led"]["divergences"], serde_json::json!({}));
    }
    assert!(killed > 0, "no worker was there to be killed");
}

/// 4,096 paths, each of which takes some time.
const MANY: &str = "
#include <klee/klee.h>
int main(void)
{
	unsigned char in[12];
	volatile unsigned sum = 0;
	klee_make_symbolic(in, sizeof in, \"in\");
	for (int i = 0; i < 12; i++) {
		if (in[i] > 100)
			sum += i;
		for (int j = 0; j < 2000; j++)
			sum += j & 1;
	}
	return sum > 10000;
}
";
