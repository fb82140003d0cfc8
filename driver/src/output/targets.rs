//! The places that a run was to reach: when each was, and by which test.

use super::summary;
use plat_engine::{Reached, StateId, Target};
use std::time::Duration;

/// What is known of the targets of a run.
#[derive(Default)]
pub struct Targets {
    all: Vec<One>,
}

/// A target.
struct One {
    target: Target,
    result: summary::Target,
    /// The state that has reached it and has no test yet.
    state: Option<StateId>,
}

impl Targets {
    /// None of these has been reached.
    pub fn new(targets: &[Target]) -> Self {
        let all = targets.iter().map(|target| One {
            target: target.clone(),
            result: summary::Target {
                target: target.to_string(),
                ..summary::Target::default()
            },
            state: None,
        });
        Targets { all: all.collect() }
    }

    /// Notes that one has been reached, and says so.
    pub fn reached(&mut self, reached: &Reached<'_>, elapsed: Duration) -> Option<String> {
        let mut all = self.all.iter_mut();
        let one = all.find(|one| one.target == *reached.target)?;
        one.result.reached = true;
        one.state = reached.state;
        let target = &one.target;
        if reached.state.is_none() {
            return Some(format!("{target} was reached by an earlier run"));
        }
        one.result.instructions = Some(reached.instructions);
        one.result.wall_s = Some(elapsed.as_secs_f64());
        let instructions = reached.instructions;
        Some(format!(
            "{target} is reached, after {instructions} instructions"
        ))
    }

    /// Notes the test of a state, and says for which targets it is.
    pub fn test(&mut self, state: StateId, number: u32) -> Vec<String> {
        let mut lines = Vec::new();
        for one in &mut self.all {
            if one.state == Some(state) {
                one.state = None;
                one.result.test = Some(number);
                lines.push(format!("test {number} reaches {}", one.target));
            }
        }
        lines
    }

    /// Their part of the summary.
    pub fn results(&self) -> Vec<summary::Target> {
        self.all.iter().map(|one| one.result.clone()).collect()
    }
}
