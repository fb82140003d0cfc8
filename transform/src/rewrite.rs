//! The transform stage: annotations written, reallocation rewritten.

use crate::annotate::{Annotations, TRANSFORMED, annotate, mark};
use crate::error::TransformError;
use crate::module::{quiet_context, read, verify, write};
use crate::realloc::rewrite_realloc;
use std::path::Path;

/// What the transformation did.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TransformReport {
    /// Calls that carry a site number.
    pub sites: usize,
    /// Direct calls of realloc and reallocarray that became allocation, copy and release.
    pub rewritten: usize,
    /// Other uses of them that now name the runtime's function.
    pub redirected: usize,
}

/// Writes `annotations` into the module of `input`, rewrites reallocation with the functions of
/// the bitcode file `realloc`, and leaves the result in `out`.
///
/// # Errors
/// When a file is unusable or the annotations were made for another module. `out` is then
/// untouched.
pub fn transform(
    input: &Path,
    annotations: &Annotations,
    realloc: &Path,
    out: &Path,
) -> Result<TransformReport, TransformError> {
    let context = quiet_context();
    let module = read(&context, input)?;
    if module.get_global_metadata_size(TRANSFORMED) > 0 {
        return Err(TransformError::Transformed(input.display().to_string()));
    }
    // Annotations name calls by their ordinals, which rewriting changes.
    annotate(&context, &module, annotations)?;
    let (rewritten, redirected) = rewrite_realloc(&context, &module, realloc)?;
    mark(&context, &module)?;
    verify(&module, "transforming")?;
    write(&module, out)?;
    Ok(TransformReport {
        sites: annotations.sites.len(),
        rewritten,
        redirected,
    })
}
