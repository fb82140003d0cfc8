//! The heap: malloc and its relatives, free, operator new and delete.
//!
//! Each allocation is told the group of its context: the annotated calls on the call stack, from
//! the allocating call outwards, are matched with the contexts that the transform has written
//! into the module.

use super::{Invocation, Reply, Table, When};
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::code::errno::ErrnoPlace;
use crate::executor::Executor;
use crate::memory::sizes::{LARGEST, Size};
use crate::state::State;
use crate::state::stop::{Step, Stop, fault};
use plat_env::FailingAllocation;
use plat_expr::{Byte, ObjectId, Value};
use plat_memory::{AccessKind, Kind, Request, Site};
use std::rc::Rc;

pub(super) const TABLE: Table = &[
    ("_ZdaPv", When::Declared, free),
    ("_ZdaPvRKSt9nothrow_t", When::Declared, free),
    ("_ZdaPvSt11align_val_t", When::Declared, free),
    ("_ZdaPvSt11align_val_tRKSt9nothrow_t", When::Declared, free),
    ("_ZdaPvm", When::Declared, free),
    ("_ZdaPvmSt11align_val_t", When::Declared, free),
    ("_ZdlPv", When::Declared, free),
    ("_ZdlPvRKSt9nothrow_t", When::Declared, free),
    ("_ZdlPvSt11align_val_t", When::Declared, free),
    ("_ZdlPvSt11align_val_tRKSt9nothrow_t", When::Declared, free),
    ("_ZdlPvm", When::Declared, free),
    ("_ZdlPvmSt11align_val_t", When::Declared, free),
    ("_Znam", When::Declared, new),
    ("_ZnamRKSt9nothrow_t", When::Declared, new),
    ("_ZnamSt11align_val_t", When::Declared, new),
    ("_ZnamSt11align_val_tRKSt9nothrow_t", When::Declared, new),
    ("_Znwm", When::Declared, new),
    ("_ZnwmRKSt9nothrow_t", When::Declared, new),
    ("_ZnwmSt11align_val_t", When::Declared, new),
    ("_ZnwmSt11align_val_tRKSt9nothrow_t", When::Declared, new),
    ("aligned_alloc", When::Always, aligned_alloc),
    ("calloc", When::Always, calloc),
    ("cfree", When::Declared, free),
    ("free", When::Always, free),
    ("malloc", When::Always, malloc),
    ("malloc_usable_size", When::Always, usable_size),
    ("memalign", When::Always, aligned_alloc),
    ("posix_memalign", When::Always, posix_memalign),
    ("pvalloc", When::Always, valloc),
    ("realloc", When::Always, realloc),
    ("reallocarray", When::Always, reallocarray),
    ("valloc", When::Always, valloc),
];

/// Alignment of every allocation that asks for none.
const ALIGN: u64 = 16;

/// Larger requests fail under KLEE's names: what an object costs follows what is written to it.
const LARGEST_AS_KLEE: u64 = 1 << 36;

/// KLEE warns of larger allocations.
const LARGE: u64 = 10 << 20;

const INVALID_REALLOC: &str = "memory error: invalid pointer: realloc";
const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;

impl Executor<'_> {
    /// A fresh heap object of zero bytes; `None` when there is no memory left.
    pub(super) fn heap_object(
        &mut self,
        state: &mut State,
        bytes: Size,
        align: u64,
    ) -> Option<Value> {
        may_panic!();
        let size = bytes.room();
        let largest = match self.config.start.as_klee {
            true => LARGEST_AS_KLEE,
            false => LARGEST,
        };
        if size > largest || !align.is_power_of_two() || align > LARGEST {
            let what = format!("an allocation of more than {} GiB", largest >> 30);
            self.note_unsupported(state, what, "it fails with ENOMEM");
            return None;
        }
        if size > LARGE && self.config.start.as_klee {
            self.events.warn_once(format!(
                "Large memory allocation ({size} bytes). KLEE may run out of memory."
            ));
        }
        let string = self.memory.contexts.of(self.program, state);
        let group = self.memory.contexts.group(self.program, string);
        let site = Site::Call(state.frame.inst(self.program), string);
        let request = Request {
            kind: Kind::Heap,
            size,
            align: align.max(ALIGN),
            site,
            group,
            context: self.memory.contexts.context(string),
            zero: true,
        };
        let (memory, mut cx) = self.memory(state);
        let value = memory.allocate(&mut cx, &request).ok()?;
        self.counters.counts.allocations += 1;
        if let Value::Pointer(object, _) = value {
            self.allocated_block(state, object, size);
        }
        self.bind_size(state, value, bytes);
        Some(value)
    }

    /// The result of an allocation: its address, or null with ENOMEM. Nothing may have changed before.
    fn allocated(&mut self, state: &mut State, size: Size, align: u64) -> Step<Reply> {
        let fresh = match self.allocation_fails(state)? {
            true => None,
            false => self.heap_object(state, size, align),
        };
        Ok(Reply::Value(fresh.unwrap_or_else(|| {
            self.set_errno(state, ENOMEM);
            Value::Int(0)
        })))
    }

    /// Whether this allocation is the one that fails on the path (`--fail-malloc`). The path splits
    /// before anything is changed, and counts behind that.
    fn allocation_fails(&mut self, state: &mut State) -> Step<bool> {
        let Some(failing) = state
            .environment
            .injected
            .allocation
            .filter(|one| !one.done)
        else {
            return Ok(false);
        };
        let calls = failing.calls + 1;
        let count = self.pool.constant(32, calls.into());
        let condition = self.pool.eq(failing.ordinal, count);
        let done = self.decide(state, ForkKind::Allocation, condition)?;
        Rc::make_mut(&mut state.environment).injected.allocation = Some(FailingAllocation {
            calls,
            done,
            ..failing
        });
        Ok(done)
    }

    /// Where the running thread keeps `errno`.
    pub(crate) fn errno(&mut self, state: &State) -> Option<Value> {
        match self.code.errno? {
            ErrnoPlace::At(address) => Some(address),
            ErrnoPlace::Behind(Value::Pointer(object, offset), by) => {
                let objects = &self.memory.objects;
                let read = (state.memory).load(&mut self.pool, objects, object, offset, 64);
                match read.ok()? {
                    Value::Pointer(structure, at) => Some(Value::Pointer(structure, at + by)),
                    _ => None,
                }
            }
            ErrnoPlace::Behind(..) => None,
        }
    }

    /// Stores an error number where the program looks for it, if it does.
    pub(crate) fn set_errno(&mut self, state: &mut State, number: u64) {
        if let Some(Value::Pointer(object, offset)) = self.errno(state) {
            // A store that faults here would be the program's own fault elsewhere.
            let _ = state.memory.store(
                &mut self.pool,
                &self.memory.objects,
                object,
                offset,
                Value::Int(number),
                32,
            );
        }
    }

    /// Argument `at` as an allocation size.
    fn size_argument(&mut self, state: &mut State, call: &Invocation<'_>, at: usize) -> Step<Size> {
        let size = self.size_value_of(call, at);
        self.allocation_size(state, size)
    }

    /// Argument `at` as a size of 64 bits.
    fn size_value_of(&mut self, call: &Invocation<'_>, at: usize) -> Value {
        crate::values::resize(&mut self.pool, call.arg(at), call.width(at), 64)
    }

    /// The product of two arguments as an allocation size.
    fn product_argument(
        &mut self,
        state: &mut State,
        call: &Invocation<'_>,
        at: usize,
    ) -> Step<Size> {
        let (count, each) = (
            self.size_value_of(call, at),
            self.size_value_of(call, at + 1),
        );
        self.require_scalar(count)?;
        self.require_scalar(each)?;
        let size = self.size_product(state, count, each)?;
        self.allocation_size(state, size)
    }

    /// Argument `at` as an alignment: every feasible one on a path of its own.
    fn alignment(&mut self, state: &mut State, call: &Invocation<'_>, at: usize) -> Step<u64> {
        self.concrete(state, ForkKind::Allocation, call.arg(at), call.width(at))
    }

    /// The heap object that a pointer is the start of, to release or resize; `None` for null.
    fn heap_start(&mut self, state: &mut State, pointer: Value) -> Step<Option<ObjectId>> {
        self.require_scalar(pointer)?;
        if let Value::Expr(_) = pointer {
            let targets = self.targets(state, pointer, 0, AccessKind::Free)?;
            let objects = targets
                .iter()
                .flat_map(|target| target.objects.iter().copied());
            let objects: Vec<ObjectId> = objects.collect();
            return match objects.as_slice() {
                [] => Ok(None),
                [only] => Ok(Some(*only)),
                _ => {
                    let number = self.concrete(state, ForkKind::Resolution, pointer, 64)?;
                    self.known_heap_start(state, Value::Int(number))
                }
            };
        }
        self.known_heap_start(state, pointer)
    }

    fn known_heap_start(&mut self, state: &State, pointer: Value) -> Step<Option<ObjectId>> {
        state
            .memory
            .check_free(&self.memory.objects, pointer)
            .map_err(|fault| self.fault_end(fault).into())
    }

    /// The live object that a pointer is the start of, with its size.
    pub(crate) fn object_start(
        &mut self,
        state: &mut State,
        pointer: Value,
        what: &str,
    ) -> Step<(ObjectId, u64)> {
        self.require_scalar(pointer)?;
        let pointer = match pointer {
            Value::Expr(_) => {
                Value::Int(self.concrete(state, ForkKind::Resolution, pointer, 64)?)
            }
            other => other,
        };
        let found = match pointer {
            Value::Pointer(object, 0) => Some(object),
            Value::Pointer(..) => None,
            other => crate::values::number(&self.pool, other)
                .and_then(|number| state.memory.find(number))
                .and_then(|(object, offset)| (offset == 0).then_some(object)),
        };
        match found.and_then(|object| Some((object, state.memory.object(object)?))) {
            Some((object, known)) if known.live => Ok((object, self.known_size(state, object)?)),
            _ => {
                let message = format!("memory error: invalid pointer: {what}");
                Err(PathEnd::Fault(Fault::new(FaultKind::Pointer, message)).into())
            }
        }
    }

    pub(super) fn release(&mut self, state: &mut State, object: ObjectId) {
        let at = self.calling_inst(state);
        let (memory, mut cx) = self.memory(state);
        memory.release(&mut cx, object, at);
        let size = self.memory.objects.get(object).size;
        self.freed(state, object, size);
    }
}

/// The error of `realloc` that the error of a release stands for.
fn of_realloc(mut stop: Box<Stop>) -> Box<Stop> {
    if let Stop::End(PathEnd::Fault(fault)) = &mut *stop
        && matches!(fault.kind, FaultKind::Free | FaultKind::InvalidFree)
        && fault.message != "memory error: double free"
    {
        fault.kind = FaultKind::InvalidFree;
        fault.message = INVALID_REALLOC.into();
    }
    stop
}

fn malloc(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    may_panic!();
    let size = exec.size_argument(state, call, 0)?;
    exec.allocated(state, size, ALIGN)
}

/// `operator new` in all its forms. What fits no memory is thrown, if not asked otherwise.
fn new(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let name = &exec.program.function(call.callee).name;
    let (aligned, quiet) = (name.contains("align_val_t"), name.contains("nothrow_t"));
    let size = exec.size_argument(state, call, 0)?;
    let align = match aligned {
        true => exec.alignment(state, call, 1)?,
        false => ALIGN,
    };
    let fresh = match exec.allocation_fails(state)? {
        true => None,
        false => exec.heap_object(state, size, align),
    };
    match fresh {
        Some(fresh) => Ok(Reply::Value(fresh)),
        None if quiet => Ok(Reply::Value(Value::Int(0))),
        None => exec.throw_bad_alloc(state),
    }
}

fn calloc(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let mut size = exec.product_argument(state, call, 0)?;
    if let (Size::Bounded { size: bytes, .. }, true) = (size, exec.hooks.allocations) {
        let bytes = exec.concrete(state, ForkKind::Allocation, Value::Expr(bytes), 64)?;
        size = Size::Known(bytes);
    }
    let reply = exec.allocated(state, size, ALIGN)?;
    if let Reply::Value(fresh @ Value::Pointer(..)) = reply
        && exec.hooks.allocations
    {
        exec.fill_bytes(state, fresh, Byte::Concrete(0), size.room())?;
    }
    Ok(reply)
}

fn aligned_alloc(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let align = exec.alignment(state, call, 0)?;
    let size = exec.size_argument(state, call, 1)?;
    if !align.is_power_of_two() {
        exec.set_errno(state, EINVAL);
        return Ok(Reply::Value(Value::Int(0)));
    }
    exec.allocated(state, size, align)
}

fn valloc(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let size = exec.size_argument(state, call, 0)?;
    exec.allocated(state, size, 4096)
}

fn posix_memalign(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let align = exec.alignment(state, call, 1)?;
    let size = exec.size_argument(state, call, 2)?;
    if !align.is_power_of_two() || align < 8 {
        return Ok(Reply::Value(Value::Int(EINVAL)));
    }
    // The result's place is checked before anything is allocated.
    exec.load_word(state, call.arg(0), 64)?;
    if exec.allocation_fails(state)? {
        return Ok(Reply::Value(Value::Int(ENOMEM)));
    }
    match exec.heap_object(state, size, align) {
        Some(value) => {
            exec.store_word(state, call.arg(0), value, 64)?;
            Ok(Reply::Value(Value::Int(0)))
        }
        None => Ok(Reply::Value(Value::Int(ENOMEM))),
    }
}

fn resize(exec: &mut Executor<'_>, state: &mut State, pointer: Value, size: Size) -> Step<Reply> {
    let old = exec.heap_start(state, pointer).map_err(of_realloc)?;
    let Some(old) = old else {
        return exec.allocated(state, size, ALIGN);
    };
    let reply = exec.allocated(state, size, ALIGN)?;
    if let Reply::Value(new @ Value::Pointer(fresh, _)) = reply {
        match (exec.size_value(state, old), size) {
            (Value::Int(before), Size::Known(size)) => {
                let old = Value::Pointer(old, 0);
                exec.move_bytes(state, new, old, before.min(size))?;
            }
            _ => {
                let memory = &mut state.memory;
                memory.copy_room(&mut exec.pool, &exec.memory.objects, fresh, old);
            }
        }
        exec.release(state, old);
    }
    Ok(reply)
}

fn realloc(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let size = exec.size_argument(state, call, 1)?;
    resize(exec, state, call.arg(0), size)
}

fn reallocarray(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let size = exec.product_argument(state, call, 1)?;
    if size == Size::Known(u64::MAX) {
        exec.set_errno(state, ENOMEM);
        return Ok(Reply::Value(Value::Int(0)));
    }
    resize(exec, state, call.arg(0), size)
}

fn free(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    may_panic!();
    if let Some(object) = exec.heap_start(state, call.arg(0))? {
        exec.check_family(state, call, object)?;
        exec.release(state, object);
    }
    Ok(Reply::Nothing)
}

fn usable_size(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    if call.arg(0) == Value::Int(0) {
        return Ok(Reply::Value(Value::Int(0)));
    }
    let (_, size) = exec.object_start(state, call.arg(0), "malloc_usable_size")?;
    Ok(Reply::Value(Value::Int(size)))
}

/// `__plat_msize`: the size of the heap object that is about to be replaced; the errors are those
/// of the `realloc` that the call stands for.
pub(super) fn msize(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    match exec.heap_start(state, call.arg(0)) {
        Ok(Some(object)) => Ok(Reply::Value(exec.size_value(state, object))),
        Ok(None) => fault(FaultKind::InvalidFree, INVALID_REALLOC),
        Err(stop) => Err(of_realloc(stop)),
    }
}
