//! Allocation wrappers: functions that can return memory fresh from an allocation function or from
//! another wrapper.
//!
//! Found by following copies forwards in each function, through variables that stay in memory
//! (unoptimised code) and through calls that return one of their arguments, until nothing is new.

use crate::config::Config;
use crate::externals::{self, Effect};
use crate::targets::Targets;
use plat_program::{Call, CastOp, FuncId, Function, Inst, Operand, Program, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that can return fresh memory.
pub fn wrappers(program: &Program, config: &Config, targets: &Targets) -> FxHashSet<FuncId> {
    let mut search = Search {
        program,
        targets,
        wrappers: FxHashSet::default(),
        returned: FxHashMap::default(),
    };
    search.find_returned(config.helper_size);
    search.find_wrappers();
    search.wrappers
}

struct Search<'a> {
    program: &'a Program,
    targets: &'a Targets,
    wrappers: FxHashSet<FuncId>,
    /// The parameters that small functions can return.
    returned: FxHashMap<FuncId, Vec<usize>>,
}

fn is(set: &FxHashSet<Reg>, operand: Operand) -> bool {
    operand.as_reg().is_some_and(|reg| set.contains(&reg))
}

impl Search<'_> {
    fn find_returned(&mut self, most: usize) {
        let program = self.program;
        let is_pointer = |ty| matches!(program.types.get(ty), Type::Pointer);
        let defined = program.functions.iter().filter(|one| !one.declaration);
        let small: Vec<&Function> = defined
            .filter(|one| one.insts.len() <= most && is_pointer(one.ret))
            .collect();
        for _ in 0..3 {
            for function in &small {
                let returned = (0..function.params.len()).filter(|&at| {
                    let seed = FxHashSet::from_iter([Reg::new(at)]);
                    is_pointer(function.params[at]) && self.reaches_return(function, seed, false)
                });
                let returned: Vec<usize> = returned.collect();
                self.returned.insert(function.id, returned);
            }
        }
    }

    fn find_wrappers(&mut self) {
        loop {
            let before = self.wrappers.len();
            for function in self.program.functions.iter().filter(|one| !one.declaration) {
                let seed = FxHashSet::default();
                if !self.wrappers.contains(&function.id)
                    && self.reaches_return(function, seed, true)
                {
                    self.wrappers.insert(function.id);
                }
            }
            if self.wrappers.len() == before {
                return;
            }
        }
    }

    fn allocates(&self, callee: FuncId) -> bool {
        let function = self.program.function(callee);
        let native = function.declaration && externals::allocates(&function.name);
        native || self.wrappers.contains(&callee)
    }

    /// Whether a call of `callee` can return one of its arguments that are in `set`.
    fn passes(&self, caller: &Function, call: &Call, callee: FuncId, set: &FxHashSet<Reg>) -> bool {
        let arguments = &caller.call_args[call.args.range()];
        let given = |at: usize| arguments.get(at).is_some_and(|&one| is(set, one));
        let effects = externals::effects(&self.program.function(callee).name);
        let by_table = effects.into_iter().flatten().any(|effect| match effect {
            Effect::Returns(at) | Effect::ReturnsInto(at) => given(usize::from(*at)),
            _ => false,
        });
        by_table
            || self
                .returned
                .get(&callee)
                .into_iter()
                .flatten()
                .any(|&at| given(at))
    }

    /// Whether a register of `set`, or (with `fresh`) the result of an allocation, reaches a
    /// return.
    fn reaches_return(&self, function: &Function, set: FxHashSet<Reg>, fresh: bool) -> bool {
        let mut set = set;
        let mut slots: FxHashSet<Reg> = FxHashSet::default();
        let allocas: FxHashSet<Reg> = function
            .insts
            .iter()
            .filter(|inst| matches!(inst, Inst::Alloca { .. }))
            .filter_map(Inst::dst)
            .collect();
        loop {
            let before = set.len() + slots.len();
            for step in &function.moves {
                if is(&set, step.src) {
                    set.insert(step.dst);
                }
            }
            for (at, inst) in function.insts.iter().enumerate() {
                let derived = match *inst {
                    Inst::Call { dst, call } | Inst::Invoke { dst, call, .. } => {
                        let callees = self.targets.callees(function, at, &call);
                        let yields = |&callee: &FuncId| {
                            fresh && self.allocates(callee)
                                || self.passes(function, &call, callee, &set)
                        };
                        dst.filter(|_| callees.iter().any(yields))
                    }
                    Inst::Store { value, pointer, .. } => {
                        if is(&set, value) && is(&allocas, pointer) {
                            slots.extend(pointer.as_reg());
                        }
                        None
                    }
                    Inst::Return { value: Some(value) } if is(&set, value) => return true,
                    _ => copied(inst, &set, &slots),
                };
                set.extend(derived);
            }
            if set.len() + slots.len() == before {
                return false;
            }
        }
    }
}

/// The result of an instruction that copies from the set.
fn copied(inst: &Inst, set: &FxHashSet<Reg>, slots: &FxHashSet<Reg>) -> Option<Reg> {
    match *inst {
        Inst::Select {
            dst,
            then,
            otherwise,
            ..
        } => (is(set, then) || is(set, otherwise)).then_some(dst),
        Inst::Freeze { dst, value, .. } => is(set, value).then_some(dst),
        Inst::Cast {
            op: CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast,
            dst,
            value,
            ..
        } => is(set, value).then_some(dst),
        Inst::Gep { dst, base, .. } => is(set, base).then_some(dst),
        Inst::Load { dst, pointer, .. } => is(slots, pointer).then_some(dst),
        _ => None,
    }
}
