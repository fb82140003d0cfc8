//! KLEE's harness intrinsics, with KLEE's meaning.
//!
//! Harnesses often define empty bodies for them so that they link natively; the bodies are
//! never run.

use super::{Invocation, Reply, Table, When, merging};
use crate::api::observe::Observer;
use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::fork::Ways;
use crate::state::stop::{Step, Stop, fault, solver_limit, unsupported};
use crate::state::{State, SymbolicObject};
use crate::values;
use plat_expr::{Byte, ExprId, IntPredicate, SymbolId, Value};
use plat_memory::{AccessKind, Kind, Request, Site};
use std::sync::Arc;

pub(super) const TABLE: Table = &[
    ("klee_abort", When::Always, abort),
    ("klee_alias_function", When::Always, alias_function),
    ("klee_assert_fail", When::Always, assert_fail),
    ("klee_assume", When::Always, assume),
    (
        "klee_check_memory_access",
        When::Always,
        check_memory_access,
    ),
    ("klee_choose", When::Always, choose),
    ("klee_close_merge", When::Always, merging::close),
    (
        "klee_define_fixed_object",
        When::Always,
        define_fixed_object,
    ),
    ("klee_get_errno", When::Always, get_errno),
    ("klee_get_obj_size", When::Always, get_obj_size),
    ("klee_get_value_i32", When::Always, get_value),
    ("klee_get_value_i64", When::Always, get_value),
    ("klee_get_valued", When::Always, get_value),
    ("klee_get_valuef", When::Always, get_value),
    ("klee_get_valuel", When::Always, get_value),
    ("klee_get_valuell", When::Always, get_value),
    ("klee_int", When::Always, int),
    ("klee_is_replay", When::Always, is_replay),
    ("klee_is_symbolic", When::Always, is_symbolic),
    ("klee_make_symbolic", When::Always, make_symbolic),
    ("klee_mark_global", When::Always, nothing),
    ("klee_open_merge", When::Always, merging::open),
    ("klee_posix_prefer_cex", When::Always, posix_prefer_cex),
    ("klee_prefer_cex", When::Always, prefer_cex),
    ("klee_print_expr", When::Always, print_expr),
    ("klee_print_range", When::Always, print_range),
    ("klee_range", When::Always, range),
    ("klee_report_error", When::Always, report_error),
    ("klee_set_forking", When::Always, set_forking),
    ("klee_silent_exit", When::Always, silent_exit),
    ("klee_stack_trace", When::Always, stack_trace),
    ("klee_warning", When::Always, warning),
    ("klee_warning_once", When::Always, warning_once),
];

impl Executor<'_> {
    /// A new symbolic object of the path.
    pub(crate) fn new_symbol(&mut self, state: &mut State, name: &str, size: u32) -> SymbolId {
        let given = state
            .input
            .given
            .objects
            .iter()
            .filter(|object| object.name == name)
            .count();
        let made = state
            .input
            .symbolics
            .iter()
            .filter(|object| &*object.name == name)
            .count();
        let occurrence = given + made;
        let symbol = self.pool.symbol(name, occurrence as u32, size);
        state.input.symbolics.push(SymbolicObject {
            name: name.into(),
            symbol,
        });
        if !state.input.seeds.is_empty() {
            self.seed_symbol(state, symbol, name);
        }
        symbol
    }

    /// A new symbolic object as one integer, the first byte lowest.
    pub(crate) fn new_symbolic_word(&mut self, state: &mut State, name: &str, bytes: u32) -> Value {
        let symbol = self.new_symbol(state, name, bytes);
        let mut word = self.pool.symbol_byte(symbol, 0);
        for at in 1..bytes {
            let byte = self.pool.symbol_byte(symbol, at);
            word = self.pool.concat(byte, word);
        }
        Value::from_expr(&self.pool, word)
    }

    /// Adds a condition that the harness imposes, without forking: inputs that violate it are not
    /// considered.
    pub(crate) fn add_constraint(
        &mut self,
        state: &mut State,
        condition: ExprId,
        violated: PathEnd,
    ) -> Step<()> {
        may_panic!();
        match self.ways(state, condition)? {
            Ways::Only(true) => Ok(()),
            Ways::Only(false) => Err(violated.into()),
            Ways::Both { holds, .. } => {
                if !state.input.seeds.is_empty() {
                    self.adapt_seeds(state, condition, &holds);
                }
                self.assume(state, condition, &holds);
                Ok(())
            }
            Ways::Unknown(true, _) => {
                let model = state.constraints.model().clone();
                self.assume(state, condition, &model);
                Ok(())
            }
            Ways::Unknown(false, reason) => solver_limit(reason),
        }
    }

    /// A scalar that is not zero, as a condition.
    pub(crate) fn is_nonzero(&mut self, value: Value, bits: u32) -> ExprId {
        let value = value.to_expr(&mut self.pool, bits.max(1));
        let zero = self.pool.constant(bits.max(1), 0);
        self.pool.compare(IntPredicate::Ne, value, zero)
    }

    /// The name of a symbolic object, from a string argument.
    fn object_name(&mut self, state: &mut State, pointer: Value) -> Step<String> {
        if pointer == Value::Int(0) {
            return Ok("unnamed".into());
        }
        let name = self.text(state, pointer)?;
        if name.is_empty() {
            let renamed = "klee_make_symbolic: renamed empty name to \"unnamed\"";
            self.events.observer.warning(renamed, false);
            return Ok("unnamed".into());
        }
        Ok(name)
    }

    /// A text argument: up to its terminator or the end of its object.
    fn text(&mut self, state: &mut State, pointer: Value) -> Step<String> {
        let at = match pointer {
            Value::Expr(expr) if self.pool.has_base(expr) => pointer,
            Value::Expr(expr) => {
                match (self.solving.oracle).unique(&mut self.pool, &state.constraints, expr) {
                    Ok(Some(number)) => Value::Int(number),
                    Ok(None) => return Err(wrong_string("Symbolic")),
                    Err(unknown) => return solver_limit(unknown.0),
                }
            }
            other => other,
        };
        let place = match at {
            Value::Pointer(object, offset) => Some((object, offset)),
            Value::Int(number) => state.memory.find(number),
            _ => {
                let text = self.c_string(state, at)?;
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
        };
        let found = place.and_then(|(object, offset)| {
            let size = state.memory.object(object)?.size.cast_signed();
            (0..size)
                .contains(&offset)
                .then_some((object, offset, size))
        });
        let Some((object, offset, size)) = found else {
            return Err(wrong_string("Invalid"));
        };
        let mut text = Vec::new();
        for at in offset..size {
            let byte = self.load_word(state, Value::Pointer(object, at), 8)?;
            match self.concrete(state, ForkKind::Library, byte, 8)? {
                0 => return Ok(String::from_utf8_lossy(&text).into_owned()),
                byte => text.push(byte as u8),
            }
        }
        self.events
            .warn_once("String not terminated by \\0 passed to one of the klee_ functions");
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// The end of a path that passes no string.
fn wrong_string(how: &str) -> Box<Stop> {
    let what = format!("{how} string pointer passed to one of the klee_ functions");
    PathEnd::fault(FaultKind::User, what).into()
}

fn nothing(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Nothing)
}

fn make_symbolic(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    may_panic!();
    if exec.config.start.as_klee && call.args.len() != 3 {
        let what = "Incorrect number of arguments to klee_make_symbolic(void*, size_t, char*)";
        return fault(FaultKind::User, what);
    }
    let size = exec.concrete(state, ForkKind::Library, call.arg(1), call.width(1))?;
    let name = if call.args.len() > 2 {
        exec.object_name(state, call.arg(2))?
    } else {
        "unnamed".into()
    };
    let (object, real) = exec.object_start(state, call.arg(0), "make_symbolic")?;
    if real != size {
        let message = "Wrong size given to klee_make_symbolic";
        return fault(FaultKind::User, message);
    }
    if state
        .memory
        .object(object)
        .is_some_and(|object| !object.writable)
    {
        return fault(FaultKind::User, "cannot make readonly object symbolic");
    }
    if size == 0 {
        return Ok(Reply::Nothing);
    }
    let Ok(count) = u32::try_from(size) else {
        return unsupported(format!("a symbolic object of {size} bytes"));
    };
    let symbol = exec.new_symbol(state, &name, count);
    let bytes: Vec<Byte> = (0..count)
        .map(|at| Byte::of_symbol(&mut exec.pool, symbol, at))
        .collect();
    exec.put_bytes(state, Value::Pointer(object, 0), &bytes)?;
    Ok(Reply::Nothing)
}

fn int(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let name = exec.object_name(state, call.arg(0))?;
    Ok(Reply::Value(exec.new_symbolic_word(state, &name, 4)))
}

fn range(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let begin = exec.concrete(state, ForkKind::Library, call.arg(0), 32)?;
    let end = exec.concrete(state, ForkKind::Library, call.arg(1), 32)?;
    let (low, high) = (begin as u32 as i32, end as u32 as i32);
    if low >= high {
        return fault(FaultKind::User, "invalid range");
    }
    let name = exec.object_name(state, call.arg(2))?;
    if low + 1 == high {
        return Ok(Reply::Value(Value::Int(begin)));
    }
    let value = exec.new_symbolic_word(state, &name, 4);
    let word = value.to_expr(&mut exec.pool, 32);
    let above = exec.pool.constant(32, end);
    let below = exec.pool.constant(32, begin);
    let silent = || PathEnd::Silent;
    if low == 0 {
        let within = exec.pool.compare(IntPredicate::Ult, word, above);
        exec.add_constraint(state, within, silent())?;
    } else {
        let from = exec.pool.compare(IntPredicate::Sle, below, word);
        let to = exec.pool.compare(IntPredicate::Slt, word, above);
        exec.add_constraint(state, from, silent())?;
        exec.add_constraint(state, to, silent())?;
    }
    Ok(Reply::Value(value))
}

fn choose(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let value = exec.new_symbolic_word(state, "klee_choose", 8);
    let word = value.to_expr(&mut exec.pool, 64);
    let count = call.arg(0).to_expr(&mut exec.pool, 64);
    let within = exec.pool.compare(IntPredicate::Ult, word, count);
    exec.add_constraint(state, within, PathEnd::Silent)?;
    Ok(Reply::Value(value))
}

fn assume(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.require_scalar(call.arg(0))?;
    let condition = exec.is_nonzero(call.arg(0), call.width(0));
    let violated = if exec.config.checks.silent_assume {
        PathEnd::Silent
    } else {
        PathEnd::fault(FaultKind::User, "invalid klee_assume call (provably false)")
    };
    exec.add_constraint(state, condition, violated)?;
    Ok(Reply::Nothing)
}

fn prefer_cex(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let condition = exec.is_nonzero(call.arg(1), call.width(1));
    let condition = exec.pool.number(condition);
    state.input.preferences.push(condition);
    Ok(Reply::Nothing)
}

fn posix_prefer_cex(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    if exec.config.tests.readable {
        return prefer_cex(exec, state, call);
    }
    Ok(Reply::Nothing)
}

fn is_symbolic(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let symbolic = match call.arg(0) {
        Value::Expr(expr) => exec.pool.has_symbol(expr),
        _ => false,
    };
    Ok(Reply::Value(Value::Int(u64::from(symbolic))))
}

fn is_replay(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(0)))
}

fn get_value(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let value = call.arg(0);
    if values::number(&exec.pool, value).is_none() {
        exec.counters.counts.sampled += 1;
        exec.take_least_model(state);
    }
    Ok(Reply::Value(Value::Int(exec.sample(state, value))))
}

fn get_obj_size(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (_, size) = exec.object_start(state, call.arg(0), "klee_get_obj_size")?;
    Ok(Reply::Value(Value::Int(size)))
}

fn check_memory_access(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let size = exec.concrete(state, ForkKind::Library, call.arg(1), call.width(1))?;
    exec.targets(state, call.arg(0), size, AccessKind::Read)?;
    Ok(Reply::Nothing)
}

fn define_fixed_object(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let number = exec.concrete(state, ForkKind::Library, call.arg(0), call.width(0))?;
    let size = exec.concrete(state, ForkKind::Library, call.arg(1), call.width(1))?;
    let request = Request {
        kind: Kind::Global,
        size,
        align: 1,
        site: Site::Inst(state.frame.inst(exec.program)),
        group: None,
        context: None,
        zero: true,
    };
    let (memory, mut cx) = exec.memory(state);
    match memory.allocate_at(&mut cx, &request, number) {
        Some(_) => Ok(Reply::Nothing),
        None => fault(
            FaultKind::User,
            "klee_define_fixed_object: an object is there already",
        ),
    }
}

/// `klee_alias_function(name, new)`: from now on, calls of the one reach the other.
fn alias_function(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let (from, to) = (
        exec.text(state, call.arg(0))?,
        exec.text(state, call.arg(1))?,
    );
    let program = exec.program;
    let (Some(from), Some(to)) = (program.function_named(&from), program.function_named(&to))
    else {
        let what = format!("klee_alias_function: there is no function {from} or no function {to}");
        return fault(FaultKind::User, what);
    };
    exec.code.functions[from.id.index()].plain = false;
    let aliases = Arc::make_mut(&mut state.requests.aliases);
    aliases.retain(|alias| alias.0 != from.id);
    if from.id != to.id {
        aliases.push((from.id, to.id));
    }
    Ok(Reply::Nothing)
}

fn get_errno(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let value = match exec.errno(state) {
        Some(address) => exec.load_word(state, address, 32)?,
        None => Value::Int(0),
    };
    Ok(Reply::Value(value))
}

fn set_forking(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let on = exec.concrete(state, ForkKind::Library, call.arg(0), call.width(0))?;
    state.requests.forking_off = on == 0;
    Ok(Reply::Nothing)
}

fn silent_exit(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Err(PathEnd::Silent.into())
}

fn abort(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    fault(FaultKind::Abort, "abort failure")
}

fn assert_fail(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = exec.text(state, call.arg(0))?;
    fault(FaultKind::Assert, format!("ASSERTION FAIL: {text}"))
}

/// `klee_report_error(file, line, message, suffix)`; the suffix may have its `.err` already.
fn report_error(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let message = exec.text(state, call.arg(2))?;
    let mut suffix = exec.text(state, call.arg(3))?;
    if let Some(kind) = suffix.strip_suffix(".err") {
        suffix = kind.to_string();
    }
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if suffix.is_empty() || suffix.starts_with('.') || !suffix.chars().all(safe) {
        return fault(FaultKind::User, message);
    }
    fault(FaultKind::Reported(suffix), message)
}

fn print_expr(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = exec.text(state, call.arg(0))?;
    let shown = match call.arg(1) {
        Value::Expr(expr) => exec.pool.kquery_expression(expr),
        other => values::number(&exec.pool, other).unwrap_or(0).to_string(),
    };
    exec.events.observer.print(&format!("{text}:{shown}"));
    Ok(Reply::Nothing)
}

fn print_range(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = exec.text(state, call.arg(0))?;
    let shown = match (call.arg(1), values::number(&exec.pool, call.arg(1))) {
        (_, Some(number)) => format!("{number}"),
        (value, None) => {
            let expr = value.to_expr(&mut exec.pool, call.width(1));
            let example = exec.sample(state, value);
            let (low, high) = exec
                .solving
                .oracle
                .bounds(&mut exec.pool, &state.constraints, expr);
            let expr = exec.pool.kquery_expression(expr);
            if low == high {
                format!("{expr} == {low}")
            } else {
                format!("{expr} ~= {example} (in [{low}, {high}])")
            }
        }
    };
    exec.events.observer.print(&format!("{text}:{shown}"));
    Ok(Reply::Nothing)
}

fn stack_trace(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let lines = exec.stack_lines(state);
    exec.events.observer.stack(&lines);
    Ok(Reply::Nothing)
}

/// A text argument, after the name of the function that says it.
fn said(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<String> {
    let text = exec.text(state, call.arg(0))?;
    let speaker = &exec.program.function(state.frame.function).name;
    Ok(format!("{speaker}: {text}"))
}

fn warning(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = said(exec, state, call)?;
    exec.events.observer.warning(&text, false);
    Ok(Reply::Nothing)
}

fn warning_once(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = said(exec, state, call)?;
    exec.events.warn_once(text);
    Ok(Reply::Nothing)
}
