//! How many call strings cloned functions have, and which are given up to stay within the budget.

use super::Clones;
use crate::config::Config;
use plat_program::{FuncId, Program};

/// Shortens the strings of the costliest functions, and gives up those of which that is not
/// enough, until the instructions that cloning adds fit the budget. `calls` has for each function
/// those that it can call with a call string; the `bare` ones have an instance without a string.
pub(super) fn within_budget(
    program: &Program,
    config: &Config,
    calls: &[Vec<u32>],
    bare: &[bool],
    clones: &mut Clones,
) {
    loop {
        let strings = count(calls, bare, clones);
        let cost = |id: FuncId| {
            let size = program.function(id).insts.len() as u64;
            strings[id.index()].saturating_mul(size)
        };
        let costs = clones.chosen.keys().map(|&id| cost(id));
        if costs.fold(0, u64::saturating_add) <= config.clone_budget {
            return;
        }
        let worst = clones.chosen.keys().copied();
        let Some(worst) = worst.max_by_key(|&id| (cost(id), id.0)) else {
            return;
        };
        match clones.chosen.get_mut(&worst) {
            Some(depth) if *depth > 1 => *depth -= 1,
            _ => {
                clones.chosen.remove(&worst);
            }
        }
    }
}

/// For each function the number of its call strings.
pub(super) fn count(calls: &[Vec<u32>], bare: &[bool], clones: &Clones) -> Vec<u64> {
    let depth = |at: usize| clones.chosen.get(&FuncId::new(at)).copied().unwrap_or(0);
    let longest = (0..calls.len()).map(depth).max().unwrap_or(0);
    let mut all: Vec<u64> = bare.iter().map(|&bare| u64::from(bare)).collect();
    // Of the strings in each function: those with that many calls, and the ends with that many.
    let mut exact: Vec<u64> = all.clone();
    let mut ends: Vec<u64> = vec![1; calls.len()];
    for length in 1..=longest {
        let (mut longer, mut longer_ends) = (vec![0u64; calls.len()], vec![0u64; calls.len()]);
        for (caller, callees) in calls.iter().enumerate() {
            for &callee in callees {
                let to = callee as usize;
                let cut = clones.is_cut(FuncId::new(caller), FuncId(callee));
                if length > depth(to) || length > 1 && (cut || depth(caller) < length - 1) {
                    continue;
                }
                let (more, more_ends) = match cut {
                    true => (1, 1),
                    false if depth(caller) == length - 1 => (ends[caller], ends[caller]),
                    false => (exact[caller], ends[caller]),
                };
                longer[to] = longer[to].saturating_add(more);
                longer_ends[to] = longer_ends[to].saturating_add(more_ends);
            }
        }
        for at in 0..calls.len() {
            let counted = match depth(at) == length {
                true => longer_ends[at],
                false => longer[at],
            };
            all[at] = all[at].saturating_add(counted);
        }
        (exact, ends) = (longer, longer_ends);
    }
    all
}
