//! The answer to whether a condition can hold.

use plat_expr::Assignment;

/// Whether a condition can hold.
#[derive(Clone, Debug)]
pub enum Feasible {
    /// It can; the assignment satisfies it and the path condition.
    Yes(Assignment),
    /// It cannot hold.
    No,
    /// Not decided, and why.
    Unknown(String),
}
