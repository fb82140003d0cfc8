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
use rustc_hash::FxHashMap;

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

/// The table.
#[derive(Default, Debug)]
pub struct Objects {
    infos: Vec<ObjectInfo>,
    ids: FxHashMap<ObjectInfo, ObjectId>,
    /// Some of the last ones, each where its description says.
    recent: Vec<Option<ObjectId>>,
}

/// Objects that are found without a look into the map. Stack objects come again and again.
const RECENT: u32 = 1 << 13;

impl ObjectInfo {
    /// Where it is among the recent objects.
    fn recent(&self) -> usize {
        let site = match self.site {
            Site::Inst(inst) | Site::Call(inst, _) => inst.0,
            Site::Frame(function) | Site::Function(function) => function.0,
            Site::Global(global) => global.0,
            Site::Entry => 0,
        };
        let life = u64::from(self.life) << 56;
        let parts = self.number ^ self.size << 8 ^ u64::from(site) << 24 ^ life;
        let mixed = parts.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - RECENT.ilog2())) as usize
    }
}

impl Objects {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// The object that `info` describes, made at its first use. Objects are made here only, so
    /// that the pool's ids are positions in this table.
    pub fn intern(&mut self, pool: &mut Pool, info: ObjectInfo) -> ObjectId {
        let at = info.recent();
        if let Some(&Some(id)) = self.recent.get(at)
            && self.infos[id.index()] == info
        {
            return id;
        }
        let id = self.intern_new(pool, info);
        if self.recent.is_empty() {
            self.recent = vec![None; RECENT as usize];
        }
        self.recent[at] = Some(id);
        id
    }

    fn intern_new(&mut self, pool: &mut Pool, info: ObjectInfo) -> ObjectId {
        if let Some(&id) = self.ids.get(&info) {
            return id;
        }
        let id = pool.new_object(info.number);
        assert_eq!(id.index(), self.infos.len(), "objects are made here only");
        self.infos.push(info);
        self.ids.insert(info, id);
        id
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
