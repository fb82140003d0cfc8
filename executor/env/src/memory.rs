//! The environment's access to the program's memory and to the calling path.
//!
//! The environment never sees a memory model, only bytes at addresses. Symbolic data passes through
//! unchanged. Values that must be concrete (a size, a descriptor, a flag) go through
//! [`UserMemory::concrete`]; the engine decides how.

use plat_expr::{Byte, ExprId, Pool, Value};

/// The call cannot be completed on this path now: an access was a fault, a query had no answer, or
/// the path was forked to make a value concrete. The implementor of [`UserMemory`] keeps the
/// reason. A stopped call has not changed the environment, so it can be repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop;

/// The memory of the program and the path condition, as the environment may use them.
pub trait UserMemory {
    /// The pool that all values of this run live in.
    fn pool(&mut self) -> &mut Pool;

    /// The `size` bytes at `address`.
    fn read(&mut self, address: Value, size: u64) -> Result<Vec<Byte>, Stop>;

    /// Store `bytes` at `address`.
    fn write(&mut self, address: Value, bytes: &[Byte]) -> Result<(), Stop>;

    /// The 64-bit word at `address`; a stored pointer comes back as a pointer.
    fn read_word(&mut self, address: Value) -> Result<Value, Stop>;

    /// Store the 64-bit `word` at `address`; a pointer stays a pointer.
    fn write_word(&mut self, address: Value, word: Value) -> Result<(), Stop>;

    /// The string at `address` up to a byte that is certainly 0, at most `most` bytes; any symbolic
    /// byte before that may be its terminator.
    fn read_string(&mut self, address: Value, most: usize) -> Result<Vec<Byte>, Stop>;

    /// Makes `value` concrete on this path, by forking or by choosing one value (which is counted).
    /// A pointer becomes its address.
    fn concrete(&mut self, value: Value) -> Result<u64, Stop>;

    /// Gives the path the least model of its condition, before it is sampled for a choice: the choice
    /// then does not depend on other paths.
    fn take_least_model(&mut self);

    /// A value that `value` has under the model of the path, without a constraint.
    fn sample(&mut self, value: ExprId) -> u64;

    /// Restricts the string `text` on this path to `value`, its value under the model. The loss of
    /// the other values is counted.
    fn choose(&mut self, text: &[Byte], value: &[u8]) -> Result<(), Stop>;

    /// Whether the 1-bit `condition` holds on this path; the path forks when both are possible.
    fn decide(&mut self, condition: ExprId) -> Result<bool, Stop>;

    /// A fresh object of `size` zero bytes, page-aligned, for `mmap` and `brk`; `None` if memory is
    /// exhausted.
    fn allocate(&mut self, size: u64) -> Result<Option<Value>, Stop>;

    /// Frees an object of [`UserMemory::allocate`], if `munmap` covers all of it. May do nothing.
    fn release(&mut self, address: Value, size: u64) -> Result<(), Stop>;

    /// Store concrete `bytes` at `address`.
    fn write_concrete(&mut self, address: Value, bytes: &[u8]) -> Result<(), Stop> {
        let bytes: Vec<Byte> = bytes.iter().map(|&byte| Byte::Concrete(byte)).collect();
        self.write(address, &bytes)
    }

    /// `address + distance`.
    fn displaced(&mut self, address: Value, distance: u64) -> Value {
        match address {
            Value::Int(base) => Value::Int(base.wrapping_add(distance)),
            Value::Pointer(object, offset) => {
                Value::Pointer(object, offset.wrapping_add_unsigned(distance))
            }
            other => {
                let pool = self.pool();
                let base = other.to_expr(pool, 64);
                let distance = pool.constant(64, distance);
                let sum = pool.add(base, distance);
                Value::from_expr(pool, sum)
            }
        }
    }
}
