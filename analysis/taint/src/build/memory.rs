//! Memory in the flow graph: a node for each written slot class of an object, shared where the
//! points-to analysis has found that cells exchange all they hold, and a node for each group of
//! cells that pointers with one points-to set reach with accesses of one width.

use crate::graph::Graph;
use crate::taint::Kind;
use plat_pointers::constraints::{BlockCopy, Location, Node, Object, System};
use plat_pointers::extract::Extraction;
use plat_pointers::offset::Offset;
use plat_pointers::solved::Solved;
use rustc_hash::{FxHashMap, FxHashSet};

/// What identifies a group: pointers that point to the same, and a width.
type Group = ((bool, u32), u64);

/// A slot class of an object.
pub type Cell = (Object, Offset);

/// A store through a pointer to more cells than this is taken to be to all of their objects.
const MANY: usize = 1024;

/// Slots that block copies take to slots, beyond which they take all of a block to all of an object.
const MOST_COPIED: usize = 4_000_000;

/// Cells that may be looked at: some seconds.
const MOST_WORK: usize = 50_000_000;

/// All cells and groups.
pub struct Memory<'a> {
    system: &'a System,
    next: u32,
    cells: FxHashMap<Cell, u32>,
    /// The written slot classes of each object.
    written: Vec<Vec<(Offset, u32)>>,
    /// The block copies from each object.
    copies: Vec<Vec<BlockCopy>>,
    copied: FxHashSet<BlockCopy>,
    connected: FxHashSet<(u32, u32)>,
    /// How many slots block copies through pointers have named.
    named: usize,
    /// How many cells have been looked at.
    work: usize,
    /// For each object all of whose slots are copied at once: a node for them.
    wholes: FxHashMap<Object, u32>,
    /// Written slot classes that block copies have not seen yet.
    open: Vec<(Cell, u32)>,
    /// The groups that are read, and the locations of each.
    reads: Vec<(u32, u64, Vec<Location>)>,
    read_groups: FxHashMap<Group, u32>,
    write_groups: FxHashMap<Group, u32>,
    /// The cells of each group that is written.
    members: FxHashMap<u32, Vec<Cell>>,
    /// The slot classes of each object that hold addresses.
    holding: Vec<Vec<Offset>>,
}

impl<'a> Memory<'a> {
    /// The cells of the points-to analysis.
    pub fn new(extraction: &'a Extraction, solved: &Solved) -> Self {
        let system = &extraction.system;
        let objects = system.objects.len();
        let mut memory = Self {
            system,
            next: solved.sets.len() as u32,
            cells: FxHashMap::default(),
            written: vec![Vec::new(); objects],
            copies: vec![Vec::new(); objects],
            copied: FxHashSet::default(),
            connected: FxHashSet::default(),
            named: 0,
            work: 0,
            wholes: FxHashMap::default(),
            open: Vec::new(),
            reads: Vec::new(),
            read_groups: FxHashMap::default(),
            write_groups: FxHashMap::default(),
            members: FxHashMap::default(),
            holding: vec![Vec::new(); objects],
        };
        for &(object, slot, set) in &solved.memory {
            memory.cells.insert((object, slot), set);
            memory.written[object.index()].push((slot, set));
            if !solved.sets[set as usize].is_empty() {
                memory.holding[object.index()].push(slot);
            }
        }
        memory
    }

    /// Whether there was more to do than may be done: what there is of the graph means nothing.
    pub fn is_spent(&self) -> bool {
        self.work > MOST_WORK
    }

    /// A node of its own.
    pub fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// The node of a cell that is written.
    fn cell(&mut self, (object, slot): Cell) -> u32 {
        if let Some(&known) = self.cells.get(&(object, slot)) {
            return known;
        }
        let node = self.fresh();
        self.cells.insert((object, slot), node);
        self.written[object.index()].push((slot, node));
        self.open.push(((object, slot), node));
        node
    }

    /// The node of a cell, if it is ever written.
    pub fn known_cell(&self, cell: Cell) -> Option<u32> {
        self.cells.get(&cell).copied()
    }

    /// The group of a read, if it was made.
    pub fn known_read(&self, key: (bool, u32), width: u64) -> Option<u32> {
        self.read_groups.get(&(key, width)).copied()
    }

    /// The group of a write, if it was made.
    pub fn known_written(&self, key: (bool, u32), width: u64) -> Option<u32> {
        self.write_groups.get(&(key, width)).copied()
    }

    fn slots(&mut self, at: &[Location], width: u64) -> Vec<Cell> {
        if self.is_spent() {
            return Vec::new();
        }
        let mut slots: Vec<Cell> = Vec::new();
        for &at in at {
            let touched = self.system.slots(at, width);
            slots.extend(touched.into_iter().map(|slot| (at.object, slot)));
        }
        self.work += slots.len();
        slots.sort_unstable();
        slots.dedup();
        slots
    }

    /// The group of a read: everything in these cells flows to it.
    pub fn read(&mut self, key: (bool, u32), width: u64, at: Vec<Location>) -> u32 {
        let group = self.fresh();
        self.reads.push((group, width, at));
        self.read_groups.insert((key, width), group);
        group
    }

    /// The group of a write: it flows to all these cells.
    pub fn written(
        &mut self,
        graph: &mut Graph,
        key: (bool, u32),
        width: u64,
        at: Vec<Location>,
    ) -> u32 {
        let writable = at
            .into_iter()
            .filter(|at| self.system.extent(at.object).writable);
        let mut slots = self.slots(&writable.collect::<Vec<_>>(), width);
        if slots.len() > MANY {
            slots.iter_mut().for_each(|cell| cell.1 = Offset::ANY);
            slots.dedup();
        }
        let group = self.group(graph, slots);
        self.write_groups.insert((key, width), group);
        group
    }

    /// A node that flows to all these cells.
    fn group(&mut self, graph: &mut Graph, slots: Vec<Cell>) -> u32 {
        let group = self.fresh();
        let mut nodes: Vec<u32> = slots.iter().map(|&slot| self.cell(slot)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            graph.edge(group, node, Kind::Flow);
        }
        self.members.insert(group, slots);
        group
    }

    /// `from` flows to `width` bytes at a location, also if it is constant.
    pub fn hold(&mut self, graph: &mut Graph, at: Location, width: u64, from: u32) {
        for slot in self.system.slots(at, width) {
            let cell = self.cell((at.object, slot));
            graph.edge(from, cell, Kind::Flow);
        }
    }

    /// Blocks are copied through `pointer`: if it is symbolic, all that is copied is. The kinds
    /// are for bytes and for addresses, and say whether the pointer is to the source or the
    /// destination.
    pub fn copy_through(
        &mut self,
        graph: &mut Graph,
        pointer: Node,
        kinds: [Kind; 2],
        copies: impl Iterator<Item = BlockCopy>,
    ) {
        let (mut bytes, mut addresses) = (Vec::new(), Vec::new());
        for copy in copies {
            if self.is_spent() {
                return;
            }
            let extent = self.system.extent(copy.target);
            if !self.system.extent(copy.source).holds || !extent.holds || !extent.writable {
                continue;
            }
            if self.copied.insert(copy) {
                self.copies[copy.source.index()].push(copy);
            }
            let start = Location::new(copy.target, copy.to);
            bytes.extend(self.slots(&[start], copy.length.unwrap_or(1 << 28)));
            if self.named > MOST_COPIED {
                addresses.push((copy.target, Offset::ANY));
                continue;
            }
            self.named += self.holding[copy.source.index()].len();
            self.work += self.holding[copy.source.index()].len();
            for &slot in &self.holding[copy.source.index()] {
                let images = copy.image(self.system, slot);
                addresses.extend(images.into_iter().map(|image| (copy.target, image)));
            }
        }
        for (mut cells, kind) in [bytes, addresses].into_iter().zip(kinds) {
            cells.sort_unstable();
            cells.dedup();
            if !cells.is_empty() {
                let group = self.group(graph, cells);
                graph.edge(pointer.0, group, kind);
            }
        }
    }

    /// Adds what block copies and reads see; the number of nodes.
    pub fn finish(&mut self, graph: &mut Graph) -> usize {
        for object in 0..self.written.len() {
            for copy in self.copies[object].clone() {
                for (slot, node) in self.written[object].clone() {
                    self.connect(graph, copy, slot, node);
                }
            }
        }
        while let Some(((object, slot), node)) = self.open.pop() {
            for copy in self.copies[object.index()].clone() {
                self.connect(graph, copy, slot, node);
            }
        }
        let mut seen: FxHashMap<Cell, Vec<u32>> = FxHashMap::default();
        for (group, width, at) in std::mem::take(&mut self.reads) {
            let mut nodes: Vec<u32> = Vec::new();
            for (object, slot) in self.slots(&at, width) {
                let known = seen.entry((object, slot)).or_insert_with(|| {
                    let cells = self.written[object.index()].iter();
                    let overlapping = cells.filter(|(other, _)| other.overlaps(slot));
                    let mut nodes: Vec<u32> = overlapping.map(|&(_, node)| node).collect();
                    nodes.sort_unstable();
                    nodes.dedup();
                    nodes
                });
                self.work += known.len();
                nodes.extend_from_slice(known);
            }
            nodes.sort_unstable();
            nodes.dedup();
            for node in nodes {
                graph.edge(node, group, Kind::Flow);
            }
        }
        self.next as usize
    }

    fn connect(&mut self, graph: &mut Graph, copy: BlockCopy, slot: Offset, node: u32) {
        if self.is_spent() {
            return;
        }
        self.work += 1;
        if self.connected.len() > MOST_COPIED {
            return self.connect_whole(graph, copy, node);
        }
        for image in copy.image(self.system, slot) {
            let target = self.cell((copy.target, image));
            if node != target && self.connected.insert((node, target)) {
                graph.edge(node, target, Kind::Flow);
            }
        }
    }

    /// What a slot of the source holds may be anywhere in the target.
    fn connect_whole(&mut self, graph: &mut Graph, copy: BlockCopy, node: u32) {
        let whole = match self.wholes.get(&copy.source) {
            Some(&known) => known,
            None => self.fresh(),
        };
        self.wholes.insert(copy.source, whole);
        let target = self.cell((copy.target, Offset::ANY));
        for (from, to) in [(node, whole), (whole, target)] {
            if from != to && self.connected.insert((from, to)) {
                graph.edge(from, to, Kind::Flow);
            }
        }
    }

    /// The cells of a group that is written.
    pub fn members(&self, group: u32) -> Option<&[Cell]> {
        self.members.get(&group).map(Vec::as_slice)
    }
}
