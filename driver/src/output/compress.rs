//! The trie in the directory of a run, replaced by a smaller one.

use crate::Error;
use crate::trie::record::Record;
use crate::trie::{FILE, Trie};
use plat_store::Writer;
use std::fmt::Display;
use std::path::Path;

/// Bytes of a file, before and after.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compressed {
    /// Before.
    pub from: u64,
    /// After.
    pub to: u64,
}

/// Compresses the trie of a run ([`Trie::write_compressed`]). It is written beside the old one and then
/// takes its place.
///
/// # Errors
/// When there is none, a run writes to it, or it cannot be written.
pub fn compress(directory: &Path) -> Result<Compressed, Error> {
    let wrong = |path: &Path, why: &dyn Display| Error::input(format!("{}: {why}", path.display()));
    let path = directory.join(FILE);
    let trie = Trie::read(directory)?;
    // Held until the new file is in place.
    let held = Writer::<Record>::reopen(&path).map_err(|why| wrong(&path, &why))?;
    let new = directory.join(format!("{FILE}.new"));
    // Of an attempt that was ended.
    if new.exists() {
        std::fs::remove_file(&new).map_err(|why| wrong(&new, &why))?;
    }
    trie.write_compressed(&new)?;
    std::fs::rename(&new, &path).map_err(|why| wrong(&new, &why))?;
    drop(held);
    let to = std::fs::metadata(&path).map_err(|why| wrong(&path, &why))?;
    Ok(Compressed {
        from: trie.bytes.0 + trie.bytes.1,
        to: to.len(),
    })
}
