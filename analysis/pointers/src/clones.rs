//! Which functions are analysed once per call string instead of once.
//!
//! Cloning a function's constraints is inlining it, so it is sound for any choice; the choice is
//! about precision per effort. Two kinds pay: *allocation wrappers*, functions that can return
//! (or hand to their caller through a pointer argument) memory that they have just allocated:
//! `xmalloc`, `xstrdup`, constructors. Cloned, each of their callers gets heap objects of its own.
//! And *helpers*: short functions, such as string functions and what just calls another function,
//! whose parameters would otherwise join the pointers of all callers. Recursive functions are never cloned, so
//! call strings are finite; they are cut to the innermost `clone_depth` calls.
//!
//! The executor finds an allocation's context as the longest recorded call string that its stack
//! ends in. That is the analysis' context because cloning is decided per function and call alone:
//! a call of a cloned function extends the string wherever it is a direct call or one through a
//! pointer whose targets are known ([`crate::targets`]), and any other call starts an empty one.

use crate::config::Config;
use crate::cycles;
use crate::targets::Targets;
use crate::wrappers::wrappers;
use plat_program::{Callee, FuncId, Function, Inst, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The chosen functions.
#[derive(Clone, Default, Debug)]
pub struct Clones {
    chosen: FxHashSet<FuncId>,
    /// Those of them that return fresh memory.
    pub wrappers: Vec<FuncId>,
}

impl Clones {
    /// Whether a function is analysed once per call string.
    pub fn contains(&self, function: FuncId) -> bool {
        self.chosen.contains(&function)
    }

    /// Number of chosen functions.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether none was chosen.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }
}

/// Chooses the functions of `program` to clone.
pub fn choose(program: &Program, config: &Config, targets: &Targets) -> Clones {
    if config.clone_depth == 0 {
        return Clones::default();
    }
    let calls = known_calls(program, targets);
    let component = cycles::components(&calls.iter().cloned().collect());
    let mut members: FxHashMap<u32, u32> = FxHashMap::default();
    for &number in &component {
        *members.entry(number).or_default() += 1;
    }
    let recursive = |at: usize| members[&component[at]] > 1 || calls[at].contains(&(at as u32));
    let wrappers = wrappers(program, config, targets);
    let mut candidates: Vec<FuncId> = Vec::new();
    for (at, function) in program.functions.iter().enumerate() {
        let most = match is_leaf(program, function) {
            true => config.helper_size,
            false => config.small_size,
        };
        let helper = function.insts.len() <= most && !function.variadic;
        let wrapper = wrappers.contains(&function.id);
        if !function.declaration && !recursive(at) && (helper || wrapper) {
            candidates.push(function.id);
        }
    }
    let chosen = within_budget(program, config, &calls, candidates);
    let mut wrappers: Vec<FuncId> = wrappers.intersection(&chosen).copied().collect();
    wrappers.sort_unstable();
    Clones { chosen, wrappers }
}

/// For each function the functions that it is known to call, once per call.
fn known_calls(program: &Program, targets: &Targets) -> Vec<Vec<u32>> {
    let callees = |function: &Function| {
        let calls = targets.calls(function);
        calls
            .flat_map(|(_, _, callees)| callees.into_iter().map(|callee| callee.0))
            .collect()
    };
    program.functions.iter().map(callees).collect()
}

/// Whether a function calls nothing but intrinsics.
pub fn is_leaf(program: &Program, function: &Function) -> bool {
    function.insts.iter().all(|inst| match inst {
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
            Callee::Direct(callee) => program.function(callee).name.starts_with("llvm."),
            _ => false,
        },
        _ => true,
    })
}

/// Removes the costliest functions until the instructions that cloning adds fit the budget.
fn within_budget(
    program: &Program,
    config: &Config,
    calls: &[Vec<u32>],
    candidates: Vec<FuncId>,
) -> FxHashSet<FuncId> {
    let mut chosen: FxHashSet<FuncId> = candidates.into_iter().collect();
    loop {
        let contexts = contexts(program, config, calls, &chosen);
        let cost = |id: &FuncId| {
            contexts[id.index()].saturating_mul(program.function(*id).insts.len() as u64)
        };
        let total = chosen.iter().map(cost).fold(0u64, u64::saturating_add);
        if total <= config.clone_budget {
            return chosen;
        }
        let worst = chosen.iter().copied().max_by_key(|id| (cost(id), id.0));
        worst.map(|id| chosen.remove(&id));
    }
}

/// For each function how many call strings of chosen functions end in it.
fn contexts(
    program: &Program,
    config: &Config,
    calls: &[Vec<u32>],
    chosen: &FxHashSet<FuncId>,
) -> Vec<u64> {
    let count = program.functions.len();
    // strings[f]: call strings of length up to the current one that end with a call of f.
    let mut strings = vec![0u64; count];
    for _ in 0..config.clone_depth {
        let mut longer = vec![0u64; count];
        for (caller, callees) in calls.iter().enumerate() {
            // The empty string before the call, and those that end in the caller.
            let ways = 1 + if chosen.contains(&FuncId::new(caller)) {
                strings[caller]
            } else {
                0
            };
            for &callee in callees {
                longer[callee as usize] = longer[callee as usize].saturating_add(ways);
            }
        }
        strings = longer;
    }
    strings
}
