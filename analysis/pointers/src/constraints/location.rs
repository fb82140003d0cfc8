//! Locations, what points-to sets are made of, and the steps that arithmetic makes with them.
//!
//! Integers carry locations too: a pointer copied by an integer load and store, an address
//! rounded by arithmetic. The two are told apart by a flag, because they need opposite care. A
//! location that an integer instruction merely *loaded* is most often a neighbour of the field
//! that is meant (in objects whose offsets were given up), and sums and differences of such
//! values are numbers. A location that was *computed as an integer* comes from a conversion of a
//! pointer, and any arithmetic on it yields an address again.

use super::ids::Object;
use super::offset::Offset;
use std::fmt;

/// An object and an offset in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The object.
    pub object: Object,
    /// Where in it.
    pub offset: Offset,
    /// Whether the address was converted to an integer on its way.
    pub integer: bool,
}

impl Location {
    /// The address of an offset in an object.
    pub const fn new(object: Object, offset: Offset) -> Self {
        Self {
            object,
            offset,
            integer: false,
        }
    }

    /// All offsets of its object.
    pub const fn whole(self) -> Self {
        Self {
            offset: Offset::ANY,
            ..self
        }
    }

    /// Whether whatever follows from `other` follows from this.
    pub fn covers(self, other: Location) -> bool {
        self.object == other.object
            && self.integer == other.integer
            && self.offset.covers(other.offset)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.integer { "int " } else { "" };
        write!(out, "{kind}{}+{}", self.object, self.offset)
    }
}

/// Which locations a step takes along, and as what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Passage {
    /// All, as they are.
    All,
    /// All, as computed integers.
    ToInteger,
    /// All, as addresses.
    ToPointer,
    /// Computed integers only.
    IntegersOnly,
}

/// Arithmetic on a pointer or on an integer that carries one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Displacement {
    /// How far.
    pub by: Offset,
    /// For which locations.
    pub how: Passage,
}

impl Displacement {
    /// The step that changes nothing.
    pub const NONE: Displacement = Displacement::by(Offset::ZERO);

    /// A step of all locations.
    pub const fn by(by: Offset) -> Self {
        Self {
            by,
            how: Passage::All,
        }
    }
}

impl fmt::Display for Displacement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.how {
            Passage::All => "",
            Passage::ToInteger => " as integer",
            Passage::ToPointer => " as pointer",
            Passage::IntegersOnly => " if integer",
        };
        write!(out, "{}{how}", self.by)
    }
}
