//! One system call: its arguments, what it may access, its result.
//!
//! A handler reads its arguments first (which may stop the call, see [`Stop`]), writes to the
//! program's memory, and changes the environment last. So a call that stopped can be repeated.

use crate::calls;
use crate::descriptors::{Stream, Target};
use crate::environment::{Environment, Failures, Injected};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::host::Host;
use crate::memory::{Stop, UserMemory};
use crate::metadata::Time;
use crate::processes::ProcessCall;
use crate::signals::{Delivery, Effect};
use crate::symbolic_path::{self, Absent};
use crate::symbolic_status::SymbolicStatus;
use crate::threads::{ThreadCall, Waits, Waker};
use crate::tree::{Follow, PATH_MAX, Place};
use crate::world;
use plat_expr::{Byte, Value};
use std::sync::Arc;

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SysResult {
    /// It returned this value; errors are negative.
    Return(Value),
    /// The program ended with this status.
    Exit(i32),
    /// It asks something of the threads.
    Thread(ThreadCall),
    /// It asks something of the processes.
    Process(ProcessCall),
    /// It returned, and delivers a signal.
    Signal(Delivery),
    /// The model has no such call. The program sees `ENOSYS`.
    Unsupported,
}

impl SysResult {
    /// The call returned a number.
    pub(crate) fn number(number: u64) -> SysResult {
        SysResult::Return(Value::Int(number))
    }

    /// The call returned an error.
    pub(crate) fn error(errno: Errno) -> SysResult {
        SysResult::Return(Value::Int((-i64::from(errno.0)) as u64))
    }
}

/// Why a handler has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The call returns this error.
    Errno(Errno),
    /// The call stops.
    Stop,
    /// The call waits and has changed nothing but, maybe, who stands in line for an object of System V
    /// IPC; see [`ThreadCall::Repeat`].
    Wait(Waits),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Failure::Errno(errno)
    }
}

impl From<Stop> for Failure {
    fn from(_: Stop) -> Self {
        Failure::Stop
    }
}

/// What a handler returns.
pub type Answer = Result<SysResult, Failure>;

/// A call that the model knows.
pub struct SystemCall {
    /// Its number on x86-64.
    pub number: u64,
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub run: fn(&mut Call<'_>) -> Answer,
}

/// A running call.
pub struct Call<'a> {
    /// The environment of the path.
    pub env: &'a mut Environment,
    /// The files of the host.
    pub host: &'a mut Host,
    /// The memory of the path.
    pub memory: &'a mut dyn UserMemory,
    /// The arguments.
    pub args: [Value; 6],
    /// The injected failures after this call.
    failures: Option<Failures>,
}

/// Executes a system call.
pub fn system_call(
    env: &mut Environment,
    host: &mut Host,
    number: u64,
    args: [Value; 6],
    memory: &mut dyn UserMemory,
) -> Result<SysResult, Stop> {
    let Some(entry) = calls::find(number) else {
        return Ok(SysResult::Unsupported);
    };
    let failures = env.injected.calls;
    let tells = world::tells(&env.descriptors, number, &args);
    let mut call = Call {
        env,
        host,
        memory,
        args,
        failures,
    };
    let answer = (entry.run)(&mut call);
    let failures = call.failures;
    let result = match answer {
        Ok(result) => result,
        Err(Failure::Errno(errno)) => SysResult::error(errno),
        Err(Failure::Stop) => {
            host.take_differences();
            return Err(Stop);
        }
        Err(Failure::Wait(waits)) => {
            host.take_differences();
            return Ok(SysResult::Thread(ThreadCall::Repeat(waits)));
        }
    };
    env.injected.calls = failures;
    env.heard.calls += u64::from(tells);
    env.heard.timers |= world::starts_timer(number);
    env.clock.step();
    Ok(result)
}

impl Call<'_> {
    /// Records that this call differs from Linux.
    pub fn differs(&mut self, difference: Difference) {
        self.host.differs(difference);
    }

    /// Argument `index` as a number.
    pub fn int(&mut self, index: usize) -> Result<u64, Stop> {
        match self.args[index] {
            Value::Int(number) => Ok(number),
            other => self.memory.concrete(other),
        }
    }

    /// Argument `index` as a C `int`: descriptors, flags.
    pub fn int32(&mut self, index: usize) -> Result<i32, Stop> {
        Ok(self.int(index)? as i32)
    }

    /// Argument `index` as a C `unsigned`.
    pub fn uint32(&mut self, index: usize) -> Result<u32, Stop> {
        Ok(self.int(index)? as u32)
    }

    /// Whether argument `index` is a null pointer.
    pub fn is_null(&mut self, index: usize) -> Result<bool, Stop> {
        match self.args[index] {
            Value::Int(number) => Ok(number == 0),
            Value::Pointer(..) => Ok(false),
            other => Ok(self.memory.concrete(other)? == 0),
        }
    }

    /// Argument `index` as a path: its bytes; any symbolic byte may be the terminator.
    pub fn text(&mut self, index: usize) -> Result<Vec<Byte>, Failure> {
        if self.is_null(index)? {
            return Err(Errno::EFAULT.into());
        }
        Ok(self.memory.read_string(self.args[index], PATH_MAX)?)
    }

    /// Argument `index` as a string to be stored; a symbolic one is restricted to one value.
    pub fn kept_text(&mut self, index: usize) -> Result<Vec<u8>, Failure> {
        let text = self.text(index)?;
        Ok(symbolic_path::chosen(self.memory, &text)?)
    }

    /// Whether the path in argument `index` is empty.
    pub fn is_empty(&mut self, index: usize) -> Result<bool, Failure> {
        match self.text(index)?.first() {
            None => Ok(true),
            Some(&first) => Ok(self.is_byte(first, 0)?),
        }
    }

    /// Whether a byte equals `value` on this path; forks if both are possible.
    fn is_byte(&mut self, byte: Byte, value: u8) -> Result<bool, Stop> {
        match byte {
            Byte::Concrete(byte) => Ok(byte == value),
            Byte::Symbolic(expr) => {
                let pool = self.memory.pool();
                let value = pool.constant(8, value.into());
                let condition = pool.eq(expr, value);
                self.memory.decide(condition)
            }
        }
    }

    /// The directory that a relative path starts from: that of the descriptor in argument `index`
    /// (`AT_FDCWD` is the working directory).
    pub fn base(&mut self, index: usize, path: &[Byte]) -> Result<Arc<[u8]>, Failure> {
        let fd = self.int32(index)?;
        if fd == AT_FDCWD {
            return Ok(self.env.directory.clone());
        }
        let Some(&first) = path.first() else {
            return Err(Errno::ENOENT.into());
        };
        if self.is_byte(first, 0)? {
            return Err(Errno::ENOENT.into());
        }
        if self.is_byte(first, b'/')? {
            return Ok(self.env.directory.clone());
        }
        Ok(self.directory_of(fd)?)
    }

    fn walk(
        &mut self,
        start: &[u8],
        text: &[Byte],
        follow: Follow,
        absent: Absent,
    ) -> Result<Place, Failure> {
        let path = symbolic_path::concretise(self, text, start, follow, absent)?;
        Ok(self.env.tree.walk(self.host, start, &path, follow)?)
    }

    /// The place that the path in argument `index` names, from the working directory.
    pub fn place(&mut self, index: usize, follow: Follow) -> Result<Place, Failure> {
        let (text, start) = (self.text(index)?, self.env.directory.clone());
        self.walk(&start, &text, follow, Absent::Fails)
    }

    /// The place that arguments `index` (a directory descriptor) and `index + 1` (a path) name.
    pub fn place_at(&mut self, index: usize, follow: Follow) -> Result<Place, Failure> {
        let text = self.text(index + 1)?;
        let start = self.base(index, &text)?;
        self.walk(&start, &text, follow, Absent::Fails)
    }

    /// As [`Call::place`], for a name that the call creates if it does not exist.
    pub fn new_place(&mut self, index: usize) -> Result<Place, Failure> {
        let (text, start) = (self.text(index)?, self.env.directory.clone());
        self.walk(&start, &text, Follow::Name, Absent::Made)
    }

    /// As [`Call::place_at`], for a name that the call creates if it does not exist.
    pub fn new_place_at(&mut self, index: usize) -> Result<Place, Failure> {
        let text = self.text(index + 1)?;
        let start = self.base(index, &text)?;
        self.walk(&start, &text, Follow::Name, Absent::Made)
    }

    /// The path of a descriptor that is a directory.
    pub fn directory_of(&self, fd: i32) -> Result<Arc<[u8]>, Errno> {
        match &self.env.descriptors.get(fd)?.target {
            Target::Directory { path, .. } => Ok(path.clone()),
            _ => Err(Errno::ENOTDIR),
        }
    }

    /// The symbolic status of a descriptor, if it is a symbolic standard output.
    pub fn symbolic_output(&self, fd: i32) -> Result<Option<SymbolicStatus>, Errno> {
        let output = self.env.descriptors.get(fd)?.target == Target::Stream(Stream::Out);
        Ok(self.env.statuses.output.clone().filter(|_| output))
    }

    /// Whether a descriptor is a symbolic standard output of this file kind on this path.
    pub fn is_output_of_kind(&mut self, fd: i32, kind: u32) -> Result<bool, Failure> {
        let Some(output) = self.symbolic_output(fd)? else {
            return Ok(false);
        };
        let condition = output.is_kind(self.memory.pool(), kind);
        Ok(self.memory.decide(condition)?)
    }

    /// The symbolic status of a descriptor, if it has one.
    pub fn symbolic_status(&self, fd: i32) -> Result<Option<SymbolicStatus>, Errno> {
        match self.env.descriptors.get(fd)?.target {
            Target::File(id) => {
                let metadata = self.env.tree.file(id)?.metadata();
                Ok(self.env.statuses.of_file(id, &metadata))
            }
            _ => self.symbolic_output(fd),
        }
    }

    /// Whether a descriptor has a symbolic status, which is of this file kind on this path.
    pub fn is_of_kind(&mut self, fd: i32, kind: u32) -> Result<bool, Failure> {
        let Some(status) = self.symbolic_status(fd)? else {
            return Ok(false);
        };
        let condition = status.is_kind(self.memory.pool(), kind);
        Ok(self.memory.decide(condition)?)
    }

    /// Why a call has no result yet that waits at most so long; none when the time is over.
    pub fn wait(&self, limit: Option<Time>, waker: Waker) -> Option<Failure> {
        self.wait_for_timers(limit, None, waker)
    }

    /// The same for a call that a timer may let go on, in so long.
    pub fn wait_for_timers(
        &self,
        limit: Option<Time>,
        timer: Option<Time>,
        waker: Waker,
    ) -> Option<Failure> {
        let env = &self.env;
        let limit = limit.map(|limit| {
            let known = env.thread.limit;
            known.unwrap_or_else(|| env.clock.uptime_after(limit))
        });
        if limit.is_some_and(|limit| env.clock.uptime() >= limit) {
            return None;
        }
        let timer = timer.map(|left| env.clock.uptime_after(left));
        let until = limit.into_iter().chain(timer).min();
        Some(Failure::Wait(Waits {
            until,
            limit,
            waker,
        }))
    }

    /// Concrete bytes at `address`; symbolic ones are made concrete.
    pub fn get(&mut self, address: Value, size: u64) -> Result<Vec<u8>, Stop> {
        let bytes = self.memory.read(address, size)?;
        self.concrete_bytes(&bytes)
    }

    /// Bytes, of which symbolic ones are made concrete.
    pub fn concrete_bytes(&mut self, bytes: &[Byte]) -> Result<Vec<u8>, Stop> {
        let mut concrete = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            concrete.push(match byte {
                Byte::Concrete(byte) => byte,
                Byte::Symbolic(expr) => self.memory.concrete(Value::Expr(expr))? as u8,
            });
        }
        Ok(concrete)
    }

    /// The little-endian number of 8 bytes at argument `index` plus `distance`.
    pub fn get_u64(&mut self, index: usize, distance: u64) -> Result<u64, Stop> {
        let address = self.memory.displaced(self.args[index], distance);
        match self.memory.read_word(address)? {
            Value::Int(number) => Ok(number),
            other => self.memory.concrete(other),
        }
    }

    /// Store concrete bytes at the address in argument `index`, unless it is null.
    pub fn put(&mut self, index: usize, bytes: &[u8]) -> Result<(), Stop> {
        if self.is_null(index)? {
            return Ok(());
        }
        self.memory.write_concrete(self.args[index], bytes)
    }

    /// Fails if this is the call with an injected failure; forks if it may be.
    pub fn injected(&mut self, kind: Injected) -> Result<(), Failure> {
        let Some(mut failures) = self.failures else {
            return Ok(());
        };
        let index = kind as usize;
        failures.calls[index] += 1;
        let mut fails = false;
        if failures.left > 0 {
            let pool = self.memory.pool();
            let count = pool.constant(32, u64::from(failures.calls[index]));
            let condition = pool.eq(failures.ordinals[index], count);
            fails = self.memory.decide(condition)?;
        }
        if fails {
            failures.left -= 1;
        }
        self.failures = Some(failures);
        match (fails, kind) {
            (false, _) => Ok(()),
            (true, Injected::Getcwd) => Err(Errno::ERANGE.into()),
            (true, _) => Err(Errno::EIO.into()),
        }
    }

    /// A signal for the running thread arrives during the call, which returns `result`.
    pub fn deliver(&mut self, signal: u32, result: Value) -> SysResult {
        let thread = &mut self.env.signals.thread;
        if thread.blocks(signal) {
            thread.keep(signal);
            return SysResult::Return(result);
        }
        self.deliver_now(signal, result)
    }

    /// The same with a signal that is not blocked.
    pub fn deliver_now(&mut self, signal: u32, result: Value) -> SysResult {
        match self.env.signals.effect(signal) {
            Effect::Nothing => SysResult::Return(result),
            Effect::Terminate => SysResult::Signal(Delivery {
                signal,
                handler: None,
                result,
            }),
            Effect::Call(handler) => SysResult::Signal(Delivery {
                signal,
                handler: Some(handler),
                result,
            }),
        }
    }
}

/// The descriptor that means the working directory.
pub const AT_FDCWD: i32 = -100;
