//! The transform stage: writes annotations and rewrites reallocation.

use crate::annotate::{Annotations, TRANSFORMED, annotate, mark};
use crate::error::{TransformError, first_line};
use crate::module::{check_layout, quiet_context, read, read_verified, verify_loose, write};
use crate::realloc::rewrite_realloc;
use inkwell::context::Context;
use inkwell::module::Module;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Statistics of the transformation.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct TransformReport {
    /// Calls that carry a site number.
    pub sites: usize,
    /// Rewritten direct calls of realloc and reallocarray.
    pub rewritten: usize,
    /// Other uses, redirected to the runtime's functions.
    pub redirected: usize,
}

/// Writes `annotations` into the module of `input`, rewrites reallocation with the functions of the
/// bitcode file `realloc`, and writes the result to `out`.
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
    Stage {
        input,
        realloc,
        out,
    }
    .run(&context, annotations)
    .map(|(_, report)| report)
}

/// As [`transform`], for a process that exits afterwards: LLVM's memory is not freed, which is
/// faster.
///
/// # Errors
/// Those of [`transform`].
pub fn transform_and_end(
    input: &Path,
    annotations: &Annotations,
    realloc: &Path,
    out: &Path,
) -> Result<TransformReport, TransformError> {
    let context = Box::leak(Box::new(quiet_context()));
    let (module, report) = Stage {
        input,
        realloc,
        out,
    }
    .run(context, annotations)?;
    std::mem::forget(module);
    Ok(report)
}

/// The files of the stage.
struct Stage<'a> {
    input: &'a Path,
    realloc: &'a Path,
    out: &'a Path,
}

impl Stage<'_> {
    fn run<'c>(
        &self,
        context: &'c Context,
        annotations: &Annotations,
    ) -> Result<(Module<'c>, TransformReport), TransformError> {
        let module = read(context, self.input)?;
        check_layout(&module, self.input)?;
        if module.get_global_metadata_size(TRANSFORMED) > 0 {
            let path = self.input.display().to_string();
            return Err(TransformError::Transformed(path));
        }
        // First, as annotations name calls by ordinals, which rewriting changes.
        annotate(context, &module, annotations)?;
        let (rewritten, redirected) = rewrite_realloc(context, &module, self.realloc)?;
        mark(context, &module)?;
        if let Err(why) = verify_loose(&module) {
            // Either the input or the result is malformed.
            read_verified(context, self.input)?;
            return Err(TransformError::Malformed("transforming", first_line(&why)));
        }
        write(&module, self.out)?;
        let report = TransformReport {
            sites: annotations.sites.len(),
            rewritten,
            redirected,
        };
        Ok((module, report))
    }
}
