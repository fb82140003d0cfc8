//! Where the C library in bitcode is. `make libc` builds it; nothing here does.
//!
//! Looked for in order: the directory that the user names, `$PLAT_LIBC`, `libc` beside the
//! executable or one or two directories up (`target/libc` for a binary in `target/release` and for an
//! example in `target/release/examples`), `lib/plat/libc` one directory up (an installed `bin/plat`),
//! the newest `libc-*` in the cache, `${PLAT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plat}`.

use crate::Error;
use std::env;
use std::path::{Path, PathBuf};

/// The library's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Libc {
    /// The archive of bitcode members.
    pub archive: PathBuf,
    /// What the rewriting of realloc calls.
    pub realloc: PathBuf,
    /// The C++ library, libc++, another archive of bitcode members, if it is there.
    pub cxx: Option<PathBuf>,
}

impl Libc {
    fn of(directory: &Path) -> Option<Self> {
        let libc = Libc {
            archive: directory.join("libc.a"),
            realloc: directory.join("realloc.bc"),
            cxx: Some(directory.join("libc++.a")).filter(|path| path.is_file()),
        };
        (libc.archive.is_file() && libc.realloc.is_file()).then_some(libc)
    }
}

/// Finds the library.
///
/// # Errors
/// With the command that builds it. A directory that the user names must have it.
pub fn find(asked: Option<&Path>) -> Result<Libc, Error> {
    let named = asked
        .map(Path::to_path_buf)
        .or_else(|| directory_variable("PLAT_LIBC"));
    if let Some(directory) = named {
        return Libc::of(&directory).ok_or_else(|| {
            Error::input(format!(
                "{}: no C library there (libc.a and realloc.bc); transform/runtime/build-libc DIR \
                 makes one",
                directory.display()
            ))
        });
    }
    beside_executable()
        .into_iter()
        .chain(in_cache())
        .find_map(|directory| Libc::of(&directory))
        .ok_or_else(|| {
            Error::input(
                "the C library in bitcode is missing; `make libc` in plat's source tree builds it",
            )
        })
}

/// Finds the library that stands before the network in native replays.
///
/// # Errors
/// With the command that builds it.
pub fn sockets() -> Result<PathBuf, Error> {
    native_library("libplatSockets.so", "tests with sockets")
}

/// Finds the library that sets the clock of native replays.
///
/// # Errors
/// With the command that builds it.
pub fn clock() -> Result<PathBuf, Error> {
    native_library("libplatClock.so", "programs that look at the clock")
}

/// Finds a library that stands before native replays.
fn native_library(name: &str, needs: &str) -> Result<PathBuf, Error> {
    let named = directory_variable("PLAT_LIBC").into_iter();
    named
        .chain(beside_executable())
        .chain(in_cache())
        .map(|directory| directory.join(name))
        .find(|library| library.is_file())
        .ok_or_else(|| {
            Error::input(format!(
                "{name} is missing, without which {needs} are not replayed; `make libc` \
                 in plat's source tree builds it"
            ))
        })
}

fn directory_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn beside_executable() -> Vec<PathBuf> {
    let executable = env::current_exe().and_then(|path| path.canonicalize());
    let Ok(executable) = executable else {
        return Vec::new();
    };
    around(&executable)
}

/// Where the library may be, for an executable.
fn around(executable: &Path) -> Vec<PathBuf> {
    let mut above = executable.ancestors().skip(1);
    let (beside, up, further) = (above.next(), above.next(), above.next());
    [
        (beside, "libc"),
        (up, "libc"),
        (up, "lib/plat/libc"),
        (further, "libc"),
    ]
    .into_iter()
    .filter_map(|(directory, name)| Some(directory?.join(name)))
    .collect()
}

/// The directories `libc-*` of the cache, newest first.
fn in_cache() -> Vec<PathBuf> {
    let cache = directory_variable("PLAT_CACHE").or_else(|| {
        directory_variable("XDG_CACHE_HOME")
            .or_else(|| directory_variable("HOME").map(|home| home.join(".cache")))
            .map(|base| base.join("plat"))
    });
    let entries = cache.and_then(|directory| std::fs::read_dir(directory).ok());
    let mut found: Vec<_> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("libc-"))
        .map(|entry| {
            let modified = entry.metadata().and_then(|meta| meta.modified()).ok();
            (std::cmp::Reverse(modified), entry.path())
        })
        .collect();
    found.sort();
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_looked_for_where_a_build_and_an_installation_have_it() {
        let around = |executable: &str| around(Path::new(executable));
        assert!(around("/plat/target/release/plat").contains(&"/plat/target/libc".into()));
        let example = "/plat/target/release/examples/crackme";
        assert!(around(example).contains(&"/plat/target/libc".into()));
        assert!(around("/usr/bin/plat").contains(&"/usr/lib/plat/libc".into()));
        assert_eq!(around("/plat").len(), 1);
    }

    #[test]
    fn a_named_directory_must_have_the_library() {
        let failure = find(Some(Path::new("/nonexistent"))).unwrap_err();
        assert_eq!(failure.kind, crate::ErrorKind::Input);
        assert!(
            failure
                .message
                .starts_with("/nonexistent: no C library there")
        );
    }
}
