//! The result of a solver: numbered locations, shared sets, and measures of its work.

use crate::constraints::{Callable, Displacement, Location, Object, Offset, Passage, System};
use crate::definition::solution::Solution;
use crate::solver::bindings::by_call;
use crate::solver::set::{Bits, Set};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The numbering of locations, and operations on sets of their numbers.
#[derive(Debug)]
pub struct LocationNumbers<'a> {
    system: &'a System,
    locations: Vec<Location>,
    numbers: FxHashMap<Location, u32>,
    /// For each place the place of all offsets of its object, if that is numbered.
    whole: Vec<u32>,
    /// The same for each object, addresses and computed integers apart.
    whole_of_group: Vec<u32>,
    members: Vec<Vec<u32>>,
    /// For each step where it leads from each place, in rows as long as the words of sets.
    shifted: FxHashMap<Displacement, Vec<Option<Box<Row>>>>,
    /// For large sets, by their addresses, where a step leads: what spreads over a program comes to
    /// many nodes.
    known: FxHashMap<(Displacement, *const Set), Moved>,
    /// Words in these sets, and how many there may be.
    known_words: usize,
    most_known: usize,
    /// Scratch, all zero between steps.
    dense: Vec<u64>,
    /// How many places, the first, are all offsets of an object.
    wholes: u32,
    /// Scratch like `dense`, for these.
    dense_wholes: Vec<u64>,
    /// Whether offsets are not told apart.
    coarse: bool,
}

/// A set and where a step leads from it. While it is kept, no other set gets its address.
#[derive(Debug)]
struct Moved {
    _from: Rc<Set>,
    to: Rc<Set>,
}

/// Sets with fewer words than this are moved faster than they are found.
const LARGE: usize = 4;
/// Where a step leads from the places of one word of a set.
type Row = [u32; 64];
/// No place is numbered yet.
const NONE: u32 = u32::MAX;
/// The step does not take the place along.
const LEFT: u32 = u32::MAX - 1;

impl<'a> LocationNumbers<'a> {
    /// The locations that large sets are made of: all offsets, and offset 0, of all objects. Numbered
    /// first, they share the chunks of a set.
    pub fn new(system: &'a System, coarse: bool) -> Self {
        let mut places = Self {
            system,
            locations: Vec::new(),
            numbers: FxHashMap::default(),
            whole: Vec::new(),
            whole_of_group: vec![NONE; 2 * system.objects.len()],
            members: vec![Vec::new(); 2 * system.objects.len()],
            shifted: FxHashMap::default(),
            known: FxHashMap::default(),
            known_words: 0,
            most_known: 0,
            dense: Vec::new(),
            wholes: 0,
            dense_wholes: Vec::new(),
            coarse,
        };
        let objects = 0..system.objects.len();
        for integer in [false, true] {
            for at in objects.clone() {
                let at = Location::new(Object::new(at), Offset::ANY);
                places.number(Location { integer, ..at });
            }
        }
        places.wholes = places.locations.len() as u32;
        for at in objects {
            places.number(Location::new(Object::new(at), Offset::ZERO));
        }
        places
    }

    /// The same, but where steps lead is remembered for sets of no more than so many words.
    pub fn remembering(self, most_known: usize) -> Self {
        Self { most_known, ..self }
    }

    /// The number of a location.
    pub fn number(&mut self, at: Location) -> u32 {
        let at = if self.coarse { at.whole() } else { at };
        if let Some(&known) = self.numbers.get(&at) {
            return known;
        }
        let place = self.locations.len() as u32;
        let group = 2 * at.object.index() + usize::from(at.integer);
        self.locations.push(at);
        self.numbers.insert(at, place);
        self.whole.push(self.whole_of_group[group]);
        self.members[group].push(place);
        if at.offset == Offset::ANY {
            self.whole_of_group[group] = place;
            for &member in &self.members[group] {
                self.whole[member as usize] = place;
            }
        }
        place
    }

    /// The location of a number.
    pub fn location(&self, place: u32) -> Location {
        self.locations[place as usize]
    }

    /// The places reached from `set` by a step.
    pub fn step(&mut self, set: &Rc<Set>, step: Displacement) -> Rc<Set> {
        if set.chunks() < LARGE {
            return Rc::new(self.moved(set, step));
        }
        if let Some(known) = self.known.get(&(step, Rc::as_ptr(set))) {
            return Rc::clone(&known.to);
        }
        let moved = Rc::new(self.moved(set, step));
        if self.known_words > self.most_known {
            self.known.clear();
            self.known_words = 0;
        }
        self.known_words += set.chunks() + moved.chunks();
        let known = Moved {
            _from: Rc::clone(set),
            to: Rc::clone(&moved),
        };
        self.known.insert((step, Rc::as_ptr(set)), known);
        moved
    }

    fn moved(&mut self, set: &Set, step: Displacement) -> Set {
        let mut table = self.shifted.remove(&step).unwrap_or_default();
        // Gathered in a dense bit vector: no sorting.
        let mut dense = std::mem::take(&mut self.dense);
        let (mut first, mut past) = (usize::MAX, 0);
        let mut reached = |places: &Self, chunk: usize, bits: u64| {
            if chunk >= dense.len() {
                dense.resize(places.locations.len() / 64 + 1, 0);
            }
            dense[chunk] |= bits;
            (first, past) = (first.min(chunk), past.max(chunk + 1));
        };
        for &(chunk, bits) in set.entries() {
            if step.how == Passage::All && (chunk + 1) * 64 <= self.wholes {
                // All offsets of an object stay all offsets of it.
                reached(self, chunk as usize, bits);
                continue;
            }
            if chunk as usize >= table.len() {
                table.resize_with(chunk as usize + 1, || None);
            }
            let row = table[chunk as usize].get_or_insert_with(|| Box::new([NONE; 64]));
            for bit in Bits(bits) {
                let moved = &mut row[bit as usize];
                if *moved == NONE {
                    let at = self.locations[(chunk * 64 + bit) as usize];
                    let at = self.system.displaced(at, step);
                    *moved = at.map_or(LEFT, |at| self.number(at));
                }
                if *moved != LEFT {
                    reached(self, *moved as usize / 64, 1 << (*moved % 64));
                }
            }
        }
        let moved = match first < past {
            true => Set::drained(&mut dense[first..past], first as u32),
            false => Set::new(),
        };
        self.shifted.insert(step, table);
        self.dense = dense;
        moved
    }

    /// `new` without what `old` has, and without locations of objects of which `old` or `new`
    /// has all offsets: nothing follows from them that does not follow from all offsets.
    pub fn added(&mut self, new: &Set, old: &Set) -> Set {
        let mut added = new.minus(old);
        if added.is_empty() {
            return added;
        }
        // The places of all offsets have the first numbers.
        let past = (self.wholes as usize).div_ceil(64);
        let mut wholes = std::mem::take(&mut self.dense_wholes);
        wholes.resize(past, 0);
        let any = old.write_to(&mut wholes) | added.write_to(&mut wholes);
        if any {
            added.retain_from(self.wholes / 64, |place| {
                let whole = self.whole[place as usize];
                let covered = |whole: u32| wholes[whole as usize / 64] >> (whole % 64) & 1 == 1;
                place < self.wholes || whole == NONE || !covered(whole)
            });
            wholes.fill(0);
        }
        self.dense_wholes = wholes;
        added
    }

    /// The table of locations.
    pub fn into_locations(self) -> Vec<Location> {
        self.locations
    }
}

/// How much work a solver did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
pub struct Measures {
    /// Rounds of the outer loop.
    pub waves: u64,
    /// Nodes merged into another of their cycle.
    pub merged: u64,
    /// Times that a node was made to take offsets modulo a cycle's weight.
    pub widened: u64,
    /// Copy edges ever made.
    pub edges: u64,
    /// Nodes made for memory cells.
    pub cells: u64,
    /// Objects whose slots are not told apart.
    pub wholes: u64,
    /// What was counted against the budget.
    pub operations: u64,
}

/// A solution in shared form.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The locations by number.
    pub locations: Vec<Location>,
    /// Sets of location numbers. Equal sets can be in several positions.
    pub sets: Vec<Rc<Set>>,
    /// For each node the position of its set.
    pub of_node: Vec<u32>,
    /// For each written slot class of an object the position of its set.
    pub memory: Vec<(Object, Offset, u32)>,
    /// For each call (by position) the positions of the callables that it can call; calls beyond
    /// the last call nothing. Equal sets can be one allocation.
    pub bound: Vec<Rc<Set>>,
    /// Measures.
    pub measures: Measures,
}

impl Solved {
    /// The set of a node.
    pub fn set(&self, node: crate::constraints::Node) -> &Set {
        &self.sets[self.of_node[node.index()] as usize]
    }

    /// The locations of a set.
    pub fn located<'a>(&'a self, set: &'a Set) -> impl Iterator<Item = Location> + 'a {
        set.iter().map(|place| self.locations[place as usize])
    }

    /// Which call (by position) can call what; sorted.
    pub fn call_edges(&self) -> impl Iterator<Item = (u32, Callable)> {
        let calls = (0..).zip(&self.bound);
        calls.flat_map(|(call, callees)| callees.iter().map(move |callee| (call, Callable(callee))))
    }

    /// Whether a call can call that.
    pub fn calls(&self, call: u32, callable: Callable) -> bool {
        let bound = self.bound.get(call as usize);
        bound.is_some_and(|callees| callees.contains(callable.0))
    }

    /// In plain form.
    pub fn plain(&self) -> Solution {
        let plain = |at: u32| self.located(&self.sets[at as usize]).collect();
        let mut solution = Solution {
            sets: self.of_node.iter().map(|&at| plain(at)).collect(),
            bound: self.call_edges().collect(),
            ..Solution::default()
        };
        for &(object, slot, at) in &self.memory {
            if !self.sets[at as usize].is_empty() {
                solution
                    .memory
                    .entry(object)
                    .or_default()
                    .insert(slot, plain(at));
            }
        }
        solution
    }

    /// From plain form.
    pub fn from_plain(system: &System, solution: &Solution) -> Self {
        let mut places = LocationNumbers::new(system, false);
        let mut sets: Vec<Rc<Set>> = Vec::new();
        let mut share = |set: &std::collections::BTreeSet<Location>| {
            let set: Set = set.iter().map(|&at| places.number(at)).collect();
            sets.push(Rc::new(set));
            sets.len() as u32 - 1
        };
        let of_node = solution.sets.iter().map(&mut share).collect();
        let mut memory = Vec::new();
        for (&object, slots) in &solution.memory {
            for (&slot, values) in slots {
                memory.push((object, slot, share(values)));
            }
        }
        Self {
            locations: places.into_locations(),
            sets,
            of_node,
            memory,
            bound: by_call(solution.bound.iter().copied()),
            measures: Measures::default(),
        }
    }
}
