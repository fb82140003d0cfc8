//! The names that fuzzers give to inputs.

use crate::output::tests_jsonl::hexadecimal;
use sha1::{Digest as _, Sha1};

/// libFuzzer's: the SHA-1 of the bytes, in hexadecimal.
pub fn libfuzzer(bytes: &[u8]) -> String {
    hexadecimal(&Sha1::digest(bytes))
}

/// The beginning of a name of AFL's, by which other nodes find the input of this number. AFL++ looks
/// for exactly this many digits, and takes no further input of a node that leaves out a number.
pub fn afl_prefix(number: u32) -> String {
    format!("id:{number:06}")
}

/// The number of an input of AFL's.
pub fn afl_number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("id:")?.get(..6)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_fuzzers() {
        // As `sha1sum` has it.
        assert_eq!(libfuzzer(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(
            libfuzzer(b"abc"),
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        );
        assert_eq!(afl_prefix(7), "id:000007");
        assert_eq!(afl_number("id:000012,src:000003,time:5,op:flip"), Some(12));
        for other in ["id:12", "id:00001x,src", "README.txt", "id_000001", ""] {
            assert_eq!(afl_number(other), None, "{other}");
        }
    }
}
