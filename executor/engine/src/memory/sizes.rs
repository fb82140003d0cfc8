//! Allocations of symbolic size: what becomes of the size, and the check of accesses against it.

use crate::api::config::SymbolicSize;
use crate::api::outcome::{Limit, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, Stop};
use plat_expr::{Assignment, EvalMemo, ExprId, IntPredicate, ObjectId, Value};
use plat_memory::{AccessKind, Fault, FaultKind};

/// The size of an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Size {
    /// A number of bytes.
    Known(u64),
    /// What an expression says: at least `least` and at most `room` bytes.
    Bounded {
        /// The expression, 64 bits wide.
        size: ExprId,
        /// The least value that is feasible.
        least: u64,
        /// The capacity.
        room: u64,
    },
}

impl Size {
    /// The bytes to make room for.
    pub(crate) fn room(self) -> u64 {
        match self {
            Size::Known(size) => size,
            Size::Bounded { room, .. } => room,
        }
    }
}

/// Larger requests fail, as they do on a machine that has no more memory.
pub(crate) const LARGEST: u64 = 1 << 32;

impl Executor<'_> {
    /// A size in bytes (64 bits), by the policy for symbolic ones.
    pub(crate) fn allocation_size(&mut self, state: &mut State, size: Value) -> Step<Size> {
        may_panic!();
        if let Some(size) = crate::values::number(&self.pool, size) {
            return Ok(Size::Known(size));
        }
        self.require_scalar(size)?;
        let policy = self.config.memory.symbolic_size;
        if policy == SymbolicSize::Fork {
            let size = self.concrete(state, ForkKind::Allocation, size, 64)?;
            return Ok(Size::Known(size));
        }
        let size = size.to_expr(&mut self.pool, 64);
        let size = self.pool.number(size);
        let largest = self.pool.constant(64, LARGEST);
        let refused = self.pool.compare(IntPredicate::Ugt, size, largest);
        if self.decide(state, ForkKind::Allocation, refused)? {
            // It fails whatever it is.
            return Ok(Size::Known(u64::MAX));
        }
        match policy {
            SymbolicSize::Concretize => {
                self.take_least_model(state);
                let value = self
                    .solving
                    .oracle
                    .value(&mut self.pool, &state.constraints, size);
                self.only_size(state, size, value)
            }
            SymbolicSize::Max => {
                self.within_capacity(state, size)?;
                let pool = &mut self.pool;
                let (_, most) = self.solving.oracle.bounds(pool, &state.constraints, size);
                self.only_size(state, size, most)
            }
            SymbolicSize::Bounded | SymbolicSize::Fork => {
                self.within_capacity(state, size)?;
                let pool = &mut self.pool;
                let (least, room) = self.solving.oracle.bounds(pool, &state.constraints, size);
                Ok(if least == room {
                    Size::Known(room)
                } else {
                    Size::Bounded { size, least, room }
                })
            }
        }
    }

    /// Goes on with one size; the others end as a limit, counted.
    fn only_size(&mut self, state: &mut State, size: ExprId, value: u64) -> Step<Size> {
        let value_of = self.pool.constant(64, value);
        let other = self.pool.ne(size, value_of);
        let why = format!("an allocation of symbolic size is taken to be of {value} bytes");
        self.end_if(
            state,
            ForkKind::Allocation,
            other,
            PathEnd::Limit(Limit::Capacity, why),
        )?;
        Ok(Size::Known(value))
    }

    /// Goes on with sizes within the capacity; the others end as a limit, counted. The capacity
    /// grows when no size is within it.
    fn within_capacity(&mut self, state: &mut State, size: ExprId) -> Step<()> {
        let mut capacity = self.config.memory.size_capacity;
        let bound = self.pool.constant(64, capacity);
        let small = self.pool.compare(IntPredicate::Ule, size, bound);
        if self.feasible(state, small)?.is_none() {
            let (least, _) = (self.solving.oracle).bounds(&mut self.pool, &state.constraints, size);
            capacity = capacity.max(least.saturating_mul(2));
        }
        let bound = self.pool.constant(64, capacity);
        let large = self.pool.compare(IntPredicate::Ugt, size, bound);
        let why = format!("an allocation of symbolic size, of more than {capacity} bytes");
        self.end_if(
            state,
            ForkKind::Allocation,
            large,
            PathEnd::Limit(Limit::Capacity, why),
        )
    }

    /// Makes the size of a fresh object what was asked for.
    pub(crate) fn bind_size(&mut self, state: &mut State, object: Value, size: Size) {
        if let (Value::Pointer(object, _), Size::Bounded { size, least, .. }) = (object, size) {
            state.memory.bind_size(object, size, least);
        }
    }

    /// The product of two sizes (64 bits each), at least `u64::MAX` if it does not fit.
    pub(crate) fn size_product(&mut self, state: &mut State, a: Value, b: Value) -> Step<Value> {
        let number = |exec: &Self, value| crate::values::number(&exec.pool, value);
        if let (Some(a), Some(b)) = (number(self, a), number(self, b)) {
            return Ok(Value::Int(a.saturating_mul(b)));
        }
        let (a, b) = (a.to_expr(&mut self.pool, 64), b.to_expr(&mut self.pool, 64));
        let pool = &mut self.pool;
        let (wide_a, wide_b) = (pool.zext(a, 128), pool.zext(b, 128));
        let product = pool.mul(wide_a, wide_b);
        let high = pool.extract(product, 64, 64);
        let none = pool.constant(64, 0);
        let overflows = pool.ne(high, none);
        if self.decide(state, ForkKind::Allocation, overflows)? {
            return Ok(Value::Int(u64::MAX));
        }
        let low = self.pool.mul(a, b);
        Ok(Value::from_expr(&self.pool, low))
    }

    /// The size of a live object as a value.
    pub(crate) fn size_value(&self, state: &State, object: ObjectId) -> Value {
        match state.memory.bound(object) {
            Some(size) => Value::Expr(size),
            None => Value::Int(state.memory.object(object).map_or(0, |known| known.size)),
        }
    }

    /// The size of a live object as a number: a path for each that it can have.
    pub(crate) fn known_size(&mut self, state: &mut State, object: ObjectId) -> Step<u64> {
        may_panic!();
        let size = self.size_value(state, object);
        let size = self.concrete(state, ForkKind::Allocation, size, 64)?;
        state.memory.decide_size(object, size);
        Ok(size)
    }

    /// Decides about an access that looks like a fault: `Ok` if it only had not been decided that
    /// the bytes exist. They do on this path now, and the access is to be made again; inputs for
    /// which they do not have ended in the fault.
    pub(crate) fn resolve_size_fault(&mut self, state: &mut State, fault: Fault) -> Step<()> {
        may_panic!();
        let (Some(object), Some(size)) = (
            fault.object,
            state.memory.undecided(&self.memory.objects, &fault),
        ) else {
            return Err(self.fault_end(fault).into());
        };
        let end = fault.offset.cast_unsigned() + fault.access;
        let needed = self.pool.constant(64, end);
        let beyond = self.pool.compare(IntPredicate::Ult, size, needed);
        self.end_beyond(state, fault, size, None, beyond)?;
        state.memory.decide_size(object, end);
        Ok(())
    }

    /// Ends the inputs for which an access through a symbolic pointer lies behind the size of an
    /// object, though within its room.
    pub(crate) fn check_sizes(
        &mut self,
        state: &mut State,
        address: ExprId,
        access: u64,
        kind: AccessKind,
    ) -> Step<()> {
        may_panic!();
        if state.memory.bounds().is_empty() || kind == AccessKind::Free {
            return Ok(());
        }
        let shape = self.pool.shape(address);
        let mut candidates = state.memory.bounds().to_vec();
        if let Some(shape) = shape.filter(|shape| !shape.loose) {
            candidates.retain(|(object, _)| shape.objects.binary_search(object).is_ok());
        }
        for (object, size) in candidates {
            let info = *self.memory.objects.get(object);
            let pool = &mut self.pool;
            let number = pool.number(address);
            let start = pool.constant(64, info.number);
            let offset = pool.sub(number, start);
            let (room, length) = (pool.constant(64, info.size), pool.constant(64, access));
            let inside = pool.compare(IntPredicate::Ult, offset, room);
            let end = pool.add(offset, length);
            let behind = pool.compare(IntPredicate::Ult, size, end);
            let beyond = pool.and_bool(inside, behind);
            let fault = Fault {
                kind: FaultKind::OutOfBounds,
                object: Some(object),
                address: info.number,
                offset: 0,
                access,
                freed_at: None,
                info: Some(info),
            };
            self.end_beyond(state, fault, size, Some(offset), beyond)?;
        }
        Ok(())
    }

    /// Ends the inputs for which `beyond` holds in a fault, described by an example.
    fn end_beyond(
        &mut self,
        state: &mut State,
        mut fault: Fault,
        size: ExprId,
        offset: Option<ExprId>,
        beyond: ExprId,
    ) -> Step<()> {
        let example: Option<Assignment> = match self.feasible(state, beyond) {
            Ok(example) => example,
            Err(stop) => match *stop {
                // No answer here is none in `end_if`, which ends a part and goes on.
                Stop::End(_) => Some(state.constraints.model().clone()),
                stop @ (Stop::Split(..) | Stop::Defer | Stop::Overdue) => {
                    return Err(Box::new(stop));
                }
            },
        };
        let Some(example) = example else {
            return Ok(());
        };
        let memo = &mut EvalMemo::default();
        fault.kind = FaultKind::OutOfBounds;
        if let Some(offset) = offset {
            let offset = self.pool.eval(offset, &example, memo);
            fault.offset = offset.cast_signed();
            fault.address = fault.address.wrapping_add(offset);
        }
        if let Some(info) = &mut fault.info {
            info.size = self.pool.eval(size, &example, memo);
        }
        let end = self.fault_end(fault);
        self.end_if(state, ForkKind::Fault, beyond, end)
    }
}
