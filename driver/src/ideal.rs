//! The ideal segmentation: together is only what a symbolic pointer of an actual run confuses
//! (segmented-memory paper, section 4.1).
//!
//! The paper runs the forking model until the first pointer that may reach several objects,
//! puts their allocation contexts into one segment, starts again, and repeats that until no run
//! meets anything new. One run is enough. As long as every such pointer stays within a segment,
//! the path goes on undivided; so the last of the paper's runs, and each run before it up to its
//! end, walk the tree of paths that a run walks which never divides a path between heap objects,
//! whatever the segments. That is `merging` restricted to the heap. The sets that it meets are
//! those that the paper's runs meet one by one, and uniting those that overlap gives the same
//! partition. Runs of the forking model that went on behind the first division would not do:
//! behind it each part knows its object, and what hangs off the objects is no longer confused.
//!
//! Where a limit ends the run, the partition is right for the part that was seen. Further runs with
//! the segments found so far may get further under the same limit, so they are made until one
//! finds nothing new.

use crate::failure::Failure;
use crate::plan::RunPlan;
use crate::progress::Display;
use plat_engine::{Observer, Progress, StopReason};
use plat_memory::Join;
use plat_program::{GroupId, Program};
use plat_segments::SegmentMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What was found.
#[derive(Clone, Debug)]
pub struct Ideal {
    /// The segmentation.
    pub map: SegmentMap,
    /// Runs made.
    pub runs: u32,
    /// Whether all paths were seen, so that nothing is missing.
    pub complete: bool,
    /// Time of the runs.
    pub wall: Duration,
}

/// Shows the progress of a run that leaves nothing else.
pub struct Watcher(pub Display);

impl Observer for Watcher {
    fn progress(&mut self, progress: &Progress<'_>) {
        self.0.show(progress);
    }
}

/// Gives the contexts of a transformed program the groups of a map.
///
/// # Errors
/// When the map was not made for the program.
pub fn regroup(program: &mut Program, map: &SegmentMap, path: &str) -> Result<(), Failure> {
    let annotations = &mut program.annotations;
    let same = annotations.contexts.len() == map.contexts.len()
        && (annotations.contexts.iter().zip(&map.contexts)).all(|(own, of)| own.chain == of.chain);
    let sited = annotations.sites.iter().all(|(&inst, site)| {
        let at = program
            .functions
            .partition_point(|function| function.first_inst <= inst);
        let site = map.sites.get(site.index());
        site.is_some_and(|site| program.functions[at - 1].name == site.function)
    });
    if !annotations.transformed || !same || !sited {
        return Err(Failure::input(format!(
            "{path}: made for another program than {}, or for one that is not transformed",
            program.name
        )));
    }
    for (own, of) in annotations.contexts.iter_mut().zip(&map.contexts) {
        own.group = of.group;
    }
    Ok(())
}

/// A map whose groups are these sets of contexts.
pub fn grouped(base: &SegmentMap, sets: &[Vec<u32>]) -> SegmentMap {
    let mut map = base.clone();
    for context in &mut map.contexts {
        context.group = None;
    }
    for (group, set) in sets.iter().enumerate() {
        for &context in set {
            if let Some(context) = map.contexts.get_mut(context as usize) {
                context.group = Some(GroupId::new(group));
            }
        }
    }
    map.groups = sets.len() as u32;
    map
}

/// Unites sets that overlap; the result is disjoint, sorted, and in order of least members.
pub fn united(sets: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut result: Vec<Vec<u32>> = Vec::new();
    for set in sets {
        let mut whole = set.clone();
        result.retain(|other| {
            let apart = other.iter().all(|context| !whole.contains(context));
            if !apart {
                whole.extend(other);
            }
            apart
        });
        whole.sort_unstable();
        whole.dedup();
        result.push(whole);
    }
    result.sort();
    result
}

/// Finds the ideal segmentation of a transformed program by at most `most` runs as planned. `map`
/// is the program's map, whose sites and contexts the result has. The program's groups change.
///
/// # Errors
/// When the program cannot be run.
pub fn find(
    program: &mut Program,
    map: &SegmentMap,
    plan: &RunPlan,
    most: u32,
    stop: &'static AtomicBool,
) -> Result<Ideal, Failure> {
    let started = Instant::now();
    let mut config = plan.config.clone();
    config.survey = true;
    config.memory_model = "merging".to_string();
    config.memory.heap_only = true;
    let mut sets: Vec<Vec<u32>> = Vec::new();
    let (mut runs, mut complete) = (0, false);
    while runs < most.max(1) && !complete && !stop.load(Ordering::Relaxed) {
        let mut watcher = Watcher(Display::new(plan.output.quiet, program.inst_count()));
        let run = plat_engine::run(program, &config, &plan.input, &mut watcher, stop);
        let run = run.map_err(Failure::input)?;
        watcher.0.finish();
        runs += 1;
        // Later runs divide paths at what is new to them.
        complete = runs == 1 && run.reason == StopReason::Finished;
        let mut all = sets.clone();
        all.extend(run.confused);
        let all = united(&all);
        if all == sets {
            break;
        }
        sets = all;
        regroup(program, &grouped(map, &sets), "the ideal segmentation")?;
        config.memory_model = "segmented".to_string();
        config.memory.join = Join::Allocation;
    }
    Ok(Ideal {
        map: grouped(map, &sets),
        runs,
        complete,
        wall: started.elapsed(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_sets_become_one() {
        let sets = [vec![4, 7], vec![1], vec![2, 3], vec![3, 7], vec![1, 1]];
        assert_eq!(united(&sets), [vec![1], vec![2, 3, 4, 7]]);
        assert_eq!(united(&[]), Vec::<Vec<u32>>::new());
    }
}
