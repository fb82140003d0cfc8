//! Reading memory that was never written, as an option.
//!
//! Fresh stack and heap objects are filled with symbolic bytes that are no input. Copying them and
//! calculating with them is right, as it is in C for bytes and padding; a decision that depends on
//! one is a fault: a branch, a switch, an address, a divisor, a size. It does if two values of these
//! bytes, for one input, give two decisions, which is a question for the solver: optimised code
//! compares ahead of time, and then takes both comparisons together or selects by the other one.
//! A branch that a compiler moved ahead of what made its condition matter has a frozen condition;
//! freezing gives such bytes a value.

use crate::engine::Engine;
use crate::outcome::{Fault, FaultKind, PathEnd};
use crate::state::State;
use crate::stop::Step;
use crate::summary::ForkKind;
use plat_expr::{Byte, ExprId, ObjectId, Substitution, SymbolId, Value};
use plat_program::{ConstId, Constant, Reg};
use rustc_hash::FxHashMap;

/// Bytes of an object that are told apart; further ones are called by these names again.
const DISTINCT: u64 = 4096;

/// The name of the bytes with which a decision is tried again.
const ANOTHER: &str = "uninitialised, another time";

/// How many pairs of values are looked for that give two decisions. Inputs for which the first of
/// them do not are asked again.
const WITNESSES: u32 = 4;

/// The bytes that stand for what was never written, by the object that they fill; variables that
/// the compiler keeps in registers are in no object.
#[derive(Default, Debug)]
pub struct Uninitialised(FxHashMap<SymbolId, Option<ObjectId>>);

impl Engine<'_> {
    /// Makes the contents of a fresh object unknown, if the run is to find uses of them.
    pub(crate) fn leave_unwritten(
        &mut self,
        state: &mut State,
        fresh: Value,
        size: u64,
    ) -> Step<()> {
        let Value::Pointer(object, 0) = fresh else {
            return Ok(());
        };
        if !self.config.check_uninitialised || size == 0 {
            return Ok(());
        }
        let count = size.min(DISTINCT) as u32;
        let name = "uninitialised";
        let symbol = self.pool.symbol(name, object.0, count);
        self.uninitialised.0.insert(symbol, Some(object));
        let bytes: Vec<Byte> = (0..count)
            .map(|at| Byte::Symbolic(self.pool.symbol_byte(symbol, at)))
            .collect();
        for start in (0..size).step_by(count as usize) {
            let part = &bytes[..(size - start).min(u64::from(count)) as usize];
            self.put_bytes(state, Value::Pointer(object, start.cast_signed()), part)?;
        }
        Ok(())
    }

    /// Makes undefined constants unknown, if the run is to find uses of them: variables that are
    /// used before they are assigned, in registers.
    pub(crate) fn leave_undefined(&mut self) {
        if !self.config.check_uninitialised {
            return;
        }
        for (at, constant) in self.program.constants.iter().enumerate() {
            let &Constant::Undef(ty) = constant else {
                continue;
            };
            let bits = self.code.ty(ty).bits;
            if bits == 0 {
                continue;
            }
            let count = bits.div_ceil(8);
            let symbol = self.pool.symbol("undefined", at as u32, count);
            self.uninitialised.0.insert(symbol, None);
            let mut word = self.pool.symbol_byte(symbol, 0);
            for at in 1..count {
                let byte = self.pool.symbol_byte(symbol, at);
                word = self.pool.concat(byte, word);
            }
            let word = self.pool.extract(word, 0, bits);
            let value = Value::from_expr(&self.pool, word);
            self.code.set_constant(ConstId::new(at), value);
        }
    }

    /// A decision without what was never written. Inputs for which it depends on that end in a
    /// fault: those for which two values of the unwritten bytes give two decisions.
    #[inline]
    pub(crate) fn written(&mut self, state: &mut State, decision: ExprId) -> Step<ExprId> {
        if self.uninitialised.0.is_empty() {
            return Ok(decision);
        }
        self.decided_by_written(state, decision)
    }

    /// Whether an expression contains nothing that was never written.
    pub(crate) fn is_written(&self, expr: ExprId) -> bool {
        self.uninitialised.0.is_empty() || self.unwritten(expr).is_empty()
    }

    /// The unwritten bytes in an expression.
    fn unwritten(&self, expr: ExprId) -> Vec<(SymbolId, u32)> {
        let symbols = self.pool.symbols(expr).iter();
        let unwritten = &self.uninitialised.0;
        symbols
            .filter(|(symbol, _)| unwritten.contains_key(symbol))
            .collect()
    }

    #[cold]
    fn decided_by_written(&mut self, state: &mut State, decision: ExprId) -> Step<ExprId> {
        let bytes = self.unwritten(decision);
        let Some(&first) = bytes.first() else {
            return Ok(decision);
        };
        let others = bytes.iter().map(|&(symbol, at)| {
            let count = self.pool.symbol_info(symbol).size;
            let other = self.pool.symbol(ANOTHER, symbol.0, count);
            (symbol, other, at)
        });
        let others: Vec<(SymbolId, SymbolId, u32)> = others.collect();
        let renamed = others.iter().map(|&(symbol, other, at)| {
            let byte = self.pool.symbol_byte(other, at);
            ((symbol, at), byte)
        });
        let renamed: Vec<_> = renamed.collect();
        let number = self.pool.number(decision);
        let again = Substitution::by_exprs(renamed).apply(&mut self.pool, number);
        let same = self.pool.eq(number, again);
        let differ = self.pool.not(same);
        for _ in 0..WITNESSES {
            let Some(model) = self.feasible(state, differ)? else {
                break;
            };
            let one = others
                .iter()
                .map(|&(symbol, _, at)| ((symbol, at), model.byte(symbol, at)));
            let two = others
                .iter()
                .map(|&(symbol, other, at)| ((symbol, at), model.byte(other, at)));
            let one = Substitution::new(one).apply(&mut self.pool, number);
            let two = Substitution::new(two).apply(&mut self.pool, number);
            let same = self.pool.eq(one, two);
            let differ = self.pool.not(same);
            let end = self.use_of(state, first);
            self.end_if(state, ForkKind::Fault, differ, end)?;
        }
        Ok(self.settled_at_zero(decision))
    }

    /// An expression with zero for what was never written, as fresh memory has in other runs.
    fn settled_at_zero(&mut self, expr: ExprId) -> ExprId {
        let zeros = self.unwritten(expr).into_iter().map(|byte| (byte, 0));
        Substitution::new(zeros.collect::<Vec<_>>()).apply(&mut self.pool, expr)
    }

    /// Gives a frozen register a value: what a compiler freezes, it may decide by without a reason
    /// in the program.
    pub(crate) fn freeze(&mut self, state: &mut State, dst: Reg) {
        if !self.uninitialised.0.is_empty() {
            let value = state.frame.regs[dst.index()];
            state.frame.regs[dst.index()] = self.frozen(value);
        }
    }

    fn frozen(&mut self, value: Value) -> Value {
        match value {
            Value::Expr(expr) => {
                let expr = self.settled_at_zero(expr);
                Value::from_expr(&self.pool, expr)
            }
            Value::Aggregate(parts) => {
                let parts = self.pool.aggregate_values(parts).to_vec();
                let parts: Vec<Value> = parts.into_iter().map(|part| self.frozen(part)).collect();
                Value::Aggregate(self.pool.aggregate(&parts))
            }
            other => other,
        }
    }

    /// The use of an unwritten byte, as an end.
    fn use_of(&self, state: &State, (symbol, byte): (SymbolId, u32)) -> PathEnd {
        let fault = Fault::new(FaultKind::Uninitialised, "use of uninitialised value");
        let Some(&Some(object)) = self.uninitialised.0.get(&symbol) else {
            let info = vec!["a variable that has not been assigned".into()];
            return PathEnd::Fault(Fault { info, ..fault });
        };
        let read = plat_memory::Fault {
            kind: plat_memory::FaultKind::UseAfterFree,
            object: Some(object),
            address: self.objects.get(object).number + u64::from(byte),
            offset: i64::from(byte),
            access: 1,
            freed_at: state.memory.object(object).and_then(|known| known.freed_at),
            info: Some(*self.objects.get(object)),
        };
        PathEnd::Fault(Fault {
            info: self.describe(&read),
            ..fault
        })
    }
}
