//! Identities: dense `u32` newtypes, so that an index into one table is never used in another.

plat_basics::ids! {
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
