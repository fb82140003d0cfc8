//! Exceptions of C++, after the Itanium ABI: throwing, unwinding through landing pads, catching.
//!
//! Unwinding has two phases. The first looks for a handler up the call stack; without one the
//! program ends, its stack as it is. The second goes to the innermost landing pad that catches
//! the exception or has something to clean up; a clean-up ends in a `resume`, which goes on from
//! there. What lands is the thrown object, which stands for its header.

use super::exception_pointers::uncaught;
use super::terminate::terminate;
use super::{Invocation, Reply, Table, When};
use crate::api::outcome::FaultKind;
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::memory::sizes::Size;
use crate::state::State;
use crate::state::exceptions::Exception;
use crate::state::frame::OnReturn;
use crate::state::stop::{Step, fault};
use plat_expr::Value;
use plat_program::{Constant, FuncId, Function, Inst, Operand, Span};

pub(super) const TABLE: Table = &[
    ("_Unwind_RaiseException", When::Always, raise_foreign),
    ("_Unwind_Resume", When::Always, resume_foreign),
    ("_ZSt18uncaught_exceptionv", When::Declared, uncaught),
    ("_ZSt19uncaught_exceptionsv", When::Declared, uncaught),
    ("_ZSt9terminatev", When::Declared, terminate),
    ("__cxa_allocate_exception", When::Always, allocate),
    ("__cxa_begin_catch", When::Always, begin_catch),
    ("__cxa_call_unexpected", When::Declared, terminate),
    ("__cxa_deleted_virtual", When::Declared, pure_virtual),
    ("__cxa_end_catch", When::Always, end_catch),
    ("__cxa_free_exception", When::Always, free_exception),
    ("__cxa_get_exception_ptr", When::Always, exception_pointer),
    ("__cxa_guard_abort", When::Declared, guard_abort),
    ("__cxa_guard_acquire", When::Declared, guard_acquire),
    ("__cxa_guard_release", When::Declared, guard_release),
    ("__cxa_pure_virtual", When::Declared, pure_virtual),
    ("__cxa_rethrow", When::Always, rethrow),
    ("__cxa_throw", When::Always, throw),
    ("__dynamic_cast", When::Declared, dynamic_cast),
];

/// What a landing pad does with an exception.
#[derive(Clone, Copy, Debug)]
enum Landing {
    /// It has nothing to do with it.
    Passes,
    /// It cleans up.
    CleansUp,
    /// It catches it: the selector, and what the handler gets.
    Catches(i32, Value),
}

impl Executor<'_> {
    /// The landing pad of the call at a position, if it has one.
    fn pad_of(function: &Function, pc: u32) -> Option<(&Inst, plat_program::EdgeId)> {
        let Some(&Inst::Invoke { unwind, .. }) = function.insts.get(pc as usize) else {
            return None;
        };
        let to = function.edges[unwind.index()].to;
        let first = function.blocks[to.index()].first as usize;
        Some((&function.insts[first], unwind))
    }

    /// What the landing pad of a frame does with an exception.
    fn landing(
        &mut self,
        state: &mut State,
        (function, pc): (FuncId, u32),
        exception: &Exception,
    ) -> Step<Landing> {
        let program = self.program;
        let function = program.function(function);
        let Some((
            &Inst::LandingPad {
                cleanup, clauses, ..
            },
            _,
        )) = Self::pad_of(function, pc)
        else {
            return Ok(Landing::Passes);
        };
        let caught = self.clause(state, function, clauses, exception)?;
        Ok(match caught {
            Some((selector, adjusted)) => Landing::Catches(selector, adjusted),
            None if cleanup => Landing::CleansUp,
            None => Landing::Passes,
        })
    }

    /// The first clause that an exception meets: its selector, and what the handler gets.
    fn clause(
        &mut self,
        state: &mut State,
        function: &Function,
        clauses: Span,
        exception: &Exception,
    ) -> Step<Option<(i32, Value)>> {
        for &clause in &function.call_args[clauses.range()] {
            if let Some(allowed) = self.filter(clause) {
                let mut passes = false;
                for ty in allowed {
                    let caught = self.caught(state, ty, exception.ty, exception.thrown)?;
                    passes |= caught.is_some();
                }
                if !passes {
                    return Ok(Some((-1, exception.thrown)));
                }
                continue;
            }
            let ty = self.operand(state, clause);
            if let Some(value) = self.caught(state, ty, exception.ty, exception.thrown)? {
                return Ok(Some((selector(ty), value)));
            }
        }
        Ok(None)
    }

    /// The types that a clause lets pass, if it is a filter.
    fn filter(&self, clause: Operand) -> Option<Vec<Value>> {
        match self.program.constant(clause.as_constant()?) {
            Constant::Aggregate(_, types) => Some(
                types
                    .iter()
                    .map(|&ty| self.code.constant_value(ty))
                    .collect(),
            ),
            Constant::Zero(_) => Some(Vec::new()),
            _ => None,
        }
    }

    /// Where control is in every frame, innermost first.
    fn positions(state: &State) -> Vec<(FuncId, u32)> {
        let frames = state.stack();
        frames.map(|frame| (frame.function, frame.pc)).collect()
    }

    /// Throws an exception: finds out whether anything catches it, and unwinds.
    pub(super) fn raise(&mut self, state: &mut State, object: Value) -> Step<Reply> {
        let Some(&mut exception) = state.exceptions.of(object) else {
            return fault(FaultKind::User, "unwinding without an exception");
        };
        let mut handled = false;
        for position in Self::positions(state) {
            handled = matches!(
                self.landing(state, position, &exception)?,
                Landing::Catches(..)
            );
            if handled {
                break;
            }
        }
        if !handled {
            return self.end_uncaught(state, &exception);
        }
        let reply = self.unwind(state, &exception)?;
        state.exceptions.uncaught += 1;
        state.exceptions.rethrown = None;
        Ok(reply)
    }

    /// Whether what catches an exception is the start of the program, or nothing.
    fn ends_the_program(&mut self, state: &mut State, object: Value) -> Step<bool> {
        let Some(&mut exception) = state.exceptions.of(object) else {
            return Ok(false);
        };
        for (depth, position) in Self::positions(state).into_iter().enumerate() {
            let landing = self.landing(state, position, &exception)?;
            if matches!(landing, Landing::Catches(..)) {
                return Ok(self.leaves_the_program(state, depth));
            }
        }
        Ok(true)
    }

    /// Goes to the innermost landing pad that has anything to do with an exception.
    fn unwind(&mut self, state: &mut State, exception: &Exception) -> Step<Reply> {
        for (depth, position) in Self::positions(state).into_iter().enumerate() {
            let (number, adjusted) = match self.landing(state, position, exception)? {
                Landing::Passes => continue,
                Landing::CleansUp => (0, None),
                Landing::Catches(number, adjusted) => (number, Some(adjusted)),
            };
            for _ in 0..depth {
                self.release_stack(state, 0);
                if let Some(caller) = state.callers.pop() {
                    state.frame = caller;
                    self.expand(&mut state.frame);
                }
            }
            if let (Some(adjusted), Some(known)) = (adjusted, state.exceptions.of(exception.object))
            {
                known.adjusted = adjusted;
            }
            let program = self.program;
            let function = program.function(position.0);
            if let Some((&Inst::LandingPad { dst, .. }, unwind)) =
                Self::pad_of(function, position.1)
            {
                self.take_edge(state, function, unwind);
                let number = Value::Int(u64::from(number.cast_unsigned()));
                let pair = self.pool.aggregate(&[exception.object, number]);
                state.frame.regs[dst.index()] = Value::Aggregate(pair);
                state.frame.pc += 1;
            }
            return Ok(Reply::Transferred);
        }
        self.end_uncaught(state, exception)
    }

    /// `resume`: goes on unwinding behind a clean-up.
    pub(crate) fn resume(&mut self, state: &mut State, value: Operand) -> Step<()> {
        let object = match self.operand(state, value) {
            Value::Aggregate(pair) => self.pool.aggregate_values(pair)[0],
            other => other,
        };
        self.resume_with(state, object).map(|_| ())
    }

    fn resume_with(&mut self, state: &mut State, object: Value) -> Step<Reply> {
        match state.exceptions.of(object) {
            Some(&mut exception) => self.unwind(state, &exception),
            None => fault(FaultKind::User, "unwinding without an exception"),
        }
    }

    /// Throws `std::bad_alloc`, as the C++ library's part of the runtime does.
    pub(super) fn throw_bad_alloc(&mut self, state: &mut State) -> Step<Reply> {
        let thrower = self.program.function_named("__plat_throw_bad_alloc");
        let Some(thrower) = thrower.filter(|function| !function.declaration) else {
            return fault(
                FaultKind::Abort,
                "abort failure: uncaught exception of type std::bad_alloc",
            );
        };
        let registers = self.registers(thrower.id);
        self.push_frame(state, thrower.id, registers)?;
        Ok(Reply::Transferred)
    }

    pub(super) fn start(&mut self, state: &mut State, object: Value, ty: Value, destructor: Value) {
        state.exceptions.alive.push(Exception {
            object,
            thrown: object,
            ty,
            destructor,
            adjusted: object,
            handlers: 0,
            references: 1,
            rethrown: false,
        });
    }

    /// Keeps an exception alive no longer, see [`Self::destroy`].
    pub(super) fn let_go(&mut self, state: &mut State, object: Value) -> Step<Reply> {
        match state.exceptions.of(object) {
            Some(exception) if exception.references > 1 => exception.references -= 1,
            Some(_) => return self.destroy(state, object),
            None => {}
        }
        Ok(Reply::Nothing)
    }

    /// Ends an exception's life: calls its destructor, behind which the current call is made again,
    /// and then releases it.
    fn destroy(&mut self, state: &mut State, object: Value) -> Step<Reply> {
        let Some(exception) = state.exceptions.of(object) else {
            return Ok(Reply::Nothing);
        };
        let thrown = exception.thrown;
        let destructor = std::mem::replace(&mut exception.destructor, Value::Int(0));
        if thrown != object && self.let_go(state, thrown)? == Reply::Transferred {
            return Ok(Reply::Transferred);
        }
        let callee = self.code.function_at(&self.pool, destructor);
        if let Some(callee) = callee.filter(|&one| !self.program.function(one).declaration) {
            let mut registers = self.registers(callee);
            if let Some(first) = registers.first_mut() {
                *first = object;
            }
            self.push_frame(state, callee, registers)?;
            state.frame.on_return = OnReturn::Resume;
            return Ok(Reply::Transferred);
        }
        state.exceptions.alive.retain(|one| one.object != object);
        if let Value::Pointer(object, 0) = object {
            self.release(state, object);
        }
        Ok(Reply::Nothing)
    }
}

/// The number by which landing pads tell types apart.
fn selector(ty: Value) -> i32 {
    match ty {
        Value::Pointer(object, _) => (object.0 as i32).wrapping_add(2),
        _ => 1,
    }
}

/// `llvm.eh.typeid.for(type)`.
pub(super) fn typeid_for(
    _: &mut Executor<'_>,
    _: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let number = selector(call.arg(0)).cast_unsigned();
    Ok(Reply::Value(Value::Int(u64::from(number))))
}

fn allocate(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let size = exec.concrete(state, ForkKind::Allocation, call.arg(0), call.width(0))?;
    match exec.heap_object(state, Size::Known(size.max(1)), 16) {
        Some(object) => Ok(Reply::Value(object)),
        None => fault(
            FaultKind::Abort,
            "abort failure: no memory for an exception",
        ),
    }
}

fn free_exception(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let thrown = call.arg(0);
    state.exceptions.alive.retain(|one| one.object != thrown);
    if let Value::Pointer(object, 0) = thrown {
        exec.release(state, object);
    }
    Ok(Reply::Nothing)
}

fn throw(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let object = call.arg(0);
    // The call may have been split while a handler was looked for.
    if state.exceptions.of(object).is_none() {
        exec.start(state, object, call.arg(1), call.arg(2));
    }
    exec.raise(state, object)
}

fn rethrow(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let Some(&object) = state.exceptions.caught.last() else {
        return fault(
            FaultKind::Abort,
            "abort failure: rethrow without an exception",
        );
    };
    if let Some(exception) = state.exceptions.of(object) {
        exception.rethrown = true;
    }
    exec.raise(state, object)
}

fn raise_foreign(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let object = call.arg(0);
    if state.exceptions.of(object).is_none() {
        exec.start(state, object, Value::Int(0), Value::Int(0));
    }
    if exec.panicking_frames(state) > 0 && exec.ends_the_program(state, object)? {
        return fault(FaultKind::Abort, "abort failure: uncaught panic");
    }
    exec.raise(state, object)
}

fn resume_foreign(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    exec.resume_with(state, call.arg(0))
}

fn begin_catch(_: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let object = call.arg(0);
    let Some(exception) = state.exceptions.of(object) else {
        return Ok(Reply::Value(object));
    };
    exception.handlers += 1;
    exception.rethrown = false;
    let adjusted = exception.adjusted;
    let exceptions = &mut state.exceptions;
    exceptions.uncaught = exceptions.uncaught.saturating_sub(1);
    if exceptions.caught.last() != Some(&object) {
        exceptions.caught.push(object);
    }
    Ok(Reply::Value(adjusted))
}

fn end_catch(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let Some(&object) = state.exceptions.caught.last() else {
        return Ok(Reply::Nothing);
    };
    let Some(exception) = state.exceptions.of(object) else {
        return Ok(Reply::Nothing);
    };
    exception.handlers = exception.handlers.saturating_sub(1);
    let (handlers, rethrown) = (exception.handlers, exception.rethrown);
    if handlers > 0 {
        return Ok(Reply::Nothing);
    }
    if !rethrown && exec.let_go(state, object)? == Reply::Transferred {
        return Ok(Reply::Transferred);
    }
    state.exceptions.caught.pop();
    Ok(Reply::Nothing)
}

fn exception_pointer(
    _: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let object = call.arg(0);
    let adjusted = state.exceptions.of(object).map(|one| one.adjusted);
    Ok(Reply::Value(adjusted.unwrap_or(object)))
}

fn pure_virtual(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    fault(
        FaultKind::Abort,
        "abort failure: pure virtual method called",
    )
}

fn guard_acquire(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let done = exec.load_word(state, call.arg(0), 8)?;
    Ok(Reply::Value(Value::Int(u64::from(done == Value::Int(0)))))
}

fn guard_release(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.store_word(state, call.arg(0), Value::Int(1), 8)?;
    Ok(Reply::Nothing)
}

fn guard_abort(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Nothing)
}

fn dynamic_cast(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (source, from, to) = (call.arg(0), call.arg(1), call.arg(2));
    let found = exec.dynamic_cast(state, source, from, to)?;
    Ok(Reply::Value(found.unwrap_or(Value::Int(0))))
}
