//! Builds the flow graph from a program, its constraints and their solution.
//!
//! The nodes are those of the constraint system (registers, results), followed by memory cells and
//! the groups of cells behind pointers ([`memory`]). Addresses flow along the constraints
//! ([`constraints`]), data through the instructions ([`instructions`]). Sources of input and
//! library functions with summaries are in [`library`].

mod constraints;
mod indirect;
mod instructions;
mod library;
pub mod memory;

use crate::taint::Kind;
use indirect::{Callees, DataHub};
use memory::{Accessed, Key, Memory};
use plat_pointers::AbstractObject;
use plat_pointers::constraints::{Location, Node, Object, Offset};
use plat_pointers::extract::{Extraction, Instance};
use plat_pointers::solver::{Limits, Set, Solved};
use plat_program::{ConstId, Constant, FuncId, InstId, Operand, Program};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// More bytes than any object has.
pub const ALL: u64 = 1 << 28;

/// The flow graph of a program with its memory; `None` if it exceeds the limits.
pub fn build<'a>(
    program: &'a Program,
    extraction: &'a Extraction,
    solved: &'a Solved,
    limits: &Limits,
) -> Option<Memory<'a>> {
    let globals = extraction.objects.iter().enumerate();
    let globals = globals.filter_map(|(at, object)| match object {
        AbstractObject::Global { name } => Some((name.as_str(), Object::new(at))),
        _ => None,
    });
    let mut builder = Builder {
        program,
        extraction,
        solved,
        globals: globals.collect(),
        memory: Memory::new(extraction, solved, limits),
        instances: extraction
            .instances
            .iter()
            .map(|one| ((one.function, one.context.as_slice()), one))
            .collect(),
        single: single(program, extraction),
        bound: FxHashMap::default(),
        callees_of: FxHashMap::default(),
        data_hubs: FxHashMap::default(),
        sites: extraction.sites.iter().copied().zip(0..).collect(),
    };
    builder.constraints();
    for (number, callees) in solved.bound.iter().enumerate() {
        if let Some(inst) = extraction.call_sites[number].filter(|_| !callees.is_empty()) {
            let all = builder.bound.entry(inst).or_default();
            if !all.iter().any(|other| Rc::ptr_eq(other, callees)) {
                all.push(Rc::clone(callees));
            }
        }
    }
    for instance in &extraction.instances {
        if builder.memory.is_spent() {
            return None;
        }
        builder.instance(instance);
    }
    (!builder.memory.is_spent()).then_some(builder.memory)
}

/// For each function its instance, if it has only one and that has no context.
fn single<'a>(program: &Program, extraction: &'a Extraction) -> Vec<Option<&'a Instance>> {
    let mut single = vec![None; program.functions.len()];
    for instance in &extraction.instances {
        if instance.context.is_empty() {
            single[instance.function.index()] = Some(instance);
        }
    }
    for instance in &extraction.instances {
        if !instance.context.is_empty() {
            single[instance.function.index()] = None;
        }
    }
    single
}

struct Builder<'a> {
    program: &'a Program,
    extraction: &'a Extraction,
    solved: &'a Solved,
    globals: FxHashMap<&'a str, Object>,
    memory: Memory<'a>,
    instances: FxHashMap<(FuncId, &'a [u32]), &'a Instance>,
    /// The only instance of each function, if it has no context.
    single: Vec<Option<&'a Instance>>,
    sites: FxHashMap<InstId, u32>,
    /// The callables of each call through a pointer, in each context of its function.
    bound: FxHashMap<InstId, Vec<Rc<Set>>>,
    /// The functions of each set of callables.
    callees_of: FxHashMap<*const Set, Rc<Callees>>,
    data_hubs: FxHashMap<(Set, usize), DataHub>,
}

/// A pointer as an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Pointer {
    /// A value.
    Node(Node),
    /// A constant.
    Constant(ConstId),
}

impl<'a> Builder<'a> {
    /// The node of an operand that is a register.
    fn node(instance: &Instance, operand: Operand) -> Option<u32> {
        operand.as_reg().map(|reg| instance.node(reg).0)
    }

    fn pointer(instance: &Instance, operand: Operand) -> Option<Pointer> {
        match (operand.as_reg(), operand.as_constant()) {
            (Some(reg), _) => Some(Pointer::Node(instance.node(reg))),
            (_, Some(constant)) => Some(Pointer::Constant(constant)),
            _ => None,
        }
    }

    /// The points-to set of a pointer.
    fn places(&self, pointer: Pointer) -> Accessed<'a> {
        match pointer {
            Pointer::Node(node) => Accessed::Set(self.solved.set(node)),
            Pointer::Constant(id) => Accessed::Locations(self.constant_locations(id, Offset::ZERO)),
        }
    }

    fn locations(&self, pointer: Pointer) -> Vec<Location> {
        match self.places(pointer) {
            Accessed::Set(set) => self.solved.located(set).collect(),
            Accessed::Locations(locations) => locations,
        }
    }

    fn constant_locations(&self, id: ConstId, by: Offset) -> Vec<Location> {
        match self.program.constant(id) {
            Constant::Global(global, offset) => {
                let name = self.program.global(*global).name.as_str();
                let at = |&object: &Object| Location::new(object, by.plus(Offset::exact(*offset)));
                self.globals.get(name).map(at).into_iter().collect()
            }
            Constant::Cast(_, _, _, value) => self.constant_locations(*value, by),
            Constant::Binary(_, _, lhs, rhs) => {
                let mut all = self.constant_locations(*lhs, Offset::ANY);
                all.extend(self.constant_locations(*rhs, Offset::ANY));
                all
            }
            _ => Vec::new(),
        }
    }

    /// The node for reads of `width` bytes through a pointer.
    fn read(&mut self, pointer: Pointer, width: u64) -> u32 {
        self.memory
            .read(self.key(pointer), width, self.places(pointer))
    }

    /// The node for writes of `width` bytes through a pointer.
    fn written(&mut self, pointer: Pointer, width: u64) -> u32 {
        self.memory
            .written(self.key(pointer), width, self.places(pointer))
    }

    fn key(&self, pointer: Pointer) -> Key {
        match pointer {
            Pointer::Node(node) => self.memory.key(node),
            Pointer::Constant(id) => Key::Constant(id),
        }
    }

    /// The influence of a symbolic pointer on the memory stored to through it.
    fn stores_through(&mut self, pointer: Pointer, width: u64, kind: Kind) {
        if let Pointer::Node(node) = pointer {
            let written = self.written(pointer, width);
            self.edge(node.0, written, kind);
        }
    }

    fn edge(&mut self, from: u32, to: u32, kind: Kind) {
        self.memory.graph.edge(from, to, kind);
    }

    fn points(&self, node: u32) -> bool {
        !self.solved.set(Node(node)).is_empty()
    }
}
