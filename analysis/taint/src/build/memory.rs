//! Memory in the flow graph: the cells of the points-to analysis, and cells that hold only data.
//!
//! All points-to sets are known, so each access connects its hubs once
//! ([`plat_pointers::solver::shared_accesses`]): pointers with the same set share a node for each
//! width that they read or write, and similar sets share the nodes of their words. Blocks are
//! copied in the same way, through temporary objects. The choices of a store through a symbolic
//! pointer are looked up afterwards ([`Memory::behind`]), for the few pointers that turn out to be
//! symbolic.

use crate::graph::Graph;
use crate::taint::Kind;
use plat_pointers::constraints::{Callable, Location, Node, Object, Offset, System};
use plat_pointers::extract::Extraction;
use plat_pointers::solver::shared_accesses::{Accesses, Hubs};
use plat_pointers::solver::shared_calls::{CallHubs, Passed, Passes};
use plat_pointers::solver::{Cells, Limits, Set, Solved};
use plat_program::ConstId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Identifies a points-to set: pointers with the same key have the same set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// A set of the solution, by its first position.
    Set(u32),
    /// The set of a constant.
    Constant(ConstId),
    /// A single location.
    Location(Object, Offset),
}

/// A group of cells: where they are, and the width of accesses.
type Group = (Key, u64);

/// What a pointer accesses.
#[derive(Clone, Debug)]
pub enum Accessed<'a> {
    /// A value's set.
    Set(&'a Set),
    /// The locations of a constant.
    Locations(Vec<Location>),
}

/// For each position, the first one with the same set, as far as the solution shares equal sets.
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
    /// For the nodes of written groups, the locations and the width.
    behind: FxHashMap<u32, (Accessed<'a>, u64)>,
    /// The slot classes of each object that hold addresses, with their sets.
    holding: Vec<Vec<(Offset, u32)>>,
    /// For each position in the solution's sets, the first one with the same set.
    positions: Vec<u32>,
    most: u64,
}

impl<'a> Memory<'a> {
    /// Without cells; work counts edges.
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

    /// Whether the limits were exceeded: the graph is incomplete.
    pub fn is_spent(&self) -> bool {
        self.graph.edges() as u64 + self.cells.moved() > self.most
    }

    /// Number of nodes.
    pub const fn nodes(&self) -> usize {
        self.cells.nodes() as usize
    }

    /// A new node.
    pub fn fresh(&mut self) -> u32 {
        self.cells.fresh().0
    }

    /// The slot classes of an object that hold addresses, with their sets.
    pub fn holding(&self, object: Object) -> &[(Offset, u32)] {
        &self.holding[object.index()]
    }

    /// The node of an object's slot class, if it is ever written.
    pub fn known(&self, object: Object, slot: Offset) -> Option<u32> {
        self.cells.known(object, slot).map(|node| node.0)
    }

    /// The cells of the program's objects.
    pub fn cells(&self) -> impl Iterator<Item = (Object, Offset, u32)> + '_ {
        let cells = self.cells.all_written();
        cells.map(|(object, slot, node)| (object, slot, node.0))
    }

    /// The memory that a node's taints flow to, if it is the node of a written group.
    pub fn behind(&self, node: u32) -> Option<&(Accessed<'a>, u64)> {
        self.behind.get(&node)
    }

    /// The node for reads of `width` bytes at `places`, which `key` identifies.
    pub fn read(&mut self, key: Key, width: u64, places: Accessed<'a>) -> u32 {
        if let Some(&known) = self.reads.get(&(key, width)) {
            return known;
        }
        let node = self.fresh();
        self.reads.insert((key, width), node);
        match places {
            Accessed::Set(set) => self.load_from(set, width, node),
            Accessed::Locations(all) => {
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

    /// The node for writes of `width` bytes at `places`.
    pub fn written(&mut self, key: Key, width: u64, places: Accessed<'a>) -> u32 {
        if let Some(&known) = self.writes.get(&(key, width)) {
            return known;
        }
        let node = self.fresh();
        self.writes.insert((key, width), node);
        match &places {
            Accessed::Set(set) => self.store_to(set, width, node),
            Accessed::Locations(all) => {
                let writable = |at: &&Location| self.system.extent(at.object).writable;
                for &at in all.iter().filter(writable).collect::<Vec<_>>() {
                    self.hold(at, width, node);
                }
            }
        }
        self.behind.insert(node, (places, width));
        node
    }

    /// `from` flows to `width` bytes at a location, even in a constant object.
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
        self.cells.copy_new_classes(self.system);
        for (keep, gone) in self.cells.take_merged() {
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
