//! Calls through pointers: arguments to parameters, results back, and what is allocated.
//!
//! Calls with the same number of arguments through pointers to the same functions share edges, as
//! loads and stores do ([`crate::hubs`]).

use super::Wave;
use super::graph::Use;
use crate::constraints::{Call, Callable, Fresh, Location, Node};
use crate::hubs::{Accesses, LEAST, fill};
use crate::offset::Offset;
use crate::set::Set;
use rustc_hash::FxHashMap;

/// The hubs of calls, by the number of arguments and the functions.
#[derive(Default)]
pub(super) struct CallHubs(FxHashMap<usize, FxHashMap<Set, CallHub>>);

/// What collects the arguments of calls of the same functions, and hands out their results.
#[derive(Clone, Debug)]
struct CallHub {
    arguments: Vec<Option<Node>>,
    result: Node,
}

/// What a call passes.
#[derive(Clone, Copy)]
struct Passed<'a> {
    arguments: &'a [Option<Node>],
    /// The positions of arguments passed by value, and their sizes.
    by_value: &'a [(u32, u64)],
    result: Option<Node>,
}

impl Wave<'_> {
    /// Binds a call through a pointer to the functions at `places`.
    pub(super) fn call_to(&mut self, places: &Set, number: u32) {
        let system = self.system;
        let call = &system.calls[number as usize];
        let mut callees: Vec<u32> = Vec::new();
        for place in places.iter() {
            let object = self.places.location(place).object;
            if let Some(callee) = system.called(call, object)
                && self.bound.insert((number, callee))
            {
                callees.push(callee.0);
            }
        }
        for &callee in &callees {
            self.allocate(call, system.callables[callee as usize].fresh);
        }
        let passed = Passed {
            arguments: &call.arguments,
            by_value: &call.by_value,
            result: call.result,
        };
        self.pass_to(&Set::from_iter(callees), passed);
    }

    /// Passes arguments to a function, and its result back.
    fn pass(&mut self, callee: Callable, passed: Passed<'_>) {
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
                    let mut blocks = passed.by_value.iter();
                    if blocks.any(|(at, _)| *at as usize == position) {
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

    /// Passes arguments to the functions of a set, and their results back. All that a hub knows of a
    /// call is the number of its arguments: with arguments by value, a call has none.
    fn pass_to(&mut self, callees: &Set, passed: Passed<'_>) {
        if callees.len() < LEAST || !passed.by_value.is_empty() {
            for callee in callees.iter() {
                self.pass(Callable(callee), passed);
            }
            return;
        }
        let hub = self.call_hub(callees, passed.arguments.len());
        for (from, to) in passed.arguments.iter().zip(&hub.arguments) {
            if let (Some(from), Some(to)) = (from, to) {
                self.copy_edge(from.0, to.0);
            }
        }
        if let Some(result) = passed.result {
            self.copy_edge(hub.result.0, result.0);
        }
    }

    fn call_hub(&mut self, callees: &Set, count: usize) -> CallHub {
        let known = self
            .call_hubs
            .0
            .get(&count)
            .and_then(|hubs| hubs.get(callees));
        if let Some(hub) = known {
            return hub.clone();
        }
        let hub = CallHub {
            arguments: (0..count).map(|_| Some(self.cells.fresh())).collect(),
            result: self.cells.fresh(),
        };
        self.connect_cells();
        let hubs = self.call_hubs.0.entry(count).or_default();
        hubs.insert(callees.clone(), hub.clone());
        let passed = Passed {
            arguments: &hub.arguments,
            by_value: &[],
            result: Some(hub.result),
        };
        fill(self, callees, |wave, part| wave.pass_to(part, passed));
        hub
    }
}
