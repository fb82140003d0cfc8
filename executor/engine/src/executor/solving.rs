//! The solver as the executor uses it.

use plat_solver::{Effort, Oracle};

plat_expr::holder!(Solving { oracle } plain { effort });

/// The solver chain, and how much work it may put into a query.
pub struct Solving {
    /// Answers queries.
    pub oracle: Oracle,
    /// How much work a query of the running step may take.
    pub(crate) effort: Effort,
}
