//! The result: the sets of heap objects that symbolic input chooses among.

use crate::build::build;
use crate::build::memory::{Accessed, Memory};
use crate::taint::{Class, Taint};
use plat_pointers::constraints::{Location, Node, Object, Offset};
use plat_pointers::extract::{Extraction, Instance};
use plat_pointers::report::renumber;
use plat_pointers::solver::{Limits, Set, Solved};
use plat_pointers::{AbstractObject, PointsTo};
use plat_program::{InstId, Program, Reg, Type};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The choices that symbolic input makes among heap objects: the objects of each, and the first
/// instruction that makes it, if known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Choices(pub BTreeMap<Set, Option<InstId>>);

/// Finds the choices of a program; `None` if the flow graph exceeds the limits.
pub fn choices(
    program: &Program,
    extraction: &Extraction,
    solved: &Solved,
    limits: &Limits,
) -> Option<Choices> {
    let memory = build(program, extraction, solved, limits)?;
    Some(found(program, extraction, solved, &memory))
}

/// The choices in a flow graph.
pub fn found(
    program: &Program,
    extraction: &Extraction,
    solved: &Solved,
    memory: &Memory<'_>,
) -> Choices {
    let classes = classes(program, extraction, solved, memory);
    let taints = memory.graph.solve(&classes);
    let ends = extraction.dereferences.iter().map(|one| one.pointer.0);
    // Freeing does not count as a dereference: the executor forks for each freed object.
    let used = memory.graph.reaching(memory.nodes(), ends);
    let reasons = Reasons::new(program, extraction);
    let mut made: BTreeMap<u32, Option<InstId>> = BTreeMap::new();
    for &(by, node, kind) in &memory.graph.choices {
        let [from, to] = [by, node].map(|node| memory.graph.find(node) as usize);
        if kind.pass(taints[from], classes[to]).has(Taint::CHOICE) {
            let reason = reasons.of(node, by);
            let known = made.entry(node).or_insert(reason);
            *known = first(*known, reason);
        }
    }
    let mut collector = ChoiceCollector::new(extraction, solved, memory, &used);
    for (node, reason) in made {
        collector.add_node(node, reason);
    }
    collector.finish()
}

/// The earlier of two instructions, where known.
fn first(a: Option<InstId>, b: Option<InstId>) -> Option<InstId> {
    a.into_iter().chain(b).min()
}

impl Choices {
    /// Adds the sets to a points-to result.
    pub fn enter(&self, extraction: &Extraction, solved: &Solved, result: &mut PointsTo) {
        let numbers = renumber(extraction, solved);
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        for (set, number) in result.sets.iter().zip(0..) {
            known.insert(set.clone(), number);
        }
        let mut symbolic = BTreeSet::new();
        for (objects, &inst) in &self.0 {
            let objects = objects.iter();
            let set: Vec<u32> = objects.filter_map(|one| numbers[one as usize]).collect();
            let next = result.sets.len() as u32;
            let number = *known.entry(set.clone()).or_insert(next);
            if number == next {
                result.sets.push(set);
            }
            symbolic.insert((inst, number));
        }
        result.symbolic = Some(symbolic.into_iter().collect());
    }
}

/// The class of each node; merged nodes have the class that covers all of them.
pub fn classes(
    program: &Program,
    extraction: &Extraction,
    solved: &Solved,
    memory: &Memory<'_>,
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
    let mut classes: Vec<Option<Class>> = vec![None; memory.nodes()];
    for (node, &is_address) in (0..).zip(&addresses) {
        let class = &mut classes[memory.graph.find(node) as usize];
        *class = match (solved.set(Node(node)).is_empty(), is_address, *class) {
            (true, ..) => Some(Class::Number),
            (false, true, None | Some(Class::Address)) => Some(Class::Address),
            _ => Some(Class::Either),
        };
    }
    for (object, slot, node) in memory.cells() {
        let mut holding = memory.holding(object).iter();
        if !holding.any(|(other, _)| other.overlaps(slot)) {
            classes[node as usize] = Some(Class::Number);
        }
    }
    let or_either = |class: Option<Class>| class.unwrap_or(Class::Either);
    classes.into_iter().map(or_either).collect()
}

/// Collects the sets of objects that choices are among.
struct ChoiceCollector<'a> {
    extraction: &'a Extraction,
    solved: &'a Solved,
    memory: &'a Memory<'a>,
    used: &'a [bool],
    choices: BTreeMap<Set, Option<InstId>>,
    /// The locations in heap objects.
    heap_places: Set,
    /// The heap objects of each set of the solution, by its address.
    heap: FxHashMap<*const Set, Rc<Set>>,
    /// The heap objects that a slot class can point to.
    contents: FxHashMap<(Object, Offset), Rc<Set>>,
    /// The heap objects that an access of a width to a word of locations can give: a set for each
    /// used slot class.
    words: FxHashMap<(Set, u64), Rc<BTreeSet<Rc<Set>>>>,
}

impl<'a> ChoiceCollector<'a> {
    fn new(
        extraction: &'a Extraction,
        solved: &'a Solved,
        memory: &'a Memory<'a>,
        used: &'a [bool],
    ) -> Self {
        let is_heap = |at: &Location| {
            let object = &extraction.objects[at.object.index()];
            matches!(object, AbstractObject::Heap { .. })
        };
        let places = (0..).zip(&solved.locations);
        let places = places.filter_map(|(place, at)| is_heap(at).then_some(place));
        Self {
            extraction,
            solved,
            memory,
            used,
            choices: BTreeMap::new(),
            heap_places: places.collect(),
            heap: FxHashMap::default(),
            contents: FxHashMap::default(),
            words: FxHashMap::default(),
        }
    }

    fn finish(mut self) -> Choices {
        self.choices.remove(&Set::new());
        Choices(self.choices)
    }

    /// Adds the choice at a node, if the chosen address is used.
    fn add_node(&mut self, node: u32, reason: Option<InstId>) {
        let memory = self.memory;
        match memory.behind(node) {
            Some((Accessed::Set(places), width)) => {
                for word in places.words() {
                    for set in self.in_word(word, *width).iter() {
                        self.add(set, reason);
                    }
                }
            }
            Some((Accessed::Locations(locations), width)) => {
                for set in self.in_bytes(locations.iter().copied(), *width) {
                    self.add(&set, reason);
                }
            }
            None if self.used[memory.graph.find(node) as usize] => {
                let set = self.heap(self.solved.of_node[node as usize]);
                self.add(&set, reason);
            }
            None => {}
        }
    }

    fn add(&mut self, set: &Set, reason: Option<InstId>) {
        match self.choices.get_mut(set) {
            Some(known) => *known = first(*known, reason),
            None => {
                self.choices.insert(set.clone(), reason);
            }
        }
    }

    fn in_word(&mut self, word: Set, width: u64) -> Rc<BTreeSet<Rc<Set>>> {
        let key = (word, width);
        if let Some(known) = self.words.get(&key) {
            return known.clone();
        }
        let solved = self.solved;
        let found = Rc::new(self.in_bytes(solved.located(&key.0), width));
        self.words.insert(key, found.clone());
        found
    }

    /// The set of each used slot class that overlaps `width` bytes at these locations.
    fn in_bytes(
        &mut self,
        locations: impl Iterator<Item = Location>,
        width: u64,
    ) -> BTreeSet<Rc<Set>> {
        let system = &self.extraction.system;
        let mut found = BTreeSet::new();
        for at in locations {
            if system.extent(at.object).writable {
                found.extend(self.in_slots(at.object, &system.slots(at, width)));
            }
        }
        found
    }

    /// The sets of the used slot classes that hold addresses and overlap one of `slots`. A word
    /// belongs to every slot class that overlaps it.
    fn in_slots(&mut self, object: Object, slots: &[Offset]) -> BTreeSet<Rc<Set>> {
        let memory = self.memory;
        let mut found = BTreeSet::new();
        for &(class, _) in memory.holding(object) {
            let is_used = |node: u32| self.used[node as usize];
            let touched = slots.iter().any(|slot| slot.overlaps(class));
            if touched && memory.known(object, class).is_none_or(is_used) {
                found.insert(self.contents(object, class));
            }
        }
        found
    }

    /// The heap objects that slot classes overlapping this one can point to.
    fn contents(&mut self, object: Object, slot: Offset) -> Rc<Set> {
        if let Some(known) = self.contents.get(&(object, slot)) {
            return known.clone();
        }
        let mut all = Set::new();
        for &(other, set) in self.memory.holding(object) {
            if other.overlaps(slot) {
                let heap = self.heap(set);
                all.union_with(&heap);
            }
        }
        let all = Rc::new(all);
        self.contents.insert((object, slot), all.clone());
        all
    }

    /// The heap objects in a set of the solution.
    fn heap(&mut self, set: u32) -> Rc<Set> {
        let places = &self.solved.sets[set as usize];
        if let Some(known) = self.heap.get(&Rc::as_ptr(places)) {
            return known.clone();
        }
        let members = places.meet(&self.heap_places);
        let members = self.solved.located(&members).map(|at| at.object.0);
        let heap: Rc<Set> = Rc::new(members.collect());
        self.heap.insert(Rc::as_ptr(places), heap.clone());
        heap
    }
}

/// Finds the instruction that makes a choice.
struct Reasons<'a> {
    program: &'a Program,
    instances: &'a [Instance],
    /// For each pointer, the first instruction that dereferences it.
    dereferences: FxHashMap<Node, InstId>,
}

impl<'a> Reasons<'a> {
    fn new(program: &'a Program, extraction: &'a Extraction) -> Self {
        let mut dereferences: FxHashMap<Node, InstId> = FxHashMap::default();
        for dereference in &extraction.dereferences {
            let at = dereferences
                .entry(dereference.pointer)
                .or_insert(dereference.inst);
            *at = dereference.inst.min(*at);
        }
        Self {
            program,
            instances: &extraction.instances,
            dereferences,
        }
    }

    /// The instruction that defines the node; for memory, the one that dereferences the choosing
    /// pointer.
    fn of(&self, node: u32, by: u32) -> Option<InstId> {
        let dereferenced = || self.dereferences.get(&Node(by)).copied();
        let defined = self.definition(node);
        defined
            .or_else(dereferenced)
            .or_else(|| self.definition(by))
    }

    fn definition(&self, node: u32) -> Option<InstId> {
        let instances = self.instances;
        let at = instances.partition_point(|instance| instance.first.0 <= node);
        let instance = instances.get(at.checked_sub(1)?)?;
        let function = self.program.function(instance.function);
        let reg = Reg(node - instance.first.0);
        let position = function
            .insts
            .iter()
            .position(|inst| inst.dst() == Some(reg))?;
        Some(InstId::new(function.first_inst.index() + position))
    }
}
