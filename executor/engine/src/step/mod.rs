//! Instruction stepping: the loop that carries out one state's instructions, and one file per
//! instruction family.
//!
//! Concrete words take the fast path inside a loop of their own ([`straight`]): no allocation, no
//! hashing, no expression. Whatever is not a plain word goes to the family's file. Undefined and poison values read as
//! zero, but see [`poison`]; `freeze` is the identity.

mod aggregate;
mod aside;
mod assembly;
mod atomic;
mod call;
mod cast;
mod compare;
mod control;
pub(crate) mod float;
mod frames;
mod integer;
mod memory;
mod mismatch;
pub(crate) mod poison;
mod poison_lanes;
mod prologue;
mod quick;
mod remainder;
mod straight;
mod varargs;

pub(crate) use call::Arguments;
pub(crate) use compare::lanes;

use crate::decoded::{Decoded, Op};
use crate::engine::Engine;
use crate::fork::Own;
use crate::outcome::PathEnd;
use crate::state::State;
use crate::stop::{Flow, Side, Step, Stop};
use crate::summary::ForkKind;
use plat_program::{Function, Inst};
use straight::Way;

/// Splits that leave one part, in one batch, before something must be wrong: each makes an
/// undecided condition decided.
const MOST_RETRIES: u32 = 100_000;

/// How a batch of instructions ended.
#[derive(Debug)]
pub enum Batch {
    /// The state can go on; siblings may have been made ([`Engine::forked`]).
    Goes,
    /// The state has ended.
    Ended(PathEnd),
    /// The state waits before its instruction until there is more work for a question of it.
    Parked,
}

impl Engine<'_> {
    /// Runs a state until it has executed `until` instructions, forks or ends, or the run is
    /// overdue.
    pub fn run_batch(&mut self, state: &mut State, until: u64) -> Batch {
        self.batch_end = until;
        let watched = self.check.is_some() || self.config.trace_branches;
        let mut retries = 0;
        'frame: loop {
            if !state.poison.is_empty()
                && let Some(batch) = self.run_poisoned(state, &mut retries)
            {
                return batch;
            }
            let program = self.program;
            let function = program.function(state.frame.function);
            let decoded = self.decoded(state.frame.function);
            loop {
                let way = match watched {
                    true => Way::Single,
                    false => self.go_straight_on(state, function, &decoded),
                };
                match way {
                    Way::Single if state.instructions >= self.batch_end => return Batch::Goes,
                    Way::Single => {
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
                    Way::Call(plan) if self.quick_call(state, &decoded, plan) => continue 'frame,
                    Way::Indirect(plan) if self.quick_indirect(state, &decoded, plan) => {
                        continue 'frame;
                    }
                    Way::Return(value) if self.quick_return(state, value) => continue 'frame,
                    _ => {}
                }
                let inst = &function.insts[state.frame.pc as usize];
                match self.step(state, function, &decoded, inst) {
                    Ok(Flow::Next) => state.frame.pc += 1,
                    Ok(Flow::Jumped) => {}
                    Ok(Flow::Frame) => continue 'frame,
                    Ok(Flow::Forked) => return Batch::Goes,
                    Err(stop) => {
                        if let Some(ended) = self.stopped(state, *stop, &mut retries) {
                            return ended;
                        }
                    }
                }
                if !self.forked.is_empty() {
                    return Batch::Goes;
                }
            }
        }
    }

    /// Counts an instruction as executed.
    fn count_instruction(&mut self, state: &mut State, inst: usize) {
        state.instructions += 1;
        if self.executed.add(inst, 1) {
            self.cover(state, inst);
        }
    }

    /// What becomes of a state whose instruction did not end by itself: its end, or nothing if the
    /// instruction is to be tried again.
    #[cold]
    #[inline(never)]
    fn stopped(&mut self, state: &mut State, stop: Stop, retries: &mut u32) -> Option<Batch> {
        if let Stop::End(end) = stop {
            return Some(Batch::Ended(end));
        }
        // The instruction counts as executed on the path when it is tried again.
        state.instructions -= 1;
        let (kind, sides) = match stop {
            Stop::Split(kind, sides) => (kind, sides),
            Stop::Overdue => return Some(Batch::Goes),
            _ => return Some(Batch::Parked),
        };
        *retries += 1;
        match self.split_to_retry(state, kind, sides) {
            Ok(Own::Lives(_)) => {}
            Ok(Own::Ends(end)) => return Some(Batch::Ended(end)),
            Err(_) => return Some(Batch::Parked),
        }
        (*retries > MOST_RETRIES).then(|| {
            let what = "internal: an instruction that is never done";
            Batch::Ended(PathEnd::Unsupported(what.into()))
        })
    }

    /// Notes that an instruction was executed for the first time.
    #[cold]
    #[inline(never)]
    fn cover(&mut self, state: &mut State, inst: usize) {
        self.covered += 1;
        state.covered_new = true;
        state.last_new = Some(state.instructions);
        let inst = plat_program::InstId::new(inst);
        self.observer.covered(state.id, inst);
    }

    /// Splits a state before the instruction that asked for it.
    fn split_to_retry(&mut self, state: &mut State, kind: ForkKind, sides: Vec<Side>) -> Step<Own> {
        let (own, others) = self.split(state, kind, sides)?;
        self.forked
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
                ty, dst, pointer, ..
            } => {
                let pointer = self.operand(state, pointer);
                self.load(state, ty, dst, pointer)
            }
            Inst::Store {
                ty, value, pointer, ..
            } => {
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
                Op::Native { plan } if state.aliases.is_empty() => {
                    self.call_native(state, function, dst, call, decoded.native(plan))
                }
                Op::Copy { plan } if state.aliases.is_empty() => {
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

    /// The instructions that do not decide the speed.
    #[inline(never)]
    fn rare(&mut self, state: &mut State, function: &Function, inst: &Inst) -> Step<Flow> {
        match *inst {
            Inst::Freeze { dst, value, .. } => {
                state.frame.regs[dst.index()] = self.operand(state, value);
                self.freeze(state, dst);
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
            Inst::Resume { value } => {
                self.resume(state, value)?;
                Ok(Flow::Frame)
            }
            Inst::Unreachable => self.unreachable(state, function),
            Inst::Unsupported { what, .. } => {
                crate::stop::unsupported(function.asm_texts[what as usize].clone())
            }
            _ => crate::stop::unsupported("internal: instruction out of its family"),
        }
    }
}
