//! File metadata, as `stat` reports it.

/// A point in time, or a duration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Time {
    /// Whole seconds.
    pub seconds: i64,
    /// Nanoseconds, below 10^9.
    pub nanos: i64,
}

/// The kind of a file: the type bits of its mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// A regular file.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A character device with its number.
    Device(u64),
    /// A pipe.
    Pipe,
    /// A socket, a block device.
    Other,
}

/// Type bits of a mode.
pub const S_IFMT: u32 = 0o170_000;
/// Mode of a regular file.
pub const S_IFREG: u32 = 0o100_000;
/// Mode of a directory.
pub const S_IFDIR: u32 = 0o040_000;
/// Mode of a symbolic link.
pub const S_IFLNK: u32 = 0o120_000;
/// Mode of a character device.
pub const S_IFCHR: u32 = 0o020_000;
/// Mode of a socket.
pub const S_IFSOCK: u32 = 0o140_000;
/// Mode of a pipe.
pub const S_IFIFO: u32 = 0o010_000;

/// The fields of `struct stat`; all concrete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// Device of the file system.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Type and permissions.
    pub mode: u32,
    /// Number of hard links.
    pub links: u64,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Device number of a device file.
    pub special: u64,
    /// Size in bytes.
    pub size: u64,
    /// Preferred size of transfers.
    pub block_size: u64,
    /// Blocks of 512 bytes.
    pub blocks: u64,
    /// Last read.
    pub accessed: Time,
    /// Last write.
    pub modified: Time,
    /// Last change of the metadata.
    pub changed: Time,
}

impl Metadata {
    /// What kind of file it is.
    pub fn kind(&self) -> FileKind {
        match self.mode & S_IFMT {
            S_IFREG => FileKind::Regular,
            S_IFDIR => FileKind::Directory,
            S_IFLNK => FileKind::Symlink,
            S_IFCHR => FileKind::Device(self.special),
            S_IFIFO => FileKind::Pipe,
            _ => FileKind::Other,
        }
    }

    /// The `d_type` of a directory entry.
    pub fn entry_type(&self) -> u8 {
        (self.mode >> 12 & 0xf) as u8
    }

    /// The same with another size and the blocks it needs.
    #[must_use]
    pub fn with_size(self, size: u64) -> Metadata {
        Metadata {
            size,
            blocks: size.div_ceil(4096) * 8,
            ..self
        }
    }
}

/// The user and group that the program runs as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// User, real and effective.
    pub uid: u32,
    /// Group, real and effective.
    pub gid: u32,
}

impl Identity {
    /// Whether the user may access a file in the ways of `wanted` (4 read, 2 write, 1 execute or
    /// search). Supplementary groups are ignored.
    pub fn may(self, wanted: u32, file: &Metadata) -> bool {
        if self.uid == 0 {
            let executable = file.mode & 0o111 != 0 || file.kind() == FileKind::Directory;
            return wanted & 1 == 0 || executable;
        }
        let shift = match () {
            () if file.uid == self.uid => 6,
            () if file.gid == self.gid => 3,
            () => 0,
        };
        file.mode >> shift & wanted == wanted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions() {
        let time = Time::default();
        let file = |mode, uid, gid| Metadata {
            device: 1,
            inode: 1,
            mode,
            links: 1,
            uid,
            gid,
            special: 0,
            size: 0,
            block_size: 4096,
            blocks: 0,
            accessed: time,
            modified: time,
            changed: time,
        };
        let me = Identity { uid: 5, gid: 6 };
        let root = Identity { uid: 0, gid: 0 };
        // Only the first class that fits counts, also when a later one allows more.
        for (mode, uid, gid, allowed) in [
            (0o100_640, 5, 9, 6),
            (0o100_047, 5, 6, 0),
            (0o100_047, 9, 6, 4),
            (0o100_407, 9, 9, 7),
            (0o040_751, 9, 9, 1),
        ] {
            for wanted in 0..8 {
                let expected = wanted & !allowed == 0;
                assert_eq!(
                    me.may(wanted, &file(mode, uid, gid)),
                    expected,
                    "{mode:o} {wanted}"
                );
            }
        }
        assert!(root.may(6, &file(0o100_000, 5, 5)));
        assert!(!root.may(1, &file(0o100_666, 5, 5)));
        assert!(root.may(1, &file(0o040_000, 5, 5)));
    }
}
