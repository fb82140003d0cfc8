//! A look at a state in the middle of an instruction.

use crate::api::id::StateId;
use crate::api::outcome::{SourceLine, StackLine};
use crate::executor::Executor;
use crate::state::State;
use plat_expr::{ObjectId, Value};
use plat_memory::ObjectInfo;
use plat_program::{FuncId, InstId, Program, Reg};

/// A state that is in the middle of an instruction: it can be looked at only.
#[derive(Clone, Copy)]
pub struct View<'e, 'a> {
    pub(crate) exec: &'e Executor<'a>,
    pub(crate) state: &'e State,
}

impl<'a> View<'_, 'a> {
    /// The program.
    pub fn program(&self) -> &'a Program {
        self.exec.program
    }

    /// The identity of the state.
    pub fn state(&self) -> StateId {
        self.state.id
    }

    /// Instructions on the path, with the one that is being executed.
    pub fn instructions(&self) -> u64 {
        self.state.instructions
    }

    /// The running function.
    pub fn function(&self) -> FuncId {
        self.state.frame.function
    }

    /// The instruction that is being executed.
    pub fn instruction(&self) -> Option<InstId> {
        self.exec.place(self.state)
    }

    /// Its line in the source; line 0 without debug information.
    pub fn source(&self) -> SourceLine {
        let location = self.instruction();
        let location = location.map(|inst| self.exec.program.location_of(inst));
        location.map(SourceLine::of).unwrap_or_default()
    }

    /// The frames, innermost first; of a very deep stack those at its ends.
    pub fn stack(&self) -> Vec<StackLine> {
        self.exec.stack_lines(self.state)
    }

    /// A register of the function so many calls further out; 0 is the running one. One that the
    /// program does not read any more may be 0.
    pub fn register_in(&self, frame: usize, register: Reg) -> Option<Value> {
        let frame = self.state.stack().nth(frame)?;
        let function = self.exec.program.function(frame.function);
        let known = register.index() < function.reg_types.len();
        known.then(|| self.exec.register_of(frame, register))
    }

    /// What is known of an object for the whole run: its address, size, kind and origin.
    pub fn object(&self, object: ObjectId) -> ObjectInfo {
        *self.exec.memory.objects.get(object)
    }
}
