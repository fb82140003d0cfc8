//! Z3 as a back end.
//!
//! Terms are kept across queries, so every expression is translated once. There are a few solvers,
//! each with a stack of constraints, one scope for each. A query goes to the solver whose stack
//! shares the longest prefix with it; the rest of the stack is popped and the missing constraints
//! are pushed. Along a path that is the last condition only.
//!
//! The z3 crate has one context for each thread and counts references to terms: dropping the
//! references frees the memory.
//!
//! Rejected: one solver that asserts each constraint once under its own literal and checks under
//! assumptions. Every check pays for all assertions so far: with 25, 50 and 100 literals it took
//! 1.3, 1.7 and 3.1 times as long as stacks, with 2000 over 20 times. A new solver for each query
//! took 2.5 times as long with Z3's general solver, 5 times with the one for bit-vectors. (Z3
//! 4.8.12, 15 paths of 10 branches, both sides asked.)

mod conversions;
mod divisions;
mod floats;
mod operators;
mod terms;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ::z3::{Params, SatResult, set_global_param};

use plat_expr::{Assignment, ExprId, Holder, Marks, Moves, Pool, SymbolId, SymbolSet};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::SolverConfig;
use crate::deadline::Deadline;
use crate::effort::Z3_PRICE;
use crate::stats::SolverStats;
use terms::{Definition, Failure, Features, Made, Terms};

/// Tuning parameters; the example `measure` gives the numbers behind the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The longest table of constants that becomes a tree of multiplexers instead of an array.
    pub constant_mux_limit: usize,
    /// The same for tables with symbolic elements.
    pub mux_limit: usize,
    /// The number of terms beyond which all are dropped.
    pub max_terms: usize,
    /// The most gates of a constraint. Z3 checks neither time nor memory limits while it builds the
    /// circuit.
    pub max_gates: u64,
    /// Z3's memory limit in megabytes, for all threads of the process together.
    pub max_memory: u32,
    /// The number of solvers: how many paths can be followed in turn.
    pub solvers: usize,
    /// The logic of solvers for queries that read tables; empty for Z3's general solver.
    pub table_logic: &'static str,
    /// The logic of solvers for queries with floating-point operations.
    pub float_logic: &'static str,
    /// The logic of solvers for other queries.
    pub plain_logic: &'static str,
}

impl Default for Tuning {
    // Milliseconds of processor time a query, Z3 4.8.12, reads of a table, by its size in bytes:
    //                      constant              partly symbolic
    //                 64   256   1024           64   256   1024
    // muxes, QF_BV   0.6   2.0   10.0          1.0   2.5   18.1
    // muxes, any     0.9   2.7   21.3          1.6   5.4   22.2
    // array, QF_ABV  1.3   3.8   41.9          0.9   2.7   14.7
    // array, any     1.5   4.6   49.9          1.1   3.8   16.7
    // and without tables, at 32 and 64 bits: any 1.2 and 0.8, QF_BV 1.4 and 1.4.
    fn default() -> Self {
        Self {
            constant_mux_limit: 1024,
            mux_limit: 64,
            max_terms: 1_000_000,
            max_gates: 2_000_000,
            max_memory: 8192,
            solvers: 8,
            table_logic: "QF_ABV",
            float_logic: "QF_FPBV",
            plain_logic: "",
        }
    }
}

/// A solver with the constraints asserted in it, one scope each.
struct Stack {
    solver: ::z3::Solver,
    logic: &'static str,
    constraints: Vec<ExprId>,
    /// The limits last set in Z3: milliseconds and `rlimit` (0 is none).
    limits: (u32, u32),
    /// The asserted definitions, each with the number of constraints below its scope.
    definitions: Vec<(Definition, usize)>,
}

impl Stack {
    fn new(logic: &'static str) -> Made<Self> {
        let missing = || Failure(format!("Z3 has no solver for {logic}"));
        let solver = match logic {
            "" => ::z3::Solver::new(),
            logic => ::z3::Solver::new_for_logic(logic).ok_or_else(missing)?,
        };
        Ok(Self {
            solver,
            logic,
            constraints: Vec::new(),
            limits: (u32::MAX, 0),
            definitions: Vec::new(),
        })
    }

    /// Sets the limits of further checks: time, and work as Z3's `rlimit` (0 is none). Setting them
    /// is slow, so a time limit that is up to an eighth too long is left as it is.
    fn set_limits(&mut self, milliseconds: u32, rlimit: u32) {
        let (limit, known) = self.limits;
        if known == rlimit && limit >= milliseconds && limit - milliseconds <= milliseconds / 8 {
            return;
        }
        let mut params = Params::new();
        params.set_u32("timeout", milliseconds);
        params.set_u32("rlimit", rlimit);
        self.solver.set_params(&params);
        self.limits = (milliseconds, rlimit);
    }

    /// Pops all constraints but the first `common` ones.
    fn pop_to(&mut self, common: usize) {
        if let Ok(scopes @ 1..) = u32::try_from(self.constraints.len() - common) {
            self.solver.pop(scopes);
        }
        self.constraints.truncate(common);
        self.definitions.retain(|&(_, below)| below < common);
    }

    /// The length of the common prefix with a query.
    fn common(&self, constraints: &[ExprId]) -> usize {
        self.constraints
            .iter()
            .zip(constraints)
            .take_while(|(a, b)| a == b)
            .count()
    }
}

/// The state kept from query to query.
struct Session {
    terms: Terms,
    /// The features of each constraint.
    features: FxHashMap<ExprId, Features>,
    /// In LRU order, the oldest first.
    stacks: Vec<Stack>,
}

/// The Z3 back end.
pub struct Z3 {
    session: Option<Session>,
    time_limit: Option<Duration>,
    tuning: Tuning,
    resets: u64,
}

impl Z3 {
    /// With the limits of `config`.
    pub fn new(config: &SolverConfig) -> Self {
        Self::with_tuning(config, Tuning::default())
    }

    /// With tuning parameters.
    pub fn with_tuning(config: &SolverConfig, tuning: Tuning) -> Self {
        Self {
            session: None,
            time_limit: config.time_limit,
            tuning,
            resets: 0,
        }
    }

    fn ask(&mut self, pool: &Pool, query: &Query<'_>) -> Made<Answer> {
        let constraints = query.constraints;
        let deadline = query
            .within(self.time_limit)
            .within(query.effort.time_limit())
            .deadline;
        if deadline.is_over() {
            return Ok(Answer::Unknown(TIMEOUT.to_owned()));
        }
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::new(&self.tuning)),
        };
        if let Some(gates) = session.too_large(pool, constraints, self.tuning.max_gates) {
            let reason = format!("a constraint is too large: about {gates} gates");
            return Ok(Answer::Unknown(reason));
        }
        session.choose_stack(constraints, &self.tuning)?;
        query.charge(Z3_PRICE);
        session.ask(pool, constraints, deadline, query.effort.rlimit())
    }

    fn reset(&mut self) {
        self.session = None;
        self.resets += 1;
    }
}

impl Session {
    fn new(tuning: &Tuning) -> Self {
        // A Z3 solver combines a tactic with an incremental solver. With scopes, only the
        // incremental one is used, but by default the tactic is built from 30 others, at 10 ms for
        // each solver.
        set_global_param("tactic.default_tactic", "smt");
        set_global_param("memory_max_size", &tuning.max_memory.to_string());
        Self {
            terms: Terms::new(tuning.constant_mux_limit, tuning.mux_limit),
            features: FxHashMap::default(),
            stacks: Vec::new(),
        }
    }

    /// The size of a constraint that is larger than `limit`, if there is one.
    fn too_large(&mut self, pool: &Pool, constraints: &[ExprId], limit: u64) -> Option<u64> {
        let sizes = constraints.iter().map(|&constraint| {
            let find = || self.terms.features(pool, constraint);
            self.features.entry(constraint).or_insert_with(find).gates
        });
        sizes.max().filter(|&gates| gates > limit)
    }

    /// Moves the stack for a query to the end: the one with the longest common prefix, or if there
    /// is none, a new one in place of the least recently used.
    fn choose_stack(&mut self, constraints: &[ExprId], tuning: &Tuning) -> Made<()> {
        let any = |has: fn(&Features) -> bool| {
            constraints
                .iter()
                .any(|c| self.features.get(c).is_some_and(has))
        };
        let logic = if any(|features| features.floats) {
            // No Z3 logic has floats and arrays.
            if any(Features::has_array) {
                ""
            } else {
                tuning.float_logic
            }
        } else if any(|features| features.reads) {
            tuning.table_logic
        } else {
            tuning.plain_logic
        };
        let shared = |at: &usize| {
            let stack = &self.stacks[*at];
            if stack.logic == logic {
                stack.common(constraints)
            } else {
                0
            }
        };
        let best = (0..self.stacks.len()).max_by_key(shared);
        let chosen = match best {
            Some(at) if shared(&at) > 0 => at,
            _ => {
                if self.stacks.len() >= tuning.solvers.max(1) {
                    self.stacks.remove(0);
                }
                self.stacks.push(Stack::new(logic)?);
                self.stacks.len() - 1
            }
        };
        self.stacks[chosen..].rotate_left(1);
        Ok(())
    }

    /// Decides a query with the last stack.
    fn ask(
        &mut self,
        pool: &Pool,
        constraints: &[ExprId],
        deadline: Deadline,
        rlimit: u32,
    ) -> Made<Answer> {
        let Some(stack) = self.stacks.last_mut() else {
            return Err(Failure("no solver".to_owned()));
        };
        let common = stack.common(constraints);
        stack.pop_to(common);
        for &constraint in &constraints[common..] {
            if self.terms.constraint(pool, constraint, deadline)?.is_none() {
                return Ok(Answer::Unknown(TIMEOUT.to_owned()));
            }
            stack.solver.push();
            let features = self.features.get(&constraint);
            for &definition in features.map_or(&[][..], |features| &features.definitions) {
                let mut known = stack.definitions.iter();
                if known.any(|&(known, _)| known == definition) {
                    continue;
                }
                stack
                    .definitions
                    .push((definition, stack.constraints.len()));
                for term in self.terms.definition(definition) {
                    stack.solver.assert(term);
                }
            }
            stack.solver.assert(self.terms.truth(constraint)?);
            stack.constraints.push(constraint);
        }
        if deadline.is_over() {
            return Ok(Answer::Unknown(TIMEOUT.to_owned()));
        }
        // Rounded up: a timeout before the deadline would look like some other failure.
        let left = deadline.left().map_or(u32::MAX, |left| {
            u32::try_from(left.as_millis() + 1).unwrap_or(u32::MAX)
        });
        stack.set_limits(left, rlimit);
        match stack.solver.check() {
            SatResult::Unsat => Ok(Answer::Unsat),
            SatResult::Unknown => {
                let reason = stack.solver.get_reason_unknown().unwrap_or_default();
                // What Z3 keeps from a query that was too hard slows down the next ones.
                self.stacks.pop();
                Ok(Answer::Unknown(reason))
            }
            SatResult::Sat => {
                let model = stack.solver.get_model();
                let model = model.ok_or_else(|| Failure("Z3 has no model".to_owned()))?;
                Ok(Answer::Sat(self.assignment(pool, constraints, &model)))
            }
        }
    }

    /// The query's bytes in a model; 0 where the model has no value.
    fn assignment(
        &mut self,
        pool: &Pool,
        constraints: &[ExprId],
        model: &::z3::Model,
    ) -> Assignment {
        let bytes: SymbolSet = constraints
            .iter()
            .flat_map(|&c| pool.symbols(c).iter())
            .collect();
        let mut values: Vec<(SymbolId, Vec<u8>)> = Vec::new();
        for byte @ (symbol, index) in bytes.iter() {
            if values.last().is_none_or(|(last, _)| *last != symbol) {
                values.push((symbol, Vec::new()));
            }
            let value = model.eval(self.terms.byte(byte), true);
            let value = value.and_then(|value| value.as_u64()).unwrap_or(0);
            if let Some((_, bytes)) = values.last_mut() {
                bytes.resize(index as usize + 1, 0);
                bytes[index as usize] = value as u8;
            }
        }
        let mut assignment = Assignment::new();
        for (symbol, bytes) in values {
            assignment.set(symbol, bytes);
        }
        assignment
    }
}

/// A collection ends the session; sessions are restarted now and then anyway.
impl Holder for Z3 {
    fn mark(&self, _: &mut Marks<'_>) {}

    fn relocate(&mut self, _: &mut Moves) {
        self.session = None;
    }
}

impl Solver for Z3 {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(session) = &self.session
            && session.terms.count() > self.tuning.max_terms
        {
            self.reset();
        }
        // The z3 crate panics if Z3 cannot make a term, for example out of memory.
        let asked = catch_unwind(AssertUnwindSafe(|| self.ask(pool, query)));
        let reason = match asked {
            Ok(Ok(answer)) => return answer,
            Ok(Err(Failure(reason))) => reason,
            Err(panic) => format!("the back end z3 has panicked: {}", panic_text(&*panic)),
        };
        // A term may be half built.
        self.reset();
        Answer::Unknown(reason)
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.resets;
    }
}

/// The version of Z3 that plat is linked with.
pub fn version() -> String {
    z3::full_version().to_string()
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no reason is known")
}
