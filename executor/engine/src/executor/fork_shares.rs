//! How the forks of a run are spread over instructions and over call paths, for bounds on the share of one
//! (`--max-static-fork-pct`, `--max-static-cpfork-pct`).

use crate::api::config::ForkShares;
use crate::executor::Executor;
use crate::state::State;
use plat_program::InstId;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};

/// Forks so far, in this process.
#[derive(Debug, Default)]
pub struct SpreadForks {
    all: u64,
    by_inst: FxHashMap<InstId, u64>,
    by_path: FxHashMap<u64, u64>,
}

impl SpreadForks {
    /// Whether an instruction, or its call path, has more than its share.
    fn exceeds(&self, shares: &ForkShares, inst: InstId, path: u64) -> bool {
        let more = |count: Option<&u64>, share: f64| {
            count.is_some_and(|&count| count as f64 > self.all as f64 * share)
        };
        self.all >= shares.delay
            && (more(self.by_inst.get(&inst), shares.of_instruction)
                || more(self.by_path.get(&path), shares.of_path))
    }

    fn add(&mut self, inst: InstId, path: u64) {
        self.all += 1;
        *self.by_inst.entry(inst).or_default() += 1;
        *self.by_path.entry(path).or_default() += 1;
    }
}

impl Executor<'_> {
    /// Whether the instruction at which a state is about to fork has had its share of all forks. If not, this
    /// one counts.
    pub(crate) fn has_forked_enough(&mut self, state: &State, inst: Option<InstId>) -> bool {
        let shares = &self.config.limits.fork_shares;
        let Some(inst) = inst.filter(|_| shares.are_bounded()) else {
            return false;
        };
        let path = self.call_path(state);
        let spread = &mut self.counters.spread_forks;
        if !spread.exceeds(shares, inst, path) {
            spread.add(inst, path);
            return false;
        }
        let (function, _) = self.program.position(inst);
        let place = crate::report::blame::place_text(&self.line_outside_libraries(inst));
        let place = place.unwrap_or_else(|| self.program.function(function).name.clone());
        self.events.warn_once(format!(
            "skipping fork and concretizing condition (MaxStatic*Pct limit reached) at {place}"
        ));
        true
    }

    /// A hash of the calls on the stack, and of the function that is executed.
    fn call_path(&self, state: &State) -> u64 {
        let mut hasher = FxHasher::default();
        let mut frames = state.stack();
        frames.next().map(|frame| frame.function).hash(&mut hasher);
        for frame in frames {
            frame.inst(self.program).hash(&mut hasher);
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{ForkShares, SpreadForks};
    use plat_program::InstId;

    #[test]
    fn more_than_a_share_is_too_much() {
        let shares = ForkShares {
            of_instruction: 0.5,
            delay: 1,
            ..ForkShares::default()
        };
        let [first, other] = [0, 1].map(InstId::new);
        let mut spread = SpreadForks::default();
        assert!(!spread.exceeds(&shares, first, 7));
        spread.add(first, 7);
        assert!(spread.exceeds(&shares, first, 7) && !spread.exceeds(&shares, other, 7));
        spread.add(other, 7);
        assert!(!spread.exceeds(&shares, first, 7));
        let paths = ForkShares {
            of_path: 0.5,
            ..ForkShares::default()
        };
        assert!(!spread.exceeds(&paths, other, 7), "not before 1000 forks");
        assert!(spread.exceeds(&ForkShares { delay: 2, ..paths }, other, 7));
    }
}
