//! Benchmarks: each sub-command prints a table of figures and ratios.
//!
//! Figures of one table come from runs that take turns, so that a noisy machine
//! is noisy for all of them; times are medians of processor time.

#![deny(unsafe_code)]

mod again;
#[expect(unsafe_code, reason = "counters of the C library")]
mod allocations;
mod allocators;
mod backends;
mod cluster;
mod compiled;
mod coverage;
mod expressions;
mod fuzzing;
mod layers;
mod loops;
mod memoise;
mod others;
mod papers;
mod points_to;
#[expect(
    unsafe_code,
    reason = "times of other processes, which rustix does not have"
)]
mod process;
mod programs;
mod queries;
mod regress;
mod relocatable;
mod speed;
mod table;
mod table1;
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
  make bench                                  the papers' figures, a few minutes
  cargo run --release -p plat-benchmarks -- extra --runs 21
  cargo run --release -p plat-benchmarks -- allocations
  cargo run --release -p plat-benchmarks -- speed --baseline older/plat concrete forks
  cargo run --release -p plat-benchmarks -- speed programs compiled --build build
  cargo run --release -p plat-benchmarks -- speed --peer bin/klee --llvm 16 concrete
  cargo run --release -p plat-benchmarks -- allocators --runs 3 build/make.bc build/coreutils/cut.bc
  cargo run --release -p plat-benchmarks -- programs --time 20 --only make --only sort
  cargo run --release -p plat-benchmarks -- points-to --copies 1,2,4,8 build/sqlite.bc
  cargo run --release -p plat-benchmarks -- layers --time 20
  cargo run --release -p plat-benchmarks -- tables --time 20 --only lua
  cargo run --release -p plat-benchmarks -- workers --runs 3
  cargo run --release -p plat-benchmarks -- loops build/make.bc build/coreutils/sort.bc
  cargo run --release -p plat-benchmarks -- memoise --build build
  cargo run --release -p plat-benchmarks -- again --build build --time 10
  cargo run --release -p plat-benchmarks -- regress --build build --only make
  cargo run --release -p plat-benchmarks -- cluster plat-last
  cargo run --release -p plat-benchmarks -- coverage --time 60 --previous older/plat sort wc
  cargo run --release -p plat-benchmarks -- coverage --with bfs='--search bfs' --with dfs='--search dfs'
  cargo run --release -p plat-benchmarks -- fuzzing --runs 3 --time 60
  cargo run --release -p plat-benchmarks -- targets --previous older/plat --peer bin/klee --llvm 16
  cargo run --release -p plat-benchmarks -- m4 --max-time 20min --model forking";

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
    /// Lookups in a matrix of separately allocated rows, by model and size (Figures 1 and 3)
    Matrix {
        /// Rows and columns
        #[arg(long, value_delimiter = ',', default_values_t = [10, 20, 40, 80])]
        sizes: Vec<u32>,
    },
    /// What an irrelevant allocation of 30 KB costs each model (Figure 3c)
    Extra,
    /// A lookup in a hash table with chains (relocatable addressing, Figure 1)
    Hashtable,
    /// GNU m4 on a partly symbolic input (Figure 4)
    M4,
    /// The allocators by themselves: operations, forks, memory
    Allocations,
    /// m4 and other programs under each allocator
    Allocators {
        /// Programs in bitcode, beside m4
        programs: Vec<PathBuf>,
    },
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
    /// Static beside ideal segments of whole programs (Table 1 of the segmented memory model)
    Table1(table1::Table1),
    /// Memory models, contexts and splitting on whole programs (relocatable addressing, Tables 2, 3, 4
    /// and 7)
    Relocatable(relocatable::Relocatable),
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
    /// A greater depth from scratch, by the trie of a smaller one, and by that compressed (Memoise,
    /// Table I)
    Memoise(memoise::Memoise),
    /// The paths of a run executed again by other searchers: divergences and time (MoKlee)
    Again(again::Again),
    /// Pairs of versions: `plat regress` and a run from scratch
    Regress(regress::Regress),
    /// What looking for infinite loops costs
    Loops(loops::Loops),
    /// All of the papers' figures
    Papers,
}

/// A path that means the same in the directories that programs run in.
fn absolute(text: &str) -> Result<PathBuf, std::io::Error> {
    std::path::absolute(text)
}

fn main() -> ExitCode {
    let Command { common, benchmark } = Command::parse();
    let done = match benchmark {
        Benchmark::Matrix { sizes } => papers::matrix(&common, &sizes),
        Benchmark::Extra => papers::extra(&common),
        Benchmark::Hashtable => papers::hashtable(&common),
        Benchmark::M4 => papers::m4(&common),
        Benchmark::Allocators { programs } => allocators::allocators(&common, &programs),
        Benchmark::Queries { programs } => queries::queries(&common, &programs),
        Benchmark::Backends { files, limit } => {
            backends::backends(&common, &files, Duration::from_secs(limit))
        }
        Benchmark::Speed(what) => speed::speed(&common, &what),
        Benchmark::Programs(what) => programs::real::programs(&common, &what),
        Benchmark::Tables(what) => programs::tables::tables(&common, &what),
        Benchmark::Table1(what) => table1::table1(&common, &what),
        Benchmark::Relocatable(what) => relocatable::relocatable(&common, &what),
        Benchmark::PointsTo(what) => points_to::points_to(&common, &what),
        Benchmark::Layers(what) => layers::layers(&common, &what),
        Benchmark::Targets(what) => targets::targets(&common, &what),
        Benchmark::Fuzzing(what) => fuzzing::fuzzing(&common, &what),
        Benchmark::Memoise(what) => memoise::memoise(&common, &what),
        Benchmark::Regress(what) => regress::regress(&common, &what),
        Benchmark::Again(what) => again::again(&common, &what),
        Benchmark::Loops(what) => loops::loops(&common, &what),
        Benchmark::Cluster(what) => cluster::cluster(&what),
        Benchmark::Workers(what) => workers::workers(&common, &what),
        Benchmark::Coverage(what) => coverage::coverage(&common, &what),
        Benchmark::Allocations => {
            allocations::allocations();
            Ok(())
        }
        Benchmark::Papers => papers::matrix(&common, &[10, 20, 40, 80])
            .and_then(|()| papers::extra(&common))
            .and_then(|()| papers::hashtable(&common))
            .and_then(|()| papers::m4(&common)),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("plat-bench: {error}");
            ExitCode::from(2)
        }
    }
}
