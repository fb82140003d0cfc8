//! Reading memory that was never written, as an option.
//!
//! Fresh stack and heap objects are filled with symbolic bytes that are no input. Copying them and
//! calculating with them is right, as it is in C for bytes and padding; a decision that depends on
//! one is a fault: a branch, a switch, an address, a divisor, a size. What cannot depend on them
//! after simplification does not.

use crate::engine::Engine;
use crate::outcome::{Fault, FaultKind, PathEnd};
use crate::state::State;
use crate::stop::Step;
use plat_expr::{Byte, ExprId, ObjectId, SymbolId, Value};
use plat_program::{ConstId, Constant};
use rustc_hash::FxHashMap;

/// Bytes of an object that are told apart; further ones are called by these names again.
const DISTINCT: u64 = 4096;

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

    /// Whether what a decision depends on has been written.
    #[inline]
    pub(crate) fn require_written(&self, state: &State, decision: ExprId) -> Step<()> {
        if self.uninitialised.0.is_empty() {
            return Ok(());
        }
        self.require_all_written(state, decision)
    }

    /// Whether an expression depends on nothing that was never written.
    pub(crate) fn is_written(&self, expr: ExprId) -> bool {
        self.uninitialised.0.is_empty() || self.unwritten(expr).is_none()
    }

    /// An unwritten byte that an expression depends on: its object, if it is in one, and its number.
    fn unwritten(&self, expr: ExprId) -> Option<(Option<ObjectId>, u32)> {
        let mut symbols = self.pool.symbols(expr).iter();
        symbols.find_map(|(symbol, byte)| Some((*self.uninitialised.0.get(&symbol)?, byte)))
    }

    #[cold]
    fn require_all_written(&self, state: &State, decision: ExprId) -> Step<()> {
        let Some((object, byte)) = self.unwritten(decision) else {
            return Ok(());
        };
        let fault = Fault::new(FaultKind::Uninitialised, "use of uninitialised value");
        let Some(object) = object else {
            let info = vec!["a variable that has not been assigned".into()];
            return Err(PathEnd::Fault(Fault { info, ..fault }).into());
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
        Err(PathEnd::Fault(Fault {
            info: self.describe(&read),
            ..fault
        })
        .into())
    }
}
