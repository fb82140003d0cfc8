//! Accepts or refuses a solution: is it closed under every rule?
//!
//! Independent of the solvers: it only looks at the finished sets. A location counts as present
//! if the set holds one that covers it (the same object, an offset class that includes its
//! offset), which is all that soundness needs. Whatever any solver does to be fast, a solution
//! accepted here is sound for the constraints.

use crate::constraints::{
    BlockCopy, Call, Constraint, Fresh, Location, Node, Object, Signature, System,
};
use crate::offset::Offset;
use crate::solution::Solution;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt;

/// A rule that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The constraint or call, as text.
    pub rule: String,
    /// What is missing.
    pub missing: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "not closed under `{}`: {}", self.rule, self.missing)
    }
}

impl std::error::Error for Violation {}

/// Checks that `solution` is closed under all rules of `system`.
///
/// # Errors
/// The first rule that does not hold.
pub fn check(system: &System, solution: &Solution) -> Result<(), Violation> {
    let checker = Checker {
        system,
        solution,
        empty: BTreeSet::new(),
    };
    for constraint in &system.constraints {
        checker
            .constraint(constraint)
            .map_err(|missing| Violation {
                rule: constraint.to_string(),
                missing,
            })?;
    }
    for (at, call) in system.calls.iter().enumerate() {
        checker.call(at as u32, call).map_err(|missing| Violation {
            rule: format!("call {at} through {}", call.callee),
            missing,
        })?;
    }
    Ok(())
}

struct Checker<'a> {
    system: &'a System,
    solution: &'a Solution,
    empty: BTreeSet<Location>,
}

/// Whether each of `needed` is covered by an element of `present`.
fn covered(present: &BTreeSet<Location>, needed: &BTreeSet<Location>) -> Result<(), Location> {
    if needed.is_subset(present) {
        return Ok(());
    }
    let mut of_object: FxHashMap<Object, Vec<Location>> = FxHashMap::default();
    for &at in present {
        of_object.entry(at.object).or_default().push(at);
    }
    let is_covered = |at: &Location| {
        of_object
            .get(&at.object)
            .is_some_and(|all| all.iter().any(|one| one.covers(*at)))
    };
    needed
        .iter()
        .find(|at| !is_covered(at))
        .map_or(Ok(()), |at| Err(*at))
}

impl Checker<'_> {
    fn set(&self, node: Node) -> &BTreeSet<Location> {
        &self.solution.sets[node.index()]
    }

    fn include(&self, node: Node, needed: &BTreeSet<Location>) -> Result<(), String> {
        covered(self.set(node), needed).map_err(|at| format!("{node} lacks {at}"))
    }

    fn written(&self, object: Object, slot: Offset) -> &BTreeSet<Location> {
        let slots = self.solution.memory.get(&object);
        slots
            .and_then(|slots| slots.get(&slot))
            .unwrap_or(&self.empty)
    }

    fn hold(
        &self,
        object: Object,
        slot: Offset,
        needed: &BTreeSet<Location>,
    ) -> Result<(), String> {
        // What is written to a class that includes the slot, is written to the slot.
        let slots = self.solution.memory.get(&object).into_iter().flatten();
        let classes = slots.filter(|(class, _)| **class != slot && class.covers(slot));
        let mut classes = classes.peekable();
        if classes.peek().is_some() {
            let mut values = self.written(object, slot).clone();
            values.extend(classes.flat_map(|(_, values)| values.iter().copied()));
            return covered(&values, needed).map_err(|at| {
                format!("slot {slot} of {object} lacks {}+{}", at.object, at.offset)
            });
        }
        covered(self.written(object, slot), needed)
            .map_err(|at| format!("slot {slot} of {object} lacks {}+{}", at.object, at.offset))
    }

    fn copy_block(&self, copy: BlockCopy) -> Result<(), String> {
        for (&slot, values) in self.solution.memory.get(&copy.source).into_iter().flatten() {
            for image in copy.image(self.system, slot) {
                self.hold(copy.target, image, values)?;
            }
        }
        Ok(())
    }

    fn constraint(&self, constraint: &Constraint) -> Result<(), String> {
        match *constraint {
            Constraint::Address { node, at } => self.include(node, &BTreeSet::from([at])),
            Constraint::Copy { from, to } => self.include(to, self.set(from)),
            Constraint::Shift { from, step, to } => {
                let moved = self
                    .set(from)
                    .iter()
                    .filter_map(|&at| self.system.stepped(at, step));
                self.include(to, &moved.collect())
            }
            Constraint::Load { pointer, width, to } => {
                for &at in self.set(pointer) {
                    for slot in self.system.slots(at, width) {
                        for (written, values) in
                            self.solution.memory.get(&at.object).into_iter().flatten()
                        {
                            if written.overlaps(slot) {
                                self.include(to, values)?;
                            }
                        }
                    }
                }
                Ok(())
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => {
                let writable = |at: &&Location| self.system.extent(at.object).writable;
                for &at in self.set(pointer).iter().filter(writable) {
                    for slot in self.system.slots(at, width) {
                        self.hold(at.object, slot, self.set(from))?;
                    }
                }
                Ok(())
            }
            Constraint::Hold { at, width, from } => {
                let slots = self.system.slots(at, width);
                slots
                    .into_iter()
                    .try_for_each(|slot| self.hold(at.object, slot, self.set(from)))
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => {
                let mut sources = self.set(pointer).iter();
                sources.try_for_each(|&at| self.copy_block(BlockCopy::gather(at, into, length)))
            }
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => {
                let mut targets = self.set(pointer).iter();
                targets.try_for_each(|&at| self.copy_block(BlockCopy::scatter(from, at, length)))
            }
        }
    }

    fn call(&self, number: u32, call: &Call) -> Result<(), String> {
        for at in self.set(call.callee) {
            let Some(callable) = self.system.called(call, at.object) else {
                continue;
            };
            if !self.solution.bound.contains(&(number, callable)) {
                return Err(format!("no edge to {callable}"));
            }
            let signature = &self.system.callables[callable.index()];
            self.pass(call, signature)?;
            if let Some(result) = call.result {
                self.include(result, self.set(signature.result))?;
            }
            if let Some(fresh) = call.fresh {
                self.allocate(call, signature.fresh, fresh)?;
            }
        }
        Ok(())
    }

    fn pass(&self, call: &Call, signature: &Signature) -> Result<(), String> {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            if let Some(parameter) = signature.parameters.get(position) {
                match parameter.copy {
                    None => self.include(parameter.node, self.set(argument))?,
                    Some((into, size)) => self.constraint(&Constraint::Gather {
                        pointer: argument,
                        into,
                        length: Some(size),
                    })?,
                }
            } else if let Some(rest) = signature.rest {
                if call.by_value.iter().any(|(at, _)| *at as usize == position) {
                    for &at in self.set(argument) {
                        let copy = BlockCopy::gather(at, rest, None);
                        self.copy_block(BlockCopy {
                            to: Offset::ANY,
                            ..copy
                        })?;
                    }
                } else {
                    self.hold(rest, Offset::ANY, self.set(argument))?;
                }
            }
        }
        Ok(())
    }

    fn allocate(&self, call: &Call, how: Fresh, fresh: Object) -> Result<(), String> {
        let block = BTreeSet::from([Location::new(fresh, Offset::ZERO)]);
        let first = call.arguments.first().copied().flatten();
        if let (Fresh::Returned | Fresh::Reallocated, Some(result)) = (how, call.result) {
            self.include(result, &block)?;
        }
        match (how, first) {
            (Fresh::Reallocated, Some(pointer)) => self.constraint(&Constraint::Gather {
                pointer,
                into: fresh,
                length: None,
            }),
            (Fresh::Stored, Some(place)) => {
                let writable = |at: &&Location| self.system.extent(at.object).writable;
                for &at in self.set(place).iter().filter(writable) {
                    for slot in self.system.slots(at, 8) {
                        self.hold(at.object, slot, &block)?;
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
