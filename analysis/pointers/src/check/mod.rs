//! Accepts or refuses a solution: is it closed under every rule?
//!
//! Independent of the solvers: it only looks at the finished sets. A location counts as present
//! if the set holds one that covers it (the same object, an offset class that includes its
//! offset), which is all that soundness needs. Whatever any solver does to be fast, a solution
//! accepted here is sound for the constraints.
//!
//! A rule about all locations of a set is put as one subset test. What is loaded through a pointer
//! is a union, which must be in the result; what is stored must be in each of the slots, so in what
//! all of them have. Both depend on the set and not on the pointer, and are found once for a set.

mod facts;

use crate::constraints::{
    BlockCopy, Call, Callable, Constraint, Displacement, Extent, Fresh, Location, Node, Object,
    Offset, Signature, System,
};
use crate::definition::solution::Solution;
use crate::solver::solved::Solved;
use facts::{Facts, Id};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
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

/// Checks that what a solver hands over is closed under all rules of `system`.
///
/// # Errors
/// The first rule that does not hold.
pub fn check(system: &System, solved: &Solved) -> Result<(), Violation> {
    Checker::new(system, Facts::of_solved(system, solved)).all()
}

/// The same for a solution in plain form.
///
/// # Errors
/// The first rule that does not hold.
pub fn check_plain(system: &System, solution: &Solution) -> Result<(), Violation> {
    Checker::new(system, Facts::of_plain(system, solution)).all()
}

/// A block that is gathered: its length, where it goes, and what holds it there.
type Gathered = (Option<u64>, Offset, Extent);

struct Checker<'a> {
    system: &'a System,
    facts: Facts,
    /// What a read of exactly this slot class may rely on, closed.
    contents: FxHashMap<(Object, Offset), Id>,
    /// Sets after steps.
    displaced: FxHashMap<(Id, Displacement), Id>,
    /// What is read at the locations of a set.
    loaded: FxHashMap<(Id, u64), Id>,
    /// What all slots have that are written at the locations of a set, closed; nothing if there
    /// are no slots.
    stored: FxHashMap<(Id, u64), Option<Id>>,
    /// For each slot of the target what blocks at the locations of a set bring there.
    gathered: FxHashMap<Gathered, FxHashMap<Id, Vec<(Offset, Id)>>>,
    /// The same as `stored` for what a block has in a slot.
    scattered: FxHashMap<(Id, Option<u64>, Offset), Option<Id>>,
}

impl<'a> Checker<'a> {
    fn new(system: &'a System, facts: Facts) -> Self {
        Self {
            system,
            facts,
            contents: FxHashMap::default(),
            displaced: FxHashMap::default(),
            loaded: FxHashMap::default(),
            stored: FxHashMap::default(),
            gathered: FxHashMap::default(),
            scattered: FxHashMap::default(),
        }
    }

    fn all(mut self) -> Result<(), Violation> {
        for constraint in &self.system.constraints {
            self.constraint(constraint).map_err(|missing| Violation {
                rule: constraint.to_string(),
                missing,
            })?;
        }
        for (number, call) in (0..).zip(&self.system.calls) {
            self.call(number, call).map_err(|missing| Violation {
                rule: format!("call {number} through {}", call.callee),
                missing,
            })?;
        }
        Ok(())
    }

    fn set(&self, node: Node) -> Id {
        self.facts.of_node(node.index())
    }

    fn include(&mut self, node: Node, needed: Id) -> Result<(), String> {
        let present = self.set(node);
        let present = self.facts.closed(present);
        if self.facts.includes(present, needed) {
            return Ok(());
        }
        let missing = self.facts.missing(present, needed);
        missing.map_or(Ok(()), |at| Err(format!("{node} lacks {at}")))
    }

    fn include_one(&mut self, node: Node, at: Location) -> Result<(), String> {
        let needed = self.facts.set_of([at]);
        self.include(node, needed)
    }

    /// What is written to a class that includes the slot, is written to the slot.
    fn content(&mut self, object: Object, slot: Offset) -> Id {
        if let Some(&known) = self.contents.get(&(object, slot)) {
            return known;
        }
        let written = self.facts.written(object);
        let over = written.iter().filter(|(class, _)| class.covers(slot));
        let over: FxHashSet<Id> = over.map(|&(_, values)| values).collect();
        let content = self.facts.union(&over);
        let content = self.facts.closed(content);
        self.contents.insert((object, slot), content);
        content
    }

    fn hold(&mut self, object: Object, slot: Offset, needed: Id) -> Result<(), String> {
        let content = self.content(object, slot);
        if self.facts.includes(content, needed) {
            return Ok(());
        }
        let missing = self.facts.missing(content, needed);
        missing.map_or(Ok(()), |at| {
            Err(format!("slot {slot} of {object} lacks {at}"))
        })
    }

    /// What all of some slots have.
    fn common(&mut self, slots: &[(Object, Offset)]) -> Option<Id> {
        let contents = slots
            .iter()
            .map(|&(object, slot)| self.content(object, slot));
        let contents: FxHashSet<Id> = contents.collect();
        self.facts.meet(&contents)
    }

    /// Whether all of some slots, of which `common` is what they have in common, hold `needed`.
    fn all_hold(
        &mut self,
        common: Option<Id>,
        needed: Id,
        slots: impl FnOnce(&Self) -> Vec<(Object, Offset)>,
    ) -> Result<(), String> {
        match common {
            Some(common) if !self.facts.includes(common, needed) => {
                let mut slots = slots(self).into_iter();
                slots.try_for_each(|(object, slot)| self.hold(object, slot, needed))
            }
            _ => Ok(()),
        }
    }

    fn constraint(&mut self, constraint: &Constraint) -> Result<(), String> {
        match *constraint {
            Constraint::Address { node, at } => self.include_one(node, at),
            Constraint::Copy { from, to } => self.include(to, self.set(from)),
            Constraint::Shift { from, step, to } => {
                let moved = self.displaced(self.set(from), step);
                self.include(to, moved)
            }
            Constraint::Load { pointer, width, to } => {
                let loaded = self.loaded(self.set(pointer), width);
                self.include(to, loaded)
            }
            Constraint::Store {
                pointer,
                width,
                from,
            } => self.store(self.set(pointer), width, self.set(from)),
            Constraint::Hold { at, width, from } => {
                let mut slots = self.system.slots(at, width).into_iter();
                slots.try_for_each(|slot| self.hold(at.object, slot, self.set(from)))
            }
            Constraint::Gather {
                pointer,
                into,
                length,
            } => self.gather(self.set(pointer), length, (into, Offset::ZERO)),
            Constraint::Scatter {
                from,
                pointer,
                length,
            } => self.scatter(from, self.set(pointer), length),
        }
    }

    fn displaced(&mut self, set: Id, step: Displacement) -> Id {
        if let Some(&known) = self.displaced.get(&(set, step)) {
            return known;
        }
        let from = self.facts.located(set).into_iter();
        let moved = from.filter_map(|at| self.system.displaced(at, step));
        let moved = self.facts.set_of(moved);
        self.displaced.insert((set, step), moved);
        moved
    }

    fn loaded(&mut self, places: Id, width: u64) -> Id {
        if let Some(&known) = self.loaded.get(&(places, width)) {
            return known;
        }
        let mut read = FxHashSet::default();
        for at in self.facts.located(places) {
            let written = self.facts.written(at.object);
            for slot in self.system.slots(at, width) {
                let overlapping = written.iter().filter(|(class, _)| class.overlaps(slot));
                read.extend(overlapping.map(|&(_, values)| values));
            }
        }
        let loaded = self.facts.union(&read);
        self.loaded.insert((places, width), loaded);
        loaded
    }

    fn store(&mut self, places: Id, width: u64, needed: Id) -> Result<(), String> {
        let slots = |this: &Self| {
            let mut slots = Vec::new();
            for at in this.facts.located(places) {
                if this.system.extent(at.object).writable {
                    let own = this.system.slots(at, width).into_iter();
                    slots.extend(own.map(|slot| (at.object, slot)));
                }
            }
            slots
        };
        let common = match self.stored.get(&(places, width)) {
            Some(&known) => known,
            None => {
                let common = self.common(&slots(self));
                self.stored.insert((places, width), common);
                common
            }
        };
        self.all_hold(common, needed, slots)
    }

    fn gather(
        &mut self,
        places: Id,
        length: Option<u64>,
        (into, to): (Object, Offset),
    ) -> Result<(), String> {
        let key = (length, to, self.system.extent(into).clone());
        let known = self.gathered.get(&key).and_then(|of| of.get(&places));
        let brought = match known {
            Some(known) => known.clone(),
            None => {
                let brought = self.brought(places, length, (into, to));
                let known = self.gathered.entry(key).or_default();
                known.insert(places, brought.clone());
                brought
            }
        };
        let mut brought = brought.into_iter();
        brought.try_for_each(|(slot, values)| self.hold(into, slot, values))
    }

    /// What blocks at some places bring to each slot of `into`, or of another object of its extent.
    fn brought(
        &mut self,
        places: Id,
        length: Option<u64>,
        (into, to): (Object, Offset),
    ) -> Vec<(Offset, Id)> {
        let mut images: BTreeMap<Offset, FxHashSet<Id>> = BTreeMap::new();
        for at in self.facts.located(places) {
            let copy = BlockCopy {
                to,
                ..BlockCopy::gather(at, into, length)
            };
            for &(slot, values) in self.facts.written(at.object).iter() {
                for image in copy.image(self.system, slot) {
                    images.entry(image).or_default().insert(values);
                }
            }
        }
        let images = images.into_iter();
        images
            .map(|(slot, values)| (slot, self.facts.union(&values)))
            .collect()
    }

    fn scatter(&mut self, from: Object, places: Id, length: Option<u64>) -> Result<(), String> {
        for &(slot, values) in self.facts.written(from).iter() {
            // Where a slot goes does not depend on what else the block has.
            let images = |this: &Self| {
                let mut images = Vec::new();
                for at in this.facts.located(places) {
                    let copy = BlockCopy::scatter(from, at, length);
                    let own = copy.image(this.system, slot).into_iter();
                    images.extend(own.map(|image| (at.object, image)));
                }
                images
            };
            let key = (places, length, slot);
            let common = match self.scattered.get(&key) {
                Some(&known) => known,
                None => {
                    let common = self.common(&images(self));
                    self.scattered.insert(key, common);
                    common
                }
            };
            self.all_hold(common, values, images)?;
        }
        Ok(())
    }

    fn call(&mut self, number: u32, call: &Call) -> Result<(), String> {
        let callees = self.facts.located(self.set(call.callee)).into_iter();
        let called = callees.filter_map(|at| self.system.called(call, at.object));
        let called: BTreeSet<Callable> = called.collect();
        for callable in called {
            if !self.facts.calls(number, callable) {
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

    fn pass(&mut self, call: &Call, signature: &Signature) -> Result<(), String> {
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = *argument else { continue };
            let passed = self.set(argument);
            if let Some(parameter) = signature.parameters.get(position) {
                match parameter.copy {
                    None => self.include(parameter.node, passed)?,
                    Some((into, size)) => self.gather(passed, Some(size), (into, Offset::ZERO))?,
                }
            } else if let Some(rest) = signature.rest {
                let mut by_value = call.by_value.iter();
                match by_value.any(|(at, _)| *at as usize == position) {
                    true => self.gather(passed, None, (rest, Offset::ANY))?,
                    false => self.hold(rest, Offset::ANY, passed)?,
                }
            }
        }
        Ok(())
    }

    fn allocate(&mut self, call: &Call, how: Fresh, fresh: Object) -> Result<(), String> {
        let block = Location::new(fresh, Offset::ZERO);
        let first = call.arguments.first().copied().flatten();
        if let (Fresh::Returned | Fresh::Reallocated, Some(result)) = (how, call.result) {
            self.include_one(result, block)?;
        }
        match (how, first) {
            (Fresh::Reallocated, Some(old)) => {
                self.gather(self.set(old), None, (fresh, Offset::ZERO))
            }
            (Fresh::Stored, Some(place)) => {
                let needed = self.facts.set_of([block]);
                self.store(self.set(place), 8, needed)
            }
            _ => Ok(()),
        }
    }
}
