//! Which files of the host a program may see.
//!
//! A program under test is not trusted, and its tests are shared: it sees what it was given and no
//! other file of the host. What it was not given looks absent, in every call: the program meets a
//! machine that lacks those files, and its paths do not depend on them. Directories on the way to
//! what was given are there, and so are a few that every machine has, in which programs make files
//! of their own; only what may be seen is listed in them.
//!
//! The rules are about canonical paths: where a walk ends, not how it was spelled. So a symbolic
//! link, also one that the program has made, leads to nothing that was not given.

use rustc_hash::FxHashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Which files of the host a program may see, beside those that are allowed by name.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum FileAccess {
    /// None, but devices that have no contents of their own (`/dev/null`).
    None,
    /// What its arguments name, its directory and what is below that, and what C programs need of
    /// the system (time zones, locales, descriptions of terminals).
    #[default]
    Given,
    /// All of them.
    Host,
}

/// Which files of the host a program may see. The default is [`FileAccess::Given`].
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FileRules {
    /// The files that need not be named.
    pub access: FileAccess,
    /// Further files, and directories with all that is below them.
    pub allowed: Vec<PathBuf>,
}

/// Devices whose contents are not the host's.
const DEVICES: &[&str] = &[
    "/dev/fd",
    "/dev/full",
    "/dev/null",
    "/dev/random",
    "/dev/stderr",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

/// What a C program needs of the system: the same for all users, and no secret.
const SYSTEM: &[&str] = &[
    "/etc/localtime",
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/lib/locale",
    "/usr/share/i18n",
    "/usr/share/locale",
    "/usr/share/terminfo",
    "/usr/share/zoneinfo",
];

/// Directories that every machine has. Without what is in them they tell nothing.
const PLACES: &[&str] = &[
    "/", "/dev", "/dev/shm", "/etc", "/home", "/proc", "/run", "/sys", "/tmp", "/usr", "/var",
    "/var/log", "/var/tmp",
];

/// Links that one path may lead through.
const MOST_LINKS: usize = 40;

/// What a program sees of a path of the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sight {
    /// All of it.
    Full,
    /// A directory, or a link, on the way to something else. Only what may be seen is listed in it.
    Way,
    /// Nothing.
    Hidden,
}

/// The files that a program sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reach {
    everything: bool,
    /// Canonical paths of what may be seen with all that is below.
    below: Vec<Vec<u8>>,
    /// Directories and links on the way there.
    ways: FxHashSet<Vec<u8>>,
}

impl Reach {
    /// All files of the host.
    pub fn everything() -> Self {
        Reach {
            everything: true,
            below: Vec::new(),
            ways: FxHashSet::default(),
        }
    }

    /// What a program sees that starts in the directory `start` (an absolute path) with these
    /// arguments.
    ///
    /// # Errors
    /// When something that is allowed by name is not there: which and why.
    pub fn of<'a>(
        rules: &FileRules,
        start: &Path,
        arguments: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Self, (PathBuf, io::Error)> {
        let mut reach = Reach {
            everything: rules.access == FileAccess::Host,
            ..Reach::everything()
        };
        for path in &rules.allowed {
            let found = reach.lead_to(start, path);
            let found = found.map_err(|why| (path.clone(), why))?;
            reach.below.push(found);
        }
        if reach.everything {
            return Ok(reach);
        }
        reach.add(DEVICES);
        for place in PLACES {
            if let Ok(found) = reach.lead_to(Path::new("/"), Path::new(place)) {
                reach.ways.insert(found);
            }
        }
        match (reach.lead_to(start, start), rules.access) {
            (Ok(directory), FileAccess::Given) => reach.give(directory),
            (Ok(directory), _) => _ = reach.ways.insert(directory),
            // The run says so itself.
            (Err(_), _) => {}
        }
        if rules.access == FileAccess::Given {
            reach.add(SYSTEM);
            for path in arguments.into_iter().flat_map(named) {
                if let Ok(found) = reach.lead_to(start, Path::new(OsStr::from_bytes(path))) {
                    reach.give(found);
                }
            }
        }
        Ok(reach)
    }

    /// Gives what is there of some absolute paths.
    fn add(&mut self, paths: &[&str]) {
        for path in paths {
            if let Ok(found) = self.lead_to(Path::new("/"), Path::new(path)) {
                self.below.push(found);
            }
        }
    }

    /// Gives a path, but not the whole host: a run in `/`, and an argument `/`, which may be a
    /// division, mean no more than that directory.
    fn give(&mut self, canonical: Vec<u8>) {
        if canonical != b"/" {
            self.below.push(canonical);
        }
    }

    /// The canonical form of a path that exists, with all directories and links on the way to it.
    fn lead_to(&mut self, start: &Path, path: &Path) -> io::Result<Vec<u8>> {
        let path = start.join(path);
        let mut ways = vec![b"/".to_vec()];
        let mut rest: Vec<Vec<u8>> = names(path.as_os_str().as_bytes());
        let (mut at, mut links) = (PathBuf::from("/"), 0);
        while let Some(name) = rest.pop() {
            if name == b".." {
                at.pop();
                continue;
            }
            let next = at.join(OsStr::from_bytes(&name));
            let metadata = fs::symlink_metadata(&next)?;
            ways.push(next.as_os_str().as_bytes().to_vec());
            if !metadata.is_symlink() {
                at = next;
                continue;
            }
            links += 1;
            if links > MOST_LINKS {
                return Err(io::Error::other("too many levels of symbolic links"));
            }
            let target = fs::read_link(&next)?.into_os_string().into_vec();
            if target.starts_with(b"/") {
                at = PathBuf::from("/");
            }
            rest.extend(names(&target));
        }
        let canonical = at.into_os_string().into_vec();
        // What is named may be seen, and a regular file is no way to anything.
        ways.retain(|way| *way != canonical);
        self.ways.extend(ways);
        Ok(canonical)
    }

    /// What is seen of a canonical path.
    pub(crate) fn sight(&self, path: &[u8]) -> Sight {
        if self.everything || self.below.iter().any(|above| is_below(path, above)) {
            Sight::Full
        } else if self.ways.contains(path) {
            Sight::Way
        } else {
            Sight::Hidden
        }
    }
}

/// The paths that an argument may name: itself, what is behind `=` (`--file=PATH`), and what is
/// behind the letter of a short option (`-IPATH`).
fn named(argument: &[u8]) -> impl Iterator<Item = &[u8]> {
    let value = argument.iter().position(|&byte| byte == b'=');
    let value = value.map(|at| &argument[at + 1..]);
    let short = match argument {
        [b'-', letter, path @ ..] if letter.is_ascii_alphabetic() => Some(path),
        _ => None,
    };
    let all = [Some(argument), value, short].into_iter().flatten();
    all.filter(|path| !path.is_empty() && !path.contains(&0))
}

fn is_below(path: &[u8], above: &[u8]) -> bool {
    let rest = path.strip_prefix(above);
    rest.is_some_and(|rest| rest.is_empty() || rest[0] == b'/' || above == b"/")
}

/// The names of a path, last first.
fn names(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path.split(|&byte| byte == b'/');
    let names = names.filter(|name| !name.is_empty() && *name != b".");
    let mut names: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
    names.reverse();
    names
}
