//! What an allocation asks for.

use crate::objects::{Kind, ObjectInfo, Site};
use plat_program::GroupId;

/// What to allocate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// What kind of object.
    pub kind: Kind,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment, a power of two.
    pub align: u64,
    /// What allocates it.
    pub site: Site,
    /// The group of the allocation's context.
    pub group: Option<GroupId>,
    /// The allocation context itself, as far as contexts of the group are told apart.
    pub context: Option<u32>,
    /// Whether the program relies on zeros. Fresh contents are zero in any case, so that all
    /// models read the same from uninitialised memory.
    pub zero: bool,
}

impl Request {
    /// What identifies the object at an address, in its turn.
    pub(crate) fn info(&self, number: u64, life: u8) -> ObjectInfo {
        ObjectInfo {
            number,
            size: self.size,
            align: self.align,
            kind: self.kind,
            site: self.site,
            life,
        }
    }
}
