//! What `std::exception_ptr` and its relatives ask of the runtime, after the Itanium ABI as libc++
//! uses it: exceptions are counted, and one that is thrown once more than it was created is carried
//! by another that stands for it.

use super::{Invocation, Reply, Table, When};
use crate::executor::Executor;
use crate::state::State;
use crate::state::exceptions::Exception;
use crate::state::stop::Step;
use crate::values;
use plat_expr::Value;

pub(super) const TABLE: Table = &[
    ("__cxa_current_primary_exception", When::Always, current),
    ("__cxa_decrement_exception_refcount", When::Always, release),
    ("__cxa_increment_exception_refcount", When::Always, keep),
    ("__cxa_init_primary_exception", When::Always, initialise),
    ("__cxa_rethrow_primary_exception", When::Always, rethrow),
    ("__cxa_uncaught_exception", When::Always, any_uncaught),
    ("__cxa_uncaught_exceptions", When::Always, uncaught),
];

/// What carries exceptions that stand for others: numbers, which are no addresses.
const DEPENDENT: u64 = 0xffff_8000_0000_0000;

/// The exception that is being handled, kept alive. That of another language is none.
fn current(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let none = Reply::Value(Value::Int(0));
    let Some(&object) = state.exceptions.caught.last() else {
        return Ok(none);
    };
    let Some(&mut Exception { thrown, ty, .. }) = state.exceptions.of(object) else {
        return Ok(none);
    };
    if values::number(&exec.pool, ty) == Some(0) {
        return Ok(none);
    }
    state.exceptions.keep(thrown);
    Ok(Reply::Value(thrown))
}

fn keep(_: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    state.exceptions.keep(call.arg(0));
    Ok(Reply::Nothing)
}

fn release(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.let_go(state, call.arg(0))
}

/// `std::make_exception_ptr`: an exception that is not thrown, and that nobody keeps yet.
fn initialise(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let object = call.arg(0);
    exec.start(state, object, call.arg(1), call.arg(2));
    if let Some(exception) = state.exceptions.of(object) {
        exception.references = 0;
    }
    Ok(Reply::Value(object))
}

/// `std::rethrow_exception`. Returns if there is nothing to throw.
fn rethrow(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let thrown = call.arg(0);
    let Some(&mut primary) = state.exceptions.of(thrown) else {
        return Ok(Reply::Nothing);
    };
    // The call may be made again until there is a handler.
    let object = match state.exceptions.rethrown {
        Some(object) => object,
        None => {
            state.exceptions.dependents += 1;
            let object = Value::Int(DEPENDENT + state.exceptions.dependents);
            state.exceptions.keep(thrown);
            state.exceptions.alive.push(Exception {
                object,
                destructor: Value::Int(0),
                adjusted: thrown,
                handlers: 0,
                references: 1,
                rethrown: false,
                ..primary
            });
            state.exceptions.rethrown = Some(object);
            object
        }
    };
    exec.raise(state, object)
}

fn any_uncaught(_: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let any = state.exceptions.uncaught > 0;
    Ok(Reply::Value(Value::Int(u64::from(any))))
}

pub(super) fn uncaught(_: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(state.exceptions.uncaught)))
}
