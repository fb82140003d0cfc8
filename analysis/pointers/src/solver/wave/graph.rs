//! The constraint graph: vertices, their sets and edges.

use super::Wave;
use crate::constraints::{Displacement, Location, Object, Offset, System};
use crate::solver::cells::Cells;
use crate::solver::set::Set;
use crate::solver::shared_accesses::{Accesses, Hubs};
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

/// What is done with the locations of a node.
#[derive(Clone, Default, Debug)]
pub(super) struct Used {
    /// For each width loaded through it: the node of what is loaded. All loads of one width share
    /// it, so a load costs one edge and not one per location.
    pub loads: Vec<(u64, u32)>,
    /// For each width stored through it: the node of what is stored.
    pub stores: Vec<(u64, u32)>,
    /// The other uses.
    pub others: Vec<Use>,
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
    pub steps: Vec<(Displacement, u32)>,
    /// What else it is used for; most nodes are only copied.
    pub used: Option<Box<Used>>,
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
            used: None,
            modulus: 0,
        }
    }
}

impl Vertex {
    pub fn is_used(&self) -> bool {
        self.used.is_some()
    }

    pub fn used(&mut self) -> &mut Used {
        self.used.get_or_insert_default()
    }

    pub fn sends(&self) -> bool {
        !(self.copies.is_empty() && self.steps.is_empty())
    }

    /// Its sets, by their addresses.
    pub fn state(&self) -> [*const Set; 3] {
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
        self.cells.copy_new_classes(self.system);
        let nodes = self.cells.nodes();
        self.vertices.resize(nodes as usize, Vertex::default());
        self.parent.extend(self.parent.len() as u32..nodes);
        for same in self
            .cells
            .take_merged()
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
            widened = self.places.step(new, Displacement::by(by));
            &widened
        };
        self.measures.operations += 1 + (new.chunks() + vertex.set.chunks()) as u64;
        if let Some(added) = self.unions.absorb(&mut self.places, &mut vertex.set, new) {
            self.unions.unite(&mut vertex.delta, &added);
        }
    }

    /// Adds a location to the set of `node`.
    pub(super) fn absorb_one(&mut self, node: u32, at: Location) {
        let place = self.places.number(at);
        self.absorb(node, &Rc::new(Set::from_iter([place])));
    }

    pub(super) fn step_edge(&mut self, from: u32, step: Displacement, to: u32) {
        if step == Displacement::NONE {
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
        vertex.used().others.push(how);
        vertex.send_again();
    }

    /// Makes `to` include what is loaded through `pointer`.
    pub(super) fn load_by(&mut self, pointer: u32, width: u64, to: u32) {
        let loaded = self.accessed(pointer, width, |used| &mut used.loads);
        self.copy_edge(loaded, to);
    }

    /// Stores `from` through `pointer`.
    pub(super) fn store_by(&mut self, pointer: u32, width: u64, from: u32) {
        let stored = self.accessed(pointer, width, |used| &mut used.stores);
        self.copy_edge(from, stored);
    }

    /// The node of what is loaded or stored through `pointer`.
    fn accessed(
        &mut self,
        pointer: u32,
        width: u64,
        accesses: impl Fn(&mut Used) -> &mut Vec<(u64, u32)>,
    ) -> u32 {
        let pointer = self.find(pointer) as usize;
        let known = accesses(self.vertices[pointer].used()).iter();
        if let Some(&(_, node)) = known.clone().find(|access| access.0 == width) {
            return node;
        }
        let node = self.cells.fresh().0;
        self.connect_cells();
        let vertex = &mut self.vertices[pointer];
        accesses(vertex.used()).push((width, node));
        vertex.send_again();
        node
    }

    /// From now on `node` takes offsets modulo `modulus`.
    pub(super) fn take_modulo(&mut self, node: u32, modulus: u32) {
        self.vertices[node as usize].modulus = modulus;
        let set = Rc::clone(&self.vertices[node as usize].set);
        self.absorb(node, &set);
    }
}
