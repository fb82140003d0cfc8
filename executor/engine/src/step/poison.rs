//! Shifts by the width or more that compilers may have moved ahead of their tests.
//!
//! In C such a shift is a fault where it stands. In LLVM its result is poison, which is no fault
//! until it is used, so that compilers carry out shifts early: as an alternative of `select`, or
//! before a loop. Where that may be (the shift has lost its source line, or feeds a `select`) the
//! result's register is noted with the condition under which it is poison, as long as it may be read;
//! pure instructions and edges pass that on, `select` by its condition, and any other use ends the inputs for which it
//! holds. States with such registers run in a loop of their own, so that others pay nothing.

use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::code::decoded::Op;
use crate::code::liveness::live_blocks;
use crate::code::reads::reads;
use crate::executor::Executor;
use crate::state::State;
use crate::state::poison::Poison;
use crate::state::stop::{Flow, Step};
use crate::step::Batch;
use crate::values;
use plat_expr::{ExprId, IntPredicate, Value};
use plat_program::{Callee, EdgeId, Function, Inst, InstId, Move, Program, Reg};

/// Registers that a shift's result is followed through before it counts as not selected.
const FOLLOWED: usize = 16;

impl Executor<'_> {
    /// Looks at the amount of a shift; inputs for which it is too large end in a fault, or make the
    /// result poison.
    pub(super) fn check_shift(
        &mut self,
        state: &mut State,
        (dst, lane): (Reg, Option<u32>),
        bits: u32,
        amount: Value,
    ) -> Step<()> {
        if let Value::Int(amount) = amount
            && amount < u64::from(bits)
        {
            return Ok(());
        }
        let amount = amount.to_expr(&mut self.pool, bits);
        // A width that is no number of that width cannot be exceeded.
        if bits < 64 && u64::from(bits) > values::mask(bits) {
            return Ok(());
        }
        let width = self.pool.constant(bits, u64::from(bits));
        let over = self.pool.compare(IntPredicate::Uge, amount, width);
        if self.pool.is_false(over) || !self.config.checks.overshift {
            return Ok(());
        }
        if !self.may_have_moved(state, dst) {
            let end = PathEnd::fault(FaultKind::Overshift, "overshift error");
            return self.end_if(state, ForkKind::Fault, over, end);
        }
        if self.pool.is_true(over) || self.feasible(state, over)?.is_some() {
            let shift = state.frame.inst(self.program);
            self.poison(state, (dst, lane), over, shift);
        }
        Ok(())
    }

    /// Whether the compiler may have moved the shift at which the state stands.
    fn may_have_moved(&mut self, state: &State, dst: Reg) -> bool {
        let inst = state.frame.inst(self.program);
        let function = self.program.function(state.frame.function);
        let location = function.locs[state.frame.pc as usize];
        let program = self.program;
        *self.cache.speculated.entry(inst).or_insert_with(|| {
            program.location(location).line == 0 || feeds_selection(program, function, dst)
        })
    }

    /// Notes that a register of the running frame is poison under a condition, beside others.
    fn poison(
        &mut self,
        state: &mut State,
        (reg, lane): (Reg, Option<u32>),
        when: ExprId,
        shift: InstId,
    ) {
        let frame = state.frame.serial;
        let place = (frame, reg, lane);
        match (state.aside.poison.iter_mut()).find(|one| one.place() == place) {
            Some(known) => known.when = self.pool.or(known.when, when),
            None => state.aside.poison.push(Poison {
                frame,
                reg,
                lane,
                when,
                shift,
            }),
        }
    }

    /// What an instruction makes of poison among its operands, before it is carried out.
    fn follow_poison(&mut self, state: &mut State, function: &Function, inst: &Inst) -> Step<()> {
        let frame = state.frame.serial;
        state.aside.poison.retain(|one| one.frame <= frame);
        let mut passed = Vec::new();
        let known = state.aside.poison.iter();
        let read: Vec<Poison> = known
            .filter(|one| one.frame == frame && reads(function, inst, one.reg))
            .copied()
            .collect();
        for one in read {
            if let Some(lanes) = self.passed_on(state, function, inst, &one) {
                passed.extend(lanes.into_iter().map(|lane| (lane, one.shift)));
                continue;
            }
            let used = self.used_when(state, function, inst, &one);
            let shift = self.program.location_of(one.shift);
            let fault = Fault::new(FaultKind::Overshift, "overshift error");
            let at = (shift.line != 0).then_some(one.shift);
            let end = PathEnd::Fault(Fault { at, ..fault });
            self.end_if(state, ForkKind::Fault, used, end)?;
            (state.aside.poison).retain(|other| other.place() != one.place());
        }
        if let Some(dst) = inst.dst() {
            (state.aside.poison).retain(|other| (other.frame, other.reg) != (frame, dst));
            for ((lane, when), shift) in passed {
                if !self.pool.is_false(when) {
                    self.poison(state, (dst, lane), when, shift);
                }
            }
        }
        Ok(())
    }

    /// What the moves of an edge make of poison. What is not read any more is forgotten.
    #[cold]
    #[inline(never)]
    pub(super) fn move_poison(&mut self, state: &mut State, function: &Function, edge: EdgeId) {
        let edge = function.edges[edge.index()];
        let moves: &[Move] = &function.moves[edge.moves.range()];
        let frame = state.frame.serial;
        let mut arriving = Vec::new();
        for one in moves {
            if let Some(from) = one.src.as_reg() {
                let known = (state.aside.poison.iter())
                    .filter(|known| (known.frame, known.reg) == (frame, from));
                arriving.extend(known.map(|&known| Poison {
                    reg: one.dst,
                    ..known
                }));
            }
        }
        let written = |reg: Reg| moves.iter().any(|one| one.dst == reg);
        (state.aside.poison).retain(|known| known.frame != frame || !written(known.reg));
        state.aside.poison.extend(arriving);
        let known = &mut self.cache.live_blocks;
        state.aside.poison.retain(|one| {
            let blocks = || live_blocks(function, one.reg);
            one.frame != frame
                || known.entry((function.id, one.reg)).or_insert_with(blocks)[edge.to.index()]
        });
    }

    /// One instruction, its edges with what they make of poison.
    fn step_poisoned(&mut self, state: &mut State, function: &Function, inst: &Inst) -> Step<Flow> {
        let edge = match *inst {
            Inst::Jump { edge } => Some(edge),
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => self.word(state, cond).map(|bit| {
                self.note_branch(state, function, bit != 0);
                if bit != 0 { then } else { otherwise }
            }),
            _ => None,
        };
        if let Some(edge) = edge {
            self.take_edge(state, function, edge);
            return Ok(Flow::Jumped);
        }
        let decoded = self.decoded(function.id);
        match decoded.ops[state.frame.pc as usize] {
            Op::Switch { .. } | Op::Call { .. } | Op::Return { .. } => {}
            _ => {
                if let Some(flow) = self.single(state, function, &decoded) {
                    return Ok(flow);
                }
            }
        }
        self.step(state, function, &decoded, inst)
    }

    /// Runs a state as long as registers of the running frame may be poison; the end of its batch,
    /// if that comes first.
    #[cold]
    #[inline(never)]
    pub(super) fn run_poisoned(&mut self, state: &mut State) -> Option<Batch> {
        let running = state.frame.serial;
        state.aside.poison.retain(|one| one.frame <= running);
        while (state.aside.poison.iter()).any(|one| one.frame == state.frame.serial) {
            if let Some(batch) = self.tell_between(state) {
                return Some(batch);
            }
            if state.instructions >= self.batch.end {
                return Some(Batch::Goes);
            }
            let function = self.program.function(state.frame.function);
            let position = state.frame.pc as usize;
            self.count_instruction(state, function.first_inst.index() + position);
            let inst = &function.insts[position];
            let watched = self.hooks.bound.functions.contains(&function.id);
            let arrived = match watched {
                true => self.arrive(state, function),
                false => Ok(()),
            };
            let followed = arrived.and_then(|()| self.follow_poison(state, function, inst));
            let step = followed.and_then(|()| self.step_poisoned(state, function, inst));
            match step {
                Ok(Flow::Next) => state.frame.pc += 1,
                Ok(Flow::Jumped | Flow::Frame) => {}
                Ok(Flow::Forked) => return Some(Batch::Goes),
                Err(stop) => {
                    if let Some(ended) = self.stopped(state, *stop) {
                        return Some(ended);
                    }
                }
            }
            if let Some(interrupted) = self.batch.split() {
                return Some(interrupted);
            }
        }
        None
    }
}

/// Whether an instruction only computes a value from its operands.
pub(super) fn is_pure(program: &Program, inst: &Inst) -> bool {
    match inst {
        Inst::Binary { .. }
        | Inst::Compare { .. }
        | Inst::Cast { .. }
        | Inst::Select { .. }
        | Inst::Gep { .. }
        | Inst::Float { .. }
        | Inst::FloatCompare { .. }
        | Inst::ExtractValue { .. }
        | Inst::InsertValue { .. }
        | Inst::ExtractElement { .. }
        | Inst::InsertElement { .. }
        | Inst::Shuffle { .. } => true,
        Inst::Call { dst, call } => match call.callee {
            Callee::Direct(callee) => {
                dst.is_some() && program.function(callee).name.starts_with("llvm.")
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a register is, perhaps through pure instructions, an alternative of a `select`.
fn feeds_selection(program: &Program, function: &Function, reg: Reg) -> bool {
    let mut followed = vec![reg];
    let mut at = 0;
    while let Some(&reg) = followed.get(at) {
        at += 1;
        let readers = function.insts.iter();
        for inst in readers.filter(|inst| reads(function, inst, reg)) {
            if matches!(*inst, Inst::Select { cond, .. } if cond.as_reg() != Some(reg)) {
                return true;
            }
            if let Some(dst) = inst.dst()
                && is_pure(program, inst)
                && followed.len() < FOLLOWED
                && !followed.contains(&dst)
            {
                followed.push(dst);
            }
        }
    }
    false
}
