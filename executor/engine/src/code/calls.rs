//! Calls as the fast paths read them.

use crate::code::Code;
use crate::code::decoded::Slot;
use crate::code::native::{Effect, When};
use crate::code::plans::{NOWHERE, operand_bits};
use crate::state::frame::BY_CALL;
use plat_expr::ObjectId;
use plat_program::{Call, Callee, FuncId, Function, Inst, Operand, Program, TypeId};
use std::cell::Cell;

/// A call of a function with a body that takes its arguments as they are.
#[derive(Clone, Copy, Debug)]
pub struct CallPlan {
    /// The function.
    pub callee: FuncId,
    /// Where the result goes, as [`crate::state::frame::Frame::result`] has it.
    pub result: Slot,
    /// The arguments: positions among [`crate::code::decoded::Decoded::arguments`].
    pub args: (u32, u32),
}

impl CallPlan {
    /// The plan for a call that reaches `callee`, without its arguments, and how many of the operands
    /// it takes; `None` if it needs more than to move them over.
    pub fn of(
        code: &Code,
        program: &Program,
        function: &Function,
        inst: &Inst,
        callee: FuncId,
    ) -> Option<(Self, usize)> {
        let &Inst::Call { dst, call } = inst else {
            return None;
        };
        let target = program.function(callee);
        let operands = &function.call_args[call.args.range()];
        if !code.functions[callee.index()].plain || operands.len() < target.params.len() {
            return None;
        }
        let same = |(&operand, &param): (&Operand, &TypeId)| {
            let from = operand_bits(code, program, function, operand);
            let to = code.ty(param).bits;
            from == 0 || to == 0 || from == to
        };
        if !operands.iter().zip(&target.params).all(same) {
            return None;
        }
        let result = match dst {
            None => NOWHERE,
            Some(dst) if target.ret == call.ret => dst.0,
            Some(_) => BY_CALL,
        };
        let plan = CallPlan {
            callee,
            result,
            args: (0, 0),
        };
        Some((plan, target.params.len()))
    }
}

/// So many functions that a call through a pointer has reached are remembered at the call.
const REMEMBERED: usize = 2;

/// A call through a pointer.
#[derive(Clone, Debug)]
pub struct IndirectPlan {
    /// The pointer.
    pub pointer: Slot,
    /// All its arguments, as [`CallPlan::args`].
    pub args: (u32, u32),
    /// The last ones that it has reached, if they have plans.
    reached: [Cell<Option<Reached>>; REMEMBERED],
}

/// A function that a call through a pointer has reached.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    /// The function's object.
    pub object: ObjectId,
    /// The call as a direct one.
    pub plan: CallPlan,
    /// The number of the call with this function, see [`crate::executor::indirect_calls::IndirectCalls`].
    pub way: u32,
}

impl IndirectPlan {
    /// A call that has reached nothing yet.
    pub fn new(pointer: Slot, args: (u32, u32)) -> Self {
        Self {
            pointer,
            args,
            reached: Default::default(),
        }
    }

    /// What it has reached lately with a pointer to the start of an object.
    #[inline(always)]
    pub fn find(&self, object: ObjectId) -> Option<Reached> {
        let mut known = self.reached.iter().filter_map(Cell::get);
        known.find(|known| known.object == object)
    }

    /// Remembers what it has reached.
    pub fn remember(&self, reached: Reached) {
        let mut next = Some(reached);
        for place in &self.reached {
            next = place.replace(next);
        }
    }
}

/// A call of a function that the executor carries out itself, whatever its arguments are.
#[derive(Clone, Debug)]
pub struct NativePlan {
    /// The function.
    pub callee: FuncId,
    /// What is done.
    pub effect: Effect,
    /// The arguments' positions.
    pub args: Box<[Slot]>,
    /// Their widths in bits.
    pub widths: Box<[u32]>,
}

impl NativePlan {
    /// The plan for a call, without its arguments.
    pub fn of(code: &Code, program: &Program, call: &Call) -> Option<Self> {
        let Callee::Direct(callee) = call.callee else {
            return None;
        };
        let native = code.functions[callee.index()].native?;
        let applies = native.when == When::Always || program.function(callee).declaration;
        applies.then_some(NativePlan {
            callee,
            effect: native.effect,
            args: Box::default(),
            widths: Box::default(),
        })
    }
}

/// A call of a function that copies bytes.
#[derive(Clone, Copy, Debug)]
pub struct CopyPlan {
    /// The call's [`NativePlan`].
    pub native: u32,
    /// Where the result goes, or [`NOWHERE`].
    pub dst: Slot,
    /// The arguments: where to, where from, how many bytes.
    pub args: [Slot; 3],
}
