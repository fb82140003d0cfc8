//! The whole chain, watched from above: how many queries there were, what they have taken, and the longest of
//! them in words.

use std::time::{Duration, Instant};

use plat_expr::{ExprId, Pool};
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Query, Solver};
use crate::stats::SolverStats;

/// No shorter query is put into words: that takes a part of it.
const LEAST: Duration = Duration::from_micros(100);

/// Characters of a condition.
const CONDITION: usize = 600;

/// Conditions that are written of what must hold beside the one that was asked, and characters of each.
const GIVEN: usize = 8;
const GIVEN_CONDITION: usize = 160;

/// A query that took long.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LongQuery {
    /// What it has taken.
    pub wall: Duration,
    /// Whether there was a model; none if it was not decided.
    pub satisfiable: Option<bool>,
    /// What was asked, in C's terms.
    pub condition: String,
    /// What must hold beside it, as far as it is related; not all of it.
    pub given: Vec<String>,
    /// How many more conditions that are.
    pub further: u64,
    /// Where it was asked: what [`crate::Oracle::charge`] was told.
    pub place: Option<u32>,
}

/// The longest queries, the longest first.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Longest {
    /// How many are kept.
    pub most: usize,
    /// They.
    pub queries: Vec<LongQuery>,
}

impl Longest {
    fn is_wanted(&self, wall: Duration) -> bool {
        let least = self
            .queries
            .last()
            .filter(|_| self.queries.len() >= self.most);
        self.most > 0 && wall >= LEAST && least.is_none_or(|least| wall > least.wall)
    }

    fn add(&mut self, query: LongQuery) {
        let at = self.queries.partition_point(|one| one.wall >= query.wall);
        self.queries.insert(at, query);
        self.queries.truncate(self.most);
    }

    /// Those of both.
    pub fn plus(&mut self, more: &Self) {
        self.most = self.most.max(more.most);
        more.queries.iter().for_each(|one| self.add(one.clone()));
    }

    /// Without those of an earlier moment.
    pub fn less(&mut self, earlier: &Self) {
        self.queries.retain(|one| !earlier.queries.contains(one));
    }
}

/// A chain with its watch.
pub(crate) struct Watched {
    chain: Box<dyn Solver>,
    queries: u64,
    wall: Duration,
    /// What queries have taken since it was asked last.
    uncharged: Duration,
    longest: Longest,
    /// Whether one of the longest has no place yet.
    unplaced: bool,
}

plat_expr::holder!(Watched { chain } plain { queries, wall, uncharged, longest, unplaced });

impl Watched {
    pub fn new(chain: Box<dyn Solver>, most: usize) -> Self {
        Self {
            chain,
            queries: 0,
            wall: Duration::ZERO,
            uncharged: Duration::ZERO,
            longest: Longest {
                most,
                queries: Vec::new(),
            },
            unplaced: false,
        }
    }

    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// What queries have taken since this was called last; they were asked at this place.
    #[inline]
    pub fn charge(&mut self, place: Option<u32>) -> Option<Duration> {
        if self.uncharged.is_zero() {
            return None;
        }
        if self.unplaced {
            self.place(place);
        }
        Some(std::mem::take(&mut self.uncharged))
    }

    #[cold]
    fn place(&mut self, place: Option<u32>) {
        self.unplaced = false;
        let unplaced = self.longest.queries.iter_mut();
        for query in unplaced.filter(|query| query.place.is_none()) {
            query.place = place;
        }
    }

    #[cold]
    fn note(&mut self, pool: &Pool, constraints: &[ExprId], answer: &Answer, wall: Duration) {
        // What was asked stands behind what holds on the path.
        let Some((&asked, given)) = constraints.split_last() else {
            return;
        };
        let shown = given.iter().rev().take(GIVEN);
        self.longest.add(LongQuery {
            wall,
            satisfiable: match answer {
                Answer::Sat(_) => Some(true),
                Answer::Unsat => Some(false),
                Answer::Unknown(_) => None,
            },
            condition: pool.c_text(asked, CONDITION),
            given: shown.map(|&e| pool.c_text(e, GIVEN_CONDITION)).collect(),
            further: given.len().saturating_sub(GIVEN) as u64,
            place: None,
        });
        self.unplaced = true;
    }
}

impl Solver for Watched {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let start = Instant::now();
        let answer = self.chain.check(pool, query);
        let wall = start.elapsed();
        self.queries += 1;
        self.wall += wall;
        self.uncharged += wall;
        if self.longest.is_wanted(wall) {
            self.note(pool, query.constraints, &answer, wall);
        }
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.queries += self.queries;
        out.wall += self.wall;
        out.longest.plus(&self.longest);
        self.chain.stats(out);
    }
}
