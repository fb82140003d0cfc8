//! Changes of the tree: creating, removing and renaming.

use super::{DirEntry, File, FileId, FileTree, Node, Place, join, parent};
use crate::contents::Contents;
use crate::errno::Errno;
use crate::host::Host;
use crate::metadata::{Metadata, S_IFDIR, S_IFLNK, S_IFREG, Time};
use std::sync::Arc;

impl FileTree {
    fn set(&mut self, path: &[u8], node: Node) {
        Arc::make_mut(&mut self.nodes).insert(path.to_vec(), node);
    }

    /// Whether names may be created and removed in the directory of `path`.
    fn check_directory_writable(&self, host: &mut Host, path: &[u8]) -> Result<(), Errno> {
        let entry = self.lookup(host, parent(path))?.ok_or(Errno::ENOENT)?;
        if self.identity().may(3, entry.metadata()) {
            Ok(())
        } else {
            Err(Errno::EACCES)
        }
    }

    /// The regular file at a place; a host file gets a node.
    pub fn adopt(&mut self, host: &mut Host, place: &Place) -> Result<FileId, Errno> {
        match place.existing()? {
            DirEntry::File(id, _) => Ok(*id),
            DirEntry::HostFile(metadata) => {
                let contents = Contents::shared(host.contents(&place.path)?);
                let metadata = Metadata {
                    links: 1,
                    ..*metadata
                };
                let id = self.add_file(File {
                    contents,
                    metadata,
                    written: false,
                });
                self.set(&place.path, Node::File(id));
                Ok(id)
            }
            DirEntry::Directory(_) => Err(Errno::EISDIR),
            DirEntry::Symlink(..) => Err(Errno::ELOOP),
            DirEntry::Special(_) => Err(Errno::EINVAL),
        }
    }

    /// A new regular file at a free place.
    pub fn create(
        &mut self,
        host: &mut Host,
        place: &Place,
        contents: Contents,
        permissions: u32,
        now: Time,
    ) -> Result<FileId, Errno> {
        self.check_directory_writable(host, &place.path)?;
        let metadata = self.new_metadata(S_IFREG | permissions, now);
        let id = self.add_file(File {
            contents,
            metadata,
            written: true,
        });
        self.set(&place.path, Node::File(id));
        Ok(id)
    }

    /// Puts a file at a canonical path, replacing anything there.
    pub fn plant(&mut self, path: &[u8], contents: Contents, now: Time) -> FileId {
        let id = self.new_file(contents, 0o644, now);
        self.set(path, Node::File(id));
        id
    }

    /// A new directory at a free place.
    pub fn make_directory(
        &mut self,
        host: &mut Host,
        place: &Place,
        permissions: u32,
        now: Time,
    ) -> Result<(), Errno> {
        if place.entry.is_some() {
            return Err(Errno::EEXIST);
        }
        self.check_directory_writable(host, &place.path)?;
        let metadata = self
            .new_metadata(S_IFDIR | permissions, now)
            .with_size(4096);
        self.set(
            &place.path,
            Node::Directory {
                metadata,
                fresh: true,
            },
        );
        Ok(())
    }

    /// A new symbolic link at a free place.
    pub fn make_symlink(
        &mut self,
        host: &mut Host,
        place: &Place,
        target: &[u8],
        now: Time,
    ) -> Result<(), Errno> {
        if place.entry.is_some() {
            return Err(Errno::EEXIST);
        }
        if place.must_be_directory {
            return Err(Errno::ENOENT);
        }
        self.check_directory_writable(host, &place.path)?;
        let mut metadata = self.new_metadata(S_IFLNK | 0o777, now);
        metadata.size = target.len() as u64;
        self.set(
            &place.path,
            Node::Symlink {
                metadata,
                target: target.into(),
            },
        );
        Ok(())
    }

    /// Another name of a regular file or a symbolic link.
    pub fn link(&mut self, host: &mut Host, old: &Place, new: &Place) -> Result<(), Errno> {
        if new.entry.is_some() {
            return Err(Errno::EEXIST);
        }
        if new.must_be_directory {
            return Err(Errno::ENOENT);
        }
        let entry = old.existing()?;
        self.check_directory_writable(host, &new.path)?;
        if let DirEntry::Symlink(target, metadata) = entry {
            let metadata = Metadata {
                links: metadata.links + 1,
                ..*metadata
            };
            for path in [&old.path, &new.path] {
                self.set(
                    path,
                    Node::Symlink {
                        metadata,
                        target: target.clone(),
                    },
                );
            }
            return Ok(());
        }
        if !matches!(entry, DirEntry::File(..) | DirEntry::HostFile(_)) {
            return Err(Errno::EPERM);
        }
        let id = self.adopt(host, old)?;
        self.file_mut(id)?.metadata.links += 1;
        self.set(&new.path, Node::File(id));
        Ok(())
    }

    /// Remove the name of something that is not a directory.
    pub fn unlink(&mut self, host: &mut Host, place: &Place) -> Result<(), Errno> {
        let entry = place.existing()?;
        self.check_directory_writable(host, &place.path)?;
        match entry {
            DirEntry::Directory(_) => return Err(Errno::EISDIR),
            _ if place.must_be_directory => return Err(Errno::ENOTDIR),
            DirEntry::File(id, _) => {
                let file = self.file_mut(*id)?;
                file.metadata.links = file.metadata.links.saturating_sub(1);
            }
            DirEntry::HostFile(_) | DirEntry::Symlink(..) | DirEntry::Special(_) => {}
        }
        self.set(&place.path, Node::Removed);
        Ok(())
    }

    /// Remove an empty directory.
    pub fn remove_directory(&mut self, host: &mut Host, place: &Place) -> Result<(), Errno> {
        if !place.existing()?.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        self.check_directory_writable(host, &place.path)?;
        if !self.names(host, &place.path)?.is_empty() {
            return Err(Errno::ENOTEMPTY);
        }
        self.set(&place.path, Node::Removed);
        Ok(())
    }

    /// Move a name over another. Returns whether anything moved (two names of one file do not).
    pub fn rename(&mut self, host: &mut Host, old: &Place, new: &Place) -> Result<bool, Errno> {
        let entry = old.existing()?.clone();
        if !entry.is_directory() && (old.must_be_directory || new.must_be_directory) {
            return Err(Errno::ENOTDIR);
        }
        if new.path.starts_with(&join(&old.path, b"")) {
            return Err(Errno::EINVAL);
        }
        if old.path.starts_with(&join(&new.path, b"")) {
            return Err(Errno::ENOTEMPTY);
        }
        match (&entry, &new.entry) {
            _ if old.path == new.path => return Ok(false),
            (DirEntry::File(a, _), Some(DirEntry::File(b, _))) if a == b => return Ok(false),
            (DirEntry::Symlink(_, a), Some(DirEntry::Symlink(_, b)))
                if (a.device, a.inode) == (b.device, b.inode) =>
            {
                return Ok(false);
            }
            _ => {}
        }
        self.check_directory_writable(host, &old.path)?;
        self.check_directory_writable(host, &new.path)?;
        match (&entry, &new.entry) {
            (DirEntry::Directory(_), None) => {}
            (DirEntry::Directory(_), Some(DirEntry::Directory(_)))
                if self.names(host, &new.path)?.is_empty() => {}
            (DirEntry::Directory(_), Some(DirEntry::Directory(_))) => return Err(Errno::ENOTEMPTY),
            (DirEntry::Directory(_), Some(_)) => return Err(Errno::ENOTDIR),
            (_, Some(DirEntry::Directory(_))) => return Err(Errno::EISDIR),
            _ => {}
        }
        self.move_node(host, old, new, &entry)?;
        Ok(true)
    }

    fn move_node(
        &mut self,
        host: &mut Host,
        old: &Place,
        new: &Place,
        entry: &DirEntry,
    ) -> Result<(), Errno> {
        let node = match entry {
            DirEntry::File(..) | DirEntry::HostFile(_) => Node::File(self.adopt(host, old)?),
            DirEntry::Symlink(target, metadata) => Node::Symlink {
                metadata: *metadata,
                target: target.clone(),
            },
            DirEntry::Special(_) => return Err(Errno::EXDEV),
            DirEntry::Directory(_) => match self.nodes.get(&old.path) {
                Some(node @ Node::Directory { fresh: true, .. }) => node.clone(),
                _ => return Err(Errno::EXDEV),
            },
        };
        if let Some(DirEntry::File(id, _)) = new.entry {
            let file = self.file_mut(id)?;
            file.metadata.links = file.metadata.links.saturating_sub(1);
        }
        if entry.is_directory() {
            self.move_below(&old.path, &new.path);
        }
        self.set(&old.path, Node::Removed);
        self.set(&new.path, node);
        Ok(())
    }

    /// Move all nodes below one directory to another.
    fn move_below(&mut self, old: &[u8], new: &[u8]) {
        let (old, new) = (join(old, b""), join(new, b""));
        let nodes = Arc::make_mut(&mut self.nodes);
        nodes.retain(|path, _| !path.starts_with(&new));
        let moved: Vec<Vec<u8>> = nodes
            .range(old.clone()..)
            .map(|(path, _)| path.clone())
            .collect();
        for path in moved.into_iter().take_while(|path| path.starts_with(&old)) {
            if let Some(node) = nodes.remove(&path) {
                nodes.insert([&new, &path[old.len()..]].concat(), node);
            }
        }
    }

    /// Change permissions, owner or times of what is at a place.
    pub fn change_metadata(
        &mut self,
        host: &mut Host,
        place: &Place,
        change: impl FnOnce(&mut Metadata),
    ) -> Result<(), Errno> {
        match place.existing()? {
            DirEntry::File(..) | DirEntry::HostFile(_) => {
                let id = self.adopt(host, place)?;
                self.change_file_metadata(id, change)
            }
            DirEntry::Directory(found) => {
                let mut metadata = *found;
                change(&mut metadata);
                let fresh = matches!(
                    self.nodes.get(&place.path),
                    Some(Node::Directory { fresh: true, .. })
                );
                self.set(&place.path, Node::Directory { metadata, fresh });
                Ok(())
            }
            DirEntry::Symlink(target, metadata) => {
                let mut metadata = *metadata;
                change(&mut metadata);
                self.set(
                    &place.path,
                    Node::Symlink {
                        metadata,
                        target: target.clone(),
                    },
                );
                Ok(())
            }
            DirEntry::Special(_) => Err(Errno::EPERM),
        }
    }

    /// Change permissions, owner or times of a file.
    pub fn change_file_metadata(
        &mut self,
        id: FileId,
        change: impl FnOnce(&mut Metadata),
    ) -> Result<(), Errno> {
        change(&mut self.file_mut(id)?.metadata);
        Ok(())
    }
}
