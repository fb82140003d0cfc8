//! What a worker tells: all that an observer hears, and what its exploration has come to.

use super::tally::Tally;
use super::wire::{Wire, enums, structs};
use crate::observe::{Fork, Observer};
use crate::outcome::{
    Fault, FaultKind, InputObject, Limit, PathEnd, SourceLine, StackLine, TestRecord,
};
use crate::reason::ForkReason;
use crate::state::StateId;
use crate::summary::{ForkKind, StopReason};
use plat_memory::Site;
use plat_program::{InstId, Program};
use std::cell::RefCell;
use std::rc::Rc;

/// One thing that a worker tells.
pub(super) enum Event {
    /// A path has ended.
    Ended(Box<TestRecord>),
    /// A warning; whether it does not come again.
    Warned(String, bool),
    /// What a program does not get, and the warning about it.
    Lacked(String, String),
    /// A message.
    Said(String),
    /// Lines that stand alone.
    Printed(String),
    /// The calls of a path.
    Stack(Vec<StackLine>),
    /// What the program wrote to a descriptor.
    Wrote(i32, Vec<u8>),
    /// A state was the first of the worker's to execute an instruction.
    Covered(StateId, InstId),
    /// A state was split.
    Forked(Fork),
    /// The solver was asked.
    Asked(Option<InstId>, bool),
    /// What has been done since the last report.
    Report(Box<Tally>),
    /// Its work is done, and this is why.
    Done(StopReason),
}

enums! {
    Event {
        0 Ended(record), 1 Warned(text, once), 2 Said(text), 3 Wrote(to, bytes),
        4 Covered(state, inst), 5 Forked(fork), 6 Asked(inst, decided), 7 Report(tally),
        8 Done(reason), 9 Printed(text), 10 Stack(lines), 11 Lacked(what, text),
    }
    StopReason { 0 Finished, 1 Limit(limit) }
    Limit {
        0 Time, 1 Memory, 2 Instructions, 3 Forks, 4 Depth, 5 Tests, 6 StackFrames, 7 Solver,
        8 External, 9 Interrupt, 10 Error, 11 Capacity, 12 Seeds,
    }
    PathEnd {
        0 Returned(code), 1 Exited(code), 2 Fault(fault), 3 Unsupported(what),
        4 Limit(limit, text), 5 Silent, 6 Merged,
    }
    FaultKind {
        0 Assert, 1 Abort, 2 Pointer, 3 Free, 4 InvalidFree, 5 ReadOnly, 6 Divide, 7 Overflow,
        8 Overshift, 9 FunctionType, 10 Uninitialised, 11 Leak, 12 BadVectorAccess,
        13 Unreachable, 14 User, 15 Reported(suffix), 16 Panic,
    }
    ForkKind {
        0 Branch, 1 Switch, 2 Call, 3 Resolution, 4 Fault, 5 Allocation, 6 Library, 7 Environment,
    }
    ForkReason {
        0 Fault, 1 PerObject, 2 Freed, 3 Overflow(group), 4 Groups(one, other), 5 Ungrouped(site),
    }
}

structs! {
    Fork { parent, child, inst, kind }
    Fault { kind, message, info, at, named }
    SourceLine { file, line }
    StackLine { function, arguments, source, inst }
    InputObject { name, bytes }
    TestRecord {
        state, end, wanted, repeats, replaces, exit_code, source, inst, blamed, stack, instructions, depth,
        path, branches, covered_new, arguments, inputs, stdout, stdout_cut, stderr, kquery, smt2,
    }
}

impl Wire for Site {
    fn put(&self, out: &mut Vec<u8>) {
        let (number, id) = match *self {
            // Call strings are numbered by each worker for itself; the call alone says the place.
            Site::Inst(inst) | Site::Call(inst, _) => (0, inst.0),
            Site::Frame(function) => (1, function.0),
            Site::Global(global) => (2, global.0),
            Site::Function(function) => (3, function.0),
            Site::Entry => (4, 0),
        };
        out.push(number);
        id.put(out);
    }

    fn get(from: &mut &[u8]) -> Option<Self> {
        let (number, mut id) = (u8::get(from)?, from.split_off(..4)?);
        let id = &mut id;
        Some(match number {
            0 => Site::Inst(Wire::get(id)?),
            1 => Site::Frame(Wire::get(id)?),
            2 => Site::Global(Wire::get(id)?),
            3 => Site::Function(Wire::get(id)?),
            4 => Site::Entry,
            _ => return None,
        })
    }
}

impl Event {
    /// Writes it down as a message: its length and it.
    pub fn tell(&self, told: &RefCell<Vec<u8>>) {
        let mut told = told.borrow_mut();
        let start = told.len();
        0usize.put(&mut told);
        let body = told.len();
        self.put(&mut told);
        let length = told.len() - body;
        told[start..body].copy_from_slice(&length.to_le_bytes());
    }

    /// Takes the next message off the front, if it is whole; within, nothing if it is none.
    pub fn next(from: &mut &[u8]) -> Option<Option<Event>> {
        let mut rest = *from;
        let length = usize::get(&mut rest)?;
        let (mut body, rest) = rest.split_at_checked(length)?;
        *from = rest;
        Some(Event::get(&mut body).filter(|_| body.is_empty()))
    }
}

/// The observer of a worker: it writes down what it hears.
pub(super) struct Scribe(pub Rc<RefCell<Vec<u8>>>);

impl Scribe {
    fn tell(&self, event: &Event) {
        event.tell(&self.0);
    }
}

impl Observer for Scribe {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.tell(&Event::Ended(Box::new(record.clone())));
    }

    fn warning(&mut self, text: &str, once: bool) {
        self.tell(&Event::Warned(text.to_string(), once));
    }

    fn lacked(&mut self, what: &str, text: &str) {
        self.tell(&Event::Lacked(what.to_string(), text.to_string()));
    }

    fn message(&mut self, text: &str) {
        self.tell(&Event::Said(text.to_string()));
    }

    fn print(&mut self, text: &str) {
        self.tell(&Event::Printed(text.to_string()));
    }

    fn stack(&mut self, lines: &[StackLine]) {
        self.tell(&Event::Stack(lines.to_vec()));
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        self.tell(&Event::Wrote(descriptor, bytes.to_vec()));
    }

    fn covered(&mut self, state: StateId, inst: InstId) {
        self.tell(&Event::Covered(state, inst));
    }

    fn forked(&mut self, fork: &Fork) {
        self.tell(&Event::Forked(*fork));
    }

    fn asked(&mut self, inst: Option<InstId>, decided: bool) {
        self.tell(&Event::Asked(inst, decided));
    }
}
