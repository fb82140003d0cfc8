//! What a comparison of two memories takes for equal.

use plat_expr::{ExprId, Pool};

/// Whether two expressions of the same width may count as equal, though they are not the same.
pub type Alike<'f> = &'f mut dyn FnMut(&mut Pool, ExprId, ExprId) -> bool;
