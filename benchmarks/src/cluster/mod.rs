//! How an exploration would divide among up to a thousand workers: the tree of a real run, with what its
//! nodes have cost, is walked again by virtual workers.
//!
//! Which piece comes next, for how long, which is asked to end, and into how many its rest is divided is asked of
//! plat-ray's own scheduler (`python3 -m plat_ray.scheduler`); who gets which paths is plat's own division
//! ([`plat::trie::partition`]). What a start of plat, the walk to the open paths, the end of a piece that is asked
//! for, and the driver's part of a piece cost are options: `python -m tests.validate` in `driver/ray` measures them,
//! and holds the simulation against real runs. A worker takes the paths of its piece in the order of the real run, or
//! the shallowest first.

mod decide;
mod simulation;
mod tree;

use crate::table::Table;
use clap::Args;
use decide::{Scheduler, Static};
use simulation::simulate;
use std::path::PathBuf;
use tree::Tree;

/// What to simulate.
#[derive(Args)]
pub struct Cluster {
    /// Directories of runs that have kept their decisions (run.trie)
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// How many workers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 10, 100, 1000])]
    pub workers: Vec<usize>,
    /// Processors that the workers share [default: one for each]
    #[arg(long, value_name = "N")]
    pub processors: Option<usize>,
    /// Seconds that a start of plat takes, with what is done behind a piece
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub start: f64,
    /// Seconds that the first piece of a worker takes beside
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub first: f64,
    /// The walk to the open paths: a part of what exploring the way has taken
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    pub lead: f64,
    /// Seconds from when a piece is asked to end until it does
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub ask: f64,
    /// Seconds of the driver to give a piece out, and to take what it leaves
    #[arg(long, value_name = "SECONDS", default_value_t = 0.002)]
    pub driver: f64,
    /// Seconds between two looks of the driver whether a piece can be asked to end
    #[arg(long, value_name = "SECONDS", default_value_t = 0.25)]
    pub look: f64,
    /// Take each node to have cost so many times as much: a longer run of the same shape
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub scale: f64,
    /// Workers take the shallowest path of their piece first, much as random paths are chosen, and not in
    /// the order of the run: for runs that went depth first
    #[arg(long)]
    pub breadth_first: bool,
    /// Python 3, for the scheduler
    #[arg(long, value_name = "FILE", default_value = "python3")]
    pub python: PathBuf,
    /// The directory of plat-ray
    #[arg(long, value_name = "DIR", default_value = "driver/ray")]
    pub plat_ray: PathBuf,
}

/// Prints how busy the workers would be.
///
/// # Errors
/// When a run cannot be read, or the scheduler cannot be asked.
pub fn cluster(what: &Cluster) -> Result<(), String> {
    let head = [
        "run",
        "nodes",
        "one worker s",
        "longest path s",
        "workers",
        "s",
        "busy %",
        "idle %",
        "processor s",
        "pieces",
        "static s",
        "static busy %",
    ];
    let mut table = Table::new("Explorations on virtual workers", &head);
    for run in &what.directories {
        let tree = Tree::read(run, what.scale, what.breadth_first)?;
        let longest = tree.longest();
        for &workers in &what.workers {
            let ours = simulate(&tree, what, workers, &mut Scheduler::begin(what, workers)?)?;
            let fixed = simulate(&tree, what, workers, &mut Static::default())?;
            let processors = what.processors.unwrap_or(workers).min(workers);
            let busy = |seconds: f64| 100.0 * tree.total() / (seconds * processors as f64);
            table.row(vec![
                run.display().to_string(),
                tree.costs.len().to_string(),
                format!("{:.1}", tree.total()),
                format!("{longest:.1}"),
                workers.to_string(),
                format!("{:.1}", ours.seconds),
                format!("{:.1}", busy(ours.seconds)),
                format!("{:.1}", 100.0 * ours.idle / (ours.seconds * workers as f64)),
                format!("{:.1}", ours.work),
                ours.pieces.to_string(),
                format!("{:.1}", fixed.seconds),
                format!("{:.1}", busy(fixed.seconds)),
            ]);
        }
    }
    table.print();
    Ok(())
}
