//! Memory accesses: the one place where a resolution is applied.
//!
//! A pointer to a known object at a known offset goes straight to the object's bytes. Any other
//! pointer is resolved by the memory model into outcomes; each feasible outcome becomes a state,
//! faults end theirs, and the access is made in each of the others. A model that keeps all
//! alternatives in one outcome does not fork here at all.

use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::fork::Own;
use crate::state::State;
use crate::state::stop::{Flow, Side, Step, Stop, solver_limit};
use plat_expr::{ExprId, Value};
use plat_memory::{AccessKind, Outcome, Target};
use plat_program::{Callee, Inst};

/// KLEE warns of arrays of more bytes.
const LARGE: u64 = 4096;

impl Executor<'_> {
    /// What a pointer may point to, as outcomes that cover the path condition. Hooks are told, and
    /// what they have added to the path condition since is obeyed.
    fn resolve(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
        kind: AccessKind,
    ) -> Step<Vec<Outcome>> {
        may_panic!();
        let address = pointer.to_expr(&mut self.pool, 64);
        let address = self.deciding(state, address)?;
        self.check_sizes(state, address, size, kind)?;
        let outcomes = self.outcomes(state, address, size, kind)?;
        if self.config.start.as_klee {
            self.warn_of_large_arrays(state, size, kind, &outcomes);
        }
        if self.hooks.bound.resolved.is_empty() {
            return Ok(outcomes);
        }
        let constraints = state.constraints.len();
        self.tell_resolution(state, (pointer, address), (size, kind), &outcomes)?;
        match state.constraints.len() == constraints {
            true => Ok(outcomes),
            false => self.outcomes(state, address, size, kind),
        }
    }

    /// Says, as KLEE does, that all bytes that a symbolic position may have become part of an expression,
    /// where they are many.
    fn warn_of_large_arrays(
        &mut self,
        state: &State,
        size: u64,
        kind: AccessKind,
        outcomes: &[Outcome],
    ) {
        let what = match kind {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::Free => return,
        };
        let targets = outcomes.iter().flat_map(|outcome| outcome.then.iter());
        let bytes = targets
            .flatten()
            .map(|target| target.high - target.low + size);
        let Some(bytes) = bytes.max().filter(|&bytes| bytes > LARGE) else {
            return;
        };
        let place = self.calling_place(state);
        self.events.warn_once(format!(
            "Symbolic memory {what} will send the following array of {bytes} bytes to the constraint solver \
             -- large symbolic arrays may cause significant performance issues: {place}"
        ));
    }

    /// What the memory model makes of an address. Places that the model moves are moved before.
    fn outcomes(
        &mut self,
        state: &mut State,
        address: ExprId,
        size: u64,
        kind: AccessKind,
    ) -> Step<Vec<Outcome>> {
        if state.memory.model().follows_the_path_model() {
            self.take_least_model(state);
        }
        let at = self.place(state);
        let before = self
            .solving
            .begin_query(at, self.counters.counts.instructions);
        let (memory, mut cx) = self.memory(state);
        cx.at = at;
        let resolution = memory.resolve(&mut cx, address, size, kind);
        let answered = !matches!(&resolution, Err(plat_memory::Stop::Solver(_)));
        self.solving.end_query(at, before, answered);
        let decided = !matches!(&resolution, Ok(several) if several.outcomes.len() > 1);
        self.asked(state, decided);
        match resolution {
            Ok(resolution) => Ok(resolution.outcomes),
            Err(plat_memory::Stop::Solver(why)) => self.no_answer(why),
            Err(stop) => solver_limit(stop.to_string()),
        }
    }

    /// The targets of an access on this path; when the pointer has several outcomes, the path
    /// splits and each part asks again.
    pub fn targets(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
        kind: AccessKind,
    ) -> Step<Vec<Target>> {
        may_panic!();
        let mut outcomes = self.resolve(state, pointer, size, kind)?;
        if let [only] = outcomes.as_slice()
            && self.pool.is_true(only.guard)
        {
            let only = outcomes.remove(0);
            return self.followed(state, pointer, (size, kind), only.then);
        }
        // Asked again in a part that a split has made, one outcome is left, though its guard need
        // not have become trivial.
        let mut sides = Vec::with_capacity(outcomes.len());
        let mut last = None;
        for outcome in outcomes {
            let model = match outcome.model {
                Some(model) => Some(model),
                None => self.feasible(state, outcome.guard)?,
            };
            if model.is_some() {
                let guard = outcome.guard;
                let end = outcome
                    .then
                    .as_ref()
                    .err()
                    .map(|&fault| self.fault_end(fault));
                sides.push(Side { guard, model, end });
                last = Some(outcome.then);
            }
        }
        match (sides.as_slice(), last) {
            ([only], Some(then)) => {
                if let Some(model) = only.model.clone() {
                    self.assume(state, only.guard, &model);
                }
                self.followed(state, pointer, (size, kind), then)
            }
            _ => Err(Box::new(Stop::Split(ForkKind::Resolution, sides))),
        }
    }

    /// The targets of the only outcome on a path, which is about to be used; or its fault.
    fn followed(
        &mut self,
        state: &mut State,
        pointer: Value,
        (size, kind): (u64, AccessKind),
        then: Result<Vec<Target>, plat_memory::Fault>,
    ) -> Step<Vec<Target>> {
        may_panic!();
        match then {
            Ok(targets) => {
                if kind != AccessKind::Free {
                    self.accessed_targets(state, kind, pointer, (&targets, size));
                }
                Ok(targets)
            }
            Err(fault) => Err(self.fault_end(fault).into()),
        }
    }

    /// Makes an access in every feasible outcome of a pointer. `apply` completes the instruction,
    /// except that it leaves the position alone.
    pub fn access(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
        kind: AccessKind,
        apply: &mut dyn FnMut(&mut Self, &mut State, &[Target]),
    ) -> Step<Flow> {
        may_panic!();
        let mut outcomes = self.resolve(state, pointer, size, kind)?;
        if let [only] = outcomes.as_slice()
            && self.pool.is_true(only.guard)
        {
            let only = outcomes.remove(0);
            return match only.then {
                Ok(targets) => {
                    apply(self, state, &targets);
                    self.accessed_targets(state, kind, pointer, (&targets, size));
                    Ok(Flow::Next)
                }
                Err(fault) => Err(self.fault_end(fault).into()),
            };
        }
        let mut targets = Vec::with_capacity(outcomes.len());
        let sides: Vec<Side> = outcomes
            .into_iter()
            .map(|outcome| {
                let end = match outcome.then {
                    Ok(found) => {
                        targets.push(found);
                        None
                    }
                    Err(fault) => {
                        targets.push(Vec::new());
                        Some(self.fault_end(fault))
                    }
                };
                Side {
                    guard: outcome.guard,
                    model: outcome.model,
                    end,
                }
            })
            .collect();
        let (own, others) = self.split(state, ForkKind::Resolution, sides)?;
        let forked = !others.is_empty();
        self.complete(others, &mut |exec, at, other| {
            apply(exec, other, &targets[at]);
            may_panic!();
            exec.accessed_targets(other, kind, pointer, (&targets[at], size));
            other.frame.pc += 1;
        });
        match own {
            Own::Lives(own) => {
                apply(self, state, &targets[own]);
                self.accessed_targets(state, kind, pointer, (&targets[own], size));
            }
            Own::Ends(end) => return Err(end.into()),
        }
        if forked {
            state.frame.pc += 1;
            return Ok(Flow::Forked);
        }
        Ok(Flow::Next)
    }

    /// The end that a memory fault is.
    pub fn fault_end(&self, mut fault: plat_memory::Fault) -> PathEnd {
        may_panic!();
        if fault.kind == plat_memory::FaultKind::UseAfterReturn && self.ended_a_block(&fault) {
            fault.kind = plat_memory::FaultKind::UseAfterScope;
        }
        let kind = match fault.kind {
            plat_memory::FaultKind::ReadOnly => FaultKind::ReadOnly,
            plat_memory::FaultKind::InvalidFree | plat_memory::FaultKind::DoubleFree => {
                FaultKind::InvalidFree
            }
            plat_memory::FaultKind::FreeOfAlloca | plat_memory::FaultKind::FreeOfGlobal => {
                FaultKind::Free
            }
            _ => FaultKind::Pointer,
        };
        let message = fault.to_string();
        let info = self.describe(&fault);
        PathEnd::Fault(Fault {
            info,
            ..Fault::new(kind, message)
        })
    }

    /// Whether the stack object of a fault ended before its function returned: an array of variable
    /// length ends with its block.
    fn ended_a_block(&self, fault: &plat_memory::Fault) -> bool {
        let Some(at) = fault.freed_at else {
            return false;
        };
        let (function, position) = self.program.position(at);
        let function = self.program.function(function);
        let Inst::Call { call, .. } = function.insts[position] else {
            return false;
        };
        let Callee::Direct(callee) = call.callee else {
            return false;
        };
        let name = &self.program.function(callee).name;
        name.starts_with("llvm.stackrestore")
    }
}
