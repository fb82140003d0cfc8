//! The words of an instruction as text ([`plat_program::text::inst`]).

use std::borrow::Cow;

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word<'t> {
    /// `%5`.
    Register(u32),
    /// `b2`.
    Block(u32),
    /// `@name`, without quotes.
    Symbol(Cow<'t, str>),
    /// Everything else; what is in quotes is one word.
    Other(&'t str),
}

/// The words of a text.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let (word, behind) = rest.split_at(length(rest)?);
        rest = behind;
        Some(meaning(word))
    })
}

/// The length of the first word.
fn length(rest: &str) -> Option<usize> {
    let plain = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '$'].contains(&c);
    let quoted = |from: usize| {
        let end = rest[from + 1..].find('"');
        end.map_or(rest.len(), |end| from + end + 2)
    };
    let plain_from = |from: usize| {
        let end = rest[from..].find(|c| !plain(c));
        end.map_or(rest.len(), |end| from + end)
    };
    Some(match rest.chars().next()? {
        '"' => quoted(0),
        '@' if rest[1..].starts_with('"') => quoted(1),
        '@' | '%' => plain_from(1),
        first if plain(first) => plain_from(0),
        first => first.len_utf8(),
    })
}

fn meaning(word: &str) -> Word<'_> {
    let number = |before: char| word.strip_prefix(before)?.parse::<u32>().ok();
    if let Some(register) = number('%') {
        return Word::Register(register);
    }
    if let Some(block) = number('b') {
        return Word::Block(block);
    }
    match word.strip_prefix('@') {
        Some(name) => match name
            .strip_prefix('"')
            .and_then(|name| name.strip_suffix('"'))
        {
            None => Word::Symbol(Cow::Borrowed(name)),
            Some(quoted) => {
                unquoted(quoted).map_or(Word::Other(word), |name| Word::Symbol(Cow::Owned(name)))
            }
        },
        None => Word::Other(word),
    }
}

/// A name, where `\22` stands for the byte 0x22.
fn unquoted(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_told_apart() {
        let text = r#"%12 = call i32 @"a\22-b"(ptr @c.1+8, "x %1", b) b3"#;
        let found: Vec<Word<'_>> = words(text).collect();
        let symbol = |name: &'static str| Word::Symbol(Cow::Borrowed(name));
        let mut expected = vec![Word::Register(12)];
        expected.extend(["=", "call", "i32"].map(Word::Other));
        expected.push(symbol("a\"-b"));
        expected.extend(["(", "ptr"].map(Word::Other));
        expected.push(symbol("c.1"));
        expected.extend(["+", "8", ",", "\"x %1\"", ",", "b", ")"].map(Word::Other));
        expected.push(Word::Block(3));
        assert_eq!(found, expected);
    }
}
