//! What an ELF file of 64 bits says of itself: a section, what it asks of libraries.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// A file's section of this name; none if it has none, or is no such file.
pub fn section(file: &Path, name: &str) -> Option<Vec<u8>> {
    let mut file = File::open(file).ok()?;
    let header = bytes(&mut file, 0, 64)?;
    if &header[..5] != b"\x7fELF\x02" {
        return None;
    }
    let table = number(&header, 0x28, 8)?;
    let (size, count) = (number(&header, 0x3a, 2)?, number(&header, 0x3c, 2)?);
    let headers = bytes(&mut file, table, size.checked_mul(count)?)?;
    let of = |at: u64| {
        let at = usize::try_from(at.checked_mul(size)?).ok()?;
        headers.get(at..at.checked_add(64)?)
    };
    let names = of(number(&header, 0x3e, 2)?)?;
    let names = bytes(&mut file, number(names, 24, 8)?, number(names, 32, 8)?)?;
    let found = (0..count).filter_map(of).find(|section| {
        let at = number(section, 0, 4).and_then(|at| usize::try_from(at).ok());
        let text = at.and_then(|at| names.get(at..));
        text.is_some_and(|text| text.split(|&byte| byte == 0).next() == Some(name.as_bytes()))
    })?;
    bytes(&mut file, number(found, 24, 8)?, number(found, 32, 8)?)
}

/// Whether an executable loads libraries when it starts.
pub fn is_dynamic(file: &Path) -> bool {
    section(file, ".interp").is_some()
}

/// Names of what an executable asks of the libraries that it loads.
pub fn imports(file: &Path) -> Option<Vec<Vec<u8>>> {
    /// Bytes of a symbol.
    const SYMBOL: usize = 24;
    let (symbols, names) = (section(file, ".dynsym")?, section(file, ".dynstr")?);
    let (symbols, _) = symbols.as_chunks::<SYMBOL>();
    let undefined = symbols.iter().filter(|symbol| symbol[6..8] == [0, 0]);
    let name = |symbol: &[u8; SYMBOL]| {
        let at = usize::try_from(number(symbol, 0, 4)?).ok()?;
        Some(names.get(at..)?.split(|&byte| byte == 0).next()?.to_vec())
    };
    Some(undefined.filter_map(name).collect())
}

/// Bytes of a file, if it has so many.
fn bytes(file: &mut File, at: u64, count: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(at)).ok()?;
    let mut bytes = Vec::new();
    file.take(count).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == count).then_some(bytes)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + size)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
    )
}
