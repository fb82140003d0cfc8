//! What one run owns: the program in executable form, the pool of expressions, the solver, the
//! counters. States are separate, so that a step borrows the two independently.

use crate::code::Code;
use crate::config::Config;
use crate::contexts::Contexts;
use crate::decoded::Decoded;
use crate::distance::Distances;
use crate::entry::StartError;
use crate::executed::Executed;
use crate::expect::Check;
use crate::observe::Observer;
use crate::outcome::Limit;
use crate::parked::Registers;
use crate::reached::IndirectCalls;
use crate::reason::ForkReason;
use crate::reported::Reported;
use crate::search::StateId;
use crate::state::State;
use crate::summary::{Counts, StopReason, Summary};
use crate::survey::Survey;
use crate::uninitialised::Uninitialised;
use crate::workers::Workers;
use plat_env::{Environment, Host};
use plat_expr::{ObjectId, Pool, Value};
use plat_memory::{Cx, Memory, MemoryStats, Objects};
use plat_program::{FuncId, InstId, Operand, Program, Reg};
use plat_solver::{Deadline, Effort, Interrupt, Oracle, SolverStats};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Distances between objects that a state remembers.
const MOST_DISTANCES: usize = 64;

/// The first instructions of all blocks.
fn block_starts(program: &Program) -> impl Iterator<Item = usize> {
    program.functions.iter().flat_map(|function| {
        let blocks = function.blocks.iter();
        blocks.map(|block| function.first_inst.index() + block.first as usize)
    })
}

/// One run.
pub struct Engine<'a> {
    /// The program.
    pub program: &'a Program,
    /// What the run was told.
    pub config: &'a Config,
    /// The program's tables in executable form.
    pub code: Code,
    /// Functions as the fast paths read them, once they were entered.
    pub(crate) decoded: Vec<Option<Rc<Decoded>>>,
    /// Expressions.
    pub pool: Pool,
    /// The solver chain behind its questions.
    pub oracle: Oracle,
    /// Memory objects of all paths.
    pub objects: Objects,
    /// Memory's counters.
    pub memory_stats: MemoryStats,
    /// The host's files, read only; out during a system call.
    pub host: Option<Host>,
    /// Who hears what happens.
    pub observer: &'a mut dyn Observer,
    /// Counters.
    pub counts: Counts,
    /// How often each instruction was executed.
    pub executed: Executed,
    /// How many instructions were executed at least once.
    pub covered: usize,
    /// For each conditional branch, by its instruction: bit 0 if it was ever not taken, bit 1 if it
    /// was taken.
    pub branches: Vec<u8>,
    /// How often a call through a pointer has led to a function.
    pub indirect_calls: IndirectCalls,
    /// States that the current step has split off and that go on living.
    pub forked: Vec<State>,
    /// Register vectors to use again, by function: each has its function's length already, so that
    /// a call fills nothing in.
    pub spare_registers: Vec<Vec<Vec<Value>>>,
    /// By function: which registers matter where.
    pub(crate) live_registers: Vec<Registers>,
    /// A limit that a finished path has met; the run stops at it.
    pub stop: Option<Limit>,
    /// The limit of the run at which a path ended because the solver had no time left.
    pub(crate) cut_short: Option<Limit>,
    /// Warnings given, in order.
    pub warnings: Vec<String>,
    /// Processor time of the process before the run.
    pub(crate) spent: Duration,
    /// How much work the solver may put into a question of the running step.
    pub(crate) effort: Effort,
    /// States that wait with a question.
    pub(crate) waiting: usize,
    /// When the run began.
    pub started: Instant,
    /// Set from outside to end the run.
    pub(crate) interrupt: &'static AtomicBool,
    /// The running batch ends when its state has executed this many instructions.
    pub(crate) batch_end: u64,
    /// Makes external calls, if they are asked for.
    pub(crate) external: Option<plat_external::Client>,
    /// Whether the program can see floating-point exception flags.
    pub(crate) float_flags: bool,
    /// Stands in for a state's environment during a system call.
    pub(crate) idle_environment: Option<Rc<Environment>>,
    /// Memory with the globals in it, for further initial states.
    pub(crate) initial_memory: Option<Memory>,
    /// Allocation contexts.
    pub(crate) contexts: Contexts,
    /// What dereferences are checked against.
    pub(crate) check: Option<Box<Check<'a>>>,
    /// Which allocation contexts were confused.
    pub(crate) survey: Option<Survey>,
    /// The access that is being resolved among several outcomes, and what these are.
    pub(crate) resolving: Option<(Option<InstId>, ForkReason)>,
    /// Distances to uncovered code, if the searcher asks for them.
    pub(crate) distances: Option<Distances>,
    /// Instructions executed under each call stack, as of the ends of batches, if the searcher
    /// asks for them.
    pub(crate) call_paths: Option<FxHashMap<u64, u64>>,
    /// Whether a shift may have been moved ahead of its test by the compiler, as far as looked up.
    pub(crate) speculated: FxHashMap<InstId, bool>,
    /// Blocks in which registers that were poison are live, see [`crate::liveness`].
    pub(crate) live_blocks: FxHashMap<(FuncId, Reg), Box<[bool]>>,
    /// Bytes that operations on ranges have touched since the run last looked at its memory.
    pub(crate) touched: u64,
    /// What stands for memory that was never written.
    pub(crate) uninitialised: Uninitialised,
    pub(crate) next_state: u32,
    pub(crate) reported: Reported,
    pub(crate) warned: BTreeSet<String>,
    /// The other processes that explore, if there can be any.
    pub(crate) workers: Option<Box<Workers>>,
    /// Tests of live paths that the end of the run has made, of those that [`Config::halt_tests`]
    /// bounds.
    pub(crate) halt_tests: u64,
    /// States that were lost with other processes.
    pub(crate) lost: u64,
}

impl<'a> Engine<'a> {
    /// A run that has not begun.
    ///
    /// # Errors
    /// When the solver chain cannot be made.
    pub fn new(
        program: &'a Program,
        config: &'a Config,
        observer: &'a mut dyn Observer,
        interrupt: &'static AtomicBool,
    ) -> Result<Self, StartError> {
        let mut pool = Pool::new();
        let code = Code::new(program, &mut pool);
        let oracle = Oracle::new(&config.solver).map_err(StartError::Solver)?;
        let started = Instant::now();
        let start = std::env::current_dir().unwrap_or_else(|_| "/".into());
        let prediction = config.prediction.as_deref();
        let longest = prediction.map_or(0, |prediction| prediction.longest());
        let contexts = program.annotations.contexts.len();
        let mut engine = Engine {
            program,
            config,
            code,
            decoded: vec![None; program.functions.len()],
            pool,
            oracle,
            objects: Objects::new(),
            memory_stats: MemoryStats::default(),
            host: Some(Host::new(start.into_os_string().into_vec()).at(config.clock)),
            observer,
            counts: Counts::default(),
            executed: Executed::new(program.inst_count(), block_starts(program)),
            covered: 0,
            branches: vec![0; program.inst_count()],
            indirect_calls: IndirectCalls::default(),
            forked: Vec::new(),
            spare_registers: vec![Vec::new(); program.functions.len()],
            live_registers: (program.functions.iter())
                .map(|_| Registers::default())
                .collect(),
            stop: None,
            cut_short: None,
            warnings: Vec::new(),
            spent: crate::workers::cpu_time(),
            effort: Effort::FULL,
            waiting: 0,
            started,
            interrupt,
            batch_end: 0,
            external: None,
            float_flags: crate::float_environment::reads_flags(program),
            idle_environment: None,
            initial_memory: None,
            contexts: Contexts::new(program, longest),
            check: prediction.map(|prediction| Box::new(Check::new(program, prediction))),
            survey: config.survey.then(|| Survey::new(contexts)),
            resolving: None,
            distances: None,
            call_paths: config
                .searchers
                .iter()
                .any(|name| name == "nurs:cpicnt")
                .then(FxHashMap::default),
            speculated: FxHashMap::default(),
            live_blocks: FxHashMap::default(),
            touched: 0,
            uninitialised: Uninitialised::default(),
            next_state: 0,
            reported: Reported::default(),
            warned: BTreeSet::new(),
            workers: None,
            halt_tests: 0,
            lost: 0,
        };
        engine.set_deadline();
        Ok(engine)
    }

    /// Has questions end with the run.
    pub(crate) fn set_deadline(&mut self) {
        let end = Deadline::since(self.started, self.config.limits.time);
        self.oracle.set_deadline(end.unless(self.interrupts()));
    }

    /// What asks this process for the end of the run.
    pub(crate) fn interrupts(&self) -> Interrupt {
        Interrupt {
            asked: Some(self.interrupt),
            halted: self.workers.as_ref().map(|workers| workers.halt_flag()),
        }
    }

    /// What the run has come to.
    pub fn into_summary(mut self, reason: StopReason) -> Summary {
        self.show_progress(0, crate::schedule::resident_memory());
        let resolution_forks = self.resolution_forks();
        Summary {
            reason,
            elapsed: self.started.elapsed(),
            solver: self.solver_stats(),
            memory: self.memory_stats,
            coverage: (0..self.executed.len())
                .map(|at| self.executed.once(at))
                .collect(),
            profile: self.executed.counts(),
            counts: self.counts,
            checked: self.check.map(|check| check.result()),
            confused: self.survey.map(Survey::result).unwrap_or_default(),
            resolution_forks,
            cpu: match &self.workers {
                Some(workers) => workers.cpu(),
                None => vec![crate::workers::cpu_time().saturating_sub(self.spent)],
            },
            processes: self.workers.map_or(1, |workers| workers.made()),
            lost: self.lost,
            warnings: self.warnings,
        }
    }
}

impl Engine<'_> {
    /// An identity that no state has had.
    pub fn next_state_id(&mut self) -> StateId {
        let id = match &self.workers {
            Some(workers) => workers.next_state(self.next_state),
            None => StateId(self.next_state),
        };
        self.next_state = id.0 + 1;
        self.counts.states += 1;
        id
    }

    /// The solver's counters.
    pub(crate) fn solver_stats(&self) -> SolverStats {
        let here = self.oracle.stats();
        match &self.workers {
            Some(workers) => workers.solver_stats(here),
            None => here,
        }
    }

    /// Whether the run is to end now: its time is over, or somebody has asked for the end.
    pub(crate) fn overdue(&self) -> Option<Limit> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Limit::Interrupt);
        }
        if let Some(limit) = self.workers.as_ref().and_then(|workers| workers.halted()) {
            return Some(limit);
        }
        let over = self
            .config
            .limits
            .time
            .is_some_and(|most| self.started.elapsed() >= most);
        over.then_some(Limit::Time)
    }

    /// Counts a question to the solver. One may take long: if the run is overdue behind it, the
    /// batch ends with the current instruction.
    pub(crate) fn asked(&mut self, state: &mut State, decided: bool) {
        state.queries += 1;
        let place = self.place(state);
        self.observer.asked(place, decided);
        if self.overdue().is_some() {
            self.batch_end = 0;
        }
    }

    /// Tells the user something once.
    pub fn warn_once(&mut self, text: impl Into<String>) {
        let text = text.into();
        if self.warned.insert(text.clone()) {
            self.observer.warning(&text, true);
            self.warnings.push(text);
        }
    }

    /// Tells the user what is lacking, if it has not been told yet.
    pub(crate) fn warn_first(&mut self, what: String, text: String) {
        if self.warned.insert(what.clone()) {
            self.observer.lacked(&what, &text);
            self.warnings.push(text);
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
        if state.distances.len() < MOST_DISTANCES && !state.distances.contains(&(from, to)) {
            state.distances.push((from, to));
        }
    }

    /// A pointer, moved to the object that it has come to by a computed distance: `p + (new - old)`
    /// with `p` in `old` is a pointer into `new`. Other pointers outside their object stay what
    /// they are, errors to be.
    pub(crate) fn redirected(&self, state: &State, object: ObjectId, offset: i64) -> Value {
        redirected(
            &self.pool,
            &state.memory,
            &state.distances,
            (object, offset),
        )
    }

    /// A state's memory and what its operations need.
    pub fn memory<'s>(&'s mut self, state: &'s mut State) -> (&'s mut Memory, Cx<'s>) {
        let cx = Cx {
            pool: &mut self.pool,
            oracle: &mut self.oracle,
            pc: &state.constraints,
            objects: &mut self.objects,
            stats: &mut self.memory_stats,
        };
        (&mut state.memory, cx)
    }
}

/// See [`Engine::redirected`].
#[cold]
#[inline(never)]
pub(crate) fn redirected(
    pool: &Pool,
    memory: &Memory,
    distances: &[(ObjectId, ObjectId)],
    (object, offset): (ObjectId, i64),
) -> Value {
    let inside = |object, offset: i64| {
        let known = memory.object(object);
        known.is_some_and(|known| u64::try_from(offset).is_ok_and(|at| at <= known.size))
    };
    if inside(object, offset) {
        return Value::Pointer(object, offset);
    }
    let number = pool.object_number(object).wrapping_add_signed(offset);
    let reached = distances.iter().find_map(|&(from, to)| {
        let offset = number.wrapping_sub(pool.object_number(to)).cast_signed();
        (from == object && inside(to, offset)).then_some(Value::Pointer(to, offset))
    });
    reached.unwrap_or(Value::Pointer(object, offset))
}
