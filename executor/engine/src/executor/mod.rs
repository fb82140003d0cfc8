//! What steps work with: the program in executable form, the pool of expressions, the solver, the
//! counters. States are separate, so that a step borrows the two independently.

mod batch;
mod cache;
mod clock;
pub(crate) mod compaction;
mod comparison;
mod counters;
mod events;
pub(crate) mod executed;
mod fork_shares;
mod guarded_observer;
mod hard_places;
pub(crate) mod indirect_calls;
mod late;
mod natives;
pub(crate) mod recovery;
pub(crate) mod resident;
mod solving;
mod state_ids;
mod system;
mod tables;

pub use batch::{CurrentBatch, EndedPart, ForkPlace};
pub use cache::CodeCache;
pub use clock::Clock;
pub(crate) use clock::Halt;
pub use counters::Counters;
pub use events::Events;
pub(crate) use guarded_observer::GuardedObserver;
use late::Decisions;
pub use natives::{Invocation, Natives, Reply, Run};
pub use solving::Solving;
pub(crate) use state_ids::StateIds;
pub use system::System;
pub use tables::MemoryTables;

use crate::api::config::Config;
use crate::api::id::StateId;
use crate::api::observe::Observer;
use crate::api::outcome::Limit;
use crate::api::start_error::StartError;
use crate::code::Code;
use crate::code::native::Native;
use crate::hook::Hooks;
use crate::memory::contexts::{self, Contexts};
use crate::state::State;
use plat_env::Host;
use plat_expr::{ObjectId, Pool, Value};
use plat_memory::{Cx, Memory};
use plat_program::{InstId, Operand, Program};
use plat_solver::Oracle;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// What steps work with.
pub struct Executor<'a> {
    /// The program.
    pub program: &'a Program,
    /// The configuration.
    pub config: &'a Config,
    /// The program's tables in executable form.
    pub code: Code,
    /// What is made of the code on demand.
    pub cache: CodeCache,
    /// Expressions.
    pub pool: Pool,
    /// The solver.
    pub solving: Solving,
    /// Objects of all paths.
    pub memory: MemoryTables,
    /// The host.
    pub system: System,
    /// What is counted.
    pub counters: Counters,
    /// The observer, and warnings that were given.
    pub events: Events<'a>,
    /// The running batch.
    pub batch: CurrentBatch,
    /// The time, and what ends the run early.
    pub clock: Clock,
    /// Hooks, plat's own and others, and native functions from outside.
    pub(crate) hooks: Hooks<'a>,
    pub(crate) state_ids: StateIds,
    /// What late seeds have come to.
    pub(crate) late: Decisions,
}

impl<'a> Executor<'a> {
    /// A run that has not begun, with what runs in place of functions.
    ///
    /// # Errors
    /// When the solver chain cannot be made.
    pub fn new(
        program: &'a Program,
        config: &'a Config,
        (known, natives): (Vec<Option<Native>>, Natives),
        observer: &'a mut dyn Observer,
        interrupt: &'static AtomicBool,
    ) -> Result<Self, StartError> {
        let mut pool = Pool::new();
        let code = Code::new(program, &mut pool, known);
        let oracle = Oracle::new(&config.solver).map_err(StartError::Solver)?;
        let start = working_directory(config)?;
        let prediction = config.prediction.as_deref();
        let longest = prediction.map_or(0, |prediction| prediction.longest());
        let model = config.memory.model_of(program);
        let model = model.make(&config.memory.options);
        let longest = longest.max(model.context_depth() + 1);
        let longest = match config.record_confusions {
            true => longest.max(contexts::OF_CONFUSIONS),
            false => longest,
        };
        let host = Host::new(start.into_os_string().into_vec()).at(config.start.clock);
        let counters = Counters::new(program);
        let mut exec = Executor {
            program,
            config,
            code,
            cache: CodeCache::new(program, natives),
            pool,
            solving: Solving::new(oracle),
            memory: MemoryTables::new(Contexts::new(program, longest)),
            system: System::new(host, crate::state::float_environment::reads_flags(program)),
            counters,
            events: Events::new(observer),
            batch: CurrentBatch::default(),
            clock: Clock::new(config.limits.time, interrupt),
            hooks: Hooks::default(),
            state_ids: StateIds::default(),
            late: Decisions::default(),
        };
        exec.set_deadline();
        Ok(exec)
    }

    /// Has queries end with the run.
    pub(crate) fn set_deadline(&mut self) {
        self.solving.oracle.set_deadline(self.clock.deadline());
    }
}

/// The directory that the program starts in, as the kernel would name it.
fn working_directory(config: &Config) -> Result<PathBuf, StartError> {
    let Some(directory) = &config.start.directory else {
        return Ok(std::env::current_dir().unwrap_or_else(|_| "/".into()));
    };
    let wrong = |why: io::Error| {
        let directory = directory.display();
        StartError::Directory(format!(
            "the program cannot start in the directory {directory}: {why}"
        ))
    };
    let real = directory.canonicalize().map_err(wrong)?;
    match real.is_dir() {
        true => Ok(real),
        false => Err(wrong(io::ErrorKind::NotADirectory.into())),
    }
}

// What `code` and what is made of it hold is there before the run begins, and stays for ever. Hooks
// keep expressions in the data of paths only, see [`crate::hook`].
plat_expr::holder!(Executor<'_> { cache, solving, memory, system, batch }
    plain { program, config, code, pool, counters, events, clock, hooks, state_ids, late });

impl Executor<'_> {
    /// An identity that no state has had.
    pub(crate) fn next_state_id(&mut self) -> StateId {
        self.counters.counts.states += 1;
        self.state_ids.next()
    }

    /// The limit to end at now: the time is over, or the end was asked for.
    pub(crate) fn overdue(&self) -> Option<Limit> {
        self.clock.overdue()
    }

    /// Counts a query. It may have taken long: if the run is overdue now, or the batch has taken all of
    /// its work, the batch ends with the current instruction.
    pub(crate) fn asked(&mut self, state: &mut State, decided: bool) {
        state.history.queries += 1;
        let place = self.place(state);
        self.events.observer.asked(place, decided);
        self.charge(place);
        let worked = self.solving.oracle.spent() >= self.batch.work_end;
        if worked || self.overdue().is_some() {
            self.batch.end = 0;
        }
    }

    /// Tells for which instruction the solver has worked since this was told last.
    #[inline]
    pub(crate) fn charge(&mut self, inst: Option<InstId>) {
        if let Some(wall) = self.solving.oracle.charge(inst.map(|inst| inst.0)) {
            self.events.observer.solved(inst, wall);
        }
    }

    /// The value of an operand in the running frame.
    #[inline(always)]
    pub fn operand(&self, state: &State, operand: Operand) -> Value {
        match operand.as_reg() {
            Some(reg) => state.frame.regs[reg.index()],
            None => self.code.constant(operand),
        }
    }

    /// The concrete word that an operand is, if it is one.
    #[inline(always)]
    pub fn word(&self, state: &State, operand: Operand) -> Option<u64> {
        match self.operand(state, operand) {
            Value::Int(word) => Some(word),
            _ => None,
        }
    }

    /// Notes that the program has computed the distance from object `from` to object `to`.
    pub(crate) fn note_distance(&self, state: &mut State, from: ObjectId, to: ObjectId) {
        if state.distances.takes(from, to) {
            state.distances.note(from, to);
        }
    }

    /// A state's memory and what its operations need.
    pub fn memory<'s>(&'s mut self, state: &'s mut State) -> (&'s mut Memory, Cx<'s>) {
        let cx = Cx {
            pool: &mut self.pool,
            oracle: &mut self.solving.oracle,
            pc: &state.constraints,
            objects: &mut self.memory.objects,
            at: None,
            stats: &mut self.memory.stats,
        };
        (&mut state.memory, cx)
    }
}
