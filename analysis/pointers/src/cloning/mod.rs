//! Which functions are analysed once per call string instead of once.
//!
//! Cloning a function's constraints is inlining it, so it is sound for any choice; the choice is
//! about precision per effort. Two kinds pay: *allocation wrappers*, functions that can return
//! (or hand to their caller through a pointer argument) memory that they have just allocated:
//! `xmalloc`, `xstrdup`, constructors. Cloned, each of their callers gets heap objects of its own.
//! And *helpers*: short functions, such as string functions and what just calls another function,
//! whose parameters would otherwise join the pointers of all callers. Recursive helpers are not
//! cloned. Recursive wrappers are: a call between two wrappers that call each other in a cycle
//! starts a new call string, and the strings of a function are cut to its innermost calls
//! ([`Clones::extended`]), of which the costliest functions get fewer.
//!
//! The executor finds an allocation's context as the longest recorded call string that its stack
//! ends in. That is the analysis' context because where a string starts and what it is cut to is
//! decided per function and call alone: a call of a cloned function extends the string wherever it
//! is a direct call or one through a pointer whose targets are known (`cloning::targets`), or one
//! that returns what a wrapper returns ([`crate::program::interfaces::fitting`]), and any other call starts
//! an empty one.

mod strings;
pub(crate) mod targets;
pub(crate) mod wrappers;

use crate::cloning::targets::Targets;
use crate::cloning::wrappers::wrappers;
use crate::config::PointsToConfig;
use crate::solver::cycles;
use plat_program::{Callee, FuncId, Function, Inst, InstId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The chosen functions.
#[derive(Clone, Default, Debug)]
pub struct Clones {
    /// With the greatest number of calls in their strings.
    chosen: FxHashMap<FuncId, usize>,
    /// The component of chosen functions that call each other that each function is in.
    component: Vec<u32>,
    /// Those of them that return fresh memory.
    pub wrappers: Vec<FuncId>,
}

impl Clones {
    /// Whether a function is analysed once per call string.
    pub fn contains(&self, function: FuncId) -> bool {
        self.chosen.contains_key(&function)
    }

    /// Number of chosen functions.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// Whether none was chosen.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The call string of a chosen function that `caller` with the call string `outer` calls at
    /// `site`.
    pub fn extended(&self, caller: FuncId, outer: &[u32], site: u32, callee: FuncId) -> Vec<u32> {
        let most = self.chosen.get(&callee).copied().unwrap_or(0);
        let kept = match self.is_cut(caller, callee) {
            true => &[],
            false => &outer[(outer.len() + 1).saturating_sub(most).min(outer.len())..],
        };
        kept.iter().copied().chain([site]).collect()
    }

    /// Whether a call is part of a cycle of chosen functions.
    fn is_cut(&self, caller: FuncId, callee: FuncId) -> bool {
        self.contains(caller) && self.component[caller.index()] == self.component[callee.index()]
    }
}

/// Chooses the functions of `program` to clone.
pub fn choose(program: &Program, config: &PointsToConfig, targets: &Targets) -> Clones {
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
    let mut clones = Clones::default();
    for (at, function) in program.functions.iter().enumerate() {
        let most = match is_leaf(program, function) {
            true => config.helper_size,
            false => config.small_size,
        };
        let helper = function.insts.len() <= most && !function.variadic && !recursive(at);
        let wrapper = wrappers.contains(&function.id);
        if !function.declaration && (helper || wrapper) {
            let depth = match wrapper {
                true => config.wrapper_depth,
                false => config.clone_depth,
            };
            clones.chosen.insert(function.id, depth);
        }
    }
    let calls = calls_of(program, targets, &wrappers, calls);
    let within = (0..).zip(&calls).map(|(caller, callees)| {
        let chosen = |callee: &u32| clones.contains(FuncId(*callee));
        let callees = callees.iter().copied();
        let inside: Vec<u32> = callees
            .filter(|callee| chosen(&caller) && chosen(callee))
            .collect();
        inside
    });
    clones.component = cycles::components(&within.collect());
    let bare = bare(program, &clones);
    strings::within_budget(program, config, &calls, &bare, &mut clones);
    let wrappers = wrappers.into_iter().filter(|&id| clones.contains(id));
    clones.wrappers = wrappers.collect();
    clones.wrappers.sort_unstable();
    clones
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

/// Adds what calls through pointers can return of wrappers.
fn calls_of(
    program: &Program,
    targets: &Targets,
    wrappers: &FxHashSet<FuncId>,
    mut calls: Vec<Vec<u32>>,
) -> Vec<Vec<u32>> {
    for (function, calls) in program.functions.iter().zip(&mut calls) {
        for at in 0..function.insts.len() {
            let inst = InstId::new(function.first_inst.index() + at);
            let fitting = targets.fitting(inst).iter();
            let fitting = fitting.filter(|callee| wrappers.contains(callee));
            calls.extend(fitting.map(|callee| callee.0));
        }
    }
    calls
}

/// For each function whether it has an instance without a call string: it is not cloned, or can
/// be called through pointers or by nobody.
fn bare(program: &Program, clones: &Clones) -> Vec<bool> {
    let functions = program.functions.iter();
    let mut bare: Vec<bool> = functions
        .map(|function| !clones.contains(function.id))
        .collect();
    let called = plat_program::operands::address_taken(program).into_iter();
    let more = program.constructors.iter().chain(&program.destructors);
    for id in called.chain(more.copied()) {
        bare[id.index()] = true;
    }
    bare
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
