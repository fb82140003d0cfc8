//! The `.ktest` format, version 3: the concrete values of one path's symbolic objects.
//!
//! All integers are big-endian 32-bit; a string is its length and its bytes. After the magic and
//! the version: the arguments, two legacy numbers, the objects in the order in which the path made
//! them symbolic. KLEE's own reader fails on zero-length strings and objects, so none are written:
//! an empty argument becomes one zero byte, which is how C sees it anyway, and an empty object is
//! left out.

use std::fmt;

const MAGIC: &[u8; 5] = b"KTEST";
const OLD_MAGIC: &[u8; 5] = b"BOUT\n";
const VERSION: u32 = 3;

/// One symbolic object with its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// The name given to `klee_make_symbolic` or by the environment (`arg00`, `stdin`, ...).
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A test case.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ktest {
    /// The program's arguments as given to plat; the first is the path of the bitcode.
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
    /// The file ends inside a record.
    Truncated,
}

impl fmt::Display for KtestError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KtestError::Magic => write!(out, "not a .ktest file"),
            KtestError::Version(version) => {
                write!(out, ".ktest version {version}; this reads up to {VERSION}")
            }
            KtestError::Truncated => write!(out, "truncated .ktest file"),
        }
    }
}

impl std::error::Error for KtestError {}

impl Ktest {
    /// The file's bytes.
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

    /// Reads a file's bytes; older versions and the older magic are accepted.
    ///
    /// # Errors
    /// When the bytes are not a test case.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, KtestError> {
        let mut input = Input { rest: bytes };
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
        Ok(test)
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// What is left to read.
struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], KtestError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(KtestError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, KtestError> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn string(&mut self) -> Result<&'a [u8], KtestError> {
        let length = self.number()?;
        self.take(length as usize)
    }
}

/// The text that `ktest-tool` prints: per object its number, name, size, bytes in several forms.
pub fn describe(path: &str, test: &Ktest) -> String {
    let args: Vec<String> = test.args.iter().map(|arg| python_quoted(arg, "")).collect();
    let mut out = format!("ktest file : '{path}'\n");
    out += &format!("args       : [{}]\n", args.join(", "));
    out += &format!("num objects: {}\n", test.objects.len());
    let width = test.objects.len().saturating_sub(1).to_string().len();
    for (at, object) in test.objects.iter().enumerate() {
        let mut line = |key: &str, value: &str| {
            out += &format!("object {at:width$}: {key}: {value}\n");
        };
        line("name", &python_quoted(object.name.as_bytes(), ""));
        line("size", &object.bytes.len().to_string());
        line("data", &python_quoted(&object.bytes, "b"));
        let hex: String = object
            .bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        line("hex ", &format!("0x{hex}"));
        if matches!(object.bytes.len(), 1 | 2 | 4 | 8) {
            let mut wide = [0u8; 8];
            wide[..object.bytes.len()].copy_from_slice(&object.bytes);
            let unsigned = u64::from_le_bytes(wide);
            let shift = 64 - 8 * object.bytes.len() as u32;
            line("int ", &(((unsigned << shift) as i64) >> shift).to_string());
            line("uint", &unsigned.to_string());
        }
        let text: String = object.bytes.iter().map(|&byte| printable(byte)).collect();
        line("text", &text);
    }
    out
}

fn printable(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' {
        char::from(byte)
    } else {
        '.'
    }
}

/// As Python prints a string or bytes literal.
fn python_quoted(bytes: &[u8], prefix: &str) -> String {
    let mut out = format!("{prefix}'");
    for &byte in bytes {
        match byte {
            b'\\' => out += "\\\\",
            b'\'' => out += "\\'",
            b'\n' => out += "\\n",
            b'\r' => out += "\\r",
            b'\t' => out += "\\t",
            b' '..=b'~' => out.push(char::from(byte)),
            _ => out += &format!("\\x{byte:02x}"),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Ktest {
        Ktest {
            args: vec![b"prog.bc".to_vec(), b"--sym-arg".to_vec(), Vec::new()],
            objects: vec![
                Object {
                    name: "arg00".into(),
                    bytes: b"ab\0".to_vec(),
                },
                Object {
                    name: "n".into(),
                    bytes: vec![0xfe, 0xff, 0xff, 0xff],
                },
            ],
        }
    }

    #[test]
    fn is_laid_out_as_documented() {
        let bytes = Ktest {
            args: vec![b"p".to_vec()],
            objects: vec![Object {
                name: "x".into(),
                bytes: vec![7, 8],
            }],
        }
        .to_bytes();
        let expected = b"KTEST\0\0\0\x03\0\0\0\x01\0\0\0\x01p\0\0\0\0\0\0\0\0\0\0\0\x01\
                         \0\0\0\x01x\0\0\0\x02\x07\x08";
        assert_eq!(bytes, expected);
    }

    #[test]
    fn reads_what_it_writes_and_nothing_shorter() {
        let bytes = sample().to_bytes();
        assert_eq!(Ktest::from_bytes(&bytes), Ok(sample()));
        for length in 0..bytes.len() {
            assert!(Ktest::from_bytes(&bytes[..length]).is_err(), "{length}");
        }
        let mut newer = bytes.clone();
        newer[8] = 4;
        assert_eq!(Ktest::from_bytes(&newer), Err(KtestError::Version(4)));
    }

    #[test]
    fn describes_as_ktest_tool_does() {
        let text = describe("t.ktest", &sample());
        assert!(text.starts_with(
            "ktest file : 't.ktest'\nargs       : ['prog.bc', '--sym-arg', '']\nnum objects: 2\n"
        ));
        assert!(text.contains("object 0: data: b'ab\\x00'\nobject 0: hex : 0x616200\n"));
        assert!(text.contains("object 1: int : -2\nobject 1: uint: 4294967294\n"));
    }
}
