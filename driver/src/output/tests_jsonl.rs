//! `tests.jsonl`: one line for each test, for programs to read.

use plat_engine::outcome::Reach;
use serde::{Deserialize, Serialize};

/// How a path ended, in one word.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// `main` returned.
    Returned,
    /// The program called `exit`, or ended itself silently.
    Exited,
    /// The program did something wrong: see `fault`.
    Fault,
    /// Something is not supported: the path stops here, its test leads to this place.
    Unsupported,
    /// A limit or the end of the run cut the path off.
    Limit,
}

impl End {
    /// How far the path has come.
    pub fn reach(self) -> Reach {
        match self {
            End::Returned | End::Exited => Reach::End,
            End::Fault | End::Unsupported => Reach::Error,
            End::Limit => Reach::Limit,
        }
    }
}

/// The program's fault.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The suffix of the `.err` file: `ptr`, `free`, `assert`, `abort`, `div`, ...
    pub kind: String,
    /// Source file; empty without debug information.
    pub file: String,
    /// Source line; 0 without debug information.
    pub line: u32,
    /// One line.
    pub message: String,
}

/// One line of `tests.jsonl`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TestLine {
    /// The N of `testN.ktest`.
    pub test: u32,
    /// How the path ended.
    pub end: End,
    /// The program's exit status (0 to 255), if it got to one.
    pub exit_code: Option<u8>,
    /// What went wrong, if `end` is `fault`; what is missing, if it is `unsupported`.
    pub fault: Option<Fault>,
    /// Another test stands for this fault: this one is for code that its path was the first to
    /// cover, and has no `.err` file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
    /// The path was the first to cover something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub covers_new: bool,
    /// Instructions on the path.
    pub instructions: u64,
    /// Forks on the path.
    pub forks: u64,
    /// SHA-256 of what the path wrote to standard output, as far as it is kept (`testN.out`).
    pub stdout_sha256: String,
    /// Bytes that the path wrote behind those that are kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stdout_cut: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl TestLine {
    /// The line, with its end.
    pub fn to_line(&self) -> String {
        let mut line = serde_json::to_string(self).expect("plain data");
        line.push('\n');
        line
    }
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    hexadecimal(&sha2::Sha256::digest(bytes))
}

/// Bytes in hexadecimal, without a string for each: a hash is written for every test.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 15)];
    bytes.iter().flat_map(digits).collect()
}

/// Reads a whole `tests.jsonl`.
///
/// # Errors
/// With the number of the first line that is not a test.
pub fn parse(text: &str) -> Result<Vec<TestLine>, String> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty());
    lines
        .map(|(at, line)| {
            serde_json::from_str(line).map_err(|why| format!("line {}: {why}", at + 1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_documented_keys() {
        let line = TestLine {
            test: 3,
            end: End::Fault,
            exit_code: None,
            fault: Some(Fault {
                kind: "ptr".into(),
                file: "a.c".into(),
                line: 7,
                message: "memory error: out of bound pointer".into(),
            }),
            repeats: false,
            covers_new: false,
            instructions: 10,
            forks: 2,
            stdout_sha256: sha256(b""),
            stdout_cut: 0,
        };
        let text = line.to_line();
        assert_eq!(
            text,
            "{\"test\":3,\"end\":\"fault\",\"exit_code\":null,\"fault\":{\"kind\":\"ptr\",\
             \"file\":\"a.c\",\"line\":7,\"message\":\"memory error: out of bound pointer\"},\
             \"instructions\":10,\"forks\":2,\"stdout_sha256\":\
             \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"}\n"
        );
        assert_eq!(parse(&text), Ok(vec![line]));
        assert!(parse("{}").is_err());
    }
}
