//! The `.ktest` format, version 3: the concrete values of one path's symbolic objects.
//!
//! All numbers are big-endian 32-bit; a string is its length and its bytes. After the magic and the
//! version come the arguments, two legacy numbers, and the objects in order of creation. Readers
//! that use `fread` of one item fail on empty strings, so none are written: an empty argument
//! becomes one zero byte, and an object without bytes is left out.

use std::fmt;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 5] = b"KTEST";
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";
const VERSION: u32 = 3;

/// One symbolic object with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The name given to `klee_make_symbolic`, or by the environment (`arg00`, `stdin`, ...).
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A test case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ktest {
    /// The program's arguments with the options of symbolic input; the first is the path of the
    /// bitcode.
    pub args: Vec<Vec<u8>>,
    /// The symbolic objects in order of creation.
    pub objects: Vec<Object>,
}

/// Why bytes are not a test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KtestError {
    /// Neither magic is there.
    Magic,
    /// A format that is newer than this reader.
    Version(u32),
    /// The bytes end inside a record: at this offset more were needed.
    Truncated(usize),
    /// Bytes are left after the last object, from this offset on.
    Trailing(usize),
    /// A file could not be read or written.
    File(PathBuf, String),
    /// A file is not a test case.
    In(PathBuf, Box<KtestError>),
}

impl fmt::Display for KtestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KtestError::Magic => write!(out, "not a .ktest file"),
            KtestError::Version(version) => {
                write!(out, ".ktest version {version}; this reads up to {VERSION}")
            }
            KtestError::Truncated(at) => write!(out, "truncated .ktest file: it ends at byte {at}"),
            KtestError::Trailing(at) => write!(out, "unknown bytes in .ktest file from byte {at}"),
            KtestError::File(path, reason) => write!(out, "{}: {reason}", path.display()),
            KtestError::In(path, error) => write!(out, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for KtestError {}

impl Ktest {
    /// The first object of this name.
    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|object| object.name == name)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        put(&mut out, VERSION);
        put(&mut out, self.args.len() as u32);
        for arg in &self.args {
            put_bytes(&mut out, if arg.is_empty() { b"\0" } else { arg });
        }
        put(&mut out, 0);
        put(&mut out, 0);
        let objects = self
            .objects
            .iter()
            .filter(|object| !object.bytes.is_empty());
        put(&mut out, objects.clone().count() as u32);
        for object in objects {
            let name = if object.name.is_empty() {
                "unnamed"
            } else {
                &object.name
            };
            put_bytes(&mut out, name.as_bytes());
            put_bytes(&mut out, &object.bytes);
        }
        out
    }

    /// Read the bytes of a file; older versions and the older magic are accepted.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KtestError> {
        let mut input = Input { bytes, at: 0 };
        let magic = input.take(5).map_err(|_| KtestError::Magic)?;
        if magic != MAGIC && magic != OLD_MAGIC {
            return Err(KtestError::Magic);
        }
        let version = input.number()?;
        if version > VERSION {
            return Err(KtestError::Version(version));
        }
        let mut test = Ktest::default();
        for _ in 0..input.number()? {
            let arg = input.string()?;
            test.args.push(if arg == b"\0" {
                Vec::new()
            } else {
                arg.to_vec()
            });
        }
        if version >= 2 {
            input.take(8)?;
        }
        for _ in 0..input.number()? {
            let name = String::from_utf8_lossy(input.string()?).into_owned();
            let bytes = input.string()?.to_vec();
            test.objects.push(Object { name, bytes });
        }
        if input.at < bytes.len() {
            return Err(KtestError::Trailing(input.at));
        }
        Ok(test)
    }

    /// Read a file.
    pub fn read(path: &Path) -> Result<Self, KtestError> {
        let bytes = std::fs::read(path)
            .map_err(|error| KtestError::File(path.to_path_buf(), error.to_string()))?;
        Self::from_bytes(&bytes).map_err(|error| KtestError::In(path.into(), Box::new(error)))
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// Bytes being read.
struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], KtestError> {
        let end = self
            .at
            .checked_add(count)
            .filter(|&end| end <= self.bytes.len());
        let end = end.ok_or(KtestError::Truncated(self.bytes.len()))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, KtestError> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn string(&mut self) -> Result<&'a [u8], KtestError> {
        let size = self.number()?;
        self.take(size as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Written by hand, from the description of the format.
    const SAMPLE: &[u8] = b"KTEST\0\0\0\x03\
        \0\0\0\x03\0\0\0\x07prog.bc\0\0\0\x09--sym-arg\0\0\0\x012\
        \0\0\0\0\0\0\0\0\
        \0\0\0\x02\
        \0\0\0\x05arg00\0\0\0\x03a\xff\0\
        \0\0\0\x05stdin\0\0\0\x01\n";

    fn sample() -> Ktest {
        Ktest {
            args: [&b"prog.bc"[..], b"--sym-arg", b"2"]
                .map(<[u8]>::to_vec)
                .to_vec(),
            objects: vec![
                Object {
                    name: "arg00".into(),
                    bytes: vec![b'a', 0xff, 0],
                },
                Object {
                    name: "stdin".into(),
                    bytes: vec![b'\n'],
                },
            ],
        }
    }

    #[test]
    fn agrees_with_a_file_made_by_hand() {
        assert_eq!(sample().to_bytes(), SAMPLE);
        assert_eq!(Ktest::from_bytes(SAMPLE), Ok(sample()));
    }

    #[test]
    fn reads_older_files() {
        let mut old = SAMPLE.to_vec();
        old[..5].copy_from_slice(b"BOUT\n");
        assert_eq!(Ktest::from_bytes(&old), Ok(sample()));
        // Version 1 lacks the two legacy numbers, which follow the arguments at byte 45.
        old[8] = 1;
        old.drain(45..53);
        assert_eq!(Ktest::from_bytes(&old), Ok(sample()));
    }

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(Ktest::from_bytes(b"KTES"), Err(KtestError::Magic));
        let mut newer = SAMPLE.to_vec();
        newer[8] = 4;
        assert_eq!(Ktest::from_bytes(&newer), Err(KtestError::Version(4)));
        for end in 5..SAMPLE.len() {
            let error = Ktest::from_bytes(&SAMPLE[..end]);
            assert_eq!(error, Err(KtestError::Truncated(end)), "cut at {end}");
        }
        let longer = [SAMPLE, b"x"].concat();
        assert_eq!(
            Ktest::from_bytes(&longer),
            Err(KtestError::Trailing(SAMPLE.len()))
        );
        let missing = Ktest::read(Path::new("/nonexistent/t.ktest"))
            .unwrap_err()
            .to_string();
        assert!(
            missing.starts_with("/nonexistent/t.ktest: No such file"),
            "{missing}"
        );
    }

    #[test]
    fn writes_no_string_without_bytes() {
        let test = Ktest {
            args: vec![Vec::new()],
            objects: vec![
                Object {
                    name: String::new(),
                    bytes: vec![1],
                },
                Object {
                    name: "none".into(),
                    bytes: Vec::new(),
                },
            ],
        };
        let again = Ktest::from_bytes(&test.to_bytes()).unwrap();
        assert_eq!(again.args, [b""]);
        assert_eq!(
            again.objects,
            [Object {
                name: "unnamed".into(),
                bytes: vec![1]
            }]
        );
    }

    proptest! {
        #[test]
        fn round_trip(
            args in prop::collection::vec(prop::collection::vec(1u8.., 0..6), 0..5),
            objects in prop::collection::vec(
                ("[a-zA-Z0-9_]{1,8}", prop::collection::vec(any::<u8>(), 1..40)), 0..6),
        ) {
            let objects = objects.into_iter().map(|(name, bytes)| Object { name, bytes }).collect();
            let test = Ktest { args, objects };
            prop_assert_eq!(Ktest::from_bytes(&test.to_bytes()), Ok(test));
        }
    }
}
