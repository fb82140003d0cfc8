//! The constraint graph: vertices, their sets, edges, and merging.

use super::Wave;
use crate::cells::Cells;
use crate::constraints::{Location, Object, Step, System};
use crate::hubs::{Accesses, Hubs};
use crate::offset::{Offset, gcd};
use crate::set::Set;
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
        for (keep, gone) in self.cells.take_same() {
            self.merge(keep.0, gone.0);
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

    /// Merges two nodes whose sets are equal in every solution, and with them the nodes of what is
    /// loaded and stored through them.
    pub(super) fn merge(&mut self, keep: u32, gone: u32) {
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
        let sent = |vertex: &Vertex| vertex.set.minus(&vertex.delta);
        let seen = |vertex: &Vertex| vertex.set.minus(&vertex.delta).minus(&vertex.pending);
        let mut all = Rc::clone(&into.set);
        self.unions.unite(&mut all, &from.set);
        let ends = |vertex: &Vertex| vertex.copies.is_empty() && vertex.steps.is_empty();
        let both_sent = match (ends(into), ends(from)) {
            (true, true) => Set::clone(&all),
            (true, false) => sent(from),
            (false, true) => sent(into),
            (false, false) => sent(into).meet(&sent(from)),
        };
        let both_seen = match (into.is_used(), from.is_used()) {
            (false, false) => Set::clone(&all),
            (false, true) => seen(from),
            (true, false) => seen(into),
            (true, true) => seen(into).meet(&seen(from)),
        };
        into.delta = self.unions.shared(all.minus(&both_sent));
        into.pending = self.unions.shared(all.minus(&both_seen));
        into.set = all;
    }

    /// From now on `node` takes offsets modulo `modulus`.
    pub(super) fn take_modulo(&mut self, node: u32, modulus: u32) {
        self.vertices[node as usize].modulus = modulus;
        let set = Rc::clone(&self.vertices[node as usize].set);
        self.absorb(node, &set);
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
