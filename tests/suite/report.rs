//! `plat report`: the page of a run, SARIF and JUnit. What they say of faults is held against the source, what they
//! say of paths against the run's other files; the page is driven in a real browser where one is installed.

use plat_tests::browser::Browser;
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use quick_junit::TestCaseStatus;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program with two faults, and code that is not reached.
const STOCK: &str = "\
#include <stdio.h>
static int boxes[4] = {1, 2, 5, 10};
static int average(int total, int n) {
	return total / n;
}
static int never(int n) { return n + 1; }
int main(void) {
	char line[4];
	size_t n = fread(line, 1, sizeof line, stdin);
	for (size_t i = 0; i + 1 < n; i += 2) {
		int count = line[i + 1] - '0';
		if (count < 0 || count > 9)
			return 1;
		if (line[i] == '?')
			printf(\"average %d\\n\", average(100, count));
		else if (line[i] == 'b')
			printf(\"box <%d>\\n\", boxes[count]);
		else if (n > 9)
			never(count);
	}
	return 0;
}
";

struct Bench {
    directory: Scratch,
    bitcode: PathBuf,
}

impl Bench {
    fn new(name: &str, source: &str) -> Self {
        let directory = scratch(name);
        fs::write(directory.join("stock.c"), source).expect("a source file");
        let bitcode = directory.join("stock.bc");
        compile_bitcode(&directory.join("stock.c"), &bitcode);
        Bench { directory, bitcode }
    }

    fn path(&self, name: &str) -> String {
        self.directory.join(name).to_string_lossy().into_owned()
    }

    fn explore(&self, out: &str, options: &[&str]) -> PathBuf {
        let (out, program) = (self.path(out), self.bitcode.to_string_lossy());
        let words = [
            &["explore", "--quiet", "--output-dir", &out],
            options,
            &[&program, "--sym-stdin", "4"],
        ];
        plat_ok(command(), &words.concat()).expect("a run");
        PathBuf::from(out)
    }

    fn line_of(&self, text: &str) -> u64 {
        let source = fs::read_to_string(self.directory.join("stock.c")).expect("the source");
        let at = source.lines().position(|line| line.contains(text));
        at.expect("the line") as u64 + 1
    }
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref())
        .unwrap_or_else(|why| panic!("{}: {why}", path.as_ref().display()))
}

#[test]
fn faults_are_named_for_people_editors_and_services() {
    let bench = Bench::new("report-faults", STOCK);
    let run = bench.explore("out", &[]);
    let (sarif, junit) = (bench.path("f.sarif"), bench.path("f.xml"));
    let words = [
        "report",
        "--sarif",
        &sarif,
        "--junit",
        &junit,
        &bench.path("out"),
    ];
    let output = plat_ok(command(), &words).expect("a report");

    // A compiler's lines, at the places where clang finds the operations.
    let (divide, access) = (bench.line_of("total / n"), bench.line_of("boxes[count]"));
    let printed = String::from_utf8(output.stdout).expect("text");
    let source = bench.path("stock.c");
    let line =
        |at: u64, column: usize, text: &str| format!("{source}:{at}:{column}: error: {text} [");
    assert!(
        printed.contains(&line(divide, 15, "divide by zero")),
        "{printed}"
    );
    assert!(
        printed.contains(&line(access, 28, "memory error"))
            || printed.contains(&format!("{source}:{access}:")),
        "{printed}"
    );
    assert_eq!(printed.lines().count(), 2, "{printed}");

    // SARIF: each result has a rule of its own index, a file that is there and the line of the fault.
    let log: Value = serde_json::from_str(&read(&sarif)).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    let results = log["runs"][0]["results"].as_array().expect("results");
    let mut found: Vec<(String, u64)> = Vec::new();
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string());
        assert_eq!(result["level"], "error");
        let physical = &result["locations"][0]["physicalLocation"];
        let uri = physical["artifactLocation"]["uri"]
            .as_str()
            .expect("an address");
        assert_eq!(uri, format!("file://{source}"));
        let line = physical["region"]["startLine"].as_u64().expect("a line");
        assert!(physical["region"]["startColumn"].as_u64() > Some(0));
        let frames = result["stacks"][0]["frames"].as_array().expect("calls");
        assert!(!frames.is_empty());
        let test = result["properties"]["test"].as_u64().expect("a test");
        assert!(run.join(format!("test{test:06}.ktest")).exists());
        found.push((result["ruleId"].as_str().expect("an id").to_owned(), line));
    }
    found.sort();
    let expected = [
        ("plat/div".to_owned(), divide),
        ("plat/ptr".to_owned(), access),
    ];
    assert_eq!(found, expected);

    // JUnit: the faults are failures, the tests of new code have passed.
    let report = quick_junit::Report::deserialize_from_str(&read(&junit)).expect("JUnit");
    let suite = &report.test_suites[0];
    let failed = suite.test_cases.iter();
    let failed = failed.filter(|case| matches!(case.status, TestCaseStatus::NonSuccess { .. }));
    assert_eq!((suite.failures, failed.count()), (2, 2));
    assert!(suite.tests > 2);

    // The page has the run's figures, the faults' source and the command that repeats one; that command works.
    let page = read(run.join("report.html"));
    for text in [
        "Division by zero",
        "return total / n;",
        "Over time",
        "all paths explored",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let repeated = page
        .split("cd ")
        .nth(1)
        .and_then(|rest| rest.split("</code>").next());
    let repeated = repeated.expect("a command").replace("&amp;", "&");
    let line = format!("cd {repeated}").replace(
        "plat explore",
        &format!(
            "{} explore --output-dir {}",
            command().display(),
            bench.path("again")
        ),
    );
    must_run(Command::new("sh").args(["-c", &line]));
    let again: Value =
        serde_json::from_str(&read(bench.directory.join("again/summary.json"))).expect("JSON");
    assert_eq!(again["paths"]["faults"], 1, "{line}");
}

#[test]
fn what_is_no_run_is_refused_and_what_is_damaged_is_left_out() {
    let bench = Bench::new("report-damaged", STOCK);
    let output = plat(command(), &["report", &bench.path(".")]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("not the directory of a run") && said.lines().count() == 1,
        "{said}"
    );

    let run = bench.explore("out", &[]);
    for (name, section) in [
        ("run.stats", "Paths ended"),
        ("run.trie", "data-tree=\"0\""),
        ("run.lcov", "Next uncovered"),
        ("summary.json", "All figures of summary.json"),
        ("run.istats", "What each function has cost"),
    ] {
        let file = run.join(name);
        let whole = fs::read(&file).expect("a file");
        let before = page(&run);
        assert!(before.contains(section), "{name}");
        fs::write(&file, "SF:x\nDA:y,z\n1 2 3\n").expect("written");
        let damaged = page(&run);
        assert!(
            damaged.contains(&format!("{name}: ")) && damaged.contains("Left out: "),
            "{name}"
        );
        assert!(damaged.contains("Division by zero"), "{name}");
        if name != "run.lcov" {
            assert!(!damaged.contains(section), "{name}");
        }
        fs::write(&file, whole).expect("written");
    }
    // Tests that were cut off: those before are there.
    let tests = run.join("run.tests");
    let whole = fs::read(&tests).expect("tests");
    fs::write(&tests, &whole[..whole.len() - 7]).expect("written");
    assert!(page(&run).contains("were not written whole"));
}

/// The page of a run, made anew.
fn page(run: &Path) -> String {
    plat_ok(command(), &["report", &run.to_string_lossy()]).expect("a report");
    read(run.join("report.html"))
}

/// A program with paths without end.
pub(crate) const ENDLESS: &str = "\
#include <stdio.h>
int main(void) {
	unsigned sum = 0;
	for (int c; (c = getchar()) != EOF;)
		sum = sum * 31 + (c == 'x' ? 1 : c == 'y' ? 2 : 3);
	return sum == 12345;
}
";

#[test]
fn a_run_that_goes_on_and_one_that_was_killed_have_pages() {
    let bench = Bench::new("report-killed", ENDLESS);
    let out = bench.path("out");
    let program = bench.bitcode.to_string_lossy();
    let mut run = Command::new(command());
    run.args(["explore", "--quiet", "--output-dir", &out, &program]);
    run.args(["--sym-stdin", "200"]);
    let mut run = run.stderr(Stdio::null()).spawn().expect("started");
    let out = Path::new(&out);
    let begun = Instant::now();
    while !out.join("run.tests").exists() || !out.join("run.stats").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "no run");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(1500));
    let going = page(out);
    run.kill().expect("killed");
    run.wait().expect("ended");
    assert!(going.contains(">going on<"), "not going on");
    assert!(going.contains("no summary.json"));
    let killed = page(out);
    assert!(killed.contains("killed, or not known to go on"));
    assert!(killed.contains("data-tree=\"0\"") && killed.contains("Paths ended"));
}

/// Objects of the heap that input chooses between.
const BOXES: &str = "\
#include <stdio.h>
#include <stdlib.h>
static int *boxes[4];
static int *box(int n) {
	int *it = malloc(sizeof *it);
	*it = n;
	return it;
}
int main(void) {
	for (int i = 0; i < 4; i++)
		boxes[i] = box(3 * i);
	int c = getchar();
	if (c < '0' || c > '3')
		return 1;
	return *boxes[c - '0'] != 3 * (c - '0');
}
";

#[test]
fn a_page_has_the_segments_that_the_run_itself_has_made() {
    let bench = Bench::new("report-segments", BOXES);
    let (made, chosen) = (bench.line_of("malloc(sizeof"), bench.line_of("*boxes[c"));
    let summary = |out: &Path| -> Value {
        serde_json::from_str(&read(out.join("summary.json"))).expect("JSON")
    };
    let check = |allocations: &Value| {
        let [one] = allocations.as_array().expect("a list").as_slice() else {
            panic!("{allocations}");
        };
        assert_eq!(
            (one["line"].as_u64(), &one["kind"]),
            (Some(made), &"heap".into())
        );
        assert_eq!(
            (one["min_bytes"].as_u64(), one["max_bytes"].as_u64()),
            (Some(4), Some(4))
        );
    };
    for (model, workers) in [("auto", "1"), ("dynamic", "1"), ("dynamic", "2")] {
        let options = ["--memory-model", model, "--workers", workers];
        let out = bench.explore(&format!("{model}-{workers}"), &options);
        let summary = summary(&out);
        let [one] = summary["memory"]["together"]
            .as_array()
            .expect("a list")
            .as_slice()
        else {
            panic!("{summary}");
        };
        check(&one["allocations"]);
        assert!(one["max_bytes"].as_u64() >= Some(16), "{one}");
        let join = &one["joins"][0];
        assert_eq!(join["line"].as_u64(), Some(chosen), "{one}");
        assert_eq!(
            (join["count"].as_u64(), join["max_objects"].as_u64()),
            (Some(1), Some(4))
        );
        assert_eq!(summary["resolution"]["apart"], serde_json::json!([]));
        let page = page(&out);
        for text in [
            "What the run has put together",
            "main (stock.c:11) &gt; box (stock.c:5) &gt; malloc",
        ] {
            assert!(page.contains(text), "{text}");
        }
    }
    let out = bench.explore("forking", &["--memory-model", "forking"]);
    let summary = summary(&out);
    assert_eq!(summary["memory"]["together"], serde_json::json!([]));
    let apart = &summary["resolution"]["apart"][0];
    check(&apart["allocations"]);
    assert_eq!(
        (apart["line"].as_u64(), apart["max_ways"].as_u64()),
        (Some(chosen), Some(4))
    );
    let page = page(&out);
    assert!(
        page.contains("What was followed on paths of its own")
            && page.contains("puts nothing together")
    );
}

/// 2^17 paths.
const MANY: &str = "\
#include <unistd.h>
int main(void) {
	unsigned char in[17];
	int sum = 0;
	if (read(0, in, sizeof in) != sizeof in)
		return 1;
	for (int i = 0; i < 17; i++)
		if (in[i] > 100)
			sum += i;
	return sum & 1;
}
";

#[test]
fn a_hundred_thousand_paths_are_a_small_page() {
    let bench = Bench::new("report-many", MANY);
    let (out, program) = (bench.path("out"), bench.bitcode.to_string_lossy());
    let words = [
        "explore",
        "--quiet",
        "--write-no-tests",
        "--output-dir",
        &out,
        &program,
        "--sym-stdin",
        "17",
    ];
    plat_ok(command(), &words).expect("a run");
    let begun = Instant::now();
    let page = page(Path::new(&out));
    let took = begun.elapsed();
    assert!(page.len() < 10 << 20, "{} bytes", page.len());
    assert!(took < Duration::from_secs(20), "{took:?}");
    let summary: Value =
        serde_json::from_str(&read(Path::new(&out).join("summary.json"))).expect("JSON");
    let paths = summary["paths"]["completed"].as_u64().expect("paths");
    assert!(paths >= 1 << 17, "{paths}");
    assert!(page.contains(&format!(
        "{}\u{202f}{:03} paths, split at",
        paths / 1000,
        paths % 1000
    )));
    if let Some(browser) = Browser::installed() {
        browser.drive(&page, 1200, &bench.directory);
        let file = Path::new(&out).join("report.html");
        let opening = browser.opening(&file, &bench.directory);
        println!("{} bytes, opened in {opening:?}", page.len());
        // Less than 2 s where nothing else goes on.
        assert!(opening < Duration::from_secs(6), "{opening:?}");
    }
}

#[test]
fn open_gives_the_page_to_the_systems_browser() {
    let bench = Bench::new("report-open", STOCK);
    let run = bench.explore("out", &[]);
    // What the system opens files with: it notes what it was given.
    let (bin, given) = (bench.directory.join("bin"), bench.directory.join("given"));
    fs::create_dir(&bin).expect("a directory");
    let script = format!(
        "#!/bin/sh\necho \"$@\" > '{0}.new'; mv '{0}.new' '{0}'\n",
        given.display()
    );
    fs::write(bin.join("xdg-open"), script).expect("a script");
    must_run(Command::new("chmod").arg("+x").arg(bin.join("xdg-open")));
    let before = std::env::var("PATH").expect("a path");
    let report = |path: &str| {
        let mut report = Command::new(command());
        report
            .args(["report", "--open"])
            .arg(&run)
            .env("PATH", path);
        report.output().expect("run")
    };
    assert!(
        report(&format!("{}:{before}", bin.display()))
            .status
            .success()
    );
    let begun = Instant::now();
    while !given.exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing was opened"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let page = run.join("report.html");
    assert_eq!(read(given).trim(), page.to_string_lossy());

    // Where there is none, the page is there all the same, and its name is said.
    fs::remove_file(&page).expect("removed");
    let output = report(&bench.path("none"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("written, but no browser can be started") && page.exists(),
        "{said}"
    );
}

#[test]
fn pages_work_in_a_browser() {
    let Some(browser) = Browser::installed() else {
        return;
    };
    let bench = Bench::new("report-browser", STOCK);
    let run = bench.explore("out", &[]);
    let one = page(&run);
    let did = browser.drive(&one, 1280, &bench.directory);
    for key in ["links", "sorted", "filtered", "sources", "trees", "buttons"] {
        assert!(did[key].as_u64() > Some(0), "{key}: {did}");
    }
    assert!(did["pairs"].as_u64() > Some(40), "{did}");
    browser.drive(&one, 400, &bench.directory);
    let did = browser.print(&one, 720, &bench.directory);
    assert!(
        did["tables"].as_u64() > Some(3) && did["charts"].as_u64() > Some(3),
        "{did}"
    );
    bench.explore("other", &["--memory-model", "forking"]);
    let (both, first) = (bench.path("both.html"), format!("first={}", run.display()));
    plat_ok(
        command(),
        &["report", "-o", &both, &first, &bench.path("other")],
    )
    .expect("a report");
    let both = read(both);
    assert!(both.contains(">first<") && both.contains("2 runs side by side"));
    assert!(browser.drive(&both, 1280, &bench.directory)["trees"].as_u64() >= Some(2));
}
