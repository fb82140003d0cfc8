//! A test case as text, in the layout of `ktest-tool`. (The file format itself is
//! [`plat_env::ktest`].)

use super::tests_jsonl::hexadecimal;
use plat_env::Ktest;

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
        line("hex ", &format!("0x{}", hexadecimal(&object.bytes)));
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
    use plat_env::ktest::Object;

    #[test]
    fn describes_as_ktest_tool_does() {
        let test = Ktest {
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
        };
        let text = describe("t.ktest", &test);
        assert!(text.starts_with(
            "ktest file : 't.ktest'\nargs       : ['prog.bc', '--sym-arg', '']\nnum objects: 2\n"
        ));
        assert!(text.contains("object 0: data: b'ab\\x00'\nobject 0: hex : 0x616200\n"));
        assert!(text.contains("object 1: int : -2\nobject 1: uint: 4294967294\n"));
    }
}
