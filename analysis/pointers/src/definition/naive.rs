//! The definition: apply every rule to every constraint until nothing changes.
//!
//! No cycle elimination, no differences, no worklist: slow, and short enough to be read next to
//! the rules in [`crate::constraints`], and to that for cycles of steps in [`crate::definition::widening`]. The
//! other solvers are compared with it.

use crate::constraints::{
    BlockCopy, Call, Callable, Constraint, Fresh, Location, Node, Object, Offset, Signature, System,
};
use crate::definition::solution::{Memory, Solution};
use crate::definition::widening::{self, Moduli};
use std::collections::{BTreeMap, BTreeSet};

/// The least solution of `system`.
pub fn solve(system: &System) -> Solution {
    widening::least(system, |moduli| under(system, moduli)).0
}

/// The least solution of which each node takes offsets modulo its number.
///
/// # Errors
/// Coarser moduli, if the solution asks for them.
pub fn under(system: &System, moduli: &Moduli) -> Result<Solution, Moduli> {
    let mut state = State {
        system,
        moduli,
        sets: vec![BTreeSet::new(); system.nodes as usize],
        memory: Memory::new(),
        bound: BTreeSet::new(),
        changed: true,
    };
    while std::mem::take(&mut state.changed) {
        for constraint in &system.constraints {
            state.apply(constraint);
        }
        for (at, call) in system.calls.iter().enumerate() {
            state.call(at, call);
        }
        widening::check_moduli(system, (&state.sets, &state.bound), moduli)?;
    }
    Ok(Solution {
        sets: state.sets,
        memory: state.memory,
        bound: state.bound,
    })
}

struct State<'a> {
    system: &'a System,
    moduli: &'a Moduli,
    sets: Vec<BTreeSet<Location>>,
    memory: Memory,
    bound: BTreeSet<(u32, Callable)>,
    changed: bool,
}

impl State<'_> {
    fn locations(&self, node: Node) -> Vec<Location> {
        self.sets[node.index()].iter().copied().collect()
    }

    fn include(&mut self, node: Node, locations: impl IntoIterator<Item = Location>) {
        for at in locations {
            let at = self.moduli.taken(self.system, node, at);
            self.changed |= self.sets[node.index()].insert(at);
        }
    }

    fn write(&mut self, object: Object, slot: Offset, values: &[Location]) {
        for &value in values {
            let slots: &mut BTreeMap<_, BTreeSet<Location>> =
                self.memory.entry(object).or_default();
            self.changed |= slots.entry(slot).or_default().insert(value);
        }
    }

    fn read(&self, object: Object, slot: Offset) -> BTreeSet<Location> {
        let slots = self.memory.get(&object);
        let overlapping = slots
            .into_iter()
            .flatten()
            .filter(|(at, _)| at.overlaps(slot));
        overlapping
            .flat_map(|(_, values)| values.iter().copied())
            .collect()
    }

    fn copy_block(&mut self, copy: BlockCopy) {
        for (slot, values) in self.memory.get(&copy.source).cloned().unwrap_or_default() {
            let values: Vec<Location> = values.into_iter().collect();
            for image in copy.image(self.system, slot) {
                self.write(copy.target, image, &values);
            }
        }
    }

    fn apply(&mut self, constraint: &Constraint) {
        match *constraint {
            Constraint::Address { node, at } => self.include(node, [at]),
            Constraint::Copy { from, to } => self.include(to, self.locations(from)),
            Constraint::Shift { from, step, to } => {
                for at in self.locations(from) {
                    self.include(to, self.system.displaced(at, step));
                }
            }
            Constraint::Load { pointer, width, to } => {
                for at in self.locations(pointer) {
                    for slot in self.system.slots(at, width) {
                        self.include(to, self.read(at.object, slot));
                    }
                }
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                let values = self.locations(from);
                for at in self.locations(pointer) {
                    if self.system.extent(at.object).writable {
                        for slot in self.system.slots(at, width) {
                            self.write(at.object, slot, &values);
                        }
                    }
                }
            }
            Constraint::Hold { at, width, from } => {
                let values = self.locations(from);
                for slot in self.system.slots(at, width) {
                    self.write(at.object, slot, &values);
                }
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => {
                for at in self.locations(pointer) {
                    self.copy_block(BlockCopy::gather(at, into, length));
                }
            }
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                for at in self.locations(pointer) {
                    self.copy_block(BlockCopy::scatter(from, at, length));
                }
            }
        }
    }

    fn call(&mut self, at: usize, call: &Call) {
        for callee in self.locations(call.callee) {
            let Some(callable) = self.system.called(call, callee.object) else {
                continue;
            };
            self.changed |= self.bound.insert((at as u32, callable));
            let signature = &self.system.callables[callable.index()];
            self.pass(call, signature);
            if let Some(result) = call.result {
                self.include(result, self.locations(signature.result));
            }
            if let Some(fresh) = call.fresh {
                self.allocate(call, signature.fresh, fresh);
            }
        }
    }

    fn pass(&mut self, call: &Call, signature: &Signature) {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            let block = call
                .by_value
                .iter()
                .find(|(at, _)| *at as usize == position);
            match (signature.parameters.get(position), signature.rest) {
                (Some(parameter), _) => match parameter.copy {
                    Some((copy, size)) => {
                        self.apply(&Constraint::Gather {
                            pointer: argument,
                            into: copy,
                            length: Some(size),
                        });
                    }
                    None => self.include(parameter.node, self.locations(argument)),
                },
                (None, Some(rest)) => match block {
                    Some(_) => {
                        for at in self.locations(argument) {
                            self.copy_block(BlockCopy {
                                to: Offset::ANY,
                                ..BlockCopy::gather(at, rest, None)
                            });
                        }
                    }
                    None => self.write(rest, Offset::ANY, &self.locations(argument)),
                },
                (None, None) => {}
            }
        }
    }

    fn allocate(&mut self, call: &Call, how: Fresh, fresh: Object) {
        let block = Location::new(fresh, Offset::ZERO);
        let first = call.arguments.first().copied().flatten();
        if let (Fresh::Returned | Fresh::Reallocated, Some(result)) = (how, call.result) {
            self.include(result, [block]);
        }
        match (how, first) {
            (Fresh::Reallocated, Some(old)) => {
                self.apply(&Constraint::Gather {
                    pointer: old,
                    into: fresh,
                    length: None,
                });
            }
            (Fresh::Stored, Some(place)) => {
                for at in self.locations(place) {
                    if !self.system.extent(at.object).writable {
                        continue;
                    }
                    for slot in self.system.slots(at, 8) {
                        self.write(at.object, slot, &[block]);
                    }
                }
            }
            _ => {}
        }
    }
}
