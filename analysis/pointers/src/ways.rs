//! How blocks are copied: where a block starts in either object, and its length. Between thousands of
//! objects there are few ways, so a copy is kept as two objects and the number of its way.

use crate::constraints::{BlockCopy, Object};
use rustc_hash::FxHashMap;

/// A way, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Way(u32);

/// The ways that were met. Each is a copy, between any objects.
#[derive(Clone, Default, Debug)]
pub struct Ways {
    all: Vec<BlockCopy>,
    known: FxHashMap<BlockCopy, Way>,
}

impl Ways {
    /// The way of a copy.
    pub fn of(&mut self, copy: BlockCopy) -> Way {
        let way = between(Object(0), Object(0), copy);
        *self.known.entry(way).or_insert_with(|| {
            self.all.push(way);
            Way(self.all.len() as u32 - 1)
        })
    }

    /// The copy between two objects that goes this way.
    pub fn copy(&self, source: Object, target: Object, way: Way) -> BlockCopy {
        between(source, target, self.all[way.0 as usize])
    }
}

fn between(source: Object, target: Object, copy: BlockCopy) -> BlockCopy {
    BlockCopy {
        source,
        target,
        ..copy
    }
}
