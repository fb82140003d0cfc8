//! Paths of a worker process that was killed, explored again by those that are left.
//!
//! What the worker has told is known: its decisions and the ends of its paths. The leaves without an end
//! are led to again along the decisions, as `plat resume` would do.

use super::Run;
use super::led::along;
use crate::api::summary::StopReason;
use std::sync::Arc;

impl Run<'_> {
    /// Prepares for the loss of a process, where the run keeps a trie. A run that is led along an earlier
    /// one is not prepared: `plat resume` goes on with it.
    pub(super) fn expect_losses(&mut self) {
        let led = self.exec.config.trie.plan.is_some();
        let roots = self.frontier.roots.len() as u64;
        if self.workers.is_some() && roots > 0 && !led {
            self.exec.events.observer.keep_open(roots);
        }
    }

    /// Explores what lost processes have left, until nothing is left or the run stops.
    pub(super) fn explore_lost(&mut self, mut reason: StopReason) -> StopReason {
        while reason == StopReason::Finished && self.take_up_lost() {
            reason = self.explore_all();
            reason = self.await_workers(reason);
        }
        reason
    }

    /// Makes states of what lost processes have left; whether there are any.
    fn take_up_lost(&mut self) -> bool {
        if self.ends.lost == 0 || !self.exec.events.observer.keeps_open() {
            return false;
        }
        self.ends.lost = 0;
        let Some(plan) = self.exec.events.observer.open_plan().map(Arc::new) else {
            return false;
        };
        for number in 0..self.frontier.roots.len() {
            if plan.roots.get(number).copied().flatten().is_some() {
                let root = self.frontier.roots[number].clone();
                let mut led = along(root, &plan, number as u32);
                led.id = self.exec.next_state_id();
                self.add(Box::new(led));
            }
        }
        if let Some(workers) = &mut self.workers {
            workers.rejoin();
        }
        true
    }
}
