//! Figures of a trie.

use super::tree::{Node, Trie};
use std::collections::BTreeMap;

/// Figures of a trie.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// All nodes.
    pub nodes: u64,
    /// Splits.
    pub splits: u64,
    /// Nodes that are to be explored.
    pub open: u64,
    /// Ended paths, by how they have ended.
    pub leaves: BTreeMap<&'static str, u64>,
    /// The greatest depth.
    pub depth: u32,
    /// Splits by kind.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Bytes of the file.
    pub bytes: u64,
    /// Bytes of answers in it.
    pub answers: u64,
}

impl Stats {
    /// As lines.
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "{:>12}  nodes\n{:>12}  splits\n{:>12}  open paths\n",
            self.nodes, self.splits, self.open
        );
        for (name, count) in &self.leaves {
            text += &format!("{count:>12}  ended paths: {name}\n");
        }
        for (name, count) in &self.kinds {
            text += &format!("{count:>12}  splits: {name}\n");
        }
        let each = self.bytes as f64 / self.nodes.max(1) as f64;
        text + &format!(
            "{:>12}  greatest depth\n{:>12}  bytes, {each:.1} a node\n{:>12}  bytes of them answers\n",
            self.depth, self.bytes, self.answers
        )
    }

    /// Of a trie.
    pub fn of(trie: &Trie) -> Self {
        let mut stats = Stats {
            bytes: trie.bytes.0,
            ..Stats::default()
        };
        trie.walk(&mut |_, depth, node| {
            stats.nodes += 1;
            stats.depth = stats.depth.max(depth);
            match node {
                Node::Open | Node::Left(_) => stats.open += 1,
                Node::Leaf(leaf) => *stats.leaves.entry(leaf.name()).or_default() += 1,
                Node::Explored(ends) => {
                    for (leaf, count) in ends {
                        *stats.leaves.entry(leaf.name()).or_default() += count;
                    }
                }
                Node::Inner(inner) => {
                    stats.splits += 1;
                    stats.answers += inner.answers.bytes.len() as u64;
                    *stats.kinds.entry(inner.kind.name()).or_default() += 1;
                }
            }
        });
        stats
    }
}
