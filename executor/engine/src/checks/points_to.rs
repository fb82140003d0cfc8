//! The points-to check: every dereference of a concrete pointer and every resolution of a symbolic
//! one must lead where [`crate::checks::prediction`] says.
//!
//! What counts is the register that the instruction takes its pointer from. A load or store
//! remembers the last object that was right, so that checking costs a comparison in the common
//! case. Accesses that belong to no operand (blocks that the kernel finds in memory, argument
//! areas) are no instruction's pointers, and are not looked at.

use crate::api::config::Config;
use crate::api::summary::Summary;
use crate::checks::prediction::{Checked, Class, Missing, Prediction, Violation};
use crate::executor::Executor;
use crate::hook::{
    Access, Accesses, Command, Hook, IndirectCall, Interest, MemoryAccess, Place, Resolved, Step,
    View,
};
use crate::state::State;
use crate::state::frame::Frame;
use plat_expr::{ExprId, ObjectId, Value};
use plat_memory::{AccessKind, Kind, Site};
use plat_program::{Callee, FuncId, GroupId, Inst, InstId, Operand, Program, Reg};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(program: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    let prediction = config.prediction.as_deref()?;
    Some(Box::new(PointsToCheck::new(program, prediction)))
}

/// No object has this number.
const NONE: ObjectId = ObjectId(u32::MAX);

/// What tells violations of one instruction apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wrong {
    Object(Option<Reg>, Site),
    Groups(Option<GroupId>, Option<GroupId>),
}

/// A prediction and what was found.
struct PointsToCheck<'a> {
    prediction: &'a Prediction,
    /// By instruction: the object that it was right about last.
    last: Vec<ObjectId>,
    /// By object: its class, as far as looked up.
    classes: Vec<Option<Option<Class>>>,
    dereferences: u64,
    resolutions: u64,
    violations: BTreeMap<(InstId, Wrong), Violation>,
}

impl Hook for PointsToCheck<'_> {
    fn name(&self) -> &str {
        "points-to check"
    }

    fn interest(&self) -> Interest {
        let kinds = Accesses {
            frees: false,
            ..Accesses::ALL
        };
        Interest::new()
            .watch_accesses(kinds)
            .resolutions()
            .indirect_calls()
    }

    #[inline]
    fn watch_access(&mut self, view: &View<'_, '_>, event: &MemoryAccess) {
        let Place::Known(object, offset) = event.place else {
            return;
        };
        self.dereferences += 1;
        if self.last[event.inst.index()] != object {
            self.check_dereference(view.exec, view.state, event.inst, (object, offset));
        }
    }

    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        if event.kind != AccessKind::Free {
            self.resolutions += 1;
            let objects = event.objects();
            self.check_objects(access, event, &objects);
            self.check_groups(access, event.address, &objects);
        }
        Ok(Command::Continue)
    }

    fn called_indirectly(
        &mut self,
        access: &mut Access<'_, '_>,
        event: &IndirectCall,
    ) -> Step<Command> {
        let frame = &access.state.frame;
        if let Some(Callee::Indirect(pointer)) = call_at(access.exec.program, frame)
            && let Some(reg) = pointer.as_reg()
        {
            let object = access.exec.code.function_objects[event.function.index()];
            self.check_in(access.exec, frame, &[reg], object, None);
        }
        Ok(Command::Continue)
    }

    fn finished(&mut self, _program: &Program, summary: &mut Summary) {
        summary.checked = Some(Checked {
            dereferences: self.dereferences,
            resolutions: self.resolutions,
            violations: std::mem::take(&mut self.violations).into_values().collect(),
        });
    }
}

/// The operands that an instruction takes pointers from.
fn pointers<'p>(program: &'p Program, function: FuncId, inst: &'p Inst) -> &'p [Operand] {
    match inst {
        Inst::Load { pointer, .. }
        | Inst::Store { pointer, .. }
        | Inst::AtomicRmw { pointer, .. }
        | Inst::CompareExchange { pointer, .. } => std::slice::from_ref(pointer),
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
            &program.function(function).call_args[call.args.range()]
        }
        _ => &[],
    }
}

/// The instruction that an activation stands at.
fn current<'p>(program: &'p Program, frame: &Frame) -> Option<&'p Inst> {
    let function = program.function(frame.function);
    function.insts.get(frame.pc as usize)
}

/// What is called where an activation stands, if it stands at a call.
fn call_at(program: &Program, frame: &Frame) -> Option<Callee> {
    match current(program, frame)? {
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => Some(call.callee),
        _ => None,
    }
}

/// The registers that an instruction takes pointers from and whose values are as asked for.
fn registers_of(
    exec: &Executor<'_>,
    frame: &Frame,
    asked: impl Fn(Value) -> bool,
) -> SmallVec<[Reg; 4]> {
    let Some(inst) = current(exec.program, frame) else {
        return SmallVec::new();
    };
    let operands = pointers(exec.program, frame.function, inst).iter();
    operands
        .filter_map(|operand| operand.as_reg())
        .filter(|&reg| asked(exec.register_of(frame, reg)))
        .collect()
}

impl<'a> PointsToCheck<'a> {
    /// Nothing is checked yet.
    fn new(program: &Program, prediction: &'a Prediction) -> Self {
        PointsToCheck {
            prediction,
            last: vec![NONE; program.inst_count()],
            classes: Vec::new(),
            dereferences: 0,
            resolutions: 0,
            violations: BTreeMap::new(),
        }
    }

    /// Checks an access through a concrete pointer that was in order.
    #[cold]
    #[inline(never)]
    fn check_dereference(
        &mut self,
        exec: &Executor<'_>,
        state: &State,
        inst: InstId,
        (object, offset): (ObjectId, i64),
    ) {
        let info = exec.memory.objects.get(object);
        if offset < 0 || offset.cast_unsigned() > info.size {
            // A constant table of distances: what is accessed is another object.
            return;
        }
        let frame = self.accountable(exec.program, state);
        let to_object = |value: Value| matches!(value, Value::Pointer(to, _) if to == object);
        let mut right = true;
        for reg in registers_of(exec, frame, to_object) {
            right &= self.check_in(exec, frame, &[reg], object, Some(offset));
        }
        let own = std::ptr::eq(frame, &state.frame);
        if right && own && call_at(exec.program, frame).is_none() {
            self.last[inst.index()] = object;
        }
    }

    /// The activation whose instruction answers for an access: the running one, or, inside a
    /// function that the analysis describes by what a call of it does, the one with that call.
    fn accountable<'s>(&self, program: &Program, state: &'s State) -> &'s Frame {
        const NESTED: usize = 8;
        let described = &self.prediction.described;
        let mut found = &state.frame;
        for (frame, caller) in state.stack().zip(state.callers.iter()).take(NESTED) {
            let described = described.get(frame.function.index()).copied();
            if described == Some(true)
                && matches!(call_at(program, caller), Some(Callee::Direct(_)))
            {
                found = caller;
            }
        }
        found
    }

    /// Checks that the set of one of these registers has the class of an object; notes a violation
    /// if not.
    fn check_in(
        &mut self,
        exec: &Executor<'_>,
        frame: &Frame,
        regs: &[Reg],
        object: ObjectId,
        offset: Option<i64>,
    ) -> bool {
        if self.foreseen(exec, frame.function, regs, object) {
            return true;
        }
        let inst = frame.inst(exec.program);
        let wrong = Wrong::Object(regs.first().copied(), exec.memory.objects.get(object).site);
        let names: Vec<String> = regs.iter().map(|reg| format!("%{}", reg.0)).collect();
        self.violated(exec.program, inst, wrong, || Missing::Object {
            pointer: names.join(" or "),
            object: object_text(exec, object),
            offset,
        });
        false
    }

    /// Whether the set of one of these registers has the class of an object.
    fn foreseen(
        &mut self,
        exec: &Executor<'_>,
        function: FuncId,
        regs: &[Reg],
        object: ObjectId,
    ) -> bool {
        let Some(class) = self.class_of(exec, object) else {
            return false;
        };
        regs.iter().any(|&reg| {
            let set = self.prediction.register(function, reg);
            set.binary_search(&class).is_ok()
        })
    }

    /// The class of an object; `None` if the prediction knows none.
    fn class_of(&mut self, exec: &Executor<'_>, object: ObjectId) -> Option<Class> {
        if self.classes.len() <= object.index() {
            self.classes.resize(object.index() + 1, None);
        }
        if let Some(known) = self.classes[object.index()] {
            return known;
        }
        let prediction = self.prediction;
        let class = match exec.memory.objects.get(object).site {
            Site::Inst(inst) => prediction.stack.get(&inst).copied(),
            Site::Call(_, string) => prediction.heap_class(exec.memory.contexts.calls(string)),
            Site::Frame(function) => prediction.frames.get(&function).copied(),
            Site::Global(global) => prediction.globals.get(global.index()).copied().flatten(),
            Site::Function(function) => {
                let known = prediction.functions.get(function.index());
                known.copied().flatten()
            }
            Site::Entry => prediction.entry,
        };
        self.classes[object.index()] = Some(class);
        class
    }

    /// Checks the objects that a symbolic pointer can lead to.
    fn check_objects(
        &mut self,
        access: &mut Access<'_, '_>,
        event: &Resolved<'_>,
        objects: &[ObjectId],
    ) {
        let program = access.exec.program;
        let frame = self.accountable(program, access.state);
        let mut regs = registers_of(access.exec, frame, |found| found == event.pointer);
        if regs.is_empty() && call_at(program, frame).is_some() {
            // A library function has moved the pointer: one of its arguments it was.
            regs = registers_of(access.exec, frame, |found| matches!(found, Value::Expr(_)));
        }
        if regs.is_empty() {
            return;
        }
        let function = frame.function;
        // What a described function keeps on its stack is its own business.
        let inner = access
            .state
            .stack()
            .take_while(|inner| !std::ptr::eq(*inner, frame));
        let own: Vec<ObjectId> = inner.flat_map(|inner| inner.allocas.clone()).collect();
        let unforeseen: Vec<ObjectId> = objects
            .iter()
            .copied()
            .filter(|object| !own.contains(object))
            .filter(|&object| !self.foreseen(access.exec, function, &regs, object))
            .collect();
        for object in unforeseen {
            if access.may_lead_to(event.address, object).unwrap_or(false) {
                let frame = self.accountable(program, access.state);
                self.check_in(access.exec, frame, &regs, object, None);
            }
        }
    }

    /// Checks that the heap objects that a symbolic pointer can lead to are in one group.
    fn check_groups(&mut self, access: &mut Access<'_, '_>, address: ExprId, objects: &[ObjectId]) {
        let program = access.exec.program;
        if !program.annotations.transformed {
            return;
        }
        let group =
            |state: &State, object| state.memory.object(object).and_then(|known| known.group);
        let heap: Vec<ObjectId> = objects
            .iter()
            .copied()
            .filter(|&object| access.exec.memory.objects.get(object).kind == Kind::Heap)
            .collect();
        let mut first: Option<ObjectId> = None;
        for &object in &heap {
            let differs = first.is_none_or(|first| {
                let (a, b) = (group(access.state, first), group(access.state, object));
                a != b || a.is_none()
            });
            let alone = heap.iter().all(|&other| {
                let (a, b) = (group(access.state, other), group(access.state, object));
                a == b && a.is_some()
            });
            if alone || !differs || !access.may_lead_to(address, object).unwrap_or(false) {
                continue;
            }
            let Some(before) = first else {
                first = Some(object);
                continue;
            };
            let inst = access.state.frame.inst(program);
            let groups = (group(access.state, before), group(access.state, object));
            let name = |group: Option<GroupId>| match group {
                Some(group) => format!("of group {}", group.0),
                None => "of no group".to_string(),
            };
            let text = |object| object_text(access.exec, object);
            self.violated(program, inst, Wrong::Groups(groups.0, groups.1), || {
                Missing::Groups {
                    first: format!("{} {}", text(before), name(groups.0)),
                    second: format!("{} {}", text(object), name(groups.1)),
                }
            });
            return;
        }
    }

    fn violated(
        &mut self,
        program: &Program,
        inst: InstId,
        wrong: Wrong,
        missing: impl FnOnce() -> Missing,
    ) {
        let entry = self.violations.entry((inst, wrong));
        let violation = entry.or_insert_with(|| {
            let (function, _) = program.position(inst);
            let location = program.location_of(inst);
            Violation {
                inst,
                function: program.function(function).name.clone(),
                file: location.file.clone(),
                line: location.line,
                missing: missing(),
                count: 0,
            }
        });
        violation.count += 1;
    }
}

/// An object in words, with where it comes from.
fn object_text(exec: &Executor<'_>, object: ObjectId) -> String {
    let program = exec.program;
    let info = exec.memory.objects.get(object);
    match info.site {
        Site::Inst(inst) => {
            let dst = program.inst(inst).dst();
            let name = dst.map_or_else(String::new, |reg| format!(" %{}", reg.0));
            format!("stack object{name} of {}", place_text(program, inst))
        }
        Site::Call(_, string) => {
            let calls = exec.memory.contexts.calls(string).iter();
            let calls: Vec<String> = calls.map(|&call| call_text(program, call)).collect();
            let size = info.size;
            format!("heap object ({size} bytes) from {}", calls.join(", from "))
        }
        Site::Frame(function) => {
            let name = &program.function(function).name;
            format!("the arguments in memory of {name}")
        }
        Site::Global(global) => format!("global {}", program.global(global).name),
        Site::Function(function) => {
            format!("function {}", program.function(function).name)
        }
        Site::Entry => "the program's arguments".to_string(),
    }
}

fn call_text(program: &Program, call: InstId) -> String {
    let callee = match program.inst(call) {
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
            Callee::Direct(callee) => program.function(callee).name.as_str(),
            _ => "a pointer",
        },
        _ => "code",
    };
    format!("{callee} in {}", place_text(program, call))
}

fn place_text(program: &Program, inst: InstId) -> String {
    let (function, _) = program.position(inst);
    let name = &program.function(function).name;
    let location = program.location_of(inst);
    match location.line {
        0 => name.clone(),
        line => format!("{name} ({}:{line})", location.file),
    }
}
