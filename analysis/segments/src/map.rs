//! The segment map: allocation contexts and their groups, as plain data.

use crate::unions::Union;
use plat_program::{GroupId, SiteId};
use serde::{Deserialize, Serialize};

/// The version of the file format.
pub const VERSION: u32 = 1;

/// The format name in the file.
pub const FORMAT: &str = "plat segments";

/// Whose points-to sets are united.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unify {
    /// The sets of all pointers, as in the paper, including pointers in memory.
    All,
    /// The sets of pointers that an instruction or library function dereferences. A pointer that is
    /// only passed on (to `free`, or in a `void *` parameter) does not count.
    Dereferenced,
    /// The sets of choices that symbolic input makes and that are dereferenced afterwards. Every
    /// other object is in no group, as no symbolic pointer can choose between it and others.
    #[default]
    Symbolic,
}

impl Unify {
    /// All of them, with their names.
    pub const ALL: [(&'static str, Unify); 3] = [
        ("all", Unify::All),
        ("dereferenced", Unify::Dereferenced),
        ("symbolic", Unify::Symbolic),
    ];

    /// The one of the given name.
    pub fn named(name: &str) -> Option<Unify> {
        let found = Self::ALL.iter().find(|entry| entry.0 == name);
        found.map(|entry| entry.1)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|entry| entry.1 == self);
        found.map_or("", |entry| entry.0)
    }
}

/// A call on the way to an allocation, identified by its place in the bitcode.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Site {
    /// Its number: its position in the table.
    pub id: SiteId,
    /// The calling function.
    pub function: String,
    /// Ordinal of the call among the calls of that function.
    pub call: u32,
    /// The called function; `*` for a call through a pointer.
    pub callee: String,
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
}

/// An allocation context: a call string that ends in an allocation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Context {
    /// The calls on the way, outermost first; the last is the allocating call.
    pub chain: Vec<SiteId>,
    /// Its group; none if no counted set contains its objects.
    pub group: Option<GroupId>,
}

/// The partition of a program's heap.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SegmentMap {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The name of the program.
    pub program: String,
    /// Its fingerprint, from the points-to result.
    pub fingerprint: String,
    /// Whose sets were united.
    pub unify: Unify,
    /// The sites.
    pub sites: Vec<Site>,
    /// The contexts.
    pub contexts: Vec<Context>,
    /// Number of groups.
    pub groups: u32,
    /// Why they are groups; empty where that was not asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unions: Vec<Union>,
}

impl SegmentMap {
    /// The number of allocating calls, whatever their contexts.
    pub fn allocating_sites(&self) -> usize {
        let last = self.contexts.iter().filter_map(|one| one.chain.last());
        last.collect::<std::collections::BTreeSet<_>>().len()
    }

    /// The number of contexts in each group.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.groups as usize];
        for group in self.contexts.iter().filter_map(|context| context.group) {
            sizes[group.index()] += 1;
        }
        sizes
    }
}
