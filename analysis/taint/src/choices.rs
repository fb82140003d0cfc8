//! The result: the sets that a chosen pointer is in.

use crate::build::memory::Cell;
use crate::build::{Built, build};
use crate::taint::{Class, Taint};
use plat_pointers::constraints::{Node, Object};
use plat_pointers::extract::{Extraction, Instance};
use plat_pointers::offset::Offset;
use plat_pointers::points_to::renumber;
use plat_pointers::solved::Solved;
use plat_pointers::{AbstractObject, PointsTo};
use plat_program::{InstId, Program, Reg, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The choices that symbolic input makes between objects.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choices {
    /// The objects of each choice, and the instruction that makes it, where known.
    pub sets: BTreeSet<(Option<InstId>, BTreeSet<Object>)>,
    /// The taints of each node of the constraint system.
    pub taints: Vec<Taint>,
    /// Nodes and edges of the flow graph.
    pub size: [usize; 2],
}

/// Finds the choices of a program; nothing if that is too much work, which is counted and not
/// measured in time.
pub fn choices(program: &Program, extraction: &Extraction, solved: &Solved) -> Option<Choices> {
    let built = build(program, extraction, solved);
    if built.memory.is_spent() {
        return None;
    }
    let classes = classes(program, extraction, solved, &built);
    let taints = built.graph.solve(&classes);
    let used = used(extraction, &built);
    let places = Places {
        program,
        extraction,
        solved,
        dereferences: dereferences(extraction),
        contents: contents(extraction, solved),
    };
    let mut found: BTreeSet<(Option<InstId>, Vec<u32>)> = BTreeSet::new();
    for &(by, node, kind) in &built.graph.choices {
        let [from, to] = [by, node].map(|node| built.graph.find(node) as usize);
        if !kind.pass(taints[from], classes[to]).has(Taint::CHOICE) {
            continue;
        }
        let Some(cells) = built.memory.members(node) else {
            if used[to] {
                let set = solved.of_node[node as usize];
                found.insert((places.reason(node, by), vec![set]));
            }
            continue;
        };
        let reason = places.reason(node, by);
        for &cell in cells {
            let node = built.memory.known_cell(cell);
            if node.is_some_and(|node| used[node as usize]) {
                found.insert((reason, places.contents(cell)));
            }
        }
    }
    let mut objects: FxHashMap<Vec<u32>, BTreeSet<Object>> = FxHashMap::default();
    let mut sets = BTreeSet::new();
    for (reason, key) in found {
        let all = objects
            .entry(key)
            .or_insert_with_key(|key| key.iter().flat_map(|&set| places.objects(set)).collect());
        if all.iter().any(|&object| places.is_heap(object)) {
            sets.insert((reason, all.clone()));
        }
    }
    let members = solved.of_node.iter();
    Some(Choices {
        sets,
        taints: members.map(|&node| taints[node as usize]).collect(),
        size: [built.nodes, built.graph.edges()],
    })
}

/// The nodes whose value is dereferenced, there or after it was handed on. To free is not to
/// dereference: the executor follows each freed object on a path of its own.
fn used(extraction: &Extraction, built: &Built<'_>) -> Vec<bool> {
    let ends = extraction.dereferences.iter().map(|one| one.pointer.0);
    built.graph.reaching(built.nodes, ends)
}

impl Choices {
    /// Writes the sets into a result.
    pub fn enter(&self, extraction: &Extraction, solved: &Solved, result: &mut PointsTo) {
        let numbers = renumber(extraction, solved);
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for (set, number) in result.sets.iter().zip(0..) {
            known.insert(set.clone(), number);
        }
        let mut symbolic = BTreeSet::new();
        for (inst, objects) in &self.sets {
            let objects = objects.iter();
            let set: Vec<u32> = objects.filter_map(|one| numbers[one.index()]).collect();
            let next = result.sets.len() as u32;
            let number = *known.entry(set.clone()).or_insert(next);
            if number == next {
                result.sets.push(set);
            }
            symbolic.insert((*inst, number));
        }
        result.symbolic = Some(symbolic.into_iter().collect());
    }
}

/// What each node can be. Nodes that share a representative are of the class that has them all.
fn classes(
    program: &Program,
    extraction: &Extraction,
    solved: &Solved,
    built: &Built<'_>,
) -> Vec<Class> {
    let mut addresses = vec![false; solved.of_node.len()];
    for instance in &extraction.instances {
        let function = program.function(instance.function);
        for (at, &ty) in function.reg_types.iter().enumerate() {
            let is_pointer = matches!(program.types.get(ty), Type::Pointer);
            addresses[instance.node(Reg::new(at)).index()] = is_pointer;
        }
        let is_pointer = matches!(program.types.get(function.ret), Type::Pointer);
        addresses[instance.result.index()] = is_pointer;
    }
    let mut classes = vec![Class::Either; built.nodes];
    let mut counted = vec![false; built.nodes];
    for (&node, &is_address) in solved.of_node.iter().zip(&addresses) {
        let class = &mut classes[node as usize];
        let first = !std::mem::replace(&mut counted[node as usize], true);
        *class = match is_address && (first || *class == Class::Address) {
            true => Class::Address,
            false => Class::Either,
        };
    }
    for &(_, _, node) in &solved.memory {
        classes[node as usize] = Class::Either;
    }
    for (class, set) in classes.iter_mut().zip(&solved.sets) {
        if set.is_empty() {
            *class = Class::Number;
        }
    }
    classes
}

/// For each pointer the first instruction that dereferences it.
fn dereferences(extraction: &Extraction) -> FxHashMap<Node, InstId> {
    let mut first: FxHashMap<Node, InstId> = FxHashMap::default();
    for dereference in &extraction.dereferences {
        let at = first.entry(dereference.pointer).or_insert(dereference.inst);
        *at = dereference.inst.min(*at);
    }
    first
}

/// For each object the slot classes that hold addresses, with their sets.
fn contents(extraction: &Extraction, solved: &Solved) -> Vec<Vec<(Offset, u32)>> {
    let mut contents = vec![Vec::new(); extraction.objects.len()];
    for &(object, slot, set) in &solved.memory {
        if !solved.sets[set as usize].is_empty() {
            contents[object.index()].push((slot, set));
        }
    }
    contents
}

struct Places<'a> {
    program: &'a Program,
    extraction: &'a Extraction,
    solved: &'a Solved,
    dereferences: FxHashMap<Node, InstId>,
    contents: Vec<Vec<(Offset, u32)>>,
}

impl Places<'_> {
    fn is_heap(&self, object: Object) -> bool {
        matches!(
            self.extraction.objects[object.index()],
            AbstractObject::Heap { .. }
        )
    }

    fn objects(&self, set: u32) -> impl Iterator<Item = Object> + '_ {
        let places = self.solved.sets[set as usize].iter();
        places.map(|place| self.solved.locations[place as usize].object)
    }

    /// The sets of what memory that overlaps a cell can hold.
    fn contents(&self, (object, slot): Cell) -> Vec<u32> {
        let cells = self.contents[object.index()].iter();
        let overlapping = cells.filter(|(other, _)| other.overlaps(slot));
        let mut sets: Vec<u32> = overlapping.map(|&(_, set)| set).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// The instruction that makes a choice: the one that defines the node, or for memory the one
    /// that dereferences the pointer that decides.
    fn reason(&self, node: u32, by: u32) -> Option<InstId> {
        let dereferenced = || self.dereferences.get(&Node(by)).copied();
        let defined = self.definition(node);
        defined
            .or_else(dereferenced)
            .or_else(|| self.definition(by))
    }

    fn definition(&self, node: u32) -> Option<InstId> {
        let instances = &self.extraction.instances;
        let at = instances.partition_point(|instance| instance.first.0 <= node);
        let instance: &Instance = instances.get(at.checked_sub(1)?)?;
        let function = self.program.function(instance.function);
        let reg = Reg(node - instance.first.0);
        let position = function
            .insts
            .iter()
            .position(|inst| inst.dst() == Some(reg))?;
        Some(InstId::new(function.first_inst.index() + position))
    }
}
