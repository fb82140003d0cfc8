//! Global variables as text.

use super::{Printer, quoted};
use crate::constant::Initializer;
use crate::ids::GlobalId;
use std::fmt::{self, Formatter};

/// Bytes in one line of an initialiser.
const LINE: usize = 64;

impl Printer<'_> {
    pub fn write_global(&self, out: &mut Formatter<'_>, id: GlobalId) -> fmt::Result {
        let global = self.program.global(id);
        let kind = if global.constant {
            "constant"
        } else {
            "global"
        };
        let (size, align) = (global.size, global.align);
        write!(out, "{} =", self.global(id))?;
        write!(
            out,
            "{} {kind} {size} bytes, align {align}",
            self.named(&global.name)
        )?;
        let location = self.location(global.location);
        match &global.initializer {
            None => writeln!(out, ", external{location}"),
            Some(image) if image.bytes.is_zero() && image.relocations.is_empty() => {
                writeln!(out, ", zero{location}")
            }
            Some(image) => {
                writeln!(out, "{location} {{")?;
                self.write_contents(out, image)?;
                writeln!(out, "}}")
            }
        }
    }

    fn write_contents(&self, out: &mut Formatter<'_>, image: &Initializer) -> fmt::Result {
        for piece in image.bytes.pieces() {
            write!(out, "  {}:", piece.offset)?;
            for line in piece.bytes.chunks(LINE) {
                writeln!(out, " {}", quoted(line))?;
            }
        }
        for relocation in &image.relocations {
            let value = self.constant(relocation.value, None);
            let (offset, size) = (relocation.offset, relocation.size);
            writeln!(out, "  {offset}: {size} bytes {value}")?;
        }
        Ok(())
    }
}
