//! Merging nodes: those of a cycle of copies, and the slots of an object that no longer tells them
//! apart. Merging two pointers merges what is loaded and stored through them.
//!
//! Most nodes have one of a few sets. Merged one by one, each set would be united with the union of
//! all before it. So all nodes of a group get the union first, for which each distinct set is united
//! once. Then merging only joins lists.

use super::Wave;
use super::graph::{Used, Vertex, nothing};
use super::unions::Unions;
use crate::constraints::gcd;
use crate::solver::set::Set;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

impl Wave<'_> {
    /// Merges nodes whose sets are equal in every solution.
    pub(super) fn merge_all(&mut self, nodes: &[u32]) {
        self.level(nodes);
        for &node in &nodes[1..] {
            self.merge(nodes[0], node);
        }
    }

    /// Merges two nodes whose sets are equal in every solution, and with them the nodes of what is
    /// loaded and stored through them.
    fn merge(&mut self, keep: u32, gone: u32) {
        let mut open = vec![(keep, gone)];
        while let Some((keep, gone)) = open.pop() {
            let (keep, gone) = (self.find(keep), self.find(gone));
            if keep != gone {
                // The system's nodes are first: what stands for one of them is one of them.
                self.merge_roots(keep.min(gone), keep.max(gone), &mut open);
            }
        }
    }

    fn merge_roots(&mut self, keep: u32, gone: u32, open: &mut Vec<(u32, u32)>) {
        self.measures.merged += 1;
        self.parent[gone as usize] = keep;
        let mut from = std::mem::take(&mut self.vertices[gone as usize]);
        let mut into = std::mem::take(&mut self.vertices[keep as usize]);
        self.unite_sets(&mut into, &from);
        into.copies.append(&mut from.copies);
        into.steps.append(&mut from.steps);
        if let Some(mut from) = from.used {
            let into = into.used();
            into.others.append(&mut from.others);
            unite_by_width(&mut into.loads, from.loads, open);
            unite_by_width(&mut into.stores, from.stores, open);
        }
        let moduli = (u64::from(into.modulus), u64::from(from.modulus));
        into.modulus = gcd(moduli.0, moduli.1) as u32;
        let differ = moduli.0 != moduli.1;
        self.vertices[keep as usize] = into;
        if differ {
            self.take_modulo(keep, self.vertices[keep as usize].modulus);
        }
    }

    /// Gives `into` the set of both, and what not both have sent and shown to their uses.
    fn unite_sets(&mut self, into: &mut Vertex, from: &Vertex) {
        let done = |vertex: &Vertex| vertex.delta.is_empty() && vertex.pending.is_empty();
        let same = Rc::ptr_eq(&into.set, &from.set) && done(into) && done(from);
        if same || into.state() == from.state() {
            return;
        }
        let mut all = Rc::clone(&into.set);
        self.unions.unite(&mut all, &from.set);
        [into.delta, into.pending] = left(&mut self.unions, &all, &[into, from]);
        into.set = all;
    }

    /// Gives nodes that are to be merged what they will have as one, and so what is loaded and
    /// stored through them. Many of them have the same: that is united once, not node by node.
    fn level(&mut self, nodes: &[u32]) {
        let mut open = vec![nodes.to_vec()];
        let mut seen = FxHashSet::default();
        while let Some(mut nodes) = open.pop() {
            for node in &mut nodes {
                *node = self.find(*node);
            }
            nodes.sort_unstable();
            nodes.dedup();
            if nodes.len() > 1 && seen.insert(nodes[0]) {
                self.level_sets(&nodes);
                let accesses = |accesses: fn(&Used) -> &[(u64, u32)]| {
                    let mut by_width: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
                    let vertices = nodes.iter().map(|&node| &self.vertices[node as usize]);
                    let used = vertices.filter_map(|vertex| vertex.used.as_deref());
                    for &(width, node) in used.flat_map(accesses) {
                        by_width.entry(width).or_default().push(node);
                    }
                    by_width.into_values()
                };
                open.extend(accesses(|used| &used.loads));
                open.extend(accesses(|used| &used.stores));
            }
        }
    }

    fn level_sets(&mut self, nodes: &[u32]) {
        let of = |node: &u32| &self.vertices[*node as usize];
        let mut moduli: Vec<u32> = nodes.iter().map(|node| of(node).modulus).collect();
        moduli.sort_unstable();
        moduli.dedup();
        // Each of several moduli leaves its classes in the set.
        if moduli.iter().filter(|&&modulus| modulus != 0).count() > 1 {
            return;
        }
        let mut known = FxHashSet::default();
        let mut kinds: Vec<&Vertex> = nodes.iter().map(of).collect();
        kinds.retain(|vertex| known.insert((vertex.state(), vertex.sends(), vertex.is_used())));
        let mut all = nothing();
        for kind in &kinds {
            self.unions.unite(&mut all, &kind.set);
        }
        let [delta, pending] = left(&mut self.unions, &all, &kinds);
        let first = &mut self.vertices[nodes[0] as usize];
        (first.set, first.delta, first.pending) = (all, delta, pending);
        if let [0, modulus] = moduli[..] {
            self.take_modulo(nodes[0], modulus);
        }
        let first = &self.vertices[nodes[0] as usize];
        let sets = [&first.set, &first.delta, &first.pending].map(Rc::clone);
        let modulus = first.modulus;
        for &node in &nodes[1..] {
            let vertex = &mut self.vertices[node as usize];
            [vertex.set, vertex.delta, vertex.pending] = sets.clone();
            vertex.modulus = modulus;
        }
    }
}

/// What not all of these nodes, which come to have the set `all`, have sent, and what not all have
/// shown to their uses.
fn left(unions: &mut Unions, all: &Rc<Set>, nodes: &[&Vertex]) -> [Rc<Set>; 2] {
    let senders = nodes.iter().filter(|vertex| vertex.sends());
    let senders = senders.map(|vertex| (&vertex.set, [&vertex.delta, &vertex.delta]));
    let used = nodes.iter().filter(|vertex| vertex.is_used());
    let used = used.map(|vertex| (&vertex.set, [&vertex.delta, &vertex.pending]));
    [
        left_of(unions, all, senders.collect()),
        left_of(unions, all, used.collect()),
    ]
}

/// What one of the sets lacks of `all`, or has in a part that is left.
fn left_of(unions: &mut Unions, all: &Rc<Set>, sets: Vec<(&Rc<Set>, [&Rc<Set>; 2])>) -> Rc<Set> {
    let is_whole = |(set, parts): &(&Rc<Set>, [&Rc<Set>; 2])| {
        set.is_empty() || parts.iter().any(|part| Rc::ptr_eq(part, set))
    };
    if sets.iter().any(is_whole) {
        return Rc::clone(all);
    }
    let mut left = Set::new();
    for (set, parts) in sets {
        if !Rc::ptr_eq(set, all) {
            left.union_with(&all.minus(set));
        }
        for part in parts {
            left.union_with(part);
        }
    }
    match left.is_empty() {
        true => nothing(),
        false => unions.shared(left),
    }
}

/// Adds `more` to `all`; nodes of the same width are to be merged.
fn unite_by_width(all: &mut Vec<(u64, u32)>, more: Vec<(u64, u32)>, open: &mut Vec<(u32, u32)>) {
    for (width, node) in more {
        match all.iter().find(|other| other.0 == width) {
            Some(&(_, other)) => open.push((other, node)),
            None => all.push((width, node)),
        }
    }
}
