//! Offline variable substitution: nodes whose sets are equal in every solution, found without
//! solving (hash-based value numbering, HVN: Hardekopf and Lin, SAS 2007).
//!
//! What a node includes is numbered: addresses, and what follows from the numbers of other nodes
//! by a copy, a step or a load. Two nodes that include the same have one number, a node that only
//! copies another has that one's, and number 0 points to nothing. What calls through pointers
//! bring is not known beforehand: parameters and results of such calls have numbers of their own.
//! The solver then works on one node for each number.

use crate::constraints::{
    Call, Constraint, Displacement, Location, Node, Parameter, Signature, System,
};
use crate::solver::cycles::{self, Successors};
use crate::solver::solved::Solved;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A system with fewer nodes.
#[derive(Debug)]
pub struct Reduced {
    /// The system: same objects, same calls, same callables.
    pub system: System,
    /// Its node for each node of the original.
    pub number: Vec<u32>,
    /// For each node of the original one that it exchanges all it holds with, by cycles of copies.
    pub cycle: Vec<u32>,
}

impl Reduced {
    /// Turns the solution of the reduced system into that of the original. Nodes that have the same
    /// set, but do not exchange all they hold, have it in different positions.
    pub fn expand(&self, solved: &mut Solved) {
        // Number 0, of what points to nothing, may be one more than there was.
        solved.measures.merged += self.number.len().saturating_sub(solved.of_node.len()) as u64;
        let mut taken = vec![false; solved.of_node.len()];
        let mut of_node = vec![0; self.number.len()];
        for (node, (&number, &first)) in self.number.iter().zip(&self.cycle).enumerate() {
            let at = solved.of_node[number as usize];
            of_node[node] = match first as usize {
                first if first < node => of_node[first],
                _ if !std::mem::replace(&mut taken[number as usize], true) => at,
                _ => {
                    solved.sets.push(Rc::clone(&solved.sets[at as usize]));
                    solved.sets.len() as u32 - 1
                }
            };
        }
        solved.of_node = of_node;
    }
}

/// Something that a node includes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Part {
    /// What all nodes of a number point to.
    All(u32),
    Address(Location),
    Moved(u32, Displacement),
    Loaded(u32, u64),
}

/// Where a node gets something from.
#[derive(Clone, Copy, Debug)]
enum Source {
    Address(Location),
    Copy,
    Shift(Displacement),
    Load(u64),
}

/// Numbers the nodes.
pub fn reduce(system: &System) -> Reduced {
    let cycle = copied_in_cycles(system);
    let incoming = Incoming::new(system, &cycle);
    let numbers = Numbers::new(system, &cycle, &incoming);
    let (number, nodes) = (numbers.of, numbers.next);
    Reduced {
        system: renumbered(system, nodes, &number),
        number,
        cycle,
    }
}

/// The first node of the cycle of copies that each node is in.
fn copied_in_cycles(system: &System) -> Vec<u32> {
    let copies = system
        .constraints
        .iter()
        .filter_map(|constraint| match *constraint {
            Constraint::Copy { from, to } => Some((from.0, to.0)),
            _ => None,
        });
    let component = cycles::components(&Successors::of_edges(system.nodes, copies));
    let mut first = vec![u32::MAX; component.len()];
    let firsts = (0..).zip(component).map(|(node, component)| {
        let first = &mut first[component as usize];
        *first = node.min(*first);
        *first
    });
    firsts.collect()
}

/// What each node includes, for the first nodes of cycles of copies.
struct Incoming {
    /// Where the sources of each node end.
    ends: Vec<u32>,
    sources: Vec<(u32, Source)>,
}

impl Incoming {
    fn new(system: &System, cycle: &[u32]) -> Self {
        let edges = || {
            let all = system.constraints.iter().filter_map(flow);
            let first = |node: Node| cycle[node.index()];
            let all = all.map(move |(from, how, to)| (first(from), how, first(to)));
            all.filter(|&(from, how, to)| from != to || !matches!(how, Source::Copy))
        };
        let mut ends = vec![0; cycle.len() + 1];
        for (_, _, to) in edges() {
            ends[to as usize + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut sources = vec![(0, Source::Copy); ends[cycle.len()] as usize];
        for (from, how, to) in edges() {
            // What starts where the node before ends, ends where the node after starts.
            let at = &mut ends[to as usize];
            sources[*at as usize] = (from, how);
            *at += 1;
        }
        ends.pop();
        Self { ends, sources }
    }

    fn of(&self, node: u32) -> &[(u32, Source)] {
        let start = node
            .checked_sub(1)
            .map_or(0, |before| self.ends[before as usize]);
        &self.sources[start as usize..self.ends[node as usize] as usize]
    }

    /// The nodes such that, cycles aside, each follows those it includes.
    fn order(&self) -> Vec<u32> {
        let nodes = self.ends.len() as u32;
        let before = |node| {
            let sources = self.of(node).iter();
            sources.filter_map(|&(from, how)| (!matches!(how, Source::Address(_))).then_some(from))
        };
        // Against the edges, so that components are numbered in topological order.
        let component = cycles::components(&(0..nodes).map(before).collect());
        let mut order: Vec<u32> = (0..nodes).collect();
        order.sort_by_key(|&node| component[node as usize]);
        order
    }
}

/// What flows between nodes, and what they point to: from, how, to.
fn flow(constraint: &Constraint) -> Option<(Node, Source, Node)> {
    match *constraint {
        Constraint::Address { node, at } => Some((node, Source::Address(at), node)),
        Constraint::Copy { from, to } => Some((from, Source::Copy, to)),
        Constraint::Shift { from, step, to } => Some((from, Source::Shift(step), to)),
        Constraint::Load { pointer, width, to } => Some((pointer, Source::Load(width), to)),
        _ => None,
    }
}

/// The number of what points to nothing.
const NOTHING: u32 = 0;
/// Not numbered yet.
const UNKNOWN: u32 = u32::MAX;

/// The numbers of all nodes.
struct Numbers {
    of: Vec<u32>,
    next: u32,
}

impl Numbers {
    fn new(system: &System, cycle: &[u32], incoming: &Incoming) -> Self {
        let mut numbers = Self {
            of: vec![UNKNOWN; cycle.len()],
            next: NOTHING + 1,
        };
        for node in open(system) {
            let first = cycle[node.index()];
            if numbers.of[first as usize] == UNKNOWN {
                numbers.of[first as usize] = numbers.fresh();
            }
        }
        let mut known: FxHashMap<Box<[Part]>, u32> = FxHashMap::default();
        let mut parts = Vec::new();
        for node in incoming.order() {
            if cycle[node as usize] != node || numbers.of[node as usize] != UNKNOWN {
                continue;
            }
            let is_known = numbers.parts(incoming.of(node), &mut parts);
            numbers.of[node as usize] = match parts.as_slice() {
                _ if !is_known => numbers.fresh(),
                [] => NOTHING,
                [Part::All(number)] => *number,
                parts => match known.get(parts) {
                    Some(&number) => number,
                    None => {
                        let number = numbers.fresh();
                        known.insert(parts.into(), number);
                        number
                    }
                },
            };
        }
        for (node, &first) in cycle.iter().enumerate() {
            numbers.of[node] = numbers.of[first as usize];
        }
        numbers
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// The parts of a node; false if one is not numbered.
    fn parts(&self, sources: &[(u32, Source)], parts: &mut Vec<Part>) -> bool {
        parts.clear();
        for &(from, how) in sources {
            let number = self.of[from as usize];
            parts.push(match how {
                Source::Address(at) => Part::Address(at),
                _ if number == UNKNOWN => return false,
                _ if number == NOTHING => continue,
                Source::Copy => Part::All(number),
                Source::Shift(step) => Part::Moved(number, step),
                Source::Load(width) => Part::Loaded(number, width),
            });
        }
        parts.sort_unstable();
        parts.dedup();
        true
    }
}

/// The nodes that calls through pointers add to.
fn open(system: &System) -> impl Iterator<Item = Node> + '_ {
    let parameters = system.callables.iter().flat_map(|one| &one.parameters);
    let results = system.calls.iter().filter_map(|call| call.result);
    parameters.map(|parameter| parameter.node).chain(results)
}

/// The system with other numbers of nodes, without what adds nothing.
fn renumbered(system: &System, nodes: u32, number: &[u32]) -> System {
    let new = |node: Node| Node(number[node.index()]);
    let mut known: FxHashSet<Constraint> = FxHashSet::default();
    let constraints = system.constraints.iter().filter_map(|&constraint| {
        let constraint = renamed(constraint, new);
        (!is_void(constraint) && known.insert(constraint)).then_some(constraint)
    });
    let holding = |node: Node| Some(new(node)).filter(|node| node.0 != NOTHING);
    let call = |call: &Call| Call {
        callee: new(call.callee),
        arguments: call
            .arguments
            .iter()
            .map(|node| node.and_then(holding))
            .collect(),
        result: call.result.map(new),
        ..call.clone()
    };
    let parameter = |one: &Parameter| Parameter {
        node: new(one.node),
        ..*one
    };
    let signature = |one: &Signature| Signature {
        parameters: one.parameters.iter().map(parameter).collect(),
        result: new(one.result),
        ..one.clone()
    };
    System {
        nodes,
        objects: system.objects.clone(),
        constraints: constraints.collect(),
        callables: system.callables.iter().map(signature).collect(),
        calls: system.calls.iter().map(call).collect(),
        window: system.window,
    }
}

fn renamed(mut constraint: Constraint, new: impl Fn(Node) -> Node) -> Constraint {
    match &mut constraint {
        Constraint::Address { node, .. }
        | Constraint::Hold { from: node, .. }
        | Constraint::Gather { pointer: node, .. }
        | Constraint::Scatter { pointer: node, .. } => *node = new(*node),
        Constraint::Copy { from: a, to: b }
        | Constraint::Shift { from: a, to: b, .. }
        | Constraint::Load {
            pointer: a, to: b, ..
        }
        | Constraint::Store {
            pointer: a,
            from: b,
            ..
        } => (*a, *b) = (new(*a), new(*b)),
    }
    constraint
}

/// Whether nothing follows, as it is about what points to nothing, or about one node.
fn is_void(constraint: Constraint) -> bool {
    match constraint {
        Constraint::Address { .. } => false,
        Constraint::Copy { from, to } => from.0 == NOTHING || from == to,
        Constraint::Shift { from: node, .. }
        | Constraint::Load { pointer: node, .. }
        | Constraint::Hold { from: node, .. }
        | Constraint::Gather { pointer: node, .. }
        | Constraint::Scatter { pointer: node, .. } => node.0 == NOTHING,
        Constraint::Store { pointer, from, .. } => pointer.0 == NOTHING || from.0 == NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::Extent;
    use crate::constraints::Offset;

    /// `b` copies `a`, `c` and `d` are loaded through either, `e` and `f` copy each other and `a`,
    /// `g` is nothing, `h` copies that and `a`.
    #[test]
    fn what_includes_the_same_has_one_number() {
        let mut system = System::new(4096);
        let object = system.object(Extent::memory(Some(8)));
        let [a, b, c, d, e, f, g, h] = std::array::from_fn(|_| system.node());
        let at = Location::new(object, Offset::ZERO);
        let copy = |from, to| Constraint::Copy { from, to };
        let load = |pointer, to| Constraint::Load {
            pointer,
            width: 8,
            to,
        };
        system.constraints = vec![Constraint::Address { node: a, at }, copy(a, b)];
        system.constraints.extend([load(a, c), load(b, d)]);
        system
            .constraints
            .extend([copy(a, e), copy(e, f), copy(f, e)]);
        system.constraints.extend([copy(g, h), copy(a, h)]);
        let reduced = reduce(&system);
        let of = |node: Node| reduced.number[node.index()];
        for same in [b, e, f, h] {
            assert_eq!(of(same), of(a));
        }
        assert_eq!(of(c), of(d));
        assert_ne!(of(c), of(a));
        assert_eq!(of(g), NOTHING);
        assert_eq!(reduced.cycle[f.index()], reduced.cycle[e.index()]);
        // The address and one load are left.
        assert_eq!(reduced.system.constraints.len(), 2);

        // Of those with one set only `e` and `f` exchange all they hold.
        let solved = crate::solver::wave::solve(&system);
        let position = |node: Node| solved.of_node[node.index()];
        assert_eq!(position(e), position(f));
        assert_ne!(position(a), position(b));
        for same in [b, e, f, h] {
            assert_eq!(solved.set(same), solved.set(a));
        }
    }
}
