//! Calls through pointers: arguments to parameters, results back, and what is allocated.

use super::Wave;
use super::graph::Use;
use crate::constraints::{Call, Callable, Fresh, Location, Node, Offset};
use crate::solver::set::Set;
use crate::solver::shared_accesses::Accesses;
use crate::solver::shared_calls::{CallHubs, Passed, Passes};
use std::rc::Rc;

impl<'a> Passes<'a> for Wave<'a> {
    fn call_hubs(&mut self) -> &mut CallHubs {
        &mut self.call_hubs
    }

    fn pass(&mut self, callee: Callable, passed: Passed<'_>) {
        self.pass_by_value(callee, passed, &[]);
    }
}

impl Wave<'_> {
    /// Binds a call through a pointer to the functions at `places`.
    pub(super) fn call_to(&mut self, places: &Rc<Set>, number: u32) {
        let system = self.system;
        let call = &system.calls[number as usize];
        let located = &self.places;
        let callees = self
            .bindings
            .of(system, call, places, |place| located.location(place));
        let bound = &mut self.bound[number as usize];
        let new = match bound.is_empty() {
            true => Rc::clone(&callees),
            false => Rc::new(callees.minus(bound)),
        };
        if new.is_empty() {
            return;
        }
        self.unions.unite(bound, &new);
        if call.fresh.is_some() {
            for callee in new.iter() {
                self.allocate(call, system.callables[callee as usize].fresh);
            }
        }
        let passed = Passed {
            arguments: &call.arguments,
            result: call.result,
        };
        if call.by_value.is_empty() {
            return self.pass_to(&new, passed);
        }
        for callee in new.iter() {
            self.pass_by_value(Callable(callee), passed, &call.by_value);
        }
    }

    /// Passes arguments to a function, and its result back. `by_value` has the positions of
    /// arguments passed by value, and their sizes.
    fn pass_by_value(&mut self, callee: Callable, passed: Passed<'_>, by_value: &[(u32, u64)]) {
        let signature = &self.system.callables[callee.index()];
        for (position, argument) in passed.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            match (signature.parameters.get(position), signature.rest) {
                (Some(parameter), _) => match parameter.copy {
                    Some((into, size)) => {
                        let length = Some(size);
                        self.use_by(argument.0, Use::Gather { into, length });
                    }
                    None => self.copy_edge(argument.0, parameter.node.0),
                },
                (None, Some(rest)) => {
                    if by_value.iter().any(|(at, _)| *at as usize == position) {
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
        if let Some(result) = passed.result {
            self.copy_edge(signature.result.0, result.0);
        }
    }

    fn allocate(&mut self, call: &Call, how: Fresh) {
        let Some(fresh) = call.fresh else { return };
        let block = Location::new(fresh, Offset::ZERO);
        let returned = matches!(how, Fresh::Returned | Fresh::Reallocated);
        if let (true, Some(Node(result))) = (returned, call.result) {
            self.absorb_one(result, block);
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
