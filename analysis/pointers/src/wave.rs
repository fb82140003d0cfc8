//! The solver: wave propagation (Pereira and Berlin, CGO 2009).
//!
//! Until nothing changes: merge the nodes of each cycle of copy edges, visit the nodes in
//! topological order and send along every edge only what is new in the node, then let loads,
//! stores, block copies and calls see what is new and add the edges that follow.
//!
//! Pointer arithmetic in a cycle (`p = p + 8` in a loop, or through memory) would enumerate
//! offsets. So the components of copy and shift edges are searched for cycles of non-zero weight;
//! from then on their nodes only take offsets modulo the greatest common divisor of these
//! weights ([`cycles::period`]). This may name a superset of the definition's locations but never
//! loses one; `check` verifies every result.

use crate::cells::Cells;
use crate::constraints::{BlockCopy, Call, Callable, Constraint, Fresh, Location, Node, System};
use crate::cycles;
use crate::offset::Offset;
use crate::set::Set;
use crate::solved::{Measures, Places, Solved};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a node is used for besides being copied.
#[derive(Clone, Copy, Debug)]
enum Use {
    Load {
        width: u64,
        to: u32,
    },
    Store {
        width: u64,
        from: u32,
    },
    Gather {
        into: crate::constraints::Object,
        length: Option<u64>,
    },
    GatherRest {
        into: crate::constraints::Object,
    },
    Scatter {
        from: crate::constraints::Object,
        length: Option<u64>,
    },
    Receive {
        fresh: crate::constraints::Object,
    },
    Call(u32),
}

/// Everything the solver knows about a representative node.
#[derive(Clone, Default, Debug)]
struct Vertex {
    /// Its points-to set.
    set: Set,
    /// The part of `set` that its successors have not seen.
    delta: Set,
    /// The part of `set` that its uses have not seen and that left `delta`.
    pending: Set,
    copies: Vec<u32>,
    shifts: Vec<(Offset, u32)>,
    uses: Vec<Use>,
    /// Incoming offsets are taken modulo this; 0: as they are.
    modulus: u32,
}

struct Wave<'a> {
    system: &'a System,
    places: Places<'a>,
    vertices: Vec<Vertex>,
    parent: Vec<u32>,
    edges: FxHashSet<(u32, u32)>,
    cells: Cells,
    bound: FxHashSet<(u32, Callable)>,
    measures: Measures,
}

/// Solves `system`.
pub fn solve(system: &System) -> Solved {
    let mut wave = Wave {
        system,
        places: Places::new(system),
        vertices: vec![Vertex::default(); system.nodes as usize],
        parent: (0..system.nodes).collect(),
        edges: FxHashSet::default(),
        cells: Cells::new(system),
        bound: FxHashSet::default(),
        measures: Measures::default(),
    };
    for constraint in &system.constraints {
        wave.add(constraint);
    }
    for (at, call) in system.calls.iter().enumerate() {
        wave.use_by(call.callee.0, Use::Call(at as u32));
    }
    wave.connect_cells();
    loop {
        wave.measures.waves += 1;
        wave.merge_cycles();
        let order = wave.order();
        wave.propagate(&order);
        wave.resolve();
        if wave.vertices.iter().all(|vertex| vertex.delta.is_empty()) {
            break;
        }
    }
    wave.finish()
}

impl Wave<'_> {
    fn find(&mut self, node: u32) -> u32 {
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

    fn add(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Address { node, at } => {
                let place = self.places.number(at);
                self.absorb(node.0, &Set::from_iter([place]));
            }
            Constraint::Copy { from, to } => self.copy_edge(from.0, to.0),
            Constraint::Shift { from, by, to } => self.shift_edge(from.0, by, to.0),
            Constraint::Load { pointer, width, to } => {
                self.use_by(pointer.0, Use::Load { width, to: to.0 });
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                self.use_by(
                    pointer.0,
                    Use::Store {
                        width,
                        from: from.0,
                    },
                );
            }
            Constraint::Hold { at, width, from } => {
                for slot in self.system.slots(at, width) {
                    let cell = self.cells.written(at.object, slot);
                    self.connect_cells();
                    self.copy_edge(from.0, cell.0);
                }
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => {
                self.use_by(pointer.0, Use::Gather { into, length });
            }
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                self.use_by(pointer.0, Use::Scatter { from, length });
            }
        }
    }

    /// Adds `new` to the set of `node`.
    fn absorb(&mut self, node: u32, new: &Set) {
        let node = self.find(node) as usize;
        let vertex = &mut self.vertices[node];
        if vertex.modulus == 0 {
            vertex.set.absorb(new, &mut vertex.delta);
        } else {
            let by = Offset::strided(u64::from(vertex.modulus), 0);
            let widened = self.places.shift(new, by);
            vertex.set.absorb(&widened, &mut vertex.delta);
        }
    }

    fn copy_edge(&mut self, from: u32, to: u32) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.vertices[from as usize].copies.push(to);
        let set = std::mem::take(&mut self.vertices[from as usize].set);
        self.absorb(to, &set);
        self.vertices[from as usize].set = set;
    }

    fn shift_edge(&mut self, from: u32, by: Offset, to: u32) {
        if by == Offset::ZERO {
            return self.copy_edge(from, to);
        }
        let (from, to) = (self.find(from), self.find(to));
        self.vertices[from as usize].shifts.push((by, to));
        let moved = self.places.shift(&self.vertices[from as usize].set, by);
        self.absorb(to, &moved);
    }

    /// Registers a use; it will see the whole set of `node`.
    fn use_by(&mut self, node: u32, how: Use) {
        let node = self.find(node) as usize;
        let vertex = &mut self.vertices[node];
        vertex.uses.push(how);
        // Uses see elements when they leave `delta`: send the whole set again.
        vertex.delta.union_with(&vertex.set);
    }

    /// Turns the edges that the cells asked for into edges of the graph.
    fn connect_cells(&mut self) {
        self.cells.settle(self.system);
        let nodes = self.cells.nodes();
        self.vertices.resize(nodes as usize, Vertex::default());
        self.parent.extend(self.parent.len() as u32..nodes);
        for (from, to) in self.cells.take_edges() {
            self.copy_edge(from.0, to.0);
        }
    }

    fn roots(&self) -> Vec<u32> {
        (0..self.parent.len() as u32)
            .filter(|&node| self.parent[node as usize] == node)
            .collect()
    }

    /// Merges the components of copy edges.
    fn merge_cycles(&mut self) {
        let mut successors = vec![Vec::new(); self.parent.len()];
        for node in self.roots() {
            let targets = std::mem::take(&mut self.vertices[node as usize].copies);
            let mut targets: Vec<u32> = targets.into_iter().map(|to| self.find(to)).collect();
            targets.sort_unstable();
            targets.dedup();
            targets.retain(|&to| to != node);
            successors[node as usize].clone_from(&targets);
            self.vertices[node as usize].copies = targets;
        }
        let component = cycles::components(&successors);
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        for node in self.roots() {
            let keep = *first.entry(component[node as usize]).or_insert(node);
            if keep != node {
                self.merge(keep, node);
            }
        }
    }

    fn merge(&mut self, keep: u32, gone: u32) {
        self.measures.merged += 1;
        self.parent[gone as usize] = keep;
        let mut from = std::mem::take(&mut self.vertices[gone as usize]);
        let mut into = std::mem::take(&mut self.vertices[keep as usize]);
        let sent = |vertex: &Vertex| vertex.set.minus(&vertex.delta);
        let seen = |vertex: &Vertex| vertex.set.minus(&vertex.delta).minus(&vertex.pending);
        let mut all = into.set.clone();
        all.union_with(&from.set);
        let ends = |vertex: &Vertex| vertex.copies.is_empty() && vertex.shifts.is_empty();
        let both_sent = match (ends(&into), ends(&from)) {
            (true, true) => all.clone(),
            (true, false) => sent(&from),
            (false, true) => sent(&into),
            (false, false) => sent(&into).meet(&sent(&from)),
        };
        let both_seen = match (into.uses.is_empty(), from.uses.is_empty()) {
            (true, true) => all.clone(),
            (true, false) => seen(&from),
            (false, true) => seen(&into),
            (false, false) => seen(&into).meet(&seen(&from)),
        };
        into.delta = all.minus(&both_sent);
        into.pending = all.minus(&both_seen);
        into.set = all;
        into.copies.append(&mut from.copies);
        into.shifts.append(&mut from.shifts);
        into.uses.append(&mut from.uses);
        let moduli = (u64::from(into.modulus), u64::from(from.modulus));
        into.modulus = crate::offset::gcd(moduli.0, moduli.1) as u32;
        let differ = moduli.0 != moduli.1;
        self.vertices[keep as usize] = into;
        if differ {
            self.take_modulo(keep, self.vertices[keep as usize].modulus);
        }
    }

    /// From now on `node` takes offsets modulo `modulus`.
    fn take_modulo(&mut self, node: u32, modulus: u32) {
        self.vertices[node as usize].modulus = modulus;
        let set = self.vertices[node as usize].set.clone();
        self.absorb(node, &set);
    }

    /// The nodes in topological order of copy and shift edges. Widens the components in which
    /// pointers move around a cycle.
    fn order(&mut self) -> Vec<u32> {
        let roots = self.roots();
        let mut successors = vec![Vec::new(); self.parent.len()];
        for &node in &roots {
            let mut shifts = std::mem::take(&mut self.vertices[node as usize].shifts);
            for shift in &mut shifts {
                shift.1 = self.find(shift.1);
            }
            shifts.sort_unstable();
            shifts.dedup();
            let copies = self.vertices[node as usize].copies.clone();
            let targets = copies.into_iter().map(|to| self.find(to));
            successors[node as usize] = targets.chain(shifts.iter().map(|&(_, to)| to)).collect();
            self.vertices[node as usize].shifts = shifts;
        }
        let component = cycles::components(&successors);
        self.widen(&roots, &component);
        let mut order = roots;
        order.sort_by_key(|&node| std::cmp::Reverse(component[node as usize]));
        order
    }

    fn widen(&mut self, roots: &[u32], component: &[u32]) {
        let inside = |from: u32, to: u32| component[from as usize] == component[to as usize];
        let mut moving: FxHashSet<u32> = FxHashSet::default();
        for &node in roots {
            if self.vertices[node as usize]
                .shifts
                .iter()
                .any(|&(_, to)| inside(node, to))
            {
                moving.insert(component[node as usize]);
            }
        }
        let mut members: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
        for &node in roots
            .iter()
            .filter(|&&node| moving.contains(&component[node as usize]))
        {
            members
                .entry(component[node as usize])
                .or_default()
                .push(node);
        }
        for nodes in members.into_values() {
            let local: FxHashMap<u32, u32> = nodes
                .iter()
                .enumerate()
                .map(|(at, &node)| (node, at as u32))
                .collect();
            let mut edges = Vec::new();
            for (&node, at) in nodes.iter().zip(0u32..) {
                let copies = self.vertices[node as usize].copies.clone();
                for to in copies {
                    if let Some(&to) = local.get(&self.find(to)) {
                        edges.push((at, to, Offset::ZERO));
                    }
                }
                for &(by, to) in &self.vertices[node as usize].shifts {
                    if let Some(&to) = local.get(&to) {
                        edges.push((at, to, by));
                    }
                }
            }
            let period = cycles::period(nodes.len(), &edges);
            if period == 0 {
                continue;
            }
            for &node in &nodes {
                let old = u64::from(self.vertices[node as usize].modulus);
                let modulus = crate::offset::gcd(old, period.min(1 << 28)) as u32;
                if u64::from(modulus) != old {
                    self.measures.widened += 1;
                    self.take_modulo(node, modulus);
                }
            }
        }
    }

    /// Sends what is new along the edges, in order.
    fn propagate(&mut self, order: &[u32]) {
        for &node in order {
            let vertex = &mut self.vertices[node as usize];
            if vertex.delta.is_empty() {
                continue;
            }
            let delta = std::mem::take(&mut vertex.delta);
            if !vertex.uses.is_empty() {
                vertex.pending.union_with(&delta);
            }
            let (copies, shifts) = (
                std::mem::take(&mut vertex.copies),
                std::mem::take(&mut vertex.shifts),
            );
            for &to in &copies {
                self.absorb(to, &delta);
            }
            for &(by, to) in &shifts {
                let moved = self.places.shift(&delta, by);
                self.absorb(to, &moved);
            }
            let vertex = &mut self.vertices[node as usize];
            vertex.copies = copies;
            vertex.shifts = shifts;
        }
    }

    /// Lets the uses see what is new.
    fn resolve(&mut self) {
        for node in self.roots() {
            let vertex = &mut self.vertices[node as usize];
            if vertex.pending.is_empty() {
                continue;
            }
            let pending = std::mem::take(&mut vertex.pending);
            let uses = std::mem::take(&mut vertex.uses);
            let locations: Vec<Location> = pending
                .iter()
                .map(|place| self.places.location(place))
                .collect();
            for &how in &uses {
                for &at in &locations {
                    self.see(how, at);
                }
            }
            // Uses registered meanwhile were appended to the emptied list.
            let root = self.find(node) as usize;
            let vertex = &mut self.vertices[root];
            let added = std::mem::replace(&mut vertex.uses, uses);
            vertex.uses.extend(added);
        }
    }

    fn see(&mut self, how: Use, at: Location) {
        match how {
            Use::Load { width, to } => {
                for slot in self.system.slots(at, width) {
                    let cell = self.cells.read(at.object, slot);
                    self.connect_cells();
                    self.copy_edge(cell.0, to);
                }
            }
            Use::Store { width, from } => {
                if self.system.extent(at.object).writable {
                    for slot in self.system.slots(at, width) {
                        let cell = self.cells.written(at.object, slot);
                        self.connect_cells();
                        self.copy_edge(from, cell.0);
                    }
                }
            }
            Use::Gather { into, length } => self.copy_block(BlockCopy::gather(at, into, length)),
            Use::GatherRest { into } => {
                let copy = BlockCopy::gather(at, into, None);
                self.copy_block(BlockCopy {
                    to: Offset::ANY,
                    ..copy
                });
            }
            Use::Scatter { from, length } => self.copy_block(BlockCopy::scatter(from, at, length)),
            Use::Receive { fresh } => {
                let block = self.places.number(Location {
                    object: fresh,
                    offset: Offset::ZERO,
                });
                if self.system.extent(at.object).writable {
                    for slot in self.system.slots(at, 8) {
                        let cell = self.cells.written(at.object, slot);
                        self.connect_cells();
                        self.absorb(cell.0, &Set::from_iter([block]));
                    }
                }
            }
            Use::Call(call) => self.bind(call, at),
        }
    }

    fn copy_block(&mut self, copy: BlockCopy) {
        self.cells.copy(self.system, copy);
        self.connect_cells();
    }

    /// Binds a call through a pointer to a function that the pointer can point to.
    fn bind(&mut self, number: u32, at: Location) {
        let Some(callable) = self.system.extent(at.object).callable else {
            return;
        };
        if !self.bound.insert((number, callable)) {
            return;
        }
        let system = self.system;
        let call = &system.calls[number as usize];
        let signature = &system.callables[callable.index()];
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            match (signature.parameters.get(position), signature.rest) {
                (Some(parameter), _) => match parameter.copy {
                    Some((into, size)) => {
                        self.use_by(
                            argument.0,
                            Use::Gather {
                                into,
                                length: Some(size),
                            },
                        );
                    }
                    None => self.copy_edge(argument.0, parameter.node.0),
                },
                (None, Some(rest)) => {
                    if call.by_value.iter().any(|(at, _)| *at as usize == position) {
                        self.use_by(argument.0, Use::GatherRest { into: rest });
                    } else {
                        let cell = self.cells.written(rest, Offset::ANY);
                        self.connect_cells();
                        self.copy_edge(argument.0, cell.0);
                    }
                }
                (None, None) => {}
            }
        }
        if let Some(result) = call.result {
            self.copy_edge(signature.result.0, result.0);
        }
        self.allocate(call, signature.fresh);
    }

    fn allocate(&mut self, call: &Call, how: Fresh) {
        let Some(fresh) = call.fresh else { return };
        let block = Location {
            object: fresh,
            offset: Offset::ZERO,
        };
        let returned = matches!(how, Fresh::Returned | Fresh::Reallocated);
        if let (true, Some(Node(result))) = (returned, call.result) {
            let block = self.places.number(block);
            self.absorb(result, &Set::from_iter([block]));
        }
        match (how, call.arguments.first().copied().flatten()) {
            (Fresh::Reallocated, Some(old)) => {
                self.use_by(
                    old.0,
                    Use::Gather {
                        into: fresh,
                        length: None,
                    },
                );
            }
            (Fresh::Stored, Some(place)) => self.use_by(place.0, Use::Receive { fresh }),
            _ => {}
        }
    }

    fn finish(mut self) -> Solved {
        let nodes = self.system.nodes;
        let of_node = (0..nodes).map(|node| self.find(node)).collect();
        let cells: Vec<_> = self.cells.all_written().collect();
        let memory = cells
            .into_iter()
            .map(|(object, slot, node)| (object, slot, self.find(node.0)))
            .collect();
        let mut bound: Vec<(u32, Callable)> = self.bound.into_iter().collect();
        bound.sort_unstable();
        self.measures.edges = self.edges.len() as u64;
        self.measures.cells = u64::from(self.cells.nodes() - nodes);
        Solved {
            locations: self.places.into_locations(),
            sets: self.vertices.into_iter().map(|vertex| vertex.set).collect(),
            of_node,
            memory,
            bound,
            measures: self.measures,
        }
    }
}
