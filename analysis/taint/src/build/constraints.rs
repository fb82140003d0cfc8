//! The points-to constraints as edges: taints of addresses flow with the addresses.

use super::memory::{Accessed, Key};
use super::{ALL, Builder, Pointer};
use crate::taint::{Kind, Taint};
use plat_pointers::AbstractObject;
use plat_pointers::constraints::{Call, Constraint, Fresh, Location, Node, Object, Offset};
use plat_pointers::solver::Set;
use plat_pointers::solver::shared_accesses::Accesses;
use plat_pointers::solver::shared_calls::{Passed, Passes};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bytes of an address.
const ADDRESS: u64 = 8;

impl Builder<'_> {
    /// Adds all constraints, and the calls through pointers.
    pub(super) fn constraints(&mut self) {
        let system = &self.extraction.system;
        for constraint in &system.constraints {
            if self.memory.is_spent() {
                return;
            }
            self.constraint(constraint);
        }
        let mut together: FxHashMap<*const Set, Rc<Set>> = FxHashMap::default();
        for (call, callees) in system.calls.iter().zip(&self.solved.bound) {
            if self.memory.is_spent() {
                return;
            }
            self.bind_all(call, callees, &mut together);
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Address { node, at } => self.origin(node, at.object),
            Constraint::Copy { from, to } | Constraint::Shift { from, to, .. } => {
                self.edge(from.0, to.0, Kind::Flow);
            }
            Constraint::Load { pointer, width, to } => {
                let read = self.read(Pointer::Node(pointer), width);
                self.edge(read, to.0, Kind::Flow);
                let kind = match width >= ADDRESS {
                    true => Kind::ReadAddress,
                    false => Kind::ReadBytes,
                };
                self.edge(pointer.0, to.0, kind);
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                let written = self.written(Pointer::Node(pointer), width);
                self.edge(from.0, written, Kind::Flow);
                let kind = match width >= ADDRESS && self.points(from.0) {
                    true => Kind::StoreAddress,
                    false => Kind::StoreBytes,
                };
                self.edge(pointer.0, written, kind);
            }
            Constraint::Hold { at, width, from } => {
                self.memory.hold(at, width, from.0);
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => self.gather(pointer, length, (into, Offset::ZERO)),
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => self.scatter(from, pointer, length),
        }
    }

    /// Reads a block. If the pointer is symbolic, it chooses all of the destination, also bytes of
    /// the source that were never written.
    fn gather(&mut self, pointer: Node, length: Option<u64>, (into, to): (Object, Offset)) {
        let places = self.solved.set(pointer);
        let all = places.len();
        self.memory
            .gather_through((places, all), length, (into, to));
        let width = length.unwrap_or(ALL);
        let block = Accessed::Locations(vec![Location::new(into, to)]);
        let written = self.memory.written(Key::Location(into, to), width, block);
        self.edge(pointer.0, written, Kind::ReadAddress);
    }

    /// Writes a block. If the pointer is symbolic, so is all memory that the block can overwrite.
    fn scatter(&mut self, from: Object, pointer: Node, length: Option<u64>) {
        let places = self.solved.set(pointer);
        self.memory
            .scatter_through((places, places.len()), length, from);
        let kind = match self.memory.holding(from).is_empty() {
            true => Kind::StoreBytes,
            false => Kind::StoreAddress,
        };
        self.stores_through(Pointer::Node(pointer), length.unwrap_or(ALL), kind);
    }

    /// Seeds input in the initial objects, and in objects reachable by unknown code.
    fn origin(&mut self, node: Node, object: Object) {
        match self.extraction.objects[object.index()] {
            AbstractObject::Arguments | AbstractObject::ArgumentText => {
                let source = self.memory.fresh();
                self.memory.graph.seed(source, Taint::DATA);
                let at = Location::new(object, Offset::ANY);
                self.memory.hold(at, ADDRESS, source);
            }
            AbstractObject::External => {
                self.memory.graph.seed(node.0, Taint::DATA);
                let others = self.locations(Pointer::Node(node));
                if others.iter().any(|at| at.object != object) {
                    let source = self.memory.fresh();
                    self.memory.graph.seed(source, Taint::DATA);
                    self.edge(source, node.0, Kind::Choose);
                }
            }
            _ => {}
        }
    }

    /// Binds a call through a pointer to the functions that it can point to. Functions to which
    /// arguments are simply passed share hubs, one for each set of functions.
    fn bind_all(
        &mut self,
        call: &Call,
        callees: &Rc<Set>,
        together: &mut FxHashMap<*const Set, Rc<Set>>,
    ) {
        let system = &self.extraction.system;
        let is_plain = |callee: u32| {
            let signature = &system.callables[callee as usize];
            let by_value = signature.parameters.iter().any(|one| one.copy.is_some());
            !by_value && signature.fresh != Fresh::Reallocated
        };
        let plain = match call.by_value.is_empty() {
            true => {
                let plain = || Rc::new(callees.iter().filter(|&one| is_plain(one)).collect());
                Rc::clone(together.entry(Rc::as_ptr(callees)).or_insert_with(plain))
            }
            false => Rc::default(),
        };
        let passed = Passed {
            arguments: &call.arguments,
            result: call.result,
        };
        self.memory.pass_to(&plain, passed);
        for callee in callees.minus(&plain).iter() {
            self.bind(call, &system.callables[callee as usize]);
        }
    }

    /// Binds a call through a pointer to one function that it can point to.
    fn bind(&mut self, call: &Call, signature: &plat_pointers::constraints::Signature) {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            match (signature.parameters.get(position), signature.rest) {
                (Some(parameter), _) => match parameter.copy {
                    Some((into, size)) => {
                        self.gather(argument, Some(size), (into, Offset::ZERO));
                    }
                    None => self.edge(argument.0, parameter.node.0, Kind::Flow),
                },
                (None, Some(rest)) => {
                    if call.by_value.iter().any(|(at, _)| *at as usize == position) {
                        self.gather(argument, None, (rest, Offset::ANY));
                    } else {
                        let at = Location::new(rest, Offset::ANY);
                        self.memory.hold(at, ADDRESS, argument.0);
                    }
                }
                (None, None) => {}
            }
        }
        if let Some(result) = call.result {
            self.edge(signature.result.0, result.0, Kind::Flow);
        }
        let old = call.arguments.first().copied().flatten();
        if let (Fresh::Reallocated, Some(into), Some(old)) = (signature.fresh, call.fresh, old) {
            self.gather(old, None, (into, Offset::ZERO));
        }
    }
}
