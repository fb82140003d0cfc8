//! A trie without what nobody needs who goes on with it: parts in which no path is left to explore become a
//! node each, which says how their paths have ended.
//!
//! That is the compression of "Memoise" (section III): what is left are the ways to the frontier. A path
//! that a limit has ended is part of it, as another limit may let it go on.

use super::tree::{Node, Trie};
use crate::Error;
use plat_engine::{Leaf, NodeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

impl Trie {
    /// Writes it to a file that is not there yet, compressed.
    ///
    /// # Errors
    /// When it is there, or cannot be written.
    pub fn write_compressed(&self, path: &Path) -> Result<(), Error> {
        let (ways, ends) = (self.ways(self.frontier()), self.ends());
        let end = |node: NodeId| Node::Explored(ends.get(&node).cloned().unwrap_or_default());
        let cut = |node| (!ways.contains(&node)).then(|| end(node));
        self.write_run(path, &cut)
    }

    /// The nodes that are to be explored, now or under other limits.
    fn frontier(&self) -> BTreeSet<NodeId> {
        let mut frontier = BTreeSet::new();
        self.walk(&mut |id, _, node| {
            if matches!(
                node,
                Node::Open | Node::Left(_) | Node::Leaf(Leaf::Limit(_))
            ) {
                frontier.insert(id);
            }
        });
        frontier
    }

    /// How the paths behind each node have ended.
    fn ends(&self) -> HashMap<NodeId, BTreeMap<Leaf, u64>> {
        let mut order: Vec<NodeId> = Vec::new();
        self.walk(&mut |id, _, _| order.push(id));
        let mut ends: HashMap<NodeId, BTreeMap<Leaf, u64>> = HashMap::new();
        // Children before parents; each is asked for once.
        for &id in order.iter().rev() {
            let sum = match self.node(id) {
                Node::Open | Node::Left(_) => continue,
                Node::Leaf(leaf) => BTreeMap::from([(*leaf, 1)]),
                Node::Explored(ends) => ends.clone(),
                Node::Inner(inner) => {
                    let mut sum: BTreeMap<Leaf, u64> = BTreeMap::new();
                    for (_, side) in &inner.sides {
                        for (leaf, count) in ends.get(side).into_iter().flatten() {
                            *sum.entry(*leaf).or_default() += count;
                        }
                    }
                    sum
                }
            };
            ends.insert(id, sum);
        }
        ends
    }
}
