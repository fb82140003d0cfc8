//! System calls: the model of Linux over this engine's memory.
//!
//! The model sees the state's memory and path condition through [`Bridge`]. Whatever stops a call
//! (a fault, a split) is kept there; a call that has stopped has changed nothing of the
//! environment, so the instruction can be tried again after a split.

use crate::api::observe::Observer;
use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::executor::recovery;
use crate::library::runtime::SPAWN;
use crate::library::{Invocation, Reply};
use crate::state::State;
use crate::state::frame::OnReturn;
use crate::state::stop::{Flow, Step, Stop, fault, internal, unsupported};
use crate::step::Arguments;
use crate::threads::Called;
use plat_env::{
    Delivery, Difference, Environment, OutsideCounts, PID, SysResult, ThreadCall, UserMemory,
};
use plat_expr::{Byte, ExprId, Pool, Value};
use plat_memory::{Kind, Request, Site};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

const EXIT: u64 = 60;
const EXIT_GROUP: u64 = 231;
const EXECVE: u64 = 59;
const EXECVEAT: u64 = 322;
const ENOSYS: i64 = 38;
/// `SIGABRT`
const ABORT: u32 = 6;
const PAGE: u64 = 4096;
/// No `mmap` of more: the machine is out of memory then.
const LARGEST: u64 = 1 << 32;

/// The memory of a state as the model of Linux sees it.
struct Bridge<'e, 'a, 's> {
    exec: &'e mut Executor<'a>,
    state: &'s mut State,
    stop: Option<Box<Stop>>,
}

impl Bridge<'_, '_, '_> {
    /// Keeps why the call stops.
    fn keep<T>(&mut self, result: Step<T>) -> Result<T, plat_env::Stop> {
        result.map_err(|stop| {
            self.stop = Some(stop);
            plat_env::Stop
        })
    }
}

impl UserMemory for Bridge<'_, '_, '_> {
    fn pool(&mut self) -> &mut Pool {
        may_panic!();
        &mut self.exec.pool
    }

    fn read(&mut self, address: Value, size: u64) -> Result<Vec<Byte>, plat_env::Stop> {
        may_panic!();
        let result = self.exec.bytes_at(self.state, address, size);
        self.keep(result)
    }

    fn write(&mut self, address: Value, bytes: &[Byte]) -> Result<(), plat_env::Stop> {
        may_panic!();
        let result = self.exec.put_bytes(self.state, address, bytes);
        self.keep(result)
    }

    fn read_word(&mut self, address: Value) -> Result<Value, plat_env::Stop> {
        may_panic!();
        let result = self.exec.load_word(self.state, address, 64);
        self.keep(result)
    }

    fn write_word(&mut self, address: Value, word: Value) -> Result<(), plat_env::Stop> {
        may_panic!();
        let result = self.exec.store_word(self.state, address, word, 64);
        self.keep(result)
    }

    fn read_string(&mut self, address: Value, most: usize) -> Result<Vec<Byte>, plat_env::Stop> {
        may_panic!();
        let result = self.exec.string_bytes(self.state, address, most);
        self.keep(result)
    }

    fn take_least_model(&mut self) {
        may_panic!();
        self.exec.take_least_model(self.state);
    }

    fn sample(&mut self, value: ExprId) -> u64 {
        may_panic!();
        self.exec.sample(self.state, Value::Expr(value))
    }

    fn choose(&mut self, text: &[Byte], value: &[u8]) -> Result<(), plat_env::Stop> {
        may_panic!();
        let result = self.exec.choose_text(self.state, text, value);
        self.keep(result)
    }

    fn concrete(&mut self, value: Value) -> Result<u64, plat_env::Stop> {
        may_panic!();
        let bits = match value {
            Value::Expr(expr) => self.exec.pool.width(expr),
            _ => 64,
        };
        let result = self
            .exec
            .concrete(self.state, ForkKind::Environment, value, bits);
        self.keep(result)
    }

    fn decide(&mut self, condition: ExprId) -> Result<bool, plat_env::Stop> {
        may_panic!();
        let result = self
            .exec
            .decide(self.state, ForkKind::Environment, condition);
        self.keep(result)
    }

    fn allocate(&mut self, size: u64) -> Result<Option<Value>, plat_env::Stop> {
        may_panic!();
        if size > LARGEST {
            return Ok(None);
        }
        let program = self.exec.program;
        let string = self.exec.memory.contexts.of(program, self.state);
        let site = Site::Call(self.state.frame.inst(program), string);
        let request = Request {
            kind: Kind::Heap,
            size,
            align: PAGE,
            site,
            group: None,
            context: None,
            zero: true,
        };
        let (memory, mut cx) = self.exec.memory(self.state);
        Ok(memory.allocate(&mut cx, &request).ok())
    }

    fn release(&mut self, address: Value, size: u64) -> Result<(), plat_env::Stop> {
        may_panic!();
        if let Value::Pointer(object, 0) = address
            && self
                .state
                .memory
                .object(object)
                .is_some_and(|known| known.live && known.size == size)
        {
            let at = self.state.frame.inst(self.exec.program);
            let (memory, mut cx) = self.exec.memory(self.state);
            memory.release(&mut cx, object, at);
        }
        Ok(())
    }
}

/// `__plat_syscall(number, a, b, c, d, e, f)`.
pub(crate) fn system_call(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    may_panic!();
    let number = exec.concrete(state, ForkKind::Environment, call.arg(0), call.width(0))?;
    if number == EXIT_GROUP || (number == EXIT && !state.environment.thread.others) {
        return exec.process_exits(state, call.arg(1));
    }
    let other_program = matches!(number, EXECVE | EXECVEAT);
    if other_program && let Some(result) = state.environment.injected.system_result {
        return exec.another_program(state, result);
    }
    if other_program && state.environment.process() != PID {
        let call = call_text(number);
        return unsupported(format!(
            "{call}: another program (--system-result N says what comes of it)"
        ));
    }
    let mut args = [Value::Int(0); 6];
    for (at, arg) in args.iter_mut().enumerate() {
        *arg = call.arg(at + 1);
    }
    let written = (
        state.environment.stdout.size(),
        state.environment.stderr.size(),
    );
    let changes = state.environment.descriptors.changes();
    let outside = state.environment.descriptors.outside.counts;
    let called = recovery::with(
        exec,
        |exec| &mut exec.system.host,
        |exec, host| {
            with_environment(exec, state, |exec, state, environment| {
                let mut bridge = Bridge {
                    exec,
                    state,
                    stop: None,
                };
                let result = plat_env::system_call(environment, host, number, args, &mut bridge);
                let noted = (host.take_differences(), host.take_refused());
                (result, bridge.stop, noted)
            })
        },
    );
    let Some((result, stop, (differences, refused))) = called.flatten() else {
        return internal("a system call inside a system call");
    };
    if let Some(stop) = stop {
        return Err(stop);
    }
    may_panic!();
    exec.count_outside(state, &outside);
    if !matches!(result, Ok(SysResult::Thread(ThreadCall::Repeat(_)))) {
        let changed = state.environment.descriptors.changes() != changes;
        exec.call_returned(state, changed);
    }
    exec.show_output(state, written);
    if !differences.is_empty() {
        let call = exec.unsupported_name(state, None, &call_text(number));
        for difference in differences {
            let what = format!("{call}: {}", difference.what());
            match &refused {
                Some(path) if difference == Difference::NotGiven => {
                    let sees = not_given(path);
                    exec.note_unsupported(state, what, &sees);
                }
                _ => exec.note_unsupported(state, what, difference.sees()),
            }
        }
    }
    match result {
        Ok(SysResult::Return(value)) => Ok(Reply::Value(value)),
        Ok(SysResult::Exit(code)) => Err(PathEnd::Exited(code).into()),
        Ok(SysResult::Thread(call)) => match exec.thread_call(state, call)? {
            Called::Replied(reply) => Ok(reply),
            Called::Delivers(delivery) => deliver(exec, state, delivery),
        },
        Ok(SysResult::Process(call)) => match exec.process_call(state, call)? {
            Called::Replied(reply) => Ok(reply),
            Called::Delivers(delivery) => deliver(exec, state, delivery),
        },
        Ok(SysResult::Signal(delivery)) => deliver(exec, state, delivery),
        Ok(SysResult::Unsupported) => {
            let what = exec.unsupported_name(state, None, &call_text(number));
            let sees = match plat_env::system_call_name(number) {
                "execve" | "execveat" => SPAWN,
                _ => "it is not modelled and fails with ENOSYS",
            };
            exec.note_unsupported(state, what, sees);
            Ok(Reply::Value(Value::Int(-ENOSYS as u64)))
        }
        Err(plat_env::Stop) => internal("a system call without a result"),
    }
}

impl Executor<'_> {
    /// Counts what has come from outside, and gone there, in a call.
    fn count_outside(&mut self, state: &State, before: &OutsideCounts) {
        let now = &state.environment.descriptors.outside.counts;
        if now == before {
            return;
        }
        let counts = &mut self.counters.counts.outside;
        counts.peers += u64::from(now.peers - before.peers);
        counts.received += now.received - before.received;
        counts.sent += now.sent - before.sent;
    }
}

/// What a program sees of a file that it was not given, and how it is given.
fn not_given(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    format!(
        "{path} looks absent (ENOENT); --allow-file {path} lets the program read it, --files host \
         every file"
    )
}

/// A system call as reports name it.
fn call_text(number: u64) -> String {
    may_panic!();
    match plat_env::system_call_name(number) {
        "unknown" => format!("system call {number}"),
        name => format!("system call {name}"),
    }
}

/// Takes the environment out of a state while something changes both. Another one stands in for it.
fn with_environment<'a, R>(
    exec: &mut Executor<'a>,
    state: &mut State,
    work: impl FnOnce(&mut Executor<'a>, &mut State, &mut Environment) -> R,
) -> Option<R> {
    may_panic!();
    recovery::with(
        exec,
        |exec| &mut exec.system.idle_environment,
        |exec, out| {
            std::mem::swap(&mut state.environment, out);
            let done = catch_unwind(AssertUnwindSafe(|| work(exec, state, Rc::make_mut(out))));
            std::mem::swap(&mut state.environment, out);
            done.unwrap_or_else(|panic| resume_unwind(panic))
        },
    )
}

/// A signal: its handler runs before the call returns.
fn deliver(exec: &mut Executor<'_>, state: &mut State, delivery: Delivery) -> Step<Reply> {
    let Some(handler) = delivery.handler else {
        return match delivery.signal {
            // What ends a child of the program is in its status, unless it is an error.
            signal if signal != ABORT && state.environment.process() != PID => {
                exec.process_killed(state, signal)
            }
            ABORT => fault(FaultKind::Abort, "abort failure"),
            signal => fault(
                FaultKind::Abort,
                format!("signal {signal} ends the program"),
            ),
        };
    };
    let Some(function) = exec.code.function_at(&exec.pool, handler) else {
        return fault(FaultKind::Pointer, "memory error: invalid function pointer");
    };
    if exec.program.function(function).declaration {
        let name = &exec.program.function(function).name;
        return crate::state::stop::unsupported(format!(
            "external function {name} as signal handler"
        ));
    }
    let program = exec.program;
    let caller = program.function(state.frame.function);
    let args: Arguments = [Value::Int(u64::from(delivery.signal))]
        .into_iter()
        .collect();
    let mut registers = exec.registers(function);
    for (register, at) in registers
        .iter_mut()
        .zip(0..program.function(function).params.len())
    {
        *register = args.get(at).copied().unwrap_or(Value::Int(0));
    }
    if let Some(dst) = caller.insts[state.frame.pc as usize].dst() {
        state.frame.regs[dst.index()] = delivery.result;
    }
    if exec.behind_call(state) == Flow::Next {
        state.frame.pc += 1;
    }
    exec.enter(state, function, registers, &[])?;
    state.frame.on_return = OnReturn::Resume;
    Ok(Reply::Transferred)
}

impl Executor<'_> {
    /// Passes on what a state has just written: one without symbolic input, or any. Of symbolic
    /// bytes, values are shown that they can have together.
    pub(crate) fn show_output(&mut self, state: &State, before: (u64, u64)) {
        may_panic!();
        let concrete = state.history.depth == 0
            && state.input.symbolics.is_empty()
            && !state.input.given.symbolic;
        if !concrete && !self.config.all_output {
            return;
        }
        let streams = [
            (1, &state.environment.stdout, before.0),
            (2, &state.environment.stderr, before.1),
        ];
        for (descriptor, output, from) in streams {
            if output.size() == from {
                continue;
            }
            let bytes = output.bytes_from(from).into_iter();
            let bytes = bytes.map(|byte| match byte {
                Byte::Concrete(byte) => byte,
                Byte::Symbolic(expr) => self.sample(state, Value::Expr(expr)) as u8,
            });
            let bytes: Vec<u8> = bytes.collect();
            self.events.observer.output(descriptor, &bytes);
        }
    }
}
