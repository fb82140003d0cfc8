//! The tree of a run, with what its nodes have cost.

use plat::trie::{Node, Timed};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// No node: the parent of a root.
const NONE: u32 = u32::MAX;

/// The nodes are in the order of the tree: parents first, sides in their order.
#[derive(Default)]
pub struct Tree {
    /// Seconds.
    pub costs: Vec<f64>,
    sides: Vec<Vec<u32>>,
    parents: Vec<u32>,
    /// Which is explored first.
    order: Vec<u32>,
    /// The share of the tree, where all sides of a split have the same.
    pub shares: Vec<f64>,
}

impl Tree {
    /// Reads the tree of a run, each node of which is taken to have cost so many times as much. It is explored in
    /// the order of the run, or the shallowest paths first.
    ///
    /// # Errors
    /// When there is none, or it does not say what the run has taken.
    pub fn read(run: &Path, scale: f64, breadth_first: bool) -> Result<Self, String> {
        let Timed { trie, costs } = Timed::read(run).map_err(|why| why.to_string())?;
        let told = costs.iter().zip(0..).map(|(&(id, _), at)| (id, at));
        let told: HashMap<_, _> = told.collect();
        let mut tree = Tree::default();
        let mut behind = HashMap::new();
        trie.walk(&mut |id, depth, node| {
            let at = tree.costs.len() as u32;
            let parent = behind.remove(&id).unwrap_or(NONE);
            let known = told.get(&id).copied();
            let seconds = known.map_or(0.0, |told: usize| costs[told].1.as_secs_f64());
            tree.costs.push(seconds * scale);
            let told = known.map_or(u32::MAX, |told| told as u32);
            tree.order.push(if breadth_first { depth } else { told });
            tree.parents.push(parent);
            tree.sides.push(vec![]);
            if parent != NONE {
                tree.sides[parent as usize].push(at);
            }
            if let Node::Inner(inner) = node {
                behind.extend(inner.sides.iter().map(|&(_, side)| (side, at)));
            }
        });
        tree.share();
        Ok(tree)
    }

    /// A longer run of the same program, which goes on where this one has ended: behind so many of the leaves, evenly
    /// spread, with all of this tree again. Its paths are explored the shallowest first, or in the order of the tree.
    pub fn grown(&self, copies: usize, breadth_first: bool) -> Self {
        let leaves = self.sides.iter().filter(|sides| sides.is_empty()).count();
        let mut grown = Tree::default();
        let (mut at, mut seen, mut made) = (vec![], 0, 0);
        for node in 0..self.costs.len() {
            let parent = self.parents[node];
            let parent = if parent == NONE {
                NONE
            } else {
                at[parent as usize]
            };
            let leaf = grown.add(self, node, parent, self.order[node], breadth_first);
            at.push(leaf);
            seen += usize::from(self.sides[node].is_empty());
            if self.sides[node].is_empty() && made < seen * copies / leaves {
                made += 1;
                for below in 0..self.costs.len() {
                    let parent = match self.parents[below] {
                        NONE => leaf,
                        parent => leaf + 1 + parent,
                    };
                    let depth = self.order[node] + 1 + self.order[below];
                    grown.add(self, below, parent, depth, breadth_first);
                }
            }
        }
        grown.share();
        grown
    }

    /// Adds a node like one of another tree. Returns its place.
    fn add(&mut self, of: &Tree, node: usize, parent: u32, depth: u32, breadth_first: bool) -> u32 {
        let at = self.costs.len() as u32;
        self.costs.push(of.costs[node]);
        self.order.push(if breadth_first { depth } else { at });
        self.parents.push(parent);
        self.sides.push(vec![]);
        if parent != NONE {
            self.sides[parent as usize].push(at);
        }
        at
    }

    /// Works out the shares.
    fn share(&mut self) {
        self.shares.clear();
        for &parent in &self.parents {
            let share = match parent {
                NONE => 1.0,
                parent => {
                    let parent = parent as usize;
                    self.shares[parent] / self.sides[parent].len() as f64
                }
            };
            self.shares.push(share);
        }
    }

    /// What all of it has cost.
    pub fn total(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// What the longest path has cost: no number of workers takes less.
    pub fn longest(&self) -> f64 {
        let mut ways: Vec<f64> = Vec::with_capacity(self.costs.len());
        for (&cost, &parent) in self.costs.iter().zip(&self.parents) {
            let before = ways.get(parent as usize).copied().unwrap_or(0.0);
            ways.push(before + cost);
        }
        ways.into_iter().fold(0.0, f64::max)
    }

    /// The nodes that are in no other one's sides.
    pub fn roots(&self) -> Vec<u32> {
        let all = 0..self.costs.len() as u32;
        all.filter(|&at| self.parents[at as usize] == NONE)
            .collect()
    }

    /// What the ways to some nodes have cost, each part of them once.
    pub fn ways(&self, open: &[u32]) -> f64 {
        let mut seen = HashSet::new();
        let mut cost = 0.0;
        for &node in open {
            let mut at = self.parents[node as usize];
            while at != NONE && seen.insert(at) {
                cost += self.costs[at as usize];
                at = self.parents[at as usize];
            }
        }
        cost
    }

    /// A node as an entry of a queue whose least is explored next.
    pub fn entry(&self, node: u32) -> (u32, u32) {
        (self.order[node as usize], node)
    }

    /// What a node has been divided into.
    pub fn sides(&self, node: u32) -> &[u32] {
        &self.sides[node as usize]
    }
}
