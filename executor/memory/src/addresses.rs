//! Which object is at which address: one that is dead too, for as long as its address is not given
//! out again.
//!
//! There is a map of intervals for each region. Objects of the stack and the heap come and go: what
//! is in a block is noted in a table by the block's slot, which the allocator numbers and which
//! answers for the addresses in it. The map is brought up to date when somebody asks what lies
//! between addresses, or when the state forks and much would have to be remembered twice. A fork
//! shares the maps.

use crate::paged::PagedVec;
use plat_allocator::{Intervals, Region};
use plat_expr::ObjectId;
use std::cell::RefCell;
use std::num::NonZeroU64;
use std::rc::Rc;

/// With more than so many slots of which the map of a region does not know, it is brought up to
/// date at a fork.
const BEHIND: usize = 32;

/// The object in a slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Occupant {
    pub object: ObjectId,
    pub life: u8,
    number: u64,
    size: u64,
    /// The slot is among those that are behind while this is their time.
    noted: NonZeroU64,
}

const _: () = assert!(size_of::<Option<Occupant>>() == 32);

/// The map of a region, and the slots of which it does not know yet what is in them.
#[derive(Debug)]
struct Known {
    map: Rc<Intervals<ObjectId>>,
    behind: Vec<u32>,
    /// Another one whenever the map is brought up to date.
    time: NonZeroU64,
}

impl Known {
    #[inline(always)]
    fn note(&mut self, slot: u32, one: &mut Occupant) {
        if one.noted != self.time {
            one.noted = self.time;
            self.behind.push(slot);
        }
    }

    fn catch_up(&mut self, slots: &PagedVec<Occupant>) {
        if self.behind.is_empty() {
            return;
        }
        self.time = self.time.saturating_add(1);
        let map = Rc::make_mut(&mut self.map);
        for slot in self.behind.drain(..) {
            if let Some(one) = slots.get(slot as usize) {
                put(map, one);
            }
        }
    }

    /// As much for a fork.
    fn fork(&mut self, slots: &PagedVec<Occupant>) -> Self {
        if self.behind.len() > BEHIND {
            self.catch_up(slots);
        }
        Self {
            map: Rc::clone(&self.map),
            behind: self.behind.clone(),
            time: self.time,
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

/// The objects of a region in which blocks have slots.
#[derive(Debug)]
struct Slotted {
    slots: PagedVec<Occupant>,
    known: RefCell<Known>,
}

impl Default for Slotted {
    fn default() -> Self {
        let known = Known {
            map: Rc::default(),
            behind: Vec::new(),
            time: NonZeroU64::MIN,
        };
        Self {
            slots: PagedVec::new(),
            known: RefCell::new(known),
        }
    }
}

impl Clone for Slotted {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            known: RefCell::new(self.known.borrow_mut().fork(&self.slots)),
        }
    }
}

/// The maps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Addresses {
    /// Of constants and globals.
    fixed: [Rc<Intervals<ObjectId>>; 2],
    stack: Slotted,
    heap: Slotted,
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
        let among = |map: &Intervals<ObjectId>| {
            let known = map.find(number)?;
            (known.start == number).then(|| (known.value, life(known.value)))
        };
        let slotted = match region {
            Region::Constants => return among(&self.fixed[0]),
            Region::Globals => return among(&self.fixed[1]),
            Region::Stack => &self.stack,
            Region::Heap => &self.heap,
        };
        match slot {
            Some(slot) => {
                let one = slotted.slots.get(slot as usize)?;
                Some((one.object, one.life))
            }
            None => among(&slotted.known.borrow().map),
        }
    }

    /// Notes who follows the object in a slot of the stack or the heap: `next` is told who that is,
    /// and says the object and its life, if it knows. Nobody, if nobody was there.
    #[inline(always)]
    pub fn follow(
        &mut self,
        region: Region,
        slot: u32,
        size: u64,
        next: impl FnOnce(&Occupant) -> Option<(ObjectId, u8)>,
    ) -> Option<ObjectId> {
        let slotted = match region {
            Region::Stack => &mut self.stack,
            _ => &mut self.heap,
        };
        let one = slotted.slots.get_mut(slot as usize)?;
        (one.object, one.life) = next(one)?;
        one.size = size;
        slotted.known.get_mut().note(slot, one);
        Some(one.object)
    }

    /// Notes an object; what it overlaps is forgotten.
    pub fn put(
        &mut self,
        region: Region,
        slot: Option<u32>,
        (number, size): (u64, u64),
        (object, life): (ObjectId, u8),
    ) {
        let slotted = match region {
            Region::Constants => {
                return Rc::make_mut(&mut self.fixed[0]).insert(number, size, object);
            }
            Region::Globals => {
                return Rc::make_mut(&mut self.fixed[1]).insert(number, size, object);
            }
            Region::Stack => &mut self.stack,
            Region::Heap => &mut self.heap,
        };
        let known = slotted.known.get_mut();
        let mut one = Occupant {
            object,
            life,
            number,
            size,
            noted: known.time,
        };
        match slot {
            None => put(Rc::make_mut(&mut known.map), &one),
            Some(slot) => {
                let place = slotted.slots.entry(slot as usize);
                match place {
                    Some(before) => one.noted = before.noted,
                    None => known.behind.push(slot),
                }
                known.note(slot, place.insert(one));
            }
        }
    }

    /// What a map that has the answer says.
    fn first<T>(&self, answer: impl Fn(&Intervals<ObjectId>) -> Option<T>) -> Option<T> {
        if let Some(found) = self.fixed.iter().find_map(|map| answer(map)) {
            return Some(found);
        }
        [&self.stack, &self.heap].into_iter().find_map(|slotted| {
            let mut known = slotted.known.borrow_mut();
            known.catch_up(&slotted.slots);
            answer(&known.map)
        })
    }

    /// The object that an address lies in, and the address where it starts. The address is in this
    /// region, if it is on the stack or the heap, and in this slot, if it is in one: then only the
    /// object in the slot can be there.
    pub fn find(
        &self,
        address: u64,
        place: Option<(Region, Option<u32>)>,
    ) -> Option<(ObjectId, u64)> {
        let among = |map: &Intervals<ObjectId>| {
            let found = map.find(address)?;
            Some((found.value, found.start))
        };
        if let Some(found) = self.fixed.iter().find_map(|map| among(map)) {
            return Some(found);
        }
        let (region, slot) = place?;
        let slotted = match region {
            Region::Stack => &self.stack,
            _ => &self.heap,
        };
        let Some(slot) = slot else {
            return among(&slotted.known.borrow().map);
        };
        let one = slotted.slots.get(slot as usize)?;
        let distance = address.checked_sub(one.number)?;
        (distance < one.size.max(1)).then_some((one.object, one.number))
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
        self.fixed.iter().for_each(|map| narrow(map));
        for slotted in [&self.stack, &self.heap] {
            let mut known = slotted.known.borrow_mut();
            known.catch_up(&slotted.slots);
            narrow(&known.map);
        }
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
        let region_of = |slot: u32| [Region::Stack, Region::Heap][slot as usize % 2];
        let by_slot = |table: &Addresses, address: u64| {
            let slot = (address.checked_sub(0x1000)? / 64) as u32;
            table.find(address, Some((region_of(slot), Some(slot))))
        };
        let by_map = |map: &Addresses, address: u64| {
            let of = |region| map.find(address, Some((region, None)));
            of(Region::Stack).or_else(|| of(Region::Heap))
        };
        let mut random = fastrand::Rng::with_seed(11);
        for step in 0..20_000 {
            let slot = random.u32(..300);
            let block = (0x1000 + 64 * u64::from(slot), 1 + random.u64(..64));
            let object = ObjectId(step);
            let life = |object: ObjectId| object.0 as u8 % 8;
            let region = region_of(slot);
            let before = table.at(region, Some(slot), block.0, &life);
            assert_eq!(before, map.at(region, None, block.0, &life));
            let object = (object, life(object));
            let follows = |_: &Occupant| Some(object);
            let followed = match step % 3 {
                0 => None,
                _ => table.follow(region, slot, block.1, follows),
            };
            if followed.is_none() {
                table.put(region, Some(slot), block, object);
            }
            map.put(region, None, block, object);
            if step % 7 == 0 {
                let address = 0xf00 + random.u64(..21_000);
                assert_eq!(by_slot(&table, address), by_map(&map, address));
                let inside = block.0 + random.u64(..70);
                assert_eq!(by_slot(&table, inside), by_map(&map, inside));
                assert_eq!(table.gap(address), map.gap(address));
                let last = address + random.u64(..100);
                assert_eq!(table.overlaps(address, last), map.overlaps(address, last));
            }
            if step % 1_000 == 0 {
                let fork = table.clone();
                let asked = std::mem::replace(&mut table, fork);
                assert_eq!(asked.gap(block.0), map.gap(block.0));
            }
        }
    }
}
