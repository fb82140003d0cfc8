//! Memory in the flow graph: the cells of the points-to analysis, and those that only data is
//! written to.
//!
//! All sets are known, so each access connects its hubs once ([`plat_pointers::hubs`]): pointers
//! with the same set share the node of what they read or write with one width, and sets that
//! differ little share the nodes of their words. Blocks go through objects without a place, in the
//! same way. What a symbolic pointer chooses when it is stored through is looked up afterwards
//! ([`Memory::behind`]), for the few that turn out to be symbolic.

use crate::graph::Graph;
use crate::taint::Kind;
use plat_pointers::cells::Cells;
use plat_pointers::constraints::{Callable, Location, Node, Object, System};
use plat_pointers::extract::Extraction;
use plat_pointers::hubs::{Accesses, Hubs};
use plat_pointers::offset::Offset;
use plat_pointers::passing::{CallHubs, Passed, Passes};
use plat_pointers::set::Set;
use plat_pointers::solved::Solved;
use plat_pointers::wave::Limits;
use plat_program::ConstId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Pointers with the same key point to the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// Those with this set of the solution: the first position that it has.
    Set(u32),
    /// The constant.
    Constant(ConstId),
    /// What points there alone.
    Location(Object, Offset),
}

/// What identifies a group: where it is, and a width.
type Group = (Key, u64);

/// Where a pointer points.
#[derive(Clone, Debug)]
pub enum Places<'a> {
    /// A value's set.
    Set(&'a Set),
    /// The locations of a constant.
    Locations(Vec<Location>),
}

/// For each position the first with the same set, as far as the solution shares equal sets.
fn positions(solved: &Solved) -> Vec<u32> {
    let mut first: FxHashMap<*const Set, u32> = FxHashMap::default();
    let sets = (0..).zip(&solved.sets);
    sets.map(|(at, set)| *first.entry(Rc::as_ptr(set)).or_insert(at))
        .collect()
}

/// All cells and groups, and the graph that they are in.
pub struct Memory<'a> {
    /// The graph.
    pub graph: Graph,
    system: &'a System,
    solved: &'a Solved,
    cells: Cells,
    hubs: Hubs,
    call_hubs: CallHubs,
    reads: FxHashMap<Group, u32>,
    writes: FxHashMap<Group, u32>,
    /// What is behind the nodes of groups that are written: so many bytes at these places.
    behind: FxHashMap<u32, (Places<'a>, u64)>,
    /// The slot classes of each object that hold addresses, with their sets.
    holding: Vec<Vec<(Offset, u32)>>,
    /// For each position in the solution's sets the first with the same set.
    positions: Vec<u32>,
    most: u64,
}

impl<'a> Memory<'a> {
    /// No cells yet; work is edges.
    pub fn new(extraction: &'a Extraction, solved: &'a Solved, limits: &Limits) -> Self {
        let system = &extraction.system;
        let mut holding = vec![Vec::new(); system.objects.len()];
        for &(object, slot, set) in &solved.memory {
            if !solved.sets[set as usize].is_empty() {
                holding[object.index()].push((slot, set));
            }
        }
        Self {
            graph: Graph::new(&solved.of_node),
            system,
            solved,
            cells: Cells::new(system, limits.most_copied),
            hubs: Hubs::default(),
            call_hubs: CallHubs::default(),
            reads: FxHashMap::default(),
            writes: FxHashMap::default(),
            behind: FxHashMap::default(),
            holding,
            positions: positions(solved),
            most: limits.work,
        }
    }

    /// The key of a value.
    pub fn key(&self, node: Node) -> Key {
        Key::Set(self.positions[self.solved.of_node[node.index()] as usize])
    }

    /// Whether there was more to do than may be done: what there is of the graph means nothing.
    pub fn is_spent(&self) -> bool {
        self.graph.edges() as u64 + self.cells.moved() > self.most
    }

    /// Number of nodes.
    pub const fn nodes(&self) -> usize {
        self.cells.nodes() as usize
    }

    /// A node of its own.
    pub fn fresh(&mut self) -> u32 {
        self.cells.fresh().0
    }

    /// The slot classes of an object that hold addresses, with their sets.
    pub fn holding(&self, object: Object) -> &[(Offset, u32)] {
        &self.holding[object.index()]
    }

    /// The node of a slot class of an object, if that is ever written.
    pub fn known(&self, object: Object, slot: Offset) -> Option<u32> {
        self.cells.known(object, slot).map(|node| node.0)
    }

    /// The cells of the program's objects.
    pub fn cells(&self) -> impl Iterator<Item = (Object, Offset, u32)> + '_ {
        let cells = self.cells.all_written();
        cells.map(|(object, slot, node)| (object, slot, node.0))
    }

    /// The bytes that a node hands its taints to, if it is that of a group that is written.
    pub fn behind(&self, node: u32) -> Option<&(Places<'a>, u64)> {
        self.behind.get(&node)
    }

    /// The node of everything that `width` bytes at `places` hold; `key` tells places apart.
    pub fn read(&mut self, key: Key, width: u64, places: Places<'a>) -> u32 {
        if let Some(&known) = self.reads.get(&(key, width)) {
            return known;
        }
        let node = self.fresh();
        self.reads.insert((key, width), node);
        match places {
            Places::Set(set) => self.load_from(set, width, node),
            Places::Locations(all) => {
                for at in all {
                    for slot in self.system.slots(at, width) {
                        let cell = self.cells.read(at.object, slot);
                        self.connect_cells();
                        self.copy_edge(cell.0, node);
                    }
                }
            }
        }
        node
    }

    /// The node whose value `width` bytes at `places` come to hold.
    pub fn written(&mut self, key: Key, width: u64, places: Places<'a>) -> u32 {
        if let Some(&known) = self.writes.get(&(key, width)) {
            return known;
        }
        let node = self.fresh();
        self.writes.insert((key, width), node);
        match &places {
            Places::Set(set) => self.store_to(set, width, node),
            Places::Locations(all) => {
                let writable = |at: &&Location| self.system.extent(at.object).writable;
                for &at in all.iter().filter(writable).collect::<Vec<_>>() {
                    self.hold(at, width, node);
                }
            }
        }
        self.behind.insert(node, (places, width));
        node
    }

    /// `from` flows to `width` bytes at a location, also if it is constant.
    pub fn hold(&mut self, at: Location, width: u64, from: u32) {
        for slot in self.system.slots(at, width) {
            let cell = self.cells.written(at.object, slot);
            self.connect_cells();
            self.copy_edge(from, cell.0);
        }
    }
}

impl<'a> Accesses<'a> for Memory<'a> {
    fn system(&self) -> &'a System {
        self.system
    }

    fn location(&self, place: u32) -> Location {
        self.solved.locations[place as usize]
    }

    fn cells(&mut self) -> &mut Cells {
        &mut self.cells
    }

    fn hubs(&mut self) -> &mut Hubs {
        &mut self.hubs
    }

    fn connect_cells(&mut self) {
        self.cells.settle(self.system);
        for (keep, gone) in self.cells.take_same() {
            self.graph.edge(keep.0, gone.0, Kind::Flow);
            self.graph.edge(gone.0, keep.0, Kind::Flow);
        }
        for (from, to) in self.cells.take_edges() {
            self.graph.edge(from.0, to.0, Kind::Flow);
        }
    }

    fn copy_edge(&mut self, from: u32, to: u32) {
        self.graph.edge(from, to, Kind::Flow);
    }
}

impl<'a> Passes<'a> for Memory<'a> {
    fn call_hubs(&mut self) -> &mut CallHubs {
        &mut self.call_hubs
    }

    /// Without arguments by value.
    fn pass(&mut self, callee: Callable, passed: Passed<'_>) {
        let signature = &self.system.callables[callee.index()];
        for (position, argument) in passed.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            match (signature.parameters.get(position), signature.rest) {
                (Some(parameter), _) => self.copy_edge(argument.0, parameter.node.0),
                (None, Some(rest)) => self.hold(Location::new(rest, Offset::ANY), 8, argument.0),
                (None, None) => {}
            }
        }
        if let Some(result) = passed.result {
            self.copy_edge(signature.result.0, result.0);
        }
    }
}
