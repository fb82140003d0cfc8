//! Index types: a `u32` newtype for each table.

plat_basics::ids! {
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
