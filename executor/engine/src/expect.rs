//! Holding a run against a prediction: every dereference of a concrete pointer and every
//! resolution of a symbolic one must lead where [`crate::prediction`] says.
//!
//! What counts is the register that the instruction takes its pointer from. A load or store
//! remembers the last object that was right, so that checking costs a comparison in the common
//! case. Accesses that belong to no operand (blocks that the kernel finds in memory, argument
//! areas) are no instruction's pointers, and are not looked at.

use crate::engine::Engine;
use crate::frame::Frame;
use crate::prediction::{Checked, Class, Lacking, Prediction, Violation};
use crate::state::State;
use plat_expr::{ExprId, ObjectId, Value};
use plat_memory::{Kind, Outcome, Site};
use plat_program::{Callee, FuncId, GroupId, Inst, InstId, Operand, Program, Reg};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// No object has this number.
const NONE: ObjectId = ObjectId(u32::MAX);

/// What tells violations of one instruction apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Wrong {
    Object(Option<Reg>, Site),
    Groups(Option<GroupId>, Option<GroupId>),
}

/// A prediction and what was found.
#[derive(Debug)]
pub(crate) struct Check<'a> {
    prediction: &'a Prediction,
    /// By instruction: the object that it was right about last.
    last: Vec<ObjectId>,
    /// By object: its class, as far as looked up.
    classes: Vec<Option<Option<Class>>>,
    dereferences: u64,
    resolutions: u64,
    violations: BTreeMap<(InstId, Wrong), Violation>,
}

impl<'a> Check<'a> {
    /// Nothing is checked yet.
    pub fn new(program: &Program, prediction: &'a Prediction) -> Self {
        Check {
            prediction,
            last: vec![NONE; program.inst_count()],
            classes: Vec::new(),
            dereferences: 0,
            resolutions: 0,
            violations: BTreeMap::new(),
        }
    }

    /// What it has come to.
    pub fn result(self) -> Checked {
        Checked {
            dereferences: self.dereferences,
            resolutions: self.resolutions,
            violations: self.violations.into_values().collect(),
        }
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

impl<'a> Engine<'a> {
    /// Checks an access through a concrete pointer that was in order.
    #[inline(always)]
    pub(crate) fn expect(&mut self, state: &State, pointer: (ObjectId, i64)) {
        if let Some(check) = &mut self.check {
            let inst = state.frame.inst(self.program);
            check.dereferences += 1;
            if check.last[inst.index()] != pointer.0 {
                self.expect_object(state, inst, pointer);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn expect_object(&mut self, state: &State, inst: InstId, pointer: (ObjectId, i64)) {
        let (object, offset) = pointer;
        let info = self.objects.get(object);
        if offset < 0 || offset.cast_unsigned() > info.size {
            // A constant table of distances: what is accessed is another object.
            return;
        }
        let frame = self.accountable(state);
        let to_object = |value: Value| matches!(value, Value::Pointer(to, _) if to == object);
        let mut right = true;
        for reg in self.registers_of(frame, to_object) {
            right &= self.expect_in(frame, &[reg], object, Some(offset));
        }
        let own = std::ptr::eq(frame, &state.frame);
        if right
            && own
            && self.call_at(frame).is_none()
            && let Some(check) = &mut self.check
        {
            check.last[inst.index()] = object;
        }
    }

    /// The activation whose instruction answers for an access: the running one, or, inside a
    /// function that the analysis describes by what a call of it does, the one with that call.
    fn accountable<'s>(&self, state: &'s State) -> &'s Frame {
        const NESTED: usize = 8;
        let Some(check) = &self.check else {
            return &state.frame;
        };
        let described = &check.prediction.described;
        let mut found = &state.frame;
        for (frame, caller) in state.stack().zip(state.callers.iter()).take(NESTED) {
            let described = described.get(frame.function.index()).copied();
            if described == Some(true) && matches!(self.call_at(caller), Some(Callee::Direct(_))) {
                found = caller;
            }
        }
        found
    }

    /// The instruction that an activation stands at.
    fn current(&self, frame: &Frame) -> Option<&'a Inst> {
        let program: &'a Program = self.program;
        let function = program.function(frame.function);
        function.insts.get(frame.pc as usize)
    }

    /// What is called where an activation stands, if it stands at a call.
    fn call_at(&self, frame: &Frame) -> Option<Callee> {
        match self.current(frame)? {
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => Some(call.callee),
            _ => None,
        }
    }

    /// The registers that an instruction takes pointers from and whose values are as asked for.
    fn registers_of(&self, frame: &Frame, asked: impl Fn(Value) -> bool) -> SmallVec<[Reg; 4]> {
        let Some(inst) = self.current(frame) else {
            return SmallVec::new();
        };
        let operands = pointers(self.program, frame.function, inst).iter();
        operands
            .filter_map(|operand| operand.as_reg())
            .filter(|&reg| asked(self.register_of(frame, reg)))
            .collect()
    }

    /// Checks that the set of one of these registers has the class of an object; notes a violation
    /// if not.
    fn expect_in(
        &mut self,
        frame: &Frame,
        regs: &[Reg],
        object: ObjectId,
        offset: Option<i64>,
    ) -> bool {
        if self.foreseen(frame.function, regs, object) {
            return true;
        }
        let inst = frame.inst(self.program);
        let wrong = Wrong::Object(regs.first().copied(), self.objects.get(object).site);
        let names: Vec<String> = regs.iter().map(|reg| format!("%{}", reg.0)).collect();
        self.violated(inst, wrong, |engine| Lacking::Object {
            pointer: names.join(" or "),
            object: engine.object_text(object),
            offset,
        });
        false
    }

    /// Whether the set of one of these registers has the class of an object.
    fn foreseen(&mut self, function: FuncId, regs: &[Reg], object: ObjectId) -> bool {
        let Some(prediction) = self.check.as_ref().map(|check| check.prediction) else {
            return true;
        };
        let Some(class) = self.class_of(object) else {
            return false;
        };
        regs.iter().any(|&reg| {
            let set = prediction.register(function, reg);
            set.binary_search(&class).is_ok()
        })
    }

    /// The class of an object; `None` if the prediction knows none.
    fn class_of(&mut self, object: ObjectId) -> Option<Class> {
        let check = self.check.as_mut()?;
        if check.classes.len() <= object.index() {
            check.classes.resize(object.index() + 1, None);
        }
        if let Some(known) = check.classes[object.index()] {
            return known;
        }
        let prediction = check.prediction;
        let class = match self.objects.get(object).site {
            Site::Inst(inst) => prediction.stack.get(&inst).copied(),
            Site::Call(_, string) => prediction.heap_class(self.contexts.calls(string)),
            Site::Frame(function) => prediction.frames.get(&function).copied(),
            Site::Global(global) => prediction.globals.get(global.index()).copied().flatten(),
            Site::Function(function) => {
                let known = prediction.functions.get(function.index());
                known.copied().flatten()
            }
            Site::Entry => prediction.entry,
        };
        check.classes[object.index()] = Some(class);
        class
    }

    /// Checks the function that a call through a pointer reaches.
    pub(crate) fn expect_callee(&mut self, state: &State, pointer: Operand, callee: FuncId) {
        if self.check.is_none() {
            return;
        }
        if let Some(reg) = pointer.as_reg() {
            let object = self.code.function_objects[callee.index()];
            self.expect_in(&state.frame, &[reg], object, None);
        }
    }

    /// Looks at the resolution of a pointer: checks it, and notes what it confuses.
    pub(crate) fn watch(
        &mut self,
        state: &mut State,
        value: Value,
        pointer: ExprId,
        outcomes: &[Outcome],
    ) {
        let targets = outcomes.iter().flat_map(|outcome| outcome.then.iter());
        let mut objects: Vec<ObjectId> = targets
            .flatten()
            .flat_map(|target| target.objects.iter().copied())
            .collect();
        objects.sort_unstable();
        objects.dedup();
        self.note_confusion(state, pointer, &objects);
        if let Some(check) = &mut self.check {
            check.resolutions += 1;
            self.expect_objects(state, value, pointer, &objects);
            self.expect_one_group(state, pointer, &objects);
        }
    }

    /// Checks the objects that a symbolic pointer can lead to.
    fn expect_objects(
        &mut self,
        state: &mut State,
        value: Value,
        pointer: ExprId,
        objects: &[ObjectId],
    ) {
        let frame = self.accountable(state);
        let mut regs = self.registers_of(frame, |found| found == value);
        if regs.is_empty() && self.call_at(frame).is_some() {
            // A library function has moved the pointer: one of its arguments it was.
            regs = self.registers_of(frame, |found| matches!(found, Value::Expr(_)));
        }
        if regs.is_empty() {
            return;
        }
        let function = frame.function;
        // What a described function keeps on its stack is its own business.
        let inner = state
            .stack()
            .take_while(|inner| !std::ptr::eq(*inner, frame));
        let own: Vec<ObjectId> = inner.flat_map(|inner| inner.allocas.clone()).collect();
        let unforeseen: Vec<ObjectId> = objects
            .iter()
            .copied()
            .filter(|object| !own.contains(object))
            .filter(|&object| !self.foreseen(function, &regs, object))
            .collect();
        for object in unforeseen {
            if self.leads_to(state, pointer, object).unwrap_or(false) {
                let frame = self.accountable(state);
                self.expect_in(frame, &regs, object, None);
            }
        }
    }

    /// Checks that the heap objects that a symbolic pointer can lead to are in one group.
    fn expect_one_group(&mut self, state: &mut State, pointer: ExprId, objects: &[ObjectId]) {
        if !self.program.annotations.transformed {
            return;
        }
        let group =
            |state: &State, object| state.memory.object(object).and_then(|known| known.group);
        let heap: Vec<ObjectId> = objects
            .iter()
            .copied()
            .filter(|&object| self.objects.get(object).kind == Kind::Heap)
            .collect();
        let mut first: Option<ObjectId> = None;
        for &object in &heap {
            let differs = first.is_none_or(|first| {
                let (a, b) = (group(state, first), group(state, object));
                a != b || a.is_none()
            });
            let alone = heap.iter().all(|&other| {
                let (a, b) = (group(state, other), group(state, object));
                a == b && a.is_some()
            });
            if alone || !differs || !self.leads_to(state, pointer, object).unwrap_or(false) {
                continue;
            }
            let Some(before) = first else {
                first = Some(object);
                continue;
            };
            let inst = state.frame.inst(self.program);
            let groups = (group(state, before), group(state, object));
            let name = |group: Option<GroupId>| match group {
                Some(group) => format!("of group {}", group.0),
                None => "of no group".to_string(),
            };
            self.violated(inst, Wrong::Groups(groups.0, groups.1), |engine| {
                Lacking::Groups {
                    first: format!("{} {}", engine.object_text(before), name(groups.0)),
                    second: format!("{} {}", engine.object_text(object), name(groups.1)),
                }
            });
            return;
        }
    }

    fn violated(&mut self, inst: InstId, wrong: Wrong, lacking: impl FnOnce(&Self) -> Lacking) {
        let Some(check) = &mut self.check else {
            return;
        };
        if let Some(known) = check.violations.get_mut(&(inst, wrong)) {
            known.count += 1;
        } else {
            let (function, _) = self.program.position(inst);
            let location = self.program.location_of(inst);
            let violation = Violation {
                inst,
                function: self.program.function(function).name.clone(),
                file: location.file.clone(),
                line: location.line,
                lacking: lacking(self),
                count: 1,
            };
            if let Some(check) = &mut self.check {
                check.violations.insert((inst, wrong), violation);
            }
        }
    }

    /// An object in words, with where it comes from.
    fn object_text(&self, object: ObjectId) -> String {
        let info = self.objects.get(object);
        match info.site {
            Site::Inst(inst) => {
                let dst = self.program.inst(inst).dst();
                let name = dst.map_or_else(String::new, |reg| format!(" %{}", reg.0));
                format!("stack object{name} of {}", self.place_text(inst))
            }
            Site::Call(_, string) => {
                let calls = self.contexts.calls(string).iter();
                let calls: Vec<String> = calls.map(|&call| self.call_text(call)).collect();
                let size = info.size;
                format!("heap object ({size} bytes) from {}", calls.join(", from "))
            }
            Site::Frame(function) => {
                let name = &self.program.function(function).name;
                format!("the arguments in memory of {name}")
            }
            Site::Global(global) => format!("global {}", self.program.global(global).name),
            Site::Function(function) => {
                format!("function {}", self.program.function(function).name)
            }
            Site::Entry => "the program's arguments".to_string(),
        }
    }

    fn call_text(&self, call: InstId) -> String {
        let callee = match self.program.inst(call) {
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
                Callee::Direct(callee) => self.program.function(callee).name.as_str(),
                _ => "a pointer",
            },
            _ => "code",
        };
        format!("{callee} in {}", self.place_text(call))
    }

    fn place_text(&self, inst: InstId) -> String {
        let (function, _) = self.program.position(inst);
        let name = &self.program.function(function).name;
        let location = self.program.location_of(inst);
        match location.line {
            0 => name.clone(),
            line => format!("{name} ({}:{line})", location.file),
        }
    }
}
