//! Reading memory that was never written, as an option.
//!
//! Fresh stack and heap objects are filled with symbolic bytes that are no input. Copying them and
//! calculating with them is right, as it is in C for bytes and padding; a decision that depends on
//! one is a fault: a branch, a switch, an address, a divisor, a size. It does if two values of these
//! bytes, for one input, give two decisions, which is a question for the solver: optimised code
//! compares ahead of time, and then takes both comparisons together or selects by the other one.
//! A branch that a compiler moved ahead of what made its condition matter has a frozen condition;
//! freezing gives such bytes a value.

use crate::api::config::Config;
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::hook::{Access, AcrossWorkers, Allocated, Decision, Hook, Interest, Step};
use crate::state::State;
use plat_expr::{Byte, ExprId, ObjectId, Pool, Substitution, SymbolId, Value};
use plat_program::{ConstId, Constant, Program};
use rustc_hash::FxHashMap;

/// Bytes of an object that are told apart; further ones are called by these names again.
const DISTINCT: u64 = 4096;

/// The name of the bytes with which a decision is tried again.
const ANOTHER: &str = "uninitialised, another time";

/// How many pairs of values are looked for that give two decisions. Inputs for which the first of
/// them do not are asked again.
const WITNESSES: u32 = 4;

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(_: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    let check = || Box::new(UninitialisedCheck::default()) as Box<dyn Hook>;
    config.checks.uninitialised.then(check)
}

/// Finds decisions that depend on what was never written.
#[derive(Default)]
struct UninitialisedCheck {
    /// The bytes that stand for what was never written, by the object that they fill; variables that
    /// the compiler keeps in registers are in no object.
    unwritten: FxHashMap<SymbolId, Option<ObjectId>>,
}

impl Hook for UninitialisedCheck {
    fn name(&self) -> &str {
        "uninitialised check"
    }

    fn interest(&self) -> Interest {
        Interest::new().allocations().decisions()
    }

    fn prepared(&mut self, access: &mut Access<'_, '_>) {
        self.leave_undefined(access.exec);
    }

    fn allocated(&mut self, access: &mut Access<'_, '_>, event: &Allocated) {
        self.leave_unwritten(access, event);
    }

    fn decides(&mut self, access: &mut Access<'_, '_>, event: &Decision) -> Step<ExprId> {
        match event.freezes {
            true => Ok(self.with_zeros(&mut access.exec.pool, event.expr)),
            false => self.decided_by_written(access.exec, access.state, event.expr),
        }
    }

    fn keeps_whole(&self, pool: &Pool, expr: ExprId) -> bool {
        !self.unwritten_in(pool, expr).is_empty()
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}

impl UninitialisedCheck {
    /// Makes the contents of a fresh object unknown.
    fn leave_unwritten(&mut self, access: &mut Access<'_, '_>, event: &Allocated) {
        let &Allocated { object, size } = event;
        if size == 0 {
            return;
        }
        let count = size.min(DISTINCT) as u32;
        let pool = &mut access.exec.pool;
        let symbol = pool.symbol("uninitialised", object.0, count);
        self.unwritten.insert(symbol, Some(object));
        let bytes: Vec<Byte> = (0..count)
            .map(|at| Byte::Symbolic(pool.symbol_byte(symbol, at)))
            .collect();
        for start in (0..size).step_by(count as usize) {
            let part = &bytes[..(size - start).min(u64::from(count)) as usize];
            // The whole of a fresh object can be written.
            let _ = access.write_bytes(Value::Pointer(object, start.cast_signed()), part);
        }
    }

    /// Makes undefined constants unknown: variables in registers that are used before they are
    /// assigned.
    fn leave_undefined(&mut self, exec: &mut Executor<'_>) {
        for (at, constant) in exec.program.constants.iter().enumerate() {
            let &Constant::Undef(ty) = constant else {
                continue;
            };
            let bits = exec.code.ty(ty).bits;
            if bits == 0 {
                continue;
            }
            let count = bits.div_ceil(8);
            let symbol = exec.pool.symbol("undefined", at as u32, count);
            self.unwritten.insert(symbol, None);
            let mut word = exec.pool.symbol_byte(symbol, 0);
            for at in 1..count {
                let byte = exec.pool.symbol_byte(symbol, at);
                word = exec.pool.concat(byte, word);
            }
            let word = exec.pool.extract(word, 0, bits);
            let value = Value::from_expr(&exec.pool, word);
            exec.code.set_constant(ConstId::new(at), value);
        }
    }

    /// The unwritten bytes in an expression.
    fn unwritten_in(&self, pool: &Pool, expr: ExprId) -> Vec<(SymbolId, u32)> {
        let symbols = pool.symbols(expr).iter();
        symbols
            .filter(|(symbol, _)| self.unwritten.contains_key(symbol))
            .collect()
    }

    /// A decision without what was never written. Inputs for which it depends on that end in a
    /// fault: those for which two values of the unwritten bytes give two decisions.
    fn decided_by_written(
        &self,
        exec: &mut Executor<'_>,
        state: &mut State,
        decision: ExprId,
    ) -> Step<ExprId> {
        let bytes = self.unwritten_in(&exec.pool, decision);
        let Some(&first) = bytes.first() else {
            return Ok(decision);
        };
        let others = bytes.iter().map(|&(symbol, at)| {
            let count = exec.pool.symbol_info(symbol).size;
            let other = exec.pool.symbol(ANOTHER, symbol.0, count);
            (symbol, other, at)
        });
        let others: Vec<(SymbolId, SymbolId, u32)> = others.collect();
        let renamed = others.iter().map(|&(symbol, other, at)| {
            let byte = exec.pool.symbol_byte(other, at);
            ((symbol, at), byte)
        });
        let renamed: Vec<_> = renamed.collect();
        let number = exec.pool.number(decision);
        let again = Substitution::by_exprs(renamed).apply(&mut exec.pool, number);
        let same = exec.pool.eq(number, again);
        let differ = exec.pool.not(same);
        for _ in 0..WITNESSES {
            let Some(model) = exec.feasible(state, differ)? else {
                break;
            };
            let one = others
                .iter()
                .map(|&(symbol, _, at)| ((symbol, at), model.byte(symbol, at)));
            let two = others
                .iter()
                .map(|&(symbol, other, at)| ((symbol, at), model.byte(other, at)));
            let one = Substitution::new(one).apply(&mut exec.pool, number);
            let two = Substitution::new(two).apply(&mut exec.pool, number);
            let same = exec.pool.eq(one, two);
            let differ = exec.pool.not(same);
            let end = self.use_of(exec, state, first);
            exec.end_if(state, ForkKind::Fault, differ, end)?;
        }
        Ok(self.with_zeros(&mut exec.pool, decision))
    }

    /// An expression with zero for what was never written, as fresh memory has in other runs.
    fn with_zeros(&self, pool: &mut Pool, expr: ExprId) -> ExprId {
        let unwritten = self.unwritten_in(pool, expr).into_iter();
        let zeros: Vec<_> = unwritten.map(|byte| (byte, 0)).collect();
        Substitution::new(zeros).apply(pool, expr)
    }

    /// The use of an unwritten byte, as an end.
    fn use_of(
        &self,
        exec: &Executor<'_>,
        state: &State,
        (symbol, byte): (SymbolId, u32),
    ) -> PathEnd {
        let fault = Fault::new(FaultKind::Uninitialised, "use of uninitialised value");
        let Some(&Some(object)) = self.unwritten.get(&symbol) else {
            let info = vec!["a variable that has not been assigned".into()];
            return PathEnd::Fault(Fault { info, ..fault });
        };
        let read = plat_memory::Fault {
            kind: plat_memory::FaultKind::UseAfterFree,
            object: Some(object),
            address: exec.memory.objects.get(object).number + u64::from(byte),
            offset: i64::from(byte),
            access: 1,
            freed_at: state.memory.object(object).and_then(|known| known.freed_at),
            info: Some(*exec.memory.objects.get(object)),
        };
        PathEnd::Fault(Fault {
            info: exec.describe(&read),
            ..fault
        })
    }
}
