//! Test suites in the exchange format of Test-Comp, version 1.1: `metadata.xml`, and a file for
//! each test with the values that the `__VERIFIER_nondet_*` functions return, in order.

use plat_engine::InputObject;
use std::fmt::Write as _;

/// What `metadata.xml` says about a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Metadata {
    /// Whether the run looks for one error, and otherwise for branches.
    pub errors: bool,
    /// The source file.
    pub program_file: String,
    /// Its SHA-256.
    pub program_hash: String,
    /// Where it starts.
    pub entry: String,
    /// When the suite was made: `2026-01-31T12:00:00Z`.
    pub created: String,
}

impl Metadata {
    /// The file's text.
    pub fn to_xml(&self) -> String {
        let specification = if self.errors {
            "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )"
        } else {
            "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )"
        };
        let mut text = doctype("test-metadata");
        text += "<test-metadata>\n";
        for (name, value) in [
            ("sourcecodelang", "C"),
            ("producer", concat!("plat ", env!("CARGO_PKG_VERSION"))),
            ("specification", specification),
            ("programfile", &self.program_file),
            ("programhash", &self.program_hash),
            ("entryfunction", &self.entry),
            ("architecture", "64bit"),
            ("creationtime", &self.created),
        ] {
            let _ = writeln!(text, "  <{name}>{}</{name}>", escaped(value));
        }
        text + "</test-metadata>\n"
    }
}

/// A test: its inputs in order, each named by its C type.
pub fn test_case(inputs: &[InputObject], covers_error: bool) -> String {
    let mut text = doctype("testcase");
    text += if covers_error {
        "<testcase coversError=\"true\">\n"
    } else {
        "<testcase>\n"
    };
    for input in inputs.iter().filter(|one| !plat_env::is_status(&one.name)) {
        let _ = writeln!(
            text,
            "  <input type=\"{}\">{}</input>",
            escaped(&input.name),
            escaped(&value(&input.name, &input.bytes))
        );
    }
    text + "</testcase>\n"
}

fn doctype(root: &str) -> String {
    let file = if root == "testcase" {
        root
    } else {
        "test-metadata"
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE {root} PUBLIC \"+//IDN sosy-lab.org//DTD test-format {root} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{file}-1.1.dtd\">\n"
    )
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            c => out.push(c),
        }
    }
    out
}

/// A value as C would write it, by the name of its type. Objects of another name or size (made by
/// `klee_make_symbolic`) are their bytes as one number.
fn value(ty: &str, bytes: &[u8]) -> String {
    match (ty, bytes) {
        ("float", &[a, b, c, d]) => return float(f64::from(f32::from_le_bytes([a, b, c, d]))),
        ("double", &[a, b, c, d, e, f, g, h]) => {
            return float(f64::from_le_bytes([a, b, c, d, e, f, g, h]));
        }
        _ => {}
    }
    if bytes.len() > 16 {
        let digits: String = bytes.iter().rev().map(|b| format!("{b:02x}")).collect();
        return format!("0x{digits}");
    }
    let mut wide = [0u8; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u128::from_le_bytes(wide);
    if bytes.is_empty() || is_unsigned(ty) {
        return unsigned.to_string();
    }
    let shift = 128 - 8 * bytes.len() as u32;
    ((unsigned << shift).cast_signed() >> shift).to_string()
}

/// Infinities and NaN are written as C's macros print them, finite numbers so that they read back.
fn float(value: f64) -> String {
    if value.is_nan() {
        "nan".into()
    } else if value.is_infinite() {
        (if value > 0.0 { "inf" } else { "-inf" }).into()
    } else {
        format!("{value:?}")
    }
}

fn is_unsigned(ty: &str) -> bool {
    ty.starts_with('u')
        || ty.ends_with('*')
        || matches!(ty, "_Bool" | "size_t" | "sector_t" | "pthread_t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_their_type_reads_them() {
        assert_eq!(value("int", &[0xfe, 0xff, 0xff, 0xff]), "-2");
        assert_eq!(
            value("unsigned int", &[0xfe, 0xff, 0xff, 0xff]),
            "4294967294"
        );
        assert_eq!(value("char", &[0x80]), "-128");
        assert_eq!(value("_Bool", &[1]), "1");
        assert_eq!(value("float", &1.5f32.to_le_bytes()), "1.5");
        assert_eq!(value("double", &f64::NEG_INFINITY.to_le_bytes()), "-inf");
        assert_eq!(value("__int128", &[0xff; 16]), "-1");
        assert_eq!(value("buffer", &[1; 17]), format!("0x{}", "01".repeat(17)));
    }

    #[test]
    fn names_cannot_break_out_of_their_attribute() {
        let input = InputObject {
            name: "a\"<&>".into(),
            bytes: vec![1],
        };
        let text = test_case(&[input], true);
        assert!(
            text.contains("<input type=\"a&quot;&lt;&amp;&gt;\">1</input>"),
            "{text}"
        );
        assert!(text.contains("<testcase coversError=\"true\">"));
    }
}
