//! Path resolution: from a program's path to a canonical path and the file there.

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

/// The entry at a canonical path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DirEntry {
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

impl DirEntry {
    /// The metadata for `lstat`.
    pub fn metadata(&self) -> &Metadata {
        match self {
            DirEntry::File(_, metadata)
            | DirEntry::HostFile(metadata)
            | DirEntry::Directory(metadata)
            | DirEntry::Symlink(_, metadata)
            | DirEntry::Special(metadata) => metadata,
        }
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        matches!(self, DirEntry::Directory(_))
    }
}

/// How a symbolic link at the end of a path is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Follow {
    /// It is followed.
    Yes,
    /// It is followed only if a slash comes after it.
    No,
    /// Not followed: the call creates, renames or removes the name. A slash after it means that it
    /// must be a directory, which the caller checks.
    Name,
    /// It is followed, to create a file at its target; a slash after the name is an error
    /// (`EISDIR`).
    Create,
    /// As `Create`, but the link is not followed.
    CreateHere,
}

/// Where a walk ended. The directory that the place is in exists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The canonical path.
    pub path: Vec<u8>,
    /// The entry there.
    pub entry: Option<DirEntry>,
    /// Whether the path ended in a slash: it must be a directory.
    pub must_be_directory: bool,
    /// Set if the last component was `.`, `..` or empty, which cannot be created or removed.
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
    /// The entry there, or `ENOENT`.
    pub fn existing(&self) -> Result<&DirEntry, Errno> {
        self.entry.as_ref().ok_or(Errno::ENOENT)
    }
}

/// The state of a path resolution.
struct Walk {
    /// The directory reached.
    at: Vec<u8>,
    /// The remaining names, last first.
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

    /// Handles `name` if it is `.` or `..`. Returns whether it is.
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

    fn end(self, path: Vec<u8>, entry: Option<DirEntry>) -> Place {
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
                Some(DirEntry::Symlink(target, _)) if walk.follows(follow) => {
                    walk.walk_link(&target)?;
                }
                Some(entry) if last => {
                    let named = follow == Follow::Name || entry.is_directory();
                    if walk.must_be_directory && !named {
                        return Err(Errno::ENOTDIR);
                    }
                    return Ok(walk.end(child, Some(entry)));
                }
                None if last => {
                    host.found_nothing(&child, &[]);
                    return Ok(walk.end(child, None));
                }
                Some(DirEntry::Directory(_)) => walk.at = child,
                Some(_) => return Err(Errno::ENOTDIR),
                None => {
                    host.found_nothing(&child, &walk.rest);
                    return Err(Errno::ENOENT);
                }
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
