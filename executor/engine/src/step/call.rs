//! Calls: whom they reach, and with what arguments.
//!
//! A mismatch in number or width of arguments is tolerated as the machine tolerates it: missing
//! arguments are zero, superfluous ones are ignored, words are cut or zero-extended.

use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::code::calls::{CallPlan, NativePlan, Reached};
use crate::code::decoded::Op;
use crate::code::native::When;
use crate::code::plans::{self, NOWHERE};
use crate::executor::{Executor, Invocation, Reply};
use crate::hook::IndirectCall;
use crate::run::start::START;
use crate::state::State;
use crate::state::frame::BY_CALL;
use crate::state::stop::{Flow, Step, fault, internal};
use crate::step::varargs::Variadic;
use crate::values;
use plat_expr::{ExprId, IntPredicate, Value};
use plat_memory::Site;
use plat_program::{Call, Callee, Constant, FuncId, Function, Inst, Operand, Reg, TypeId};
use smallvec::SmallVec;

/// So many arguments are kept without an allocation.
const FEW: usize = 4;

/// The arguments of a call.
pub(crate) type Arguments = SmallVec<[Value; 8]>;

impl Executor<'_> {
    /// A call or invoke.
    #[inline(always)]
    pub(super) fn call(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Option<Reg>,
        call: &Call,
    ) -> Step<Flow> {
        if let Callee::Direct(callee) = call.callee
            && self.code.functions[callee.index()].plain
        {
            return self.call_plain(state, function, callee, call);
        }
        self.call_other(state, function, dst, call)
    }

    /// A call of a function that has a body and takes its arguments as they are.
    fn call_plain(
        &mut self,
        state: &mut State,
        function: &Function,
        callee: FuncId,
        call: &Call,
    ) -> Step<Flow> {
        may_panic!();
        let target = self.program.function(callee);
        let mut registers = self.registers(callee);
        let operands = &function.call_args[call.args.range()];
        for (at, &param) in target.params.iter().enumerate() {
            registers[at] = match operands.get(at) {
                Some(&operand) => self.argument(state, function, operand, param),
                None => Value::Int(0),
            };
        }
        let result = match function.insts[state.frame.pc as usize] {
            Inst::Call { dst: None, .. } => NOWHERE,
            Inst::Call { dst: Some(dst), .. } if target.ret == call.ret => dst.0,
            _ => BY_CALL,
        };
        self.push_frame(state, callee, registers)?;
        state.frame.result = result;
        Ok(Flow::Frame)
    }

    /// The value of an argument operand as a parameter of type `param`.
    #[inline(always)]
    fn argument(
        &mut self,
        state: &State,
        function: &Function,
        operand: Operand,
        param: TypeId,
    ) -> Value {
        let value = self.operand(state, operand);
        match operand.as_reg() {
            Some(reg) if function.reg_types[reg.index()] == param => value,
            _ => self.adapted(value, self.operand_bits(function, operand), param),
        }
    }

    /// A value of `from` bits as type `to`; values that are no scalars stay what they are.
    pub(crate) fn adapted(&mut self, value: Value, from: u32, to: TypeId) -> Value {
        let bits = self.code.ty(to).bits;
        if from == 0 || bits == 0 || from == bits || matches!(value, Value::Aggregate(_)) {
            return value;
        }
        values::resize(&mut self.pool, value, from, bits)
    }

    /// Width of a scalar operand; 0 of others.
    pub(crate) fn operand_bits(&self, function: &Function, operand: Operand) -> u32 {
        plans::operand_bits(&self.code, self.program, function, operand)
    }

    /// Type of an operand that is a register, a structure or a vector.
    pub(super) fn operand_type(&self, function: &Function, operand: Operand) -> Option<TypeId> {
        if let Some(reg) = operand.as_reg() {
            return Some(function.reg_types[reg.index()]);
        }
        match self.program.constant(operand.as_constant()?) {
            Constant::Aggregate(ty, _) | Constant::Undef(ty) => Some(*ty),
            Constant::Poison(ty) | Constant::Zero(ty) => Some(*ty),
            _ => None,
        }
    }

    #[inline(never)]
    fn call_other(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Option<Reg>,
        call: &Call,
    ) -> Step<Flow> {
        may_panic!();
        let callee = match call.callee {
            Callee::Direct(callee) => callee,
            Callee::Indirect(pointer) => {
                let callee = self.function_behind(state, pointer)?;
                if !self.hooks.bound.called_indirectly.is_empty() {
                    let pointer = self.operand(state, pointer);
                    self.tell_indirect_call(
                        state,
                        &IndirectCall {
                            pointer,
                            function: callee,
                        },
                    )?;
                }
                let way = (state.frame.inst(self.program), callee);
                if !self.counters.indirect_calls.knows(way) {
                    // The program's start calls whatever the run is to begin with.
                    let begins = function.name == START;
                    if !begins && !self.program.function(callee).declaration {
                        self.check_call(function, dst, call, callee)?;
                    }
                }
                let way = self.counters.indirect_calls.add(way, 1);
                self.remember_callee(state, function, way, callee);
                callee
            }
            Callee::Asm(text) => {
                return self.assembly(state, function, dst, call, text);
            }
        };
        let callee = match state
            .requests
            .aliases
            .iter()
            .find(|alias| alias.0 == callee)
        {
            Some(&(_, stand_in)) => stand_in,
            None => callee,
        };
        let code = &self.code.functions[callee.index()];
        if code.plain {
            return self.call_plain(state, function, callee, call);
        }
        if code.intercepted {
            return self.intercepted_call(state, function, dst, call, callee);
        }
        let operands = &function.call_args[call.args.range()];
        let target = self.program.function(callee);
        if let Some(native) = code.native
            && (native.when == When::Always || target.declaration)
            && let Some(run) = self.cache.natives.of(callee)
        {
            let (mut args, mut widths) = (Arguments::new(), SmallVec::<[u32; 8]>::new());
            for &operand in operands {
                args.push(self.operand(state, operand));
                widths.push(self.operand_bits(function, operand));
            }
            let invocation = Invocation {
                callee,
                args: &args,
                widths: &widths,
                ret: call.ret,
            };
            let reply = run(self, state, &invocation)?;
            if let Some(flow) = self.answered(state, dst, call, reply) {
                return Ok(flow);
            }
        }
        self.call_body(state, function, dst, call, callee)
    }

    /// Remembers at a call through a pointer which function it has reached, for the fast path.
    fn remember_callee(&mut self, state: &State, function: &Function, way: u32, callee: FuncId) {
        let at = state.frame.pc as usize;
        let decoded = self.decoded(function.id);
        let object = self.code.function_objects[callee.index()];
        let leads = self.code.function_at(&self.pool, Value::Pointer(object, 0));
        let Op::Indirect { plan } = decoded.ops[at] else {
            return;
        };
        let indirect = decoded.indirect(plan);
        // Somebody watches where calls lead, or the pointer is to be told from others.
        if !self.hooks.bound.called_indirectly.is_empty()
            || leads != Some(callee)
            || indirect.find(object).is_some()
        {
            return;
        }
        let inst = &function.insts[at];
        let plan = CallPlan::of(&self.code, self.program, function, inst, callee);
        if let Some((mut plan, count)) = plan {
            plan.args = (indirect.args.0, count as u32);
            indirect.remember(Reached { object, plan, way });
        }
    }

    /// A call that the executor carries out itself, its operands known.
    #[inline(never)]
    pub(super) fn call_native(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Option<Reg>,
        call: &Call,
        plan: &NativePlan,
    ) -> Step<Flow> {
        may_panic!();
        let regs = &state.frame.regs;
        let (mut few, many);
        let args = if plan.args.len() <= FEW {
            few = [Value::Int(0); FEW];
            for (arg, &slot) in few.iter_mut().zip(&plan.args) {
                *arg = regs[slot as usize];
            }
            &few[..plan.args.len()]
        } else {
            let all = plan.args.iter().map(|&slot| regs[slot as usize]);
            many = all.collect::<Vec<Value>>();
            &many
        };
        let invocation = Invocation {
            callee: plan.callee,
            args,
            widths: &plan.widths,
            ret: call.ret,
        };
        let Some(run) = self.cache.natives.of(plan.callee) else {
            return internal("a plan for a function that is no native one");
        };
        let reply = run(self, state, &invocation)?;
        if let (Reply::Value(value), Some(dst)) = (reply, dst) {
            state.frame.regs[dst.index()] = value;
            return Ok(Flow::Next);
        }
        match self.answered(state, dst, call, reply) {
            Some(flow) => Ok(flow),
            None => self.call_body(state, function, dst, call, plan.callee),
        }
    }

    /// What comes of the reply to a call; `None` if the function's body is to carry it out.
    pub(crate) fn answered(
        &mut self,
        state: &mut State,
        dst: Option<Reg>,
        call: &Call,
        reply: Reply,
    ) -> Option<Flow> {
        let value = match reply {
            Reply::Value(value) => Some(value),
            Reply::Nothing => dst.map(|_| self.code.zero(self.program, &mut self.pool, call.ret)),
            Reply::Transferred => return Some(Flow::Frame),
            Reply::Forked => return Some(Flow::Forked),
            Reply::Body => return None,
        };
        if let (Some(dst), Some(value)) = (dst, value) {
            state.frame.regs[dst.index()] = value;
        }
        Some(self.behind_call(state))
    }

    /// A call of a function's body, or of machine code if it has none.
    pub(crate) fn call_body(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Option<Reg>,
        call: &Call,
        callee: FuncId,
    ) -> Step<Flow> {
        may_panic!();
        let operands = &function.call_args[call.args.range()];
        let target = self.program.function(callee);
        if target.declaration {
            let value = self.external(state, function, call, target)?;
            if let Some(dst) = dst {
                state.frame.regs[dst.index()] = value;
            }
            return Ok(self.behind_call(state));
        }
        let mut registers = self.registers(callee);
        for (at, &param) in target.params.iter().enumerate() {
            registers[at] = match operands.get(at) {
                Some(&operand) => self.argument(state, function, operand, param),
                None => Value::Int(0),
            };
        }
        let mut further = Vec::new();
        if target.variadic {
            for at in target.params.len()..operands.len() {
                let position = call.args.start + at as u32;
                self.add_variadic(state, function, position, &mut further)?;
            }
        }
        self.enter(state, callee, registers, &further)?;
        Ok(Flow::Frame)
    }

    /// Enters a function that may take copies and variable arguments.
    pub(crate) fn enter(
        &mut self,
        state: &mut State,
        callee: FuncId,
        registers: Vec<Value>,
        further: &[Variadic],
    ) -> Step<()> {
        may_panic!();
        let target = self.program.function(callee);
        // The sources of copies are resolved while the call can still be tried again.
        let mut copies = Vec::new();
        for (at, byval) in target.byval.iter().enumerate() {
            if let &Some((size, align)) = byval {
                let bytes = self.bytes_at(state, registers[at], size)?;
                copies.push((at, size, align, bytes));
            }
        }
        self.push_frame(state, callee, registers)?;
        for (at, size, align, bytes) in copies {
            let copy = self.stack_object(state, Site::Frame(callee), size, align)?;
            self.put_bytes(state, copy, &bytes)?;
            state.frame.regs[at] = copy;
        }
        if target.variadic {
            self.place_varargs(state, further)?;
        }
        Ok(())
    }

    /// The function that a pointer leads to; splits when there are several.
    fn function_behind(&mut self, state: &mut State, pointer: Operand) -> Step<FuncId> {
        let value = self.operand(state, pointer);
        self.require_scalar(value)?;
        if let Some(callee) = self.code.function_at(&self.pool, value) {
            return Ok(callee);
        }
        if let Value::Expr(expr) = value {
            self.require_function(state, expr)?;
        }
        let number = self.concrete(state, ForkKind::Call, value, 64)?;
        match self.code.function_at(&self.pool, Value::Int(number)) {
            Some(callee) => Ok(callee),
            None if number < plat_allocator::NULL_PAGE => {
                fault(FaultKind::Pointer, "memory error: null function pointer")
            }
            None => fault(FaultKind::Pointer, "memory error: invalid function pointer"),
        }
    }

    /// Excludes the inputs for which an address is none of a function: there may be as many
    /// as there are addresses.
    fn require_function(&mut self, state: &mut State, address: ExprId) -> Step<()> {
        let address = self.pool.number(address);
        let address = self.deciding(state, address)?;
        let guess = self
            .solving
            .oracle
            .value(&mut self.pool, &state.constraints, address);
        if self
            .code
            .function_at(&self.pool, Value::Int(guess))
            .is_some()
        {
            return Ok(());
        }
        let null = self.pool.constant(64, plat_allocator::NULL_PAGE);
        let null = self.pool.compare(IntPredicate::Ult, address, null);
        let end = PathEnd::fault(FaultKind::Pointer, "memory error: null function pointer");
        self.end_if(state, ForkKind::Call, null, end)?;
        let mut known = self.pool.bool(false);
        for number in self.code.function_numbers() {
            let number = self.pool.constant(64, number);
            let equal = self.pool.eq(address, number);
            known = self.pool.or_bool(known, equal);
        }
        let unknown = self.pool.not(known);
        let end = PathEnd::fault(FaultKind::Pointer, "memory error: invalid function pointer");
        self.end_if(state, ForkKind::Call, unknown, end)
    }

    /// Where control goes when the call at the current position is done without a frame.
    pub(crate) fn behind_call(&mut self, state: &mut State) -> Flow {
        let function = self.program.function(state.frame.function);
        match function.insts[state.frame.pc as usize] {
            plat_program::Inst::Invoke { normal, .. } => {
                self.take_edge(state, function, normal);
                Flow::Jumped
            }
            _ => Flow::Next,
        }
    }
}
