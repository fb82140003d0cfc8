//! What a solution claims, in the checker's own form: numbered locations, and sets of them of
//! which equal ones are one.
//!
//! Every location that a rule can ask for has a number before the first set is made, in an order
//! that keeps an object together. So a set can be *closed*: completed by all that it covers. What
//! a rule needs is there if it is a subset of a closed set, and a subset test is made once for
//! two sets, whatever number of rules asks for it. The large programs have hundreds of thousands
//! of sets, of which some thousands differ.

use crate::constraints::{Callable, Constraint, Location, Object, Offset, System};
use crate::definition::solution::Solution;
use crate::solver::bindings::by_call;
use crate::solver::set::Set;
use crate::solver::solved::Solved;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A set, by its position.
pub(super) type Id = u32;

/// The empty set.
pub(super) const EMPTY: Id = 0;

/// A set of numbers: the words of a bit vector that are not zero, with their positions.
type Words = Vec<(u32, u64)>;

/// What was written to the slot classes of an object.
pub(super) type Slots = Vec<(Offset, Id)>;

/// A solution in this form.
pub(super) struct Facts {
    /// All locations, by object, then by whether they are integers.
    locations: Vec<Location>,
    numbers: FxHashMap<Location, u32>,
    sets: Vec<Rc<Words>>,
    known: FxHashMap<Rc<Words>, Id>,
    closed: FxHashMap<Id, Id>,
    included: FxHashSet<(Id, Id)>,
    of_node: Vec<Id>,
    memory: FxHashMap<Object, Rc<Slots>>,
    bound: Vec<Rc<Set>>,
    /// Scratch, all zero between unions.
    dense: Vec<u64>,
}

/// A solution as it is read: its sets once each, and where they are.
struct Claimed {
    sets: Vec<Vec<Location>>,
    of_node: Vec<usize>,
    memory: Vec<(Object, Offset, usize)>,
    bound: Vec<Rc<Set>>,
}

impl Claimed {
    fn of_solved(solved: &Solved) -> Self {
        let mut known: FxHashMap<*const Set, usize> = FxHashMap::default();
        let mut sets: Vec<Vec<Location>> = Vec::new();
        let mut read = |at: u32| {
            let set = &solved.sets[at as usize];
            *known.entry(Rc::as_ptr(set)).or_insert_with(|| {
                sets.push(solved.located(set).collect());
                sets.len() - 1
            })
        };
        let of_node = solved.of_node.iter().map(|&at| read(at)).collect();
        let cells = solved.memory.iter();
        let memory = cells.map(|&(object, slot, at)| (object, slot, read(at)));
        Self {
            of_node,
            memory: memory.collect(),
            sets,
            bound: solved.bound.clone(),
        }
    }

    fn of_plain(solution: &Solution) -> Self {
        let listed = |set: &BTreeSet<Location>| set.iter().copied().collect();
        let mut sets: Vec<Vec<Location>> = solution.sets.iter().map(listed).collect();
        let of_node = (0..sets.len()).collect();
        let mut memory = Vec::new();
        for (&object, slots) in &solution.memory {
            for (&slot, values) in slots {
                memory.push((object, slot, sets.len()));
                sets.push(listed(values));
            }
        }
        Self {
            sets,
            of_node,
            memory,
            bound: by_call(solution.bound.iter().copied()),
        }
    }

    /// Every location that a rule can ask for, in order.
    fn universe(&self, system: &System) -> Vec<Location> {
        let mut all: FxHashSet<Location> = self.sets.iter().flatten().copied().collect();
        let mut moved = FxHashSet::default();
        for constraint in &system.constraints {
            match *constraint {
                Constraint::Address { at, .. } => {
                    all.insert(at);
                }
                Constraint::Shift { from, step, .. } => {
                    let set = self.of_node[from.index()];
                    if moved.insert((set, step)) {
                        let set = self.sets[set].iter();
                        all.extend(set.filter_map(|&at| system.displaced(at, step)));
                    }
                }
                _ => {}
            }
        }
        let fresh = system.calls.iter().filter_map(|call| call.fresh);
        all.extend(fresh.map(|object| Location::new(object, Offset::ZERO)));
        let mut all: Vec<Location> = all.into_iter().collect();
        all.sort_unstable_by_key(|at| (at.object, at.integer, at.offset));
        all
    }
}

impl Facts {
    /// What a solver hands over.
    pub fn of_solved(system: &System, solved: &Solved) -> Self {
        Self::new(system, &Claimed::of_solved(solved))
    }

    /// A solution in plain form.
    pub fn of_plain(system: &System, solution: &Solution) -> Self {
        Self::new(system, &Claimed::of_plain(solution))
    }

    fn new(system: &System, claimed: &Claimed) -> Self {
        let locations = claimed.universe(system);
        let numbers = locations.iter().copied().zip(0..).collect();
        let mut facts = Self {
            dense: vec![0; locations.len().div_ceil(64)],
            locations,
            numbers,
            sets: Vec::new(),
            known: FxHashMap::default(),
            closed: FxHashMap::default(),
            included: FxHashSet::default(),
            of_node: Vec::new(),
            memory: FxHashMap::default(),
            bound: claimed.bound.clone(),
        };
        facts.intern(Words::new());
        let sets = claimed.sets.iter();
        let sets: Vec<Id> = sets.map(|set| facts.set_of(set.iter().copied())).collect();
        facts.of_node = claimed.of_node.iter().map(|&at| sets[at]).collect();
        let mut memory: FxHashMap<Object, Slots> = FxHashMap::default();
        for &(object, slot, at) in &claimed.memory {
            if sets[at] != EMPTY {
                memory.entry(object).or_default().push((slot, sets[at]));
            }
        }
        let memory = memory.into_iter();
        facts.memory = memory.map(|(at, slots)| (at, Rc::new(slots))).collect();
        facts
    }

    /// The set of a node.
    pub fn of_node(&self, node: usize) -> Id {
        self.of_node[node]
    }

    /// What was written to an object.
    pub fn written(&self, object: Object) -> Rc<Slots> {
        self.memory.get(&object).cloned().unwrap_or_default()
    }

    /// Whether a call (by position) is said to call that.
    pub fn calls(&self, call: u32, callable: Callable) -> bool {
        let bound = self.bound.get(call as usize);
        bound.is_some_and(|callees| callees.contains(callable.0))
    }

    /// The locations of a set, in order.
    pub fn located(&self, set: Id) -> Vec<Location> {
        let numbers = numbers(&self.sets[set as usize]);
        numbers.map(|at| self.locations[at as usize]).collect()
    }

    /// The set of some locations.
    pub fn set_of(&mut self, locations: impl IntoIterator<Item = Location>) -> Id {
        for at in locations {
            let number = self.numbers[&at] as usize;
            self.dense[number / 64] |= 1 << (number % 64);
        }
        self.drain()
    }

    /// The union of some sets.
    pub fn union(&mut self, sets: &FxHashSet<Id>) -> Id {
        if let (1, Some(&only)) = (sets.len(), sets.iter().next()) {
            return only;
        }
        for &set in sets {
            for &(at, word) in &*self.sets[set as usize] {
                self.dense[at as usize] |= word;
            }
        }
        self.drain()
    }

    /// What all of some sets have; `None` if there is no set.
    pub fn meet(&mut self, sets: &FxHashSet<Id>) -> Option<Id> {
        let mut sets = sets.iter().map(|&set| &self.sets[set as usize]);
        let mut all = Words::clone(sets.next()?);
        for set in sets {
            let mut at = 0;
            all.retain_mut(|(position, word)| {
                while set.get(at).is_some_and(|other| other.0 < *position) {
                    at += 1;
                }
                match set.get(at) {
                    Some(other) if other.0 == *position => *word &= other.1,
                    _ => *word = 0,
                }
                *word != 0
            });
        }
        Some(self.intern(all))
    }

    /// A set with all that it covers.
    pub fn closed(&mut self, set: Id) -> Id {
        if let Some(&closed) = self.closed.get(&set) {
            return closed;
        }
        let all = Rc::clone(&self.sets[set as usize]);
        for number in numbers(&all) {
            self.dense[number as usize / 64] |= 1 << (number % 64);
            let one = self.locations[number as usize];
            if one.offset.is_exact() {
                continue;
            }
            let same = |at: &Location| (at.object, at.integer) == (one.object, one.integer);
            let number = number as usize;
            let before = self.locations[..number].iter().rev();
            let first = number - before.take_while(|at| same(at)).count();
            let group = self.locations[first..].iter().take_while(|at| same(at));
            for (at, other) in (first..).zip(group) {
                self.dense[at / 64] |= u64::from(one.covers(*other)) << (at % 64);
            }
        }
        let closed = self.drain();
        self.closed.insert(set, closed);
        self.closed.insert(closed, closed);
        closed
    }

    /// Whether each of `needed` is in `present`, which is closed.
    pub fn includes(&mut self, present: Id, needed: Id) -> bool {
        if present == needed || needed == EMPTY || self.included.contains(&(present, needed)) {
            return true;
        }
        let is_subset = self.missing(present, needed).is_none();
        if is_subset {
            self.included.insert((present, needed));
        }
        is_subset
    }

    /// The first of `needed` that is not in `present`, which is closed.
    pub fn missing(&self, present: Id, needed: Id) -> Option<Location> {
        let mut present = self.sets[present as usize].iter().peekable();
        for &(at, word) in &*self.sets[needed as usize] {
            while present.next_if(|other| other.0 < at).is_some() {}
            let there = present.peek().filter(|other| other.0 == at);
            let lacks = word & !there.map_or(0, |other| other.1);
            if lacks != 0 {
                return Some(self.locations[(at * 64 + lacks.trailing_zeros()) as usize]);
            }
        }
        None
    }

    /// The set whose elements are set in the scratch vector.
    fn drain(&mut self) -> Id {
        let words = (0..).zip(self.dense.iter_mut());
        let full = words.filter(|(_, word)| **word != 0);
        let words = full.map(|(at, word)| (at, std::mem::take(word))).collect();
        self.intern(words)
    }

    fn intern(&mut self, words: Words) -> Id {
        if let Some(&known) = self.known.get(&words) {
            return known;
        }
        let id = Id::try_from(self.sets.len()).expect("fewer than 2^32 sets");
        let words = Rc::new(words);
        self.sets.push(Rc::clone(&words));
        self.known.insert(words, id);
        id
    }
}

/// The elements of a set in increasing order.
fn numbers(words: &Words) -> impl Iterator<Item = u32> + '_ {
    words.iter().flat_map(|&(at, word)| {
        let ones = (0..64).filter(move |bit| word >> bit & 1 == 1);
        ones.map(move |bit| at * 64 + bit)
    })
}
