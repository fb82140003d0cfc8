//! `plat-bench coverage`: how much of a program's own code the tests of a run cover, counted by gcov on
//! a native build, and what they cost; for several ways to explore beside each other.

mod bits;
mod gcov;
mod program;
mod replay;
mod suite;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use clap::Args;

use crate::Common;
use crate::others::Others;
use crate::programs::folder;
use crate::table::Table;
use bits::Bits;
use gcov::{Taken, Universe};
use program::{Program, programs};
use suite::{Bounds, Explorer, Suite, Way};

/// Which programs, explored in which ways, for how long.
#[derive(Args)]
pub struct Coverage {
    /// Programs of benchmarks/programs/coverage.cases [default: echo sort wc od seq cat uniq]
    programs: Vec<String>,
    /// All programs of that file
    #[arg(long)]
    all: bool,
    /// A further way to explore, by a name and options of plat explore: bfs='--search bfs'
    /// (repeatable)
    #[arg(long = "with", value_name = "NAME=OPTIONS", value_parser = named)]
    with: Vec<(String, Vec<String>)>,
    /// Only the ways of --with, --previous and --peer, and not plat as it is
    #[arg(long)]
    no_default: bool,
    #[command(flatten)]
    others: Others,
    /// Seconds of each exploration
    #[arg(long, value_name = "SECONDS", default_value_t = 20)]
    time: u64,
    /// Runs with the seeds 1 to N each; the table has their means
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// Memory at which plat ends an exploration
    #[arg(long, value_name = "SIZE", default_value = "4G")]
    memory: String,
    /// Tests of all paths, and not only of those that the explorer says cover something new
    #[arg(long)]
    all_tests: bool,
    /// The most tests of a run that are replayed, spread over it
    #[arg(long, value_name = "N", default_value_t = 2000)]
    replays: usize,
    /// Where the programs have been built (`make -C benchmarks/programs everything coverage`)
    #[arg(long, value_name = "DIR")]
    build: Option<PathBuf>,
    /// Where results are kept [default: coverage-results in the folder of --build]
    #[arg(long, value_name = "DIR")]
    results: Option<PathBuf>,
    /// Measure again what is kept
    #[arg(long)]
    again: bool,
    /// Write the table to FILE too, in Markdown
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

const HEAD: [&str; 10] = [
    "program",
    "explored by",
    "branches %",
    "lines %",
    "tests",
    "needed",
    "faults",
    "user s",
    "system s",
    "MiB",
];

/// `NAME=OPTIONS`.
fn named(text: &str) -> Result<(String, Vec<String>), String> {
    let (name, options) = (text.split_once('=')).ok_or("a name, `=` and options are needed")?;
    let options = options.split_whitespace().map(str::to_owned).collect();
    Ok((name.to_owned(), options))
}

impl Coverage {
    fn ways(&self, common: &Common) -> Result<Vec<Way>, String> {
        let plat = common.plat.clone();
        let way = |name: &str, explorer, options| Way {
            name: name.to_owned(),
            explorer,
            options,
        };
        let mut ways = Vec::new();
        if !self.no_default {
            ways.push(way("plat", Explorer::Plat(plat.clone()), vec![]));
        }
        for (name, options) in &self.with {
            ways.push(way(name, Explorer::Plat(plat.clone()), options.clone()));
        }
        if let Some(previous) = &self.others.previous {
            ways.push(way("previous", Explorer::Plat(previous.clone()), vec![]));
        }
        if let Some(peer) = &self.others.peer {
            let options = self.others.peer_options.clone();
            ways.push(way("peer", Explorer::Klee(peer.clone()), options));
        }
        match ways.is_empty() {
            true => Err("--no-default needs --with, --previous or --peer".to_owned()),
            false => Ok(ways),
        }
    }

    fn bounds(&self) -> Bounds {
        let results = || self.build().join("coverage-results");
        Bounds {
            time: self.time,
            memory: self.memory.clone(),
            all_tests: self.all_tests,
            replays: self.replays.max(1),
            cache: self.results.clone().unwrap_or_else(results),
            again: self.again,
        }
    }

    fn build(&self) -> PathBuf {
        let usual = || folder().join("build");
        self.build.clone().unwrap_or_else(usual)
    }
}

/// Explores, replays, and prints the table.
///
/// # Errors
/// When a program is not built or something cannot be run.
pub fn coverage(common: &Common, what: &Coverage) -> Result<(), String> {
    let ways = what.ways(common)?;
    let programs = programs(&what.build(), &what.programs, what.all)?;
    let bounds = what.bounds();
    let title = format!(
        "Coverage of programs' own code by the tests of {} s, {} seeds",
        what.time, what.seeds
    );
    let mut table = Table::new(&title, &HEAD);
    let mut shares: Vec<Vec<Means>> = Vec::new();
    for program in &programs {
        let universe = Universe::read(&program.notes, &program.own)?;
        let mut together = Bits::default();
        let mut row = Vec::new();
        for way in &ways {
            let suites = (1..=what.seeds.max(1))
                .map(|seed| Suite::of(common, &bounds, program, &universe, (way, seed)))
                .collect::<Result<Vec<_>, _>>()?;
            suites
                .iter()
                .for_each(|suite| together.add(&suite.taken().0));
            let means = Means::of(&universe, &suites);
            table.row(means.cells(program, &way.name));
            row.push(means);
        }
        if ways.len() > 1 {
            let (branches, lines) = universe.shares(&Taken(together));
            table.row(cells(&program.name, "all together", &[branches, lines]));
        }
        shares.push(row);
    }
    for (at, way) in ways.iter().enumerate() {
        let of_way: Vec<&Means> = shares.iter().map(|row| &row[at]).collect();
        table.row(Means::mean(&of_way).cells_named("mean", &way.name));
    }
    table.print();
    match &what.write {
        Some(file) => std::fs::write(file, table.markdown())
            .map_err(|why| format!("{}: {why}", file.display())),
        None => Ok(()),
    }
}

/// The figures of a row, in the order of [`HEAD`].
struct Means([f64; 8]);

impl Means {
    fn of(universe: &Universe, suites: &[Suite]) -> Self {
        let all = suites.iter().map(|suite| {
            let (branches, lines) = universe.shares(&suite.taken());
            let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
            Self([
                branches,
                lines,
                count(suite.tests),
                count(suite.needed),
                count(suite.faults),
                suite.user,
                suite.system,
                count(suite.mebibytes as usize),
            ])
        });
        let all: Vec<Self> = all.collect();
        Self::mean(&all.iter().collect::<Vec<_>>())
    }

    fn mean(all: &[&Self]) -> Self {
        let count = f64::from(u32::try_from(all.len().max(1)).unwrap_or(u32::MAX));
        Self(std::array::from_fn(|at| {
            all.iter().map(|means| means.0[at]).sum::<f64>() / count
        }))
    }

    fn cells(&self, program: &Program, way: &str) -> Vec<String> {
        self.cells_named(&program.name, way)
    }

    fn cells_named(&self, name: &str, way: &str) -> Vec<String> {
        cells(name, way, &self.0)
    }
}

/// A row: figures with one digit, those that are not there left out.
fn cells(name: &str, way: &str, figures: &[f64]) -> Vec<String> {
    let mut cells = vec![name.to_owned(), way.to_owned()];
    cells.extend(figures.iter().map(|figure| format!("{figure:.1}")));
    cells.resize(HEAD.len(), "-".to_owned());
    cells
}
