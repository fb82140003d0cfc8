//! Identities: dense `u32` newtypes, so that an index into one table is never used in another.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table that this id indexes.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
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
    /// An expression of a [`crate::Pool`]; equal ids are equal expressions, and the reverse.
    ExprId
    /// A memory object, unique in the whole run; its number (address) never changes.
    ObjectId
    /// A named array of symbolic bytes, for instance one `klee_make_symbolic`.
    SymbolId
    /// An interned list of equally wide expressions that is read at a symbolic index.
    TableId
    /// An interned list of values: a structure or an array in a register.
    AggregateId
}
