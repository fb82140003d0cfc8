//! Which instruction an end is blamed on, and the best place that is known for it.
//!
//! The instruction is the innermost one on the call stack outside of libraries, whether there is
//! debug information or not, so that errors are told apart by instructions and not by lines. The
//! place is its source line; of inlined code, the innermost line outside of libraries.

use crate::api::outcome::{Fault, FaultKind, PathEnd, SourceLine};
use crate::code::libraries;
use crate::executor::Executor;
use crate::state::State;
use crate::state::frame::Frame;
use plat_program::{InstId, LocId, Location};

/// What an end is blamed on.
pub(crate) struct Blame {
    /// The source line, if it is known.
    pub source: SourceLine,
    /// The instruction.
    pub inst: Option<InstId>,
}

/// A source line as messages show it.
pub(crate) fn place_text(source: &SourceLine) -> Option<String> {
    (source.line > 0).then(|| format!("{}:{}", source.file, source.line))
}

impl Executor<'_> {
    /// Where people look first for the cause of an end.
    pub(crate) fn blame(&self, state: &State, end: &PathEnd) -> Blame {
        may_panic!();
        let fault = match end {
            PathEnd::Fault(fault) => Some(fault),
            _ => None,
        };
        let inst = match fault {
            Some(Fault { at: Some(at), .. }) => Some(*at),
            Some(fault) if fault.kind == FaultKind::Panic => {
                self.blamed(state, self.panicking_frames(state))
            }
            _ => self.blamed(state, 0),
        };
        let line = inst.map(|inst| self.line_outside_libraries(inst));
        let known = line.unwrap_or_default();
        let named = fault.and_then(|fault| {
            let preferred = known.line == 0 || fault.kind == FaultKind::Panic;
            fault.named.clone().filter(|_| preferred)
        });
        let outside = named.filter(|named| !libraries::owns_file(&named.file));
        Blame {
            source: outside.unwrap_or(known),
            inst,
        }
    }

    /// The innermost instruction outside of libraries, behind so many frames; of a stack of libraries
    /// alone, the one at which it stands.
    fn blamed(&self, state: &State, behind: usize) -> Option<InstId> {
        let mut frames = state.stack().skip(behind);
        let own = frames.find(|frame| self.is_own(frame));
        match own {
            Some(frame) => Some(frame.inst(self.program)),
            None => self.place(state),
        }
    }

    /// Whether a frame stands in code of the program that is not a library's.
    pub(crate) fn is_own(&self, frame: &Frame) -> bool {
        let function = self.program.function(frame.function);
        let within = (frame.pc as usize) < function.insts.len();
        within && !self.code.functions[frame.function.index()].library
    }

    /// The innermost instruction on the stack that is not a library's.
    pub(crate) fn calling_inst(&self, state: &State) -> InstId {
        let own = state.stack().find(|frame| self.is_own(frame));
        own.unwrap_or(&state.frame).inst(self.program)
    }

    /// The source line of an instruction; of inlined code, the innermost one that is not a library's.
    /// An instruction without a line has that of the nearest before it in its block, or at the start
    /// of a function the line of its definition, as debuggers show it.
    pub(crate) fn line_outside_libraries(&self, inst: InstId) -> SourceLine {
        let (id, position) = self.program.position(inst);
        let function = self.program.function(id);
        let block = function.blocks[function.block_of(position).index()].first as usize;
        // Paths are searched for names only where they say something new.
        let file = &self.program.location(function.location).file;
        let known = !self.code.functions[id.index()].library;
        let of_library =
            |line: &Location| !(known && line.file == *file) && libraries::owns_file(&line.file);
        let has_line = |id: &LocId| self.program.location(*id).line != 0;
        let mut before = function.locs[block..=position].iter().rev().copied();
        let id = match before.find(has_line) {
            Some(id) => id,
            None if block == 0 => function.location,
            None => return SourceLine::default(),
        };
        let mut lines = self.program.inlining(id);
        let own = lines.find(|line| line.line != 0 && !of_library(line));
        SourceLine::of(own.unwrap_or(self.program.location(id)))
    }
}
