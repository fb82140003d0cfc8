//! The options of the simulation.

use clap::Args;
use std::path::PathBuf;

/// What to simulate.
#[derive(Args)]
pub struct Cluster {
    /// Directories of runs that have kept their decisions (run.trie)
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// How many workers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 10, 100, 1000])]
    pub workers: Vec<usize>,
    /// How workers of a node share a piece
    #[command(flatten)]
    pub node: Node,
    /// Processors that the workers share [default: one for each]
    #[arg(long, value_name = "N")]
    pub processors: Option<usize>,
    /// Seconds that a start of plat takes, with what is done behind a piece
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub start: f64,
    /// Seconds from the beginning until the workers have loaded the program
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
    #[arg(long, value_name = "SECONDS", default_value_t = 0.05)]
    pub look: f64,
    /// Take each node to have cost so many times as much: a longer run of the same shape
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub scale: f64,
    /// Hang all of the tree again behind N of its leaves, evenly spread: a longer run, which goes on where this one has
    /// ended
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub grow: usize,
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

/// Workers that explore a piece together.
#[derive(Args)]
pub struct Node {
    /// How many workers explore a piece together, as processes of one `plat run --workers`
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub width: usize,
    /// Seconds that a fork takes each of two such processes
    #[arg(long, value_name = "SECONDS", default_value_t = 0.01)]
    pub fork: f64,
    /// Shortest time between two forks of a process
    #[arg(long, value_name = "SECONDS", default_value_t = 0.05)]
    pub interval: f64,
}
