//! Faults: what, where, the calls, the input, and how to see it again.

use super::{numbers, path};
use crate::kinds;
use crate::model::{Call, Fault, Input, Place, Run, Severity};
use maud::{Markup, html};
use std::fmt::Write as _;

/// Bytes of an input that are shown.
const BYTES: usize = 256;

/// All faults of a run.
pub fn section(run: &Run) -> Markup {
    let own = |severity| run.faults.iter().filter(move |it| it.severity == severity);
    html! {
        h2 { "Faults" }
        @if run.faults.is_empty() {
            p.hint { "No faults were found on the paths that were explored." }
        }
        @for (at, fault) in own(Severity::Error).enumerate() { (entry(fault, at < 3)) }
        @if own(Severity::Unsupported).next().is_some() {
            h3 { "Not supported" }
            p.hint { "Paths end where the program needs something that plat does not have. These are no faults of the program." }
            @for fault in own(Severity::Unsupported) { (entry(fault, false)) }
        }
    }
}

fn entry(fault: &Fault, open: bool) -> Markup {
    html! {
        details.fault open[open] {
            summary {
                span.kind { (kinds::name(&fault.kind)) }
                span.message { (fault.message) }
                span.place { (place(&fault.place, fault.code.as_deref())) }
            }
            div.body {
                @if !fault.excerpt.1.is_empty() { (excerpt(fault)) }
                @if !fault.info.is_empty() {
                    ul.info { @for line in &fault.info { li { (line) } } }
                }
                div.columns {
                    (stack(&fault.stack))
                    (inputs(fault))
                }
                (commands(fault))
            }
        }
    }
}

/// A place, as `file:line:column`.
pub fn place(place: &Place, code: Option<&str>) -> Markup {
    html! {
        @if place.file.is_empty() {
            span { (code.unwrap_or("unknown place")) }
        } @else {
            (path(&place.file))
            @if place.line > 0 { span.line { ":" (place.line) @if place.column > 0 { ":" (place.column) } } }
        }
    }
}

fn excerpt(fault: &Fault) -> Markup {
    let (first, lines) = &fault.excerpt;
    html! {
        pre.source {
            @for (line, number) in lines.iter().zip(*first..) {
                @let here = number == fault.place.line;
                span.row.here[here] { span.number { (number) } code { (line) } }
                @if here && fault.place.column > 0 {
                    span.row.mark { span.number {} code { (marker(line, fault.place.column)) } }
                }
            }
        }
    }
}

/// Blanks and a mark under a column; tabulators stay what they are.
fn marker(line: &str, column: u32) -> String {
    let before = line.chars().take(column as usize - 1);
    let mut text: String = before
        .map(|it| if it == '\t' { '\t' } else { ' ' })
        .collect();
    text.push('^');
    text
}

fn stack(calls: &[Call]) -> Markup {
    html! {
        @if !calls.is_empty() {
            div {
                h4 { "Calls" }
                ol.stack {
                    // The start of the C library is no call of the program's.
                    @for call in calls.iter().filter(|call| !call.function.starts_with("__plat_")) {
                        li {
                            code { (call.function) "(" (call.arguments.join(", ")) ")" }
                            " " span.place { (place(&call.place, None)) }
                        }
                    }
                }
            }
        }
    }
}

fn inputs(fault: &Fault) -> Markup {
    html! {
        @if let Some(test) = &fault.test {
            div {
                h4 { "Input (test " (test.number) ")" }
                dl.inputs {
                    @for input in fault.inputs.iter().filter(|it| !is_of_system(it)) { (object(input)) }
                    @if fault.inputs.is_empty() { dd { "The path does not depend on input." } }
                }
                @if fault.inputs.iter().any(is_of_system) {
                    details {
                        summary.hint { "What the system says of files" }
                        dl.inputs { @for input in fault.inputs.iter().filter(|it| is_of_system(it)) { (object(input)) } }
                    }
                }
                p.hint {
                    (numbers::count(test.instructions)) " instructions, " (numbers::count(test.forks))
                    " decisions on the path; found after " (numbers::seconds(test.made))
                }
                @if !fault.output.trim().is_empty() {
                    h4 { "Output before" }
                    pre.output { (fault.output) }
                }
            }
        }
    }
}

/// Whether an object is a `struct stat` or a version, which KLEE's tests have beside a file's contents.
fn is_of_system(input: &Input) -> bool {
    input.name.ends_with("_stat") || input.name == "model_version"
}

fn object(input: &Input) -> Markup {
    html! {
        dt { code { (input.name) } " " span.hint { (input.bytes.len()) " bytes" } }
        dd { (value(input)) }
    }
}

/// Bytes as a string of C, and as a number where they may be one.
fn value(input: &Input) -> Markup {
    let shown = &input.bytes[..input.bytes.len().min(BYTES)];
    let number = match *shown {
        [a] => Some(i64::from(a.cast_signed())),
        [a, b] => Some(i16::from_le_bytes([a, b]).into()),
        [a, b, c, d] => Some(i32::from_le_bytes([a, b, c, d]).into()),
        [a, b, c, d, e, f, g, h] => Some(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    };
    html! {
        code.bytes { (c_string(shown)) @if shown.len() < input.bytes.len() { "\u{2026}" } }
        @if let Some(number) = number { " " span.hint { "as a number: " (number) } }
    }
}

/// Bytes as C writes them.
pub fn c_string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    let mut after_hex = false;
    for (at, &byte) in bytes.iter().enumerate() {
        let is_hex = std::mem::take(&mut after_hex);
        let digit_follows = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            0 if !digit_follows => text += "\\0",
            b'\n' => text += "\\n",
            b'\t' => text += "\\t",
            b'\r' => text += "\\r",
            b'"' => text += "\\\"",
            b'\\' => text += "\\\\",
            // A digit would belong to the number before it.
            byte if is_hex && byte.is_ascii_hexdigit() => {
                text += "\" \"";
                text.push(char::from(byte));
            }
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02x}");
                after_hex = true;
            }
        }
    }
    text.push('"');
    text
}

fn commands(fault: &Fault) -> Markup {
    html! {
        @if !fault.commands.is_empty() {
            h4 { "See it again" }
            ul.commands {
                @for command in &fault.commands {
                    li {
                        span { (command.does) }
                        code { (command.line) }
                        button.copy type="button" data-copy=(command.line) { "Copy" }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_strings_of_c() {
        assert_eq!(
            c_string(b"a\"\n\0\x00001\xff1"),
            "\"a\\\"\\n\\0\\x00\" \"001\\xff\" \"1\""
        );
        assert_eq!(c_string(b""), "\"\"");
    }

    #[test]
    fn the_mark_is_under_its_column() {
        assert_eq!(marker("\tint x = y / z;", 12), "\t          ^");
        assert_eq!(marker("ab", 9), "  ^");
    }
}
