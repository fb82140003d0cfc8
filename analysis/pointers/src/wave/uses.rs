//! What is done with the locations of a pointer: loads, stores, block copies, calls.

use super::Wave;
use super::graph::Use;
use crate::constraints::{BlockCopy, Call, Fresh, Location, Node};
use crate::offset::Offset;
use crate::set::Set;

impl Wave<'_> {
    /// Lets loads, stores and other uses see the locations that are new in a pointer.
    pub(super) fn resolve(&mut self, node: u32) {
        let vertex = &mut self.vertices[node as usize];
        let pending = std::mem::take(&mut vertex.pending);
        let (loads, stores) = (vertex.loads.clone(), vertex.stores.clone());
        let uses = vertex.uses.clone();
        for place in pending.iter() {
            if self.is_spent() {
                return;
            }
            let at = self.places.location(place);
            for &(width, loaded) in &loads {
                for slot in self.system.slots(at, width) {
                    let cell = self.cells.read(at.object, slot);
                    self.connect_cells();
                    self.copy_edge(cell.0, loaded);
                }
            }
            let writable = self.system.extent(at.object).writable;
            for &(width, stored) in stores.iter().filter(|_| writable) {
                for slot in self.system.slots(at, width) {
                    let cell = self.cells.written(at.object, slot);
                    self.connect_cells();
                    self.copy_edge(stored, cell.0);
                }
            }
            for &how in &uses {
                self.see(how, at);
            }
        }
    }

    pub(super) fn see(&mut self, how: Use, at: Location) {
        match how {
            Use::Gather { into, length } => self.copy_block(BlockCopy::gather(at, into, length)),
            Use::GatherRest { into } => {
                let copy = BlockCopy::gather(at, into, None);
                self.copy_block(BlockCopy {
                    to: Offset::ANY,
                    ..copy
                });
            }
            Use::Scatter { from, length } => self.copy_block(BlockCopy::scatter(from, at, length)),
            Use::Receive { fresh } => {
                let block = self.places.number(Location::new(fresh, Offset::ZERO));
                if self.system.extent(at.object).writable {
                    for slot in self.system.slots(at, 8) {
                        let cell = self.cells.written(at.object, slot);
                        self.connect_cells();
                        self.absorb(cell.0, &Set::from_iter([block]));
                    }
                }
            }
            Use::Call(call) => self.bind(call, at),
        }
    }

    fn copy_block(&mut self, copy: BlockCopy) {
        self.cells.copy(self.system, copy);
        self.connect_cells();
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
