//! Calls of functions that hooks watch or that native functions from outside carry out.

use super::data::Once;
use super::data::path_hooks;
use super::event::{Call, Returned};
use super::native;
use super::{Access, CallCommand, Command};
use crate::api::outcome::PathEnd;
use crate::code::native::When;
use crate::executor::{Executor, Invocation, Reply};
use crate::hook::Step;
use crate::state::State;
use crate::state::stop::Flow;
use crate::step::Arguments;
use crate::values;
use plat_expr::Value;
use plat_program::{FuncId, Function, Reg, TypeId};
use smallvec::SmallVec;
use std::rc::Rc;

impl Executor<'_> {
    /// A call of a function that somebody watches or stands for.
    #[cold]
    #[inline(never)]
    pub(crate) fn intercepted_call(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Option<Reg>,
        call: &plat_program::Call,
        callee: FuncId,
    ) -> Step<Flow> {
        let (mut args, mut widths) = (Arguments::new(), SmallVec::<[u32; 8]>::new());
        for &operand in &function.call_args[call.args.range()] {
            args.push(self.operand(state, operand));
            widths.push(self.operand_bits(function, operand));
        }
        let event = Call {
            function: callee,
            name: &self.program.function(callee).name,
            args: &args,
            widths: &widths,
            ret: call.ret,
            ret_bits: self.code.ty(call.ret).bits,
        };
        let mut reply = match self.tell_call(state, &event)? {
            Some(value) => Reply::Value(value),
            None => self.carried_out(state, function, call, &event)?,
        };
        if let Reply::Value(value) = &mut reply {
            *value = self.fitting_result(*value, event.ret_bits, event.name)?;
        }
        match self.answered(state, dst, call, reply) {
            Some(flow) => Ok(flow),
            None => self.call_body(state, function, dst, call, callee),
        }
    }

    /// What comes of a call that is carried out without a frame; [`Reply::Body`] if it is not.
    fn carried_out(
        &mut self,
        state: &mut State,
        function: &Function,
        call: &plat_program::Call,
        event: &Call<'_>,
    ) -> Step<Reply> {
        // What has been carried out cannot be tried again, and hooks of the return may have to.
        let returns = self.hooks.bound.returns.contains_key(&event.function);
        let before = returns.then(|| state.clone());
        let reply = self.carry_out(state, function, call, event)?;
        let value = match reply {
            Reply::Value(value) => Some(value),
            Reply::Nothing => None,
            Reply::Body | Reply::Transferred | Reply::Forked => return Ok(reply),
        };
        let Some(before) = before else {
            return Ok(reply);
        };
        let value = match value {
            Some(value) => Some(self.fitting_result(value, event.ret_bits, event.name)?),
            None => None,
        };
        match self.tell_return(state, event.function, value, event.ret) {
            Ok(Some(value)) => Ok(Reply::Value(value)),
            Ok(None) => Ok(reply),
            Err(stop) => {
                if !matches!(*stop, super::Stop::End(_)) {
                    *state = before;
                }
                Err(stop)
            }
        }
    }

    /// Lets the first apply of: a native function from outside, one of plat's own, machine code.
    fn carry_out(
        &mut self,
        state: &mut State,
        function: &Function,
        call: &plat_program::Call,
        event: &Call<'_>,
    ) -> Step<Reply> {
        if let Some(native) = self.hooks.native(event.function) {
            let mut access = Access::new(self, state, usize::MAX);
            let reply = native.call(&mut access, event)?;
            if reply != native::Reply::Body {
                Rc::make_mut(&mut state.environment).heard.calls += 1;
            }
            match reply {
                native::Reply::Value(value) => return Ok(Reply::Value(value)),
                native::Reply::Nothing => return Ok(Reply::Nothing),
                native::Reply::Body => {}
            }
        }
        let target = self.program.function(event.function);
        if let Some(native) = self.code.functions[event.function.index()].native
            && (native.when == When::Always || target.declaration)
            && let Some(run) = self.cache.natives.of(event.function)
        {
            let invocation = Invocation {
                callee: event.function,
                args: event.args,
                widths: event.widths,
                ret: event.ret,
            };
            let reply = run(self, state, &invocation)?;
            if reply != Reply::Body {
                return Ok(reply);
            }
        }
        match target.declaration {
            true => self
                .external(state, function, call, target)
                .map(Reply::Value),
            false => Ok(Reply::Body),
        }
    }

    /// Tells hooks of a call; the result, if one of them gives it.
    fn tell_call(&mut self, state: &mut State, event: &Call<'_>) -> Step<Option<Value>> {
        let bound = Rc::clone(&self.hooks.bound);
        let Some(hooks) = bound.calls.get(&event.function) else {
            return Ok(None);
        };
        let instruction = state.instructions;
        loop {
            let answered = *path_hooks(state).answered(instruction, Once::Called);
            let Some(&number) = hooks.get(answered) else {
                return Ok(None);
            };
            let answer = self.ask(state, number, |hook, access| hook.called(access, event))?;
            if let Some(value) = self.obey_call(state, answer)? {
                return Ok(Some(value));
            }
            *path_hooks(state).answered(instruction, Once::Called) += 1;
        }
    }

    /// Carries out a command of a call; the result, if it is one.
    fn obey_call(
        &mut self,
        state: &mut State,
        command: Option<CallCommand>,
    ) -> Step<Option<Value>> {
        let command = match command.unwrap_or(CallCommand::Continue) {
            CallCommand::Return(value) => return Ok(Some(value)),
            CallCommand::Continue => Command::Continue,
            CallCommand::Fork(condition) => Command::Fork(condition),
            CallCommand::End(end) => Command::End(end),
            CallCommand::Stop => Command::Stop,
        };
        self.carry_out_command(state, command).map(|()| None)
    }

    /// Tells hooks that a function returns; the result, if one of them gives another.
    pub(crate) fn tell_return(
        &mut self,
        state: &mut State,
        function: FuncId,
        value: Option<Value>,
        ret: TypeId,
    ) -> Step<Option<Value>> {
        let bound = Rc::clone(&self.hooks.bound);
        let Some(hooks) = bound.returns.get(&function) else {
            return Ok(None);
        };
        let mut event = Returned {
            function,
            name: &self.program.function(function).name,
            value,
            bits: self.code.ty(ret).bits,
        };
        let mut given = None;
        for &number in hooks {
            let answer = self.ask(state, number, |hook, access| hook.returned(access, &event))?;
            if let Some(value) = self.obey_call(state, answer)? {
                given = Some(self.fitting_result(value, event.bits, event.name)?);
                event.value = given;
            }
        }
        Ok(given)
    }

    /// A result of the width that a function has; one of another width ends the path.
    fn fitting_result(&mut self, value: Value, bits: u32, name: &str) -> Step<Value> {
        let width = match value {
            // Of none, or of a structure or vector.
            _ if bits == 0 => return Ok(value),
            Value::Int(word) => return Ok(Value::Int(word & values::mask(bits.min(64)))),
            Value::Pointer(..) => 64,
            Value::Expr(expr) => self.pool.width(expr),
            Value::Aggregate(_) => 0,
        };
        if width == bits {
            return Ok(value);
        }
        let what = format!("a result of {width} bits for {name}, which has {bits}");
        Err(PathEnd::Unsupported(what).into())
    }
}
