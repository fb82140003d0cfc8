//! Exploring with `--workers 2`: what it brings, how evenly the work is divided, and whether the
//! tests are those of one process.
//!
//! Wall time says something on a quiet machine only. What can be had on two free cores shows in the
//! processor time of the busier of the two places: one worker's time divided by it. Each program is
//! explored to its end, as a run that is cut off has no work to compare. Files are best written to
//! memory (`TMPDIR=/dev/shm`): some file systems take longer for a new file the more were deleted of
//! late.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde_json::Value;

use crate::Common;
use crate::process::{Run, explore_into, scratch};
use crate::programs::bitcode;
use crate::programs::cases::built;
use crate::programs::inputs::{M4, m4_input};
use crate::programs::real::Where;
use crate::table::{Table, median};

/// What to explore.
#[derive(Args)]
pub struct Workers {
    /// Only these programs (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// How many workers are compared with one
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub workers: u32,
    /// A further option for the exploration, such as --memory-model=flat (repeatable)
    #[arg(long = "with", value_name = "OPTION", allow_hyphen_values = true)]
    pub with: Vec<String>,
    #[command(flatten)]
    pub place: Where,
}

impl Workers {
    /// All programs with two workers.
    pub fn of_two(place: &Where) -> Self {
        Self {
            only: vec![],
            workers: 2,
            with: vec![],
            place: place.clone(),
        }
    }
}

/// Coreutils whose symbolic input is small enough to come to an end.
const COREUTILS: [(&str, &[&str]); 2] = [
    ("expr", &["--sym-args", "1", "2", "2"]),
    ("wc", &["--sym-stdin", "5"]),
];

/// How often each test was written: its input, and how its path ended.
type Tests = BTreeMap<(Vec<u8>, String), u32>;

/// One exploration.
struct Explored {
    wall: f64,
    run: Run,
    tests: Tests,
}

struct Case {
    name: String,
    bitcode: PathBuf,
    options: Vec<String>,
    arguments: Vec<&'static str>,
}

/// Runs each program with one worker and with several, in turns.
///
/// # Errors
/// When a program is not there or cannot be run, or the tests differ.
pub fn workers(common: &Common, what: &Workers) -> Result<(), String> {
    let head = [
        "program",
        "paths",
        "tests",
        "one: CPU s",
        "wall s",
        "several: processes",
        "CPU s",
        "busiest place s",
        "wall s",
        "ratio by wall",
        "by CPU",
        "same tests",
    ];
    let title = format!(
        "One worker and {}, to the end of each program",
        what.workers
    );
    let mut table = Table::new(&title, &head);
    let mut different = Vec::new();
    for case in cases(what)? {
        let (mut one, mut more) = (Vec::new(), Vec::new());
        for _ in 0..common.runs {
            one.push(explore(common, what, &case, 1)?);
            more.push(explore(common, what, &case, what.workers)?);
        }
        let mut all = one.iter().chain(&more);
        let same = all.all(|run| run.tests == one[0].tests);
        if !same {
            different.push(case.name.clone());
        }
        table.row(row(&case, &one, &more, same));
    }
    table.print();
    match different.is_empty() {
        true => Ok(()),
        false => Err(format!("other tests than one worker's: {different:?}")),
    }
}

fn cases(what: &Workers) -> Result<Vec<Case>, String> {
    let wanted = |name: &str| what.only.is_empty() || what.only.iter().any(|only| only == name);
    let mut cases = Vec::new();
    if wanted("m4") {
        let words = ["--stdin-template", &m4_input()?, "--template-range", "A..z"];
        cases.push(Case {
            name: "m4".into(),
            bitcode: bitcode("m4")?,
            options: words.map(str::to_owned).to_vec(),
            arguments: M4.to_vec(),
        });
    }
    for (name, arguments) in COREUTILS.iter().filter(|(name, _)| wanted(name)) {
        cases.push(Case {
            name: (*name).into(),
            bitcode: built(&what.place.build(), name)?.bitcode,
            options: vec![],
            arguments: arguments.to_vec(),
        });
    }
    Ok(cases)
}

fn explore(common: &Common, what: &Workers, case: &Case, workers: u32) -> Result<Explored, String> {
    let scratch = scratch()?;
    let out = scratch.path().join("out");
    let workers = format!("--workers={workers}");
    // The listings of the code that is run would be written by one process.
    let mut options = vec!["--output-source=false", "--output-istats=false", &workers];
    // They are compared file by file.
    options.push("--test-files=all");
    options.extend(case.options.iter().chain(&what.with).map(String::as_str));
    let start = Instant::now();
    let run = explore_into(&out, common, &options, &case.bitcode, &case.arguments)?;
    let wall = start.elapsed().as_secs_f64() - run.number("analysis_wall_s");
    if run.word("stop") != "finished" {
        return Err(format!("{}: not done after --max-time", case.name));
    }
    let tests = tests(&out)?;
    Ok(Explored { wall, run, tests })
}

/// The tests of a run without their numbers.
fn tests(out: &Path) -> Result<Tests, String> {
    let read = |name: &str| {
        let path = out.join(name);
        std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let mut tests = Tests::new();
    for line in String::from_utf8_lossy(&read("tests.jsonl")?).lines() {
        let wrong = |_| format!("tests.jsonl: {line}");
        let mut line: Value = serde_json::from_str(line).map_err(wrong)?;
        let number = line["test"].take().as_u64().unwrap_or(0);
        let input = read(&format!("test{number:06}.ktest"))?;
        *tests.entry((input, line.to_string())).or_default() += 1;
    }
    Ok(tests)
}

/// What a program gains by several workers on free cores: one worker's processor time for each
/// second of the busiest of several.
///
/// # Errors
/// When it is not there or cannot be run, or the tests differ.
pub fn gains(common: &Common, what: &Workers) -> Result<Vec<(String, f64)>, String> {
    let mut gains = Vec::new();
    for case in cases(what)? {
        let one = explore(common, what, &case, 1)?;
        let more = explore(common, what, &case, what.workers)?;
        if one.tests != more.tests {
            return Err(format!("{}: other tests than one worker's", case.name));
        }
        gains.push((case.name, one.busiest() / more.busiest()));
    }
    Ok(gains)
}

impl Explored {
    /// Processor time of the place that has the most.
    fn busiest(&self) -> f64 {
        self.run
            .numbers("workers_cpu_s")
            .into_iter()
            .fold(0.0, f64::max)
    }
}

fn row(case: &Case, one: &[Explored], more: &[Explored], same: bool) -> Vec<String> {
    let of = |runs: &[Explored], figure: &dyn Fn(&Explored) -> f64| {
        median(runs.iter().map(figure).collect())
    };
    let wall = |run: &Explored| run.wall;
    let places = |run: &Explored| run.run.numbers("workers_cpu_s");
    let cpu = |run: &Explored| places(run).iter().sum();
    let seconds = |figure: f64| format!("{figure:.2}");
    vec![
        case.name.clone(),
        format!("{:.0}", one[0].run.number("paths.completed")),
        format!("{:.0}", one[0].run.number("tests")),
        seconds(of(one, &cpu)),
        seconds(of(one, &wall)),
        format!("{:.0}", of(more, &|run| run.run.number("processes"))),
        seconds(of(more, &cpu)),
        seconds(of(more, &Explored::busiest)),
        seconds(of(more, &wall)),
        seconds(of(one, &wall) / of(more, &wall)),
        seconds(of(one, &cpu) / of(more, &Explored::busiest)),
        if same { "yes" } else { "NO" }.into(),
    ]
}
