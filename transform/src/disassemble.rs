//! Bitcode as text, for people and for tools that speak of lines of it.

use crate::error::TransformError;
use crate::module::{quiet_context, read};
use std::path::Path;

/// The textual IR of a file of bitcode.
///
/// # Errors
/// When the file is unusable.
pub fn disassemble(input: &Path) -> Result<String, TransformError> {
    let context = quiet_context();
    let module = read(&context, input)?;
    Ok(module.print_to_string().to_string())
}
