//! Memory leaks at the end of a path, as an option: heap objects that can be reached from nothing.
//!
//! What can be reached is found as the leak sanitizer finds it: from variables, what is on the
//! stack, and registers, through words that are addresses of objects or of something in them,
//! under the values of the path's model, and so of its test case.

use crate::api::config::Config;
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::executor::Executor;
use crate::hook::{Access, AcrossWorkers, EndCommand, Hook, Interest, Step};
use crate::library::allocates;
use crate::state::State;
use crate::values;
use plat_expr::{EvalMemo, ObjectId, Value};
use plat_memory::{Kind, Site};
use plat_program::{Callee, Inst, InstId, Program};
use rustc_hash::FxHashSet;

/// Leaked objects that a report lists.
const LISTED: usize = 16;

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(_: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    (config.checks.leaks).then(|| Box::new(LeakCheck) as Box<dyn Hook>)
}

/// Ends paths that leave objects behind in a fault.
struct LeakCheck;

impl Hook for LeakCheck {
    fn name(&self) -> &str {
        "leak check"
    }

    fn interest(&self) -> Interest {
        // An object may be reached through a register that the program does not read any more.
        Interest::new().ends().all_registers()
    }

    fn ended(&mut self, access: &mut Access<'_, '_>, end: &PathEnd) -> Step<EndCommand> {
        if !end.is_complete() {
            return Ok(EndCommand::Keep);
        }
        access.exec.take_least_model(access.state);
        let leaks = access.exec.leaks(access.state);
        Ok(leaks.map_or(EndCommand::Keep, EndCommand::Replace))
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}

impl Executor<'_> {
    /// The fault that a path ends in which leaves objects behind.
    fn leaks(&mut self, state: &State) -> Option<PathEnd> {
        let leaked = self.leaked(state);
        let &first = leaked.first()?;
        let mut info: Vec<String> = Vec::new();
        for &object in leaked.iter().take(LISTED) {
            let known = self.memory.objects.get(object);
            let site = self.describe_site(known.site);
            info.push(format!("leaked: {} bytes, allocated at {site}", known.size));
        }
        if leaked.len() > LISTED {
            info.push(format!("and {} more", leaked.len() - LISTED));
        }
        Some(PathEnd::Fault(Fault {
            info,
            at: self.allocating_call(first),
            ..Fault::new(FaultKind::Leak, "memory error: memory leak detected")
        }))
    }

    /// The leaked objects; first those that no other leaked object leads to.
    fn leaked(&mut self, state: &State) -> Vec<ObjectId> {
        let live: Vec<ObjectId> = state.memory.live().collect();
        let mut memo = EvalMemo::default();
        let mut reached = FxHashSet::default();
        let mut queue: Vec<ObjectId> = Vec::new();
        for frame in state.stacks() {
            for &value in &frame.regs {
                queue.extend(self.object_of(state, value, &mut memo));
            }
        }
        let kinds = |object: &ObjectId| self.memory.objects.get(*object).kind;
        let (heap, mut others): (Vec<_>, Vec<_>) =
            live.into_iter().partition(|one| kinds(one) == Kind::Heap);
        others.retain(|one| matches!(kinds(one), Kind::Global | Kind::Stack));
        queue.extend(others);
        self.reach(state, queue, &mut reached, &mut memo);
        let mut leaked: Vec<ObjectId> = heap
            .into_iter()
            .filter(|object| !reached.contains(object) && self.is_allocated(*object))
            .collect();
        let mut indirect = FxHashSet::default();
        for &object in &leaked {
            for next in self.referred(state, object, &mut memo) {
                if next != object {
                    indirect.insert(next);
                }
            }
        }
        leaked.sort_by_key(|object| indirect.contains(object));
        leaked
    }

    /// Adds to `reached` the live objects that can be reached from those in `queue`.
    fn reach(
        &mut self,
        state: &State,
        mut queue: Vec<ObjectId>,
        reached: &mut FxHashSet<ObjectId>,
        memo: &mut EvalMemo,
    ) {
        while let Some(object) = queue.pop() {
            if reached.insert(object) {
                queue.extend(self.referred(state, object, memo));
            }
        }
    }

    /// The live objects that the words of an object are addresses in.
    fn referred(&mut self, state: &State, object: ObjectId, memo: &mut EvalMemo) -> Vec<ObjectId> {
        let info = *self.memory.objects.get(object);
        let first = info.number.wrapping_neg() % 8;
        let mut found = Vec::new();
        for at in (first..info.size.saturating_sub(7)).step_by(8) {
            let word = state.memory.load(
                &mut self.pool,
                &self.memory.objects,
                object,
                at.cast_signed(),
                64,
            );
            if let Ok(word) = word {
                found.extend(self.object_of(state, word, memo));
            }
        }
        found
    }

    /// The live heap object that a value is an address in.
    fn object_of(&mut self, state: &State, value: Value, memo: &mut EvalMemo) -> Option<ObjectId> {
        let object = match value {
            Value::Pointer(object, _) => object,
            Value::Expr(expr) if self.pool.width(expr) == 64 => {
                let expr = self.pool.number(expr);
                let number = self.pool.eval(expr, state.constraints.model(), memo);
                state.memory.find(number)?.0
            }
            Value::Expr(_) | Value::Aggregate(_) => return None,
            Value::Int(_) => {
                let number = values::number(&self.pool, value)?;
                state.memory.find(number)?.0
            }
        };
        let heap = self.memory.objects.get(object).kind == Kind::Heap;
        let live = state.memory.object(object).is_some_and(|known| known.live);
        (heap && live).then_some(object)
    }

    /// Whether an object comes from an allocation function, and not from a system call.
    fn is_allocated(&self, object: ObjectId) -> bool {
        let Site::Call(inst, _) = self.memory.objects.get(object).site else {
            return false;
        };
        match self.program.inst(inst) {
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
                Callee::Direct(callee) => allocates(&self.program.function(callee).name),
                _ => true,
            },
            _ => false,
        }
    }

    /// The call outside the C library by which an object was allocated.
    fn allocating_call(&self, object: ObjectId) -> Option<InstId> {
        let Site::Call(inst, string) = self.memory.objects.get(object).site else {
            return None;
        };
        let mut calls = self.memory.contexts.calls(string).iter().copied();
        let own = |call: &InstId| {
            let (function, _) = self.program.position(*call);
            !self.code.functions[function.index()].library
        };
        calls.find(own).or(Some(inst))
    }
}
