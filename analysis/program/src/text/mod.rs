//! `Program` as text, for people and for tests that write programs by hand. [`parse()`] reads what
//! [`Display`](std::fmt::Display) writes: the program that it gives is the one that was written,
//! [renumbered](crate::Program::renumbered).
//!
//! ```text
//! program "example.bc"
//! file f0 "/src/example.c"
//! @table = global 24 bytes, align 8 at f0:1:0 {
//!   0: "abc"
//!   8: 8 bytes @table+16
//! }
//!
//! declare ptr @malloc(i64 %0)
//!
//! define i32 @count(ptr %0 "text") at f0:3:0 {
//! b0:
//!   jump b1(%0, 0) at f0:4:3
//! b1(ptr %1, i32 %2):
//!   %3 = load i8 %1, align 1 at f0:5:10
//!   %4 = icmp eq i8 %3, 0
//!   branch %4, b3, b2
//! b2:
//!   %5 = address %1, +1
//!   %6 = add i32 %2, 1
//!   jump b1(%5, %6)
//! b3:
//!   return %2
//! }
//! ```
//!
//! - A line is one thing. `;` begins a comment.
//! - Registers `%0`, `%1`, ... and blocks `b0`, `b1`, ... are numbered from 0 without gaps, blocks
//!   in order. Parameters of functions are the first registers. What an edge writes to the registers
//!   of its target (the phis) stands behind the target; the target names the registers.
//! - A constant has its type in front of it where the instruction does not say it:
//!   `call i32 @f(i32 5, %1)`.
//! - `%5: i32 = ...` says the type of a result that the instruction does not say;
//!   `undefined i32 %5` in the first line of a body names a register that nothing defines.
//! - A structure is laid out as for C (`{i8, i32}`), packed (`<{i8, i32}>`) or as it says
//!   (`{i8 at 0, i32 at 8, size 12}`).
//! - `!call 4` is the ordinal of a call, where it is not that of the call before plus 1; `!site 4`
//!   is its annotation. `context 9 4 in group 0` is an allocation context.
//! - `at f0:3:5, inlined at f0:9:1` is the source location: file, line and column.
//! - Symbols that are defined more than once are named by number: `@#f3` is function 3, `@#g3` is
//!   global 3.

mod parse;
mod print;
mod words;

pub use parse::{ParseError, parse};
pub use print::inst;
