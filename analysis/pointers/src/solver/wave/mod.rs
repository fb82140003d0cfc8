//! The solver: wave propagation (Pereira and Berlin, CGO 2009).
//!
//! Until nothing changes: merge the nodes of each cycle of copy edges, visit the nodes in
//! topological order and send along every edge only what is new in the node, then let loads,
//! stores, block copies and calls see what is new and add the edges that follow.
//!
//! Pointer arithmetic in a cycle (`p = p + 8` in a loop, or through memory) would enumerate
//! offsets. So the components of copy and step edges are searched for cycles of non-zero weight;
//! from then on their nodes only take offsets modulo the greatest common divisor of these
//! weights, which is the rule of [`crate::definition::widening`]. What came to a node before is covered by what
//! comes to it then. Nodes of the solver's own (cells, what is loaded through a pointer) take
//! offsets as they are: nodes that are on no cycle may share them.

mod calls;
mod graph;
mod merge;
mod unions;
mod uses;

use crate::constraints::{Constraint, Displacement, Offset, Passage, System, gcd};
use crate::definition::widening::coarsened;
use crate::solver::bindings::Bindings;
use crate::solver::cells::{Cells, MOST_COPIED};
use crate::solver::cycles::{self, Successors};
use crate::solver::set::Set;
use crate::solver::shared_accesses::{Accesses, Hubs};
use crate::solver::shared_calls::CallHubs;
use crate::solver::solved::{LocationNumbers, Measures, Solved};
use crate::solver::substitution;
use graph::{Use, Vertex, nothing};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use unions::Unions;

/// How many words of sets are remembered for each node, to find what was computed before.
const REMEMBERED: usize = 8;

/// The position of the number of edges in the shape of the graph.
const EDGES: usize = 1;

struct Wave<'a> {
    system: &'a System,
    places: LocationNumbers<'a>,
    vertices: Vec<Vertex>,
    parent: Vec<u32>,
    edges: FxHashSet<(u32, u32)>,
    cells: Cells,
    hubs: Hubs,
    call_hubs: CallHubs,
    unions: Unions,
    /// What each call was bound to.
    bound: Vec<Rc<Set>>,
    /// What calls through pointers to the same are bound to, of this wave.
    bindings: Bindings,
    measures: Measures,
    /// What may be spent.
    most: u64,
}

/// What a solver must do with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Operations on words of sets and on edges.
    pub work: u64,
    /// Objects in which block copies make more slot classes than this do not tell slots apart;
    /// with 0, offsets are not told apart anywhere.
    pub most_copied: u32,
}

impl Limits {
    /// Any work; fields as far as they are of use.
    pub const NONE: Limits = Limits {
        work: u64::MAX,
        most_copied: MOST_COPIED,
    };
}

/// Solves `system`.
///
/// # Panics
/// Never: there is no limit.
pub fn solve(system: &System) -> Solved {
    solve_within(system, &Limits::NONE).expect("no limit")
}

/// Solves `system` within limits; `None` if it takes more work.
pub fn solve_within(system: &System, limits: &Limits) -> Option<Solved> {
    let reduced = substitution::reduce(system);
    let mut solved = propagated(&reduced.system, limits)?;
    reduced.expand(&mut solved);
    Some(solved)
}

/// Solves a system whose nodes are known to differ.
pub(crate) fn propagated(system: &System, limits: &Limits) -> Option<Solved> {
    let most_remembered = REMEMBERED * (system.nodes as usize).max(1 << 15);
    let mut wave = Wave {
        system,
        places: LocationNumbers::new(system, limits.most_copied == 0).remembering(most_remembered),
        vertices: vec![Vertex::default(); system.nodes as usize],
        parent: (0..system.nodes).collect(),
        edges: FxHashSet::default(),
        cells: Cells::new(system, limits.most_copied),
        hubs: Hubs::default(),
        call_hubs: CallHubs::default(),
        unions: Unions::new(most_remembered),
        bound: vec![nothing(); system.calls.len()],
        bindings: Bindings::default(),
        measures: Measures::default(),
        most: limits.work,
    };
    for constraint in &system.constraints {
        wave.add(constraint);
    }
    for (at, call) in system.calls.iter().enumerate() {
        wave.use_by(call.callee.0, Use::Call(at as u32));
    }
    wave.connect_cells();
    let (mut order, mut ordered) = (Vec::new(), None);
    while !wave.is_spent() {
        wave.measures.waves += 1;
        let shape = wave.shape();
        if ordered != Some(shape) {
            order = wave.order();
            ordered = Some(shape);
        }
        wave.propagate(&order);
        wave.bindings = Bindings::default();
        for node in wave.roots() {
            if !wave.vertices[node as usize].pending.is_empty() {
                wave.resolve(node);
            }
        }
        let open = |vertex: &Vertex| !vertex.delta.is_empty();
        // An edge made last may close a cycle around which nothing has come yet.
        let is_ordered = shape[EDGES] == wave.shape()[EDGES];
        if is_ordered && !wave.is_spent() && !wave.vertices.iter().any(open) {
            return Some(wave.finish());
        }
    }
    None
}

impl Wave<'_> {
    fn add(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Address { node, at } => self.absorb_one(node.0, at),
            Constraint::Copy { from, to } => self.copy_edge(from.0, to.0),
            Constraint::Shift { from, step, to } => self.step_edge(from.0, step, to.0),
            Constraint::Load { pointer, width, to } => {
                self.load_by(pointer.0, width, to.0);
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                self.store_by(pointer.0, width, from.0);
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

    /// What counts against the budget.
    fn work(&self) -> u64 {
        self.measures.operations + 4 * (self.edges.len() as u64 + self.cells.moved())
    }

    fn is_spent(&self) -> bool {
        self.work() > self.most
    }

    fn roots(&self) -> Vec<u32> {
        (0..self.parent.len() as u32)
            .filter(|&node| self.parent[node as usize] == node)
            .collect()
    }

    /// What changes when the graph does.
    fn shape(&self) -> [u64; 4] {
        let Measures {
            merged, widened, ..
        } = self.measures;
        [
            self.vertices.len() as u64,
            self.edges.len() as u64,
            merged,
            widened,
        ]
    }

    /// The nodes in topological order of copy and step edges. Merges the cycles of copies, and widens
    /// the components in which pointers move around a cycle.
    fn order(&mut self) -> Vec<u32> {
        let mut successors = Successors::default();
        for node in 0..self.parent.len() as u32 {
            self.simplify_copies(node);
            self.simplify_steps(node);
            let vertex = &self.vertices[node as usize];
            let steps = vertex.steps.iter();
            let moving = steps.filter(|(step, _)| step.how != Passage::IntegersOnly);
            let moving = moving.map(|&(_, to)| to);
            successors.push(vertex.copies.iter().copied().chain(moving));
        }
        let (component, mut order) = cycles::components_and_order(&successors);
        order.reverse();
        order.retain(|&node| self.parent[node as usize] == node);
        self.merge_cycles(&component);
        order.retain(|&node| self.parent[node as usize] == node);
        self.widen(&order, &component);
        order
    }

    /// Merges the nodes of each cycle of copies. They are in one component.
    fn merge_cycles(&mut self, component: &[u32]) {
        let roots = self.roots();
        let mut count = vec![0u32; component.len()];
        for &node in &roots {
            count[component[node as usize] as usize] += 1;
        }
        let mut local = vec![u32::MAX; component.len()];
        let in_cycles = |&&node: &&u32| count[component[node as usize] as usize] > 1;
        let members: Vec<u32> = roots.iter().filter(in_cycles).copied().collect();
        for (at, &node) in members.iter().enumerate() {
            local[node as usize] = at as u32;
        }
        let mut successors = Successors::default();
        for &node in &members {
            let vertex = &self.vertices[node as usize];
            let steps = vertex.steps.iter();
            let copies = steps.filter(|&&(step, to)| self.changes_nothing(node, step, to));
            let copies = vertex.copies.iter().chain(copies.map(|(_, to)| to));
            let inside = |to: &&u32| component[**to as usize] == component[node as usize];
            successors.push(copies.filter(inside).map(|&to| local[to as usize]));
        }
        let number = cycles::components(&successors);
        let count = number.iter().max().map_or(0, |most| most + 1);
        let mut cycles: Vec<Vec<u32>> = vec![Vec::new(); count as usize];
        for (&node, &number) in members.iter().zip(&number) {
            cycles[number as usize].push(node);
        }
        cycles.retain(|cycle| cycle.len() > 1);
        cycles.sort_unstable();
        for cycle in &cycles {
            self.merge_all(cycle);
        }
    }

    /// Leads the copy edges of a node to representatives, each once.
    fn simplify_copies(&mut self, node: u32) {
        let mut copies = std::mem::take(&mut self.vertices[node as usize].copies);
        if !self.are_simple(&copies, |&to| to) || copies.binary_search(&node).is_ok() {
            for to in &mut copies {
                *to = self.find(*to);
            }
            copies.sort_unstable();
            copies.dedup();
            copies.retain(|&to| to != node);
        }
        self.vertices[node as usize].copies = copies;
    }

    /// Leads the steps of a node to representatives, each once.
    fn simplify_steps(&mut self, node: u32) {
        let mut steps = std::mem::take(&mut self.vertices[node as usize].steps);
        if !self.are_simple(&steps, |&(_, to)| to) {
            for step in &mut steps {
                step.1 = self.find(step.1);
            }
            steps.sort_unstable();
            steps.dedup();
        }
        steps.retain(|&(step, to)| to != node || !self.changes_nothing(node, step, to));
        self.vertices[node as usize].steps = steps;
    }

    /// Whether edges are sorted, each is there once, and all lead to representatives.
    fn are_simple<E: Ord>(&self, edges: &[E], target: impl Fn(&E) -> u32) -> bool {
        let leads = |edge: &E| self.parent[target(edge) as usize] == target(edge);
        edges.iter().all(leads) && edges.is_sorted_by(|a, b| a < b)
    }

    /// Whether a step between two nodes is a copy, because both take offsets modulo a number that
    /// divides it.
    fn changes_nothing(&self, from: u32, step: Displacement, to: u32) -> bool {
        let modulus = self.vertices[from as usize].modulus;
        let divides = |number: u32| number.is_multiple_of(modulus);
        modulus != 0
            && modulus == self.vertices[to as usize].modulus
            && step.how == Passage::All
            && divides(step.by.stride)
            && divides(step.by.residue.unsigned_abs())
    }

    fn widen(&mut self, roots: &[u32], component: &[u32]) {
        let inside = |from: u32, to: u32| component[from as usize] == component[to as usize];
        let mut moving: FxHashSet<u32> = FxHashSet::default();
        for &node in roots {
            if self.vertices[node as usize]
                .steps
                .iter()
                .any(|&(step, to)| step.how != Passage::IntegersOnly && inside(node, to))
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
                for (step, to) in self.vertices[node as usize].steps.clone() {
                    if let Some(&to) = local.get(&self.find(to))
                        && step.how != Passage::IntegersOnly
                    {
                        edges.push((at, to, step.by));
                    }
                }
            }
            // The moduli of its nodes are the periods of cycles that may have been merged away.
            let moduli = nodes
                .iter()
                .map(|&node| self.vertices[node as usize].modulus);
            let period = moduli.fold(cycles::period(nodes.len(), &edges), |period, modulus| {
                gcd(period, u64::from(modulus))
            });
            if period == 0 {
                continue;
            }
            let variables = nodes.iter().filter(|&&node| node < self.system.nodes);
            for &node in variables {
                let old = self.vertices[node as usize].modulus;
                let modulus = coarsened(old, period);
                if modulus != old {
                    self.measures.widened += 1;
                    self.take_modulo(node, modulus);
                }
            }
        }
    }

    /// Sends what is new along the edges, in order, once: what comes back around a cycle waits until
    /// the next wave has looked for cycles.
    fn propagate(&mut self, order: &[u32]) {
        for &node in order {
            if self.is_spent() {
                return;
            }
            let vertex = &mut self.vertices[node as usize];
            if vertex.delta.is_empty() {
                continue;
            }
            let delta = std::mem::replace(&mut vertex.delta, nothing());
            if vertex.is_used() {
                self.unions.unite(&mut vertex.pending, &delta);
            }
            let (copies, steps) = (
                std::mem::take(&mut vertex.copies),
                std::mem::take(&mut vertex.steps),
            );
            for &to in &copies {
                self.absorb(to, &delta);
            }
            for &(step, to) in &steps {
                let moved = self.places.step(&delta, step);
                self.absorb(to, &moved);
            }
            let vertex = &mut self.vertices[node as usize];
            vertex.copies = copies;
            vertex.steps = steps;
        }
    }

    fn finish(mut self) -> Solved {
        let nodes = self.system.nodes;
        self.measures.operations = self.work();
        let of_node = (0..nodes).map(|node| self.find(node)).collect();
        let cells: Vec<_> = self.cells.all_written().collect();
        let memory = cells
            .into_iter()
            .map(|(object, slot, node)| (object, slot, self.find(node.0)))
            .collect();
        self.measures.edges = self.edges.len() as u64;
        self.measures.wholes = self.cells.collapsed;
        self.measures.cells = u64::from(self.cells.nodes() - nodes);
        Solved {
            locations: self.places.into_locations(),
            sets: shared(self.vertices.into_iter().map(|vertex| vertex.set)),
            of_node,
            memory,
            bound: shared(self.bound.into_iter()),
            measures: self.measures,
        }
    }
}

/// Equal sets as one allocation.
fn shared(sets: impl Iterator<Item = Rc<Set>>) -> Vec<Rc<Set>> {
    let mut known: FxHashSet<Rc<Set>> = FxHashSet::default();
    let share = |set: Rc<Set>| match known.get(&set) {
        Some(known) => Rc::clone(known),
        None => {
            known.insert(Rc::clone(&set));
            set
        }
    };
    sets.map(share).collect()
}
