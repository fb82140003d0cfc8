//! Which object is at which address: one that is dead too, for as long as its address is not given
//! out again.
//!
//! There is a map of intervals for each region. Stack objects come and go with every call, and
//! hardly anybody asks for them by number: what is in a block is noted in a table by the block's
//! slot, which the allocator numbers, and the map of stack addresses is brought up to date when
//! somebody asks, or when the state forks and much would have to be remembered twice. A fork shares
//! the maps.

use crate::paged::PagedVec;
use plat_allocator::{Intervals, Region};
use plat_expr::ObjectId;
use std::cell::RefCell;
use std::rc::Rc;

/// With more than so many slots of which the map of the stack does not know, it is brought up to
/// date at a fork.
const BEHIND: usize = 32;

/// The object in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupant {
    pub object: ObjectId,
    pub life: u8,
    number: u64,
    size: u64,
}

/// The map of stack addresses, and the slots of which it does not know yet what is in them.
#[derive(Default, Debug)]
struct Stack {
    map: Rc<Intervals<ObjectId>>,
    behind: Vec<u32>,
    /// By slot, a bit: whether it is among those.
    noted: Vec<u64>,
}

impl Stack {
    #[inline]
    fn note(&mut self, slot: u32) {
        let (at, bit) = (slot as usize / 64, 1 << (slot % 64));
        if self.noted.len() <= at {
            self.noted.resize(at + 1, 0);
        }
        if self.noted[at] & bit == 0 {
            self.noted[at] |= bit;
            self.behind.push(slot);
        }
    }

    fn catch_up(&mut self, slots: &PagedVec<Occupant>) {
        if self.behind.is_empty() {
            return;
        }
        let map = Rc::make_mut(&mut self.map);
        for slot in self.behind.drain(..) {
            self.noted[slot as usize / 64] = 0;
            if let Some(one) = slots.get(slot as usize) {
                put(map, one);
            }
        }
    }

    /// As much for a fork.
    fn fork(&mut self, slots: &PagedVec<Occupant>) -> Self {
        if self.behind.len().max(self.noted.len()) > BEHIND {
            self.catch_up(slots);
        }
        let noted = match self.behind.is_empty() {
            true => Vec::new(),
            false => self.noted.clone(),
        };
        Self {
            map: Rc::clone(&self.map),
            behind: self.behind.clone(),
            noted,
        }
    }
}

fn put(map: &mut Intervals<ObjectId>, one: &Occupant) {
    let known = map.find(one.number);
    if known.is_some_and(|known| known.start == one.number && known.size == one.size) {
        map.set(one.number, one.object);
    } else {
        map.insert(one.number, one.size, one.object);
    }
}

/// The maps.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    /// By region; that of the stack is empty.
    maps: [Rc<Intervals<ObjectId>>; 4],
    slots: PagedVec<Occupant>,
    stack: RefCell<Stack>,
}

impl Clone for Addresses {
    fn clone(&self) -> Self {
        Self {
            maps: self.maps.clone(),
            slots: self.slots.clone(),
            stack: RefCell::new(self.stack.borrow_mut().fork(&self.slots)),
        }
    }
}

impl Addresses {
    /// The object that starts at an address, which has this slot if it has one, and its life, which
    /// `life` knows.
    pub fn at(
        &self,
        region: Region,
        slot: Option<u32>,
        number: u64,
        life: &dyn Fn(ObjectId) -> u8,
    ) -> Option<(ObjectId, u8)> {
        if let Some(slot) = slot {
            let one = self.slots.get(slot as usize)?;
            return Some((one.object, one.life));
        }
        let stack;
        let map = match region {
            Region::Stack => {
                stack = self.stack.borrow();
                &stack.map
            }
            other => &self.maps[other as usize],
        };
        let known = map.find(number)?;
        (known.start == number).then(|| (known.value, life(known.value)))
    }

    /// Notes who follows the object in a slot: `next` is told who that is, and says the object and
    /// its life. Nobody, if nobody was there.
    #[inline]
    pub fn follow(
        &mut self,
        slot: u32,
        size: u64,
        next: impl FnOnce(&Occupant) -> (ObjectId, u8),
    ) -> Option<ObjectId> {
        let one = self.slots.get_mut(slot as usize)?;
        (one.object, one.life) = next(one);
        one.size = size;
        let object = one.object;
        self.stack.get_mut().note(slot);
        Some(object)
    }

    /// Notes an object; what it overlaps is forgotten.
    pub fn put(
        &mut self,
        region: Region,
        slot: Option<u32>,
        (number, size): (u64, u64),
        (object, life): (ObjectId, u8),
    ) {
        let one = Occupant {
            object,
            life,
            number,
            size,
        };
        match (slot, region) {
            (Some(slot), _) => {
                self.slots.set(slot as usize, one);
                self.stack.get_mut().note(slot);
            }
            (None, Region::Stack) => put(Rc::make_mut(&mut self.stack.get_mut().map), &one),
            (None, other) => put(Rc::make_mut(&mut self.maps[other as usize]), &one),
        }
    }

    /// What a map that has the answer says.
    fn first<T>(&self, answer: impl Fn(&Intervals<ObjectId>) -> Option<T>) -> Option<T> {
        if let Some(found) = self.maps.iter().find_map(|map| answer(map)) {
            return Some(found);
        }
        let mut stack = self.stack.borrow_mut();
        stack.catch_up(&self.slots);
        answer(&stack.map)
    }

    /// The object that an address lies in, and the address where it starts.
    pub fn find(&self, address: u64) -> Option<(ObjectId, u64)> {
        self.first(|map| map.find(address).map(|entry| (entry.value, entry.start)))
    }

    /// Whether there is an object at some address of `low ..= high`.
    pub fn overlaps(&self, low: u64, high: u64) -> bool {
        let any = |map: &Intervals<ObjectId>| map.overlapping(low, high).next().map(|_| ());
        self.first(any).is_some()
    }

    /// The first and the last address of the space between objects that `address` lies in.
    pub fn gap(&self, address: u64) -> (u64, u64) {
        let mut gap = (0, u64::MAX);
        let mut narrow = |map: &Intervals<ObjectId>| {
            if let Some(before) = map.floor(address) {
                gap.0 = gap.0.max(before.end());
            }
            if let Some(behind) = map.overlapping(address, u64::MAX).next() {
                gap.1 = gap.1.min(behind.start - 1);
            }
        };
        self.maps.iter().for_each(|map| narrow(map));
        let mut stack = self.stack.borrow_mut();
        stack.catch_up(&self.slots);
        narrow(&stack.map);
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks with a slot and without are found alike, whenever somebody asks and in forks.
    #[test]
    fn a_table_by_slot_says_what_a_map_says() {
        let (mut table, mut map) = (Addresses::default(), Addresses::default());
        let mut random = plat_allocator::reference::Random::new(11);
        for step in 0..20_000 {
            let slot = random.below(300) as u32;
            let block = (0x1000 + 64 * u64::from(slot), 1 + random.below(64));
            let object = ObjectId(step);
            let life = |object: ObjectId| object.0 as u8 % 8;
            let before = table.at(Region::Stack, Some(slot), block.0, &life);
            assert_eq!(before, map.at(Region::Stack, None, block.0, &life));
            let object = (object, life(object));
            table.put(Region::Stack, Some(slot), block, object);
            map.put(Region::Stack, None, block, object);
            if step % 7 == 0 {
                let address = 0xf00 + random.below(21_000);
                assert_eq!(table.find(address), map.find(address));
                assert_eq!(table.gap(address), map.gap(address));
                let last = address + random.below(100);
                assert_eq!(table.overlaps(address, last), map.overlaps(address, last));
            }
            if step % 1_000 == 0 {
                let fork = table.clone();
                let asked = std::mem::replace(&mut table, fork);
                assert_eq!(asked.find(block.0), map.find(block.0));
            }
        }
    }
}
