//! Identities of states.

plat_basics::ids! {
    /// A state of the run; ids are given in order of creation and never used twice.
    StateId ""
}

plat_expr::plain!(StateId);
