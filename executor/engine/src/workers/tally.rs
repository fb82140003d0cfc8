//! The counters of an engine, their growth between two moments, and the sum of that over workers.

use crate::api::summary::{Counts, OrderCounts, OutsideCounts, PoolCounts, TrieCounts};
use crate::executor::Executor;
use plat_memory::model::policy::Chosen;
use plat_memory::{Followed, MemoryStats};
use plat_program::{FuncId, InstId};
use plat_solver::{LayerStats, Longest, SolverStats, WrongAnswers};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Growth of a run's counters.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Tally {
    pub counts: Counts,
    pub solver: SolverStats,
    pub memory: MemoryStats,
    /// Executions, of the instructions that were executed.
    pub executed: Vec<(u32, u64)>,
    /// Directions of branches that are new.
    pub branches: Vec<(u32, u8)>,
    pub indirect_calls: BTreeMap<(InstId, FuncId), u64>,
}

/// Counters that can be told from earlier ones and added to others.
trait Grows {
    /// What has come since `earlier`.
    fn less(&mut self, earlier: &Self);
    /// Adds.
    fn plus(&mut self, more: &Self);
}

macro_rules! sums {
    ($($number:ty),*) => {$(
        impl Grows for $number {
            fn less(&mut self, earlier: &Self) {
                *self = self.saturating_sub(*earlier);
            }

            fn plus(&mut self, more: &Self) {
                *self = self.saturating_add(*more);
            }
        }
    )*};
}

sums!(u64, std::time::Duration);

impl<const N: usize> Grows for [u64; N] {
    fn less(&mut self, earlier: &Self) {
        (self.iter_mut().zip(earlier)).for_each(|(one, earlier)| one.less(earlier));
    }

    fn plus(&mut self, more: &Self) {
        (self.iter_mut().zip(more)).for_each(|(one, more)| one.plus(more));
    }
}

impl<K: Ord + Clone> Grows for BTreeMap<K, u64> {
    fn less(&mut self, earlier: &Self) {
        for (key, count) in earlier {
            self.entry(key.clone()).or_default().less(count);
        }
        self.retain(|_, count| *count > 0);
    }

    fn plus(&mut self, more: &Self) {
        for (key, count) in more {
            self.entry(key.clone()).or_default().plus(count);
        }
    }
}

/// Sums of some fields, greatest values of others.
macro_rules! grows {
    ($name:ty: sum { $($sum:ident),* $(,)? } most { $($most:ident),* $(,)? }) => {
        impl Grows for $name {
            fn less(&mut self, earlier: &Self) {
                let Self { $($sum,)* $($most: _,)* } = self;
                $($sum.less(&earlier.$sum);)*
            }

            fn plus(&mut self, more: &Self) {
                let Self { $($sum,)* $($most,)* } = self;
                $($sum.plus(&more.$sum);)*
                $(*$most = (*$most).max(more.$most);)*
            }
        }
    };
}

grows!(Counts: sum {
    instructions, forks, fork_wall, inhibited_forks, one_sided_branches, completed, faults,
    repeated_faults, unsupported, limited, late, silent, merged, untested, order, tests, unsupported_by_name, states, allocations,
    concretized, sampled, internal_errors, outside,
    trie, pool,
} most { max_states });

impl Counts {
    /// Adds those of another run. What is a greatest value is that of both.
    pub fn add(&mut self, more: &Counts) {
        self.plus(more);
    }
}

grows!(OrderCounts: sum { deferred, subsumed, merges_opened } most {});

grows!(OutsideCounts: sum { peers, received, sent, commands, calls, choices } most {});

grows!(TrieCounts: sum { instructions, divergences, cooled, warmed, known_tests } most {});

grows!(PoolCounts: sum { collections, wall, bytes_before, bytes_after } most { peak });

grows!(MemoryStats: sum { symbolic, multiple, queries, wall, dropped, allocations, joins, moved, places, choices }
    most { max_targets, heap_peak, segments, largest_segment });

grows!(LayerStats: sum { hits, misses } most {});

grows!(WrongAnswers: sum { models, disagreements } most {});

impl Grows for Longest {
    fn less(&mut self, earlier: &Self) {
        self.less(earlier);
    }

    fn plus(&mut self, more: &Self) {
        self.plus(more);
    }
}

grows!(SolverStats: sum {
    questions, free, remembered, queries, backend_queries, backend_nodes, backend_sat, backend_unsat, backend_unknown, backend_postponed, wall,
    backend_wall, backend_resets, wrong, longest, layers,
} most { backend_longest });

grows!(Followed: sum { count, objects, ways, faults, joins, moved } most { most_objects, most_bytes, most_ways });

impl<K: Ord + Clone> Grows for BTreeMap<K, Followed> {
    fn less(&mut self, earlier: &Self) {
        for (place, before) in earlier {
            if let Some(now) = self.get_mut(place) {
                now.less(before);
            }
        }
        self.retain(|_, now| now.count > 0);
    }

    fn plus(&mut self, more: &Self) {
        for (place, more) in more {
            self.entry(place.clone()).or_default().add(more);
        }
    }
}

impl<K: Ord + Clone> Grows for BTreeMap<K, Chosen> {
    fn less(&mut self, earlier: &Self) {
        for (place, before) in earlier {
            if let Some(now) = self.get_mut(place) {
                now.count.less(&before.count);
            }
        }
        self.retain(|_, now| now.count > 0);
    }

    fn plus(&mut self, more: &Self) {
        for (place, more) in more {
            self.entry(place.clone()).or_default().add(*more);
        }
    }
}

impl Grows for BTreeMap<Cow<'static, str>, LayerStats> {
    fn less(&mut self, earlier: &Self) {
        for (name, counts) in earlier {
            self.entry(name.clone()).or_default().less(counts);
        }
    }

    fn plus(&mut self, more: &Self) {
        for (name, counts) in more {
            self.entry(name.clone()).or_default().plus(counts);
        }
    }
}

/// The counters at a moment, to tell from them what has come since.
pub(super) struct Moment {
    counts: Counts,
    solver: SolverStats,
    memory: MemoryStats,
    executed: Vec<u64>,
    branches: Vec<u8>,
    indirect_calls: BTreeMap<(InstId, FuncId), u64>,
}

impl Moment {
    /// The counters of an engine now.
    pub fn of(exec: &Executor<'_>) -> Self {
        Moment {
            counts: exec.counters.counts.clone(),
            solver: exec.solving.oracle.stats(),
            memory: exec.memory.stats.clone(),
            executed: exec.counters.executed.counts(),
            branches: exec.counters.branches.clone(),
            indirect_calls: exec.counters.indirect_calls.counts(),
        }
    }

    /// What has come since `earlier`.
    pub fn since(&self, earlier: &Moment) -> Tally {
        let mut tally = Tally {
            counts: self.counts.clone(),
            solver: self.solver.clone(),
            memory: self.memory.clone(),
            indirect_calls: self.indirect_calls.clone(),
            ..Tally::default()
        };
        tally.counts.less(&earlier.counts);
        // These are counted where all ends of paths are known.
        let counts = &mut tally.counts;
        (counts.faults, counts.repeated_faults, counts.tests) = (0, 0, 0);
        tally.solver.less(&earlier.solver);
        tally.memory.less(&earlier.memory);
        tally.indirect_calls.less(&earlier.indirect_calls);
        let executed = self.executed.iter().zip(&earlier.executed).zip(0..);
        let more = executed.filter(|((now, before), _)| now > before);
        tally.executed = more.map(|((now, before), at)| (at, now - before)).collect();
        let branches = self.branches.iter().zip(&earlier.branches).zip(0..);
        let more = branches.filter(|((now, before), _)| now != before);
        tally.branches = more.map(|((now, _), at)| (at, *now)).collect();
        tally
    }
}

impl Executor<'_> {
    /// Adds what another process has counted; what its solver has counted goes to `solver`.
    pub(super) fn add_tally(&mut self, tally: Tally, solver: &mut SolverStats) {
        self.counters.counts.plus(&tally.counts);
        self.memory.stats.plus(&tally.memory);
        for (way, count) in tally.indirect_calls {
            self.counters.indirect_calls.add(way, count);
        }
        for (at, times) in tally.executed {
            if (at as usize) < self.counters.executed.len() {
                self.counters.covered +=
                    usize::from(self.counters.executed.add(at as usize, times));
            }
        }
        for (at, ways) in tally.branches {
            if let Some(branch) = self.counters.branches.get_mut(at as usize) {
                *branch |= ways;
            }
        }
        solver.plus(&tally.solver);
    }
}

/// The sum of the solver's counters here and elsewhere.
pub(super) fn sum(mut here: SolverStats, elsewhere: &SolverStats) -> SolverStats {
    here.plus(elsewhere);
    here
}
