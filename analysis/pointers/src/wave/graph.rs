//! The constraint graph: vertices, their sets, edges, and merging.

use super::Wave;
use super::unions::Unions;
use crate::cells::Cells;
use crate::constraints::{Location, Object, Step, System};
use crate::hubs::{Accesses, Hubs};
use crate::offset::{Offset, gcd};
use crate::set::Set;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a node is used for besides being copied, loaded through and stored through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    /// Its blocks go to an object.
    Gather { into: Object, length: Option<u64> },
    /// Its blocks are further arguments, passed by value.
    GatherRest { into: Object },
    /// Its blocks receive an object.
    Scatter { from: Object, length: Option<u64> },
    /// Its targets receive the address of an object.
    Receive { fresh: Object },
    /// It is called.
    Call(u32),
}

thread_local! {
    static NOTHING: Rc<Set> = Rc::default();
}

/// The empty set, without an allocation of its own.
pub(super) fn nothing() -> Rc<Set> {
    NOTHING.with(Rc::clone)
}

/// Everything the solver knows about a representative node.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    /// Its points-to set.
    pub set: Rc<Set>,
    /// The part of `set` that its successors have not seen.
    pub delta: Rc<Set>,
    /// The part of `set` that its uses have not seen and that left `delta`.
    pub pending: Rc<Set>,
    /// Successors that include its set.
    pub copies: Vec<u32>,
    /// Successors that include its set moved.
    pub steps: Vec<(Step, u32)>,
    /// For each width loaded through it: the node of what is loaded. All loads of one width share
    /// it, so a load costs one edge and not one per location.
    pub loads: Vec<(u64, u32)>,
    /// For each width stored through it: the node of what is stored.
    pub stores: Vec<(u64, u32)>,
    /// The other uses.
    pub uses: Vec<Use>,
    /// Incoming offsets are taken modulo this; 0: as they are.
    pub modulus: u32,
}

impl Default for Vertex {
    fn default() -> Self {
        Self {
            set: nothing(),
            delta: nothing(),
            pending: nothing(),
            copies: Vec::new(),
            steps: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            uses: Vec::new(),
            modulus: 0,
        }
    }
}

impl Vertex {
    pub fn is_used(&self) -> bool {
        !(self.loads.is_empty() && self.stores.is_empty() && self.uses.is_empty())
    }

    fn sends(&self) -> bool {
        !(self.copies.is_empty() && self.steps.is_empty())
    }

    /// Its sets, by their addresses.
    fn state(&self) -> [*const Set; 3] {
        [&self.set, &self.delta, &self.pending].map(Rc::as_ptr)
    }

    /// Sends the whole set again: a use sees elements when they leave `delta`.
    fn send_again(&mut self) {
        self.delta = Rc::clone(&self.set);
    }
}

impl<'a> Accesses<'a> for Wave<'a> {
    fn system(&self) -> &'a System {
        self.system
    }

    fn location(&self, place: u32) -> Location {
        self.places.location(place)
    }

    fn cells(&mut self) -> &mut Cells {
        &mut self.cells
    }

    fn hubs(&mut self) -> &mut Hubs {
        &mut self.hubs
    }

    fn connect_cells(&mut self) {
        self.cells.settle(self.system);
        let nodes = self.cells.nodes();
        self.vertices.resize(nodes as usize, Vertex::default());
        self.parent.extend(self.parent.len() as u32..nodes);
        for same in self
            .cells
            .take_same()
            .chunk_by(|one, other| one.0 == other.0)
        {
            let parts = same.iter().map(|(_, part)| part.0);
            self.merge_all(&[same[0].0.0].into_iter().chain(parts).collect::<Vec<_>>());
        }
        for (from, to) in self.cells.take_edges() {
            self.copy_edge(from.0, to.0);
        }
    }

    fn copy_edge(&mut self, from: u32, to: u32) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.vertices[from as usize].copies.push(to);
        let set = Rc::clone(&self.vertices[from as usize].set);
        self.absorb(to, &set);
    }
}

impl Wave<'_> {
    pub(super) fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = node;
        while self.parent[at as usize] != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    /// Adds `new` to the set of `node`.
    pub(super) fn absorb(&mut self, node: u32, new: &Rc<Set>) {
        let node = self.find(node) as usize;
        let vertex = &mut self.vertices[node];
        let widened;
        let new = if vertex.modulus == 0 {
            new
        } else {
            let by = Offset::strided(u64::from(vertex.modulus), 0);
            widened = self.places.step(new, Step::by(by));
            &widened
        };
        self.measures.operations += 1 + (new.chunks() + vertex.set.chunks()) as u64;
        if let Some(news) = self.unions.absorb(&mut self.places, &mut vertex.set, new) {
            self.unions.unite(&mut vertex.delta, &news);
        }
    }

    /// Adds a location to the set of `node`.
    pub(super) fn absorb_one(&mut self, node: u32, at: Location) {
        let place = self.places.number(at);
        self.absorb(node, &Rc::new(Set::from_iter([place])));
    }

    pub(super) fn step_edge(&mut self, from: u32, step: Step, to: u32) {
        if step == Step::NONE {
            return self.copy_edge(from, to);
        }
        let (from, to) = (self.find(from), self.find(to));
        self.vertices[from as usize].steps.push((step, to));
        let moved = self.places.step(&self.vertices[from as usize].set, step);
        self.absorb(to, &moved);
    }

    /// Registers a use; it will see the whole set of `node`.
    pub(super) fn use_by(&mut self, node: u32, how: Use) {
        let node = self.find(node) as usize;
        let vertex = &mut self.vertices[node];
        vertex.uses.push(how);
        vertex.send_again();
    }

    /// Makes `to` include what is loaded through `pointer`.
    pub(super) fn load_by(&mut self, pointer: u32, width: u64, to: u32) {
        let loaded = self.accessed(pointer, width, |vertex| &mut vertex.loads);
        self.copy_edge(loaded, to);
    }

    /// Stores `from` through `pointer`.
    pub(super) fn store_by(&mut self, pointer: u32, width: u64, from: u32) {
        let stored = self.accessed(pointer, width, |vertex| &mut vertex.stores);
        self.copy_edge(from, stored);
    }

    /// The node of what is loaded or stored through `pointer`.
    fn accessed(
        &mut self,
        pointer: u32,
        width: u64,
        accesses: impl Fn(&mut Vertex) -> &mut Vec<(u64, u32)>,
    ) -> u32 {
        let pointer = self.find(pointer) as usize;
        let known = accesses(&mut self.vertices[pointer]).iter();
        if let Some(&(_, node)) = known.clone().find(|access| access.0 == width) {
            return node;
        }
        let node = self.cells.fresh().0;
        self.connect_cells();
        let vertex = &mut self.vertices[pointer];
        accesses(vertex).push((width, node));
        vertex.send_again();
        node
    }

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
        into.uses.append(&mut from.uses);
        unite_by_width(&mut into.loads, from.loads, open);
        unite_by_width(&mut into.stores, from.stores, open);
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
        if Rc::ptr_eq(&into.set, &from.set) && done(into) && done(from) {
            return;
        }
        if into.state() == from.state() {
            return;
        }
        let mut all = Rc::clone(&into.set);
        self.unions.unite(&mut all, &from.set);
        [into.delta, into.pending] = levelled(&mut self.unions, &all, &[into, from]);
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
                let accesses = |accesses: fn(&Vertex) -> &[(u64, u32)]| {
                    let mut by_width: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
                    let vertices = nodes.iter().map(|&node| &self.vertices[node as usize]);
                    for &(width, node) in vertices.flat_map(accesses) {
                        by_width.entry(width).or_default().push(node);
                    }
                    by_width.into_values()
                };
                open.extend(accesses(|vertex| &vertex.loads));
                open.extend(accesses(|vertex| &vertex.stores));
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
        let [delta, pending] = levelled(&mut self.unions, &all, &kinds);
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

    /// From now on `node` takes offsets modulo `modulus`.
    pub(super) fn take_modulo(&mut self, node: u32, modulus: u32) {
        self.vertices[node as usize].modulus = modulus;
        let set = Rc::clone(&self.vertices[node as usize].set);
        self.absorb(node, &set);
    }
}

/// What nodes that come to have the set `all` have not all sent, and what their uses have not all
/// seen.
fn levelled(unions: &mut Unions, all: &Rc<Set>, nodes: &[&Vertex]) -> [Rc<Set>; 2] {
    let sending: Vec<&Vertex> = nodes
        .iter()
        .copied()
        .filter(|vertex| vertex.sends())
        .collect();
    let used: Vec<&Vertex> = nodes
        .iter()
        .copied()
        .filter(|vertex| vertex.is_used())
        .collect();
    let unsent = left(unions, all, &sending, |vertex| {
        [&vertex.delta, &vertex.delta]
    });
    let unseen = left(unions, all, &used, |vertex| {
        [&vertex.delta, &vertex.pending]
    });
    [unsent, unseen]
}

/// What one of the nodes lacks of `all`, or has left to do.
fn left(
    unions: &mut Unions,
    all: &Rc<Set>,
    nodes: &[&Vertex],
    to_do: impl Fn(&Vertex) -> [&Rc<Set>; 2],
) -> Rc<Set> {
    let is_all = |vertex: &&Vertex| {
        vertex.set.is_empty()
            || to_do(vertex)
                .iter()
                .any(|part| Rc::ptr_eq(part, &vertex.set))
    };
    if nodes.iter().any(is_all) {
        return Rc::clone(all);
    }
    let mut left = Set::new();
    for vertex in nodes {
        if !Rc::ptr_eq(&vertex.set, all) {
            left.union_with(&all.minus(&vertex.set));
        }
        for part in to_do(vertex) {
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
