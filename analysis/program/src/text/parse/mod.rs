//! The parser.

mod constants;
mod cursor;
mod edges;
mod functions;
mod globals;
mod instructions;
mod lexer;
mod locations;
mod numbers;
mod symbols;
mod types;

use crate::annotations::AllocationContext;
use crate::ids::{ConstId, FuncId, GroupId, LocId, SiteId, TypeId};
use crate::program::Program;
use crate::types::Type;
use crate::verify::verify;
use cursor::Cursor;
use functions::Body;
use lexer::Kind;
use rustc_hash::FxHashMap;
use std::fmt;
use symbols::Symbols;

/// Types and constants inside each other, at most.
const MOST_NESTED: u32 = 100;

/// Why text is not a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What is wrong there.
    pub what: String,
}

impl ParseError {
    /// What is wrong at byte `at` of `text`.
    fn new(text: &str, at: usize, what: String) -> Self {
        let before = &text.as_bytes()[..at.min(text.len())];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let start = before.iter().rposition(|&byte| byte == b'\n');
        let column = before.len() - start.map_or(0, |at| at + 1) + 1;
        ParseError { line, column, what }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.what)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

/// The program of a text. It is well-formed ([`crate::verify()`]) and numbered as
/// [`Program::renumbered`] does it.
///
/// # Errors
/// When the text is none of a well-formed program.
pub fn parse(text: &[u8]) -> Result<Program> {
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(why) => {
            let (valid, _) = text.split_at(why.valid_up_to());
            let valid = std::str::from_utf8(valid).unwrap_or_default();
            return Err(ParseError::new(valid, valid.len(), "not UTF-8".into()));
        }
    };
    if u32::try_from(text.len()).is_err() {
        let what = "a text of 4 GiB or more".into();
        return Err(ParseError::new("", 0, what));
    }
    let tokens = lexer::tokens(text)?;
    let mut parser = Parser {
        cursor: Cursor::new(text, &tokens),
        program: Program::default(),
        symbols: Symbols::default(),
        files: Vec::new(),
        constant_ids: FxHashMap::default(),
        location_ids: FxHashMap::default(),
        places: Vec::new(),
        body: Body::new(String::new(), FuncId(0), TypeId(0)),
        uses: Vec::new(),
        depth: 0,
    };
    // The types of results that instructions do not name.
    parser.program.types.intern(Type::Int(1));
    parser.program.types.intern(Type::Pointer);
    parser.program.locations.push(Default::default());
    parser.find_symbols()?;
    parser.entities()?;
    parser.verified()
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    program: Program,
    symbols: Symbols<'t>,
    /// The files that have been named.
    files: Vec<String>,
    constant_ids: FxHashMap<crate::constant::Constant, ConstId>,
    location_ids: FxHashMap<crate::function::Location, LocId>,
    /// Where each function is in the text, and its instructions.
    places: Vec<(usize, Vec<usize>)>,
    /// The function that is being parsed.
    body: Body,
    /// The registers that it reads, and where.
    uses: Vec<(u32, usize)>,
    /// Types and constants that are being parsed inside each other.
    depth: u32,
}

impl<'t> Parser<'t> {
    /// Parses what is inside something else.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == MOST_NESTED {
            return self.cursor.fail("nested too deep");
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn entities(&mut self) -> Result<()> {
        loop {
            match self.cursor.peek() {
                Kind::End => return Ok(()),
                Kind::Word("define") => self.definition()?,
                Kind::Word("declare") => self.declaration()?,
                Kind::Symbol(_) | Kind::GlobalNumber(_) => self.global()?,
                Kind::Word(_) => self.directive()?,
                _ => {
                    return self
                        .cursor
                        .unexpected("a global, a function or a directive");
                }
            }
            self.cursor.line()?;
        }
    }

    /// A line that says something of the whole program.
    fn directive(&mut self) -> Result<()> {
        let word = self.cursor.word()?;
        match word {
            "program" => self.program.name = self.cursor.string()?,
            "transformed" => self.program.annotations.transformed = true,
            "context" => self.context()?,
            "file" => self.file()?,
            "constructor" => {
                let id = self.function_reference()?;
                self.program.constructors.push(id);
            }
            "destructor" => {
                let id = self.function_reference()?;
                self.program.destructors.push(id);
            }
            _ => {
                self.cursor.back();
                return self
                    .cursor
                    .unexpected("a global, a function or a directive");
            }
        }
        Ok(())
    }

    fn context(&mut self) -> Result<()> {
        let mut chain = Vec::new();
        while let Kind::Number(_) = self.cursor.peek() {
            chain.push(SiteId(self.cursor.number()?));
        }
        if chain.is_empty() {
            return self.cursor.unexpected("the number of a site");
        }
        let group = if self.cursor.eat_word("alone") {
            None
        } else {
            self.cursor.expect_word("in")?;
            self.cursor.expect_word("group")?;
            Some(GroupId(self.cursor.number()?))
        };
        let contexts = &mut self.program.annotations.contexts;
        contexts.push(AllocationContext { chain, group });
        Ok(())
    }

    /// The program, if the verifier accepts it.
    fn verified(self) -> Result<Program> {
        let Some(violation) = verify(&self.program).into_iter().next() else {
            return Ok(self.program.renumbered());
        };
        let at = violation.place.and_then(|(function, position)| {
            let (start, insts) = self.places.get(function.index())?;
            let inst = position.and_then(|position| insts.get(position));
            Some(*inst.unwrap_or(start))
        });
        let text = self.cursor.text();
        Err(ParseError::new(text, at.unwrap_or(0), violation.what))
    }
}
