//! What the analyses and the executor share below everything else: indices with a type
//! ([`ids!`]), the operations on integers ([`integer`]) and the generator of random numbers
//! ([`SplitMix64`]).

#![forbid(unsafe_code)]

mod ids;
pub mod integer;
mod random;

pub use integer::{BinaryOp, IntPredicate};
pub use random::SplitMix64;
#[doc(hidden)]
pub use serde;
