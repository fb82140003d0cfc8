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
mod options;
mod simulation;
mod tree;

use crate::table::Table;
use decide::{Scheduler, Static};
pub use options::Cluster;
use simulation::simulate;
use tree::Tree;

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
        let mut tree = Tree::read(run, what.scale, what.breadth_first)?;
        if what.grow > 0 {
            tree = tree.grown(what.grow, what.breadth_first);
        }
        let longest = tree.longest();
        for &workers in &what.workers {
            let ours = simulate(
                &tree,
                what,
                workers,
                &mut Scheduler::begin(what, workers.div_ceil(what.node.width))?,
            )?;
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
