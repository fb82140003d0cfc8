//! Archives of bitcode members (`ar` files), read through their symbol index.
//!
//! Format: the magic line, then members with a 60-byte header each; the first member, `/` (or
//! `/SYM64/`), maps symbols to the header offsets of the members that define them.

use crate::error::TransformError;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

const MAGIC: &[u8] = b"!<arch>\n";
const HEADER: usize = 60;

/// An archive in memory.
pub struct Archive {
    name: String,
    bytes: Vec<u8>,
    index: FxHashMap<String, usize>,
}

impl Archive {
    /// Whether a file begins as an archive does.
    pub fn is_one(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && start == MAGIC
    }

    /// Reads an archive and its index.
    pub fn open(path: &Path) -> Result<Archive, TransformError> {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| TransformError::file(path, &why))?;
        let fail = |why: &str| TransformError::Archive(name.clone(), why.to_owned());
        if !bytes.starts_with(MAGIC) {
            return Err(fail("not an archive"));
        }
        let index = member(&bytes, MAGIC.len())
            .and_then(|(name, body)| match name {
                "/" => symbols::<4>(body),
                "/SYM64/" => symbols::<8>(body),
                _ => None,
            })
            .ok_or_else(|| fail("no symbol index; run llvm-ranlib on it"))?;
        Ok(Archive { name, bytes, index })
    }

    /// Whether the first member that defines something is bitcode.
    pub fn holds_bitcode(&self) -> bool {
        let first = self.index.values().min();
        let body = first.and_then(|&place| Some(member(&self.bytes, place)?.1));
        body.is_some_and(|body| body.starts_with(b"BC\xc0\xde"))
    }

    /// The offset of the member that defines a symbol.
    pub fn defining(&self, symbol: &str) -> Option<usize> {
        self.index.get(symbol).copied()
    }

    /// The contents of the member at `offset`, and a name for messages.
    pub fn member(&self, offset: usize) -> Result<(String, &[u8]), TransformError> {
        let (name, body) = member(&self.bytes, offset).ok_or_else(|| {
            TransformError::Archive(self.name.clone(), "it is truncated".to_owned())
        })?;
        Ok((
            format!("{}({})", self.name, name.trim_end_matches('/')),
            body,
        ))
    }
}

/// Name and contents of the member whose header starts at `offset`.
fn member(bytes: &[u8], offset: usize) -> Option<(&str, &[u8])> {
    let header = bytes.get(offset..offset.checked_add(HEADER)?)?;
    let field = |from: usize, to: usize| std::str::from_utf8(&header[from..to]).ok();
    let size: usize = field(48, 58)?.trim().parse().ok()?;
    let start = offset + HEADER;
    Some((
        field(0, 16)?.trim_end(),
        bytes.get(start..start.checked_add(size)?)?,
    ))
}

/// The symbol index with entries of `W` bytes.
fn symbols<const W: usize>(body: &[u8]) -> Option<FxHashMap<String, usize>> {
    let number = |at: usize| {
        let field = body.get(at..at + W)?;
        Some(
            field
                .iter()
                .fold(0usize, |value, &byte| value << 8 | usize::from(byte)),
        )
    };
    let count = number(0)?;
    let mut names = body
        .get(W.checked_mul(count.checked_add(1)?)?..)?
        .split(|&byte| byte == 0);
    let mut index = FxHashMap::default();
    for at in 0..count {
        let name = String::from_utf8_lossy(names.next()?).into_owned();
        // As linkers do, take the first member that defines a symbol.
        index.entry(name).or_insert(number(W * (at + 1))?);
    }
    Some(index)
}
