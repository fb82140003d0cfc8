//! The shape of a block copy: where the block starts in either object, and its length. Between
//! thousands of objects there are few shapes, so a copy is kept as two objects and the number of
//! its shape.

use crate::constraints::{BlockCopy, Object};
use rustc_hash::FxHashMap;

plat_basics::ids! {
    /// A shape of block copies, by its number.
    BlockShape
}

/// The shapes of the copies that were met. Each is kept as a copy, between any objects.
#[derive(Clone, Default, Debug)]
pub struct BlockShapes {
    all: Vec<BlockCopy>,
    known: FxHashMap<BlockCopy, BlockShape>,
}

impl BlockShapes {
    /// The shape of a copy.
    pub fn of(&mut self, copy: BlockCopy) -> BlockShape {
        let shape = between(Object(0), Object(0), copy);
        *self.known.entry(shape).or_insert_with(|| {
            self.all.push(shape);
            BlockShape::new(self.all.len() - 1)
        })
    }

    /// The copy of this shape between two objects.
    pub fn copy(&self, source: Object, target: Object, shape: BlockShape) -> BlockCopy {
        between(source, target, self.all[shape.index()])
    }
}

fn between(source: Object, target: Object, copy: BlockCopy) -> BlockCopy {
    BlockCopy {
        source,
        target,
        ..copy
    }
}
