//! Z3 as a back end.
//!
//! One context lives across queries, with every expression translated once. In it are a few
//! solvers, each with a stack of constraints, one scope per constraint. A query goes to the
//! solver whose stack has the longest prefix in common with it, which drops the rest and pushes
//! what is missing: along a path that is the last condition only.
//!
//! Rejected: one solver for all, with each constraint asserted once under a literal of its own
//! and checked under assumptions. Every check pays for all that was ever asserted: with 25, 50
//! and 100 literals kept it took 1.3, 1.7 and 3.1 times as long as stacks, with 2000 over 20
//! times. A new solver for each query took 2.5 times as long with Z3's general solver, 5 times
//! with the one for bit-vectors. (Z3 4.8.12, 15 paths of 10 branches, both sides asked.)

mod context;
mod divisions;
mod floats;
mod terms;

use std::time::Duration;

use plat_expr::{Assignment, ExprId, Pool, SymbolId, SymbolSet};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver, TIMEOUT};
use crate::config::Config;
use crate::deadline::Deadline;
use crate::stats::SolverStats;
use context::{Context, Failure, Made, SolverRef, Verdict};
use terms::{Below, Definition, Terms};

/// When to choose what; see the example `measure` for the numbers behind the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The longest table of constants that becomes a tree of choices instead of an array.
    pub constant_mux_limit: usize,
    /// The same for tables with symbolic elements.
    pub mux_limit: usize,
    /// Terms in a context beyond which it is dropped for a new one.
    pub max_terms: usize,
    /// Gates of a constraint beyond which it is not given to Z3, which heeds neither time limit
    /// nor memory while it makes its circuit.
    pub max_gates: u64,
    /// Megabytes beyond which Z3 gives a query up (in all contexts of the process together).
    pub max_memory: u32,
    /// How many solvers there are, to follow as many paths in turn.
    pub solvers: usize,
    /// The logic of solvers for queries that read tables; empty for Z3's general solver.
    pub table_logic: &'static str,
    /// The logic of solvers for queries with floating-point operations.
    pub float_logic: &'static str,
    /// The logic of solvers for other queries.
    pub plain_logic: &'static str,
}

impl Default for Tuning {
    // Milliseconds of processor time a query, Z3 4.8.12, reads of a table of so many bytes:
    //                      constant              partly symbolic
    //                 64   256   1024           64   256   1024
    // choices, QF_BV 0.6   2.0   10.0          1.0   2.5   18.1
    // choices, any   0.9   2.7   21.3          1.6   5.4   22.2
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
    solver: SolverRef,
    logic: &'static str,
    constraints: Vec<ExprId>,
    /// The bounds on a check that Z3 was told last: milliseconds, and its units of work or 0.
    limits: (u32, u32),
    /// The definitions asserted so far, each with the number of constraints below its scope.
    definitions: Vec<(Definition, usize)>,
}

impl Stack {
    /// How many constraints of a query are asserted already.
    fn common(&self, constraints: &[ExprId]) -> usize {
        self.constraints
            .iter()
            .zip(constraints)
            .take_while(|(a, b)| a == b)
            .count()
    }
}

/// A context with everything that lives in it.
struct Session {
    terms: Terms,
    /// For each constraint, what is below it.
    below: FxHashMap<ExprId, Below>,
    /// The least recently used first.
    stacks: Vec<Stack>,
    context: Context,
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
    pub fn new(config: &Config) -> Self {
        Self::with_tuning(config, Tuning::default())
    }

    /// With other choices than the default ones.
    pub fn with_tuning(config: &Config, tuning: Tuning) -> Self {
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
            .within(query.effort.backstop())
            .deadline;
        if deadline.is_over() {
            return Ok(Answer::Unknown(TIMEOUT.to_owned()));
        }
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::new(&self.tuning)?),
        };
        if let Some(gates) = session.too_large(pool, constraints, self.tuning.max_gates) {
            let reason = format!("a constraint is too large: about {gates} gates");
            return Ok(Answer::Unknown(reason));
        }
        session.choose(constraints, &self.tuning)?;
        session.ask(pool, constraints, deadline, query.effort.resources())
    }

    fn reset(&mut self) {
        self.session = None;
        self.resets += 1;
    }
}

impl Session {
    fn new(tuning: &Tuning) -> Made<Self> {
        Ok(Self {
            terms: Terms::new(tuning.constant_mux_limit, tuning.mux_limit),
            below: FxHashMap::default(),
            stacks: Vec::new(),
            context: Context::new(tuning.max_memory)?,
        })
    }

    /// The size of a constraint that is larger than `limit`, if there is one.
    fn too_large(&mut self, pool: &Pool, constraints: &[ExprId], limit: u64) -> Option<u64> {
        let sizes = constraints.iter().map(|&constraint| {
            let find = || self.terms.below(pool, constraint);
            self.below.entry(constraint).or_insert_with(find).gates
        });
        sizes.max().filter(|&gates| gates > limit)
    }

    /// Makes the stack for a query the last one: the one that shares most with it; if none shares
    /// anything, a new one, in place of the one that was not used for longest.
    fn choose(&mut self, constraints: &[ExprId], tuning: &Tuning) -> Made<()> {
        let any = |has: fn(&Below) -> bool| {
            constraints
                .iter()
                .any(|c| self.below.get(c).is_some_and(has))
        };
        let logic = if any(|below| below.floats) {
            // There is no logic of floats and arrays.
            if any(Below::has_array) {
                ""
            } else {
                tuning.float_logic
            }
        } else if any(|below| below.reads) {
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
                    let oldest = self.stacks.remove(0);
                    self.context.release_solver(oldest.solver);
                }
                let name = (!logic.is_empty()).then_some(logic);
                let solver = self.context.solver(name)?;
                let (constraints, definitions) = (Vec::new(), Vec::new());
                self.stacks.push(Stack {
                    solver,
                    logic,
                    constraints,
                    limits: (u32::MAX, 0),
                    definitions,
                });
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
        work: u32,
    ) -> Made<Answer> {
        let Some(stack) = self.stacks.last_mut() else {
            return Err(Failure("no solver".to_owned()));
        };
        let common = stack.common(constraints);
        self.context
            .pop(stack.solver, stack.constraints.len() - common);
        stack.constraints.truncate(common);
        stack.definitions.retain(|&(_, below)| below < common);
        for &constraint in &constraints[common..] {
            let Some(term) = self
                .terms
                .term(pool, &mut self.context, constraint, deadline)?
            else {
                return Ok(Answer::Unknown(TIMEOUT.to_owned()));
            };
            self.context.push(stack.solver);
            let below = self.below.get(&constraint);
            for &definition in below.map_or(&[][..], |below| &below.definitions) {
                if stack
                    .definitions
                    .iter()
                    .any(|&(known, _)| known == definition)
                {
                    continue;
                }
                stack
                    .definitions
                    .push((definition, stack.constraints.len()));
                for &term in self.terms.definition(definition) {
                    self.context.assert(stack.solver, term);
                }
            }
            self.context.assert(stack.solver, term);
            stack.constraints.push(constraint);
        }
        let solver = stack.solver;
        if deadline.is_over() {
            return Ok(Answer::Unknown(TIMEOUT.to_owned()));
        }
        // Not before the deadline, or what comes next takes it for another limit's fault.
        let left = deadline.left().map_or(u32::MAX, |left| {
            u32::try_from(left.as_millis() + 1).unwrap_or(u32::MAX)
        });
        // Telling Z3 costs something, and an eighth more does not matter.
        let (limit, known) = stack.limits;
        if limit < left || limit - left > left / 8 || known != work {
            self.context.limit(solver, left, work)?;
            stack.limits = (left, work);
        }
        match self.context.check(solver) {
            Verdict::Unsat => Ok(Answer::Unsat),
            Verdict::Unknown(reason) => {
                // What Z3 did to a query that was too hard would burden the next ones.
                self.stacks.pop();
                self.context.release_solver(solver);
                Ok(Answer::Unknown(reason))
            }
            Verdict::Sat => Ok(Answer::Sat(self.model(pool, constraints, solver)?)),
        }
    }

    /// The bytes that the query depends on, from the model of the last check.
    fn model(
        &mut self,
        pool: &Pool,
        constraints: &[ExprId],
        solver: SolverRef,
    ) -> Made<Assignment> {
        let bytes: SymbolSet = constraints
            .iter()
            .flat_map(|&c| pool.symbols(c).iter())
            .collect();
        let model = self.context.model(solver)?;
        let mut values: Vec<(SymbolId, Vec<u8>)> = Vec::new();
        for byte @ (symbol, index) in bytes.iter() {
            if values.last().is_none_or(|(last, _)| *last != symbol) {
                values.push((symbol, Vec::new()));
            }
            let term = self.terms.byte(&mut self.context, byte)?;
            let value = self.context.model_value(&model, term);
            if let Some((_, bytes)) = values.last_mut() {
                bytes.resize(index as usize + 1, 0);
                bytes[index as usize] = value as u8;
            }
        }
        self.context.release_model(model);
        let mut assignment = Assignment::new();
        for (symbol, bytes) in values {
            assignment.set(symbol, bytes);
        }
        Ok(assignment)
    }
}

impl Solver for Z3 {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(session) = &self.session
            && session.context.terms > self.tuning.max_terms
        {
            // Z3 keeps every term for the life of its context.
            self.reset();
        }
        self.ask(pool, query).unwrap_or_else(|Failure(reason)| {
            // Something may be half made.
            self.reset();
            Answer::Unknown(reason)
        })
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.resets;
    }
}
