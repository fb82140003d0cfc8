//! Which tests of a suite are meant.

use super::saved::SavedTest;
use crate::Error;
use crate::output::tests_jsonl::End;

/// A choice of tests: those for which everything holds that is asked for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Selection {
    /// Ranges of numbers; none is all.
    pub numbers: Vec<(u32, u32)>,
    /// The kinds of their faults: the suffixes of `.err` files; none is all tests. `any` is every
    /// fault.
    pub faults: Vec<String>,
    /// Only those whose paths were the first to cover something.
    pub new: bool,
    /// The line that their paths were the first to cover.
    pub first: Option<(String, u32)>,
}

impl Selection {
    /// Whether a test is meant.
    pub fn has(&self, test: &SavedTest) -> bool {
        let numbers = &self.numbers;
        let in_range = |&(from, to): &(u32, u32)| (from..=to).contains(&test.number);
        let kind = match (test.end, &test.fault) {
            (End::Fault | End::Unsupported, Some(fault)) => Some(fault.kind.as_str()),
            _ => None,
        };
        let is_kind = |asked: &String| match asked.as_str() {
            "any" => test.end == End::Fault,
            asked => kind == Some(asked),
        };
        let first = |(file, line): &(String, u32)| {
            let mut lines = test.first.iter();
            lines.any(|known| known.1 == *line && super::names(&known.0, file))
        };
        (numbers.is_empty() || numbers.iter().any(in_range))
            && (self.faults.is_empty() || self.faults.iter().any(is_kind))
            && (!self.new || test.covered_new)
            && self.first.as_ref().is_none_or(first)
    }
}

/// A number or a range of numbers: `7`, `3-9`, `12-`.
///
/// # Errors
/// With what is accepted.
pub fn range(text: &str) -> Result<(u32, u32), Error> {
    let wrong = || {
        Error::input(format!(
            "`{text}` is no number of a test and no range as 3-9"
        ))
    };
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    match text.split_once('-') {
        None => number(text).map(|number| (number, number)),
        Some((from, "")) => Ok((number(from)?, u32::MAX)),
        Some((from, to)) => Ok((number(from)?, number(to)?)),
    }
}

/// A line of a source file: `file.c:123`.
///
/// # Errors
/// With what is accepted.
pub fn line(text: &str) -> Result<(String, u32), Error> {
    let parts = text.rsplit_once(':');
    let parts = parts.and_then(|(file, line)| Some((file.to_owned(), line.parse().ok()?)));
    parts
        .filter(|(file, _)| !file.is_empty())
        .ok_or_else(|| Error::input(format!("`{text}` is no line as file.c:123")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lines_are_understood() {
        assert_eq!(range("7"), Ok((7, 7)));
        assert_eq!(range("3-9"), Ok((3, 9)));
        assert_eq!(range("12-"), Ok((12, u32::MAX)));
        for wrong in ["", "-", "-3", "a", "3-b"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
        assert_eq!(line("a/b.c:12"), Ok(("a/b.c".to_owned(), 12)));
        assert_eq!(line("c:/b.c:12"), Ok(("c:/b.c".to_owned(), 12)));
        for wrong in ["", "a.c", ":3", "a.c:", "a.c:x"] {
            assert!(line(wrong).is_err(), "{wrong}");
        }
    }
}
