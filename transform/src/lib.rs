//! Rewriting of whole-program bitcode, before analysis ([`link`]) and after it ([`transform`]).
//!
//! Linking adds the C library and lowers the module to what the executor runs well; the
//! transformation writes the analysis's result into the module and turns reallocation into
//! allocation, copy and release. Both take files and plain data and leave a file. Together with
//! the reader of `Program` this is the only code that names LLVM.

pub mod annotate;
mod archive;
mod computed_goto;
mod error;
mod file;
mod link;
mod long_double;
mod lower;
mod module;
pub mod native;
mod realloc;
mod resolve;
mod rewrite;

pub use annotate::{Annotations, ContextAnnotation, SiteAnnotation};
pub use error::TransformError;
pub use file::{STANDARD_OUTPUT, write_whole};
pub use link::{LinkOptions, LinkReport, link, link_and_end};
pub use rewrite::{TransformReport, transform, transform_and_end};
