//! The ideal segmentation: what one run finds is what the paper's procedure finds run by run, it
//! leaves no forks by resolution, and it works as a file; static and ideal side by side.

use plat::ideal::{Search, find, grouped, regroup, united};
use plat::output::comparison::Comparison;
use plat::output::summary::Summary;
use plat::{Interrupt, Processes};
use plat_command::args::{Asked, Command, RunArgs};
use plat_command::plan::{self, RunPlan};
use plat_engine::Silent;
use plat_memory::model::{ModelChoice, segmented};
use plat_program::Program;
use plat_segments::SegmentMap;
use plat_tests::corpus;
use plat_tests::explore::{plat, plat_ok, prepare};
use plat_tests::{command, compile_bitcode, scratch};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Programs that look things up in heap objects.
const PROGRAMS: &[&str] = &[
    "double_pointers",
    "hash_table",
    "linked_list",
    "matrix_rows",
    "mixed_sites",
    "name_table",
    "nested_tables",
    "pointer_table",
    "select_pointer",
    "two_levels",
    "use_after_free_table",
];

/// A program of the corpus, prepared: what is run, its map and how it is run.
fn ready(name: &str, directory: &Path) -> (Program, SegmentMap, RunPlan) {
    let cases = corpus::all();
    let case = cases.iter().find(|case| case.name == name).expect("a case");
    let path = prepare(command(), &case.source, directory).expect("a program");
    let program = plat_bitcode::read(&path).expect("bitcode");
    let map = SegmentMap::read(&directory.join(format!("{name}.segments.json")));
    let mut line: Vec<OsString> = ["plat", "run", "--quiet"].map(OsString::from).into();
    line.push(path.into_os_string());
    line.extend(case.symbolic_options().into_iter().map(OsString::from));
    (
        program,
        map.expect("a map"),
        plan::run(&parsed(&line)).expect("a plan"),
    )
}

fn parsed(line: &[OsString]) -> RunArgs {
    match plat_command::args::parse(line) {
        Ok(Asked::Command(parsed)) => match parsed.command {
            Command::Run(args) => *args,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Section 4.1 of the paper: run, put together what was confused, start again.
fn as_in_the_paper(program: &mut Program, map: &SegmentMap, plan: &RunPlan) -> (SegmentMap, u32) {
    let mut config = plan.config.clone();
    config.memory.model = Some(ModelChoice::from(&segmented::ENTRY));
    config.memory.options.threshold = u64::MAX;
    config.memory.options.join = plat_memory::Join::Allocation;
    config.record_confusions = true;
    let (mut sets, mut runs) = (Vec::new(), 0);
    let mut allocated = Vec::new();
    loop {
        let drawn = grouped(map, program, &allocated, &sets);
        regroup(program, &drawn, "the test").expect("groups");
        static NEVER: AtomicBool = AtomicBool::new(false);
        let run = plat_engine::run(program, &config, &plan.input, &mut Silent, &NEVER);
        let mut more = sets.clone();
        let run = run.expect("a run");
        more.extend(run.confused.sets);
        let more = united(&more);
        allocated.extend(run.confused.allocated);
        runs += 1;
        if more == sets {
            return (drawn, runs);
        }
        sets = more;
    }
}

#[test]
fn one_run_finds_what_the_papers_runs_find() {
    let directory = scratch("ideal");
    let mut several = 0;
    for name in PROGRAMS {
        let (mut program, map, plan) = ready(name, &directory);
        let search = Search {
            config: &plan.config,
            input: &plan.input,
            most: 5,
            processes: &Processes::none(),
            stop: Interrupt::new(),
        };
        let found = find(&mut program, &map, &search, |_| Silent).expect("a segmentation");
        assert!(found.complete && found.runs == 1, "{name}");
        let (expected, runs) = as_in_the_paper(&mut program, &map, &plan);
        assert_eq!(found.map, expected, "{name}");
        several += u32::from(runs > 2);
    }
    assert!(
        several > 0,
        "no program confuses what hangs off confused objects"
    );
}

#[test]
fn as_a_file_it_leaves_no_forks_by_resolution() {
    let directory = scratch("ideal-file");
    let (_, _, _) = ready("mixed_sites", &directory);
    let file = |suffix: &str| directory.join(format!("mixed_sites.{suffix}"));
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let (program, ideal) = (text(file("bc")), text(file("ideal.json")));
    let words = ["ideal", "--quiet", "-o", &ideal, &program];
    plat_ok(command(), &words).expect("a segmentation");
    let map = SegmentMap::read(&file("ideal.json")).expect("a map");
    assert_eq!(map.groups, 1);
    let forks = |words: &[&str], out: PathBuf| {
        let out_text = text(out.clone());
        let mut all = vec![words[0], "--quiet", "--segments", &ideal];
        all.extend(["--output-dir", &out_text]);
        all.extend(&words[1..]);
        plat_ok(command(), &all).expect("a run");
        let summary = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
        let summary = Summary::from_json(&summary).expect("a summary");
        (summary.forks.resolution, summary.memory.segments)
    };
    assert_eq!(forks(&["explore", &program], file("explored")), (0, 1));
    assert_eq!(forks(&["run", &text(file("plat.bc"))], file("ran")), (0, 1));
    // For another program it is of no use.
    let (_, _, _) = ready("matrix_rows", &directory);
    for (word, other) in [
        ("run", "matrix_rows.plat.bc"),
        ("explore", "matrix_rows.bc"),
    ] {
        let (other, out) = (text(directory.join(other)), text(file("refused")));
        let words = [word, "--segments", &ideal, "--output-dir", &out, &other];
        let output = plat(command(), &words);
        assert_eq!(output.status.code(), Some(2), "{word}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("made for another program"), "{said}");
        assert!(!file("refused").exists(), "{word}");
    }
}

/// All of its memory comes from one allocator of its own, through a pointer.
const ALLOCATOR: &str = "\
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int key, value; };
static size_t live;
static void *raw(size_t n) { return malloc(n); }
static void *whole(size_t n) { return raw((n + 7) & ~(size_t)7); }
static void *counted(size_t n) { void *p = whole(n); live += p ? n : 0; return p; }
static void *limited(size_t n) { return live + n > 1 << 20 ? 0 : counted(n); }
static void *take(size_t n) { void *p = limited(n); if (!p) exit(3); return p; }
static void *padded(size_t n) { return take(n + 8); }
static void *noted(size_t n) { size_t *p = padded(n); *p = n; return p + 1; }
static struct { void *(*take)(size_t); } methods = {noted};
static void *get(size_t n) { return methods.take(n); }
static struct node *table[4];
static char *text(size_t n) { return get(n); }
static void add(int key) {
	struct node *node = get(sizeof *node);
	node->key = key;
	node->value = 3 * key;
	node->next = table[key % 4];
	table[key % 4] = node;
}
int main(void) {
	char *large = text(3000);
	for (int key = 0; key < 8; key++)
		add(key);
	int c = getchar();
	if (c < '0' || c > '7')
		return 1;
	large[7] = 1;
	for (struct node *node = table[(c - '0') % 4]; node; node = node->next)
		if (node->key == c - '0')
			return node->value != 3 * (c - '0') || large[7] != 1;
	return 2;
}
";

#[test]
fn calls_on_the_stack_tell_apart_what_one_allocator_gives() {
    let directory = scratch("ideal-allocator");
    let file = |name: &str| directory.join(name);
    let text = |name: &str| file(name).to_string_lossy().into_owned();
    std::fs::write(file("own.c"), ALLOCATOR).expect("a source file");
    compile_bitcode(&file("own.c"), &file("own.bc"));
    let (program, ideal) = (text("own.bc"), text("ideal.json"));
    let input = ["--sym-stdin", "1"];
    let words = [&["ideal", "--quiet", "-o", &ideal, &program], &input[..]].concat();
    plat_ok(command(), &words).expect("a segmentation");
    let run = |name: &str, options: &[&str]| {
        let out = text(name);
        let words = [
            "explore",
            "--quiet",
            "--memory-model=segmented",
            "--join=allocation",
        ];
        let rest = ["--output-dir", &out, &program];
        plat_ok(command(), &[&words, options, &rest, &input].concat()).expect("a run");
        let summary = std::fs::read_to_string(file(name).join("summary.json"));
        Summary::from_json(&summary.expect("a summary")).expect("a summary")
    };
    let fixed = run("static", &[]);
    let ideal = run("ideal", &["--segments", &ideal]);
    assert!(fixed.memory.max_segment_bytes > 3000, "{:?}", fixed.memory);
    assert_eq!(
        ideal.memory.max_segment_bytes,
        8 * (16 + 8),
        "{:?}",
        ideal.memory
    );
    assert_eq!((ideal.forks.resolution, fixed.forks.resolution), (0, 0));
    assert_eq!(ideal.paths, fixed.paths);
}

#[test]
fn static_and_ideal_stand_side_by_side() {
    let directory = scratch("compare");
    let (_, _, _) = ready("mixed_sites", &directory);
    let file = |suffix: &str| directory.join(format!("mixed_sites.{suffix}"));
    let (program, svg) = (file("bc"), file("svg"));
    let (program, drawn) = (program.to_string_lossy(), svg.to_string_lossy());
    let words = ["compare", "--quiet", "--json", "--svg", &drawn, &program];
    let output = plat_ok(command(), &words).expect("a comparison");
    let text = String::from_utf8_lossy(&output.stdout);
    let comparison: Comparison = serde_json::from_str(&text).expect("JSON");
    assert!(comparison.ideal_complete);
    let [forking, fixed, demand, ideal, dynamic, auto] = comparison.runs.as_slice() else {
        panic!("{text}");
    };
    assert!(forking.segments.is_none() && forking.summary.forks.resolution > 0);
    assert_eq!(fixed.summary.forks.resolution, 0);
    assert_eq!(ideal.summary.forks.resolution, 0);
    assert_eq!(demand.summary.forks.resolution, 0);
    assert_eq!(fixed.summary.paths, ideal.summary.paths);
    assert_eq!(demand.summary.paths, ideal.summary.paths);
    assert!(dynamic.segments.is_none() && auto.segments.is_none());
    assert_eq!(dynamic.summary.paths, ideal.summary.paths);
    assert!(auto.summary.paths.completed >= ideal.summary.paths.completed);
    let largest = |row: &plat::output::comparison::Row| row.summary.memory.max_segment_bytes;
    assert!(0 < largest(ideal) && largest(ideal) <= largest(fixed));
    assert!(0 < largest(demand) && largest(demand) <= largest(ideal));
    assert_eq!(fixed.summary.memory.joins, 0);
    assert!(demand.summary.memory.joins > 0);
    assert!(largest(fixed) <= comparison.total_bytes);
    let svg = std::fs::read_to_string(&svg).expect("a drawing");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    let output = plat_ok(command(), &["compare", "--quiet", &program]).expect("a comparison");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("forks by resolution"), "{text}");
}
