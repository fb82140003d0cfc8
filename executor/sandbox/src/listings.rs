//! Directories in native runs, in the order that paths see: `.`, `..`, then the names by their bytes.
//!
//! The system lists names in an order of the file system's own, which neither the program nor its input
//! decides. As in paths, the position in an open directory counts names, and what it has is kept from the
//! first call on until somebody goes back to its start.

use rustix::fs::{Dir, FileType, SeekFrom, fstat, seek};
use std::collections::HashMap;
use std::os::fd::{OwnedFd, RawFd};
use std::sync::Arc;

/// What was read of open directories, by descriptor, device and number of the directory.
#[derive(Debug, Default)]
pub struct Listings {
    read: HashMap<(RawFd, u64, u64), Arc<[Name]>>,
}

/// A name as a directory has it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Name {
    name: Vec<u8>,
    inode: u64,
    kind: u8,
}

/// A part of a listing.
#[derive(Debug)]
pub struct Part {
    /// The names, as `struct linux_dirent64`.
    pub bytes: Vec<u8>,
    /// Whether there are more, and none of them fits.
    pub too_large: bool,
    directory: OwnedFd,
    before: u64,
    behind: u64,
}

impl Part {
    /// Moves the position behind the part; whether the directory can do that.
    pub fn pass(&self) -> bool {
        seek(&self.directory, SeekFrom::Start(self.behind)).is_ok()
    }

    /// Moves the position before the part again.
    pub fn go_back(&self) {
        let _ = seek(&self.directory, SeekFrom::Start(self.before));
    }
}

impl Listings {
    /// The names at the position of an open directory, as many as fit into `size` bytes. None if it is
    /// no directory, or cannot be read here.
    pub fn next(&mut self, fd: RawFd, directory: OwnedFd, size: usize) -> Option<Part> {
        let status = fstat(&directory).ok()?;
        if FileType::from_raw_mode(status.st_mode) != FileType::Directory {
            return None;
        }
        let before = seek(&directory, SeekFrom::Current(0)).ok()?;
        let key = (fd, status.st_dev, status.st_ino);
        let names = match self.read.get(&key) {
            Some(names) if before > 0 => Arc::clone(names),
            _ => sorted(&directory)?,
        };
        let (bytes, behind) = entries(&names, before as usize, size);
        let too_large = bytes.is_empty() && behind < names.len();
        self.read.insert(key, names);
        Some(Part {
            bytes,
            too_large,
            directory,
            before,
            behind: behind as u64,
        })
    }
}

/// What a directory has, in order.
fn sorted(directory: &OwnedFd) -> Option<Arc<[Name]>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(directory).ok()? {
        let entry = entry.ok()?;
        names.push(Name {
            name: entry.file_name().to_bytes().to_vec(),
            inode: entry.ino(),
            kind: match entry.file_type() {
                FileType::Unknown => 0,
                known => (known.as_raw_mode() >> 12) as u8,
            },
        });
    }
    names.sort_by(|a, b| rank(&a.name).cmp(&rank(&b.name)));
    Some(names.into())
}

fn rank(name: &[u8]) -> (bool, bool, &[u8]) {
    (name != b".", name != b"..", name)
}

/// The names from a position on that fit into so many bytes, as `struct linux_dirent64`; the position
/// behind them.
fn entries(names: &[Name], from: usize, size: usize) -> (Vec<u8>, usize) {
    const HEAD: usize = 19;
    let (mut bytes, mut next) = (Vec::new(), from);
    for Name { name, inode, kind } in names.iter().skip(from) {
        let length = (HEAD + name.len() + 1).next_multiple_of(8);
        if bytes.len() + length > size {
            break;
        }
        let end = bytes.len() + length;
        next += 1;
        bytes.extend(inode.to_ne_bytes());
        bytes.extend((next as u64).to_ne_bytes());
        bytes.extend((length as u16).to_ne_bytes());
        bytes.push(*kind);
        bytes.extend(name);
        bytes.resize(end, 0);
    }
    (bytes, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_end_at_the_size_and_go_on_from_there() {
        let names: Vec<Name> = ["aaaa", "aaaaa", "b"]
            .map(|name| Name {
                name: name.into(),
                inode: 7,
                kind: 8,
            })
            .into();
        // A head of 19 bytes, the name with a zero, to a multiple of eight.
        let (bytes, next) = entries(&names, 0, 24 + 31);
        assert_eq!((bytes.len(), next), (24, 1));
        let (bytes, next) = entries(&names, next, 32 + 24);
        assert_eq!((bytes.len(), next), (56, 3));
        assert_eq!(bytes[16..18], 32u16.to_ne_bytes());
        assert_eq!(bytes[8..16], 2u64.to_ne_bytes());
        assert_eq!(entries(&names, 3, 100), (Vec::new(), 3));
        assert_eq!(entries(&names, 9, 100), (Vec::new(), 9));
        assert_eq!(entries(&names, 0, 23), (Vec::new(), 0));
    }
}
