//! Variable arguments as the ABI of x86-64 passes them.
//!
//! The compiler has expanded `va_arg` to loads from a `va_list`, `{i32 gp_offset, i32 fp_offset,
//! ptr overflow_arg_area, ptr reg_save_area}`: from the register save area while `gp_offset` and
//! `fp_offset` leave room for all parts of a value, otherwise from the overflow area, whose pointer
//! it aligns. So arguments are given registers and places on the stack as the machine's calling
//! convention does, the named ones before them.
//!
//! Registers that no argument is in are left out: the offsets begin so far up that the last
//! argument in a register uses the last of them. What is taken beyond the arguments is then behind
//! the end of the area, a fault, and not the contents of a register that nobody set.

use crate::code::types::{self, Class};
use crate::executor::Executor;
use crate::state::State;
use crate::state::frame::VarArgs;
use crate::state::stop::{Step, unsupported};
use crate::step::compare::lanes;
use crate::values;
use plat_expr::{Byte, Value};
use plat_memory::Site;
use plat_program::{Constant, FloatKind, Function, Operand, TypeId};

/// End of the general registers' part of the register save area, of 8 bytes each.
const GP_END: u64 = 48;
/// End of the vector registers' part, of 16 bytes each.
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

/// Where the calling convention puts a value.
#[derive(Clone, Copy, Debug)]
enum Passing {
    /// In so many general registers; aligned to their size on the stack.
    General(u64),
    /// In a vector register; of this size and alignment on the stack.
    Vector(u64),
    /// On the stack, with this size and alignment.
    Memory(u64, u64),
}

/// One variable argument, or one part of a structure that is passed as its parts.
#[derive(Debug)]
pub(crate) struct Variadic {
    passing: Passing,
    contents: Contents,
}

#[derive(Debug)]
enum Contents {
    /// A value and its width in bits.
    Scalar(Value, u32),
    /// The bytes of a structure.
    Bytes(Vec<Byte>),
}

/// The place of an argument.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// At an offset in the register save area.
    General(u64),
    /// At an offset in the register save area.
    Vector(u64),
    /// At an offset from the first argument on the stack.
    Stack(u64),
}

/// What of registers and stack the arguments so far take up.
#[derive(Clone, Copy, Debug)]
struct Used {
    general: u64,
    vector: u64,
    stack: u64,
}

impl Used {
    const NOTHING: Used = Used {
        general: 0,
        vector: GP_END,
        stack: 0,
    };

    fn place(&mut self, passing: Passing) -> Place {
        match passing {
            Passing::General(words) if self.general + 8 * words <= GP_END => {
                self.general += 8 * words;
                Place::General(self.general - 8 * words)
            }
            Passing::Vector(_) if self.vector < FP_END => {
                self.vector += 16;
                Place::Vector(self.vector - 16)
            }
            Passing::General(words) => self.on_stack(8 * words, 8 * words),
            Passing::Vector(size) => self.on_stack(size, size),
            Passing::Memory(size, align) => self.on_stack(size, align),
        }
    }

    fn on_stack(&mut self, size: u64, align: u64) -> Place {
        let start = self.stack.next_multiple_of(align);
        self.stack = start + size.next_multiple_of(8);
        Place::Stack(start)
    }
}

impl Executor<'_> {
    /// Lays out variable arguments for the running frame.
    pub(super) fn place_varargs(&mut self, state: &mut State, further: &[Variadic]) -> Step<()> {
        let callee = self.program.function(state.frame.function);
        let named = self.named(callee)?;
        let mut used = named;
        let mut places = Vec::with_capacity(further.len());
        let mut align = 16;
        for argument in further {
            places.push(used.place(argument.passing));
            if let Passing::Memory(_, own) = argument.passing {
                align = align.max(own);
            }
        }
        // Arguments in registers move up to the end of their part.
        let (up_general, up_vector) = (GP_END - used.general, FP_END - used.vector);
        let (gp_offset, fp_offset) = (named.general + up_general, named.vector + up_vector);
        let (first, last) = match (gp_offset < GP_END, fp_offset < FP_END) {
            (true, true) => (gp_offset & !15, FP_END),
            (true, false) => (gp_offset & !15, GP_END),
            (false, true) => (fp_offset, FP_END),
            (false, false) => (GP_END, GP_END),
        };
        let saved = last - first;
        let mut overflow = saved;
        if used.stack > named.stack {
            overflow = saved.next_multiple_of(align) + named.stack % align;
        }
        let given = overflow + used.stack - named.stack;
        let taken = used.general - named.general + used.stack - named.stack;
        let optional = OPTIONAL.binary_search_by_key(&callee.name.as_str(), |&(name, _)| name);
        let size = given + optional.map_or(0, |at| OPTIONAL[at].1.saturating_sub(taken));

        let site = Site::Frame(state.frame.function);
        let area = self.stack_object(state, site, size, align)?;
        let (Value::Pointer(object, _), Ok(start)) = (area, u32::try_from(overflow)) else {
            return unsupported("variable arguments of this alignment");
        };
        if size > given {
            let zeros = vec![Byte::Concrete(0); (size - given) as usize];
            let at = self.displaced(area, given);
            self.put_bytes(state, at, &zeros)?;
        }
        state.frame.varargs = Some(VarArgs {
            area: object,
            gp_offset: gp_offset as u8,
            fp_offset: fp_offset as u8,
            first: first as u8,
            overflow: start,
        });
        for (argument, place) in further.iter().zip(places) {
            let at = match place {
                Place::General(at) => at + up_general - first,
                Place::Vector(at) => at + up_vector - first,
                Place::Stack(at) => at - named.stack + overflow,
            };
            let at = self.displaced(area, at);
            match argument.contents {
                Contents::Scalar(value, bits) => {
                    let bits = bits.max(8);
                    let stored = bits.next_multiple_of(8);
                    let value = values::zext(&mut self.pool, value, bits, stored);
                    self.store_word(state, at, value, stored)?;
                }
                Contents::Bytes(ref bytes) => self.put_bytes(state, at, bytes)?,
            }
        }
        Ok(())
    }

    /// What the named parameters of a function take up.
    fn named(&self, callee: &Function) -> Step<Used> {
        let mut used = Used::NOTHING;
        for (&param, byval) in callee.params.iter().zip(&callee.byval) {
            match *byval {
                Some((size, align)) => {
                    used.place(Passing::Memory(size, align.max(8)));
                }
                None => self.use_up(&mut used, param)?,
            }
        }
        Ok(used)
    }

    fn use_up(&self, used: &mut Used, ty: TypeId) -> Step<()> {
        let info = self.code.ty(ty);
        if info.class == Class::Aggregate {
            let parts = types::elements(self.program, ty).unwrap_or_default();
            return parts
                .into_iter()
                .try_for_each(|(_, part)| self.use_up(used, part));
        }
        used.place(self.variadic_passing(ty)?);
        Ok(())
    }

    /// How a value of a type that is no structure or array is passed.
    fn variadic_passing(&self, ty: TypeId) -> Step<Passing> {
        let info = self.code.ty(ty);
        match info.class {
            Class::Vector(element, _) => {
                let bits = types::image_bits(self.program, ty);
                if bits > 128 || self.code.ty(element).bits < 8 {
                    return unsupported("a vector of this type among variable arguments");
                }
                Ok(Passing::Vector(16))
            }
            class => scalar_passing(class, info.bits),
        }
    }

    /// Appends an argument of a call, its place among the caller's `call_args` given, to its
    /// variable arguments.
    pub(super) fn add_variadic(
        &mut self,
        state: &mut State,
        function: &Function,
        position: u32,
        further: &mut Vec<Variadic>,
    ) -> Step<()> {
        let operand = function.call_args[position as usize];
        let value = self.operand(state, operand);
        let copied = function
            .byval_args
            .binary_search_by_key(&position, |&(at, ..)| at);
        if let Ok(at) = copied {
            let (_, size, align) = function.byval_args[at];
            let bytes = self.bytes_at(state, value, size)?;
            further.push(Variadic {
                passing: Passing::Memory(size, align.max(8)),
                contents: Contents::Bytes(bytes),
            });
            return Ok(());
        }
        if let Some(ty) = self.operand_type(function, operand) {
            return self.add_parts(ty, value, further);
        }
        let bits = self.operand_bits(function, operand);
        further.push(Variadic {
            passing: scalar_passing(self.constant_class(operand), bits)?,
            contents: Contents::Scalar(value, bits),
        });
        Ok(())
    }

    /// Appends a value as the parts that it is passed in.
    fn add_parts(&mut self, ty: TypeId, value: Value, further: &mut Vec<Variadic>) -> Step<()> {
        if self.code.ty(ty).class == Class::Aggregate {
            let parts = types::elements(self.program, ty).unwrap_or_default();
            let values = lanes(self, value, parts.len() as u32)?;
            for ((_, part), value) in parts.into_iter().zip(values) {
                self.add_parts(part, value, further)?;
            }
            return Ok(());
        }
        let passing = self.variadic_passing(ty)?;
        let bits = types::image_bits(self.program, ty) as u32;
        let contents = Contents::Scalar(self.pack(ty, value)?, bits);
        further.push(Variadic { passing, contents });
        Ok(())
    }

    /// The class of a constant that is no structure or vector.
    fn constant_class(&self, operand: Operand) -> Class {
        let constant = operand.as_constant().map(|id| self.program.constant(id));
        match constant {
            Some(Constant::Float(kind, _)) => Class::Float(*kind),
            _ => Class::Int,
        }
    }

    /// `va_start(list)`.
    pub(crate) fn va_start(&mut self, state: &mut State, list: Value) -> Step<()> {
        let Some(varargs) = state.frame.varargs else {
            return unsupported("va_start in a function without variable arguments");
        };
        let general = Value::Int(varargs.gp_offset.into());
        self.store_word(state, list, general, 32)?;
        let at = self.displaced(list, 4);
        let vector = Value::Int(varargs.fp_offset.into());
        self.store_word(state, at, vector, 32)?;
        let at = self.displaced(list, 8);
        let overflow = Value::Pointer(varargs.area, varargs.overflow.into());
        self.store_word(state, at, overflow, 64)?;
        let at = self.displaced(list, 16);
        let registers = Value::Pointer(varargs.area, -i64::from(varargs.first));
        self.store_word(state, at, registers, 64)
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

fn scalar_passing(class: Class, bits: u32) -> Step<Passing> {
    Ok(match class {
        Class::Int if bits <= 64 => Passing::General(1),
        Class::Int if bits <= 128 => Passing::General(2),
        Class::Float(FloatKind::X86Fp80) => Passing::Memory(16, 16),
        Class::Float(_) if bits <= 64 => Passing::Vector(8),
        Class::Float(_) => Passing::Vector(16),
        _ => return unsupported("a very wide integer among variable arguments"),
    })
}
