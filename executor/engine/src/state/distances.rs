//! Distances between objects that the program has computed.
//!
//! Programs that move a table adjust the pointers into it by `new - old`. A pointer into `old` to which this is added
//! is one into `new`, though it is outside of its object. Other pointers outside of their object stay what they are,
//! errors to be.
//!
//! Such a program looks at this for each pointer that it moves, so a word says from which objects there may be one.

use plat_expr::{ObjectId, Pool, Value};
use plat_memory::Memory;

/// Most pairs that are kept.
const MOST: usize = 64;

/// Pairs of objects whose distance the program has computed: from, to.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Distances {
    pairs: Vec<(ObjectId, ObjectId)>,
    /// A bit for each object from which there is a distance, by the last bits of its number.
    from: u64,
}

fn bit(object: ObjectId) -> u64 {
    1 << (object.0 % 64)
}

impl Distances {
    /// Notes that the distance from one object to another one is known.
    pub fn note(&mut self, from: ObjectId, to: ObjectId) {
        self.pairs.push((from, to));
        self.from |= bit(from);
    }

    /// Whether another distance from one object to another one can be noted.
    pub fn takes(&self, from: ObjectId, to: ObjectId) -> bool {
        self.pairs.len() < MOST && !self.pairs.contains(&(from, to))
    }

    /// The pairs, in the order in which they were noted.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, ObjectId)> {
        self.pairs.iter().copied()
    }

    /// How many pairs there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether a pointer into an object stays one when it is moved, wherever it is moved to.
    #[inline(always)]
    pub fn keep(&self, object: ObjectId) -> bool {
        self.from & bit(object) == 0
    }

    /// A pointer from an object that does not [keep](Distances::keep) its own, moved to the one that it has come to by a
    /// computed distance.
    #[cold]
    #[inline(never)]
    pub fn redirected(
        &self,
        pool: &Pool,
        memory: &Memory,
        (object, offset): (ObjectId, i64),
    ) -> Value {
        let inside = |object, offset: i64| {
            let known = memory.object(object);
            known.is_some_and(|known| u64::try_from(offset).is_ok_and(|at| at <= known.size))
        };
        if inside(object, offset) {
            return Value::Pointer(object, offset);
        }
        let number = pool.object_number(object).wrapping_add_signed(offset);
        let reached = self.pairs.iter().find_map(|&(from, to)| {
            let offset = number.wrapping_sub(pool.object_number(to)).cast_signed();
            (from == object && inside(to, offset)).then_some(Value::Pointer(to, offset))
        });
        reached.unwrap_or(Value::Pointer(object, offset))
    }
}
