//! Paths that are led along decisions of the trie: their beginning, and what follows when one does not
//! come by the next decision.

use super::Run;
use crate::api::config::{Config, Earlier, Merging};
use crate::api::observe::Observer;
use crate::executor::Executor;
use crate::fork::placing::follow;
use crate::state::State;
use crate::trie::{Next, Node, Plan};
use plat_solver::Answers;
use std::sync::Arc;

/// Why a run keeps no trie whatever was asked for: its paths are more than their decisions, or what it
/// finds is more than its paths. `late_seeds` are those that come while the run goes on.
pub fn keeps_no_trie(config: &Config, late_seeds: bool) -> Option<&'static str> {
    let reasons = [
        (late_seeds, "it takes seeds from a fuzzer while it goes on"),
        (!config.search.seeds.all.is_empty(), "it follows seeds"),
        (config.search.merging != Merging::Off, "it merges paths"),
        (!config.search.directions.is_empty(), "it replays a path"),
        (
            config.prediction.is_some() || config.record_confusions,
            "it compares all paths with an analysis",
        ),
    ];
    let mut reasons = reasons.into_iter();
    reasons.find_map(|(holds, why)| holds.then_some(why))
}

impl Executor<'_> {
    /// Goes on counting where an earlier run has stopped.
    pub(super) fn go_on_from(&mut self, earlier: &Earlier) {
        let counters = &mut self.counters;
        counters.counts = earlier.counts.clone();
        for &inst in &earlier.covered {
            let inst = inst as usize;
            if inst < counters.executed.len() {
                counters.covered += usize::from(counters.executed.add(inst, 1));
            }
        }
        for &(inst, ways) in &earlier.branches {
            if let Some(branch) = counters.branches.get_mut(inst as usize) {
                *branch |= ways;
            }
        }
    }
}

impl Run<'_> {
    /// Makes the initial states the roots of the trie, if the run keeps one.
    pub(super) fn root_in_trie(&mut self, initial: &mut [State]) {
        let config = self.exec.config;
        if !config.trie.keep || keeps_no_trie(config, self.takes_seeds()).is_some() {
            return;
        }
        for (number, state) in (0..).zip(initial.iter_mut()) {
            if !state.constraints.is_empty() {
                // From here on a path depends on the program, its input and the answers alone.
                self.exec.take_least_model(state);
            }
            state.constraints.keep_answers();
            state.history.node = Some(Node::root(u64::from(number), number));
        }
        self.exec.state_ids.nodes = config.trie.next.max(initial.len() as u64);
    }

    /// Leads the initial states along the plan, if there is one. Those with nothing left go.
    pub(super) fn lead(&mut self, initial: Vec<State>) -> Vec<State> {
        if initial.iter().any(|state| state.history.node.is_none()) {
            return initial;
        }
        for state in &initial {
            self.frontier.roots.push(state.clone());
        }
        let Some(plan) = &self.exec.config.trie.plan else {
            return initial;
        };
        let led = initial
            .into_iter()
            .enumerate()
            .filter_map(|(number, mut state)| {
                // The earlier run had told nothing of it.
                let Some(&at) = plan.roots.get(number) else {
                    return Some(state);
                };
                follow(&mut state, plan, at?);
                Some(state)
            });
        led.collect()
    }

    /// A led path has not come by its next decision: what is behind its last one is explored anew.
    pub(super) fn diverged(&mut self, state: State) {
        let id = state.id;
        if self.exec.overdue().is_some() {
            // The end of the run leaves questions without an answer.
            if let Some(node) = state.history.node.clone() {
                let (plan, number) = node.plan(state.behind());
                if let Some(root) = self.frontier.roots.get(number as usize) {
                    let mut led = along(root.clone(), &Arc::new(plan), number);
                    led.id = id;
                    self.frontier.states.insert(id, Box::new(led));
                }
            }
            return;
        }
        let place = self.exec.place(&state);
        let place = place.map(|inst| self.exec.line_outside_libraries(inst));
        let place = place.and_then(|line| crate::report::blame::place_text(&line));
        let place = place.unwrap_or_else(|| "an unknown place".to_string());
        *(self.exec.counters.counts.trie.divergences)
            .entry(place.clone())
            .or_default() += 1;
        self.exec.events.warn_once(format!(
            "a path has left the decisions of the earlier run at {place}: it is explored anew from \
             the decision before"
        ));
        let led = state.history.node.as_ref().and_then(|node| {
            self.exec.events.observer.renewed(node.id);
            let (plan, number) = node.plan(Next::Open(Answers::default()));
            let root = self.frontier.roots.get(number as usize)?;
            Some(along(root.clone(), &Arc::new(plan), number))
        });
        match led {
            Some(mut led) => {
                led.id = id;
                let summary = self.guidance.summary(&self.exec, &led);
                self.frontier.updated(&summary);
                self.frontier.states.insert(id, Box::new(led));
            }
            None => self.frontier.removed(id),
        }
    }
}

/// An initial state that is led along a plan.
pub(super) fn along(mut root: State, plan: &Arc<Plan>, number: u32) -> State {
    if let Some(at) = plan.roots.get(number as usize).copied().flatten() {
        follow(&mut root, plan, at);
    }
    root
}
