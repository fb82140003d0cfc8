//! LLVM bitcode to [`plat_program::Program`], through LLVM. Only this crate and the transform name
//! LLVM.
//!
//! The reader numbers functions and globals, reads initialisers, then reads each body in two
//! passes: the first numbers blocks and registers, the second lowers instructions. What `Program`
//! cannot represent becomes [`plat_program::Inst::Unsupported`] or
//! [`plat_program::Constant::Unsupported`]. These end only the paths that reach them; the reader
//! refuses a module only if it is not well-formed.

mod annotations;
mod calls;
mod code;
mod constants;
mod constrained;
mod error;
mod foreign;
mod functions;
mod gep;
mod globals;
mod instructions;
mod llvm;
mod locations;
mod producer;
mod reader;
mod terminators;
mod types;
mod verify;

pub use code::drop_code;
pub use error::{ReadError, explain};
pub use llvm::on_fatal_error;
pub use reader::{Parsed, read};
pub use types::MOST_LANES;
pub use verify::{parser_does_not_verify, verify};
