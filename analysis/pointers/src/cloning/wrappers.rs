//! Allocation wrappers: functions that can return memory fresh from an allocation function or from
//! another wrapper.
//!
//! Stated in Datalog. A *value* is a register of a function, or what a local variable in memory
//! (unoptimised code) holds. Copies within functions and calls that return one of their arguments
//! are facts; which values are fresh, and which functions return such a value, is derived.

use crate::cloning::targets::Targets;
use crate::config::PointsToConfig;
use crate::program::externals::{self, Effect};
use datafrog::{Iteration, Relation};
use plat_program::{CastOp, FuncId, Function, Inst, InstId, Operand, Program, Reg, Type};
use rustc_hash::FxHashSet;

/// A register of a function, or with `true` what is stored in the variable whose address it is.
type Value = (FuncId, Reg, bool);

/// A parameter of a function by position.
type Place = (FuncId, u32);

/// What the functions do, as relations.
#[derive(Default)]
struct Facts {
    /// `copy(from, to)`.
    copy: Vec<(Value, Value)>,
    /// `returned(value, function)`.
    returned: Vec<(Value, FuncId)>,
    /// `result(callee, to)`: a call's result.
    result: Vec<(FuncId, Value)>,
    /// `argument((callee, position), (from, to))`: a call's argument and its result.
    argument: Vec<(Place, (Value, Value))>,
    /// `parameter(value, (function, position))`: the pointers that small functions are given.
    parameter: Vec<(Value, Place)>,
    /// `passes((function, position))`: what the table of library functions says.
    passes: Vec<(Place, ())>,
    /// `allocates(function)`: allocation functions.
    allocates: Vec<(FuncId, ())>,
}

/// The functions that can return fresh memory.
pub fn wrappers(
    program: &Program,
    config: &PointsToConfig,
    targets: &Targets,
) -> FxHashSet<FuncId> {
    let mut facts = Facts::default();
    for function in &program.functions {
        facts.of_name(function);
        facts.of_body(program, config, targets, function);
    }
    let natives: FxHashSet<FuncId> = facts.allocates.iter().map(|fact| fact.0).collect();
    let copy: Relation<_> = facts.copy.into();
    let returned: Relation<_> = facts.returned.into();
    let result: Relation<_> = facts.result.into();
    let argument: Relation<_> = facts.argument.into();

    let mut iteration = Iteration::new();
    let from = iteration.variable::<(Value, Place)>("from");
    let passes = iteration.variable::<(Place, ())>("passes");
    let step = iteration.variable::<(Value, Value)>("step");
    let fresh = iteration.variable::<(Value, ())>("fresh");
    let allocates = iteration.variable::<(FuncId, ())>("allocates");
    from.insert(facts.parameter.into());
    passes.insert(facts.passes.into());
    step.insert(copy);
    allocates.insert(facts.allocates.into());
    while iteration.changed() {
        // step(v, w) :- copy(v, w).
        // step(v, w) :- passes(p), argument(p, v, w).
        step.from_join(&passes, &argument, |_, (), &step| step);
        // from(w, p) :- from(v, p), step(v, w).
        from.from_join(&from, &step, |_, &place, &to| (to, place));
        // passes(f, i) :- from(v, (f, i)), returned(v, f).
        passes.from_join(&from, &returned, |_, &place, _| (place, ()));
        // fresh(w) :- allocates(f), result(f, w).
        fresh.from_join(&allocates, &result, |_, (), &to| (to, ()));
        // fresh(w) :- fresh(v), step(v, w).
        fresh.from_join(&fresh, &step, |_, (), &to| (to, ()));
        // allocates(f) :- fresh(v), returned(v, f).
        allocates.from_join(&fresh, &returned, |_, (), &function| (function, ()));
    }
    let all = allocates.complete();
    let found = all.iter().map(|&(function, ())| function);
    found.filter(|id| !natives.contains(id)).collect()
}

impl Facts {
    /// What is known of a function by its name.
    fn of_name(&mut self, function: &Function) {
        if function.declaration && externals::allocates(&function.name) {
            self.allocates.push((function.id, ()));
        }
        for effect in externals::effects(&function.name).unwrap_or_default() {
            if let Effect::Returns(at) | Effect::ReturnsInto(at) = effect {
                self.passes.push(((function.id, u32::from(*at)), ()));
            }
        }
    }

    /// What its body does.
    fn of_body(
        &mut self,
        program: &Program,
        config: &PointsToConfig,
        targets: &Targets,
        function: &Function,
    ) {
        let id = function.id;
        let is_pointer = |ty| matches!(program.types.get(ty), Type::Pointer);
        if function.insts.len() <= config.helper_size && is_pointer(function.ret) {
            let pointers = (0..function.params.len()).filter(|&at| is_pointer(function.params[at]));
            let places = pointers.map(|at| ((id, Reg::new(at), false), (id, at as u32)));
            self.parameter.extend(places);
        }
        let variables: FxHashSet<Reg> = function
            .insts
            .iter()
            .filter(|inst| matches!(inst, Inst::Alloca { .. }))
            .filter_map(Inst::dst)
            .collect();
        for step in &function.moves {
            self.copied(id, step.src, step.dst);
        }
        for (at, inst) in function.insts.iter().enumerate() {
            match *inst {
                Inst::Call {
                    dst: Some(dst),
                    call,
                }
                | Inst::Invoke {
                    dst: Some(dst),
                    call,
                    ..
                } => {
                    let arguments = &function.call_args[call.args.range()];
                    for callee in targets.callees(function, at, &call) {
                        self.called(callee, arguments, (id, dst, false));
                    }
                    let inst = InstId::new(function.first_inst.index() + at);
                    let fitting = targets.fitting(inst).iter();
                    let to = (id, dst, false);
                    self.result.extend(fitting.map(|&callee| (callee, to)));
                }
                Inst::Store { value, pointer, .. } => {
                    let variable = pointer.as_reg().filter(|reg| variables.contains(reg));
                    if let (Some(from), Some(variable)) = (value.as_reg(), variable) {
                        self.copy.push(((id, from, false), (id, variable, true)));
                    }
                }
                Inst::Load { dst, pointer, .. } => {
                    let variable = pointer.as_reg().filter(|reg| variables.contains(reg));
                    let held = variable.map(|variable| (id, variable, true));
                    self.copy.extend(held.map(|from| (from, (id, dst, false))));
                }
                Inst::Select {
                    dst,
                    then,
                    otherwise,
                    ..
                } => {
                    self.copied(id, then, dst);
                    self.copied(id, otherwise, dst);
                }
                Inst::Freeze { dst, value, .. }
                | Inst::Cast {
                    op: CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast,
                    dst,
                    value,
                    ..
                } => self.copied(id, value, dst),
                Inst::Gep { dst, base, .. } => self.copied(id, base, dst),
                Inst::Return { value: Some(value) } => {
                    let value = value.as_reg().map(|reg| ((id, reg, false), id));
                    self.returned.extend(value);
                }
                _ => {}
            }
        }
    }

    fn copied(&mut self, function: FuncId, from: Operand, to: Reg) {
        let from = from.as_reg().map(|from| (function, from, false));
        let to = (function, to, false);
        self.copy.extend(from.map(|from| (from, to)));
    }

    fn called(&mut self, callee: FuncId, arguments: &[Operand], to: Value) {
        self.result.push((callee, to));
        for (position, argument) in (0..).zip(arguments) {
            let from = argument.as_reg().map(|from| (to.0, from, false));
            let place = (callee, position);
            self.argument.extend(from.map(|from| (place, (from, to))));
        }
    }
}
