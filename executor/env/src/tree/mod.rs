//! The file system of a path: an overlay of its changes on the files of the host.
//!
//! The tree maps canonical paths (absolute, without `.`, `..` or symbolic links) to nodes. A node
//! hides the host's file at its path; a removed or new directory hides everything below it. A host
//! file gets a node when it is first opened, so that its identity survives renaming. Only nodes are
//! ever changed.
//!
//! Renaming a directory of the host fails with `EXDEV`, as in a union mount, and programs copy
//! instead. Hard links between host files are not tracked: each name is a file of its own.

mod change;
mod walk;

pub use walk::{DirEntry, Dots, Follow, Place};
pub(crate) use walk::{NAME_MAX, PATH_MAX};

use crate::contents::Contents;
use crate::descriptors::ListedName;
use crate::errno::Errno;
use crate::host::Host;
use crate::metadata::{FileKind, Identity, Metadata, S_IFREG, Time};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

plat_basics::ids! {
    /// A regular file of a path, whatever its names.
    FileId
}

/// A regular file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// The bytes.
    pub contents: Contents,
    /// Everything else; its size and blocks are those of the contents.
    metadata: Metadata,
    /// Whether the size differs from the host's.
    written: bool,
}

plat_expr::plain!(FileId);
plat_expr::holder!(File { contents } plain { metadata, written });
plat_expr::holder!(FileTree { files } plain { nodes, next, identity });

impl File {
    /// The metadata for `stat`.
    pub fn metadata(&self) -> Metadata {
        if self.written {
            self.metadata.with_size(self.contents.size())
        } else {
            self.metadata
        }
    }

    /// Overwrite bytes.
    pub fn write(&mut self, offset: u64, bytes: &[plat_expr::Byte], now: Time) {
        self.contents.write(offset, bytes);
        self.touch(now);
    }

    /// Change the size.
    pub fn resize(&mut self, size: u64, now: Time) {
        self.contents.resize(size);
        self.touch(now);
    }

    fn touch(&mut self, now: Time) {
        self.written = true;
        self.metadata.modified = now;
        self.metadata.changed = now;
    }
}

/// The node at a canonical path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Node {
    /// A regular file.
    File(FileId),
    /// A directory; a fresh one hides the host below it.
    Directory { metadata: Metadata, fresh: bool },
    /// A symbolic link.
    Symlink {
        metadata: Metadata,
        target: Arc<[u8]>,
    },
    /// Removed: hides the host's file.
    Removed,
}

impl Node {
    /// Whether it hides the host below it.
    fn hides_below(&self) -> bool {
        !matches!(self, Node::Directory { fresh: false, .. })
    }
}

/// The file system of a path. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileTree {
    nodes: Arc<BTreeMap<Vec<u8>, Node>>,
    files: Arc<BTreeMap<FileId, Arc<File>>>,
    next: u32,
    identity: Identity,
}

/// Device number of files that the path created.
const DEVICE: u64 = 0x99;
/// The first inode number of files that the path created.
const FIRST_INODE: u64 = 0x10_0000;

impl FileTree {
    /// The unchanged files of the host, seen by a user.
    pub fn new(identity: Identity) -> Self {
        Self {
            nodes: Arc::default(),
            files: Arc::default(),
            next: 0,
            identity,
        }
    }

    /// The user that permissions are checked for.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// From now on permissions are checked for this user.
    pub fn set_identity(&mut self, identity: Identity) {
        self.identity = identity;
    }

    /// A file.
    pub fn file(&self, id: FileId) -> Result<&File, Errno> {
        self.files.get(&id).map(|file| &**file).ok_or(Errno::EIO)
    }

    /// A file, to change it.
    pub fn file_mut(&mut self, id: FileId) -> Result<&mut File, Errno> {
        Arc::make_mut(&mut self.files)
            .get_mut(&id)
            .map(Arc::make_mut)
            .ok_or(Errno::EIO)
    }

    /// A file that has no name yet.
    pub fn new_file(&mut self, contents: Contents, permissions: u32, now: Time) -> FileId {
        let metadata = self.new_metadata(S_IFREG | permissions, now);
        self.add_file(File {
            contents,
            metadata,
            written: true,
        })
    }

    fn add_file(&mut self, file: File) -> FileId {
        let id = FileId(self.next);
        self.next += 1;
        Arc::make_mut(&mut self.files).insert(id, Arc::new(file));
        id
    }

    fn new_metadata(&mut self, mode: u32, now: Time) -> Metadata {
        let inode = FIRST_INODE + u64::from(self.next);
        self.next += 1;
        Metadata {
            device: DEVICE,
            inode,
            mode,
            links: 1,
            uid: self.identity.uid,
            gid: self.identity.gid,
            special: 0,
            size: 0,
            block_size: 4096,
            blocks: 0,
            accessed: now,
            modified: now,
            changed: now,
        }
    }

    /// The entry at a canonical path, if there is one.
    pub fn lookup(&self, host: &mut Host, path: &[u8]) -> Result<Option<DirEntry>, Errno> {
        match self.nodes.get(path) {
            Some(Node::Removed) => return Ok(None),
            Some(Node::File(id)) => {
                return Ok(Some(DirEntry::File(*id, self.file(*id)?.metadata())));
            }
            Some(Node::Symlink { metadata, target }) => {
                return Ok(Some(DirEntry::Symlink(target.clone(), *metadata)));
            }
            Some(Node::Directory { metadata, fresh }) => {
                let links = if *fresh {
                    2 + self.directories_in(path)
                } else {
                    metadata.links
                };
                return Ok(Some(DirEntry::Directory(Metadata { links, ..*metadata })));
            }
            None => {}
        }
        if self.host_hidden(path) {
            return Ok(None);
        }
        let metadata = match host.metadata(path) {
            Ok(metadata) => metadata,
            Err(Errno::ENOENT | Errno::ENOTDIR) => return Ok(None),
            Err(errno) => return Err(errno),
        };
        Ok(Some(match metadata.kind() {
            FileKind::Regular => DirEntry::HostFile(metadata),
            FileKind::Directory => DirEntry::Directory(metadata),
            FileKind::Symlink => DirEntry::Symlink(host.link_target(path)?, metadata),
            FileKind::Device(_) | FileKind::Pipe | FileKind::Other => DirEntry::Special(metadata),
        }))
    }

    /// Whether the path has created, opened or changed the file at a canonical path.
    pub(crate) fn has_node(&self, path: &[u8]) -> bool {
        self.nodes.contains_key(path)
    }

    /// Whether a directory above `path` was removed or created here.
    fn host_hidden(&self, path: &[u8]) -> bool {
        let ends = path
            .iter()
            .enumerate()
            .filter(|&(at, &byte)| byte == b'/' && at > 0);
        ends.map(|(at, _)| &path[..at])
            .any(|above| self.nodes.get(above).is_some_and(Node::hides_below))
    }

    /// The nodes directly in a directory, with their names.
    fn children<'a>(&'a self, path: &[u8]) -> impl Iterator<Item = (&'a [u8], &'a Node)> + use<'a> {
        let prefix = join(path, b"");
        let size = prefix.len();
        let from = Bound::Excluded(prefix.clone());
        self.nodes
            .range((from, Bound::Unbounded))
            .take_while(move |(path, _)| path.starts_with(&prefix))
            .map(move |(path, node)| (&path[size..], node))
            .filter(|(name, _)| !name.contains(&b'/'))
    }

    fn directories_in(&self, path: &[u8]) -> u64 {
        let directories = self
            .children(path)
            .filter(|(_, n)| matches!(n, Node::Directory { .. }));
        directories.count() as u64
    }

    /// The names in a directory, sorted, without `.` and `..`.
    pub(crate) fn names(&self, host: &mut Host, path: &[u8]) -> Result<Vec<Vec<u8>>, Errno> {
        let mut names = Vec::new();
        let hidden = self.host_hidden(path) || self.nodes.get(path).is_some_and(Node::hides_below);
        if !hidden {
            let listed = host.names(path)?;
            let prefix = join(path, b"");
            let unchanged = listed
                .iter()
                .filter(|name| !self.nodes.contains_key(&[&prefix[..], name].concat()))
                .cloned();
            names.extend(unchanged);
        }
        let changed = self
            .children(path)
            .filter(|(_, node)| **node != Node::Removed);
        names.extend(changed.map(|(name, _)| name.to_vec()));
        names.sort();
        Ok(names)
    }

    /// The listing of a directory for `getdents64`: `.`, `..`, then the names in order.
    pub fn listing(&self, host: &mut Host, path: &[u8]) -> Result<Vec<ListedName>, Errno> {
        let mut listing = Vec::new();
        let mut list = |name: &[u8], entry: Option<DirEntry>| {
            if let Some(entry) = entry {
                let metadata = entry.metadata();
                let (inode, entry_type) = (metadata.inode, metadata.entry_type());
                listing.push(ListedName {
                    name: name.to_vec(),
                    inode,
                    entry_type,
                });
            }
        };
        list(b".", self.lookup(host, path)?);
        list(b"..", self.lookup(host, parent(path))?);
        let names = self.names(host, path)?;
        host.listed(path, names.len());
        for name in names {
            // Skip a host file that has vanished since its directory was read.
            list(&name, self.lookup(host, &join(path, &name))?);
        }
        Ok(listing)
    }
}

/// The canonical path of `name` in the directory `path`.
pub(crate) fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = path.to_vec();
    if joined.last() != Some(&b'/') {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

/// The directory that a canonical path is in; `/` is in itself.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(0) | None => b"/",
        Some(at) => &path[..at],
    }
}
