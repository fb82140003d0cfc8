//! The flow graph, and its least solution for taints.

use crate::taint::{Class, Kind, Taint};
use rustc_hash::FxHashMap;

/// Values and memory cells, with an edge for each influence. Nodes in a cycle of copies are merged:
/// edges connect their representatives.
#[derive(Debug, Default)]
pub struct Graph {
    representative: Vec<u32>,
    edges: Vec<(u32, u32, Kind)>,
    seeds: Vec<(u32, Taint)>,
    /// The edges that can make choices, between the original nodes.
    pub choices: Vec<(u32, u32, Kind)>,
}

/// Adjacency lists: the position of each node's first edge, and the targets.
struct Adjacency {
    first: Vec<u32>,
    targets: Vec<(u32, Kind)>,
}

impl Adjacency {
    fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32, Kind)> + Clone) -> Self {
        let mut first = vec![0u32; nodes + 1];
        for (from, ..) in edges.clone() {
            first[from as usize + 1] += 1;
        }
        for at in 0..nodes {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut targets = vec![(0, Kind::Flow); first[nodes] as usize];
        for (from, to, kind) in edges {
            let at = &mut next[from as usize];
            targets[*at as usize] = (to, kind);
            *at += 1;
        }
        Self { first, targets }
    }

    fn of(&self, node: u32) -> &[(u32, Kind)] {
        let (first, last) = (self.first[node as usize], self.first[node as usize + 1]);
        &self.targets[first as usize..last as usize]
    }
}

impl Graph {
    /// A graph without edges. Nodes with the same entry in the table are merged; nodes beyond it
    /// represent themselves.
    pub fn new(sets: &[u32]) -> Self {
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        let numbered = sets.iter().zip(0..);
        Self {
            representative: numbered
                .map(|(&set, node)| *first.entry(set).or_insert(node))
                .collect(),
            ..Self::default()
        }
    }

    /// The representative of a node.
    pub fn find(&self, node: u32) -> u32 {
        let known = self.representative.get(node as usize);
        known.copied().unwrap_or(node)
    }

    /// Adds an edge: `from` influences `to`.
    pub fn edge(&mut self, from: u32, to: u32, kind: Kind) {
        if kind.chooses() {
            self.choices.push((from, to, kind));
        }
        let (from, to) = (self.find(from), self.find(to));
        if from != to || kind != Kind::Flow {
            self.edges.push((from, to, kind));
        }
    }

    /// Adds initial taints of a node.
    pub fn seed(&mut self, node: u32, taint: Taint) {
        self.seeds.push((self.find(node), taint));
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// The least solution; `classes` has the class of each node.
    pub fn solve(&self, classes: &[Class]) -> Vec<Taint> {
        let adjacent = Adjacency::new(classes.len(), self.edges.iter().copied());
        let mut taints = vec![Taint::NONE; classes.len()];
        let mut worklist = Vec::new();
        for &(node, taint) in &self.seeds {
            taints[node as usize] |= taint;
            worklist.push(node);
        }
        while let Some(node) = worklist.pop() {
            let from = taints[node as usize];
            for &(to, kind) in adjacent.of(node) {
                let passed = kind.pass(from, classes[to as usize]);
                if !taints[to as usize].has(passed) {
                    taints[to as usize] |= passed;
                    worklist.push(to);
                }
            }
        }
        taints
    }

    /// The nodes from which a value, possibly at another offset, flows to one of `ends`.
    pub fn reaching(&self, nodes: usize, ends: impl Iterator<Item = u32>) -> Vec<bool> {
        let flows = self.edges.iter().filter(|edge| edge.2 == Kind::Flow);
        let backwards = Adjacency::new(nodes, flows.map(|&(from, to, kind)| (to, from, kind)));
        let mut reaches = vec![false; nodes];
        let mut worklist: Vec<u32> = ends.map(|end| self.find(end)).collect();
        while let Some(node) = worklist.pop() {
            if !std::mem::replace(&mut reaches[node as usize], true) {
                worklist.extend(backwards.of(node).iter().map(|&(from, _)| from));
            }
        }
        reaches
    }
}
