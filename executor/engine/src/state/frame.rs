//! Call frames, and a call stack that forks in constant time.
//!
//! The running frame is owned by the state, as are the callers since the last fork; those below
//! hang on a shared list. A call moves the running frame behind its callers, a return takes it
//! back: without a copy unless a fork in between has shared it. Register vectors are recycled, so that a call does not allocate in the long run.

use plat_expr::{Holder, Link, Marks, Moves, ObjectId, Value};
use plat_program::{FuncId, InstId, Program};
use smallvec::SmallVec;
use std::rc::Rc;

/// A position among a frame's registers and constants.
pub type Slot = u32;

/// What happens in the caller when a frame returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnReturn {
    /// The caller stands at its call: it takes the result and continues behind it.
    Call,
    /// The caller continues where it stands (start-up functions, which have no call).
    Resume,
    /// The same, and the result is what an exception says of itself.
    Describe,
    /// There is no caller: the path ends.
    End,
}

/// The instruction at which the caller stands says where a result goes.
pub const BY_CALL: Slot = Slot::MAX - 1;

/// The variable arguments of an activation: what `va_start` stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VarArgs {
    /// The object with the arguments of both areas.
    pub area: ObjectId,
    /// The `gp_offset` of a fresh list.
    pub gp_offset: u8,
    /// The `fp_offset` of a fresh list.
    pub fp_offset: u8,
    /// The offset in the register save area with which the object begins.
    pub first: u8,
    /// Where in the object the overflow area begins.
    pub overflow: u32,
}

/// One activation of a function.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function.
    pub function: FuncId,
    /// Position of the instruction to execute next.
    pub pc: u32,
    /// Registers. A register is written before it is read, so old contents may lie in the others.
    pub regs: Vec<Value>,
    /// Whether these are only the registers that may be read, see [`crate::executor::compaction`].
    pub compact: bool,
    /// Stack objects to release at return, in order of allocation.
    pub allocas: SmallVec<[ObjectId; 4]>,
    /// Its variable arguments, if it takes any.
    pub varargs: Option<VarArgs>,
    /// What happens at return.
    pub on_return: OnReturn,
    /// The caller's register for the result, [`crate::code::plans::NOWHERE`] or [`BY_CALL`].
    pub result: Slot,
    /// Tells activations apart, for `longjmp`: unique on the path.
    pub serial: u64,
}

plat_expr::holder!(Frame { regs }
    plain { function, pc, compact, allocas, varargs, on_return, result, serial });

impl Frame {
    /// The instruction to execute next, by its number in the program.
    pub fn inst(&self, program: &Program) -> InstId {
        InstId(program.function(self.function).first_inst.0 + self.pc)
    }
}

#[derive(Clone, Debug)]
struct Caller {
    frame: Frame,
    next: Option<Rc<Caller>>,
    depth: u32,
}

/// The frames below the running one: those pushed since the last fork, above those that states
/// share.
#[derive(Clone, Default, Debug)]
pub struct Callers {
    own: Vec<Frame>,
    shared: Option<Rc<Caller>>,
    /// Serial number of the next frame that is pushed on the path.
    pub next_serial: u64,
}

impl Link for Caller {
    fn next(&self) -> Option<&Rc<Self>> {
        self.next.as_ref()
    }

    fn next_mut(&mut self) -> &mut Option<Rc<Self>> {
        &mut self.next
    }

    fn mark_own(&self, marks: &mut Marks<'_>) {
        let Self {
            frame,
            next: _,
            depth: _,
        } = self;
        frame.mark(marks);
    }

    fn relocate_own(&mut self, moves: &mut Moves) {
        let Self {
            frame,
            next: _,
            depth: _,
        } = self;
        frame.relocate(moves);
    }
}

impl Holder for Callers {
    fn mark(&self, marks: &mut Marks<'_>) {
        let Self {
            own,
            shared,
            next_serial: _,
        } = self;
        own.mark(marks);
        Caller::mark_list(shared.as_ref(), marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        let Self {
            own,
            shared,
            next_serial: _,
        } = self;
        own.relocate(moves);
        Caller::relocate_list(shared, moves);
    }
}

impl Callers {
    /// No frames.
    pub fn new() -> Self {
        Callers {
            own: Vec::new(),
            shared: None,
            next_serial: 1,
        }
    }

    /// Puts a frame on top.
    #[inline(always)]
    pub fn push(&mut self, frame: Frame) {
        self.own.push(frame);
    }

    /// The running frame becomes one of a function that it calls, and its own self the top one here.
    #[inline(always)]
    pub fn enter(&mut self, running: &mut Frame, callee: FuncId, regs: Vec<Value>, result: Slot) {
        let serial = self.next_serial;
        self.next_serial += 1;
        // Part by part: as a whole, a frame would be copied several times.
        self.push(Frame {
            function: std::mem::replace(&mut running.function, callee),
            pc: std::mem::replace(&mut running.pc, 0),
            regs: std::mem::replace(&mut running.regs, regs),
            compact: std::mem::replace(&mut running.compact, false),
            allocas: std::mem::take(&mut running.allocas),
            varargs: running.varargs.take(),
            on_return: std::mem::replace(&mut running.on_return, OnReturn::Call),
            result: std::mem::replace(&mut running.result, result),
            serial: std::mem::replace(&mut running.serial, serial),
        });
    }

    /// The running frame becomes the top one here; what is left of it are its registers.
    #[inline(always)]
    pub fn leave(&mut self, running: &mut Frame) -> Option<Vec<Value>> {
        match self.own.pop() {
            Some(caller) => Some(running.go_on_as(caller)),
            None => self.leave_for_shared(running),
        }
    }

    #[inline(never)]
    fn leave_for_shared(&mut self, running: &mut Frame) -> Option<Vec<Value>> {
        let caller = self.pop_shared()?;
        Some(running.go_on_as(caller))
    }

    /// Takes the frames that are not shared, the outermost first.
    pub fn take_own(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.own)
    }

    /// Puts frames on top that are shared from now on, when no others are above them: a clone then
    /// copies none.
    pub fn share(&mut self, mut frames: Vec<Frame>) {
        for frame in frames.drain(..) {
            let next = self.shared.take();
            let depth = 1 + next.as_ref().map_or(0, |next| next.depth);
            self.shared = Some(Rc::new(Caller { frame, next, depth }));
        }
        self.own = frames;
    }

    /// Takes the top frame.
    pub fn pop(&mut self) -> Option<Frame> {
        match self.own.pop() {
            Some(frame) => Some(frame),
            None => self.pop_shared(),
        }
    }

    #[inline(never)]
    fn pop_shared(&mut self) -> Option<Frame> {
        let top = self.shared.take()?;
        match Rc::try_unwrap(top) {
            Ok(mut caller) => {
                self.shared = caller.next.take();
                let frame = std::mem::replace(&mut caller.frame, Frame::empty());
                Some(frame)
            }
            Err(shared) => {
                self.shared = shared.next.clone();
                Some(shared.frame.clone())
            }
        }
    }

    /// Whether both are the very same list.
    pub fn same(&self, other: &Self) -> bool {
        let shared = match (&self.shared, &other.shared) {
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        };
        shared && self.own.is_empty() && other.own.is_empty()
    }

    /// The frames of two lists of the same length, the innermost first, down to those that both share.
    pub fn beside<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = (&'s Frame, &'s Frame)> {
        fn next<'s>(
            own: &mut std::slice::Iter<'s, Frame>,
            shared: &mut Option<&'s Rc<Caller>>,
        ) -> Option<&'s Frame> {
            own.next_back().or_else(|| {
                let caller = shared.take()?;
                *shared = caller.next.as_ref();
                Some(&caller.frame)
            })
        }
        let mut mine = (self.own.iter(), self.shared.as_ref());
        let mut theirs = (other.own.iter(), other.shared.as_ref());
        std::iter::from_fn(move || {
            if mine.0.len() == 0
                && theirs.0.len() == 0
                && let (Some(mine), Some(theirs)) = (mine.1, theirs.1)
                && Rc::ptr_eq(mine, theirs)
            {
                return None;
            }
            Some((
                next(&mut mine.0, &mut mine.1)?,
                next(&mut theirs.0, &mut theirs.1)?,
            ))
        })
    }

    /// Number of frames.
    pub fn len(&self) -> u32 {
        self.own.len() as u32 + self.shared.as_ref().map_or(0, |top| top.depth)
    }

    /// Whether there is no caller.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.shared.is_none()
    }

    /// The frames from the innermost outwards.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> + Clone {
        let mut at = self.shared.as_deref();
        let shared = std::iter::from_fn(move || {
            let caller = at?;
            at = caller.next.as_deref();
            Some(&caller.frame)
        });
        self.own.iter().rev().chain(shared)
    }
}

impl Frame {
    /// Becomes another one; what is left are the registers.
    #[inline(always)]
    fn go_on_as(&mut self, other: Frame) -> Vec<Value> {
        self.function = other.function;
        self.pc = other.pc;
        self.compact = other.compact;
        self.allocas = other.allocas;
        self.varargs = other.varargs;
        self.on_return = other.on_return;
        self.result = other.result;
        self.serial = other.serial;
        std::mem::replace(&mut self.regs, other.regs)
    }

    /// A frame of nothing, to leave behind where one is moved out.
    pub(crate) fn empty() -> Self {
        Frame {
            function: FuncId(0),
            pc: 0,
            regs: Vec::new(),
            compact: false,
            allocas: SmallVec::new(),
            varargs: None,
            on_return: OnReturn::End,
            result: BY_CALL,
            serial: 0,
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // Without this a long list would be dropped by recursion.
        let mut next = self.next.take();
        while let Some(caller) = next {
            match Rc::try_unwrap(caller) {
                Ok(mut caller) => next = caller.next.take(),
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(serial: u64) -> Frame {
        Frame {
            serial,
            ..Frame::empty()
        }
    }

    #[test]
    fn forked_stacks_share_and_diverge() {
        let mut left = Callers::default();
        for serial in 0..100_000 {
            left.push(frame(serial));
        }
        let own = left.take_own();
        left.share(own);
        let mut right = left.clone();
        assert_eq!(right.pop().map(|frame| frame.serial), Some(99_999));
        right.push(frame(7));
        assert_eq!(left.len(), right.len());
        assert_eq!(left.pop().map(|frame| frame.serial), Some(99_999));
        assert_eq!(right.pop().map(|frame| frame.serial), Some(7));
        assert_eq!(
            left.iter().map(|frame| frame.serial).next(),
            right.iter().map(|frame| frame.serial).next()
        );
        drop(left);
        assert_eq!(right.iter().count(), 99_999);
    }
}
