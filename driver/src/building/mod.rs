//! Whole-program bitcode of a build that knows nothing of it.
//!
//! [`run`] runs a build command with a directory first on its path in which every usual name of a
//! compiler is the [wrapper]. That calls the compiler that is meant, just as it was asked to, and
//! then compiles each source once more, to bitcode. The name of the bitcode goes into a section of
//! the object, [`SECTION`]. Linkers put sections of one name together, through archives and partial
//! links as well, so that an executable says itself of which bitcode it is made. Native code is not
//! changed, so that what configure tries and what the build runs on the way works as always. Cargo is
//! [asked](rust) to call its compiler in the same way.
//!
//! The idea is that of wllvm and gllvm; that `plat build` is one word around any command is ours.

mod command_line;
pub mod database;
pub(crate) mod elf;
mod rust;
pub(crate) mod tools;
pub mod wrapper;

use crate::Error;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The section of objects with the names of their bitcode, a line each.
pub(crate) const SECTION: &str = ".plat_bc";

/// The variable that tells the wrapper where bitcode is kept.
pub(crate) const VARIABLE: &str = "PLAT_BUILD";

/// The directory for bitcode, in the one in which the build is run.
const ROOM: &str = ".plat-build";

/// What sources have no bitcode, a line each.
const FAILURES: &str = "failures";

/// What sources clang's passes took too long for, a line each.
const SLOW: &str = "slow";

/// The bitcode of one executable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The executable.
    pub executable: PathBuf,
    /// Its bitcode.
    pub bitcode: PathBuf,
    /// Of how many files it was compiled.
    pub files: usize,
}

/// What came of a build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Built {
    /// How the command ended; not 0 is an error of the build.
    pub code: i32,
    /// The programs, by name.
    pub programs: Vec<Program>,
    /// What there is no bitcode of, and why, a line each.
    pub missing: Vec<String>,
    /// What was compiled without clang's passes, as they take too long, a line each.
    pub slow: Vec<String>,
}

/// Runs a build in `directory`, with `wrapper` (the executable that calls [`wrapper::run`] under the
/// names of compilers), and puts together what it has made there.
///
/// # Errors
/// When the command or LLVM's tools cannot be started.
pub fn run(directory: &Path, command: &[OsString], wrapper: &Path) -> Result<Built, Error> {
    let room = directory.join(ROOM);
    let failed = |why: std::io::Error| Error::input(format!("{}: {why}", room.display()));
    fs::create_dir_all(room.join("objects")).map_err(failed)?;
    for list in [FAILURES, SLOW] {
        let _ = fs::remove_file(room.join(list));
    }
    let names = room.join("bin");
    stand_in(&names, wrapper).map_err(failed)?;
    tools::find("clang")?;
    tools::find("llvm-link")?;
    tools::find("llvm-objcopy")?;
    let (name, args) = command
        .split_first()
        .ok_or_else(|| Error::input("no build command: plat build -- make"))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = [names.clone().into_os_string(), path].join(OsStr::new(":"));
    let mut build = Command::new(name);
    build.args(args).current_dir(directory).env("PATH", first);
    rust::prepare(&mut build, command, directory, &names);
    let status = build.env(VARIABLE, &room).status();
    let status =
        status.map_err(|why| Error::input(format!("{}: {why}", Path::new(name).display())))?;
    let mut missing = lines(&room.join(FAILURES));
    let elsewhere = rust::target(command).map(|target| directory.join(target));
    let places: Vec<&Path> = std::iter::once(directory)
        .chain(elsewhere.as_deref())
        .collect();
    let programs = put_together(&places, &mut missing)?;
    Ok(Built {
        code: status.code().unwrap_or(1),
        programs,
        missing,
        slow: lines(&room.join(SLOW)),
    })
}

/// Gives the wrapper the names of all compilers that are on the path.
fn stand_in(names: &Path, wrapper: &Path) -> std::io::Result<()> {
    let _ = fs::remove_dir_all(names);
    fs::create_dir_all(names)?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut known = BTreeSet::new();
    for directory in std::env::split_paths(&path) {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        known.extend(entries.map(|entry| entry.file_name()).filter(|name| {
            name.to_str()
                .is_some_and(|name| command_line::language(name).is_some())
        }));
    }
    for name in known {
        symlink(wrapper, names.join(name))?;
    }
    symlink(wrapper, names.join(rust::NAME))
}

/// The lines of a list, each once.
fn lines(list: &Path) -> Vec<String> {
    let text = fs::read_to_string(list).unwrap_or_default();
    let lines: BTreeSet<&str> = text.lines().collect();
    lines.into_iter().map(str::to_string).collect()
}

/// Links the bitcode of every executable below some directories.
fn put_together(directories: &[&Path], missing: &mut Vec<String>) -> Result<Vec<Program>, Error> {
    let mut programs = Vec::new();
    for executable in executables(directories) {
        let Some(parts) = elf::section(&executable, SECTION) else {
            continue;
        };
        let parts = String::from_utf8_lossy(&parts);
        let mut seen = BTreeSet::new();
        let names = parts.split(['\n', '\0']).filter(|name| !name.is_empty());
        let parts: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
        let bitcode = beside(&executable);
        let linked = tools::run(
            "llvm-link",
            parts
                .iter()
                .map(OsStr::new)
                .chain([OsStr::new("-o"), bitcode.as_os_str()]),
        )?;
        match linked {
            Ok(()) => programs.push(Program {
                executable,
                bitcode,
                files: parts.len(),
            }),
            Err(why) => missing.push(format!("{}: {why}", executable.display())),
        }
    }
    programs.sort_by(|a, b| a.bitcode.cmp(&b.bitcode));
    Ok(programs)
}

/// The file for the bitcode of an executable: beside it, or beside the script that libtool has put in
/// its place.
fn beside(executable: &Path) -> PathBuf {
    let name = executable.file_name().unwrap_or_default();
    let mut file = name.to_os_string();
    file.push(".bc");
    let parent = executable.parent().unwrap_or(Path::new(""));
    match parent.file_name() == Some(OsStr::new(".libs")) {
        true => parent.with_file_name(file),
        false => parent.join(file),
    }
}

/// Files below some directories that can be executed and are neither scripts nor libraries. Of a file with
/// several names, as cargo gives them, that with the fewest directories.
fn executables(directories: &[&Path]) -> Vec<PathBuf> {
    let mut found: BTreeMap<(u64, u64), PathBuf> = BTreeMap::new();
    let mut open: Vec<PathBuf> = directories.iter().map(|one| one.to_path_buf()).collect();
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
            let Ok(metadata) = fs::symlink_metadata(entry.path()) else {
                continue;
            };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_library = name.ends_with(".so") || name.contains(".so.");
            if metadata.is_dir() && name != ROOM {
                open.push(entry.path());
            } else if metadata.is_file()
                && metadata.permissions().mode() & 0o111 != 0
                && !is_library
            {
                let depth = |path: &Path| path.components().count();
                let known = found.entry((metadata.dev(), metadata.ino()));
                let known = known.or_insert_with(|| entry.path());
                if depth(&entry.path()) < depth(known) {
                    *known = entry.path();
                }
            }
        }
    }
    found.into_values().collect()
}
