//! The speed of the executor's parts: concrete code, by itself and in real programs, forks, expressions, queries, tables,
//! resolution, start-up; as ratios to another plat and to KLEE on the same bitcode.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::process::{Run, Stages, cost, explore_with, link, scratch};
use crate::programs::{bitcode_of, folder};
use crate::say::sayln;
use crate::table::{Table, median};
use crate::{Common, compiled, expressions};

/// What to compare with, and how.
#[derive(Args, Clone)]
pub struct Speed {
    /// Only these groups: concrete, compiled, programs, forks, expressions, queries, tables, objects,
    /// start, starts
    pub groups: Vec<String>,
    /// Another plat, that of a previous release: prints the ratio of its time to ours
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// KLEE, run on the same bitcode: prints the ratio of its time to ours
    #[arg(long, value_name = "FILE")]
    pub peer: Option<PathBuf>,
    /// An option for the peer, such as --libc=uclibc (repeatable)
    #[arg(
        long = "peer-option",
        value_name = "OPTION",
        allow_hyphen_values = true
    )]
    pub peer_options: Vec<String>,
    /// Version of the clang that makes the bitcode; a peer reads no newer one than its own
    #[arg(long, value_name = "VERSION")]
    pub llvm: Option<String>,
    /// Where the real programs of the groups `programs` and `starts` have been built
    #[arg(long, value_name = "DIR")]
    pub build: Option<PathBuf>,
    /// Count the machine's instructions with valgrind: slow, but the same on a busy machine
    #[arg(long)]
    pub count: bool,
}

/// A program of a group, with its options.
struct Work {
    program: &'static str,
    /// The Makefile's target; a program of the papers has no folder.
    target: &'static str,
    stages: Stages,
    options: Vec<String>,
    arguments: Vec<String>,
}

impl Work {
    fn new(program: &'static str, target: &'static str) -> Self {
        Self {
            program,
            target,
            stages: Stages::All,
            options: vec![],
            arguments: vec![],
        }
    }

    /// Linked beforehand and not analysed: the executor's time alone.
    fn executed(mut self) -> Self {
        self.stages = Stages::Run;
        self.with(&["--memory-model", "forking"])
    }

    fn with(mut self, options: &[&str]) -> Self {
        self.options
            .extend(options.iter().map(|&option| option.to_owned()));
        self
    }
}

/// Models that need no analysis.
const FORKING: [&str; 2] = ["--memory-model", "forking"];
const MERGING: [&str; 2] = ["--memory-model", "merging"];

/// GNU m4 with options as in the papers, on a file for standard input.
fn m4(program: &'static str, input: &str) -> Work {
    let input = folder().join(input).display().to_string();
    let mut work = Work::new(program, "m4").with(&["--stdin-template", &input]);
    work.arguments = vec!["-H37".into(), "-G".into()];
    work.with(&["--template-range", "A..z", "--search", "dfs"])
}

/// A real program that is busy for a while with a file of the benchmarks', which is its last
/// argument or, without arguments of its own, its standard input.
fn busy(program: &'static str, target: &'static str, arguments: &[&str], file: &str) -> Work {
    let file = folder().join("speed").join(file).display().to_string();
    let mut work = Work::new(program, target).executed();
    work.arguments = arguments.iter().map(|&word| word.to_owned()).collect();
    if arguments == ["-"] {
        return work.with(&["--stdin-template", &file]);
    }
    work.arguments.push(file);
    work
}

/// A real program that says its version and ends: its time is its start.
fn brief(program: &'static str, target: &'static str, option: &str) -> Work {
    let mut work = Work::new(program, target).with(&FORKING);
    work.arguments.push(option.to_owned());
    work
}

/// The groups that are programs, by name.
fn groups() -> Vec<(&'static str, Vec<Work>)> {
    let breadth = [
        "--search",
        "bfs",
        "--max-memory",
        "8G",
        "--only-output-states-covering-new",
    ];
    vec![
        (
            "concrete",
            vec![
                Work::new("sieve", "speed/sieve").executed(),
                Work::new("hash table", "speed/table").executed(),
                Work::new("quicksort", "speed/quicksort").executed(),
                Work::new("snprintf", "speed/print").executed(),
            ],
        ),
        (
            "programs",
            vec![
                busy("m4", "m4", &[], "macros.m4"),
                busy("make", "make", &["-n", "-r", "-f"], "rules.mk"),
                busy("SQLite", "sqlite", &["-"], "queries.sql"),
            ],
        ),
        (
            "forks",
            vec![
                Work::new("1 state", "speed/forks-BITS0").with(&breadth),
                Work::new("16,384 states", "speed/forks-BITS14").with(&breadth),
                Work::new("131,072 states", "speed/forks-BITS17").with(&breadth),
            ],
        ),
        (
            "queries",
            vec![
                m4("m4", "m4.input"),
                Work::new("matrix, 1 lookup", "matrix-N40-LOOKUPS1"),
                Work::new("matrix, 2 lookups", "matrix-N40-LOOKUPS2"),
                Work::new("matrix, forking", "matrix-N40-LOOKUPS2").with(&FORKING),
                Work::new("hash table", "hashtable"),
            ],
        ),
        (
            "tables",
            vec![
                Work::new("256 B, all", "speed/index-SIZE256-RANGE256"),
                Work::new("4 KiB, 256", "speed/index-SIZE4096-RANGE256"),
                Work::new("64 KiB, 256", "speed/index-SIZE65536-RANGE256"),
                Work::new("1 MiB, 256", "speed/index-SIZE1048576-RANGE256"),
                Work::new("4 KiB, all", "speed/index-SIZE4096-RANGE4096"),
                Work::new("64 KiB, all", "speed/index-SIZE65536-RANGE65536"),
            ],
        ),
        (
            "objects",
            vec![
                Work::new("10, merging", "speed/objects-LIVE10").with(&MERGING),
                Work::new("10,000, merging", "speed/objects-LIVE10000").with(&MERGING),
                Work::new("10, forking", "speed/objects-LIVE10").with(&FORKING),
                Work::new("10,000, forking", "speed/objects-LIVE10000").with(&FORKING),
            ],
        ),
        ("start", vec![Work::new("hello", "speed/hello")]),
        (
            "starts",
            vec![
                brief("m4, linked", "m4", "--version").executed(),
                brief("m4", "m4", "--version"),
                brief("SQLite, linked", "sqlite", "-version").executed(),
                brief("SQLite", "sqlite", "-version"),
            ],
        ),
    ]
}

/// What has been measured of a program.
pub struct Measured {
    work: Work,
    program: PathBuf,
    /// The program as plat takes it.
    input: PathBuf,
    runs: Vec<Run>,
    baseline: Vec<Run>,
    /// User times.
    peer: Vec<f64>,
}

/// Processor time of a run without its start: what its processes were exploring.
fn exploring(run: &Run) -> f64 {
    run.numbers("workers_cpu_s").iter().sum()
}

impl Measured {
    /// What the program is called in tables.
    pub fn name(&self) -> &'static str {
        self.work.program
    }

    /// A figure of its runs.
    pub fn median(&self, figure: impl Fn(&Run) -> f64) -> f64 {
        median(self.runs.iter().map(figure).collect())
    }

    /// The time of a previous release or of a peer for each second of ours.
    pub fn ratios(&self) -> [Option<f64>; 2] {
        let baseline = self.baseline.iter().map(|run| run.user).collect();
        [baseline, self.peer.clone()].map(|others| ratio(others, self.cpu()))
    }

    /// The time of a previous release without its start for each second of ours; none if that
    /// release does not say what its start took.
    pub fn ratio_without_start(&self) -> Option<f64> {
        let says = |run: &&Run| run.summary.get("workers_cpu_s").is_some();
        let others = self.baseline.iter().filter(says).map(exploring).collect();
        ratio(others, self.exploring())
    }

    /// Millions of the program's instructions in a second of user time.
    pub fn rate(&self) -> f64 {
        self.median(|run| run.number("instructions")) / self.cpu() / 1e6
    }

    /// Millions of the program's instructions in a second of exploring.
    pub fn rate_without_start(&self) -> f64 {
        self.median(|run| run.number("instructions")) / self.exploring() / 1e6
    }

    /// Processor time without the start, in seconds.
    fn exploring(&self) -> f64 {
        self.median(exploring)
    }

    /// User time in seconds.
    pub fn cpu(&self) -> f64 {
        median(self.runs.iter().map(|run| run.user).collect())
    }

    fn arguments(&self) -> Vec<&str> {
        self.work.arguments.iter().map(String::as_str).collect()
    }

    fn options(&self) -> Vec<&str> {
        self.work.options.iter().map(String::as_str).collect()
    }
}

/// The middle of others' times for each second of ours.
fn ratio(others: Vec<f64>, ours: f64) -> Option<f64> {
    (!others.is_empty()).then(|| median(others) / ours)
}

/// Runs the groups.
///
/// # Errors
/// When a program cannot be built or run.
pub fn speed(common: &Common, speed: &Speed) -> Result<(), String> {
    let asked =
        |name: &str| speed.groups.is_empty() || speed.groups.iter().any(|group| group == name);
    let all = groups();
    for name in &speed.groups {
        if !["expressions", "compiled"].contains(&name.as_str())
            && all.iter().all(|(group, _)| group != name)
        {
            return Err(format!("there is no group {name}"));
        }
    }
    for (name, works) in all.into_iter().filter(|(name, _)| asked(name)) {
        let measured = measure(common, speed, works)?;
        report(common, speed, name, &measured)?;
    }
    if asked("compiled") {
        compiled::compiled(common.runs)?;
    }
    if asked("expressions") {
        expressions::expressions();
    }
    Ok(())
}

/// The programs of a group, measured in turns.
///
/// # Errors
/// When a program cannot be built or run, or there is no such group.
pub fn group(common: &Common, speed: &Speed, name: &str) -> Result<Vec<Measured>, String> {
    let found = groups().into_iter().find(|(group, _)| *group == name);
    let (_, works) = found.ok_or(format!("there is no group {name}"))?;
    measure(common, speed, works)
}

fn measure(common: &Common, speed: &Speed, works: Vec<Work>) -> Result<Vec<Measured>, String> {
    let mut measured = Vec::new();
    for work in works {
        let built =
            (speed.build.as_ref()).map(|build| build.join(work.target).with_extension("bc"));
        let program = match built.filter(|built| built.is_file()) {
            Some(built) => built,
            None => bitcode_of(work.target, speed.llvm.as_deref())?,
        };
        measured.push(Measured {
            input: match work.stages {
                Stages::All => program.clone(),
                Stages::Run => link(common, &program)?,
            },
            work,
            program,
            runs: vec![],
            baseline: vec![],
            peer: vec![],
        });
    }
    for _ in 0..common.runs {
        for one in &mut measured {
            run(common, speed, one)?;
        }
    }
    Ok(measured)
}

/// One run of a program by everybody who is to be compared.
fn run(common: &Common, speed: &Speed, one: &mut Measured) -> Result<(), String> {
    let options = one.options();
    let arguments = one.arguments();
    let explored = |plat: &Path| {
        explore_with(
            common,
            plat,
            one.work.stages,
            &options,
            &one.input,
            &arguments,
        )
    };
    let ours = explored(&common.plat)?;
    let baseline = match &speed.baseline {
        Some(plat) => vec![explored(plat)?],
        None => vec![],
    };
    // Options of plat's are not the peer's; a partly symbolic input would be another program.
    let comparable = !options.contains(&"--stdin-template");
    let peer = match &speed.peer {
        Some(peer) if comparable => vec![run_peer(speed, peer, &one.program)?],
        _ => vec![],
    };
    one.runs.push(ours);
    one.baseline.extend(baseline);
    one.peer.extend(peer);
    Ok(())
}

fn run_peer(speed: &Speed, peer: &Path, program: &Path) -> Result<f64, String> {
    let folder = scratch()?;
    let out = folder.path().join("out");
    let mut command = std::process::Command::new(peer);
    command
        .arg(format!("--output-dir={}", out.display()))
        .args(&speed.peer_options)
        .arg(program);
    Ok(cost(command)?.user)
}

const HEAD: [&str; 13] = [
    "program",
    "paths",
    "instructions",
    "CPU s",
    "M instr/s",
    "without start",
    "MiB",
    "queries",
    "back end",
    "answered without",
    "machine instr",
    "baseline",
    "peer",
];

fn report(common: &Common, speed: &Speed, name: &str, measured: &[Measured]) -> Result<(), String> {
    let mut table = Table::new(name, &HEAD);
    for one in measured {
        let run = &one.runs[0];
        let cpu = one.cpu();
        let [baseline, peer] =
            (one.ratios()).map(|ratio| ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")));
        let (asked, backend) = (
            run.number("solver.queries"),
            run.number("solver.backend_queries"),
        );
        let without = match asked {
            0.0 => "-".to_owned(),
            _ => format!("{:.1} %", 100.0 * (1.0 - backend / asked)),
        };
        table.row(vec![
            one.work.program.to_owned(),
            format!("{:.0}", run.number("paths.completed")),
            format!("{:.0}", run.number("instructions")),
            format!("{cpu:.3}"),
            format!("{:.1}", one.rate()),
            format!("{:.1}", one.rate_without_start()),
            format!(
                "{:.0}",
                median(one.runs.iter().map(Run::mebibytes).collect())
            ),
            format!("{asked:.0}"),
            format!("{backend:.0}"),
            without,
            counted(common, speed, one)?,
            baseline,
            peer,
        ]);
    }
    table.print();
    if name == "forks" {
        let costs = fork_costs(measured).unwrap_or_default();
        sayln!(
            "\na fork: {:.1} us, {:.1} us of them its question; with all that its state does, its end \
             included: {:.1} us; a state: {:.0} bytes",
            costs.fork + costs.question,
            costs.question,
            costs.all,
            costs.bytes
        );
    }
    Ok(())
}

/// Instructions of the machine that plat takes for the program, in millions.
fn counted(common: &Common, speed: &Speed, one: &Measured) -> Result<String, String> {
    if !speed.count {
        return Ok("-".into());
    }
    let count = crate::process::machine_instructions(
        common,
        one.work.stages,
        &one.options(),
        &one.input,
        &one.arguments(),
    )?;
    Ok(format!("{} M", count / 1_000_000))
}

/// What a fork costs.
#[derive(Default)]
pub struct ForkCosts {
    /// Microseconds for making two states of one: copies, conditions, models.
    pub fork: f64,
    /// Microseconds for the question whether both are possible.
    pub question: f64,
    /// Microseconds for these, what a state executes before its next fork, its end, its release.
    pub all: f64,
    /// Bytes of a live state.
    pub bytes: f64,
}

/// The costs of a fork, from runs with few and with many.
pub fn fork_costs(measured: &[Measured]) -> Option<ForkCosts> {
    let [one, .., most] = measured else {
        return None;
    };
    let states = most.runs[0].number("forks.branch");
    let memory = most.median(Run::mebibytes) - one.median(Run::mebibytes);
    let all = (most.cpu() - one.cpu()) * 1e6 / states;
    // Their shares of the run, as its times are those of a clock.
    let each = |key: &str| all * most.median(|run| run.number(key) / run.number("wall_s"));
    Some(ForkCosts {
        fork: each("fork_wall_s"),
        question: each("solver.wall_s"),
        all,
        bytes: memory * f64::from(1 << 20) / states,
    })
}
