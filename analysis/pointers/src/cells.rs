//! Memory for the solvers that work on a graph: a node per written and per read slot class.
//!
//! A store leads to the node of the written class, a load starts at the node of the read class,
//! and every written class has an edge to every overlapping read class of its object. Block
//! copies connect written classes of two objects. All of it is made on demand and reported as
//! new copy edges between nodes; the owner decides what an edge does.

use crate::constraints::{BlockCopy, Node, Object, System};
use crate::offset::Offset;
use rustc_hash::{FxHashMap, FxHashSet};

/// The cells of one object.
#[derive(Clone, Default, Debug)]
struct Contents {
    written: Vec<(Offset, Node)>,
    read: Vec<(Offset, Node)>,
    copies: Vec<BlockCopy>,
}

/// The cells of all objects.
#[derive(Clone, Debug)]
pub struct Cells {
    contents: Vec<Contents>,
    written: FxHashMap<(Object, Offset), Node>,
    read: FxHashMap<(Object, Offset), Node>,
    copies: FxHashSet<BlockCopy>,
    open: Vec<(Object, Offset, Node)>,
    next: u32,
    edges: Vec<(Node, Node)>,
}

impl Cells {
    /// No cells yet; their nodes are numbered after those of `system`.
    pub fn new(system: &System) -> Self {
        Self {
            contents: vec![Contents::default(); system.objects.len()],
            written: FxHashMap::default(),
            read: FxHashMap::default(),
            copies: FxHashSet::default(),
            open: Vec::new(),
            next: system.nodes,
            edges: Vec::new(),
        }
    }

    /// Number of nodes, those of the system included.
    pub const fn nodes(&self) -> u32 {
        self.next
    }

    /// The copy edges that were made since the last call.
    pub fn take_edges(&mut self) -> Vec<(Node, Node)> {
        std::mem::take(&mut self.edges)
    }

    /// The written classes: object, slot class, node.
    pub fn all_written(&self) -> impl Iterator<Item = (Object, Offset, Node)> + '_ {
        self.contents
            .iter()
            .enumerate()
            .flat_map(|(object, contents)| {
                let cells = contents.written.iter();
                cells.map(move |&(slot, node)| (Object::new(object), slot, node))
            })
    }

    /// A node that belongs to no cell.
    pub fn fresh(&mut self) -> Node {
        self.next += 1;
        Node(self.next - 1)
    }

    /// The node that holds what is written to a slot class.
    pub fn written(&mut self, object: Object, slot: Offset) -> Node {
        if let Some(&node) = self.written.get(&(object, slot)) {
            return node;
        }
        let node = self.fresh();
        self.written.insert((object, slot), node);
        let contents = &mut self.contents[object.index()];
        contents.written.push((slot, node));
        let readers = contents.read.iter().filter(|(read, _)| read.overlaps(slot));
        self.edges
            .extend(readers.map(|&(_, reader)| (node, reader)));
        if !contents.copies.is_empty() {
            self.open.push((object, slot, node));
        }
        node
    }

    /// The node that holds what a read of a slot class yields.
    pub fn read(&mut self, object: Object, slot: Offset) -> Node {
        if let Some(&node) = self.read.get(&(object, slot)) {
            return node;
        }
        let node = self.fresh();
        self.read.insert((object, slot), node);
        let contents = &mut self.contents[object.index()];
        contents.read.push((slot, node));
        let writers = contents
            .written
            .iter()
            .filter(|(written, _)| written.overlaps(slot));
        self.edges
            .extend(writers.map(|&(_, writer)| (writer, node)));
        node
    }

    /// Connects two objects.
    pub fn copy(&mut self, system: &System, copy: BlockCopy) {
        let (source, target) = (system.extent(copy.source), system.extent(copy.target));
        if !source.holds || !target.holds || !target.writable || !self.copies.insert(copy) {
            return;
        }
        self.contents[copy.source.index()].copies.push(copy);
        let written = self.contents[copy.source.index()].written.clone();
        for (slot, node) in written {
            self.connect(system, copy, slot, node);
        }
        self.settle(system);
    }

    /// Lets block copies see the classes that were written for the first time.
    pub fn settle(&mut self, system: &System) {
        while let Some((object, slot, node)) = self.open.pop() {
            let copies = self.contents[object.index()].copies.clone();
            for copy in copies {
                self.connect(system, copy, slot, node);
            }
        }
    }

    fn connect(&mut self, system: &System, copy: BlockCopy, slot: Offset, node: Node) {
        for image in copy.image(system, slot) {
            let target = self.written(copy.target, image);
            self.edges.push((node, target));
        }
    }
}
