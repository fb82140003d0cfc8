//! Source files and locations.

use super::lexer::Kind;
use super::{Parser, Result};
use crate::function::Location;
use crate::ids::LocId;

impl Parser<'_> {
    /// `file f0 "name"`; the files are numbered in order.
    pub fn file(&mut self) -> Result<()> {
        let next = format!("f{}", self.files.len());
        self.cursor.expect_word(&next)?;
        let name = self.cursor.string()?;
        self.files.push(name);
        Ok(())
    }

    /// ` at f0:3:5, inlined at f0:9:1`, or nothing where it is unknown.
    pub fn location(&mut self) -> Result<LocId> {
        if !self.cursor.eat_word("at") {
            return Ok(LocId(0));
        }
        let mut chain = vec![self.place()?];
        while *self.cursor.ahead(1) == Kind::Word("inlined") && self.cursor.eat(",") {
            self.cursor.expect_word("inlined")?;
            self.cursor.expect_word("at")?;
            chain.push(self.place()?);
        }
        let mut inlined_at = None;
        for mut location in chain.into_iter().rev() {
            location.inlined_at = inlined_at;
            let next = LocId::new(self.program.locations.len());
            let id = *self.location_ids.entry(location.clone()).or_insert(next);
            if id == next {
                self.program.locations.push(location);
            }
            inlined_at = Some(id);
        }
        Ok(inlined_at.unwrap_or(LocId(0)))
    }

    fn place(&mut self) -> Result<Location> {
        let start = self.cursor.start();
        let word = self.cursor.word()?;
        let number = word
            .strip_prefix('f')
            .and_then(|number| number.parse().ok());
        let file = number.and_then(|number: usize| self.files.get(number).cloned());
        let Some(file) = file else {
            return self.cursor.fail_at(start, "there is no such file above");
        };
        self.cursor.expect(":")?;
        let line = self.cursor.number()?;
        self.cursor.expect(":")?;
        let column = self.cursor.number()?;
        Ok(Location {
            file,
            line,
            column,
            inlined_at: None,
        })
    }
}
