//! What the model needs of the program's memory, and of the path that makes the call.
//!
//! The environment never sees a memory model: it asks for bytes at an address and hands bytes back.
//! Symbolic data passes through unchanged; whatever must be a number (a size, a descriptor, a flag)
//! is asked for with [`UserMemory::concrete`], and the engine decides how it becomes one.

use plat_expr::{Byte, ExprId, Pool, Value};

/// The call cannot be completed on this path now: an access was a fault, a query had no answer, or
/// the path was forked so that a value is concrete. Why is known to the implementor of
/// [`UserMemory`], who keeps it. A call that stops has not changed the environment, so it may be
/// made again.
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

    /// The string at `address` up to a byte that is certainly 0, or `most` bytes of it; symbolic
    /// bytes before that may be its end.
    fn read_string(&mut self, address: Value, most: usize) -> Result<Vec<Byte>, Stop>;

    /// The one value that `value` has on this path, by forking or by choosing one (and counting it).
    /// A pointer is its address.
    fn concrete(&mut self, value: Value) -> Result<u64, Stop>;

    /// A value that `value` has under the model of the path, without a constraint.
    fn sample(&mut self, value: ExprId) -> u64;

    /// From now on the string `text` is `value` on this path, which its model gives it: what else
    /// it could be is given up, and counted.
    fn choose(&mut self, text: &[Byte], value: &[u8]) -> Result<(), Stop>;

    /// Whether the 1-bit `condition` holds on this path; the path forks when both are possible.
    fn decide(&mut self, condition: ExprId) -> Result<bool, Stop>;

    /// A fresh object of `size` zero bytes at a multiple of 4096, for `mmap` and `brk`; `None` when
    /// there is no memory left.
    fn allocate(&mut self, size: u64) -> Result<Option<Value>, Stop>;

    /// The end of an object that [`UserMemory::allocate`] gave, when `munmap` covers all of it. May
    /// do nothing.
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
