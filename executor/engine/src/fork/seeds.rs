//! Seeds: test cases that a run follows before it explores on its own.
//!
//! A seed is a model of the path condition: a state that follows seeds has the first of them as its
//! model, so that at every condition the side that the seed takes is known to be possible. At a
//! fork each side keeps the seeds that satisfy it. States that follow seeds run before all others
//! ([`crate::search::Seeding`]); what the seeds leave aside is explored afterwards, unless it is
//! not to be ([`crate::api::seeds::Seeds::only_seed`], [`crate::api::seeds::Seeds::only_replay`]).
//!
//! Objects are matched by position, as in a replay, or by name. A seed that an assumption of the
//! harness excludes is changed as little as the assumption asks.

use crate::api::outcome::{Limit, PathEnd};
use crate::api::seeds::Seed;
use crate::executor::Executor;
use crate::state::State;
use crate::state::seeds::{Followed, Mismatch};
use plat_env::{InputObject, Inputs, is_status};
use plat_expr::{Assignment, Byte, EvalMemo, ExprId, Node, SymbolId};
use std::sync::Arc;

impl Executor<'_> {
    /// Lets a fresh state follow the seeds that its input agrees with.
    pub(crate) fn attach_seeds(&mut self, state: &mut State) {
        let config = self.config;
        let seeds = &config.search.seeds.all;
        let followed = (1..)
            .zip(seeds)
            .map(|(number, seed)| (number, Arc::new(seed.clone())));
        self.attach(state, followed);
    }

    /// Lets a fresh state follow those of these seeds, with their numbers, that its input agrees with.
    pub(crate) fn attach(
        &mut self,
        state: &mut State,
        seeds: impl Iterator<Item = (usize, Arc<Seed>)>,
    ) {
        let inputs = Arc::clone(&state.input.given);
        let counted = inputs.objects.iter().any(|object| object.name == "n_args");
        let mut followed = Vec::new();
        for (number, seed) in seeds {
            let mut one = Followed::new(number, seed);
            match self.give_inputs(&mut one, &inputs) {
                Ok(true) => followed.push(one),
                Ok(false) => {}
                // Another number of arguments is another state's.
                Err(_) if counted => {}
                Err(mismatch) => self.seed_lost(number, &mismatch),
            }
        }
        state.input.seeds = followed.into();
        self.obey(state);
    }

    /// Gives the inputs that are there from the start their bytes in a seed. Whether what is concrete
    /// of them is the same in the seed.
    fn give_inputs(&self, one: &mut Followed, inputs: &Inputs) -> Result<bool, Mismatch> {
        let config = &self.config.search.seeds;
        // What `stat` says is not the seed's to decide, where it is known.
        let decides = |object: &&InputObject| {
            !is_status(&object.name) || object.bytes.symbolic().next().is_some()
        };
        for object in inputs.objects.iter().filter(decides) {
            let known = one
                .seed
                .objects
                .iter()
                .any(|(name, _)| *name == object.name);
            if one.seed.partial && !known {
                continue;
            }
            let bytes = one.take(config, &object.name, object.bytes.size() as usize)?;
            let given = object.bytes.read(0, object.bytes.size());
            for (have, &want) in given.into_iter().zip(&bytes) {
                match have {
                    Byte::Concrete(byte) if byte != want => return Ok(false),
                    Byte::Concrete(_) => {}
                    Byte::Symbolic(expr) => {
                        if let Node::Symbol(symbol, at) = self.pool.node(expr) {
                            one.assignment.set_byte(symbol, at, want);
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// A seed of the configuration as a state with this input follows it, if the input agrees with it.
    pub(crate) fn follow_seed(&mut self, inputs: &Inputs, at: usize) -> Option<Followed> {
        let seed = self.config.search.seeds.all.get(at)?;
        let mut one = Followed::new(at + 1, Arc::new(seed.clone()));
        let agrees = self.give_inputs(&mut one, inputs).unwrap_or(false);
        agrees.then_some(one)
    }

    /// Drops the seeds that do not satisfy the path condition of a state from the beginning.
    pub(crate) fn keep_agreeing(&mut self, state: &mut State) {
        for &condition in &Arc::clone(&state.input.given).constraints {
            let condition = self.pool.number(condition);
            self.filter_seeds(state, condition);
        }
    }

    /// Makes the first seed of a state its model.
    fn obey(&mut self, state: &mut State) {
        if let Some(first) = state.input.seeds.first() {
            state.constraints.set_model(first.assignment.clone());
        }
    }

    /// Gives a new symbolic object its bytes in every seed.
    #[cold]
    pub(crate) fn seed_symbol(&mut self, state: &mut State, symbol: SymbolId, name: &str) {
        let size = self.pool.symbol_info(symbol).size as usize;
        let mut seeds = std::mem::take(&mut state.input.seeds);
        seeds.retain_mut(
            |seed| match seed.take(&self.config.search.seeds, name, size) {
                Ok(bytes) => {
                    self.pool.fix_if_fixed(symbol, &bytes);
                    seed.assignment.set(symbol, bytes);
                    true
                }
                Err(mismatch) => {
                    self.seed_lost(seed.number, &mismatch);
                    false
                }
            },
        );
        state.input.seeds = seeds;
        self.obey(state);
    }

    fn seed_lost(&mut self, number: usize, mismatch: &Mismatch) {
        self.events.warn_once(match mismatch {
            Mismatch::None(name) => {
                format!("seed {number} is followed no further: it has no object for \"{name}\"")
            }
            Mismatch::Size(name, size, has) => format!(
                "seed {number} is followed no further: \"{name}\" has {size} bytes, the seed's \
                 object {has} (--allow-seed-extension, --allow-seed-truncation)"
            ),
        });
    }

    /// Keeps the seeds that satisfy a condition which the state was given.
    #[cold]
    pub(crate) fn filter_seeds(&mut self, state: &mut State, condition: ExprId) {
        let pool = &self.pool;
        state
            .input
            .seeds
            .retain(|seed| pool.holds(condition, &seed.assignment, &mut EvalMemo::default()));
        self.obey(state);
    }

    /// Changes the seeds that a condition excludes which the harness assumes; `model` satisfies it
    /// together with the path condition.
    #[cold]
    pub(crate) fn adapt_seeds(&mut self, state: &mut State, condition: ExprId, model: &Assignment) {
        let condition = self.pool.number(condition);
        let bytes = state.constraints.relevant_bytes(&self.pool, condition);
        let mut adapted = false;
        for seed in state.input.seeds.iter_mut() {
            let memo = &mut EvalMemo::default();
            if !self.pool.holds(condition, &seed.assignment, memo) {
                seed.assignment = model.merged_over(&seed.assignment, &bytes);
                adapted = true;
            }
        }
        if adapted {
            self.events
                .warn_once("a seed was changed where it violates an assumption");
        }
        self.obey(state);
    }

    /// The end of a state that has left all seeds although only seeds are to be followed.
    pub(crate) fn unseeded(&self, state: &State) -> Option<PathEnd> {
        (self.config.search.seeds.only_replay && state.input.seeds.is_empty())
            .then(|| PathEnd::Limit(Limit::Seeds, "no seed takes this path".into()))
    }
}
