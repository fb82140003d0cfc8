//! The rules of the simplifying constructors, one file per family of operators.
//!
//! The canonical forms they aim at: a constant is the right operand, and the outermost summand
//! of a sum; shifts by constants and contiguous masks are extractions and concatenations, so
//! that bytes taken apart and put together again are recognised; only `Eq`, `Ult` and `Slt`
//! compare, on numbers, with the constant on the right and narrow operands; conditions are 1 bit
//! wide and lose the widenings that C puts around them.

mod arith;
mod bits;
mod compare;
mod divide;
mod equal;
mod float;
pub(crate) mod lift;
mod select;
mod slices;
