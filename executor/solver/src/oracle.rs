//! The executor's interface to the solver chain: branches, feasibility, values and bounds under a
//! path condition.
//!
//! Every state carries a model of its path condition, so one side of each branch is known to be
//! feasible and at most one query decides the other. Every model from the chain is checked by
//! evaluation before it is used.

use std::cell::Cell;
use std::time::Duration;

use plat_expr::{Assignment, ExprId, FALSE, Pool, SymbolId, TRUE};

use crate::answer::{Answer, Query, Solver, Unknown};
use crate::backend::enumerate::Enumerate;
use crate::chain::chain;
use crate::config::SolverConfig;
use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::evaluation::Evaluation;
use crate::feasible::Feasible;
use crate::least_model::LeastModels;
use crate::memo::EvalMemos;
use crate::path::PathCondition;
use crate::stats::{SolverStats, WrongAnswers};
use crate::tape::Replayed;
use crate::watched::Watched;

/// Which sides of a branch are feasible.
#[derive(Clone, Debug)]
pub enum Branch {
    /// The condition always holds.
    True,
    /// The condition never holds.
    False,
    /// Both sides are feasible.
    Both {
        /// A model of the path condition and the side that its own model does not take.
        other: Assignment,
        /// The side that the path condition's model takes.
        model_takes: bool,
    },
    /// The side that the model takes is feasible; the other was not decided, and why.
    Unknown(String),
}

/// A solver chain with the caches for queries about states. It serves one pool.
pub struct Oracle {
    chain: Watched,
    memos: EvalMemos,
    evaluation: Evaluation,
    least_models: LeastModels,
    deadline: Deadline,
    effort: Effort,
    /// Work of all queries, in the operations of [`Effort`].
    spent: Cell<u64>,
    questions: u64,
    free: u64,
    remembered: u64,
    wrong_models: u64,
    /// Whether the last answer was none, and one of a replay: whether it was only postponed then.
    replayed: Option<bool>,
}

plat_expr::holder!(Oracle { chain }
    plain { deadline, effort, spent, questions, free, remembered, wrong_models, replayed }
    weak { memos, evaluation, least_models });

impl Oracle {
    /// An oracle with the chain that `config` describes.
    ///
    /// # Errors
    /// A name in `config` that is not in the lists of back ends and layers.
    pub fn new(config: &SolverConfig) -> Result<Self, String> {
        let chain = chain(config)?;
        Ok(Self::watching(Watched::new(chain, config.longest)))
    }

    /// An oracle with a given chain.
    pub fn with_chain(chain: Box<dyn Solver>) -> Self {
        Self::watching(Watched::new(chain, 0))
    }

    fn watching(chain: Watched) -> Self {
        Self {
            chain,
            memos: EvalMemos::default(),
            evaluation: Evaluation::default(),
            least_models: LeastModels::default(),
            deadline: Deadline::NEVER,
            effort: Effort::FULL,
            spent: Cell::new(0),
            questions: 0,
            free: 0,
            remembered: 0,
            wrong_models: 0,
            replayed: None,
        }
    }

    /// Sets the deadline; after it only free queries are answered. Default never.
    pub fn set_deadline(&mut self, deadline: Deadline) {
        self.deadline = deadline;
    }

    /// Sets the work budget of a query. Default none.
    pub fn set_effort(&mut self, effort: Effort) {
        self.effort = effort;
    }

    /// The work of all queries so far, in the operations of [`Effort`]: counted, so that it is the same
    /// in every run. Not counted are Z3's (a fixed price for each query) and that of simple layers.
    pub fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// What the last question came to, if a replay has left it without an answer: whether it was
    /// postponed, as a budget or the end of the run has it.
    pub fn replayed_without_answer(&self) -> Option<bool> {
        self.replayed
    }

    /// Queries so far.
    pub fn queries(&self) -> u64 {
        self.chain.queries()
    }

    /// The time that queries have taken since this was asked last, if there were any. `place`, a number of the
    /// caller's, is noted as where they were asked.
    #[inline]
    pub fn charge(&mut self, place: Option<u32>) -> Option<Duration> {
        self.chain.charge(place)
    }

    /// Ends the solver processes; needed before an exit that runs no destructors. The oracle must
    /// not be used afterwards.
    pub fn close(&mut self) {
        self.chain = Watched::new(Box::new(Enumerate), 0);
    }

    /// The statistics of the oracle and its chain.
    pub fn stats(&self) -> SolverStats {
        let mut stats = SolverStats {
            questions: self.questions,
            free: self.free,
            remembered: self.remembered,
            wrong: WrongAnswers {
                models: self.wrong_models,
                ..WrongAnswers::default()
            },
            ..SolverStats::default()
        };
        self.chain.stats(&mut stats);
        stats
    }

    /// Which sides of a branch on `condition` (1 bit) are feasible.
    pub fn branch(&mut self, pool: &mut Pool, pc: &PathCondition, condition: ExprId) -> Branch {
        self.questions += 1;
        let condition = pool.number(condition);
        if condition == TRUE || condition == FALSE {
            self.free += 1;
            return if condition == TRUE {
                Branch::True
            } else {
                Branch::False
            };
        }
        pool.tabulate(condition);
        let model_takes = self.memos.eval(pool, condition, pc.model()) == 1;
        let other = if model_takes {
            pool.not(condition)
        } else {
            condition
        };
        match self.solve(pool, pc, other) {
            Feasible::Yes(other) => Branch::Both { other, model_takes },
            Feasible::No if model_takes => Branch::True,
            Feasible::No => Branch::False,
            Feasible::Unknown(reason) => Branch::Unknown(reason),
        }
    }

    /// Whether `condition` (1 bit) can hold.
    pub fn feasible(&mut self, pool: &mut Pool, pc: &PathCondition, condition: ExprId) -> Feasible {
        self.questions += 1;
        let condition = pool.number(condition);
        if condition == FALSE {
            self.free += 1;
            return Feasible::No;
        }
        pool.tabulate(condition);
        if self.memos.eval(pool, condition, pc.model()) == 1 {
            self.free += 1;
            return Feasible::Yes(pc.model().clone());
        }
        self.solve(pool, pc, condition)
    }

    /// Whether `condition` (1 bit) always holds.
    ///
    /// # Errors
    /// When the solver gives no answer.
    pub fn must(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        condition: ExprId,
    ) -> Result<bool, Unknown> {
        let negation = pool.not(condition);
        match self.feasible(pool, pc, negation) {
            Feasible::Yes(_) => Ok(false),
            Feasible::No => Ok(true),
            Feasible::Unknown(reason) => Err(Unknown(reason)),
        }
    }

    /// One feasible value of `e` (its lowest 64 bits), the one it has under the model.
    pub fn value(&mut self, pool: &mut Pool, pc: &PathCondition, e: ExprId) -> u64 {
        self.memos.eval(pool, e, pc.model())
    }

    /// The value of `e` (at most 64 bits) if it has only one.
    ///
    /// # Errors
    /// When the solver gives no answer.
    pub fn unique(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        e: ExprId,
    ) -> Result<Option<u64>, Unknown> {
        let e = pool.number(e);
        let value = self.value(pool, pc, e);
        let constant = pool.constant(pool.width(e), value);
        let same = pool.eq(e, constant);
        Ok(self.must(pool, pc, same)?.then_some(value))
    }

    /// The least and the greatest unsigned value of `e` (at most 64 bits). Without an answer of the
    /// solver the bounds are sound but may not be tight. There is no work budget here, as the
    /// caller could not tell that a query was postponed.
    pub fn bounds(&mut self, pool: &mut Pool, pc: &PathCondition, e: ExprId) -> (u64, u64) {
        self.bounds_within(pool, pc, e, Effort::FULL)
    }

    /// The bounds of `e` as far as queries of this work each tell them: for a caller that can do
    /// with wider ones.
    pub fn bounds_within(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        e: ExprId,
        each: Effort,
    ) -> (u64, u64) {
        let effort = std::mem::replace(&mut self.effort, each);
        let bounds = self.bounds_of(pool, pc, e);
        self.effort = effort;
        bounds
    }

    fn bounds_of(&mut self, pool: &mut Pool, pc: &PathCondition, e: ExprId) -> (u64, u64) {
        let e = pool.number(e);
        let (lo, hi) = pool.range(e);
        let value = self.value(pool, pc, e);
        (
            self.least(pool, pc, e, lo, value),
            self.greatest(pool, pc, e, value, hi),
        )
    }

    /// The lexicographically least model of a path condition, symbols in this `order`, other
    /// symbols last; unconstrained bytes are 0. It depends only on the inputs that the path
    /// condition allows, unless the solver gives no answer or the deadline passes.
    pub fn least_model(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        order: &[SymbolId],
    ) -> Assignment {
        if let Some(mut tape) = pc.tape()
            && let Some(model) = tape.model(pool, pc.model())
        {
            let memo = &mut plat_expr::EvalMemo::default();
            if pc.constraints().all(|c| pool.holds(c, &model, memo)) {
                return model;
            }
            tape.lose();
            return pc.model().clone();
        }
        let least = self.find_least_model(pool, pc, order);
        if let Some(mut tape) = pc.tape() {
            tape.note_model(pool, pc.model(), &least);
        }
        least
    }

    fn find_least_model(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        order: &[SymbolId],
    ) -> Assignment {
        let place = |symbol: SymbolId| {
            let at = order.iter().position(|&known| known == symbol);
            (at.unwrap_or(order.len()), symbol)
        };
        let mut least = Assignment::new();
        for (constraints, bytes) in pc.components() {
            let mut ordered: Vec<(SymbolId, u32)> = bytes.iter().collect();
            ordered.sort_by_key(|&(symbol, index)| (place(symbol), index));
            let mut model = Assignment::new();
            for &(symbol, index) in &ordered {
                model.set_byte(symbol, index, pc.model().byte(symbol, index));
            }
            let chain = &mut self.chain;
            self.least_models.minimise(
                pool,
                chain,
                self.deadline,
                constraints,
                ordered,
                &mut model,
            );
            least = model.merged_over(&least, bytes);
        }
        debug_assert!({
            let memo = &mut plat_expr::EvalMemo::default();
            pc.constraints().all(|c| pool.holds(c, &least, memo))
        });
        least
    }

    /// The least value of `e`. It is at least `low`; `reached` is feasible.
    fn least(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        e: ExprId,
        mut low: u64,
        mut reached: u64,
    ) -> u64 {
        let width = pool.width(e);
        let mut first = Some(low); // The bound itself is the likeliest answer.
        while low < reached {
            let middle = first.take().unwrap_or(low + (reached - low) / 2);
            let bound = pool.constant(width, middle);
            let below = pool.ule(e, bound);
            match self.feasible(pool, pc, below) {
                Feasible::Yes(model) => reached = self.memos.eval(pool, e, &model),
                Feasible::No => low = middle + 1,
                Feasible::Unknown(_) => return low,
            }
        }
        reached
    }

    /// The greatest value of `e`. It is at most `high`; `reached` is feasible.
    fn greatest(
        &mut self,
        pool: &mut Pool,
        pc: &PathCondition,
        e: ExprId,
        mut reached: u64,
        mut high: u64,
    ) -> u64 {
        let width = pool.width(e);
        let mut first = Some(high);
        while reached < high {
            let middle = first.take().unwrap_or(high - (high - reached) / 2);
            let bound = pool.constant(width, middle);
            let above = pool.ule(bound, e);
            match self.feasible(pool, pc, above) {
                Feasible::Yes(model) => reached = self.memos.eval(pool, e, &model),
                Feasible::No => high = middle - 1,
                Feasible::Unknown(_) => return high,
            }
        }
        reached
    }

    /// Whether a condition can hold that the path condition's model violates.
    /// A path that replays its answers has them from there.
    fn solve(&mut self, pool: &mut Pool, pc: &PathCondition, condition: ExprId) -> Feasible {
        self.replayed = None;
        let Some(mut tape) = pc.tape() else {
            return self.ask(pool, pc, condition);
        };
        match tape.answer(pool, pc.model(), condition) {
            Replayed::Answer(Feasible::Yes(model)) if !self.fits(pool, pc, condition, &model) => {
                tape.lose();
                self.replayed = Some(true);
                Feasible::Unknown("the answer is another question's".to_owned())
            }
            Replayed::Answer(answer) => {
                self.remembered += 1;
                answer
            }
            Replayed::NoAnswer(postponed) => {
                self.replayed = Some(postponed);
                Feasible::Unknown("the solver had no answer".to_owned())
            }
            Replayed::Live => {
                let answer = self.ask(pool, pc, condition);
                let postponed = !self.effort.is_full() || self.deadline.is_over();
                tape.note(pool, pc.model(), condition, &answer, postponed);
                answer
            }
        }
    }

    /// Whether a model satisfies a condition and what is relevant to it.
    fn fits(
        &mut self,
        pool: &Pool,
        pc: &PathCondition,
        condition: ExprId,
        model: &Assignment,
    ) -> bool {
        let memo = self.memos.of(model);
        let mut relevant = pc.relevant(pool, condition);
        relevant.push(condition);
        relevant.iter().all(|&c| pool.holds(c, model, memo))
    }

    fn ask(&mut self, pool: &mut Pool, pc: &PathCondition, condition: ExprId) -> Feasible {
        let mut constraints = pc.relevant(pool, condition);
        let negation = pool.not(condition);
        if condition == FALSE || constraints.contains(&negation) {
            self.free += 1;
            return Feasible::No;
        }
        constraints.push(condition);
        let query = Query {
            constraints: &constraints,
            deadline: self.deadline,
            effort: self.effort,
            spent: Some(&self.spent),
            model: Some(pc.model()),
        };
        match self.chain.check(pool, &query) {
            Answer::Unsat => Feasible::No,
            Answer::Unknown(reason) => Feasible::Unknown(reason),
            Answer::Sat(model) => {
                let bytes = pc.relevant_bytes(pool, condition);
                let merged = model.merged_over(pc.model(), &bytes);
                let memo = self.memos.of(&merged);
                let evaluation = &mut self.evaluation;
                let mut holds = |&c: &ExprId| evaluation.holds(pool, c, &merged, memo);
                if constraints.iter().all(&mut holds) {
                    debug_assert!(pc.constraints().all(|c| pool.holds(c, &merged, memo)));
                    Feasible::Yes(merged)
                } else {
                    self.wrong_models += 1;
                    Feasible::Unknown("the solver's model does not satisfy the query".to_owned())
                }
            }
        }
    }
}
