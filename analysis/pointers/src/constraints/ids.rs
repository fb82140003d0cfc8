//! The numbers of nodes, objects and callables.

plat_basics::ids! {
    /// A variable of the analysis.
    Node "n"
    /// An abstract memory object ([`super::System::objects`]).
    Object "o"
    /// Something that can be called ([`super::System::callables`]).
    Callable "f"
}
