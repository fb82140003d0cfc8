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

mod contexts;

pub use contexts::{CallString, grouped, with_all_calls, without_unused_sites};

use crate::{Error, Explorer, Interrupt, Processes};
use plat_engine::{Config, Observer, StopReason};
use plat_env::InputSpec;
use plat_memory::Join;
use plat_memory::model::{ModelChoice, merging, segmented};
use plat_program::{AllocationContext, Program, SiteId};
use plat_segments::SegmentMap;
use std::collections::BTreeSet;
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

/// Gives a transformed program the contexts of a map, and their groups. The map may have longer contexts beside
/// those that the program was transformed with.
///
/// # Errors
/// When the map was not made for the program, or names calls that the program has no numbers for.
pub fn regroup(program: &mut Program, map: &SegmentMap, path: &str) -> Result<(), Error> {
    let annotations = &mut program.annotations;
    let same = (annotations.contexts.iter().zip(&map.contexts))
        .all(|(own, of)| own.chain == of.chain)
        && annotations.contexts.is_empty() == map.contexts.is_empty();
    let sited = annotations.sites.iter().all(|(&inst, site)| {
        let at = program
            .functions
            .partition_point(|function| function.first_inst <= inst);
        let site = map.sites.get(site.index());
        site.is_some_and(|site| program.functions[at - 1].name == site.function)
    });
    let numbered: BTreeSet<SiteId> = annotations.sites.values().copied().collect();
    let mut chains = map.contexts.iter().flat_map(|context| &context.chain);
    if !annotations.transformed || !same || !sited || !chains.all(|site| numbered.contains(site)) {
        return Err(Error::input(format!(
            "{path}: made for another program than {}, or for one that is not transformed with the calls that it names",
            program.name
        )));
    }
    let contexts = map.contexts.iter().map(|context| AllocationContext {
        chain: context.chain.clone(),
        group: context.group,
    });
    annotations.contexts = contexts.collect();
    Ok(())
}

/// Unites sets that overlap; the result is disjoint, sorted, and in order of least members.
pub fn united<T: Ord + Clone>(sets: &[Vec<T>]) -> Vec<Vec<T>> {
    let mut result: Vec<Vec<T>> = Vec::new();
    for set in sets {
        let mut whole = set.clone();
        result.retain(|other| {
            let apart = other.iter().all(|string| !whole.contains(string));
            if !apart {
                whole.extend(other.iter().cloned());
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

/// How the runs are made that find the ideal segmentation.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// What the runs are told; the memory model is chosen here.
    pub config: &'a Config,
    /// What the program gets as input.
    pub input: &'a InputSpec,
    /// Which work is done in a process of its own.
    pub processes: &'a Processes,
    /// The most runs.
    pub most: u32,
    /// Setting it ends the search.
    pub stop: Interrupt,
}

/// Finds the ideal segmentation of a transformed program. `map` is the program's map, whose sites and
/// contexts the result has. The program's groups change. Each run has the observer that `observe`
/// makes.
///
/// # Errors
/// When the program cannot be run.
pub fn find<O: Observer>(
    program: &mut Program,
    map: &SegmentMap,
    search: &Search<'_>,
    mut observe: impl FnMut(&Program) -> O,
) -> Result<Ideal, Error> {
    let started = Instant::now();
    let Search { most, stop, .. } = *search;
    let mut config = search.config.clone();
    config.record_confusions = true;
    config.memory.model = Some(ModelChoice::from(&merging::ENTRY));
    config.memory.options.heap_only = true;
    let mut sets: Vec<Vec<CallString>> = Vec::new();
    let mut allocated: BTreeSet<CallString> = BTreeSet::new();
    let mut found = grouped(map, program, &[], &[]);
    let (mut runs, mut complete) = (0, false);
    while runs < most.max(1) && !complete && !stop.is_set() {
        let run = Explorer::program(program)
            .with_config(config.clone())
            .input(search.input.clone())
            .processes(search.processes.clone())
            .interrupt(stop)
            .observer(observe(program))
            .run_observed()?
            .summary;
        runs += 1;
        // Later runs divide paths at what is new to them.
        complete = runs == 1 && run.reason == StopReason::Finished;
        allocated.extend(run.confused.allocated);
        let mut all = sets.clone();
        all.extend(run.confused.sets);
        let all = united(&all);
        if all == sets {
            break;
        }
        sets = all;
        let seen: Vec<CallString> = allocated.iter().cloned().collect();
        found = grouped(map, program, &seen, &sets);
        regroup(program, &found, "the ideal segmentation")?;
        config.memory.model = Some(ModelChoice::from(&segmented::ENTRY));
        config.memory.options.join = Join::Allocation;
    }
    Ok(Ideal {
        map: found,
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
        assert_eq!(united::<u32>(&[]), Vec::<Vec<u32>>::new());
    }
}
