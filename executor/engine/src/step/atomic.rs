//! Atomic operations. One thread runs at a time, so each is a load and a store; another thread may run
//! before.

use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step};
use crate::threads::Turn;
use crate::values;
use plat_expr::Value;
use plat_memory::{AccessKind, Target};
use plat_program::{BinaryOp, IntPredicate, Operand, Reg, RmwOp, TypeId};

impl Executor<'_> {
    pub(super) fn atomic_rmw(
        &mut self,
        state: &mut State,
        op: RmwOp,
        ty: TypeId,
        dst: Reg,
        pointer: Operand,
        value: Operand,
    ) -> Step<Flow> {
        if self.before_synchronising(state)? == Turn::Others {
            return Ok(Flow::Forked);
        }
        let bits = self.code.ty(ty).bits;
        if bits == 0 || !bits.is_multiple_of(8) {
            return crate::state::stop::unsupported("atomic operation on this type");
        }
        let value = self.operand(state, value);
        let pointer = self.operand(state, pointer);
        self.require_scalar(value)?;
        let at = self.write_targets(state, pointer, bits)?;
        let old = self.load_through(state, pointer, at.as_deref(), bits)?;
        let pool = &mut self.pool;
        let choose = |pool: &mut plat_expr::Pool, predicate| {
            let keep = values::compare(pool, predicate, bits, old, value);
            values::select(pool, bits, keep, old, value)
        };
        let new = match op {
            RmwOp::Xchg => value,
            RmwOp::Add => values::binary(pool, BinaryOp::Add, bits, old, value),
            RmwOp::Sub => values::binary(pool, BinaryOp::Sub, bits, old, value),
            RmwOp::And => values::binary(pool, BinaryOp::And, bits, old, value),
            RmwOp::Or => values::binary(pool, BinaryOp::Or, bits, old, value),
            RmwOp::Xor => values::binary(pool, BinaryOp::Xor, bits, old, value),
            RmwOp::Nand => {
                let both = values::binary(pool, BinaryOp::And, bits, old, value);
                let both = both.to_expr(pool, bits);
                let result = pool.not(both);
                Value::from_expr(pool, result)
            }
            RmwOp::Max => choose(pool, IntPredicate::Sgt),
            RmwOp::Min => choose(pool, IntPredicate::Slt),
            RmwOp::UMax => choose(pool, IntPredicate::Ugt),
            RmwOp::UMin => choose(pool, IntPredicate::Ult),
        };
        self.store_through(state, pointer, at.as_deref(), new, bits)?;
        state.frame.regs[dst.index()] = old;
        Ok(Flow::Next)
    }

    pub(super) fn compare_exchange(
        &mut self,
        state: &mut State,
        ty: TypeId,
        dst: Reg,
        pointer: Operand,
        expected: Operand,
        new: Operand,
    ) -> Step<Flow> {
        if self.before_synchronising(state)? == Turn::Others {
            return Ok(Flow::Forked);
        }
        let bits = self.code.ty(ty).bits;
        if bits == 0 || !bits.is_multiple_of(8) {
            return crate::state::stop::unsupported("atomic operation on this type");
        }
        let (expected, new) = (self.operand(state, expected), self.operand(state, new));
        let pointer = self.operand(state, pointer);
        self.require_scalar(expected)?;
        self.require_scalar(new)?;
        let at = self.write_targets(state, pointer, bits)?;
        let old = self.load_through(state, pointer, at.as_deref(), bits)?;
        let equal = values::compare(&mut self.pool, IntPredicate::Eq, bits, old, expected);
        let stored = values::select(&mut self.pool, bits, equal, new, old);
        self.store_through(state, pointer, at.as_deref(), stored, bits)?;
        state.frame.regs[dst.index()] = Value::Aggregate(self.pool.aggregate(&[old, equal]));
        Ok(Flow::Next)
    }

    /// Where a read-modify-write goes; `None` when the pointer says so itself.
    fn write_targets(
        &mut self,
        state: &mut State,
        pointer: Value,
        bits: u32,
    ) -> Step<Option<Vec<Target>>> {
        self.require_scalar(pointer)?;
        match pointer {
            Value::Pointer(..) => Ok(None),
            _ => self
                .targets(state, pointer, u64::from(bits / 8), AccessKind::Write)
                .map(Some),
        }
    }

    fn load_through(
        &mut self,
        state: &mut State,
        pointer: Value,
        at: Option<&[Target]>,
        bits: u32,
    ) -> Step<Value> {
        match at {
            None => self.load_word(state, pointer, bits),
            Some(at) => {
                let (memory, mut cx) = self.memory(state);
                Ok(memory.load_at(&mut cx, at, bits))
            }
        }
    }

    fn store_through(
        &mut self,
        state: &mut State,
        pointer: Value,
        at: Option<&[Target]>,
        value: Value,
        bits: u32,
    ) -> Step<()> {
        match at {
            None => self.store_word(state, pointer, value, bits),
            Some(at) => {
                self.store_targets(state, at, value, bits);
                Ok(())
            }
        }
    }
}
