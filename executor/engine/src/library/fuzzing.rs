//! The input of a fuzzer's harness (`LLVMFuzzerTestOneInput`), for the driver in the runtime
//! (`transform/runtime/fuzzer`): a size, and the bytes of an object of that size.
//!
//! In the test case the size is as many bytes wide as its bound needs, so that what depends on it
//! depends on few bytes; the data have as many bytes as there can be, of which the first count.

use super::{Invocation, Reply, Table, When};
use crate::api::outcome::PathEnd;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, unsupported};
use crate::values;
use plat_expr::{Byte, IntPredicate, Value};
use plat_memory::AccessKind;

pub(super) const TABLE: Table = &[
    ("__plat_fuzz_data", When::Always, data),
    ("__plat_fuzz_size", When::Always, size),
];

/// The symbolic object with the number of bytes.
pub const SIZE: &str = "fuzz_size";
/// The symbolic object with the bytes.
pub const DATA: &str = "fuzz_data";

/// The bytes of the object [`SIZE`] for a bound.
pub fn size_bytes(most: u32) -> u32 {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

/// `__plat_fuzz_size()`: a symbolic number up to the bound.
fn size(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    may_panic!();
    let most = exec.config.start.most_fuzzed();
    let bits = 8 * size_bytes(most);
    let size = exec.new_symbolic_word(state, SIZE, bits / 8);
    let word = size.to_expr(&mut exec.pool, bits);
    let bound = exec.pool.constant(bits, most.into());
    let within = exec.pool.compare(IntPredicate::Ule, word, bound);
    exec.add_constraint(state, within, PathEnd::Silent)?;
    Ok(Reply::Value(values::resize(&mut exec.pool, size, bits, 64)))
}

/// `__plat_fuzz_data(object, size)`: fills an object that has just been allocated. Its size may be an
/// expression: all of its room is filled, on one path, as no access comes behind the size.
fn data(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    may_panic!();
    let most = exec.config.start.most_fuzzed();
    let object = match call.arg(0) {
        _ if most == 0 => return Ok(Reply::Nothing),
        Value::Pointer(object, 0) => object,
        _ => return unsupported("a fuzzer's input without an object"),
    };
    let symbol = exec.new_symbol(state, DATA, most);
    let room = exec.memory.objects.get(object).size.min(most.into()) as u32;
    let bytes: Vec<Byte> = (0..room)
        .map(|at| Byte::Symbolic(exec.pool.symbol_byte(symbol, at)))
        .collect();
    (state.memory).write_room(&mut exec.pool, object, 0, &bytes);
    exec.accessed(state, AccessKind::Write, (object, 0), room.into());
    Ok(Reply::Nothing)
}
