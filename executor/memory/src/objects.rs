//! The run-wide table of memory objects.
//!
//! An object is what one allocation returns: its number (address), size, kind and allocation
//! site. All of these are constant, so states share one table, and sibling states that allocate
//! the same thing at the same address share the identity, which makes their expressions, and
//! hence the solver's cached answers, equal. Whether an object is alive, and where its contents
//! are, is a matter of the state: see [`crate::state`].

use plat_allocator::Region;
use plat_expr::{ObjectId, Pool};
use plat_program::{FuncId, GlobalId, InstId};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// What kind of thing an object is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// An alloca.
    Stack,
    /// From malloc or one of its relatives.
    Heap,
    /// A writable global variable.
    Global,
    /// A read-only global variable.
    Constant,
    /// A function: it has a number, but no contents.
    Function,
}

impl Kind {
    /// The part of the address space that such objects are in.
    pub const fn region(self) -> Region {
        match self {
            Self::Stack => Region::Stack,
            Self::Heap => Region::Heap,
            Self::Global => Region::Globals,
            Self::Constant | Self::Function => Region::Constants,
        }
    }
}

plat_basics::ids! {
    /// The calls on the stack at an allocation, as far as they tell contexts apart: a number in a
    /// table of the engine's.
    CallString
}

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Site {
    /// The instruction that allocated it.
    Inst(InstId),
    /// This call allocated it, in this allocation context.
    Call(InstId, CallString),
    /// Made when this function was entered: an argument's copy, variable arguments.
    Frame(FuncId),
    /// It is this global.
    Global(GlobalId),
    /// It is this function.
    Function(FuncId),
    /// Made before the program starts: arguments, environment.
    Entry,
}

/// What is constant about an object; also what identifies it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ObjectInfo {
    /// Its address.
    pub number: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The alignment that was asked for.
    pub align: u64,
    /// What kind of thing it is.
    pub kind: Kind,
    /// Where it comes from.
    pub site: Site,
    /// Tells apart successive objects at one address. Stack addresses are used again and again;
    /// the count goes round, so that a long run has few stack objects, and a dangling pointer is
    /// recognised for as many rounds.
    pub life: u8,
}

/// No object has this number.
const NONE: ObjectId = ObjectId(u32::MAX);

/// Descriptions that were asked for lately: so many have a place.
const RECENT: usize = 4096;

/// What an object on the stack or the heap is described by but its number and its life, in few words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Kin {
    site: u64,
    rest: u64,
}

impl Kin {
    #[inline(always)]
    pub fn of(info: &ObjectInfo) -> Option<Self> {
        // Where the instruction was called does not matter for an object on the stack.
        let (inst, string) = match info.site {
            Site::Inst(inst) => (inst, u32::MAX),
            Site::Call(inst, CallString(string)) if string != u32::MAX => (inst, string),
            _ => return None,
        };
        let align = u64::from(info.align.trailing_zeros());
        let rest = (info.kind as u64) << 8 | align << 16 | info.size << 32;
        let short = info.size >> 32 == 0 && info.align.is_power_of_two();
        let site = u64::from(string) << 32 | u64::from(inst.0);
        short.then_some(Self { site, rest })
    }
}

/// What it is described by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Key {
    number: u64,
    site: u64,
    rest: u64,
}

impl Key {
    /// What no object has: no number is 0.
    const NONE: Self = Self {
        number: 0,
        site: 0,
        rest: 0,
    };

    #[inline(always)]
    fn new(kin: Kin, number: u64, life: u8) -> Self {
        Self {
            number,
            site: kin.site,
            rest: kin.rest | u64::from(life),
        }
    }

    /// Its place among [`RECENT`].
    #[inline(always)]
    fn place(self) -> usize {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let Self { number, site, rest } = self;
        let mixed = number.wrapping_mul(FACTOR) ^ site.rotate_left(24) ^ rest.rotate_right(24);
        (mixed.wrapping_mul(FACTOR) >> (u64::BITS - RECENT.ilog2())) as usize
    }
}

/// The table.
#[derive(Default, Debug)]
pub struct Objects {
    infos: Vec<ObjectInfo>,
    /// By hash of their description, with a part of it: at most half full, as long as a power of
    /// two. It is small beside the descriptions, which are looked at only where the hash agrees.
    ids: Vec<(u32, ObjectId)>,
    /// What was asked for lately, at the place of its description; empty at first.
    recent: Vec<(Key, ObjectId)>,
}

fn hash(info: &ObjectInfo) -> u64 {
    let mut hasher = FxHasher::default();
    info.hash(&mut hasher);
    hasher.finish()
}

impl Objects {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The object that `info` describes, made at its first use. Objects are made here only, so
    /// that the pool's ids are positions in this table.
    pub fn intern(&mut self, pool: &mut Pool, info: ObjectInfo) -> ObjectId {
        let hash = hash(&info);
        if let Some(id) = self.find(hash, &info) {
            return id;
        }
        let id = pool.new_object(info.number);
        assert_eq!(id.index(), self.infos.len(), "objects are made here only");
        assert_ne!(id, NONE, "more objects than numbers");
        self.infos.push(info);
        if 2 * self.infos.len() > self.ids.len() {
            self.grow();
        } else {
            self.enter(hash, id);
        }
        id
    }

    /// As [`Objects::intern`], for an object at the address of an earlier one: mostly one that was
    /// made there before.
    #[inline]
    pub fn again(&mut self, pool: &mut Pool, info: ObjectInfo) -> ObjectId {
        let Some(kin) = Kin::of(&info).filter(|_| info.number != 0) else {
            return self.intern(pool, info);
        };
        let key = Key::new(kin, info.number, info.life);
        let at = key.place();
        match self.recent.get(at) {
            Some(&(known, object)) if known == key => object,
            _ => self.note(pool, info, (at, key)),
        }
    }

    /// The object that was asked for lately by this description.
    #[inline(always)]
    pub(crate) fn recall(&self, kin: Kin, number: u64, life: u8) -> Option<ObjectId> {
        let key = Key::new(kin, number, life);
        let &(known, object) = self.recent.get(key.place())?;
        (known == key).then_some(object)
    }

    #[inline(never)]
    fn note(&mut self, pool: &mut Pool, info: ObjectInfo, (at, key): (usize, Key)) -> ObjectId {
        if self.recent.is_empty() {
            self.recent = vec![(Key::NONE, NONE); RECENT];
        }
        let object = self.intern(pool, info);
        self.recent[at] = (key, object);
        object
    }

    /// Where the search for a hash begins, and the part of it that is kept.
    fn parts(&self, hash: u64) -> (usize, u32) {
        (hash as usize & (self.ids.len() - 1), (hash >> 32) as u32)
    }

    fn find(&self, hash: u64, info: &ObjectInfo) -> Option<ObjectId> {
        if self.ids.is_empty() {
            return None;
        }
        let (mut at, part) = self.parts(hash);
        loop {
            let (other, id) = self.ids[at];
            if id == NONE {
                return None;
            }
            if other == part && self.infos[id.index()] == *info {
                return Some(id);
            }
            at = (at + 1) & (self.ids.len() - 1);
        }
    }

    /// Enters an object that is not there, where there is room.
    fn enter(&mut self, hash: u64, id: ObjectId) {
        let (mut at, part) = self.parts(hash);
        while self.ids[at].1 != NONE {
            at = (at + 1) & (self.ids.len() - 1);
        }
        self.ids[at] = (part, id);
    }

    #[cold]
    fn grow(&mut self) {
        let room = (4 * self.infos.len()).next_power_of_two().max(64);
        self.ids = vec![(0, NONE); room];
        for at in 0..self.infos.len() {
            self.enter(hash(&self.infos[at]), ObjectId::new(at));
        }
    }

    /// What is known about an object.
    pub fn get(&self, id: ObjectId) -> &ObjectInfo {
        &self.infos[id.index()]
    }

    /// Number of objects of the run so far.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Whether there is no object yet.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn equal_descriptions_are_one_object() {
        let (mut pool, mut objects) = (Pool::new(), Objects::new());
        let mut known: HashMap<ObjectInfo, ObjectId> = HashMap::new();
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..20_000 {
            let info = ObjectInfo {
                number: random.u64(..1 << 10) << 20,
                size: random.u64(..3),
                align: 8,
                kind: [Kind::Stack, Kind::Heap][random.usize(..2)],
                site: match random.u32(..4) {
                    0 => Site::Inst(InstId(random.u32(..2))),
                    1 => Site::Call(InstId(1), CallString(random.u32(..2))),
                    some => Site::Frame(FuncId(some)),
                },
                life: random.u64(..2) as u8,
            };
            let made = match random.u64(..3) {
                0 => objects.intern(&mut pool, info),
                _ => objects.again(&mut pool, info),
            };
            assert_eq!(*known.entry(info).or_insert(made), made);
            assert_eq!(*objects.get(made), info);
        }
        assert_eq!(objects.len(), known.len());
    }
}
