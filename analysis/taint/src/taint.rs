//! Taints, and their propagation along the edges of the flow graph.

use std::ops::{BitOr, BitOrAssign};

/// A set of the three taints.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Taint(u8);

impl Taint {
    /// Not tainted.
    pub const NONE: Taint = Taint(0);
    /// Derives from input.
    pub const DATA: Taint = Taint(1);
    /// An address at a symbolic offset in an object that is known on each path.
    pub const OFFSET: Taint = Taint(2);
    /// The address of one of several objects.
    pub const CHOICE: Taint = Taint(4);

    /// Whether none is set.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether it has one of `other`.
    pub const fn meets(self, other: Taint) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether it has all of `other`.
    pub const fn has(self, other: Taint) -> bool {
        self.0 & other.0 == other.0
    }

    /// The taints without those of `other`.
    pub const fn without(self, other: Taint) -> Taint {
        Taint(self.0 & !other.0)
    }

    /// Whether an address with these taints is symbolic.
    pub const fn is_address(self) -> bool {
        self.meets(Taint(Self::OFFSET.0 | Self::CHOICE.0))
    }
}

impl BitOr for Taint {
    type Output = Taint;
    fn bitor(self, other: Taint) -> Taint {
        Taint(self.0 | other.0)
    }
}

impl BitOrAssign for Taint {
    fn bitor_assign(&mut self, other: Taint) {
        self.0 |= other.0;
    }
}

/// What a value can be, by its type and points-to set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Not an address: its points-to set is empty.
    Number,
    /// A number or an address.
    Either,
    /// An address, by its type. If computed from data alone, it points to no object.
    Address,
}

/// How the source of an edge influences its target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The target is the source, or an address in the same object.
    Flow,
    /// The target is computed from the source.
    Data,
    /// The target is an address at an offset computed from the source.
    Index,
    /// The source selects the target among several values.
    Choose,
    /// The target is read through the source, and can be an address.
    ReadAddress,
    /// The target is read through the source, and is narrower than an address.
    ReadBytes,
    /// The target is memory; an address is stored to it through the source.
    StoreAddress,
    /// The target is memory; null or another address of no object is stored to it through the
    /// source.
    StoreNull,
    /// The target is memory; something narrower than an address is stored to it through the source.
    StoreBytes,
}

impl Kind {
    /// The taints that pass from a source with taints `from` to a target of class `to`.
    pub fn pass(self, from: Taint, to: Class) -> Taint {
        if from.is_none() {
            return from;
        }
        let passed = match self {
            Kind::Flow => from,
            Kind::Data => Taint::DATA,
            Kind::Index => Taint::OFFSET,
            Kind::Choose => Taint::DATA | Taint::CHOICE,
            _ if !from.is_address() => Taint::NONE,
            Kind::ReadAddress | Kind::StoreAddress => Taint::DATA | Taint::CHOICE,
            Kind::StoreNull => Taint::DATA | Taint::OFFSET,
            Kind::ReadBytes | Kind::StoreBytes => Taint::DATA,
        };
        match to {
            Class::Number if !passed.is_none() => Taint::DATA,
            Class::Number | Class::Either => passed,
            Class::Address => passed.without(Taint::DATA),
        }
    }

    /// Whether passing [`Taint::CHOICE`] makes a new choice; a flow only copies it.
    pub fn chooses(self) -> bool {
        matches!(self, Kind::Choose | Kind::ReadAddress | Kind::StoreAddress)
    }
}
