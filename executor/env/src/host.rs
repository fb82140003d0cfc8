//! The files of the host, for reading only.
//!
//! Every answer, also an error, is cached for the whole run, so all paths see the same host even if
//! it changes meanwhile. Nothing in this crate changes the host: what a program creates, writes or
//! removes lives in the [`FileTree`](crate::tree::FileTree) of its path.
//!
//! `/proc` and `/sys` look empty, as their contents change from run to run. Of the rest a program sees
//! what is in its [`Reach`].

use crate::clock::Clock;
use crate::contents::MAX_SIZE;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::metadata::{Identity, Metadata, Time};
use crate::reach::{Reach, Sight};
use crate::tree::join;
use rustc_hash::FxHashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

type Cache<T> = FxHashMap<Vec<u8>, Result<T, Errno>>;

/// Read-only, cached access to the files of the host.
pub struct Host {
    identity: Identity,
    start: Vec<u8>,
    clock: Clock,
    reach: Reach,
    metadata: Cache<Metadata>,
    contents: Cache<Arc<[u8]>>,
    targets: Cache<Arc<[u8]>>,
    names: Cache<Arc<[Vec<u8>]>>,
    /// The differences from Linux of the running call.
    differences: Vec<Difference>,
    /// The first file that the running call has not found because the program was not given it.
    refused: Option<Vec<u8>>,
}

impl Host {
    /// A host whose programs start in the directory `start` (an absolute path) and see all files.
    pub fn new(start: impl Into<Vec<u8>>) -> Self {
        let identity = fs::metadata("/proc/self").map_or(
            Identity {
                uid: 1000,
                gid: 1000,
            },
            |m| Identity {
                uid: m.uid(),
                gid: m.gid(),
            },
        );
        Self {
            identity,
            start: start.into(),
            clock: Clock::default(),
            reach: Reach::everything(),
            metadata: Cache::default(),
            contents: Cache::default(),
            targets: Cache::default(),
            names: Cache::default(),
            differences: Vec::new(),
            refused: None,
        }
    }

    /// The user that programs run as: the one who runs plat, so that file permissions have their
    /// native effect.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The directory that programs start in.
    pub fn start_directory(&self) -> &[u8] {
        &self.start
    }

    /// The same host with another clock.
    #[must_use]
    pub fn at(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// From now on programs see the files of `reach` only.
    pub fn show(&mut self, reach: Reach) {
        self.reach = reach;
    }

    /// The clock that programs start with.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Records that the running call differs from Linux.
    pub(crate) fn differs(&mut self, difference: Difference) {
        if !self.differences.contains(&difference) {
            self.differences.push(difference);
        }
    }

    /// The differences from Linux of the last call.
    pub fn take_differences(&mut self) -> Vec<Difference> {
        std::mem::take(&mut self.differences)
    }

    /// The first file that the last call has not found because the program was not given it.
    pub fn take_refused(&mut self) -> Option<Vec<u8>> {
        self.refused.take()
    }

    /// Records that a walk has found nothing at `path`, if that is because the program was not given
    /// what is there, or further `on` (names, last first).
    pub(crate) fn found_nothing(&mut self, path: &[u8], on: &[Vec<u8>]) {
        if self.reach.sight(path) != Sight::Hidden || hidden(path) {
            return;
        }
        let meant = on
            .iter()
            .rev()
            .fold(path.to_vec(), |at, name| join(&at, name));
        if fs::symlink_metadata(OsStr::from_bytes(&meant)).is_ok() {
            self.differs(Difference::NotGiven);
            self.refused.get_or_insert(meant);
        }
    }

    /// Records that a directory is listed, if the program sees a part of it only.
    pub(crate) fn listed(&mut self, path: &[u8], names: usize) {
        let all = self.reach.sight(path) == Sight::Full;
        if !all && self.all_names(path).is_ok_and(|there| there.len() > names) {
            self.differs(Difference::NotGiven);
            self.refused.get_or_insert(path.to_vec());
        }
    }

    /// `lstat`: of the file itself, also when it is a symbolic link.
    pub fn metadata(&mut self, path: &[u8]) -> Result<Metadata, Errno> {
        if hidden(path) {
            self.differs(Difference::KernelFiles);
        }
        if self.reach.sight(path) == Sight::Hidden {
            return Err(Errno::ENOENT);
        }
        cached(&mut self.metadata, path, |path| {
            Ok(convert(&fs::symlink_metadata(path)?))
        })
    }

    /// The contents of a regular file.
    pub fn contents(&mut self, path: &[u8]) -> Result<Arc<[u8]>, Errno> {
        let metadata = self.metadata(path)?;
        if metadata.size > MAX_SIZE {
            self.differs(Difference::HostFileSize);
            return Err(Errno::EFBIG);
        }
        cached(&mut self.contents, path, |path| {
            Ok(Arc::from(fs::read(path)?))
        })
    }

    /// The target of a symbolic link.
    pub fn link_target(&mut self, path: &[u8]) -> Result<Arc<[u8]>, Errno> {
        cached(&mut self.targets, path, |path| {
            Ok(Arc::from(fs::read_link(path)?.into_os_string().into_vec()))
        })
    }

    /// The names in a directory that the program sees, sorted, without `.` and `..`.
    pub fn names(&mut self, path: &[u8]) -> Result<Arc<[Vec<u8>]>, Errno> {
        let all = match self.reach.sight(path) {
            Sight::Hidden => return Err(Errno::ENOENT),
            Sight::Full => return self.all_names(path),
            Sight::Way => self.all_names(path)?,
        };
        let seen = |name: &&Vec<u8>| self.reach.sight(&join(path, name)) != Sight::Hidden;
        Ok(all.iter().filter(seen).cloned().collect())
    }

    fn all_names(&mut self, path: &[u8]) -> Result<Arc<[Vec<u8>]>, Errno> {
        let empty = path.strip_prefix(b"/").is_some_and(is_kernel_file_system);
        cached(&mut self.names, path, |path| {
            let mut names = Vec::new();
            if empty {
                return Ok(Arc::from(names));
            }
            for entry in fs::read_dir(path)? {
                names.push(entry?.file_name().into_vec());
            }
            names.sort();
            Ok(Arc::from(names))
        })
    }
}

fn cached<T: Clone>(
    cache: &mut Cache<T>,
    path: &[u8],
    ask: impl FnOnce(&Path) -> std::io::Result<T>,
) -> Result<T, Errno> {
    if let Some(answer) = cache.get(path) {
        return answer.clone();
    }
    let answer = if hidden(path) {
        Err(Errno::ENOENT)
    } else {
        ask(Path::new(OsStr::from_bytes(path))).map_err(|error| Errno::from(&error))
    };
    cache.insert(path.to_vec(), answer.clone());
    answer
}

/// Whether a path is inside `/proc` or `/sys`, which look empty: their contents describe plat and
/// change from run to run.
fn hidden(path: &[u8]) -> bool {
    let mut parts = path
        .split(|&byte| byte == b'/')
        .filter(|part| !part.is_empty());
    parts.next().is_some_and(is_kernel_file_system) && parts.next().is_some()
}

fn is_kernel_file_system(name: &[u8]) -> bool {
    name == b"proc" || name == b"sys"
}

fn convert(m: &fs::Metadata) -> Metadata {
    Metadata {
        device: m.dev(),
        inode: m.ino(),
        mode: m.mode(),
        links: m.nlink(),
        uid: m.uid(),
        gid: m.gid(),
        special: m.rdev(),
        size: m.size(),
        block_size: m.blksize(),
        blocks: m.blocks(),
        accessed: Time {
            seconds: m.atime(),
            nanos: m.atime_nsec(),
        },
        modified: Time {
            seconds: m.mtime(),
            nanos: m.mtime_nsec(),
        },
        changed: Time {
            seconds: m.ctime(),
            nanos: m.ctime_nsec(),
        },
    }
}
