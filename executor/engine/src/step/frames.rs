//! Entering and leaving functions.

use crate::api::outcome::{FaultKind, Limit, PathEnd};
use crate::code::calls::CallPlan;
use crate::code::decoded::Slot;
use crate::code::decoded::{Decoded, Op, decode};
use crate::code::plans::{AllocaPlan, NOWHERE};
use crate::executor::Executor;
use crate::state::State;
use crate::state::frame::{BY_CALL, OnReturn};
use crate::state::stop::{Flow, Step};
use crate::values;
use plat_expr::{EvalMemo, Value};
use plat_memory::Cx;
use plat_program::{FuncId, Inst, Operand};
use std::rc::Rc;

/// Bytes that every frame has on the machine's stack.
const FRAME: u64 = 16;

/// Register vectors of a function that are kept for later calls.
const SPARE: usize = 64;

impl Executor<'_> {
    /// A stack object by a plan, if the fast path applies.
    #[inline(never)]
    pub(super) fn planned_object(&mut self, state: &mut State, plan: &AllocaPlan) -> bool {
        let room = self.stack_room(state);
        let free = room.and_then(|room| room.checked_sub(state.memory.stack_live()));
        if free.is_none_or(|free| plan.object.size() > free) {
            return false;
        }
        let (memory, mut cx) = self.memory(state);
        let object = memory.allocate_planned(&mut cx, &plan.object);
        if let Some(object) = object {
            state.frame.allocas.push(object);
            state.frame.regs[plan.dst as usize] = Value::Pointer(object, 0);
        }
        object.is_some()
    }

    /// A function in the form of the fast paths.
    #[inline]
    pub(crate) fn decoded(&mut self, function: FuncId) -> Rc<Decoded> {
        match &self.cache.decoded[function.index()] {
            Some(decoded) => Rc::clone(decoded),
            None => self.decode(function),
        }
    }

    #[cold]
    fn decode(&mut self, function: FuncId) -> Rc<Decoded> {
        let mut decoded = decode(
            &self.code,
            self.program,
            self.program.function(function),
            self.config.fast_paths,
        );
        self.hooks
            .mark(self.program.function(function), &mut decoded);
        if self.config.search.preemptions > 0 {
            decoded.leave_shared_accesses(self.program.function(function));
        }
        let decoded = Rc::new(decoded);
        self.cache.decoded[function.index()] = Some(Rc::clone(&decoded));
        decoded
    }

    /// A register vector for a function.
    #[inline(always)]
    pub(crate) fn registers(&mut self, callee: FuncId) -> Vec<Value> {
        match self.cache.spare_registers.of(callee).pop() {
            Some(registers) => registers,
            None => self.fresh_registers(callee),
        }
    }

    #[cold]
    #[inline(never)]
    fn fresh_registers(&mut self, callee: FuncId) -> Vec<Value> {
        self.decoded(callee).registers.clone()
    }

    /// Makes a new running frame above the current one.
    #[inline]
    pub(crate) fn push_frame(
        &mut self,
        state: &mut State,
        callee: FuncId,
        regs: Vec<Value>,
    ) -> Step<()> {
        may_panic!();
        if state.frames() >= self.config.limits.stack_frames {
            let what = format!("more than {} stack frames", self.config.limits.stack_frames);
            if self.config.start.as_klee {
                self.events.warn_once("Maximum stack size reached.");
            }
            return Err(PathEnd::Limit(Limit::StackFrames, what).into());
        }
        self.check_stack(state)?;
        (state.callers).enter(&mut state.frame, callee, regs, BY_CALL);
        Ok(())
    }

    /// The call or return at which a state stands, if it stands at one and a fast path applies: the state
    /// then stands in another frame.
    #[inline(always)]
    pub(super) fn fast_frame(&mut self, state: &mut State, decoded: &Decoded) -> bool {
        match decoded.ops[state.frame.pc as usize] {
            Op::Call { plan } => self.fast_call(state, decoded, plan),
            Op::Indirect { plan } => self.fast_indirect_call(state, decoded, plan),
            Op::Return { value } => self.fast_return(state, value),
            _ => false,
        }
    }

    /// A call of a function with a body, if the fast path applies: the state then stands at its beginning.
    #[inline(always)]
    pub(super) fn fast_call(&mut self, state: &mut State, decoded: &Decoded, plan: u32) -> bool {
        let (plan, arguments) = decoded.call(plan);
        self.enter_fast(state, plan, arguments)
    }

    /// The same through a pointer to a function that the call has reached before.
    #[inline(always)]
    pub(super) fn fast_indirect_call(
        &mut self,
        state: &mut State,
        decoded: &Decoded,
        plan: u32,
    ) -> bool {
        let plan = decoded.indirect(plan);
        let Value::Pointer(object, 0) = state.frame.regs[plan.pointer as usize] else {
            return false;
        };
        let Some(reached) = plan
            .find(object)
            .filter(|_| state.requests.aliases.is_empty())
        else {
            return false;
        };
        let arguments = decoded.arguments(reached.plan);
        if !self.enter_fast(state, reached.plan, arguments) {
            return false;
        }
        self.counters.indirect_calls.again(reached.way);
        true
    }

    /// Enters a function with a body, if nothing is in the way.
    #[inline(always)]
    fn enter_fast(&mut self, state: &mut State, plan: CallPlan, arguments: &[Slot]) -> bool {
        // `klee_alias_function` may have been called since the plan was made.
        if !self.code.functions[plan.callee.index()].plain
            || state.frames() >= self.config.limits.stack_frames
            || !self.has_stack(state)
        {
            return false;
        }
        let mut regs = self.registers(plan.callee);
        for (register, &slot) in regs.iter_mut().zip(arguments) {
            // By parts, as everything that is written by parts.
            match state.frame.regs[slot as usize] {
                Value::Int(word) => *register = Value::Int(word),
                Value::Pointer(object, offset) => *register = Value::Pointer(object, offset),
                other => *register = other,
            }
        }
        (state.callers).enter(&mut state.frame, plan.callee, regs, plan.result);
        true
    }

    /// A return to a caller that has said where the result goes: the state then stands behind the
    /// call.
    #[inline(always)]
    pub(super) fn fast_return(&mut self, state: &mut State, value: Slot) -> bool {
        let result = state.frame.result;
        if result == BY_CALL
            || state.frame.on_return != OnReturn::Call
            || (result != NOWHERE && value == NOWHERE)
        {
            return false;
        }
        let value = match value {
            NOWHERE => Value::Int(0),
            slot => state.frame.regs[slot as usize],
        };
        if !state.frame.allocas.is_empty() {
            self.release_stack(state, 0);
        }
        let callee = state.frame.function;
        let Some(registers) = state.callers.leave(&mut state.frame) else {
            return false;
        };
        self.keep_registers(callee, registers);
        if state.frame.compact {
            self.expand(&mut state.frame);
        }
        if result != NOWHERE {
            state.frame.regs[result as usize] = value;
        }
        state.frame.pc += 1;
        true
    }

    /// Bytes that there may be in stack objects of the frames that there are; none if more is to be
    /// done for such objects than to make them.
    #[inline(always)]
    pub(super) fn stack_room(&self, state: &State) -> Option<u64> {
        let frames = FRAME * u64::from(state.frames());
        let room = self.config.limits.stack.checked_sub(frames)?;
        (!self.hooks.allocations).then_some(room)
    }

    /// Whether the stack has room for what is on it.
    #[inline(always)]
    fn has_stack(&self, state: &State) -> bool {
        let least = state.memory.stack_live() + FRAME * u64::from(state.frames());
        least <= self.config.limits.stack
    }

    /// Keeps a register vector of a function for later calls.
    #[inline(always)]
    pub(crate) fn keep_registers(&mut self, function: FuncId, registers: Vec<Value>) {
        let spare = self.cache.spare_registers.of(function);
        if spare.len() < SPARE {
            spare.push(registers);
        }
    }

    /// Whether the stack has room for what is on it: on the machine a frame takes at least what its
    /// objects take, a return address and a saved register.
    #[inline]
    pub(crate) fn check_stack(&self, state: &State) -> Step<()> {
        if self.has_stack(state) {
            return Ok(());
        }
        Err(PathEnd::fault(FaultKind::Pointer, "memory error: stack overflow").into())
    }

    /// Ends the lifetime of the running frame's stack objects from position `from` on.
    pub(crate) fn release_stack(&mut self, state: &mut State, from: usize) {
        may_panic!();
        let at = state.frame.inst(self.program);
        let mut cx = Cx {
            pool: &mut self.pool,
            oracle: &mut self.solving.oracle,
            pc: &state.constraints,
            objects: &mut self.memory.objects,
            at: None,
            stats: &mut self.memory.stats,
        };
        // What is restored out of order may lie above the top.
        let from = from.min(state.frame.allocas.len());
        for object in state.frame.allocas.drain(from..).rev() {
            state.memory.release(&mut cx, object, at);
        }
    }

    /// `return value`.
    #[inline]
    pub(super) fn return_from(&mut self, state: &mut State, value: Option<Operand>) -> Step<Flow> {
        may_panic!();
        let mut value = value.map(|value| self.operand(state, value));
        let function = state.frame.function;
        if !state.aside.pushed.is_empty() {
            self.returns_with_pushed(state)?;
        }
        if self.code.functions[function.index()].intercepted {
            let ret = self.program.function(function).ret;
            value = self.tell_return(state, function, value, ret)?.or(value);
        }
        if state.frame.on_return == OnReturn::End {
            if state.others.processes.is_some() {
                let status = value.unwrap_or(Value::Int(0));
                return self.process_exits(state, status).map(|_| Flow::Frame);
            }
            let code = value.map_or(0, |value| self.sample(state, value));
            state.history.exit_value = value;
            return Err(PathEnd::Returned(code as i32).into());
        }
        if !state.frame.allocas.is_empty() {
            self.release_stack(state, 0);
        }
        let on_return = state.frame.on_return;
        let Some(registers) = state.callers.leave(&mut state.frame) else {
            return Err(PathEnd::internal("no caller").into());
        };
        self.keep_registers(function, registers);
        self.expand(&mut state.frame);
        match on_return {
            OnReturn::Resume => {}
            OnReturn::Describe => state.exceptions.say(value),
            OnReturn::Call | OnReturn::End => self.deliver(state, function, value),
        }
        Ok(Flow::Frame)
    }

    /// Gives the result of a call to the caller, which goes on behind the call.
    #[inline]
    fn deliver(&mut self, state: &mut State, callee: FuncId, value: Option<Value>) {
        let program = self.program;
        let function = program.function(state.frame.function);
        let (dst, call, normal) = match function.insts[state.frame.pc as usize] {
            Inst::Call { dst, call } => (dst, call, None),
            Inst::Invoke {
                dst, call, normal, ..
            } => (dst, call, Some(normal)),
            _ => return,
        };
        if let Some(dst) = dst {
            let ret = program.function(callee).ret;
            let value = match value {
                Some(value) if ret == call.ret => value,
                Some(value) => self.adapted(value, self.code.ty(ret).bits, call.ret),
                None => self.code.zero(program, &mut self.pool, call.ret),
            };
            state.frame.regs[dst.index()] = value;
        }
        match normal {
            Some(edge) => self.take_edge(state, function, edge),
            None => state.frame.pc += 1,
        }
    }

    /// The end of a program that asks to exit with a status.
    pub(crate) fn exited(&mut self, state: &mut State, status: Value) -> PathEnd {
        state.history.exit_value = Some(status);
        PathEnd::Exited(self.sample(state, status) as i32)
    }

    /// A number that a scalar can have on this path: under the path's model, without a constraint.
    pub(crate) fn sample(&mut self, state: &State, value: Value) -> u64 {
        may_panic!();
        if let Some(number) = values::number(&self.pool, value) {
            return number;
        }
        let Value::Expr(expr) = value else {
            return 0;
        };
        let expr = self.pool.number(expr);
        let mut memo = EvalMemo::default();
        self.pool.eval(expr, state.constraints.model(), &mut memo)
    }
}
