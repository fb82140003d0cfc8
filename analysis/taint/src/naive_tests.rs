//! The flow graph against a naive definition, on random constraint systems: the rules for taints
//! and uses are iterated to a fixed point, without hubs, cell by cell, and choices word by word.

use crate::Taint;
use crate::build::build;
use crate::choices::{classes, found};
use crate::taint::{Class, Kind};
use fastrand::Rng;
use plat_pointers::AbstractObject;
use plat_pointers::constraints::Offset;
use plat_pointers::constraints::{
    BlockCopy, Call, Callable, Constraint, Extent, Fresh, Kinds, Location, Node, Object, Signature,
    System,
};
use plat_pointers::definition::Solution;
use plat_pointers::definition::naive;
use plat_pointers::extract::{Dereference, Extraction};
use plat_pointers::solver::Limits;
use plat_pointers::solver::Set;
use plat_pointers::solver::Solved;
use plat_pointers::solver::wave;
use plat_program::{FuncId, InstId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// Objects 0 and 1 are input and unknown code, 2 is a global, the others are heap objects.
const OBJECTS: u32 = 9;
/// How many words of an object are checked: more than the largest has, as strides repeat.
const WORDS: i64 = 12;

fn location(random: &mut Rng) -> Location {
    let offsets = [
        Offset::ZERO,
        Offset::ZERO,
        Offset::exact(8),
        Offset::exact(16),
        Offset::strided(16, 8),
        Offset::strided(24, 0),
        Offset::ANY,
    ];
    Location::new(
        Object(random.u32(..OBJECTS)),
        random.choice(offsets).unwrap(),
    )
}

fn constraint(random: &mut Rng, nodes: u32) -> Constraint {
    let [a, b] = [0; 2].map(|_| Node(random.u32(..nodes)));
    let width = random.choice([8, 8, 4, 1, 16]).unwrap();
    let length = random.choice([None, Some(8), Some(16), Some(24)]).unwrap();
    let object = Object(2 + random.u32(..OBJECTS - 2));
    match random.u32(..15) {
        0..=4 => Constraint::Address {
            node: a,
            at: location(random),
        },
        5..=6 => Constraint::Copy { from: a, to: b },
        7..=8 => Constraint::Load {
            pointer: a,
            width,
            to: b,
        },
        9..=10 => Constraint::Store {
            pointer: a,
            width,
            from: b,
        },
        11 => Constraint::Hold {
            at: Location::new(object, Offset::exact(8)),
            width,
            from: a,
        },
        12 => Constraint::Gather {
            pointer: a,
            into: object,
            length,
        },
        _ => Constraint::Scatter {
            from: object,
            pointer: a,
            length,
        },
    }
}

/// A random system, its seeds of taint and its dereferences.
fn drawn(seed: u64) -> (Extraction, Vec<(Node, Taint)>) {
    let mut random = Rng::with_seed(seed);
    let nodes = 4 + random.u32(..16);
    let mut system = System::new(64);
    system.nodes = nodes;
    for _ in 0..OBJECTS {
        let size = random.choice([None, Some(8), Some(24), Some(40)]).unwrap();
        let mut extent = Extent::memory(size);
        extent.writable = random.u32(..8) != 0;
        system.object(extent);
    }
    for _ in 0..nodes + random.u32(..2 * nodes) {
        let constraint = constraint(&mut random, nodes);
        system.constraints.push(constraint);
    }
    // A function, and its instance for the only call; the function may also be called directly.
    let node = |random: &mut Rng| Node(random.u32(..nodes));
    for rest in [3, 5] {
        system.callables.push(Signature {
            parameters: Vec::new(),
            result: node(&mut random),
            rest: Some(Object(rest)),
            fresh: Fresh::Reallocated,
            needs: 0,
            returns: true,
            kinds: Kinds::default(),
        });
    }
    let functions = [0, 1].map(|at| system.object(Extent::code(Callable(at))));
    let own = random.bool();
    for function in &functions[..1 + random.usize(..2)] {
        system.constraints.push(Constraint::Address {
            node: Node(0),
            at: Location::new(*function, Offset::ZERO),
        });
    }
    system.calls.push(Call {
        callee: Node(0),
        arguments: vec![Some(node(&mut random)), Some(node(&mut random))],
        by_value: vec![(1, 16)],
        result: Some(node(&mut random)),
        fresh: Some(Object(4)),
        expects: false,
        kinds: Kinds::default(),
        own: Vec::from_iter(own.then_some((Callable(0), Callable(1)))),
    });
    let taints = [Taint::DATA, Taint::OFFSET, Taint::OFFSET, Taint::CHOICE];
    let seeds =
        (0..1 + random.u32(..3)).map(|_| (node(&mut random), random.choice(taints).unwrap()));
    let seeds = seeds.collect();
    let pointers = (0..1 + nodes / 4).map(|_| node(&mut random));
    let dereferences = pointers.map(|pointer| Dereference {
        inst: InstId(0),
        operand: 0,
        pointer,
    });
    let dereferences = dereferences.collect();
    let objects = (0..OBJECTS).map(|at| match at {
        0 => AbstractObject::ArgumentText,
        1 => AbstractObject::External,
        2 => AbstractObject::Global { name: "g".into() },
        _ => AbstractObject::Heap { chain: vec![at] },
    });
    let functions = ["f", "g"].map(|name| AbstractObject::Function { name: name.into() });
    let extraction = Extraction {
        system,
        objects: objects.chain(functions).collect(),
        sites: Vec::new(),
        instances: Vec::new(),
        dereferences,
        call_sites: vec![None],
        callable_functions: vec![FuncId(0), FuncId(1)],
        constants: Default::default(),
        direct_calls: Default::default(),
        summarised: Default::default(),
        unknown: Default::default(),
        entered: Default::default(),
        expected: Vec::new(),
        allocated: Default::default(),
    };
    (extraction, seeds)
}

/// The naive definition.
struct Definition<'a> {
    system: &'a System,
    objects: &'a [AbstractObject],
    solution: &'a Solution,
    taints: Vec<Taint>,
    cells: BTreeMap<(Object, Offset), Taint>,
    used: Vec<bool>,
    used_cells: BTreeSet<(Object, Offset)>,
    /// Words at which a choice is made.
    words: BTreeSet<(Object, i64)>,
    /// Nodes at which a choice is made.
    chosen: BTreeSet<Node>,
    changed: bool,
}

impl Definition<'_> {
    fn set(&self, node: Node) -> Vec<Location> {
        self.solution.sets[node.index()].iter().copied().collect()
    }

    fn holding(&self, object: Object) -> Vec<Offset> {
        let slots = self.solution.memory.get(&object);
        slots.into_iter().flatten().map(|(slot, _)| *slot).collect()
    }

    fn taint_node(&mut self, node: Node, kind: Kind, taint: Taint) {
        let class = match self.solution.sets[node.index()].is_empty() {
            true => Class::Number,
            false => Class::Either,
        };
        let passed = kind.pass(taint, class);
        if kind.chooses() && passed.has(Taint::CHOICE) {
            self.chosen.insert(node);
        }
        self.changed |= !self.taints[node.index()].has(passed);
        self.taints[node.index()] |= passed;
    }

    fn taint_cell(&mut self, (object, slot): (Object, Offset), kind: Kind, taint: Taint) -> bool {
        let holds = self.holding(object).iter().any(|one| one.overlaps(slot));
        let passed = kind.pass(taint, if holds { Class::Either } else { Class::Number });
        let cell = self.cells.entry((object, slot)).or_default();
        self.changed |= !cell.has(passed);
        *cell |= passed;
        kind.chooses() && passed.has(Taint::CHOICE)
    }

    /// A pointer with this taint chooses the words of a slot class that are also in one of `among`.
    fn decide(&mut self, cell: (Object, Offset), kind: Kind, taint: Taint, among: &[Offset]) {
        if self.taint_cell(cell, kind, taint) {
            let covers = |word: i64| {
                let word = Offset::exact(word);
                cell.1.covers(word) && among.iter().any(|slot| slot.covers(word))
            };
            let words = (0..WORDS).filter(|&word| covers(word));
            self.words.extend(words.map(|word| (cell.0, word)));
        }
    }

    fn use_node(&mut self, node: Node) {
        self.changed |= !std::mem::replace(&mut self.used[node.index()], true);
    }

    fn use_cell(&mut self, object: Object, slot: Offset) {
        self.changed |= self.used_cells.insert((object, slot));
    }

    /// The cells that hold addresses or taints.
    fn known(&self, object: Object) -> Vec<Offset> {
        let tainted = self.cells.keys().filter(|cell| cell.0 == object);
        let all = tainted.map(|cell| cell.1).chain(self.holding(object));
        all.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn flow(&mut self, from: Node, to: Node) {
        self.taint_node(to, Kind::Flow, self.taints[from.index()]);
        if self.used[to.index()] {
            self.use_node(from);
        }
    }

    fn hold(&mut self, at: Location, width: u64, from: Node) {
        for slot in self.system.slots(at, width) {
            let taint = self.taints[from.index()];
            self.taint_cell((at.object, slot), Kind::Flow, taint);
            if self.used_cells.contains(&(at.object, slot)) {
                self.use_node(from);
            }
        }
    }

    fn copy(&mut self, copy: BlockCopy, pointer: Node, reads: bool) {
        let (system, taint) = (self.system, self.taints[pointer.index()]);
        let target = system.extent(copy.target);
        if !system.extent(copy.source).holds || !target.holds || !target.writable {
            return;
        }
        for slot in self.known(copy.source) {
            for image in copy.image(system, slot) {
                let held = self.cells.get(&(copy.source, slot)).copied();
                self.taint_cell((copy.target, image), Kind::Flow, held.unwrap_or_default());
                if self.used_cells.contains(&(copy.target, image)) {
                    self.use_cell(copy.source, slot);
                }
            }
        }
        let [bytes, addresses] = match reads {
            true => [Kind::ReadBytes, Kind::ReadAddress],
            false => [Kind::StoreBytes, Kind::StoreAddress],
        };
        let held = self.holding(copy.source).into_iter();
        let images: Vec<Offset> = held.flat_map(|slot| copy.image(system, slot)).collect();
        let block = Location::new(copy.target, copy.to);
        for slot in system.slots(block, copy.length.unwrap_or(1 << 20)) {
            self.taint_cell((copy.target, slot), bytes, taint);
            if images.iter().any(|image| image.overlaps(slot)) {
                self.decide((copy.target, slot), addresses, taint, &images);
            }
        }
    }

    fn gather(&mut self, pointer: Node, into: Object, to: Offset, length: Option<u64>) {
        for at in self.set(pointer) {
            let copy = BlockCopy::gather(at, into, length);
            self.copy(BlockCopy { to, ..copy }, pointer, true);
        }
    }

    fn address(&mut self, node: Node, object: Object) {
        match self.objects[object.index()] {
            AbstractObject::ArgumentText => {
                let at = Location::new(object, Offset::ANY);
                for slot in self.system.slots(at, 8) {
                    self.taint_cell((object, slot), Kind::Flow, Taint::DATA);
                }
            }
            AbstractObject::External => {
                self.taint_node(node, Kind::Flow, Taint::DATA);
                if self.set(node).iter().any(|at| at.object != object) {
                    self.taint_node(node, Kind::Choose, Taint::DATA);
                }
            }
            _ => {}
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Address { node, at } => self.address(node, at.object),
            Constraint::Copy { from, to } | Constraint::Shift { from, to, .. } => {
                self.flow(from, to);
            }
            Constraint::Load { pointer, width, to } => {
                for at in self.set(pointer) {
                    for read in self.system.slots(at, width) {
                        for slot in self.known(at.object) {
                            if slot.overlaps(read) {
                                let held = self.cells.get(&(at.object, slot)).copied();
                                self.taint_node(to, Kind::Flow, held.unwrap_or_default());
                                if self.used[to.index()] {
                                    self.use_cell(at.object, slot);
                                }
                            }
                        }
                    }
                }
                let wide = width >= 8;
                let kind = if wide {
                    Kind::ReadAddress
                } else {
                    Kind::ReadBytes
                };
                self.taint_node(to, kind, self.taints[pointer.index()]);
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                let address = width >= 8 && !self.set(from).is_empty();
                let kind = if address {
                    Kind::StoreAddress
                } else {
                    Kind::StoreBytes
                };
                for at in self.set(pointer) {
                    if self.system.extent(at.object).writable {
                        self.hold(at, width, from);
                        for slot in self.system.slots(at, width) {
                            let taint = self.taints[pointer.index()];
                            self.decide((at.object, slot), kind, taint, &[slot]);
                        }
                    }
                }
            }
            Constraint::Hold { at, width, from } => self.hold(at, width, from),
            Constraint::Gather {
                pointer,
                into,
                length,
            } => self.gather(pointer, into, Offset::ZERO, length),
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                for at in self.set(pointer) {
                    self.copy(BlockCopy::scatter(from, at, length), pointer, false);
                }
            }
        }
    }

    /// The only call, to each function that it can call.
    fn call(&mut self) {
        for &(_, callable) in &self.solution.bound {
            let (call, signature) = (
                &self.system.calls[0],
                &self.system.callables[callable.index()],
            );
            let old = call.arguments[0].expect("an argument");
            let by_value = call.arguments[1].expect("one more");
            let rest = signature.rest.expect("further arguments");
            self.hold(Location::new(rest, Offset::ANY), 8, old);
            self.gather(by_value, rest, Offset::ANY, None);
            self.flow(signature.result, call.result.expect("a result"));
            self.gather(old, Object(4), Offset::ZERO, None);
        }
    }

    fn heap<'a>(&self, held: impl Iterator<Item = &'a Location>) -> BTreeSet<u32> {
        let objects = held.map(|at| at.object);
        let heap = objects.filter(|object| (3..OBJECTS).contains(&object.0));
        heap.map(|object| object.0).collect()
    }

    /// The sets of choices that are used.
    fn choices(&self) -> BTreeSet<BTreeSet<u32>> {
        let mut sets = BTreeSet::new();
        for node in self.chosen.iter().filter(|node| self.used[node.index()]) {
            sets.insert(self.heap(self.solution.sets[node.index()].iter()));
        }
        for &(object, word) in &self.words {
            let slots = self.solution.memory.get(&object).into_iter().flatten();
            let slots = slots.filter(|(slot, _)| slot.covers(Offset::exact(word)));
            let slots: Vec<_> = slots.collect();
            let is_used = |slot: Offset| self.used_cells.contains(&(object, slot));
            if slots.iter().any(|(slot, _)| is_used(**slot)) {
                sets.insert(self.heap(slots.iter().flat_map(|(_, held)| held.iter())));
            }
        }
        sets.remove(&BTreeSet::new());
        sets
    }
}

fn defined(extraction: &Extraction, solution: &Solution, seeds: &[(Node, Taint)]) -> Found {
    let mut definition = Definition {
        system: &extraction.system,
        objects: &extraction.objects,
        solution,
        taints: vec![Taint::NONE; extraction.system.nodes as usize],
        cells: BTreeMap::new(),
        used: vec![false; extraction.system.nodes as usize],
        used_cells: BTreeSet::new(),
        words: BTreeSet::new(),
        chosen: BTreeSet::new(),
        changed: true,
    };
    for &(node, taint) in seeds {
        definition.taints[node.index()] |= taint;
    }
    for dereference in &extraction.dereferences {
        definition.use_node(dereference.pointer);
    }
    while std::mem::take(&mut definition.changed) {
        for constraint in &extraction.system.constraints {
            definition.constraint(constraint);
        }
        definition.call();
    }
    Found {
        groups: groups(definition.choices()),
        taints: definition.taints,
    }
}

#[derive(PartialEq, Debug)]
struct Found {
    taints: Vec<Taint>,
    /// For each grouped heap object, the least one of its group.
    groups: BTreeMap<u32, u32>,
}

/// The groups that result from uniting sets.
fn groups(sets: BTreeSet<BTreeSet<u32>>) -> BTreeMap<u32, u32> {
    let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
    for set in sets {
        let known = set
            .iter()
            .map(|object| *groups.get(object).unwrap_or(object));
        let (known, least) = (known.clone().collect::<BTreeSet<_>>(), known.min());
        let Some(least) = least else { continue };
        for &object in &set {
            groups.entry(object).or_insert(least);
        }
        let joined = groups.values_mut().filter(|group| known.contains(group));
        joined.for_each(|group| *group = least);
    }
    groups
}

fn by_graph(
    extraction: &Extraction,
    solved: &Solved,
    limits: &Limits,
    seeds: &[(Node, Taint)],
) -> Found {
    let program = Program::default();
    let mut memory = build(&program, extraction, solved, limits).expect("no bound");
    for &(node, taint) in seeds {
        memory.graph.seed(node.0, taint);
    }
    let classes = classes(&program, extraction, solved, &memory);
    let taints = memory.graph.solve(&classes);
    let nodes = 0..extraction.system.nodes;
    let taints = nodes.map(|node| taints[memory.graph.find(node) as usize]);
    let choices = found(&program, extraction, solved, &memory);
    let members = |set: &Set| set.iter().collect();
    Found {
        taints: taints.collect(),
        groups: groups(choices.0.keys().map(members).collect()),
    }
}

/// The graph taints and unites all that the definition does; in most cases no more.
#[test]
fn the_graph_finds_all_that_the_definition_does() {
    let (mut chosen, mut equal, mut all) = (0, 0, 0);
    for seed in 0..4000 {
        let (extraction, mut seeds) = drawn(seed);
        let solution = naive::solve(&extraction.system);
        for (node, taint) in &mut seeds {
            // A node with an empty points-to set is a number.
            if solution.sets[node.index()].is_empty() {
                *taint = Taint::DATA;
            }
        }
        let expected = defined(&extraction, &solution, &seeds);
        let plain = Solved::from_plain(&extraction.system, &solution);
        let solved = wave::solve(&extraction.system);
        let coarse = |most_copied| Limits {
            most_copied,
            ..Limits::NONE
        };
        let ways = [
            (&plain, Limits::NONE),
            (&solved, Limits::NONE),
            (&solved, coarse(1)),
            (&plain, coarse(0)),
        ];
        for (how, (solved, limits)) in ways.iter().enumerate() {
            let result = by_graph(&extraction, solved, limits, &seeds);
            let why = || format!("seed {seed}, solution {how}\n{}", extraction.system);
            for (node, (got, taint)) in result.taints.iter().zip(&expected.taints).enumerate() {
                assert!(got.has(*taint), "n{node}: {got:?}, {taint:?}, {}", why());
            }
            for (object, group) in &expected.groups {
                let joined = result.groups.contains_key(object);
                assert!(joined, "o{object} alone, {}", why());
                assert_eq!(
                    result.groups[object],
                    result.groups[group],
                    "o{object} o{group}, {}",
                    why()
                );
            }
            if *limits == Limits::NONE {
                equal += usize::from(result == expected);
                all += 1;
            }
        }
        chosen += usize::from(!expected.groups.is_empty());
    }
    assert!(chosen > 500, "{chosen}");
    assert!(equal * 10 > all * 8, "{equal} of {all}");
}
