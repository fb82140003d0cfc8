//! Instruction stepping: the loop that carries out one state's instructions, and one file per
//! instruction family.
//!
//! Concrete words take the fast path inside a loop of their own ([`fast`]): no allocation, no
//! hashing, no expression. Whatever is not a plain word goes to the family's file. Undefined and poison values read as
//! zero, but see [`poison`]; `freeze` is the identity.

mod aggregate;
mod assembly;
mod assembly_arithmetic;
mod assembly_idioms;
mod assembly_stack;
mod atomic;
mod call;
mod cast;
mod compare;
mod control;
mod fast;
pub(crate) mod float;
mod frames;
mod integer;
mod memory;
mod mismatch;
mod pauses;
pub(crate) mod poison;
mod poison_lanes;
mod prologue;
mod remainder;
mod varargs;

pub(crate) use call::Arguments;
pub(crate) use compare::lanes;

use crate::api::observe::Observer;
use crate::api::outcome::PathEnd;
use crate::api::summary::ForkKind;
use crate::code::decoded::{Decoded, Op};
use crate::executor::{CurrentBatch, Executor};
use crate::fork::Own;
use crate::state::State;
use crate::state::stop::{Flow, Side, Step, Stop, internal};
use crate::threads::Turn;
use fast::LoopExit;
use plat_program::{Access, Function, Inst, InstId};

/// Splits that leave one part, in one batch, before something must be wrong: each makes an
/// undecided condition decided.
const MOST_RETRIES: u32 = 100_000;

/// How a batch of instructions ended.
#[derive(Debug)]
pub enum Batch {
    /// The state can go on; siblings may have been made ([`CurrentBatch`]).
    Goes,
    /// The state has ended.
    Ended(PathEnd),
    /// Parts of the path have ended ([`CurrentBatch`]); the state goes on at once.
    PartsEnded,
    /// The state waits before its instruction until there is more work for a question of it.
    Deferred,
}

impl CurrentBatch {
    /// Why the batch cannot simply go on behind an instruction that has split the state.
    #[inline]
    fn split(&self) -> Option<Batch> {
        if !self.forked.is_empty() {
            return Some(Batch::Goes);
        }
        (!self.ended.is_empty()).then_some(Batch::PartsEnded)
    }
}

impl Executor<'_> {
    /// Runs a state until its batch is over, it forks or ends, or the run is overdue.
    pub fn run_batch(&mut self, state: &mut State) -> Batch {
        if state.others.threads.is_some()
            && let Some(batch) = self.tell_between(state)
        {
            // Before another thread runs.
            return batch;
        }
        if state.others.threads.is_some()
            && let Err(stop) = self.begin_slice(state)
            && let Some(ended) = self.stopped_between(state, *stop)
        {
            return ended;
        }
        match self.hooks.pauses {
            true => self.run_with_pauses(state),
            false => self.run_instructions(state),
        }
    }

    fn run_instructions(&mut self, state: &mut State) -> Batch {
        let config = self.config;
        let slow = self.hooks.accesses || config.notes_branches() || !config.fast_paths;
        if let Some(batch) = self.tell_between(state) {
            return batch;
        }
        'frame: loop {
            if !state.aside.poison.is_empty()
                && let Some(batch) = self.run_poisoned(state)
            {
                return batch;
            }
            let program = self.program;
            let function = program.function(state.frame.function);
            let decoded = self.decoded(state.frame.function);
            loop {
                let watched = slow || self.batch.pausing.everywhere();
                if watched && let Some(batch) = self.tell_between(state) {
                    return batch;
                }
                let way = match watched {
                    true => LoopExit::Single,
                    false => self.run_fast(state, function, &decoded),
                };
                match way {
                    LoopExit::Single if self.hooks.pauses && self.is_paused(state) => {
                        match self.tell_pause(state) {
                            Some(batch) => return batch,
                            None => continue,
                        }
                    }
                    LoopExit::Single if state.instructions >= self.batch.end => return Batch::Goes,
                    LoopExit::Single if self.is_at_stop(state) => return Batch::Goes,
                    LoopExit::Single => {
                        let position = state.frame.pc as usize;
                        self.count_instruction(state, function.first_inst.index() + position);
                        match self.single(state, function, &decoded) {
                            Some(Flow::Next) => {
                                state.frame.pc += 1;
                                continue;
                            }
                            Some(Flow::Jumped) => continue,
                            Some(_) => continue 'frame,
                            None => {}
                        }
                    }
                    LoopExit::Counted if self.fast_frame(state, &decoded) => continue 'frame,
                    LoopExit::Counted => {}
                }
                if decoded.watched
                    && let Err(stop) = self.arrive(state, function)
                {
                    match self.stopped(state, *stop).or_else(|| self.batch.split()) {
                        Some(interrupted) => return interrupted,
                        None => continue,
                    }
                }
                let position = state.frame.pc as usize;
                let inst = &function.insts[position];
                let stepped = self.step(state, function, &decoded, inst);
                // Questions beside those that `asked` counts: bounds, sizes, models.
                self.charge(Some(InstId::new(function.first_inst.index() + position)));
                match stepped {
                    Ok(Flow::Next) => state.frame.pc += 1,
                    Ok(Flow::Jumped) => {}
                    Ok(Flow::Frame) => continue 'frame,
                    Ok(Flow::Forked) => return Batch::Goes,
                    Err(stop) => {
                        if let Some(ended) = self.stopped(state, *stop) {
                            return ended;
                        }
                    }
                }
                if let Some(interrupted) = self.batch.split() {
                    return interrupted;
                }
            }
        }
    }

    /// Whether a state is where its batch ends.
    #[inline]
    fn is_at_stop(&self, state: &State) -> bool {
        self.batch.stop.is_some_and(|(block, serial)| {
            state.frame.serial == serial && state.frame.inst(self.program) == block
        })
    }

    /// Tells hooks what they have not heard yet of a state that stands between two instructions. Why
    /// the batch cannot simply go on, if that has come of it.
    #[inline]
    fn tell_between(&mut self, state: &mut State) -> Option<Batch> {
        let hooks = state.history.hooks.as_ref()?;
        match hooks.has_pending() {
            true => self.tell_hooks(state),
            false => None,
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_hooks(&mut self, state: &mut State) -> Option<Batch> {
        while let Err(stop) = self.tell_pending(state) {
            let ended = self.stopped_between(state, *stop);
            let interrupted = ended.or_else(|| self.batch.split());
            if interrupted.is_some() {
                return interrupted;
            }
        }
        None
    }

    /// Counts an instruction as executed.
    fn count_instruction(&mut self, state: &mut State, inst: usize) {
        state.instructions += 1;
        if self.counters.executed.add(inst, 1) {
            self.cover(state, inst);
        }
    }

    /// What becomes of a state whose instruction did not end by itself: its end, or nothing if the
    /// instruction is to be tried again.
    #[cold]
    #[inline(never)]
    fn stopped(&mut self, state: &mut State, stop: Stop) -> Option<Batch> {
        may_panic!();
        if let Stop::End(end) = stop {
            return Some(Batch::Ended(end));
        }
        // The instruction counts as executed on the path when it is tried again.
        state.instructions -= 1;
        if let Some(hooks) = &mut state.history.hooks {
            hooks.forget_accesses();
        }
        self.stopped_between(state, stop)
    }

    /// The same of a state that stands between two instructions.
    fn stopped_between(&mut self, state: &mut State, stop: Stop) -> Option<Batch> {
        let (kind, sides) = match stop {
            Stop::Split(kind, sides) => (kind, sides),
            Stop::Overdue => return Some(Batch::Goes),
            Stop::Defer => return Some(Batch::Deferred),
            Stop::End(end) => return Some(Batch::Ended(end)),
        };
        self.batch.retries += 1;
        match self.split_to_retry(state, kind, sides) {
            Ok(Own::Lives(_)) => {}
            Ok(Own::Ends(end)) => return Some(Batch::Ended(end)),
            Err(_) => return Some(Batch::Deferred),
        }
        (self.batch.retries > MOST_RETRIES)
            .then(|| Batch::Ended(PathEnd::internal("an instruction that is never done")))
    }

    /// Notes that an instruction was executed for the first time.
    #[cold]
    #[inline(never)]
    fn cover(&mut self, state: &mut State, inst: usize) {
        may_panic!();
        self.counters.covered += 1;
        state.history.novelty.covered = true;
        state.history.last_new = std::num::NonZeroU64::new(state.instructions.max(1));
        self.discover(state);
        let inst = plat_program::InstId::new(inst);
        self.events.observer.covered(state.id, inst);
    }

    /// Notes that a side of a conditional branch was taken for the first time.
    #[cold]
    #[inline(never)]
    fn cover_side(&mut self, state: &mut State) {
        may_panic!();
        state.history.novelty.side = true;
        self.discover(state);
    }

    /// Notes that a state was the first to do something, if it stands in the program's own code.
    fn discover(&mut self, state: &mut State) {
        if !self.code.functions[state.frame.function.index()].library {
            self.counters.discoveries += 1;
            state.history.novelty.discovery = self.counters.discoveries;
        }
    }

    /// Splits a state before the instruction that asked for it.
    fn split_to_retry(&mut self, state: &mut State, kind: ForkKind, sides: Vec<Side>) -> Step<Own> {
        self.batch.uncounted = true;
        let split = self.split(state, kind, sides);
        self.batch.uncounted = false;
        let (own, others) = split?;
        self.batch
            .forked
            .extend(others.into_iter().map(|(_, other)| other));
        Ok(own)
    }

    /// One instruction that the fast paths have declined.
    #[inline(always)]
    fn step(
        &mut self,
        state: &mut State,
        function: &Function,
        decoded: &Decoded,
        inst: &Inst,
    ) -> Step<Flow> {
        may_panic!();
        match *inst {
            Inst::Binary {
                op,
                ty,
                dst,
                lhs,
                rhs,
            } => self.binary(state, op, ty, dst, lhs, rhs),
            Inst::Compare {
                predicate,
                ty,
                dst,
                lhs,
                rhs,
            } => self.compare(state, predicate, ty, dst, lhs, rhs),
            Inst::Load {
                ty,
                dst,
                pointer,
                access,
            } => {
                if self.turn(state, access)? == Turn::Others {
                    return Ok(Flow::Forked);
                }
                let pointer = self.operand(state, pointer);
                self.load(state, ty, dst, pointer)
            }
            Inst::Store {
                ty,
                value,
                pointer,
                access,
            } => {
                if self.turn(state, access)? == Turn::Others {
                    return Ok(Flow::Forked);
                }
                let pointer = self.operand(state, pointer);
                self.store(state, ty, value, pointer)
            }
            Inst::Gep {
                dst,
                base,
                offset,
                terms,
            } => self.gep(state, function, dst, base, offset, terms),
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => self.branch(state, function, cond, then, otherwise),
            Inst::Cast {
                op,
                from,
                to,
                dst,
                value,
            } => self.cast(state, op, from, to, dst, value),
            Inst::Select {
                ty,
                dst,
                cond,
                then,
                otherwise,
            } => self.select(state, ty, dst, cond, then, otherwise),
            Inst::Call { dst, ref call } => match decoded.ops[state.frame.pc as usize] {
                Op::Native { plan } if state.requests.aliases.is_empty() => {
                    self.call_native(state, function, dst, call, decoded.native(plan))
                }
                Op::Copy { plan } if state.requests.aliases.is_empty() => {
                    let plan = decoded.native(decoded.copy(plan).native);
                    self.call_native(state, function, dst, call, plan)
                }
                _ => self.call(state, function, dst, call),
            },
            Inst::Return { value } => self.return_from(state, value),
            Inst::Switch {
                ty,
                value,
                cases,
                default,
            } => self.switch(state, function, ty, value, cases, default),
            Inst::Alloca {
                dst,
                element_size,
                count,
                count_ty,
                align,
            } => self.alloca(state, dst, element_size, count, count_ty, align),
            ref other => self.rare(state, function, other),
        }
    }

    /// Who has the turn at an access of memory: one of the program's own that is atomic or volatile may
    /// be one of several threads.
    #[inline]
    fn turn(&mut self, state: &mut State, access: Access) -> Step<Turn> {
        let library = || self.code.functions[state.frame.function.index()].library;
        match (access.atomic || access.volatile) && !library() {
            true => self.before_synchronising(state),
            false => Ok(Turn::Own),
        }
    }

    /// The instructions that do not decide the speed.
    #[inline(never)]
    fn rare(&mut self, state: &mut State, function: &Function, inst: &Inst) -> Step<Flow> {
        may_panic!();
        match *inst {
            Inst::Freeze { dst, value, .. } => {
                let value = self.operand(state, value);
                state.frame.regs[dst.index()] = self.freezing(state, value)?;
                Ok(Flow::Next)
            }
            Inst::Float {
                op,
                ty,
                dst,
                lhs,
                rhs,
            } => {
                let (a, b) = (self.operand(state, lhs), self.operand(state, rhs));
                self.float(state, op, ty, dst, a, b)
            }
            Inst::FloatCompare {
                predicate,
                signals,
                ty,
                dst,
                lhs,
                rhs,
            } => {
                let (a, b) = (self.operand(state, lhs), self.operand(state, rhs));
                self.float_compare(state, (predicate, signals), ty, dst, a, b)
            }
            Inst::ExtractValue {
                ty,
                dst,
                aggregate,
                path,
            } => self.extract_value(state, function, ty, dst, aggregate, path),
            Inst::InsertValue {
                ty,
                dst,
                aggregate,
                element,
                path,
            } => self.insert_value(state, function, ty, dst, aggregate, element, path),
            Inst::ExtractElement {
                ty,
                dst,
                vector,
                index,
            } => self.extract_element(state, ty, dst, vector, index),
            Inst::InsertElement {
                ty,
                dst,
                vector,
                element,
                index,
            } => self.insert_element(state, ty, dst, vector, element, index),
            Inst::Shuffle {
                ty,
                dst,
                lhs,
                rhs,
                mask,
            } => self.shuffle(state, function, ty, dst, lhs, rhs, mask),
            Inst::Invoke { dst, ref call, .. } => self.call(state, function, dst, call),
            Inst::AtomicRmw {
                op,
                ty,
                dst,
                pointer,
                value,
            } => self.atomic_rmw(state, op, ty, dst, pointer, value),
            Inst::CompareExchange {
                ty,
                dst,
                pointer,
                expected,
                new,
            } => self.compare_exchange(state, ty, dst, pointer, expected, new),
            Inst::Fence => Ok(Flow::Next),
            Inst::Jump { edge } => {
                self.take_edge(state, function, edge);
                Ok(Flow::Jumped)
            }
            Inst::Resume { value } => {
                self.resume(state, value)?;
                Ok(Flow::Frame)
            }
            Inst::Unreachable => self.unreachable(state, function),
            Inst::Unsupported { what, .. } => {
                crate::state::stop::unsupported(function.asm_texts[what as usize].clone())
            }
            _ => internal("instruction out of its family"),
        }
    }
}
