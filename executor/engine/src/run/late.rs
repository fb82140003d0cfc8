//! Seeds that come while the run goes on: each is a path from the beginning, see `fork/late.rs`.

use super::{Run, TICK};
use crate::api::seeds::SeedSource;
use crate::search::{self, Seeding};
use crate::state::State;
use crate::state::trail::Trail;
use std::sync::Arc;
use std::time::Instant;

/// Where they come from.
pub(super) struct LateSeeds<'a> {
    source: Box<dyn SeedSource + 'a>,
    /// How many there were.
    given: usize,
    /// When the source is asked next.
    next: Instant,
    /// When the last ones were given, while their paths are followed.
    following: Option<Instant>,
}

impl<'a> Run<'a> {
    /// Has the run follow the seeds that a source gives.
    pub(super) fn follow_seeds_of(&mut self, source: Box<dyn SeedSource + 'a>) {
        let (none, _) = search::build(&[], 0);
        let inner = std::mem::replace(&mut self.frontier.searcher, none);
        self.frontier.searcher = Box::new(Seeding::new(inner));
        self.late = Some(LateSeeds {
            source,
            given: self.exec.config.search.seeds.all.len(),
            next: Instant::now(),
            following: None,
        });
    }

    /// Whether seeds may come.
    pub(crate) fn takes_seeds(&self) -> bool {
        self.late.is_some()
    }

    /// Keeps the states that seeds begin with.
    pub(super) fn keep_beginnings(&mut self, initial: &mut [State]) {
        if self.late.is_none() {
            return;
        }
        for state in initial {
            let mut beginning = self.exec.copy(state);
            beginning.input.seeds.clear();
            self.frontier.beginnings.push(beginning);
        }
    }

    /// Begins a path for each seed that has come, if those before have been followed. The paths
    /// beside them have as much time as they had.
    pub(super) fn take_late_seeds(&mut self) {
        let Some(late) = &mut self.late else {
            return;
        };
        let now = Instant::now();
        if now < late.next {
            return;
        }
        late.next = now + TICK;
        if let Some(began) = late.following {
            if self
                .frontier
                .states
                .values()
                .any(|state| state.late().is_some())
            {
                return;
            }
            late.following = None;
            late.next = now + TICK.max(now - began);
            return;
        }
        let seeds = late.source.poll();
        late.following = (!seeds.is_empty()).then(Instant::now);
        let first = late.given + 1;
        late.given += seeds.len();
        for (number, seed) in (first..).zip(seeds) {
            let seed = Arc::new(seed);
            for at in 0..self.frontier.beginnings.len() {
                let mut state = self.exec.copy(&mut self.frontier.beginnings[at]);
                state.id = self.exec.next_state_id();
                let one = std::iter::once((number, Arc::clone(&seed)));
                self.exec.attach(&mut state, one);
                self.exec.keep_agreeing(&mut state);
                if !state.input.seeds.is_empty() {
                    state.input.late = Some(Box::<Trail>::default());
                    self.add(Box::new(state));
                }
            }
        }
    }
}
