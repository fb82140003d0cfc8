//! A test as it stands in a container, read in place: for who looks at many, or copies them into another
//! container, and needs few of their fields.

use super::saved::{Entry, SavedTest};
use crate::output::tests_jsonl::{End, Fault, TestLine, sha256};
use plat_engine::outcome::test_identity;
use plat_protocol::{Error, decode, decode_start, encode};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What the bytes of an [`Entry`] begin with.
#[derive(Serialize, Deserialize)]
enum Head {
    Run,
    /// The number of a test.
    Test(u32),
}

/// The number of the test in these bytes of an entry, if it is one.
pub(super) fn number(entry: &[u8]) -> Result<Option<u32>, Error> {
    Ok(match decode_start(entry)?.0 {
        Head::Run => None,
        Head::Test(number) => Some(number),
    })
}

/// An input, see [`plat_engine::InputObject`], which it is ordered and hashed as.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub(super) struct Input<'a> {
    name: &'a str,
    bytes: &'a [u8],
}

/// The first fields of a [`SavedTest`] behind its number, in their order.
#[derive(Deserialize)]
pub(super) struct Fields<'a> {
    pub end: End,
    exit_code: Option<u8>,
    fault: Option<Fault>,
    repeats: bool,
    pub covered_new: bool,
    #[serde(borrow)]
    _first: Vec<(&'a str, u32)>,
    work: (u64, u64),
    _made: Duration,
    #[serde(borrow)]
    pub inputs: Vec<Input<'a>>,
    stdout: &'a [u8],
    stdout_cut: u64,
}

impl<'a> Fields<'a> {
    /// Those of a test, from its bytes behind its number.
    pub fn read(bytes: &'a [u8]) -> Result<Self, Error> {
        Ok(decode_start(bytes)?.0)
    }

    /// See [`plat_engine::TestRecord::identity`].
    pub fn identity(&self) -> u64 {
        test_identity(&self.inputs, self.end.reach())
    }

    /// The line of `tests.jsonl`, for a test of this number.
    pub fn line(&self, number: u32) -> TestLine {
        TestLine {
            test: number,
            end: self.end,
            exit_code: self.exit_code,
            fault: self.fault.clone(),
            repeats: self.repeats,
            covers_new: self.covered_new,
            instructions: self.work.0,
            forks: self.work.1,
            stdout_sha256: sha256(self.stdout),
            stdout_cut: self.stdout_cut,
        }
    }
}

/// The bytes of a test behind its number.
pub(super) fn behind_number(entry: &[u8]) -> Result<&[u8], Error> {
    decode_start::<Head>(entry).map(|(_, rest)| rest)
}

/// The bytes of the entry of a test, of its number and what is behind it.
pub(super) fn numbered(number: u32, behind: &[u8]) -> Result<Vec<u8>, Error> {
    let mut entry = encode(&Head::Test(number))?;
    entry.extend_from_slice(behind);
    Ok(entry)
}

/// All of a test, from the bytes of its entry.
pub(super) fn whole(entry: &[u8]) -> Result<SavedTest, Error> {
    match decode(entry)? {
        Entry::Test(test) => Ok(*test),
        Entry::Run(_) => Err(Error::Malformed("no test".to_owned())),
    }
}

/// The bytes of a test behind its number, from all of it.
pub(super) fn bytes_behind_number(test: SavedTest) -> Result<Vec<u8>, Error> {
    let entry = encode(&Entry::Test(Box::new(test)))?;
    Ok(behind_number(&entry)?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::RunInfo;
    use plat_engine::InputObject;

    fn test() -> SavedTest {
        let input = |name: &str, bytes: &[u8]| InputObject {
            name: name.into(),
            bytes: bytes.to_vec(),
        };
        SavedTest {
            number: 300,
            end: End::Fault,
            exit_code: Some(7),
            fault: Some(Fault {
                kind: "ptr".into(),
                file: "a.c".into(),
                line: 3,
                message: "out of bounds".into(),
            }),
            repeats: true,
            covered_new: true,
            first: vec![("a.c".into(), 3)],
            work: (1000, 5),
            made: Duration::from_millis(1234),
            inputs: vec![input("stdin", b"ab\0"), input("arg00", b"")],
            stdout: b"said".to_vec(),
            stdout_cut: 2,
            stderr: b"warned".to_vec(),
            files: vec![("ptr.err".into(), b"report".to_vec())],
        }
    }

    #[test]
    fn fields_are_those_of_the_whole_test() {
        let whole_test = test();
        let entry = encode(&Entry::Test(Box::new(test()))).expect("bytes");
        assert_eq!(number(&entry), Ok(Some(300)));
        let behind = behind_number(&entry).expect("a test");
        let fields = Fields::read(behind).expect("fields");
        assert_eq!(fields.line(300), whole_test.line());
        let identity = test_identity(&whole_test.inputs, whole_test.end.reach());
        assert_eq!(fields.identity(), identity);
        assert_eq!(bytes_behind_number(test()).as_deref(), Ok(behind));
        // The same test under another number.
        let other = whole(&numbered(7, behind).expect("bytes")).expect("a test");
        assert_eq!(other.number, 7);
        assert_eq!((other.files, other.made), (test().files, test().made));
    }

    #[test]
    fn what_is_no_test_is_told() {
        let run = encode(&Entry::Run(RunInfo::default())).expect("bytes");
        assert_eq!(number(&run), Ok(None));
        whole(&run).expect_err("no test");
        let entry = encode(&Entry::Test(Box::new(test()))).expect("bytes");
        let behind = behind_number(&entry).expect("a test");
        // Standard error and the file take 23 bytes.
        let end = behind.len() - 23;
        assert!(Fields::read(&behind[..end]).is_ok());
        for cut in 0..end {
            assert!(Fields::read(&behind[..cut]).is_err(), "{cut}");
        }
    }
}
