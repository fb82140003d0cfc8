//! Golden files: texts that plat prints or writes, kept in `tests/golden`. `PLAT_BLESS=1` rewrites
//! those that differ; the change is then read before it is committed.
//!
//! They show what users read and that it has changed. Whether it is right, other tests say.

use crate::root;
use std::path::Path;

/// Compares a text with its golden file, or rewrites the file.
///
/// # Panics
/// When they differ.
pub fn check(name: &str, found: &str) {
    let path = root().join("tests/golden").join(name);
    if std::env::var("PLAT_BLESS").is_ok_and(|bless| bless == "1") {
        let directory = path.parent().expect("a directory");
        std::fs::create_dir_all(directory).expect("the directory of golden files");
        std::fs::write(&path, found).expect("a golden file");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if let Some(difference) = difference(&expected, found) {
        panic!("tests/golden/{name} differs; PLAT_BLESS=1 rewrites it\n{difference}");
    }
}

/// Where two texts differ first, with the lines around it.
fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (expected.lines().collect(), found.lines().collect());
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b);
    let first = same.count();
    let part = |lines: &[&str]| {
        let from = first.saturating_sub(2).min(lines.len());
        let to = (first + 6).min(lines.len());
        lines[from..to].join("\n  ")
    };
    Some(format!(
        "line {}, expected:\n  {}\nfound:\n  {}",
        first + 1,
        part(&expected),
        part(&found)
    ))
}

/// A text without what differs between machines and builds of the C library: directories, times,
/// addresses, numbers of instructions and lines of bitcode.
pub fn normalised(text: &str, directory: &Path) -> String {
    let directory = directory.display().to_string();
    let root = root().display().to_string();
    let text = text.replace(&directory, "DIR").replace(&root, "PLAT");
    let lines = text.lines().map(|line| normalised_line(line) + "\n");
    lines.collect()
}

fn normalised_line(line: &str) -> String {
    for counted in ["total instructions = ", "assembly.ll line: "] {
        if let Some((before, _)) = line.split_once(counted) {
            return format!("{before}{counted}N");
        }
    }
    let mut words = line.split(' ').peekable();
    let mut out = Vec::new();
    while let Some(word) = words.next() {
        let is_number = word.parse::<f64>().is_ok();
        let is_time = is_number && matches!(words.peek(), Some(&("s" | "ms" | "s,")));
        match is_time {
            true => out.push("T".to_string()),
            false => out.push(without_long_numbers(word)),
        }
    }
    out.join(" ")
}

/// Numbers of nine digits and more are addresses, or lines of bitcode at the head of a stack's line.
fn without_long_numbers(word: &str) -> String {
    let is_digit = |c: char| c.is_ascii_hexdigit();
    let mut out = String::new();
    let mut rest = word;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let digits = &rest[start..];
        let length = digits.find(|c| !is_digit(c)).unwrap_or(digits.len());
        out.push_str(&rest[..start]);
        out.push_str(if length < 9 {
            &digits[..length]
        } else {
            "NUMBER"
        });
        rest = &digits[length..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_machines_is_left_out() {
        let text = "at /a/b/p.c: 0x7f0012345678, 0x10 (17832704213008) after 1.25 s\n\
                    \t#000000130 in main() at 12\ntotal instructions = 77";
        assert_eq!(
            normalised(text, Path::new("/a/b")),
            "at DIR/p.c: 0xNUMBER, 0x10 (NUMBER) after T s\n\
             \t#NUMBER in main() at 12\ntotal instructions = N\n"
        );
    }

    #[test]
    fn a_difference_names_its_line() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let found = difference("a\nb\nc\n", "a\nx\nc\n").expect("a difference");
        assert!(found.starts_with("line 2, expected:\n  a\n  b"), "{found}");
    }
}
