//! The run: its start, the loop that picks states and runs them, its limits and its end.
//!
//! [`Run`] owns what steps work with, the [`Executor`], and what they cannot reach: the states that
//! wait, the searcher, the worker processes, and what is known of errors.

mod cold;
mod collection;
mod concrete;
mod explore;
mod finish;
mod frontier;
mod grace;
mod guidance;
mod late;
mod led;
mod limits;
mod lost;
mod pressure;
pub(crate) mod start;
mod subsumption;
mod targets;

pub use led::keeps_no_trie;
pub use targets::check_targets;

use crate::api::config::Config;
use crate::api::observe::Observer;
use crate::api::outcome::Limit;
use crate::api::sharing::{Confusions, Resolutions};
use crate::api::start_error::StartError;
use crate::api::summary::{StopReason, Summary};
use crate::checks;
use crate::executor::Executor;
use crate::executor::resident::resident_memory;
use crate::hook::Extensions;
use crate::library;
use crate::report::deduplication::FaultDeduplication;
use crate::search::distance::Distances;
use crate::search::{self, Seeding};
use crate::state::State;
use crate::state::trail::Trail;
use crate::workers::{Workers, cpu_time};
use collection::Collecting;
pub use concrete::Covered;
use frontier::Frontier;
use guidance::Guidance;
use late::LateSeeds;
use plat_env::InputSpec;
use plat_program::Program;
use plat_solver::{Oracle, SolverStats};
use rustc_hash::FxHashSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use subsumption::Subsumption;
use targets::Targets;

/// How often the clock's limits and the observer's progress are looked at.
const TICK: Duration = Duration::from_millis(100);

/// Why the run is to stop, as far as ended paths say so.
#[derive(Default)]
pub(crate) struct Ends {
    /// A limit that a finished path has met; the run stops at it.
    stop: Option<Limit>,
    /// The limit of the run at which a path ended because the solver had no time left.
    cut_short: Option<Limit>,
    /// Tests of live paths that the end of the run has made, of those that `most_of_live_states`
    /// bounds.
    halt_tests: u64,
    /// States that were lost with other processes.
    pub lost: u64,
    /// Tests of paths whose process was lost before it could tell that they have ended.
    pub told: FxHashSet<u64>,
}

/// One run.
pub struct Run<'a> {
    /// What steps work with.
    pub(crate) exec: Executor<'a>,
    /// The states that wait for their turn.
    frontier: Frontier,
    /// The other processes that explore, if there can be any.
    pub(crate) workers: Option<Box<Workers>>,
    /// What the summaries for searchers are made from.
    guidance: Guidance,
    /// Errors that have a test.
    faults: FaultDeduplication,
    /// When expressions are collected next.
    collecting: Collecting,
    /// Seeds that come while the run goes on.
    late: Option<LateSeeds<'a>>,
    /// Paths that are compared where the sides of a fork meet.
    subsumption: Subsumption,
    /// Why the run is to stop.
    pub(crate) ends: Ends,
    /// When limits are looked at next.
    next_tick: Instant,
    /// Processor time of the process before the run.
    spent: Duration,
}

impl<'a> Run<'a> {
    /// A run that has not begun. Setting `interrupt` ends it as a limit does.
    ///
    /// # Errors
    /// When the solver chain cannot be made.
    pub fn new(
        program: &'a Program,
        config: &'a Config,
        observer: &'a mut dyn Observer,
        interrupt: &'static AtomicBool,
    ) -> Result<Self, StartError> {
        let spent = cpu_time();
        let mut exec = Executor::new(
            program,
            config,
            library::natives(program),
            observer,
            interrupt,
        )?;
        let own = Extensions {
            hooks: checks::asked_for(program, config),
            ..Extensions::default()
        };
        exec.register(own).map_err(StartError::Hook)?;
        exec.go_on_from(&config.trie.earlier);
        let (mut searcher, needs) = search::build(&config.search.searchers, config.search.seed);
        for &(inst, side, times) in &config.trie.earlier.gone {
            searcher.gone(Trail::of(inst, side).subpath(1), times);
        }
        let searcher = match config.search.seeds.all.is_empty() {
            true => searcher,
            false => Box::new(Seeding::new(searcher)),
        };
        let guidance = Guidance {
            call_paths: needs.call_paths.then(Default::default),
            places: needs.places,
            subsumes: needs.subsumption && config.search.subsume,
            targets: Targets::find(program, config, needs.targets)?,
            distances: (needs.distance).then(|| Distances::new(program, &exec.counters.executed)),
        };
        Ok(Run {
            exec,
            frontier: Frontier::new(searcher, config.limits.memory),
            workers: None,
            guidance,
            faults: FaultDeduplication::with(&config.trie.earlier.faults),
            collecting: Collecting::default(),
            late: None,
            subsumption: Subsumption::default(),
            ends: Ends::default(),
            next_tick: Instant::now() + TICK,
            spent,
        })
    }

    /// Registers hooks and native functions.
    ///
    /// # Errors
    /// When one of them does not fit the program.
    pub fn extend(&mut self, mut extensions: Extensions<'a>) -> Result<(), StartError> {
        if let Some(source) = extensions.seeds.take() {
            self.follow_seeds_of(source);
        }
        self.exec.register(extensions).map_err(StartError::Hook)
    }

    /// Asks another solver than the configuration's.
    pub fn replace_oracle(&mut self, oracle: Oracle) {
        self.exec.solving.oracle = oracle;
    }

    /// Explores the program from the inputs, until all paths have ended or a limit is met.
    ///
    /// # Errors
    /// When the run cannot start: the program has no entry point, or the input cannot be made.
    pub fn explore(mut self, inputs: &InputSpec) -> Result<Summary, StartError> {
        let initial = self.initial_states(inputs)?;
        Ok(self.explore_states(initial))
    }

    /// The states to begin with.
    pub(crate) fn initial_states(&mut self, inputs: &InputSpec) -> Result<Vec<State>, StartError> {
        let mut initial = self.exec.initial_states(inputs)?;
        if let Some(state) = initial.first() {
            self.exec.start_external(state)?;
        }
        self.root_in_trie(&mut initial);
        Ok(self.lead(initial))
    }

    /// Explores from these states, until all paths have ended or a limit is met.
    pub(crate) fn explore_states(mut self, initial: Vec<State>) -> Summary {
        let reason = self.explore_from(initial);
        self.into_summary(reason)
    }

    fn explore_from(&mut self, mut initial: Vec<State>) -> StopReason {
        self.keep_beginnings(&mut initial);
        self.show_progress(initial.len(), resident_memory());
        for state in initial {
            self.add(Box::new(state));
        }
        self.begin_collecting();
        self.note_targets(None);
        self.start_workers();
        self.expect_losses();
        let reason = self.explore_all();
        let reason = self.await_workers(reason);
        let reason = self.explore_lost(reason);
        let late = self.exec.counters.counts.late;
        if late > 0 {
            self.exec.events.warn_once(format!(
                "{late} of the live paths have no test: the time for them was over (a twentieth of \
                 --max-time, 1 to 30 s)"
            ));
        }
        reason
    }

    /// The solver's counters, those of other processes included.
    fn solver_stats(&self) -> SolverStats {
        let here = self.exec.solving.oracle.stats();
        match &self.workers {
            Some(workers) => workers.solver_stats(here),
            None => here,
        }
    }

    /// What the run has come to.
    fn into_summary(mut self, reason: StopReason) -> Summary {
        self.show_progress(0, resident_memory());
        self.exec.note_listeners_panics();
        let solver = self.solver_stats();
        let mut exec = self.exec;
        let (program, mut hooks) = (exec.program, exec.hooks);
        let executed = &exec.counters.executed;
        let mut summary = Summary {
            reason,
            elapsed: exec.clock.started.elapsed(),
            solver,
            memory: exec.memory.stats,
            coverage: (0..executed.len()).map(|at| executed.once(at)).collect(),
            profile: executed.counts(),
            branches: exec.counters.branches,
            counts: exec.counters.counts,
            checked: None,
            confused: Confusions {
                sets: Vec::new(),
                allocated: match exec.config.record_confusions {
                    true => exec.memory.contexts.all(),
                    false => Vec::new(),
                },
            },
            resolutions: Resolutions::default(),
            cpu: match &self.workers {
                Some(workers) => workers.cpu(),
                None => vec![cpu_time().saturating_sub(self.spent)],
            },
            processes: self.workers.map_or(1, |workers| workers.made()),
            lost: self.ends.lost,
            warnings: exec.events.warnings,
        };
        hooks.finish(program, &mut summary);
        for text in hooks.take_panics() {
            let text = format!("internal: {text}");
            summary.counts.internal_errors += 1;
            exec.events.observer.warning(&text, true);
            summary.warnings.push(text);
        }
        summary
    }
}
