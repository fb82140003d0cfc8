//! Call frames, and a call stack that forks in constant time.
//!
//! The running frame is owned by the state; its callers hang on a shared list. A call moves the
//! running frame onto the list, a return takes it back: without a copy unless a fork in between
//! has shared it. Register vectors are recycled, so that a call does not allocate in the long run.

use plat_expr::{ObjectId, Value};
use plat_program::{FuncId, InstId, Program};
use std::rc::Rc;

/// What happens in the caller when a frame returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnReturn {
    /// The caller stands at its call: it takes the result and goes on behind it.
    Call,
    /// The caller goes on where it stands (start-up functions that nobody called).
    Resume,
    /// There is no caller: the path ends.
    End,
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
    /// Stack objects to release at return, in order of allocation.
    pub allocas: Vec<ObjectId>,
    /// The area with the variable arguments, if there are any.
    pub varargs: Option<ObjectId>,
    /// What happens at return.
    pub on_return: OnReturn,
    /// Tells activations apart, for `longjmp`: unique on the path.
    pub serial: u64,
}

impl Frame {
    /// The instruction to execute next, by its number in the program.
    pub fn inst(&self, program: &Program) -> InstId {
        InstId(program.function(self.function).first_inst.0 + self.pc)
    }
}

#[derive(Debug)]
struct Caller {
    frame: Frame,
    next: Callers,
    depth: u32,
}

/// The frames below the running one.
#[derive(Clone, Default, Debug)]
pub struct Callers(Option<Rc<Caller>>);

impl Callers {
    /// Puts a frame on top.
    pub fn push(&mut self, frame: Frame) {
        let depth = self.len() + 1;
        let next = Callers(self.0.take());
        self.0 = Some(Rc::new(Caller { frame, next, depth }));
    }

    /// Takes the top frame.
    pub fn pop(&mut self) -> Option<Frame> {
        let top = self.0.take()?;
        match Rc::try_unwrap(top) {
            Ok(mut caller) => {
                self.0 = caller.next.0.take();
                let frame = std::mem::replace(&mut caller.frame, Frame::empty());
                Some(frame)
            }
            Err(shared) => {
                self.0 = shared.next.0.clone();
                Some(shared.frame.clone())
            }
        }
    }

    /// Number of frames.
    pub fn len(&self) -> u32 {
        self.0.as_ref().map_or(0, |top| top.depth)
    }

    /// Whether there is no caller.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The frames from the innermost outwards.
    pub fn iter(&self) -> impl Iterator<Item = &Frame> + Clone {
        let mut at = self.0.as_deref();
        std::iter::from_fn(move || {
            let caller = at?;
            at = caller.next.0.as_deref();
            Some(&caller.frame)
        })
    }
}

impl Frame {
    /// A frame of nothing, to leave behind where one is moved out.
    pub(crate) const fn empty() -> Self {
        Frame {
            function: FuncId(0),
            pc: 0,
            regs: Vec::new(),
            allocas: Vec::new(),
            varargs: None,
            on_return: OnReturn::End,
            serial: 0,
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        // Without this a long list would be dropped by recursion.
        let mut next = self.next.0.take();
        while let Some(caller) = next {
            match Rc::try_unwrap(caller) {
                Ok(mut caller) => next = caller.next.0.take(),
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
