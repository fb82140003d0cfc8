//! The rule for cycles of steps: what goes around one is taken modulo its weight.
//!
//! A pointer that a loop moves, directly or through memory, would be told apart at every offset
//! that it comes to. So the rules are read with a *modulus* for each node: what a node includes
//! it takes modulo that number (0: as it is). A node's modulus is the greatest common divisor of
//! the weights of all cycles through its component of the graph of copies and steps, loads, stores,
//! block copies and calls included (`cycles::period`). Steps that only computed integers pass
//! are no part of it: they lead to all offsets of an object at once.
//!
//! Which loads and stores meet depends on the sets, and these on the moduli. Both only grow
//! coarser, so there is a least pair of them. [`least`] finds it from below: a solver starts without
//! moduli, and again with coarser ones whenever what it has found so far asks for them. `naive` and
//! `datalog` are defined by that; `wave` finds it in one go, which [`crate::definition::compare`] is about.

use crate::constraints::{
    BlockCopy, Callable, Constraint, Displacement, Fresh, Location, Node, Object, Offset, Passage,
    System, gcd,
};
use crate::definition::solution::Solution;
use crate::solver::cycles::{self, Successors};
use std::collections::{BTreeMap, BTreeSet};

/// The modulus of each node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Moduli(Vec<u32>);

impl Moduli {
    /// Every node takes offsets as they are.
    pub fn none(system: &System) -> Self {
        Self(vec![0; system.nodes as usize])
    }

    /// What `node` includes if `at` comes to it.
    pub fn taken(&self, system: &System, node: Node, at: Location) -> Location {
        match self.0.get(node.index()) {
            None | Some(0) => at,
            Some(&modulus) => system.modulo(at, modulus),
        }
    }

    /// Whether any node takes offsets modulo a number.
    pub fn is_any(&self) -> bool {
        self.0.iter().any(|&modulus| modulus != 0)
    }
}

/// Found so far: what nodes point to, and call edges.
pub type Found<'a> = (&'a [BTreeSet<Location>], &'a BTreeSet<(u32, Callable)>);

/// The least solution and its moduli. `attempt` solves with given moduli, or gives up with
/// coarser ones ([`check_moduli`]).
pub fn least(
    system: &System,
    attempt: impl Fn(&Moduli) -> Result<Solution, Moduli>,
) -> (Solution, Moduli) {
    let mut moduli = Moduli::none(system);
    loop {
        match attempt(&moduli) {
            Ok(solution) => return (solution, moduli),
            Err(coarser) => moduli = coarser,
        }
    }
}

/// Checks that moduli are coarse enough for what was found under them.
///
/// # Errors
/// The coarser moduli that are needed.
pub fn check_moduli(system: &System, found: Found<'_>, moduli: &Moduli) -> Result<(), Moduli> {
    let mut more = moduli.clone();
    Graph::of(system, found).coarsen(&mut more);
    if more == *moduli { Ok(()) } else { Err(more) }
}

/// The modulus of a node of some modulus after its component was found to have this period.
pub fn coarsened(modulus: u32, period: u64) -> u32 {
    gcd(u64::from(modulus), period.min(1 << 28)) as u32
}

/// What flows where: nodes, after them the slot classes of memory.
pub struct Graph<'a> {
    system: &'a System,
    sets: &'a [BTreeSet<Location>],
    cells: BTreeMap<Object, BTreeMap<Offset, u32>>,
    vertices: u32,
    edges: Vec<(u32, u32, Offset)>,
    copies: BTreeSet<BlockCopy>,
}

impl<'a> Graph<'a> {
    /// The graph of a solution, or of a part of it.
    pub fn of(system: &'a System, (sets, bound): Found<'a>) -> Self {
        let mut graph = Self {
            system,
            sets,
            cells: BTreeMap::new(),
            vertices: system.nodes,
            edges: Vec::new(),
            copies: BTreeSet::new(),
        };
        for constraint in &system.constraints {
            graph.constraint(constraint);
        }
        for &(call, callable) in bound {
            graph.call(call as usize, callable.index());
        }
        graph.copy_blocks();
        graph.load();
        graph
    }

    /// Every block that is copied.
    pub fn copies(&self) -> impl Iterator<Item = &BlockCopy> {
        self.copies.iter()
    }

    /// The slot classes that are written, whether or not anything is known to be there.
    pub fn written(&self, object: Object) -> impl Iterator<Item = Offset> + '_ {
        let slots = self.cells.get(&object).into_iter().flatten();
        slots.map(|(&slot, _)| slot)
    }

    fn set(&self, node: Node) -> &'a BTreeSet<Location> {
        &self.sets[node.index()]
    }

    fn cell(&mut self, object: Object, slot: Offset) -> u32 {
        let fresh = self.vertices;
        let slots = self.cells.entry(object).or_default();
        let cell = *slots.entry(slot).or_insert(fresh);
        self.vertices += u32::from(cell == fresh);
        cell
    }

    fn edge(&mut self, from: u32, to: u32) {
        self.edges.push((from, to, Offset::ZERO));
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Copy { from, to } => self.edge(from.0, to.0),
            Constraint::Shift { from, step, to } => {
                if step.how != Passage::IntegersOnly {
                    self.edges.push((from.0, to.0, step.by));
                }
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                for &at in self.set(pointer) {
                    if self.system.extent(at.object).writable {
                        self.hold(at, width, Some(from));
                    }
                }
            }
            Constraint::Hold { at, width, from } => self.hold(at, width, Some(from)),
            Constraint::Gather {
                pointer,
                into,
                length,
            } => self.gather(pointer, into, (Offset::ZERO, length)),
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                let set = self.set(pointer).iter();
                self.copies
                    .extend(set.map(|&at| BlockCopy::scatter(from, at, length)));
            }
            Constraint::Address { .. } | Constraint::Load { .. } => {}
        }
    }

    fn hold(&mut self, at: Location, width: u64, from: Option<Node>) {
        for slot in self.system.slots(at, width) {
            let cell = self.cell(at.object, slot);
            if let Some(from) = from {
                self.edge(from.0, cell);
            }
        }
    }

    fn gather(&mut self, pointer: Node, into: Object, (to, length): (Offset, Option<u64>)) {
        let set = self.set(pointer).iter();
        let copy = |&at| BlockCopy {
            to,
            ..BlockCopy::gather(at, into, length)
        };
        self.copies.extend(set.map(copy));
    }

    fn call(&mut self, call: usize, callable: usize) {
        let system = self.system;
        let (call, signature) = (&system.calls[call], &system.callables[callable]);
        for (position, argument) in (0..).zip(&call.arguments) {
            let Some(argument) = *argument else { continue };
            let is_block = call.by_value.iter().any(|&(at, _)| at == position);
            match (signature.parameters.get(position as usize), signature.rest) {
                (Some(parameter), _) => match parameter.copy {
                    Some((copy, size)) => {
                        self.gather(argument, copy, (Offset::ZERO, Some(size)));
                    }
                    None => self.edge(argument.0, parameter.node.0),
                },
                (None, Some(rest)) if is_block => self.gather(argument, rest, (Offset::ANY, None)),
                (None, Some(rest)) => {
                    let cell = self.cell(rest, Offset::ANY);
                    self.edge(argument.0, cell);
                }
                (None, None) => {}
            }
        }
        if let Some(result) = call.result {
            self.edge(signature.result.0, result.0);
        }
        let first = call.arguments.first().copied().flatten();
        match (signature.fresh, call.fresh, first) {
            (Fresh::Reallocated, Some(fresh), Some(old)) => {
                self.gather(old, fresh, (Offset::ZERO, None));
            }
            (Fresh::Stored, Some(_), Some(place)) => {
                for &at in self.set(place) {
                    if system.extent(at.object).writable {
                        self.hold(at, 8, None);
                    }
                }
            }
            _ => {}
        }
    }

    /// Follows what is written through all block copies.
    fn copy_blocks(&mut self) {
        let copies = std::mem::take(&mut self.copies);
        let (mut before, mut done) = (u32::MAX, BTreeSet::new());
        while before != self.vertices {
            before = self.vertices;
            for copy in &copies {
                let slots = self.cells.get(&copy.source).cloned().unwrap_or_default();
                for (slot, from) in slots {
                    if self.system.extent(copy.source).holds && done.insert((*copy, slot)) {
                        for image in copy.image(self.system, slot) {
                            let to = self.cell(copy.target, image);
                            self.edge(from, to);
                        }
                    }
                }
            }
        }
        self.copies = copies;
    }

    fn load(&mut self) {
        for constraint in &self.system.constraints {
            let Constraint::Load { pointer, width, to } = *constraint else {
                continue;
            };
            for &at in self.set(pointer) {
                for read in self.system.slots(at, width) {
                    let slots = self.cells.get(&at.object).into_iter().flatten();
                    let seen = slots.filter(|(slot, _)| slot.overlaps(read));
                    let edges = seen.map(|(_, &cell)| (cell, to.0, Offset::ZERO));
                    self.edges.extend(edges);
                }
            }
        }
    }

    /// Gives the nodes of each component its period.
    fn coarsen(&self, moduli: &mut Moduli) {
        let pairs = self.edges.iter().map(|&(from, to, _)| (from, to));
        let component = cycles::components(&Successors::of_edges(self.vertices, pairs));
        let mut members: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for (vertex, &component) in (0..).zip(&component) {
            let members = members.entry(component).or_default();
            members.insert(vertex, members.len() as u32);
        }
        let mut inside: BTreeMap<u32, Vec<(u32, u32, Offset)>> = BTreeMap::new();
        for &(from, to, by) in &self.edges {
            let at = component[from as usize];
            if at == component[to as usize] {
                let local = &members[&at];
                let edges = inside.entry(at).or_default();
                edges.push((local[&from], local[&to], by));
            }
        }
        for (at, edges) in inside {
            let period = cycles::period(members[&at].len(), &edges);
            for &vertex in members[&at].keys() {
                if let (true, Some(modulus)) = (period != 0, moduli.0.get_mut(vertex as usize)) {
                    *modulus = coarsened(*modulus, period);
                }
            }
        }
    }
}

impl System {
    /// Where a pointer to `at` points if its offset is known modulo a number only.
    pub fn modulo(&self, at: Location, modulus: u32) -> Location {
        let step = Displacement::by(Offset::strided(u64::from(modulus), 0));
        self.displaced(at, step).unwrap_or(at)
    }
}
