//! Calls through a pointer of another type than the function's.
//!
//! What the machine tolerates is tolerated: superfluous arguments, integers of another width,
//! pointers to other types. What makes the callee or the caller see a value that nobody passed
//! is a fault: missing arguments, a floating-point number where an integer is expected or the
//! other way round, the result of a function that has none.

use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::code::reads::uses;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::stop::Step;
use plat_program::{Call, FuncId, Function, Operand, Reg, TypeId};

impl Executor<'_> {
    /// Whether a call through a pointer fits the function with a body that it reaches.
    pub(super) fn check_call(
        &self,
        function: &Function,
        dst: Option<Reg>,
        call: &Call,
        callee: FuncId,
    ) -> Step<()> {
        let target = self.program.function(callee);
        let operands = &function.call_args[call.args.range()];
        let wrong = if operands.len() < target.params.len() {
            Some(format!(
                "{} arguments for {} parameters",
                operands.len(),
                target.params.len()
            ))
        } else {
            let pairs = operands.iter().zip(&target.params);
            let mut confused = pairs.enumerate().filter(|(_, (operand, param))| {
                let given = self.scalar_class(function, **operand);
                given.is_some_and(|given| self.confuses(given, self.code.ty(**param).class))
            });
            match confused.next() {
                Some((at, _)) => Some(format!("argument {at} is of another kind")),
                None => self.wrong_result(function, dst, call.ret, target.ret),
            }
        };
        let Some(wrong) = wrong else {
            return Ok(());
        };
        Err(PathEnd::Fault(Fault {
            info: vec![format!("callee: {}: {wrong}", target.name)],
            ..Fault::new(FaultKind::FunctionType, "function-type-mismatch")
        })
        .into())
    }

    fn wrong_result(
        &self,
        function: &Function,
        dst: Option<Reg>,
        expected: TypeId,
        returned: TypeId,
    ) -> Option<String> {
        let dst = dst.filter(|_| expected != returned)?;
        let (expected, returned) = (self.code.ty(expected).class, self.code.ty(returned).class);
        let nothing = returned == Class::Void;
        if !nothing && !self.confuses(returned, expected) {
            return None;
        }
        let moved = function.moves.iter();
        let mut moved = moved.filter(|one| one.src.as_reg() == Some(dst));
        let used = function.insts.iter().any(|inst| uses(function, inst, dst));
        if !used && moved.next().is_none() {
            return None;
        }
        Some(match nothing {
            true => "the result of a function that returns nothing is used".into(),
            false => "the result is of another kind".into(),
        })
    }

    /// Whether one is an integer or a pointer and the other a floating-point number, or they are
    /// different floating-point numbers.
    fn confuses(&self, given: Class, expected: Class) -> bool {
        match (given, expected) {
            (Class::Int, Class::Float(_)) | (Class::Float(_), Class::Int) => true,
            (Class::Float(given), Class::Float(expected)) => given != expected,
            _ => false,
        }
    }

    /// The class of an operand, where its register says.
    fn scalar_class(&self, function: &Function, operand: Operand) -> Option<Class> {
        if let Some(reg) = operand.as_reg() {
            return Some(self.code.ty(function.reg_types[reg.index()]).class);
        }
        Some(match self.program.constant(operand.as_constant()?) {
            plat_program::Constant::Int { .. }
            | plat_program::Constant::Null
            | plat_program::Constant::Global(..)
            | plat_program::Constant::Function(_) => Class::Int,
            plat_program::Constant::Float(kind, _) => Class::Float(*kind),
            _ => return None,
        })
    }
}
