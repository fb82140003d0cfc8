//! Unions of points-to sets, remembered.
//!
//! What spreads over a program comes to thousands of nodes that have the same set, in the same
//! pieces. So large sets are shared: equal ones are one allocation, and what a union of two
//! allocations yields is looked up by their addresses. What nobody refers to any more
//! is forgotten.

use crate::solver::set::Set;
use crate::solver::solved::LocationNumbers;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Sets with fewer words than this are united faster than they are found.
const LARGE: usize = 8;

/// Two sets by their addresses.
type Pair = (*const Set, *const Set);

/// A union that was made. It keeps its operands: no other sets get their addresses.
struct Known {
    _operands: [Rc<Set>; 2],
    /// The union and what the first operand lacked; `None` if it lacked nothing.
    result: Option<[Rc<Set>; 2]>,
}

/// The unions that were made, and the large sets.
#[derive(Default)]
pub(super) struct Unions {
    shared: FxHashSet<Rc<Set>>,
    absorbed: FxHashMap<Pair, Known>,
    united: FxHashMap<Pair, Known>,
    /// Words in the operands that are remembered, and how many there may be.
    words: usize,
    most: usize,
}

impl Unions {
    /// Remembers no more than about `most` words.
    pub fn new(most: usize) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// The shared form of a set.
    pub fn shared(&mut self, set: Set) -> Rc<Set> {
        if set.chunks() < LARGE {
            return Rc::new(set);
        }
        if let Some(known) = self.shared.get(&set) {
            return Rc::clone(known);
        }
        let set = Rc::new(set);
        self.shared.insert(Rc::clone(&set));
        set
    }

    /// Adds `new` to `set`, but for what follows from all offsets of an object; what is new.
    pub fn absorb(
        &mut self,
        places: &mut LocationNumbers<'_>,
        set: &mut Rc<Set>,
        new: &Rc<Set>,
    ) -> Option<Rc<Set>> {
        if Rc::ptr_eq(set, new) {
            return None;
        }
        // What comes to nodes that point to nothing yet comes to many of them.
        let large = new.chunks() >= LARGE && (set.chunks() >= LARGE || set.is_empty());
        if let Some(known) = large.then(|| self.absorbed.get(&pair(set, new))).flatten() {
            let [all, added] = known.result.as_ref()?;
            *set = Rc::clone(all);
            return Some(Rc::clone(added));
        }
        let old = large.then(|| Rc::clone(set));
        let added = places.added(new, set);
        let result = (!added.is_empty()).then(|| {
            let added = match added == **new {
                true => Rc::clone(new),
                false => self.shared(added),
            };
            match set.is_empty() {
                true => *set = Rc::clone(&added),
                false => self.add(set, &added),
            }
            [Rc::clone(set), added]
        });
        let added = result.as_ref().map(|[_, added]| Rc::clone(added));
        if let Some(old) = old {
            self.make_room(&old, new);
            let _operands = [old, Rc::clone(new)];
            let known = Known { _operands, result };
            self.absorbed.insert(pair_of(&known), known);
        }
        added
    }

    /// Adds all elements of `other` to `set`.
    pub fn unite(&mut self, set: &mut Rc<Set>, other: &Rc<Set>) {
        if set.is_empty() {
            *set = Rc::clone(other);
            return;
        }
        let large = other.chunks() >= LARGE && set.chunks() >= LARGE;
        if !large {
            return self.add(set, other);
        }
        if let Some(known) = self.united.get(&pair(set, other)) {
            if let Some([all, _]) = &known.result {
                *set = Rc::clone(all);
            }
            return;
        }
        let old = Rc::clone(set);
        self.add(set, other);
        self.make_room(&old, other);
        let result = Some([Rc::clone(set), Rc::clone(other)]);
        let _operands = [old, Rc::clone(other)];
        let known = Known { _operands, result };
        self.united.insert(pair_of(&known), known);
    }

    fn add(&mut self, set: &mut Rc<Set>, other: &Set) {
        Rc::make_mut(set).union_with(other);
        if set.chunks() >= LARGE {
            *set = self.shared(std::mem::take(Rc::make_mut(set)));
        }
    }

    /// Forgets everything before too much is remembered.
    fn make_room(&mut self, one: &Set, other: &Set) {
        self.words += one.chunks() + other.chunks();
        if self.words > self.most {
            self.words = 0;
            self.absorbed.clear();
            self.united.clear();
            self.shared.retain(|set| Rc::strong_count(set) > 1);
        }
    }
}

fn pair(one: &Rc<Set>, other: &Rc<Set>) -> Pair {
    (Rc::as_ptr(one), Rc::as_ptr(other))
}

fn pair_of(known: &Known) -> Pair {
    let [one, other] = &known._operands;
    pair(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::{Extent, System};
    use fastrand::Rng;

    /// What is remembered is what is computed, also when it is forgotten now and then.
    #[test]
    fn unions_are_those_of_sets() {
        let mut system = System::new(4096);
        for _ in 0..400 {
            system.object(Extent::memory(None));
        }
        let mut places = LocationNumbers::new(&system, false);
        let mut random = Rng::with_seed(5);
        for most in [0, 2_000, 1 << 22] {
            let mut unions = Unions::new(most);
            let mut draw = |count| -> Set { (0..count).map(|_| random.u32(..1_200)).collect() };
            let pieces: Vec<Rc<Set>> = (0..6).map(|at| unions.shared(draw(at * 30))).collect();
            let mut sets: Vec<Rc<Set>> = vec![Rc::default(); 12];
            for round in 0..2_000 {
                let (at, piece) = (random.usize(..12), random.usize(..6));
                if random.u32(..8) == 0 {
                    sets[at] = Rc::default();
                }
                let new = Rc::clone(&pieces[piece]);
                let mut expected = Set::clone(&sets[at]);
                if round % 3 == 0 {
                    unions.unite(&mut sets[at], &new);
                    expected.union_with(&new);
                } else {
                    let added = places.added(&new, &expected);
                    let found = unions.absorb(&mut places, &mut sets[at], &new);
                    assert_eq!(found.map_or(Set::new(), |found| Set::clone(&found)), added);
                    expected.union_with(&added);
                }
                assert_eq!(*sets[at], expected);
            }
        }
    }
}
