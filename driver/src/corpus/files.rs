//! The files of a corpus: of libFuzzer's directories, and of the output directories of AFL++.

use crate::Error;
use crate::input::{self, Kind};
use std::fs;
use std::path::{Path, PathBuf};

/// The inputs in a directory, sorted by path. Of an output directory of AFL++, or of one of its nodes,
/// those of the queues; of any other directory all files in it and below it. Names that begin with a
/// dot are passed over, as fuzzers do.
///
/// # Errors
/// When the directory, or one below it, cannot be read.
pub fn inputs(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    match queues(directory)? {
        queues if queues.is_empty() => collect(directory, true, &mut found)?,
        queues => {
            for queue in queues {
                collect(&queue, false, &mut found)?;
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The queues of AFL++ in a directory: its own if it is a node's, else those of the nodes in it.
///
/// # Errors
/// When the directory cannot be read.
pub fn queues(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let own = directory.join("queue");
    if own.is_dir() {
        return Ok(vec![own]);
    }
    let entries = entries(directory)?;
    let mut queues: Vec<PathBuf> = entries.into_iter().map(|path| path.join("queue")).collect();
    queues.retain(|queue| queue.is_dir());
    Ok(queues)
}

/// What is in a directory, sorted, without what is hidden.
pub(crate) fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let wrong = |why| Error::input(format!("{}: {why}", directory.display()));
    let entries = fs::read_dir(directory).map_err(wrong)?;
    let entries = entries.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    let hidden = |entry: &fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
    let shown = entries.into_iter().filter(|entry| !hidden(entry));
    let mut paths: Vec<PathBuf> = shown.map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn collect(directory: &Path, below: bool, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    for path in entries(directory)? {
        // A link to a directory may lead back to where it stands.
        let kind = fs::symlink_metadata(&path).map(|data| data.file_type());
        match kind {
            Ok(kind) if kind.is_dir() && below => collect(&path, below, found)?,
            Ok(kind) if kind.is_file() || kind.is_symlink() && path.is_file() => found.push(path),
            // Of no use as an input, or gone meanwhile.
            _ => {}
        }
    }
    Ok(())
}

/// Reads an input.
///
/// # Errors
/// When it is no regular file, too large, or cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    input::read(path, Kind::TestCase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let found = inputs(directory).unwrap();
        let name = |path: &PathBuf| path.strip_prefix(directory).unwrap().display().to_string();
        found.iter().map(name).collect()
    }

    fn fill(directory: &Path, files: &[&str]) {
        for file in files {
            let path = directory.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, b"x").unwrap();
        }
    }

    #[test]
    fn inputs_are_found_where_fuzzers_leave_them() {
        let room = tempfile::tempdir().unwrap();
        let corpus = room.path().join("corpus");
        fill(&corpus, &["b", "a", ".hidden", "deep/er/c", ".git/d"]);
        std::os::unix::fs::symlink("..", corpus.join("deep/up")).unwrap();
        assert_eq!(names(&corpus), ["a", "b", "deep/er/c"]);
        let out = room.path().join("out");
        let files = [
            "main/queue/id:000000,orig:a",
            "main/queue/.state/x",
            "main/fuzzer_stats",
        ];
        fill(&out, &files);
        fill(
            &out,
            &["second/queue/id:000000,orig:a", "second/crashes/id:000000"],
        );
        let both = [
            "main/queue/id:000000,orig:a",
            "second/queue/id:000000,orig:a",
        ];
        assert_eq!(names(&out), both);
        assert_eq!(names(&out.join("main")), ["queue/id:000000,orig:a"]);
        assert!(inputs(&room.path().join("missing")).is_err());
    }
}
