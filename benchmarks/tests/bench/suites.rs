//! Suites from end to end: a suite of a small program is run, interrupted, run again and drawn, and its figures are held
//! against runs of plat by hand.

use crate::{bench, said};
use plat_tests::browser::Browser;
use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A symbolic pointer into one of four objects: forking has more paths than merging.
const PROGRAM: &str = "\
#include <stdlib.h>
#include <unistd.h>
int main(void) {
	unsigned char *rows[4], at;
	for (int i = 0; i < 4; i++)
		rows[i] = calloc(4, 1);
	rows[2][1] = 7;
	if (read(0, &at, 1) != 1 || at > 3)
		return 1;
	return rows[at][1] ? 2 : 3;
}
";

const SUITE: &str = r#"
title = "A small suite"
item = "Figure 0"
paper = "No paper"
limit = 60
program = "small"
arguments = ["--sym-stdin", "1"]

[[axis]]
name = "model"
options = ["--memory-model={model}"]
values = ["forking", "merging", { name = "bounded", options = [], steps = [
  { name = "all", run = "explore {program} {arguments}" },
  { name = "same", run = "explore --max-instructions={all:instructions} {program} {arguments}" },
] }]

[[axis]]
name = "search"
options = ["--search={search}"]
values = ["dfs", "bfs"]

[[column]]
name = "time"
metric = "cpu"
unit = "seconds"
published = { "forking/dfs" = 3600, "merging/dfs" = ">7200" }

[[column]]
name = "paths"
metric = "paths.completed"

[[check]]
same = ["all:instructions", "same:instructions"]

[[aggregate]]
name = "paths in all"
column = "paths"
take = "sum"

[[chart]]
title = "Time"
kind = "bars"
x = "search"
y = "time"
by = "model"
log = true

[[chart]]
title = "Memory"
kind = "memory-over-time"
by = "model"
"#;

struct Bench {
    directory: Scratch,
}

impl Bench {
    fn new(name: &str) -> Self {
        let directory = scratch(name);
        let bench = Bench { directory };
        bench.compile(PROGRAM);
        fs::write(bench.path("small.toml"), SUITE).expect("a suite");
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn compile(&self, program: &str) {
        fs::write(self.path("small.c"), program).expect("a source file");
        compile_bitcode(&self.path("small.c"), &self.path("small.bc"));
    }

    fn run(&self, words: &[&str]) -> Command {
        let mut run = bench();
        run.arg("run").arg(self.path("small.toml"));
        run.arg("--build").arg(self.path("."));
        run.arg("--out").arg(self.path("out")).args(words);
        run
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("out/small/results.jsonl")).unwrap_or_default();
        let whole = text
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'));
        whole
            .map(|line| serde_json::from_str(line).expect("a line"))
            .collect()
    }

    fn rows(&self) -> Vec<String> {
        self.lines().iter().map(|line| text(&line["row"])).collect()
    }
}

const ROWS: [&str; 6] = [
    "forking/dfs",
    "forking/bfs",
    "merging/dfs",
    "merging/bfs",
    "bounded/dfs",
    "bounded/bfs",
];

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

#[test]
fn figures_are_those_of_runs_by_hand() {
    let bench = Bench::new("suites-figures");
    must_run(&mut bench.run(&[]));
    assert_eq!(bench.rows(), ROWS);
    for line in bench.lines() {
        assert_eq!(line["error"], Value::Null, "{line}");
        assert!(
            line["machine"]["cores"].as_u64() > Some(0)
                && line["machine"]["memory"].as_u64() > Some(1 << 20)
        );
        assert!(text(&line["machine"]["plat"]).starts_with("plat "));
        let steps = line["steps"].as_array().expect("steps");
        assert!(steps.iter().all(
            |step| step["cpu"].as_f64() > Some(0.0) && step["memory"].as_u64() > Some(1 << 20)
        ));
    }
    for (row, model) in [(0, "forking"), (2, "merging")] {
        let out = bench.path(model);
        let mut plat = Command::new(command());
        plat.args([
            "explore",
            "--quiet",
            "--search=dfs",
            "--memory-model",
            model,
            "--output-dir",
        ]);
        plat.arg(&out)
            .arg(bench.path("small.bc"))
            .args(["--sym-stdin", "1"]);
        must_run(&mut plat);
        let summary = fs::read_to_string(out.join("summary.json")).expect("a summary");
        let by_hand: Value = serde_json::from_str(&summary).expect("JSON");
        let ours = &bench.lines()[row]["steps"][0]["summary"];
        for key in ["paths", "instructions", "forks", "memory_model", "stop"] {
            assert_eq!(ours[key], by_hand[key], "{model}: {key}");
        }
    }
    let paths =
        |row: usize| bench.lines()[row]["steps"][0]["summary"]["paths"]["completed"].clone();
    assert!(paths(0).as_u64() > paths(2).as_u64());

    // The commands of a row repeat it.
    let listed = must_run(
        bench
            .run(&["--list", "--only", "merging/bfs"])
            .current_dir(&bench.directory),
    );
    let listed = String::from_utf8(listed.stdout).expect("text");
    let line = listed
        .lines()
        .find(|line| line.contains("plat explore"))
        .expect("a command");
    let plat = format!("{} explore --json", command().display());
    let line = line.trim().replacen("plat explore", &plat, 1);
    let repeated = must_run(
        Command::new("sh")
            .args(["-c", &line])
            .current_dir(&bench.directory),
    );
    let repeated: Value = serde_json::from_slice(&repeated.stdout).expect("a summary");
    assert_eq!(
        repeated["instructions"],
        bench.lines()[3]["steps"][0]["summary"]["instructions"]
    );
}

#[test]
fn a_suite_goes_on_where_it_was() {
    let bench = Bench::new("suites-going-on");
    let mut first = bench.run(&[]).spawn().expect("started");
    let begun = Instant::now();
    while bench.lines().len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no rows");
        std::thread::sleep(Duration::from_millis(5));
    }
    first.kill().expect("killed");
    first.wait().expect("ended");
    let kept = bench.lines();
    assert!(kept.len() < ROWS.len(), "it was not interrupted");

    let file = bench.path("out/small/results.jsonl");
    let whole = fs::read_to_string(&file).expect("results");
    fs::write(&file, format!("{}{{\"suite\": \"sm", whole)).expect("cut off");
    let went_on = must_run(&mut bench.run(&[]));
    assert_eq!(bench.rows(), ROWS);
    assert_eq!(bench.lines()[..kept.len()], kept[..]);
    assert_eq!(said(&went_on).matches("there already").count(), kept.len());

    let whole = fs::read_to_string(&file).expect("results");
    must_run(&mut bench.run(&[]));
    assert_eq!(fs::read_to_string(&file).expect("results"), whole);

    // What decides a row's figures is part of what it is known by.
    must_run(&mut bench.run(&["--again", "--only", "merging"]));
    assert_eq!(bench.lines().len(), 8);
    must_run(&mut bench.run(&["--limit", "30", "--only", "forking/dfs"]));
    assert_eq!(bench.lines().len(), 9);
    bench.compile(&PROGRAM.replace("= 7", "= 8"));
    must_run(&mut bench.run(&["--only", "forking/dfs"]));
    assert_eq!(bench.lines().len(), 10);
}

#[test]
fn what_is_wrong_is_said() {
    let bench = Bench::new("suites-wrong");
    let broken = SUITE.replace("\"same:instructions\"]", "\"same:tests\"]");
    fs::write(bench.path("small.toml"), broken).expect("a suite");
    let output = bench.run(&["--only", "bounded/dfs"]).output().expect("run");
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("all:instructions is "),
        "{}",
        said(&output)
    );
    draw(&bench.path("out/small"));
    let page = fs::read_to_string(bench.path("out/small/page.html")).expect("a page");
    assert!(page.contains("all:instructions is ") && page.contains("1 of 6 rows"));

    for (words, expected) in [
        (["run", "no-such-suite"], "`plat-bench suites` lists them"),
        (["page", "/no/such/results"], "has no results"),
    ] {
        let output = crate::bench().args(words).output().expect("run");
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
}

fn draw(directory: &Path) {
    must_run(bench().arg("page").arg(directory));
}

#[test]
fn pages_work_in_a_browser() {
    let bench = Bench::new("suites-page");
    must_run(&mut bench.run(&[]));
    let results = bench.path("out/small");
    draw(&results);
    let page = fs::read_to_string(results.join("page.html")).expect("a page");
    for text in [
        "A small suite",
        "6 of 6 rows",
        "60\u{202f}min",
        "plat explore ",
        "&gt; 2\u{202f}h",
    ] {
        assert!(page.contains(text), "{text}");
    }
    for loaded in ["src=", "@import", "<link"] {
        assert!(!page.contains(loaded), "{loaded}");
    }
    let svg = fs::read_to_string(results.join("figure-1-1.svg")).expect("a figure");
    assert!(svg.starts_with("<svg") && svg.contains("forking"));
    let csv = fs::read_to_string(results.join("results.csv")).expect("numbers");
    assert_eq!(csv.lines().count(), 1 + ROWS.len());

    if let Some(browser) = Browser::installed() {
        for width in [400, 1280] {
            let did = browser.drive(&page, width, &bench.directory);
            for key in ["links", "sorted", "filtered", "buttons", "charts"] {
                assert!(did[key].as_u64() > Some(0), "{key}: {did}");
            }
        }
        let did = browser.print(&page, 720, &bench.directory);
        assert!(
            did["tables"].as_u64() > Some(0) && did["charts"].as_u64() > Some(0),
            "{did}"
        );
    }
}

#[test]
fn archives_of_the_papers_versions_are_the_users() {
    let directory = scratch("papers-source");
    let source = |name: &str, folder: Option<&Path>| {
        let mut source = Command::new(plat_tests::root().join("scripts/papers-source"));
        source.arg(name).env_remove("PLAT_SOURCES_DIR");
        source.envs(folder.map(|folder| ("PLAT_SOURCES_DIR", folder)));
        source.output().expect("run")
    };
    let unset = source("m4", None);
    assert!(!unset.status.success() && said(&unset).contains("set PLAT_SOURCES_DIR"));
    let empty = source("m4", Some(&directory));
    assert!(!empty.status.success() && said(&empty).contains("there is no m4-1.4.18.tar.xz"));
    let archive = directory.join("apr-1.6.3.tar.bz2");
    fs::write(&archive, "").expect("an archive");
    let found = source("apr", Some(&directory));
    assert_eq!(
        String::from_utf8_lossy(&found.stdout).trim(),
        archive.to_string_lossy()
    );
    assert!(!source("bc", Some(&directory)).status.success());
}
