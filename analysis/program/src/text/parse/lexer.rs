//! Text to tokens.

use super::ParseError;
use std::borrow::Cow;

/// What a token is. Words, numbers and symbols are parts of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind<'t> {
    /// A keyword, a type, a block `b3` or a file `f2`.
    Word(&'t str),
    /// A number with its sign, not looked into.
    Number(&'t str),
    /// `%5`.
    Register(u32),
    /// `@name` or `@"name"`.
    Symbol(Cow<'t, str>),
    /// `@#g5`.
    GlobalNumber(u32),
    /// `@#f5`.
    FunctionNumber(u32),
    /// Bytes in quotes.
    Text(Vec<u8>),
    /// A mark.
    Mark(&'static str),
    /// The end of a line that has tokens.
    Line,
    /// The end of the text.
    End,
}

/// A token and where it begins.
#[derive(Clone, Debug)]
pub struct Token<'t> {
    pub kind: Kind<'t>,
    pub start: usize,
}

/// Longer marks before their prefixes.
const MARKS: &[&str] = &[
    "...", "=>", "(", ")", "{", "}", "[", "]", "<", ">", ",", ":", "=", "*", "!",
];

/// The tokens of a text. The last one is [`Kind::End`].
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens: Vec<Token<'_>> = Vec::new();
    loop {
        lexer.skip_blanks();
        let start = lexer.at;
        let kind = lexer.token()?;
        let follows_line = tokens.last().is_none_or(|last| last.kind == Kind::Line);
        if kind == Kind::Line && follows_line {
            continue;
        }
        let ends = kind == Kind::End;
        if ends && !follows_line {
            let kind = Kind::Line;
            tokens.push(Token { kind, start });
        }
        tokens.push(Token { kind, start });
        if ends {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn byte(&self, ahead: usize) -> u8 {
        let byte = self.text.as_bytes().get(self.at + ahead);
        byte.copied().unwrap_or(0)
    }

    fn fail<T>(&self, at: usize, what: &str) -> Result<T, ParseError> {
        Err(ParseError::new(self.text, at, what.to_owned()))
    }

    /// Skips spaces and comments.
    fn skip_blanks(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t' | b'\r') {
            self.at += 1;
        }
        if self.byte(0) == b';' {
            let rest = &self.text.as_bytes()[self.at..];
            let end = rest.iter().position(|&byte| byte == b'\n');
            self.at += end.unwrap_or(rest.len());
        }
    }

    /// Takes the bytes from here on that satisfy `is`.
    fn take(&mut self, is: impl Fn(u8) -> bool) -> &'t str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let end = rest.iter().position(|&byte| !is(byte));
        self.at += end.unwrap_or(rest.len());
        // The bytes that `is` accepts are ASCII, so that this is a boundary of characters.
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn token(&mut self) -> Result<Kind<'t>, ParseError> {
        if self.at >= self.text.len() {
            return Ok(Kind::End);
        }
        match self.byte(0) {
            b'\n' => {
                self.at += 1;
                Ok(Kind::Line)
            }
            b'%' => {
                self.at += 1;
                self.ordinal().map(Kind::Register)
            }
            b'@' => self.symbol(),
            b'"' => self.quoted().map(Kind::Text),
            b'0'..=b'9' => Ok(self.number()),
            b'+' | b'-' if self.byte(1).is_ascii_digit() => Ok(self.number()),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let is = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                Ok(Kind::Word(self.take(is)))
            }
            _ => {
                let rest = &self.text[self.at..];
                match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                    Some(mark) => {
                        self.at += mark.len();
                        Ok(Kind::Mark(mark))
                    }
                    None => self.fail(self.at, "this character begins nothing"),
                }
            }
        }
    }

    fn number(&mut self) -> Kind<'t> {
        let start = self.at;
        if matches!(self.byte(0), b'+' | b'-') {
            self.at += 1;
        }
        let hexadecimal = self.byte(0) == b'0' && self.byte(1) == b'x';
        self.take(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        let exponent = matches!(self.text.as_bytes()[self.at - 1], b'e' | b'E');
        if exponent && !hexadecimal && matches!(self.byte(0), b'+' | b'-') {
            self.at += 1;
            self.take(|byte| byte.is_ascii_digit());
        }
        Kind::Number(&self.text[start..self.at])
    }

    /// A small number without a sign.
    fn ordinal(&mut self) -> Result<u32, ParseError> {
        let start = self.at;
        match self.take(|byte| byte.is_ascii_digit()).parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail(start, "a number up to 4294967295 is missing"),
        }
    }

    fn symbol(&mut self) -> Result<Kind<'t>, ParseError> {
        let start = self.at;
        self.at += 1;
        match (self.byte(0), self.byte(1)) {
            (b'#', b'g') => {
                self.at += 2;
                self.ordinal().map(Kind::GlobalNumber)
            }
            (b'#', b'f') => {
                self.at += 2;
                self.ordinal().map(Kind::FunctionNumber)
            }
            (b'"', _) => match String::from_utf8(self.quoted()?) {
                Ok(name) => Ok(Kind::Symbol(Cow::Owned(name))),
                Err(_) => self.fail(start, "the bytes of this symbol are not UTF-8"),
            },
            _ => {
                let marks = [b'_', b'.', b'$'];
                let is = |byte: u8| byte.is_ascii_alphanumeric() || marks.contains(&byte);
                match self.take(is) {
                    "" => self.fail(start, "a symbol without a name; an empty one is @\"\""),
                    name => Ok(Kind::Symbol(Cow::Borrowed(name))),
                }
            }
        }
    }

    /// Bytes in quotes: printable characters, and `\` before two hexadecimal digits.
    fn quoted(&mut self) -> Result<Vec<u8>, ParseError> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.byte(0) {
                b'"' => {
                    self.at += 1;
                    return Ok(bytes);
                }
                b'\\' => {
                    let digit = |byte: u8| char::from(byte).to_digit(16);
                    let (Some(high), Some(low)) = (digit(self.byte(1)), digit(self.byte(2))) else {
                        return self.fail(self.at, "two hexadecimal digits are missing behind \\");
                    };
                    bytes.push((high * 16 + low) as u8);
                    self.at += 3;
                }
                b'\n' | 0 => return self.fail(start, "the quotes are not closed in this line"),
                byte => {
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
    }
}
