//! What is done with the locations of a pointer: loads, stores, block copies, calls.

use super::Wave;
use super::graph::Use;
use crate::constraints::{Call, Fresh, Location, Node, Object};
use crate::hubs::Accesses;
use crate::offset::Offset;
use crate::set::Set;

impl Wave<'_> {
    /// Lets loads, stores and other uses see the locations that are new in a pointer.
    pub(super) fn resolve(&mut self, node: u32) {
        let vertex = &mut self.vertices[node as usize];
        let pending = std::mem::take(&mut vertex.pending);
        let (loads, stores) = (vertex.loads.clone(), vertex.stores.clone());
        let uses = vertex.uses.clone();
        for &(width, loaded) in &loads {
            self.load_from(&pending, width, loaded);
        }
        for &(width, stored) in &stores {
            self.store_to(&pending, width, stored);
        }
        for &how in &uses {
            if self.is_spent() {
                return;
            }
            self.see(how, &pending);
        }
    }

    fn see(&mut self, how: Use, pending: &Set) {
        match how {
            Use::Gather { into, length } => {
                self.gather_from(pending, length, (into, Offset::ZERO));
            }
            Use::GatherRest { into } => self.gather_from(pending, None, (into, Offset::ANY)),
            Use::Scatter { from, length } => self.scatter_to(pending, length, from),
            Use::Receive { fresh } => {
                for place in pending.iter() {
                    self.receive(self.places.location(place), fresh);
                }
            }
            Use::Call(call) => {
                for place in pending.iter() {
                    self.bind(call, self.places.location(place));
                }
            }
        }
    }

    /// Lets `at` hold the address of `fresh`.
    fn receive(&mut self, at: Location, fresh: Object) {
        let block = self.places.number(Location::new(fresh, Offset::ZERO));
        if self.system.extent(at.object).writable {
            for slot in self.system.slots(at, 8) {
                let cell = self.cells.written(at.object, slot);
                self.connect_cells();
                self.absorb(cell.0, &Set::from_iter([block]));
            }
        }
    }

    /// Binds a call through a pointer to a function that the pointer can point to.
    fn bind(&mut self, number: u32, at: Location) {
        let system = self.system;
        let call = &system.calls[number as usize];
        let Some(callable) = system.called(call, at.object) else {
            return;
        };
        if !self.bound.insert((number, callable)) {
            return;
        }
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
        let block = Location::new(fresh, Offset::ZERO);
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
}
