//! What pure instructions make of poison: of a scalar, and of the lanes of a vector one by one.
//!
//! A vector's register is noted for each lane that may be poison, so that what is taken from the
//! others, or selected in its place, is no use of it.

use super::poison::is_pure;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::poison::Poison;
use crate::values;
use plat_expr::{ExprId, Value};
use plat_program::{BinaryOp, Callee, Function, Inst, Operand, Reg, TypeId};

/// The lanes of a result that are poison (none: it is no vector), and when.
pub(super) type Passed = Vec<(Option<u32>, ExprId)>;

impl Executor<'_> {
    /// Number of lanes of a register, if it is a vector.
    fn lane_count(&self, function: &Function, reg: Reg) -> Option<u32> {
        self.lanes_of(function.reg_types[reg.index()])
    }

    fn lanes_of(&self, ty: TypeId) -> Option<u32> {
        match self.code.ty(ty).class {
            Class::Vector(_, count) => Some(count),
            _ => None,
        }
    }

    /// All of a register.
    pub(super) fn whole(&self, function: &Function, reg: Reg, when: ExprId) -> Passed {
        match self.lane_count(function, reg) {
            Some(count) => (0..count).map(|lane| (Some(lane), when)).collect(),
            None => vec![(None, when)],
        }
    }

    /// What of the result of an instruction is poison because an operand is; `None` if it uses it.
    pub(super) fn passed_on(
        &mut self,
        state: &State,
        function: &Function,
        inst: &Inst,
        poison: &Poison,
    ) -> Option<Passed> {
        let reads = |operand: Operand| operand.as_reg() == Some(poison.reg);
        let when = poison.when;
        match *inst {
            Inst::Select {
                cond,
                then,
                otherwise,
                ..
            } if !reads(cond) => {
                let cond = match (self.operand(state, cond), poison.lane) {
                    (Value::Aggregate(conds), Some(lane)) => {
                        self.pool.aggregate_values(conds)[lane as usize]
                    }
                    (cond, _) => cond,
                };
                if let Value::Int(bit) = cond {
                    let chosen = if bit != 0 { then } else { otherwise };
                    let passed = reads(chosen).then_some((poison.lane, when));
                    return Some(passed.into_iter().collect());
                }
                let cond = values::condition(&mut self.pool, cond);
                let never = self.pool.bool(false);
                let with = if reads(then) { when } else { never };
                let without = if reads(otherwise) { when } else { never };
                Some(vec![(poison.lane, self.pool.ite(cond, with, without))])
            }
            Inst::Freeze { .. } => Some(Vec::new()),
            Inst::ExtractElement { vector, index, .. } => {
                let mut passed = Vec::new();
                if reads(vector) {
                    let taken = self.is_lane(state, index, poison.lane.unwrap_or(0));
                    passed.push((None, self.pool.and(when, taken)));
                }
                if reads(index) {
                    passed.push((None, when));
                }
                Some(passed)
            }
            Inst::InsertElement { dst, .. } => {
                Some(self.poison_inserted(state, function, inst, dst, poison))
            }
            Inst::Shuffle {
                ty, lhs, rhs, mask, ..
            } => {
                let count = self.lanes_of(ty).unwrap_or(0);
                let lane = poison.lane.unwrap_or(0);
                let chosen = (0..).zip(&function.indices[mask.range()]);
                let from =
                    |at: u32| (reads(lhs) && at == lane) || (reads(rhs) && at == count + lane);
                let taken = chosen.filter(|&(_, &at)| from(at));
                Some(taken.map(|(to, _)| (Some(to), when)).collect())
            }
            Inst::Binary { op, rhs, .. } if divides(op) && reads(rhs) => None,
            Inst::Cast { from, to, dst, .. } if self.lanes_of(from) != self.lanes_of(to) => {
                Some(self.cast_over(function, (from, to), dst, poison))
            }
            ref other if is_pure(self.program, other) => {
                Some(self.lane_by_lane(function, other, poison))
            }
            _ => None,
        }
    }

    /// Whether an index is that of a lane.
    fn is_lane(&mut self, state: &State, index: Operand, lane: u32) -> ExprId {
        match self.operand(state, index) {
            Value::Expr(index) => {
                let lane = self.pool.constant(self.pool.width(index), u64::from(lane));
                self.pool.eq(index, lane)
            }
            index => self.pool.bool(index == Value::Int(u64::from(lane))),
        }
    }

    fn poison_inserted(
        &mut self,
        state: &State,
        function: &Function,
        inst: &Inst,
        dst: Reg,
        poison: &Poison,
    ) -> Passed {
        let reads = |operand: Operand| operand.as_reg() == Some(poison.reg);
        let Inst::InsertElement {
            vector,
            element,
            index,
            ..
        } = *inst
        else {
            return Vec::new();
        };
        if reads(index) {
            return self.whole(function, dst, poison.when);
        }
        let mut passed = Vec::new();
        for lane in 0..self.lane_count(function, dst).unwrap_or(0) {
            let here = self.is_lane(state, index, lane);
            let elsewhere = self.pool.not(here);
            if reads(vector) && poison.lane == Some(lane) {
                passed.push((Some(lane), self.pool.and(poison.when, elsewhere)));
            }
            if reads(element) {
                passed.push((Some(lane), self.pool.and(poison.when, here)));
            }
        }
        passed
    }

    /// A change of type that takes the same bits for other lanes.
    fn cast_over(
        &self,
        function: &Function,
        (from, to): (TypeId, TypeId),
        dst: Reg,
        poison: &Poison,
    ) -> Passed {
        let bits = |ty: TypeId| match self.code.ty(ty).class {
            Class::Vector(element, _) => self.code.ty(element).bits,
            _ => self.code.ty(ty).bits,
        };
        let (wide, narrow) = (bits(from), bits(to).max(1));
        let first = poison.lane.unwrap_or(0) * wide;
        let within = |lane: u32| lane * narrow < first + wide && first < (lane + 1) * narrow;
        let all = self.whole(function, dst, poison.when).into_iter();
        all.filter(|(lane, _)| lane.is_none_or(within)).collect()
    }

    /// An operation on each lane, on scalars, or on all lanes together. Functions that take lanes
    /// from elsewhere are not looked into: what they take may be another one.
    fn lane_by_lane(&self, function: &Function, inst: &Inst, poison: &Poison) -> Passed {
        let Some(dst) = inst.dst() else {
            return Vec::new();
        };
        match (
            self.lane_count(function, poison.reg),
            self.lane_count(function, dst),
        ) {
            (Some(from), Some(to)) if from == to => vec![(poison.lane, poison.when)],
            (Some(_), Some(_)) => Vec::new(),
            (_, None) => vec![(None, poison.when)],
            (None, Some(_)) => self.whole(function, dst, poison.when),
        }
    }

    /// When an instruction that is no pure one uses poison: a masked store only where it writes.
    pub(super) fn used_when(
        &mut self,
        state: &State,
        function: &Function,
        inst: &Inst,
        poison: &Poison,
    ) -> ExprId {
        let (Inst::Call { call, .. }, Some(lane)) = (inst, poison.lane) else {
            return poison.when;
        };
        let Callee::Direct(callee) = call.callee else {
            return poison.when;
        };
        let name = &self.program.function(callee).name;
        let args = &function.call_args[call.args.range()];
        if !(name.starts_with("llvm.masked.store") || name.starts_with("llvm.masked.scatter")) {
            return poison.when;
        }
        match (args.first(), args.last()) {
            (Some(value), Some(mask)) if value.as_reg() == Some(poison.reg) => {
                let Value::Aggregate(mask) = self.operand(state, *mask) else {
                    return poison.when;
                };
                let mask = self.pool.aggregate_values(mask)[lane as usize];
                let mask = values::condition(&mut self.pool, mask);
                self.pool.and(poison.when, mask)
            }
            _ => poison.when,
        }
    }
}

const fn divides(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem
    )
}
