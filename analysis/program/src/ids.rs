//! Identities: dense `u32` newtypes, so that an index into one table is never used in another.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table that this id indexes.
            pub const fn index(self) -> usize { self.0 as usize }
            /// The id of position `index`.
            ///
            /// # Panics
            /// If `index` exceeds `u32::MAX`.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }
        }
    )*};
}

ids! {
    /// A function, defined or only declared ([`crate::Program::functions`]).
    FuncId
    /// A basic block of one function ([`crate::Function::blocks`]); block 0 is the entry.
    BlockId
    /// An instruction of the whole program: [`crate::Function::first_inst`] + its position.
    InstId
    /// A virtual register of one function; the parameters come first.
    Reg
    /// A constant of the program ([`crate::Program::constants`]).
    ConstId
    /// A global variable ([`crate::Program::globals`]).
    GlobalId
    /// An interned type ([`crate::Types`]).
    TypeId
    /// A source location ([`crate::Program::locations`]); 0 means unknown.
    LocId
    /// A control-flow edge of one function ([`crate::Function::edges`]).
    EdgeId
    /// An allocation site or a call on the way to one: the number in `!plat.site` metadata.
    SiteId
    /// A group of allocation contexts that may alias (one segment, plus its overflow segments).
    GroupId
}
