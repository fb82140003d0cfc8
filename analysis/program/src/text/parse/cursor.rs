//! A position in the tokens of a text.

use super::lexer::{Kind, Token};
use super::numbers::Number;
use super::{ParseError, Result};

/// A position in the tokens of a text.
pub struct Cursor<'t> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The first token. The last one is [`Kind::End`].
    pub fn new(text: &'t str, tokens: &'t [Token<'t>]) -> Self {
        Cursor {
            text,
            tokens,
            at: 0,
        }
    }

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The number of the token, to come back to it.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Goes to a token that was met before.
    pub fn rewind(&mut self, position: usize) {
        self.at = position;
    }

    /// Where the token is in the text.
    pub fn start(&self) -> usize {
        self.tokens[self.at].start
    }

    pub fn peek(&self) -> &'t Kind<'t> {
        &self.tokens[self.at].kind
    }

    /// The token behind the next `ahead` ones.
    pub fn ahead(&self, ahead: usize) -> &'t Kind<'t> {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + ahead).min(last)].kind
    }

    /// Takes a token. The end of the text is never passed.
    pub fn bump(&mut self) -> &'t Kind<'t> {
        let kind = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        kind
    }

    /// Goes back to the token before.
    pub fn back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// An error at the token.
    pub fn fail<T>(&self, what: impl Into<String>) -> Result<T> {
        self.fail_at(self.start(), what)
    }

    /// An error at a byte of the text.
    pub fn fail_at<T>(&self, start: usize, what: impl Into<String>) -> Result<T> {
        Err(ParseError::new(self.text, start, what.into()))
    }

    /// An error: something else stands here.
    pub fn unexpected<T>(&self, expected: &str) -> Result<T> {
        let found = match self.peek() {
            Kind::Line => "the end of the line".to_owned(),
            Kind::End => "the end of the text".to_owned(),
            _ => {
                let end = self.tokens.get(self.at + 1).map(|next| next.start);
                let end = end.unwrap_or(self.text.len());
                let found = &self.text[self.start()..end];
                let found = found.lines().next().unwrap_or_default();
                let short: String = found.trim_end().chars().take(40).collect();
                format!("`{short}`")
            }
        };
        self.fail(format!("expected {expected}, found {found}"))
    }

    pub fn eat(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), Kind::Mark(found) if *found == mark);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect(&mut self, mark: &str) -> Result<()> {
        match self.eat(mark) {
            true => Ok(()),
            false => self.unexpected(&format!("`{mark}`")),
        }
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Kind::Word(found) if *found == word);
        if found {
            self.bump();
        }
        found
    }

    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        match self.eat_word(word) {
            true => Ok(()),
            false => self.unexpected(&format!("`{word}`")),
        }
    }

    pub fn word(&mut self) -> Result<&'t str> {
        match self.peek() {
            Kind::Word(word) => {
                self.bump();
                Ok(word)
            }
            _ => self.unexpected("a word"),
        }
    }

    /// A number in the range of its type.
    pub fn number<N: Number>(&mut self) -> Result<N> {
        if let Kind::Number(text) = self.peek() {
            let Some(number) = N::parse(text) else {
                return self.fail(format!("`{text}` is not {}", N::RANGE));
            };
            self.bump();
            return Ok(number);
        }
        self.unexpected("a number")
    }

    /// Bytes in quotes.
    pub fn bytes(&mut self) -> Result<&'t [u8]> {
        match self.peek() {
            Kind::Text(bytes) => {
                self.bump();
                Ok(bytes)
            }
            _ => self.unexpected("a text in quotes"),
        }
    }

    /// A text in quotes.
    pub fn string(&mut self) -> Result<String> {
        let start = self.start();
        match String::from_utf8(self.bytes()?.to_vec()) {
            Ok(text) => Ok(text),
            Err(_) => self.fail_at(start, "the bytes of this text are not UTF-8"),
        }
    }

    pub fn register(&mut self) -> Result<u32> {
        match self.peek() {
            Kind::Register(register) => {
                self.bump();
                Ok(*register)
            }
            _ => self.unexpected("a register"),
        }
    }

    /// The end of the line.
    pub fn line(&mut self) -> Result<()> {
        match self.peek() {
            Kind::Line => {
                self.bump();
                Ok(())
            }
            _ => self.unexpected("the end of the line"),
        }
    }

    /// Goes behind the end of the line.
    pub fn skip_line(&mut self) {
        while !matches!(self.bump(), Kind::Line | Kind::End) {}
    }

    /// The things of a list up to its closing mark; `,` stands between them.
    pub fn is_next(&mut self, first: &mut bool, close: &str) -> Result<bool> {
        if self.eat(close) {
            return Ok(false);
        }
        if !std::mem::replace(first, false) {
            self.expect(",")?;
        }
        Ok(true)
    }
}
