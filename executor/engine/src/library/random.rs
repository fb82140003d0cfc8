//! Random numbers as input (`--sym-rand`): `rand` and its relatives return a new symbolic number each
//! time, of the values that the function can return. Without the option the C library's bodies run, and
//! a program's own function of such a name always does.

use super::{Invocation, Reply, Table, When};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use plat_env::RANDOM_OBJECT;
use plat_expr::{ExprId, Pool, Value};

pub(super) const TABLE: Table = &[
    ("jrand48", When::Always, signed),
    ("lrand48", When::Always, not_negative),
    ("mrand48", When::Always, signed),
    ("nrand48", When::Always, not_negative),
    ("rand", When::Always, not_negative),
    ("rand_r", When::Always, not_negative),
    ("random", When::Always, not_negative),
];

/// Bytes of a number in a test.
const BYTES: u32 = 4;

/// A number from -2^31 to 2^31 - 1.
fn signed(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    number(exec, state, call, |_, word| word)
}

/// A number from 0 to 2^31 - 1.
fn not_negative(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    number(exec, state, call, |pool, word| {
        let low = pool.extract(word, 0, 31);
        pool.zext(low, 32)
    })
}

fn number(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    made_of: fn(&mut Pool, ExprId) -> ExprId,
) -> Step<Reply> {
    let own = !exec.code.functions[call.callee.index()].library;
    let bits = exec.code.ty(call.ret).bits;
    if !state.environment.injected.random || own || bits < 8 * BYTES {
        return Ok(Reply::Body);
    }
    let word = exec.new_symbolic_word(state, RANDOM_OBJECT, BYTES);
    let pool = &mut exec.pool;
    let word = word.to_expr(pool, 8 * BYTES);
    let number = made_of(pool, word);
    let number = pool.sext(number, bits);
    Ok(Reply::Value(Value::from_expr(pool, number)))
}
