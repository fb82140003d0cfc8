//! `--debug-print-instructions`: a line for each instruction that a path executes, in `instructions.txt` or to
//! somebody who listens. The layout is KLEE's: place in the source, line of `assembly.ll`, state, instruction.

use super::assembly::Lines;
use super::directory::Directory;
use crate::Error;
use plat_engine::hook::{Access, AcrossWorkers, Command, Interest, Reached, Step};
use plat_engine::{Hook, SourceLine};
use plat_program::{InstId, Program, text};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::rc::Rc;

/// What a line has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Columns {
    /// Everything.
    All,
    /// No instruction.
    Source,
    /// No instruction, and no place in the source.
    Compact,
}

/// Who gets the lines.
pub enum Listener {
    /// The file in the directory of the run.
    File,
    /// Somebody else.
    Other(Box<dyn FnMut(&str)>),
}

/// Hears every instruction.
pub struct Instructions {
    columns: Columns,
    interest: Interest,
    lines: Rc<Lines>,
    /// The text of the program, if it was written; its lines.
    listing: Vec<String>,
    to: To,
}

enum To {
    File(BufWriter<File>),
    Other(Box<dyn FnMut(&str)>),
}

impl Instructions {
    /// Opens the file, if the lines go there.
    ///
    /// # Errors
    /// When that cannot be done.
    pub(crate) fn new(
        program: &Program,
        directory: &Directory,
        lines: Rc<Lines>,
        (columns, listener): (Columns, Listener),
    ) -> Result<Self, Error> {
        let mut interest = Interest::new();
        for function in &program.functions {
            for position in 0..function.insts.len() as u32 {
                interest = interest.instruction(function.name.clone(), position);
            }
        }
        lines.finish()?;
        // Without the text, instructions are shown as plat has them.
        let listing = std::fs::read_to_string(directory.path().join("assembly.ll"));
        let listing = listing.unwrap_or_default();
        let to = match listener {
            Listener::File => To::File(BufWriter::new(directory.lines("instructions.txt")?)),
            Listener::Other(to) => To::Other(to),
        };
        Ok(Instructions {
            columns,
            interest,
            lines,
            listing: listing.lines().map(|line| line.trim().to_owned()).collect(),
            to,
        })
    }

    fn line(&self, program: &Program, inst: InstId, state: u32) -> String {
        let number = self.lines.of(inst);
        let place = match self.columns {
            Columns::Compact => String::new(),
            _ => {
                let source = SourceLine::of(program.location_of(inst));
                match source.line {
                    0 => "     [no debug info]:".to_owned(),
                    line => format!("     {}:{line}:", source.file),
                }
            }
        };
        let what = match self.columns {
            Columns::All => format!(":{}", self.instruction(program, inst, number)),
            _ => String::new(),
        };
        format!("{place}{number}:{state}{what}")
    }

    fn instruction(&self, program: &Program, inst: InstId, number: u32) -> String {
        let listed = (number as usize).checked_sub(1);
        match listed.and_then(|at| self.listing.get(at)) {
            Some(line) => line.clone(),
            None => {
                let (function, position) = program.position(inst);
                text::inst(program, program.function(function), position).to_string()
            }
        }
    }
}

impl Hook for Instructions {
    fn name(&self) -> &str {
        "--debug-print-instructions"
    }

    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn reached(&mut self, access: &mut Access<'_, '_>, _: &Reached<'_>) -> Step<Command> {
        if let Some(inst) = access.instruction() {
            let line = self.line(access.program(), inst, access.state().0);
            match &mut self.to {
                To::Other(to) => to(&line),
                To::File(file) => {
                    if let Err(why) = writeln!(file, "{line}") {
                        access.warn(format!("instructions.txt: cannot write: {why}"));
                    }
                }
            }
        }
        Ok(Command::Continue)
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::OneProcess
    }
}
