//! From a path as a program writes it to a canonical path and what is there.

use super::{FileId, FileTree, join, parent};
use crate::errno::Errno;
use crate::host::Host;
use crate::metadata::Metadata;
use std::sync::Arc;

/// Longest path, with its terminator.
pub(crate) const PATH_MAX: usize = 4096;
/// Longest name in a directory.
pub(crate) const NAME_MAX: usize = 255;
/// Symbolic links followed in one walk.
const MAX_LINKS: u32 = 40;

/// What is at a canonical path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A file that the path has opened, written or made.
    File(FileId, Metadata),
    /// An unopened regular file of the host.
    HostFile(Metadata),
    /// A directory.
    Directory(Metadata),
    /// A symbolic link and its target.
    Symlink(Arc<[u8]>, Metadata),
    /// A device, pipe or socket of the host.
    Special(Metadata),
}

impl Entry {
    /// What `lstat` says.
    pub fn metadata(&self) -> &Metadata {
        match self {
            Entry::File(_, metadata)
            | Entry::HostFile(metadata)
            | Entry::Directory(metadata)
            | Entry::Symlink(_, metadata)
            | Entry::Special(metadata) => metadata,
        }
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        matches!(self, Entry::Directory(_))
    }
}

/// What is done with a symbolic link at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    /// It is followed.
    Yes,
    /// It is followed only if a slash comes after it.
    No,
    /// The name itself is meant, to make, move or remove it; a slash after it says that it must be
    /// a directory, which is left to the caller to check.
    Name,
    /// It is followed, to make a file where it leads; a name with a slash after it is not one of a
    /// file (`EISDIR`).
    Create,
    /// As `Create`, but the link is not followed.
    CreateHere,
}

/// Where a walk ended. The directory that the place is in exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The canonical path.
    pub path: Vec<u8>,
    /// What is there.
    pub entry: Option<Entry>,
    /// The path ended in a slash: it means a directory.
    pub must_be_directory: bool,
    /// The last component was `.`, `..` or nothing: a name that cannot be made or removed.
    pub dots: Option<Dots>,
}

/// A path that does not end in a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dots {
    /// It is `/`.
    Root,
    /// It ends in `.`.
    Dot,
    /// It ends in `..`.
    DotDot,
}

impl Place {
    /// What is there, or `ENOENT`.
    pub fn existing(&self) -> Result<&Entry, Errno> {
        self.entry.as_ref().ok_or(Errno::ENOENT)
    }
}

/// A walk under way.
struct Walk {
    /// The directory reached.
    at: Vec<u8>,
    /// The names still to go, last first.
    rest: Vec<Vec<u8>>,
    must_be_directory: bool,
    dots: Option<Dots>,
    links: u32,
}

impl Walk {
    fn new(start: &[u8], path: &[u8]) -> Result<Self, Errno> {
        if path.is_empty() {
            return Err(Errno::ENOENT);
        }
        if path.len() >= PATH_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        Ok(Self {
            at: if path[0] == b'/' {
                b"/".to_vec()
            } else {
                start.to_vec()
            },
            rest: components(path),
            must_be_directory: path.ends_with(b"/"),
            dots: Some(Dots::Root),
            links: 0,
        })
    }

    /// Whether `name` is `.` or `..`, which it then walks.
    fn walk_dots(&mut self, name: &[u8]) -> bool {
        self.dots = match name {
            b"." => Some(Dots::Dot),
            b".." => Some(Dots::DotDot),
            _ => None,
        };
        if name == b".." {
            self.at.truncate(parent(&self.at).len());
        }
        self.dots.is_some()
    }

    /// Whether a symbolic link here is followed.
    fn follows(&self, follow: Follow) -> bool {
        match follow {
            _ if !self.rest.is_empty() => true,
            Follow::Yes | Follow::Create => true,
            Follow::No => self.must_be_directory,
            Follow::Name | Follow::CreateHere => false,
        }
    }

    fn walk_link(&mut self, target: &[u8]) -> Result<(), Errno> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Errno::ELOOP);
        }
        if target.starts_with(b"/") {
            self.at = b"/".to_vec();
        }
        self.must_be_directory |= self.rest.is_empty() && target.ends_with(b"/");
        self.rest.extend(components(target));
        Ok(())
    }

    fn end(self, path: Vec<u8>, entry: Option<Entry>) -> Place {
        Place {
            path,
            entry,
            must_be_directory: self.must_be_directory,
            dots: self.dots,
        }
    }
}

impl FileTree {
    /// Follow `path` from the directory `start` (canonical).
    pub fn walk(
        &self,
        host: &mut Host,
        start: &[u8],
        path: &[u8],
        follow: Follow,
    ) -> Result<Place, Errno> {
        let mut walk = Walk::new(start, path)?;
        while let Some(name) = walk.rest.pop() {
            self.check_search(host, &walk.at)?;
            if walk.walk_dots(&name) {
                continue;
            }
            if name.len() > NAME_MAX {
                return Err(Errno::ENAMETOOLONG);
            }
            let last = walk.rest.is_empty();
            let creates = matches!(follow, Follow::Create | Follow::CreateHere);
            if last && walk.must_be_directory && creates {
                return Err(Errno::EISDIR);
            }
            let child = join(&walk.at, &name);
            match self.lookup(host, &child)? {
                Some(Entry::Symlink(target, _)) if walk.follows(follow) => {
                    walk.walk_link(&target)?;
                }
                Some(entry) if last => {
                    let named = follow == Follow::Name || entry.is_directory();
                    if walk.must_be_directory && !named {
                        return Err(Errno::ENOTDIR);
                    }
                    return Ok(walk.end(child, Some(entry)));
                }
                None if last => return Ok(walk.end(child, None)),
                Some(Entry::Directory(_)) => walk.at = child,
                Some(_) => return Err(Errno::ENOTDIR),
                None => return Err(Errno::ENOENT),
            }
        }
        let entry = self.lookup(host, &walk.at)?;
        let at = walk.at.clone();
        Ok(Place {
            must_be_directory: true,
            ..walk.end(at, entry)
        })
    }

    /// Whether names may be looked up in a directory.
    pub(crate) fn check_search(&self, host: &mut Host, directory: &[u8]) -> Result<(), Errno> {
        let entry = self.lookup(host, directory)?.ok_or(Errno::ENOENT)?;
        let allowed = self.identity().may(1, entry.metadata());
        if allowed { Ok(()) } else { Err(Errno::EACCES) }
    }
}

/// The names of a path, last first.
fn components(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path
        .split(|&byte| byte == b'/')
        .filter(|name| !name.is_empty());
    let mut names: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
    names.reverse();
    names
}
