//! Rewrites whole-program bitcode, before the analysis ([`link`]) and after it ([`transform`]).
//!
//! Linking adds the C library and lowers the module for the executor. The transformation annotates
//! the module with the analysis result and rewrites reallocation as allocation, copy and release.
//! Both take files and plain data and write a file. Only this crate and the reader of `Program`
//! name LLVM.

pub mod annotate;
mod archive;
mod computed_goto;
mod error;
mod escaping;
mod file;
mod function_alias;
mod libraries;
mod link;
mod long_double;
mod lower;
mod module;
pub mod native;
mod one_thread;
mod realloc;
mod resolve;
mod rewrite;
mod syscall_instruction;

pub use annotate::{Annotations, ContextAnnotation, SiteAnnotation};
pub use error::TransformError;
pub use file::{STANDARD_OUTPUT, write_whole};
pub use function_alias::{Aliased, FunctionAlias};
pub use link::{HARNESS, LinkOptions, LinkReport, link, link_and_end};
pub use rewrite::{TransformReport, transform, transform_and_end};
