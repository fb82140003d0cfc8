//! Files that the command is given. All of them go by here before they are read: something without
//! end (`/dev/zero`, a pipe that nobody closes), a directory, or a file that is far too large for
//! what it should be is one line of error, and not read until memory is gone.

use crate::Error;
use std::fs::{self, FileType};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;

/// What a file should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A program or a part of one.
    Bitcode,
    /// The C library.
    Archive,
    /// A shared library for external calls.
    Library,
    /// A `.ktest` file, as a test or as a seed.
    TestCase,
    /// The first contents of symbolic input.
    Template,
    /// The result of `plat analyze`.
    PointsTo,
    /// The result of `plat segment`.
    Segments,
    /// Variables of the environment.
    Environment,
    /// A file that a run has written: summary, outputs.
    Result,
    /// The tests of a run.
    Tests,
    /// A piece of work.
    Work,
    /// The command's own standard input.
    StandardInput,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Bitcode => "bitcode",
            Kind::Archive => "an archive",
            Kind::Library => "a shared library",
            Kind::TestCase => "a test case",
            Kind::Template => "a template",
            Kind::PointsTo => "a points-to file",
            Kind::Segments => "a segment map",
            Kind::Environment => "a file of variables",
            Kind::Result => "a file of a run",
            Kind::Tests => "a file of tests",
            Kind::Work => "a piece of work",
            Kind::StandardInput => "standard input",
        }
    }

    /// The most bytes: many times what real ones have.
    pub fn most(self) -> u64 {
        match self {
            Kind::Bitcode | Kind::Archive | Kind::Library => 4 << 30,
            Kind::PointsTo | Kind::Segments | Kind::Result => 2 << 30,
            // It is not read at once.
            Kind::Tests | Kind::Work => 1 << 40,
            Kind::TestCase | Kind::StandardInput => 256 << 20,
            Kind::Template | Kind::Environment => 64 << 20,
        }
    }
}

/// Whether a file can be what it should be. What is wrong with one that is not there, or may not be
/// read, is for its reader to say.
///
/// # Errors
/// When it is no regular file, or too large.
pub fn check(path: &Path, kind: Kind) -> Result<(), Error> {
    let Ok(metadata) = fs::metadata(path) else {
        return Ok(());
    };
    let file = metadata.file_type();
    let why = if !file.is_file() {
        format!("is {}, not {}", what(file), kind.name())
    } else if metadata.len() > kind.most() {
        too_large(metadata.len(), kind)
    } else {
        return Ok(());
    };
    Err(Error::input(format!("{}: {why}", path.display())))
}

/// Reads a file.
///
/// # Errors
/// When it cannot be what it should be, or cannot be read.
pub fn read(path: &Path, kind: Kind) -> Result<Vec<u8>, Error> {
    check(path, kind)?;
    fs::read(path).map_err(|why| Error::input(format!("{}: {why}", path.display())))
}

/// Reads a file of text.
///
/// # Errors
/// As [`read`], and when it is not text.
pub fn read_text(path: &Path, kind: Kind) -> Result<String, Error> {
    String::from_utf8(read(path, kind)?)
        .map_err(|why| Error::input(format!("{}: not text: {why}", path.display())))
}

/// That so many bytes are too many.
pub fn too_large(bytes: u64, kind: Kind) -> String {
    let most = kind.most() >> 20;
    format!("has {bytes} bytes; {} has at most {most} MiB", kind.name())
}

fn what(file: FileType) -> &'static str {
    if file.is_dir() {
        "a directory"
    } else if file.is_fifo() {
        "a pipe"
    } else if file.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 12] = [
        Kind::Bitcode,
        Kind::Archive,
        Kind::Library,
        Kind::TestCase,
        Kind::Template,
        Kind::PointsTo,
        Kind::Segments,
        Kind::Environment,
        Kind::Result,
        Kind::Tests,
        Kind::Work,
        Kind::StandardInput,
    ];

    #[test]
    fn what_cannot_be_read_to_its_end_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let directory = directory.path();
        let sparse = directory.join("sparse");
        let file = fs::File::create(&sparse).expect("a file");
        for kind in KINDS {
            file.set_len(kind.most() + 1).expect("a sparse file");
            for (path, says) in [
                (Path::new("/dev/zero"), "is a device, not "),
                (directory, "is a directory, not "),
                (&sparse, " has at most "),
            ] {
                let failure = read(path, kind).expect_err(says);
                assert!(failure.message.contains(says), "{failure}");
                assert!(failure.message.contains(kind.name()), "{failure}");
            }
            file.set_len(3).expect("a small file");
            assert_eq!(read(&sparse, kind), Ok(vec![0; 3]));
        }
        assert!(check(&directory.join("missing"), Kind::Bitcode).is_ok());
    }
}
