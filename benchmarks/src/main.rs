//! Benchmarks: each sub-command prints a table of figures and ratios.
//!
//! Figures of one table come from runs that take turns, so that a noisy machine
//! is noisy for all of them; times are medians of processor time.

#![deny(unsafe_code)]

#[expect(unsafe_code, reason = "counters of the C library")]
mod allocations;
mod backends;
mod cluster;
mod compiled;
mod coverage;
mod expressions;
mod fuzzing;
mod guard;
mod layers;
mod loops;
mod others;
mod points_to;
#[expect(
    unsafe_code,
    reason = "times of other processes, which rustix does not have"
)]
mod process;
mod programs;
mod queries;
mod regress;
mod say;
mod speed;
mod suites;
mod table;
mod targets;
mod workers;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

#[derive(Parser)]
#[command(name = "plat-bench", about, after_help = EXAMPLES)]
struct Command {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    benchmark: Benchmark,
}

const EXAMPLES: &str = "Examples:
  make bench                                  the papers' tables and figures, at a small scale
  cargo run --release -p plat-benchmarks -- run segmented-figure-6 --scale 0.05
  cargo run --release -p plat-benchmarks -- run relocatable-table-7 --only m4/64 --again
  cargo run --release -p plat-benchmarks -- page target/suites/*
  cargo run --release -p plat-benchmarks -- compare older/plat target/release/plat
  cargo run --release -p plat-benchmarks -- allocations
  cargo run --release -p plat-benchmarks -- speed --baseline older/plat concrete forks
  cargo run --release -p plat-benchmarks -- speed programs compiled --build build
  cargo run --release -p plat-benchmarks -- speed --peer bin/klee --llvm 16 concrete
  cargo run --release -p plat-benchmarks -- programs --time 20 --only make --only sort
  cargo run --release -p plat-benchmarks -- points-to --copies 1,2,4,8 build/sqlite.bc
  cargo run --release -p plat-benchmarks -- layers --time 20
  cargo run --release -p plat-benchmarks -- tables --time 20 --only lua
  cargo run --release -p plat-benchmarks -- workers --runs 3
  cargo run --release -p plat-benchmarks -- loops build/make.bc build/coreutils/sort.bc
  cargo run --release -p plat-benchmarks -- regress --build build --only make
  cargo run --release -p plat-benchmarks -- cluster plat-last
  cargo run --release -p plat-benchmarks -- coverage --time 60 --previous older/plat sort wc
  cargo run --release -p plat-benchmarks -- coverage --with bfs='--search bfs' --with dfs='--search dfs'
  cargo run --release -p plat-benchmarks -- fuzzing --runs 3 --time 60
  cargo run --release -p plat-benchmarks -- targets --previous older/plat --peer bin/klee --llvm 16";

/// What every benchmark needs.
#[derive(Args)]
struct Common {
    /// The command under test
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        default_value = "target/release/plat",
        value_parser = absolute
    )]
    plat: PathBuf,
    /// The C library in bitcode (as PLAT_LIBC)
    #[arg(long, global = true, value_name = "DIR", value_parser = absolute)]
    libc: Option<PathBuf>,
    /// Runs of each program; the table has their median
    #[arg(long, global = true, value_name = "N", default_value_t = 5)]
    runs: usize,
    /// Only these memory models
    #[arg(long = "model", global = true, value_name = "MODEL")]
    models: Vec<String>,
    /// Limit of each run
    #[arg(long, global = true, value_name = "SPAN", default_value = "60s")]
    max_time: String,
}

#[derive(Subcommand)]
enum Benchmark {
    /// The allocators by themselves: operations, forks, memory
    Allocations,
    /// Back ends of the solver on logged queries
    Backends {
        /// Files that `--log-queries solver` wrote [default: the sample that comes with plat]
        files: Vec<PathBuf>,
        /// Seconds for each query
        #[arg(long, value_name = "N", default_value_t = 10)]
        limit: u64,
    },
    /// The questions to the solver under each allocator, compared as texts
    Queries {
        /// Programs in bitcode, beside m4
        programs: Vec<PathBuf>,
    },
    /// Concrete code, forks, expressions, queries, tables, resolution, start-up
    Speed(speed::Speed),
    /// Real programs, concrete beside native and symbolic with every test replayed
    Programs(programs::real::Programs),
    /// Interpreters that intern and hash what they read, by model, every test replayed
    Tables(programs::tables::Tables),
    /// The static stages: contexts, groups, precision, time, memory; also on copies of a program
    PointsTo(points_to::PointsTo),
    /// Who answers the questions of real programs: the share of each layer of the solver
    Layers(programs::real::Programs),
    /// Every target for speed with its figure, and the ratios to a previous plat and to KLEE
    Targets(targets::Targets),
    /// Branches and lines that the tests of a run cover, by gcov, and what they cost
    Coverage(coverage::Coverage),
    /// Branches that plat, AFL++, and both together cover of a program
    Fuzzing(fuzzing::Fuzzing),
    /// One worker and two: time, balance, and whether the tests are the same
    Workers(workers::Workers),
    /// How runs would divide among up to a thousand workers of a cluster, simulated
    Cluster(cluster::Cluster),
    /// Pairs of versions: `plat regress` and a run from scratch
    Regress(regress::Regress),
    /// What looking for infinite loops costs
    Loops(loops::Loops),
    /// The suites: tables and figures of the papers
    Suites,
    /// Run suites; one that was interrupted goes on
    Run(suites::run::Arguments),
    /// Draw the results of suites, one page for each directory
    Page(suites::Page),
    /// One table of the results of suites
    Overview(suites::Overview),
    /// Two builds of plat on a few rows: what changed beyond noise (exit code 1: something is slower)
    Compare(guard::Compare),
    /// Instructions of a few short rows against those kept for this kind of machine
    Guard(guard::Guard),
}

/// A path that means the same in the directories that programs run in.
fn absolute(text: &str) -> Result<PathBuf, std::io::Error> {
    std::path::absolute(text)
}

fn main() -> ExitCode {
    let Command { common, benchmark } = Command::parse();
    match run(&common, benchmark) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("plat-bench: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(common: &Common, benchmark: Benchmark) -> Result<ExitCode, String> {
    match benchmark {
        Benchmark::Suites => suites::list(),
        Benchmark::Run(what) => suites::run(common, &what),
        Benchmark::Page(what) => suites::page(&what),
        Benchmark::Overview(what) => suites::overview(&what),
        Benchmark::Compare(what) => return guard::compare(common, &what),
        Benchmark::Guard(what) => return guard::guard(common, &what),
        Benchmark::Queries { programs } => queries::queries(common, &programs),
        Benchmark::Backends { files, limit } => {
            backends::backends(common, &files, Duration::from_secs(limit))
        }
        Benchmark::Speed(what) => speed::speed(common, &what),
        Benchmark::Programs(what) => programs::real::programs(common, &what),
        Benchmark::Tables(what) => programs::tables::tables(common, &what),
        Benchmark::PointsTo(what) => points_to::points_to(common, &what),
        Benchmark::Layers(what) => layers::layers(common, &what),
        Benchmark::Targets(what) => targets::targets(common, &what),
        Benchmark::Fuzzing(what) => fuzzing::fuzzing(common, &what),
        Benchmark::Regress(what) => regress::regress(common, &what),
        Benchmark::Loops(what) => loops::loops(common, &what),
        Benchmark::Cluster(what) => cluster::cluster(&what),
        Benchmark::Workers(what) => workers::workers(common, &what),
        Benchmark::Coverage(what) => coverage::coverage(common, &what),
        Benchmark::Allocations => {
            allocations::allocations();
            Ok(())
        }
    }
    .map(|()| ExitCode::SUCCESS)
}
