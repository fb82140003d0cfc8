//! Ends of paths: counting them, and telling of each error once.

use super::Run;
use crate::api::observe::Observer;
use crate::api::outcome::{Limit, PathEnd, TestRecord};
use crate::executor::Executor;
use crate::report::deduplication::{self, ErrorKey, Seen};
use crate::state::State;
use crate::trie::Leaf;
use plat_solver::panic_text;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The end of a path that is alive when the run is.
fn stopped_by(limit: Limit) -> PathEnd {
    PathEnd::Limit(limit, format!("the run was stopped: {}", limit.name()))
}

/// What is known of a path that ends, besides its end.
#[derive(Clone, Copy)]
struct Circumstances {
    /// It is alive when the run is stopped.
    at_halt: bool,
    /// There is an input for it, so that it may have a test.
    may_have_test: bool,
}

impl Run<'_> {
    /// Ends a path. Without `has_model` it is not known whether there is any input for it.
    pub(super) fn finish_safely(&mut self, state: State, end: PathEnd, has_model: bool) {
        let known = Circumstances {
            at_halt: false,
            may_have_test: has_model,
        };
        self.finish(state, end, known);
    }

    /// Ends a live state because the run stops.
    pub(super) fn finish_at_halt(&mut self, state: State, limit: Limit, with_test: bool) {
        let known = Circumstances {
            at_halt: true,
            may_have_test: with_test,
        };
        self.finish(state, stopped_by(limit), known);
    }

    /// Ends a path. A panic on the way makes its end an internal error.
    fn finish(&mut self, mut state: State, end: PathEnd, known: Circumstances) {
        let made = catch_unwind(AssertUnwindSafe(|| self.record_end(&mut state, end, known)));
        let (record, stays) = made.unwrap_or_else(|panic| {
            self.exec.recover();
            let end = PathEnd::internal(panic_text(&*panic).to_string());
            self.count(&end);
            (self.exec.bare_record(&state, end), false)
        });
        self.exec.counters.counts.untested += u64::from(record.covered_new && !record.wanted);
        let leaf = state.leaf().filter(|_| !stays);
        let closed = leaf.map(|node| (node, Leaf::of(&record.end)));
        self.conclude(record);
        if let Some((node, leaf)) = closed {
            self.exec.events.observer.closed(node, leaf);
        }
    }

    /// Makes the record of a path that ends, and counts it. Whether the path goes on when the run does.
    fn record_end(
        &mut self,
        state: &mut State,
        mut end: PathEnd,
        known: Circumstances,
    ) -> (TestRecord, bool) {
        let mut at_halt = known.at_halt;
        // After the deadline the solver has no answers: the run's limit is what ends the path.
        if matches!(end, PathEnd::Limit(Limit::Solver, _))
            && let Some(limit) = self.exec.overdue()
        {
            (end, at_halt) = (stopped_by(limit), true);
            self.ends.cut_short.get_or_insert(limit);
        }
        let mut end = self.exec.panicked(state, end, state.constraints.model());
        if known.may_have_test && self.exec.hooks.hear_ends() {
            end = self.exec.tell_end(state, end);
        }
        let error = deduplication::key(&end, self.exec.blame(state, &end).inst);
        let wanted = known.may_have_test && self.wants_test(state, &end, error.as_ref(), at_halt);
        let record = self.exec.record(state, end, wanted);
        self.count(&record.end);
        (record, at_halt)
    }

    /// Tells of an ended path. Whether it is the first with its error shows here, where all paths
    /// come by, also those of other processes.
    pub(crate) fn conclude(&mut self, mut record: TestRecord) {
        let mut displaced = None;
        if let Some(error) = deduplication::key(&record.end, record.blamed)
            && !self.exec.config.errors.all
        {
            let known = self.faults.knows(&error);
            self.count_fault(&record.end, known);
            // Another process may have thought otherwise.
            (record.repeats, record.replaces) = (false, false);
            match self.faults.add(error, &record) {
                Seen::First => {}
                Seen::Better(other) => (record.replaces, displaced) = (true, other),
                Seen::Before => {
                    record.wanted &= record.covered_new;
                    record.repeats = record.wanted;
                }
            }
        } else {
            self.count_fault(&record.end, false);
        }
        let known = &self.exec.config.trie.earlier.tests;
        let is_known = |identity| known.contains(&identity) || self.ends.told.contains(&identity);
        let any = !known.is_empty() || !self.ends.told.is_empty();
        if record.wanted && any && is_known(record.identity()) {
            record.wanted = false;
            self.exec.counters.counts.trie.known_tests += 1;
        }
        if record.wanted && !record.replaces {
            self.count_test();
        }
        self.exec
            .events
            .observer
            .path_ended(self.exec.program, &record);
        if let Some(mut other) = displaced {
            (other.repeats, other.replaces) = (true, false);
            self.further_test(&other);
        }
    }

    fn count_test(&mut self) {
        self.exec.counters.counts.tests += 1;
        let most = self.exec.config.limits.tests;
        if most.is_some_and(|most| self.exec.counters.counts.tests >= most) {
            self.ends.stop.get_or_insert(Limit::Tests);
        }
    }

    /// Tells of a test that is not the end of a path.
    fn further_test(&mut self, record: &TestRecord) {
        self.count_test();
        self.exec
            .events
            .observer
            .further_test(self.exec.program, record);
    }

    /// Makes a test for what a path has been the first to cover, before it becomes part of another.
    pub(super) fn cover_before_merge(&mut self, mut state: State) {
        let record = |exec: &mut Executor<'_>| exec.record(&mut state, PathEnd::Merged, true);
        match self.exec.guarded(record) {
            Ok(record) => self.further_test(&record),
            Err(text) => self.exec.note_internal_error(&text),
        }
    }

    fn count_fault(&mut self, end: &PathEnd, known: bool) {
        if matches!(end, PathEnd::Fault(_)) {
            match known {
                true => self.exec.counters.counts.repeated_faults += 1,
                false => self.exec.counters.counts.faults += 1,
            }
        }
    }

    /// Whether a test of a path that has ended is wanted.
    fn wants_test(
        &self,
        state: &State,
        end: &PathEnd,
        error: Option<&ErrorKey>,
        at_halt: bool,
    ) -> bool {
        let config = self.exec.config;
        let new_enough = state.history.covers_new()
            || !config.tests.only_covering_new
            || !state.input.seeds.is_empty();
        match end {
            PathEnd::Returned(_) | PathEnd::Exited(_) => new_enough,
            PathEnd::Fault(_) | PathEnd::Unsupported(_) | PathEnd::Internal(_) => {
                state.history.novelty.covered
                    || config.errors.all
                    || error.is_none_or(|error| !self.faults.knows(error))
                    || error.is_some_and(|error| self.faults.expects(error, state.instructions))
            }
            PathEnd::Limit(limit, _) => {
                let left = *limit == Limit::Seeds && !at_halt;
                new_enough && !left && (!at_halt || config.tests.of_live_states)
            }
            PathEnd::Silent => false,
            PathEnd::Merged => config.tests.of_merged && state.history.novelty.covered,
        }
    }

    /// Counts an ended path.
    fn count(&mut self, end: &PathEnd) {
        let counts = &mut self.exec.counters.counts;
        match end {
            PathEnd::Returned(_) | PathEnd::Exited(_) => counts.completed += 1,
            // Faults are counted where it is known which are the first ones.
            PathEnd::Fault(fault) => {
                let suffix = fault.kind.suffix();
                let errors = &self.exec.config.errors;
                if errors.end_at_first || errors.end_at.iter().any(|one| one == suffix) {
                    self.ends.stop.get_or_insert(Limit::Error);
                }
            }
            PathEnd::Unsupported(what) | PathEnd::Internal(what) => {
                counts.unsupported += 1;
                counts.note_unsupported(what);
                counts.internal_errors += u64::from(matches!(end, PathEnd::Internal(_)));
            }
            PathEnd::Limit(limit, _) => *counts.limited.entry(*limit).or_default() += 1,
            PathEnd::Silent => counts.silent += 1,
            PathEnd::Merged => counts.merged += 1,
        }
    }
}
