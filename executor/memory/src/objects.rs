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

/// The calls on the stack at an allocation, as far as they tell contexts apart: a number in a table
/// of the engine's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CallString(pub u32);

/// Where an object comes from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

/// What has followed an object at its address, with what tells it from others that may: mostly that
/// need not be looked up with the object itself.
#[derive(Clone, Copy, Debug)]
struct Successor {
    object: ObjectId,
    /// The instruction that has made it; [`u32::MAX`] if something else has.
    inst: u32,
    size: u32,
    align: u32,
}

impl Successor {
    const NONE: Self = Self {
        object: NONE,
        inst: u32::MAX,
        size: 0,
        align: 0,
    };

    fn of(object: ObjectId, info: &ObjectInfo) -> Self {
        match (
            info.site,
            u32::try_from(info.size),
            u32::try_from(info.align),
        ) {
            (Site::Inst(inst), Ok(size), Ok(align)) => Self {
                object,
                inst: inst.0,
                size,
                align,
            },
            _ => Self {
                object,
                ..Self::NONE
            },
        }
    }
}

/// The table.
#[derive(Default, Debug)]
pub struct Objects {
    infos: Vec<ObjectInfo>,
    /// By hash of their description, with a part of it: at most half full, as long as a power of
    /// two. It is small beside the descriptions, which are looked at only where the hash agrees.
    ids: Vec<(u32, ObjectId)>,
    /// By object: one that has followed it at its address, once there was one.
    successors: Vec<Successor>,
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
        self.successors.push(Successor::NONE);
        if 2 * self.infos.len() > self.ids.len() {
            self.grow();
        } else {
            self.enter(hash, id);
        }
        id
    }

    /// As [`Objects::intern`], for an object at the address of an earlier one: mostly the object
    /// that has followed that one before.
    pub fn successor(&mut self, pool: &mut Pool, before: ObjectId, info: ObjectInfo) -> ObjectId {
        let known = self.successors[before.index()].object;
        if known != NONE && self.infos[known.index()] == info {
            return known;
        }
        let object = self.intern(pool, info);
        self.successors[before.index()] = Successor::of(object, &info);
        object
    }

    /// The object of an instruction that has followed an earlier one at its address, with the next
    /// life, if that is the one that did so last.
    #[inline]
    pub fn next(&self, before: ObjectId, inst: InstId, size: u64, align: u64) -> Option<ObjectId> {
        let known = self.successors[before.index()];
        let same = known.inst == inst.0
            && known.inst != u32::MAX
            && u64::from(known.size) == size
            && u64::from(known.align) == align;
        same.then_some(known.object)
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
        let mut random = plat_allocator::reference::Random::new(5);
        let mut last: Option<ObjectId> = None;
        for _ in 0..20_000 {
            let info = ObjectInfo {
                number: random.below(1 << 10) << 20,
                size: random.below(3),
                align: 8,
                kind: Kind::Stack,
                site: Site::Frame(FuncId(random.below(2) as u32)),
                life: random.below(2) as u8,
            };
            let made = match last.filter(|_| info.life == 0) {
                Some(before) => objects.successor(&mut pool, before, info),
                None => objects.intern(&mut pool, info),
            };
            assert_eq!(*known.entry(info).or_insert(made), made);
            assert_eq!(*objects.get(made), info);
            last = Some(made);
        }
        assert_eq!(objects.len(), known.len());
    }

    #[test]
    fn the_next_object_at_an_address_is_known_by_its_parts() {
        let (mut pool, mut objects) = (Pool::new(), Objects::new());
        let info = |inst, size, life| ObjectInfo {
            number: 64,
            size,
            align: 8,
            kind: Kind::Stack,
            site: Site::Inst(InstId(inst)),
            life,
        };
        let first = objects.intern(&mut pool, info(1, 16, 0));
        assert_eq!(objects.next(first, InstId(2), 16, 8), None);
        let second = objects.successor(&mut pool, first, info(2, 16, 1));
        assert_eq!(objects.next(first, InstId(2), 16, 8), Some(second));
        for (inst, size, align) in [(1, 16, 8), (2, 17, 8), (2, 16, 4), (u32::MAX, 0, 0)] {
            assert_eq!(objects.next(first, InstId(inst), size, align), None);
        }
        let other = ObjectInfo {
            site: Site::Frame(FuncId(2)),
            ..info(2, 16, 1)
        };
        objects.successor(&mut pool, first, other);
        assert_eq!(objects.next(first, InstId(2), 16, 8), None);
    }
}
