//! Which functions are analysed once per call string instead of once.
//!
//! Cloning a function's constraints is inlining it, so it is sound for any choice; the choice is
//! about precision per effort. Two kinds pay: *allocation wrappers*, functions that can return
//! (or hand to their caller through a pointer argument) memory that they have just allocated:
//! `xmalloc`, `xstrdup`, constructors. Cloned, each of their callers gets heap objects of its own.
//! And *helpers*: short functions without calls, such as string functions, whose parameters
//! would otherwise join the pointers of all callers. Recursive functions are never cloned, so
//! call strings are finite; they are cut to the innermost `clone_depth` calls.
//!
//! The executor finds an allocation's context as the longest recorded call string that its stack
//! ends in. That is the analysis' context because cloning is decided per function alone: any
//! direct call of a cloned function extends the string, any other call starts an empty one.

use crate::config::Config;
use crate::cycles;
use crate::externals;
use plat_program::{Callee, CastOp, FuncId, Function, Inst, Operand, Program, Reg};
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
pub fn choose(program: &Program, config: &Config) -> Clones {
    if config.clone_depth == 0 {
        return Clones::default();
    }
    let calls = direct_calls(program);
    let component = cycles::components(&calls);
    let mut members: FxHashMap<u32, u32> = FxHashMap::default();
    for &number in &component {
        *members.entry(number).or_default() += 1;
    }
    let recursive = |at: usize| members[&component[at]] > 1 || calls[at].contains(&(at as u32));
    let wrappers = wrappers(program);
    let mut candidates: Vec<FuncId> = Vec::new();
    for (at, function) in program.functions.iter().enumerate() {
        let size = function.insts.len();
        let helper = size <= config.helper_size && is_leaf(program, function);
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

/// For each function the functions that it calls directly, once per call.
fn direct_calls(program: &Program) -> Vec<Vec<u32>> {
    let callees = |function: &Function| {
        let calls = function.insts.iter().filter_map(|inst| match inst {
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
                Callee::Direct(callee) => Some(callee.0),
                _ => None,
            },
            _ => None,
        });
        calls.collect()
    };
    program.functions.iter().map(callees).collect()
}

fn is_leaf(program: &Program, function: &Function) -> bool {
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

/// The functions that can return memory fresh from an allocation function or from another wrapper,
/// or store it where a parameter points.
fn wrappers(program: &Program) -> FxHashSet<FuncId> {
    let mut found: FxHashSet<FuncId> = FxHashSet::default();
    loop {
        let before = found.len();
        for function in program
            .functions
            .iter()
            .filter(|function| !function.declaration)
        {
            if !found.contains(&function.id) && yields_fresh(program, function, &found) {
                found.insert(function.id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Whether a result of an allocation reaches a return, following copies forwards. A variable that
/// stays in memory (unoptimised code) is followed through its `alloca`.
fn yields_fresh(program: &Program, function: &Function, wrappers: &FxHashSet<FuncId>) -> bool {
    let mut fresh: FxHashSet<Reg> = FxHashSet::default();
    let mut slots: FxHashSet<Reg> = FxHashSet::default();
    let allocas: FxHashSet<Reg> = function
        .insts
        .iter()
        .filter_map(|inst| {
            if let Inst::Alloca { dst, .. } = inst {
                Some(*dst)
            } else {
                None
            }
        })
        .collect();
    loop {
        let before = fresh.len() + slots.len();
        let is = |set: &FxHashSet<Reg>, operand: Operand| {
            operand.as_reg().is_some_and(|reg| set.contains(&reg))
        };
        for step in &function.moves {
            if is(&fresh, step.src) {
                fresh.insert(step.dst);
            }
        }
        for inst in &function.insts {
            let derived = match *inst {
                Inst::Call {
                    dst: Some(dst),
                    call,
                }
                | Inst::Invoke {
                    dst: Some(dst),
                    call,
                    ..
                } => {
                    let Callee::Direct(callee) = call.callee else {
                        continue;
                    };
                    let native = program.function(callee).declaration
                        && externals::allocates(&program.function(callee).name);
                    (native || wrappers.contains(&callee)).then_some(dst)
                }
                Inst::Select {
                    dst,
                    then,
                    otherwise,
                    ..
                } => (is(&fresh, then) || is(&fresh, otherwise)).then_some(dst),
                Inst::Freeze { dst, value, .. } => is(&fresh, value).then_some(dst),
                Inst::Cast {
                    op: CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast,
                    dst,
                    value,
                    ..
                } => is(&fresh, value).then_some(dst),
                Inst::Gep { dst, base, .. } => is(&fresh, base).then_some(dst),
                Inst::Load { dst, pointer, .. } => is(&slots, pointer).then_some(dst),
                Inst::Store { value, pointer, .. } => {
                    if is(&fresh, value) && is(&allocas, pointer) {
                        slots.extend(pointer.as_reg());
                    }
                    None
                }
                Inst::Return { value: Some(value) } if is(&fresh, value) => return true,
                _ => None,
            };
            fresh.extend(derived);
        }
        if fresh.len() + slots.len() == before {
            return false;
        }
    }
}
