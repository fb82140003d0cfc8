//! What `-fsanitize=function` reads of a function before it calls it through a pointer: the two
//! words before its code, a signature and the hash of its type. Of a function that was compiled
//! without, the signature is another, and its type is not compared.

use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use plat_expr::Value;

impl Executor<'_> {
    /// What a load of 32 bits before the code of a function reads, if it is one; a symbolic
    /// pointer to functions takes the path of one of them.
    pub(super) fn prologue_word(
        &mut self,
        state: &mut State,
        address: Value,
        bits: u32,
    ) -> Step<Option<Value>> {
        if bits != 32 || !self.code.has_prologues() {
            return Ok(None);
        }
        let mut known = address;
        if let Value::Expr(expr) = address {
            let number = self.pool.number(expr);
            let number = self.deciding(state, number)?;
            let pool = &mut self.pool;
            let guess = self.solving.oracle.value(pool, &state.constraints, number);
            let guess = Value::Int(guess);
            if self.code.function_behind(&self.pool, guess).is_none() {
                return Ok(None);
            }
            known = Value::Int(self.concrete(state, ForkKind::Call, address, 64)?);
        }
        let found = self.code.function_behind(&self.pool, known);
        Ok(found.map(|(function, distance)| {
            let words = self.program.function(function).prologue.unwrap_or_default();
            Value::Int(words[usize::from(distance == 4)].into())
        }))
    }
}
