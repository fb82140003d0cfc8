//! Z3 as a back end.
//!
//! One context lives across queries. Every constraint is translated once and asserted once, as
//! `p => constraint` for a literal `p` of its own; a query is a check under the literals of its
//! constraints, so that Z3 keeps what it learned. There are two solvers in the context: one that
//! turns bit-vectors into clauses at once, for queries without arrays, and one with the theory
//! of arrays for the others.

mod context;
mod terms;

use std::time::Duration;

use plat_expr::{Assignment, ExprId, Pool, SymbolSet, TableId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answer::{Answer, Query, Solver};
use crate::config::Config;
use crate::stats::SolverStats;
use context::{Context, Failure, Made, SolverRef, Term, Verdict};
use terms::Terms;

/// When to choose what; see the example `measure` for the numbers behind the defaults.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// The longest table that becomes a tree of choices instead of an array.
    pub mux_limit: usize,
    /// Terms in a context beyond which it is dropped for a new one.
    pub max_terms: usize,
    /// Literals of one solver beyond which its context is dropped.
    pub max_literals: usize,
    /// Whether queries without arrays go to the solver for pure bit-vectors.
    pub pure: bool,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            mux_limit: 16,
            max_terms: 1_000_000,
            max_literals: 2000,
            pure: true,
        }
    }
}

/// A solver of the context with what was asserted in it.
struct Assertions {
    solver: SolverRef,
    literals: FxHashMap<ExprId, Term>,
    tables: FxHashSet<TableId>,
}

/// A context with everything that lives in it.
struct Session {
    terms: Terms,
    /// For each constraint, the arrays below it.
    arrays: FxHashMap<ExprId, Vec<TableId>>,
    pure: Option<Assertions>,
    with_arrays: Option<Assertions>,
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

    fn ask(&mut self, pool: &Pool, constraints: &[ExprId]) -> Made<Answer> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::new(&self.tuning)?),
        };
        session.ask(pool, constraints, self.time_limit, self.tuning.pure)
    }

    /// Drops a context that has grown too large: Z3 keeps all terms, and every check visits what
    /// was ever asserted.
    fn renew(&mut self) {
        if let Some(session) = &self.session
            && session.outgrown(&self.tuning)
        {
            self.session = None;
            self.resets += 1;
        }
    }
}

impl Session {
    fn new(tuning: &Tuning) -> Made<Self> {
        Ok(Self {
            terms: Terms::new(tuning.mux_limit),
            arrays: FxHashMap::default(),
            pure: None,
            with_arrays: None,
            context: Context::new()?,
        })
    }

    fn outgrown(&self, tuning: &Tuning) -> bool {
        let literals = |part: &Option<Assertions>| {
            part.as_ref()
                .map_or(0, |assertions| assertions.literals.len())
        };
        self.context.terms > tuning.max_terms
            || self.terms.len() > tuning.max_terms
            || literals(&self.pure) > tuning.max_literals
            || literals(&self.with_arrays) > tuning.max_literals
    }

    fn ask(
        &mut self,
        pool: &Pool,
        constraints: &[ExprId],
        limit: Option<Duration>,
        pure: bool,
    ) -> Made<Answer> {
        for &constraint in constraints {
            if !self.arrays.contains_key(&constraint) {
                let arrays = self.terms.arrays_below(pool, constraint);
                self.arrays.insert(constraint, arrays);
            }
        }
        let pure = pure && constraints.iter().all(|c| self.arrays[c].is_empty());
        let slot = if pure {
            &mut self.pure
        } else {
            &mut self.with_arrays
        };
        let assertions = match slot {
            Some(assertions) => assertions,
            none => {
                let logic = pure.then_some("QF_BV");
                none.insert(Assertions {
                    solver: self.context.solver(logic, limit)?,
                    literals: FxHashMap::default(),
                    tables: FxHashSet::default(),
                })
            }
        };
        let mut assumptions = Vec::with_capacity(constraints.len());
        for &constraint in constraints {
            if let Some(&literal) = assertions.literals.get(&constraint) {
                assumptions.push(literal);
                continue;
            }
            let term = self.terms.term(pool, &mut self.context, constraint)?;
            for &table in &self.arrays[&constraint] {
                if assertions.tables.insert(table) {
                    for &definition in self.terms.definitions(table) {
                        self.context.assert(assertions.solver, None, definition)?;
                    }
                }
            }
            let literal = self.context.literal()?;
            self.context
                .assert(assertions.solver, Some(literal), term)?;
            assertions.literals.insert(constraint, literal);
            assumptions.push(literal);
        }
        let solver = assertions.solver;
        match self.context.check(solver, &assumptions) {
            Verdict::Unsat => Ok(Answer::Unsat),
            Verdict::Unknown(reason) => Ok(Answer::Unknown(reason)),
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
        let mut values: Vec<(plat_expr::SymbolId, Vec<u8>)> = Vec::new();
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
        self.renew();
        let answer = match self.ask(pool, query.constraints) {
            Ok(answer) => answer,
            Err(Failure(reason)) => Answer::Unknown(reason),
        };
        if let Answer::Unknown(_) = answer {
            // A constraint that was too hard would burden every later check, and after a failure
            // something may be half made.
            self.session = None;
            self.resets += 1;
        }
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.backend_resets += self.resets;
    }
}
