//! Memory as nodes of a constraint graph: one node for each written and for each read slot class.
//!
//! A store leads to the node of the written class, a load starts at the node of the read class,
//! and every written class has an edge to every overlapping read class of its object. Block
//! copies connect written classes of two objects. Nodes are made on demand. New copy edges are
//! reported to the owner of the graph, which decides what an edge does.
//!
//! Block copies between imprecise pointers move slots by many different distances: each of hundreds
//! of copies could give an object every slot that it has room for. So an object in which block copies
//! have made more than [`Cells::most_copied`] slot classes no longer tells its slots apart: one node
//! is all that it holds.

use crate::constraints::{BlockCopy, Constraint, Extent, Node, Object, Offset, System};
use crate::solver::block_shapes::{BlockShape, BlockShapes};
use rustc_hash::{FxHashMap, FxHashSet};

/// The role of an object in block copies.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Role {
    /// Ordinary memory.
    #[default]
    Memory,
    /// An object of the system that only carries blocks from one pointer to another. No pointer
    /// points to it.
    Transit,
    /// A hub: collects blocks for objects of this size, which get its slots unmoved.
    Collects(Option<u64>),
    /// A hub: gets slots unmoved, and passes them on as blocks.
    HandsOut,
}

/// The cells of one object.
#[derive(Clone, Default, Debug)]
struct Contents {
    written: Vec<(Offset, Node)>,
    read: Vec<(Offset, Node)>,
    /// Where its blocks are copied to, and how.
    copies: Vec<(Object, BlockShape)>,
    /// How many written classes block copies have made.
    copied: u32,
    /// Whether the object no longer tells its slots apart: all classes are one.
    collapsed: bool,
    role: Role,
}

/// The cells of all objects.
#[derive(Clone, Debug)]
pub struct Cells {
    contents: Vec<Contents>,
    written: FxHashMap<(Object, Offset), Node>,
    read: FxHashMap<(Object, Offset), Node>,
    copies: FxHashSet<(Object, Object, BlockShape)>,
    shapes: BlockShapes,
    open: Vec<(Object, Offset, Node)>,
    next: u32,
    /// Objects of the system: those after them have no place in memory.
    objects: usize,
    edges: Vec<(Node, Node)>,
    same: Vec<(Node, Node)>,
    most_copied: u32,
    moved: u64,
    /// How many objects of the program were collapsed.
    pub(crate) collapsed: u64,
}

/// The number of slot classes that block copies make in an object before it gives up telling them
/// apart: more than structures have fields.
pub const MOST_COPIED: u32 = 32;

/// The same for what blocks pass through on their way from one pointer to another: the product of
/// its slots and the places they go to.
const MOST_PASSED: usize = 1024;

/// Marks the objects that blocks pass through.
fn transits(system: &System, mut contents: Vec<Contents>) -> Vec<Contents> {
    let mut entered = vec![false; contents.len()];
    for constraint in &system.constraints {
        match constraint {
            Constraint::Gather { into, .. } => entered[into.index()] = true,
            Constraint::Scatter { from, .. } if entered[from.index()] => {
                contents[from.index()].role = Role::Transit;
            }
            _ => {}
        }
    }
    contents
}

impl Cells {
    /// No cells yet; their nodes are numbered after those of `system`. Objects in which block
    /// copies make more than `most_copied` slot classes do not tell slots apart; with 0, no
    /// object does.
    pub fn new(system: &System, most_copied: u32) -> Self {
        let contents = Contents {
            collapsed: most_copied == 0,
            ..Contents::default()
        };
        Self {
            contents: transits(system, vec![contents; system.objects.len()]),
            written: FxHashMap::default(),
            read: FxHashMap::default(),
            copies: FxHashSet::default(),
            shapes: BlockShapes::default(),
            open: Vec::new(),
            next: system.nodes,
            objects: system.objects.len(),
            edges: Vec::new(),
            same: Vec::new(),
            most_copied,
            moved: 0,
            collapsed: 0,
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

    /// The pairs of nodes that were merged since the last call.
    pub fn take_merged(&mut self) -> Vec<(Node, Node)> {
        std::mem::take(&mut self.same)
    }

    /// The written classes: object, slot class, node.
    pub fn all_written(&self) -> impl Iterator<Item = (Object, Offset, Node)> + '_ {
        self.contents[..self.objects]
            .iter()
            .enumerate()
            .flat_map(|(object, contents)| {
                let cells = contents.written.iter();
                cells.map(move |&(slot, node)| (Object::new(object), slot, node))
            })
    }

    /// The written classes of an object, with their nodes.
    pub fn written_in(&self, object: Object) -> &[(Offset, Node)] {
        &self.contents[object.index()].written
    }

    /// The node of a slot class, if that is ever written.
    pub fn known(&self, object: Object, slot: Offset) -> Option<Node> {
        let class = self.class(object, slot);
        self.written.get(&(object, class)).copied()
    }

    /// Edges that block copies have made.
    pub const fn moved(&self) -> u64 {
        self.moved
    }

    /// A node that belongs to no cell.
    pub fn fresh(&mut self) -> Node {
        self.next += 1;
        Node(self.next - 1)
    }

    /// A new object without a place in memory, which blocks go through.
    pub fn transit(&mut self, role: Role) -> Object {
        self.contents.push(Contents {
            collapsed: self.most_copied == 0,
            role,
            ..Contents::default()
        });
        Object::new(self.contents.len() - 1)
    }

    /// The node that holds what is written to a slot class.
    pub fn written(&mut self, object: Object, slot: Offset) -> Node {
        let slot = self.class(object, slot);
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
        let slot = self.class(object, slot);
        if self.contents[object.index()].collapsed {
            return self.written(object, slot);
        }
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

    fn class(&self, object: Object, slot: Offset) -> Offset {
        match self.contents[object.index()].collapsed {
            true => Offset::ANY,
            false => slot,
        }
    }

    /// Connects two objects.
    pub fn copy(&mut self, system: &System, copy: BlockCopy) {
        let holds = self.extent(system, copy.source).holds;
        let target = self.extent(system, copy.target);
        if !holds || !target.holds || !target.writable {
            return;
        }
        let shape = self.shapes.of(copy);
        if !self.copies.insert((copy.source, copy.target, shape)) {
            return;
        }
        let copies = &mut self.contents[copy.source.index()].copies;
        copies.push((copy.target, shape));
        self.collapse_if_large(copy.source);
        let written = self.contents[copy.source.index()].written.clone();
        for (slot, node) in written {
            self.connect(system, copy, slot, node);
        }
        self.copy_new_classes(system);
    }

    /// Applies block copies to the classes that were written for the first time.
    pub fn copy_new_classes(&mut self, system: &System) {
        while let Some((object, slot, node)) = self.open.pop() {
            self.collapse_if_large(object);
            let copies = self.contents[object.index()].copies.clone();
            for (target, shape) in copies {
                let copy = self.shapes.copy(object, target, shape);
                // The object may have been collapsed meanwhile; then this class is gone.
                if self.class(object, slot) == slot {
                    self.connect(system, copy, slot, node);
                }
            }
        }
    }

    /// The extent of an object, also of one without a place in memory.
    pub fn extent(&self, system: &System, object: Object) -> Extent {
        match self.contents[object.index()].role {
            Role::Memory | Role::Transit => system.extent(object).clone(),
            Role::Collects(size) => Extent::memory(size),
            Role::HandsOut => Extent::memory(None),
        }
    }

    /// The slot classes of the target that a block copy takes what is written to `slot` to.
    fn images(&self, system: &System, copy: BlockCopy, slot: Offset) -> Vec<Offset> {
        let role = |object: Object| self.contents[object.index()].role;
        match (role(copy.source), role(copy.target)) {
            (Role::Collects(_), _) | (_, Role::HandsOut) => vec![slot],
            _ => copy.image_in(&self.extent(system, copy.target), system.window, slot),
        }
    }

    fn connect(&mut self, system: &System, copy: BlockCopy, slot: Offset, node: Node) {
        for image in self.images(system, copy, slot) {
            let nodes = self.next;
            let target = self.written(copy.target, image);
            self.moved += 1;
            self.edges.push((node, target));
            if self.next > nodes {
                let contents = &mut self.contents[copy.target.index()];
                contents.copied += 1;
                if contents.copied > self.most_copied && !contents.collapsed {
                    self.collapse(copy.target);
                }
            }
        }
    }

    /// Collapses a transit object that would copy too many slots to too many places.
    fn collapse_if_large(&mut self, object: Object) {
        let contents = &self.contents[object.index()];
        let pairs = contents.copies.len() * contents.written.len();
        if contents.role != Role::Memory && !contents.collapsed && pairs > MOST_PASSED {
            self.collapse(object);
        }
    }

    /// Makes one slot class, and one node, of all that an object holds.
    fn collapse(&mut self, object: Object) {
        let contents = &mut self.contents[object.index()];
        self.collapsed += u64::from(contents.role == Role::Memory);
        contents.collapsed = true;
        let (written, read) = (
            std::mem::take(&mut contents.written),
            std::mem::take(&mut contents.read),
        );
        for &(slot, _) in &written {
            self.written.remove(&(object, slot));
        }
        for &(slot, _) in &read {
            self.read.remove(&(object, slot));
        }
        let node = self.written(object, Offset::ANY);
        let parts = written.into_iter().chain(read);
        self.same.extend(parts.map(|(_, part)| (node, part)));
    }
}
