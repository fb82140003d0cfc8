//! What a trie says of its run as a whole, read without its nodes: there may be millions of them.

use super::coverage::Coverage;
use super::record::Variant;
use super::tree::{Trie, open};
use crate::Error;
use plat_engine::outcome::KnownFault;
use plat_protocol::decode_start;
use plat_store::TailKind;
use std::path::Path;

/// The trie of a run without its nodes and their places.
fn figures(directory: &Path) -> Result<Trie, Error> {
    let reader = open(directory)?;
    let path = directory.join(super::FILE);
    let wrong = |why: plat_store::Error| Error::input(format!("{}: {why}", path.display()));
    if let Some(tail) = reader.tail()
        && tail.kind == TailKind::Damaged
    {
        return Err(wrong(plat_store::Error::Damaged { at: tail.at }));
    }
    let mut trie = Trie {
        header: reader.header().clone(),
        ..Trie::default()
    };
    for number in 0..reader.len() {
        let variant = reader.read(number, |bytes| Ok(decode_start::<Variant>(bytes)?.0));
        if variant.map_err(wrong)?.is_of_the_run() {
            trie.add_figures(reader.get(number).map_err(wrong)?);
        }
    }
    Ok(trie)
}

/// What a run has covered.
///
/// # Errors
/// When the run has no trie, or it is damaged.
pub fn coverage(directory: &Path) -> Result<Coverage, Error> {
    Ok(figures(directory)?.coverage())
}

/// The errors of a run, with the path that stands for each.
///
/// # Errors
/// When the run has no trie, or it is damaged.
pub fn faults(directory: &Path) -> Result<Vec<KnownFault>, Error> {
    Ok(figures(directory)?.faults)
}
