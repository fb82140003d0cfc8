//! The end of a program in C++ by an exception that nobody catches, or by `std::terminate`.
//!
//! A handler of the program's (`std::set_terminate`) runs first. If there is none, the fault says the
//! type and what the exception says of itself, `what()`, which is executed for that. Both are calls
//! behind which the call that ends the program is made again.

use super::{Invocation, Reply, rtti};
use crate::api::outcome::{FaultKind, PathEnd};
use crate::executor::Executor;
use crate::state::State;
use crate::state::exceptions::Exception;
use crate::state::frame::OnReturn;
use crate::state::stop::{Step, fault};
use crate::values;
use plat_expr::Value;
use plat_program::FuncId;

/// Calls the handler that the program has set, and returns if it has set none.
const HANDLER: &str = "__plat_call_terminate_handler";

/// The description of `std::exception`.
const STD_EXCEPTION: &str = "_ZTISt9exception";

/// The distance of `what` in the table of `std::exception`, behind two destructors.
const WHAT: i64 = 16;

/// How much of a text is told.
const LONGEST: usize = 200;

impl Executor<'_> {
    /// Ends the program because nobody catches an exception, or calls what has to run before.
    pub(super) fn end_uncaught(&mut self, state: &mut State, exception: &Exception) -> Step<Reply> {
        if self.call_handler(state, Some(exception))? || self.call_what(state, exception)? {
            return Ok(Reply::Transferred);
        }
        Err(self.uncaught_end(state, exception).into())
    }

    fn body_of(&self, name: &str) -> Option<FuncId> {
        let function = self.program.function_named(name)?;
        (!function.declaration).then_some(function.id)
    }

    /// Calls the program's handler, once on a path. The exception is caught meanwhile.
    fn call_handler(&mut self, state: &mut State, exception: Option<&Exception>) -> Step<bool> {
        let Some(handler) = self
            .body_of(HANDLER)
            .filter(|_| !state.exceptions.terminates)
        else {
            return Ok(false);
        };
        let registers = self.registers(handler);
        self.push_frame(state, handler, registers)?;
        state.frame.on_return = OnReturn::Resume;
        state.exceptions.terminates = true;
        if let Some(exception) = exception {
            state.exceptions.caught.push(exception.object);
        }
        Ok(true)
    }

    /// Asks an exception what it says of itself, unless that is known or it says nothing.
    fn call_what(&mut self, state: &mut State, exception: &Exception) -> Step<bool> {
        let known = state.exceptions.described;
        if known.is_some_and(|(object, _)| object == exception.object)
            || values::number(&self.pool, exception.ty) == Some(0)
        {
            return Ok(false);
        }
        let Some(base) = self.global_address(STD_EXCEPTION) else {
            return Ok(false);
        };
        let Some(object) = self.upcast(state, exception.ty, exception.thrown, base)? else {
            return Ok(false);
        };
        let table = self.word_at(state, object, 0)?;
        let what = self.word_at(state, table, WHAT)?;
        let what = self.code.function_at(&self.pool, what);
        let Some(what) = what.filter(|&one| !self.program.function(one).declaration) else {
            return Ok(false);
        };
        let mut registers = self.registers(what);
        if let Some(first) = registers.first_mut() {
            *first = object;
        }
        self.push_frame(state, what, registers)?;
        state.frame.on_return = OnReturn::Describe;
        state.exceptions.described = Some((exception.object, Value::Int(0)));
        Ok(true)
    }

    fn global_address(&self, name: &str) -> Option<Value> {
        let globals = self.program.globals.iter();
        let at = globals.into_iter().position(|global| global.name == name)?;
        let object = self.code.globals.get(at)?;
        Some(Value::Pointer(*object, 0))
    }

    fn uncaught_end(&mut self, state: &mut State, exception: &Exception) -> PathEnd {
        let mut what = "abort failure: uncaught exception".to_string();
        let mut name = String::new();
        if values::number(&self.pool, exception.ty) != Some(0) {
            let mangled = self.type_name(state, exception.ty);
            name = mangled.map_or_else(|_| "?".into(), |mangled| rtti::readable(&mangled));
            what.push_str(" of type ");
            what.push_str(&name);
        }
        if let Some((object, text)) = state.exceptions.described
            && object == exception.object
        {
            let text = self.said(state, text);
            // The simplest ones say their names.
            if !text.is_empty() && text != name {
                what.push_str(": ");
                what.push_str(&text);
            }
        }
        PathEnd::fault(FaultKind::Abort, what)
    }

    /// The text at an address, as far as it can be read; `?` for what depends on the input.
    fn said(&mut self, state: &mut State, pointer: Value) -> String {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST && matches!(pointer, Value::Pointer(..)) {
            let at = self.displaced(pointer, bytes.len() as u64);
            match self.load_word(state, at, 8) {
                Ok(Value::Int(0)) | Err(_) => break,
                Ok(Value::Int(byte)) => bytes.push(byte as u8),
                Ok(_) => bytes.push(b'?'),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// `std::terminate`.
pub(super) fn terminate(
    exec: &mut Executor<'_>,
    state: &mut State,
    _: &Invocation<'_>,
) -> Step<Reply> {
    if let Some(&object) = state.exceptions.caught.last()
        && let Some(&mut exception) = state.exceptions.of(object)
    {
        return exec.end_uncaught(state, &exception);
    }
    if exec.call_handler(state, None)? {
        return Ok(Reply::Transferred);
    }
    fault(FaultKind::Abort, "abort failure: terminate called")
}
