//! How many call strings cloned functions have, and which are given up to stay within the budget.
//!
//! The strings of a function with so many calls follow from those of its callers with one call less.
//! Shortening the strings of one function changes only what it can reach, so the counts of a large
//! program are made once and then mended.

use super::Clones;
use crate::config::PointsToConfig;
use plat_program::{FuncId, Program};
use std::collections::{BTreeSet, VecDeque};

/// Shortens the strings of the costliest functions, and gives up those of which that is not
/// enough, until the instructions that cloning adds fit the budget. `calls` has for each function
/// those that it can call with a call string; the `bare` ones have an instance without a string.
pub(super) fn within_budget(
    program: &Program,
    config: &PointsToConfig,
    calls: &[Vec<u32>],
    bare: &[bool],
    clones: &mut Clones,
) {
    let budget = config.clone_budget(program.inst_count() as u64);
    let mut strings = Strings::new(calls, bare, clones);
    let cost = |strings: &Strings<'_>, at: u32| {
        let size = program.function(FuncId(at)).insts.len() as u64;
        strings.count(at).saturating_mul(size)
    };
    let mut costs = vec![0u64; calls.len()];
    let chosen = clones.chosen.keys().map(|id| id.0);
    let mut ranked: BTreeSet<(u64, u32)> = chosen.map(|at| (cost(&strings, at), at)).collect();
    let mut total = 0u128;
    for &(cost, at) in &ranked {
        costs[at as usize] = cost;
        total += u128::from(cost);
    }
    while total > u128::from(budget) {
        let Some(&(_, worst)) = ranked.last() else {
            return;
        };
        match clones.chosen.get_mut(&FuncId(worst)) {
            Some(depth) if *depth > 1 => *depth -= 1,
            _ => {
                clones.chosen.remove(&FuncId(worst));
            }
        }
        for at in strings.shortened(clones, worst) {
            let old = costs[at as usize];
            let new = match clones.contains(FuncId(at)) {
                true => cost(&strings, at),
                false => 0,
            };
            if ranked.remove(&(old, at)) && clones.contains(FuncId(at)) {
                ranked.insert((new, at));
            }
            costs[at as usize] = new;
            total = total - u128::from(old) + u128::from(new);
        }
    }
}

/// The numbers of strings of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Count {
    /// Strings with exactly so many calls.
    exact: u64,
    /// The ends with so many calls of all its strings.
    ends: u64,
}

/// The numbers of strings of all functions, by the number of calls in them.
struct Strings<'a> {
    calls: &'a [Vec<u32>],
    /// For each function its callers, once per call.
    callers: Vec<Vec<u32>>,
    counts: Vec<Vec<Count>>,
}

impl<'a> Strings<'a> {
    fn new(calls: &'a [Vec<u32>], bare: &[bool], clones: &Clones) -> Self {
        let mut callers = vec![Vec::new(); calls.len()];
        for (caller, callees) in (0..).zip(calls) {
            for &callee in callees {
                callers[callee as usize].push(caller);
            }
        }
        let none = |&bare: &bool| {
            let exact = u64::from(bare);
            vec![Count { exact, ends: 1 }]
        };
        let mut strings = Self {
            calls,
            callers,
            counts: bare.iter().map(none).collect(),
        };
        let chosen = (0..calls.len() as u32).filter(|&at| clones.contains(FuncId(at)));
        strings.mend(clones, chosen.collect());
        strings
    }

    /// The number of strings of a function: each with fewer calls than it may have, and the ends of
    /// the others.
    fn count(&self, at: u32) -> u64 {
        let (last, shorter) = self.counts[at as usize].split_last().expect("no calls");
        if shorter.is_empty() {
            return last.exact;
        }
        let shorter = shorter.iter().map(|count| count.exact);
        shorter.fold(last.ends, u64::saturating_add)
    }

    /// Counts again after the strings of a function were shortened; the functions whose counts may
    /// have changed.
    fn shortened(&mut self, clones: &Clones, function: u32) -> BTreeSet<u32> {
        let callees = self.calls[function as usize].iter().copied();
        let open = callees.chain([function]).collect();
        self.mend(clones, open)
    }

    /// Counts the strings of some functions, and of those for which anything follows from that.
    fn mend(&mut self, clones: &Clones, mut open: VecDeque<u32>) -> BTreeSet<u32> {
        let mut is_open = vec![false; self.counts.len()];
        for &at in &open {
            is_open[at as usize] = true;
        }
        let mut seen = BTreeSet::new();
        while let Some(at) = open.pop_front() {
            is_open[at as usize] = false;
            seen.insert(at);
            let counts = self.counted(clones, at);
            if counts == self.counts[at as usize] {
                continue;
            }
            self.counts[at as usize] = counts;
            for &callee in &self.calls[at as usize] {
                let chosen = clones.contains(FuncId(callee));
                if chosen && !std::mem::replace(&mut is_open[callee as usize], true) {
                    open.push_back(callee);
                }
            }
        }
        seen
    }

    /// The numbers of strings of a function, as they follow from those of its callers.
    fn counted(&self, clones: &Clones, at: u32) -> Vec<Count> {
        let depth = |at: u32| clones.chosen.get(&FuncId(at)).copied().unwrap_or(0);
        let mut counts = vec![self.counts[at as usize][0]];
        for length in 1..=depth(at) {
            let (mut exact, mut ends) = (0u64, 0u64);
            for &caller in &self.callers[at as usize] {
                let cut = clones.is_cut(FuncId(caller), FuncId(at));
                if length > 1 && (cut || depth(caller) < length - 1) {
                    continue;
                }
                // A caller whose turn has not come yet has counts of other lengths.
                let known = self.counts[caller as usize].get(length - 1);
                let known = known.copied().unwrap_or(Count { exact: 0, ends: 0 });
                let more = match cut {
                    true => Count { exact: 1, ends: 1 },
                    false if depth(caller) == length - 1 => Count {
                        exact: known.ends,
                        ..known
                    },
                    false => known,
                };
                exact = exact.saturating_add(more.exact);
                ends = ends.saturating_add(more.ends);
            }
            counts.push(Count { exact, ends });
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::cycles;
    use fastrand::Rng;

    /// What is mended step by step is what is counted at once.
    #[test]
    fn mended_counts_are_those_of_counting_anew() {
        let mut random = Rng::with_seed(11);
        let mut shortened = 0;
        for _ in 0..200 {
            let functions = 3 + random.u32(..12);
            let mut callees = || -> Vec<u32> {
                let calls = random.u32(..4);
                (0..calls).map(|_| random.u32(..functions)).collect()
            };
            let calls: Vec<Vec<u32>> = (0..functions).map(|_| callees()).collect();
            let bare: Vec<bool> = (0..functions).map(|_| random.u32(..3) == 0).collect();
            let depth = |random: &mut Rng| 1 + random.usize(..5);
            let chosen = (0..functions).filter(|at| at % 4 != 3);
            let chosen = chosen.map(|at| (FuncId(at), depth(&mut random))).collect();
            let mut clones = Clones {
                chosen,
                component: cycles::components(&calls.iter().cloned().collect()),
                wrappers: Vec::new(),
            };
            let mut strings = Strings::new(&calls, &bare, &clones);
            while let Some(&id) = clones.chosen.keys().min() {
                let of = clones.chosen.get_mut(&id).expect("it is chosen");
                *of -= 1;
                if *of == 0 {
                    clones.chosen.remove(&id);
                }
                strings.shortened(&clones, id.0);
                let anew = Strings::new(&calls, &bare, &clones);
                for &FuncId(at) in clones.chosen.keys() {
                    assert_eq!(
                        strings.count(at),
                        anew.count(at),
                        "function {at} of {calls:?}"
                    );
                    shortened += 1;
                }
            }
        }
        assert!(shortened > 1_000);
    }
}
