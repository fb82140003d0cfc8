//! Where a build that counts what it executes writes its counters: gcov's beside the objects, by paths
//! that the compiler puts into the executable, or below `GCOV_PREFIX`; LLVM's where `LLVM_PROFILE_FILE`
//! says.

use crate::Error;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The end of the names of gcov's files.
const ENDING: &[u8] = b".gcda\0";

/// The directories that a build writes its counters to, in the environment of this process; none if it
/// has none.
///
/// # Errors
/// When it cannot be read.
pub fn places(native: &Path) -> Result<Vec<PathBuf>, Error> {
    let wrong = |why| Error::input(format!("{}: {why}", native.display()));
    let executable = fs::read(native).map_err(wrong)?;
    let mut places = beside_objects(&executable, Path::is_dir);
    if !places.is_empty()
        && let Some(prefix) = std::env::var_os("GCOV_PREFIX")
    {
        places = vec![PathBuf::from(prefix)];
    }
    let profile = std::env::var_os("LLVM_PROFILE_FILE").map(PathBuf::from);
    places.extend(profile.as_deref().and_then(Path::parent).map(PathBuf::from));
    places.retain(|place| place.is_absolute() && place.is_dir());
    Ok(places)
}

/// The directories, where they are there, of the files of counters that an executable names.
fn beside_objects(executable: &[u8], is_there: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut places = Vec::new();
    let ends = executable.windows(ENDING.len()).enumerate();
    for (end, _) in ends.filter(|(_, window)| *window == ENDING) {
        let begin = executable[..end].iter().rposition(|&byte| byte == 0);
        let text = &executable[begin.map_or(0, |at| at + 1)..end];
        // What stands before the path need not end in a zero.
        let starts = (0..text.len()).filter(|&at| text[at] == b'/');
        let mut found = starts.filter_map(|at| Path::new(OsStr::from_bytes(&text[at..])).parent());
        places.extend(found.find(|place| is_there(place)).map(Path::to_path_buf));
    }
    places.sort();
    places.dedup();
    places
}

#[cfg(test)]
mod tests {
    use super::beside_objects;
    use std::path::Path;

    #[test]
    fn files_of_counters_are_found_in_an_executable() {
        let text = b"\x7fELF\0\x2f\xff/home/you/a.gcda\0x.gcda y\0/home/you/b.gcda\0/opt/c.gcda\0";
        let there = ["/home/you", "/opt"].map(Path::new);
        assert_eq!(beside_objects(text, |place| there.contains(&place)), there);
        assert!(beside_objects(b".gcda", |_| true).is_empty());
    }
}
