//! The files of tests, made from the container.

use super::case::stem;
use super::saved::SavedTest;
use crate::Error;
use crate::output::directory::write_whole;
use std::path::{Path, PathBuf};

/// Writes the files of a test into a directory that exists, as the run would have written them.
/// Returns the path of its `.ktest` file.
///
/// # Errors
/// When a file cannot be written.
pub fn extract(test: &SavedTest, arguments: &[Vec<u8>], to: &Path) -> Result<PathBuf, Error> {
    let name = stem(test.number);
    for (end, contents) in test.files(arguments) {
        write_whole(&to.join(format!("{name}.{end}")), &contents)?;
    }
    Ok(to.join(name + ".ktest"))
}
