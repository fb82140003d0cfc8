//! What the nodes of a trie have cost: the time from the decision before to the node's own split or end.
//!
//! A run says every tenth of a second how long it has gone. What it has told in between has shared that
//! time: each record an equal part of it; where it has told nothing, the time is that of what comes next. So the
//! sum over a subtree is right from tenths of a second on, and for a node alone it is a mean.

use super::Trie;
use super::tree::Told;
use crate::Error;
use plat_engine::NodeId;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

/// A trie with what its nodes have cost.
#[derive(Debug)]
pub struct Timed {
    /// The trie.
    pub trie: Trie,
    /// Splits and ends, in the order in which they were told, and what each has cost.
    pub costs: Vec<(NodeId, Duration)>,
}

impl Timed {
    /// Reads the trie of a run.
    ///
    /// # Errors
    /// When there is none, or it is damaged, or it does not say how long the run has gone.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let mut times = Times::default();
        let trie = Trie::read_hearing(directory, &mut |told| times.hear(&told))?;
        if times.costs.is_empty() && !trie.nodes.is_empty() {
            return Err(Error::input(format!(
                "{}: its trie does not say how long the run has gone",
                directory.display()
            )));
        }
        let mut last: HashMap<NodeId, usize> = HashMap::new();
        last.extend(
            times
                .costs
                .iter()
                .zip(0..)
                .map(|(&(node, _), at)| (node, at)),
        );
        // What was explored anew is told twice; the last counts.
        let costs = times.costs.into_iter().zip(0..);
        let costs = costs.filter(|((node, _), at)| last[node] == *at);
        let costs = costs.map(|(cost, _)| cost).collect();
        Ok(Timed { trie, costs })
    }
}

#[derive(Default)]
struct Times {
    before: Duration,
    /// Told since the last time.
    waiting: Vec<NodeId>,
    costs: Vec<(NodeId, Duration)>,
}

impl Times {
    fn hear(&mut self, told: &Told) {
        match *told {
            Told::Begun => self.before = Duration::ZERO,
            Told::Node(node) => self.waiting.push(node),
            Told::Elapsed(_) if self.waiting.is_empty() => {}
            Told::Elapsed(elapsed) => {
                let each = elapsed.saturating_sub(self.before) / self.waiting.len() as u32;
                let waiting = self.waiting.drain(..);
                self.costs.extend(waiting.map(|node| (node, each)));
                self.before = elapsed;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_together_has_shared_the_time_since_the_last() {
        let mut times = Times::default();
        let told = [
            Told::Begun,
            Told::Node(0),
            Told::Node(1),
            Told::Elapsed(Duration::from_millis(100)),
            Told::Elapsed(Duration::from_millis(300)),
            Told::Node(2),
            Told::Elapsed(Duration::from_millis(400)),
            Told::Begun,
            Told::Node(3),
            Told::Elapsed(Duration::from_millis(7)),
        ];
        told.iter().for_each(|told| times.hear(told));
        let millis = |(node, cost): &(NodeId, Duration)| (*node, cost.as_millis());
        let costs: Vec<_> = times.costs.iter().map(millis).collect();
        assert_eq!(costs, [(0, 50), (1, 50), (2, 300), (3, 7)]);
    }
}
