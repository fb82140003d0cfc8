//! The constraints of the points-to analysis as edges: wherever an address goes, its taints go.

use super::{Builder, Pointer};
use crate::taint::{Kind, Taint};
use plat_pointers::AbstractObject;
use plat_pointers::constraints::{BlockCopy, Call, Constraint, Fresh, Location, Node, Object};
use plat_pointers::offset::Offset;

/// Bytes of an address.
const ADDRESS: u64 = 8;

impl Builder<'_> {
    /// All of them, and the calls through pointers.
    pub(super) fn constraints(&mut self) {
        let system = &self.extraction.system;
        for constraint in &system.constraints {
            self.constraint(constraint);
        }
        for &(call, callable) in &self.solved.bound {
            let signature = &system.callables[callable.index()];
            self.bind(&system.calls[call as usize], signature);
        }
    }

    fn constraint(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Address { node, at } => self.origin(node, at.object),
            Constraint::Copy { from, to } | Constraint::Shift { from, to, .. } => {
                self.graph.edge(from.0, to.0, Kind::Flow);
            }
            Constraint::Load { pointer, width, to } => {
                let read = self.read(Pointer::Node(pointer), width);
                self.graph.edge(read, to.0, Kind::Flow);
                let kind = match width >= ADDRESS {
                    true => Kind::ReadAddress,
                    false => Kind::ReadBytes,
                };
                self.graph.edge(pointer.0, to.0, kind);
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                let written = self.written(Pointer::Node(pointer), width);
                self.graph.edge(from.0, written, Kind::Flow);
                let kind = match width >= ADDRESS && self.points(from.0) {
                    true => Kind::StoreAddress,
                    false => Kind::StoreBytes,
                };
                self.graph.edge(pointer.0, written, kind);
            }
            Constraint::Hold { at, width, from } => {
                self.memory.hold(&mut self.graph, at, width, from.0);
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => self.gather(pointer, |at| BlockCopy::gather(at, into, length)),
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                let at = self.locations(Pointer::Node(pointer)).into_iter();
                let copies = at.map(|at| BlockCopy::scatter(from, at, length));
                let kinds = [Kind::StoreBytes, Kind::StoreAddress];
                self.memory
                    .copy_through(&mut self.graph, pointer, kinds, copies);
            }
        }
    }

    fn gather(&mut self, pointer: Node, copy: impl Fn(Location) -> BlockCopy) {
        let copies = self.locations(Pointer::Node(pointer)).into_iter().map(copy);
        let kinds = [Kind::ReadBytes, Kind::ReadAddress];
        self.memory
            .copy_through(&mut self.graph, pointer, kinds, copies);
    }

    /// Input in objects that are there from the start; and what unknown code has got hold of.
    fn origin(&mut self, node: Node, object: Object) {
        match self.extraction.objects[object.index()] {
            AbstractObject::Arguments | AbstractObject::ArgumentText => {
                let source = self.memory.fresh();
                self.graph.seed(source, Taint::DATA);
                let at = Location::new(object, Offset::ANY);
                self.memory.hold(&mut self.graph, at, ADDRESS, source);
            }
            AbstractObject::External => {
                self.graph.seed(node.0, Taint::DATA);
                let others = self.locations(Pointer::Node(node));
                if others.iter().any(|at| at.object != object) {
                    let source = self.memory.fresh();
                    self.graph.seed(source, Taint::DATA);
                    self.graph.edge(source, node.0, Kind::Choose);
                }
            }
            _ => {}
        }
    }

    /// A call through a pointer, bound to a function that the pointer can point to.
    fn bind(&mut self, call: &Call, signature: &plat_pointers::constraints::Signature) {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            match (signature.parameters.get(position), signature.rest) {
                (Some(parameter), _) => match parameter.copy {
                    Some((into, size)) => {
                        self.gather(argument, |at| BlockCopy::gather(at, into, Some(size)));
                    }
                    None => self.graph.edge(argument.0, parameter.node.0, Kind::Flow),
                },
                (None, Some(rest)) => {
                    if call.by_value.iter().any(|(at, _)| *at as usize == position) {
                        self.gather(argument, |at| BlockCopy {
                            to: Offset::ANY,
                            ..BlockCopy::gather(at, rest, None)
                        });
                    } else {
                        let at = Location::new(rest, Offset::ANY);
                        self.memory.hold(&mut self.graph, at, ADDRESS, argument.0);
                    }
                }
                (None, None) => {}
            }
        }
        if let Some(result) = call.result {
            self.graph.edge(signature.result.0, result.0, Kind::Flow);
        }
        let old = call.arguments.first().copied().flatten();
        if let (Fresh::Reallocated, Some(into), Some(old)) = (signature.fresh, call.fresh, old) {
            self.gather(old, |at| BlockCopy::gather(at, into, None));
        }
    }
}
