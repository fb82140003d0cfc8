//! Tests executed concretely, one after the other, each with what it covers.
//!
//! Symbolic bytes are fixed to what the test says ([`plat_expr::Pool::fix`]) before there is any
//! expression of them: the program runs as it would natively, on the fast paths, and asks no solver.
//! A state begins as in an exploration, from the same first memory. Coverage is set back between two tests.
//!
//! A test that does not fit the input that was asked for is not executed. Where a test leaves
//! something open (it has no bytes for an object that the program makes), the path ends there with
//! [`crate::api::seeds::Seeds::only_replay`], and otherwise goes on symbolically. A test that takes
//! more than [`crate::api::seeds::Seeds::longest`] ends at that limit; the next one follows.

use super::Run;
use crate::api::outcome::Limit;
use crate::api::start_error::StartError;
use crate::api::summary::{StopReason, Summary};
use crate::executor::Executor;
use crate::executor::executed::Executed;
use crate::state::State;
use plat_env::{Alternative, InputSpec, Inputs};
use plat_expr::{Assignment, Node};
use plat_program::InstId;

/// What a test has covered.
#[derive(Clone, Copy, Debug)]
pub struct Covered<'c> {
    executed: &'c Executed,
    branches: &'c [u8],
}

impl Covered<'_> {
    /// Whether an instruction was executed.
    pub fn executed(&self, inst: InstId) -> bool {
        inst.index() < self.executed.len() && self.executed.once(inst.index())
    }

    /// The ways that the conditional branch at an instruction has taken: bit 0 if it was not taken,
    /// bit 1 if it was.
    pub fn ways(&self, inst: InstId) -> u8 {
        self.branches.get(inst.index()).copied().unwrap_or(0)
    }
}

/// A choice of the number of arguments, with the symbolic input that it has.
type Choice = (Alternative, Inputs);

impl Run<'_> {
    /// Executes the seeds of the configuration concretely, one after the other, and calls `each` with
    /// the number of the seed and what it has covered; nothing if it does not fit the input. Events
    /// of a seed come before its call.
    ///
    /// # Errors
    /// When the run cannot start.
    pub fn replay(
        mut self,
        inputs: &InputSpec,
        mut each: impl FnMut(usize, Option<Covered<'_>>),
    ) -> Result<Summary, StartError> {
        let mut spec = inputs.clone();
        spec.read_templates().map_err(StartError::Input)?;
        let choices = self.exec.choices(&spec)?;
        let blank = (
            self.exec.counters.executed.clone(),
            self.exec.counters.branches.clone(),
        );
        let mut reason = StopReason::Finished;
        for seed in 0..self.exec.config.search.seeds.all.len() {
            let Some(state) = self.exec.concrete_state(&spec, &choices, seed)? else {
                each(seed, None);
                continue;
            };
            if seed == 0 {
                self.exec.start_external(&state)?;
            }
            self.add(Box::new(state));
            let done = self.exec.counters.counts.instructions;
            let longest = self.exec.config.search.seeds.longest;
            self.exec.counters.bound = longest.map(|longest| done.saturating_add(longest));
            reason = self.explore_all();
            if self.exec.config.limits.instructions.is_none()
                && reason == StopReason::Limit(Limit::Instructions)
            {
                // Only this test was too long.
                reason = StopReason::Finished;
            }
            self.collect_if_due();
            let counters = &mut self.exec.counters;
            let covered = Covered {
                executed: &counters.executed,
                branches: &counters.branches,
            };
            each(seed, Some(covered));
            if reason != StopReason::Finished {
                break;
            }
            counters.executed.clone_from(&blank.0);
            counters.branches.clone_from(&blank.1);
        }
        self.exec.pool.fix(Assignment::new());
        Ok(self.into_summary(reason))
    }
}

impl Executor<'_> {
    /// The choices of the number of arguments.
    fn choices(&mut self, spec: &InputSpec) -> Result<Vec<Choice>, StartError> {
        let mut choices = Vec::new();
        for alternative in spec.alternatives() {
            let inputs = self.realised(spec, &alternative)?.0;
            choices.push((alternative, inputs));
        }
        Ok(choices)
    }

    /// The state of a seed with nothing symbolic in it.
    fn concrete_state(
        &mut self,
        spec: &InputSpec,
        choices: &[Choice],
        seed: usize,
    ) -> Result<Option<State>, StartError> {
        let followed = choices.iter().find_map(|(alternative, inputs)| {
            let followed = self.follow_seed(inputs, seed)?;
            let fixed = self.fixed(inputs, &followed.assignment);
            Some((alternative, followed, fixed))
        });
        let Some((alternative, followed, fixed)) = followed else {
            return Ok(None);
        };
        self.pool.fix(fixed);
        let (inputs, environment) = self.realised(spec, alternative)?;
        let mut state = self.first_state(inputs, environment)?;
        state.input.seeds = vec![followed].into();
        self.begin(&mut state)?;
        Ok(Some(state))
    }

    /// All bytes of the symbols of an input. An assignment need not have bytes that are 0.
    fn fixed(&self, inputs: &Inputs, assignment: &Assignment) -> Assignment {
        let mut fixed = assignment.clone();
        let objects = inputs.objects.iter();
        for expr in objects.flat_map(|object| object.bytes.symbolic()) {
            if let Node::Symbol(symbol, _) = self.pool.node(expr) {
                let size = self.pool.symbol_info(symbol).size;
                let known = fixed.get(symbol).map_or(0, <[u8]>::len);
                if known < size as usize {
                    let bytes: Vec<u8> = (0..size).map(|at| assignment.byte(symbol, at)).collect();
                    fixed.set(symbol, bytes);
                }
            }
        }
        fixed
    }
}
