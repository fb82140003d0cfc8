//! Variable arguments in the x86-64 layout.
//!
//! The compiler has expanded `va_arg` to loads from a `va_list`, `{i32 gp_offset, i32 fp_offset,
//! ptr overflow_arg_area, ptr reg_save_area}`. With both offsets at their ends every argument is
//! taken from the overflow area, where all of them are laid out: slots of 8 bytes, wide ones
//! aligned to 16.

use crate::engine::Engine;
use crate::state::State;
use crate::stop::{Step, unsupported};
use crate::values;
use plat_expr::{Byte, Value};
use plat_memory::Site;

/// End of the general registers' part of the register save area.
const GP_END: u64 = 48;
/// End of the vector registers' part.
const FP_END: u64 = 176;
/// Size of a `va_list` element.
const VA_LIST: u64 = 24;

/// Functions of the C library that read variable arguments which their callers may leave out, as
/// the number or command before them says, and the size of those. They find zeros there.
const OPTIONAL: &[(&str, u64)] = &[
    ("fcntl", 8),
    ("ioctl", 8),
    ("mremap", 8),
    ("prctl", 32),
    ("ptrace", 32),
    ("semctl", 8),
    ("syscall", 48),
];

/// One variable argument.
#[derive(Clone, Debug)]
pub(crate) enum Variadic {
    /// A value and its width in bits.
    Scalar(Value, u32),
    /// A structure that is passed in memory, and its alignment.
    Bytes(Vec<Byte>, u64),
}

impl Engine<'_> {
    /// Lays out variable arguments for the running frame.
    pub(super) fn place_varargs(&mut self, state: &mut State, further: &[Variadic]) -> Step<()> {
        let mut end = 0u64;
        let mut slots = Vec::with_capacity(further.len());
        for argument in further {
            let (size, align) = match *argument {
                Variadic::Scalar(Value::Aggregate(_), _) => {
                    return unsupported("a structure or vector among variable arguments");
                }
                Variadic::Scalar(_, bits) if bits > 128 => {
                    return unsupported("a very wide integer among variable arguments");
                }
                Variadic::Scalar(_, bits) if bits > 64 => (16, 16),
                Variadic::Scalar(..) => (8, 8),
                Variadic::Bytes(ref bytes, align) => (bytes.len() as u64, align.max(8)),
            };
            end = end.next_multiple_of(align);
            slots.push(end);
            end += size.next_multiple_of(8);
        }
        let callee = &self.program.function(state.frame.function).name;
        let optional = OPTIONAL.binary_search_by_key(&callee.as_str(), |&(name, _)| name);
        let given = end;
        if let Ok(at) = optional {
            end = end.max(OPTIONAL[at].1);
        }
        let area = self.stack_object(state, Site::Frame(state.frame.function), end, 16)?;
        if end > given {
            let zeros = vec![Byte::Concrete(0); (end - given) as usize];
            let at = self.displaced(area, given);
            self.put_bytes(state, at, &zeros)?;
        }
        if let Value::Pointer(object, _) = area {
            state.frame.varargs = Some(object);
        }
        for (argument, offset) in further.iter().zip(slots) {
            let at = self.displaced(area, offset);
            match *argument {
                Variadic::Scalar(value, bits) => {
                    let bits = bits.max(8);
                    let stored = bits.next_multiple_of(8);
                    let value = values::zext(&mut self.pool, value, bits, stored);
                    self.store_word(state, at, value, stored)?;
                }
                Variadic::Bytes(ref bytes, _) => self.put_bytes(state, at, bytes)?,
            }
        }
        Ok(())
    }

    /// `va_start(list)`.
    pub(crate) fn va_start(&mut self, state: &mut State, list: Value) -> Step<()> {
        let Some(area) = state.frame.varargs else {
            return unsupported("va_start in a function without variable arguments");
        };
        let area = Value::Pointer(area, 0);
        self.store_word(state, list, Value::Int(GP_END), 32)?;
        let at = self.displaced(list, 4);
        self.store_word(state, at, Value::Int(FP_END), 32)?;
        let at = self.displaced(list, 8);
        self.store_word(state, at, area, 64)?;
        let at = self.displaced(list, 16);
        self.store_word(state, at, area, 64)
    }

    /// `va_copy(to, from)`.
    pub(crate) fn va_copy(&mut self, state: &mut State, to: Value, from: Value) -> Step<()> {
        let mut words = Vec::new();
        for offset in (0..VA_LIST).step_by(8) {
            let at = self.displaced(from, offset);
            words.push(self.load_word(state, at, 64)?);
        }
        for (offset, word) in (0..VA_LIST).step_by(8).zip(words) {
            let at = self.displaced(to, offset);
            self.store_word(state, at, word, 64)?;
        }
        Ok(())
    }
}
