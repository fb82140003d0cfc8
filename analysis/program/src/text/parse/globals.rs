//! Global variables and aliases.

use super::lexer::Kind;
use super::{Parser, Result};
use crate::constant::{Global, Initializer, Relocation};
use crate::ids::{GlobalId, LocId};
use crate::image::{Image, Piece};

impl Parser<'_> {
    /// `@name = global 8 bytes, align 8 ...` or `@name = alias @other`.
    pub fn global(&mut self) -> Result<()> {
        let symbol = self.cursor.bump();
        self.cursor.expect("=")?;
        if self.cursor.eat_word("alias") {
            // It is among the symbols already.
            self.cursor.bump();
            return Ok(());
        }
        let name = self.defined_name(symbol)?;
        let constant = match self.cursor.word()? {
            "global" => false,
            "constant" => true,
            _ => {
                self.cursor.back();
                return self.cursor.unexpected("`global`, `constant` or `alias`");
            }
        };
        let size = self.cursor.number()?;
        self.cursor.expect_word("bytes")?;
        self.cursor.expect(",")?;
        self.cursor.expect_word("align")?;
        let start = self.cursor.start();
        let align: u64 = self.cursor.number()?;
        if !align.is_power_of_two() {
            let what = "an alignment is a power of two";
            return self.cursor.fail_at(start, what);
        }
        let mut global = Global {
            name,
            size,
            align,
            constant,
            initializer: Some(Initializer::default()),
            location: LocId(0),
        };
        if self.cursor.eat(",") {
            if self.cursor.eat_word("external") {
                global.initializer = None;
            } else {
                self.cursor.expect_word("zero")?;
            }
            global.location = self.location()?;
        } else {
            global.location = self.location()?;
            global.initializer = Some(self.contents(size)?);
        }
        let id = GlobalId::new(self.program.globals.len());
        let names = &mut self.program.global_names;
        names.insert(global.name.clone(), id);
        self.program.globals.push(global);
        Ok(())
    }

    /// The contents of a global of `size` bytes, in braces: each line begins with a position.
    fn contents(&mut self, size: u64) -> Result<Initializer> {
        let start = self.cursor.start();
        self.cursor.expect("{")?;
        let (mut pieces, mut relocations) = (Vec::new(), Vec::new());
        loop {
            while *self.cursor.peek() == Kind::Line {
                self.cursor.bump();
            }
            if self.cursor.eat("}") {
                break;
            }
            let line = self.cursor.start();
            let offset = self.cursor.number()?;
            self.cursor.expect(":")?;
            let mut bytes = Vec::new();
            while let Kind::Text(more) = self.cursor.peek() {
                bytes.extend_from_slice(more);
                self.cursor.bump();
                // The text may go on in the next line.
                if matches!(self.cursor.ahead(1), Kind::Text(_)) {
                    self.cursor.line()?;
                }
            }
            if !bytes.is_empty() {
                pieces.push(Piece { offset, bytes });
                self.cursor.line()?;
                continue;
            }
            let covered: u64 = self.cursor.number()?;
            self.cursor.expect_word("bytes")?;
            let end = offset.checked_add(covered);
            if end.is_none_or(|end| end > size) {
                return self.cursor.fail_at(line, "this leaves the global");
            }
            let value = self.constant(None)?;
            relocations.push(Relocation {
                offset,
                size: covered,
                value,
            });
            self.cursor.line()?;
        }
        match Image::from_pieces(pieces) {
            Some(bytes) if bytes.end() <= size => Ok(Initializer { bytes, relocations }),
            Some(_) => self
                .cursor
                .fail_at(start, "the contents are longer than the global"),
            None => self
                .cursor
                .fail_at(start, "the bytes overlap or are not in order"),
        }
    }
}
