//! Constants as text.
//!
//! A constant stands without its type where the text around it says the type; elsewhere the type is
//! in front of it. Addresses and operations on constants say what they are and have no type.

use super::{Printer, Text, list};
use crate::constant::{Constant, FloatKind};
use crate::ids::{ConstId, TypeId};
use crate::text::words::Worded as _;
use crate::types::Type;
use std::fmt::{self, Display, Formatter};

impl Printer<'_> {
    /// A constant where a value of type `expected` stands.
    pub fn constant(&self, id: ConstId, expected: Option<TypeId>) -> impl Display + '_ {
        Text(move |out: &mut Formatter<'_>| self.write_constant(out, id, expected))
    }

    /// A constant inside another one.
    fn inner(&self, id: ConstId, expected: Option<TypeId>) -> impl Display + '_ {
        let text: Box<dyn Display + '_> = Box::new(self.constant(id, expected));
        text
    }

    fn write_constant(
        &self,
        out: &mut Formatter<'_>,
        id: ConstId,
        expected: Option<TypeId>,
    ) -> fmt::Result {
        let expected_type = expected.map(|id| self.program.types.get(id));
        let own_type = |out: &mut Formatter<'_>, own: TypeId| match expected == Some(own) {
            true => Ok(()),
            false => write!(out, "{} ", self.ty(own)),
        };
        match self.program.constant(id) {
            Constant::Int { width, value } => {
                if expected_type != Some(&Type::Int(*width)) {
                    write!(out, "i{width} ")?;
                }
                write_integer(out, *width, *value)
            }
            Constant::WideInt(width, limbs) => {
                if expected_type != Some(&Type::Int(*width)) {
                    write!(out, "i{width} ")?;
                }
                write!(out, "0x")?;
                let mut limbs = limbs.iter().rev();
                limbs.try_for_each(|limb| write!(out, "{limb:016x}"))
            }
            Constant::Float(kind, bits) => {
                if expected_type != Some(&Type::Float(*kind)) {
                    write!(out, "{} ", kind.word())?;
                }
                write_float(out, *kind, *bits)
            }
            Constant::Null => write!(out, "null"),
            Constant::Global(global, 0) => write!(out, "{}", self.global(*global)),
            Constant::Global(global, offset) => {
                write!(out, "{}{offset:+}", self.global(*global))
            }
            Constant::Function(function) => write!(out, "{}", self.function_name(*function)),
            Constant::Undef(own) => {
                own_type(out, *own)?;
                write!(out, "undef")
            }
            Constant::Poison(own) => {
                own_type(out, *own)?;
                write!(out, "poison")
            }
            Constant::Zero(own) => {
                own_type(out, *own)?;
                write!(out, "zero")
            }
            Constant::Aggregate(own, elements) => {
                own_type(out, *own)?;
                write!(out, "aggregate(")?;
                let types = &self.program.types;
                let element =
                    |(at, &id): (usize, &ConstId)| self.inner(id, types.element(*own, at as u64));
                list(out, elements.iter().enumerate().map(element))?;
                write!(out, ")")
            }
            Constant::Binary(op, width, lhs, rhs) => {
                let (lhs, rhs) = (self.inner(*lhs, None), self.inner(*rhs, None));
                write!(out, "({} i{width} {lhs}, {rhs})", op.word())
            }
            Constant::Cast(op, from, to, value) => {
                let value = self.inner(*value, None);
                write!(out, "({} i{from} {value} to i{to})", op.word())
            }
            Constant::Compare(predicate, width, lhs, rhs) => {
                let (lhs, rhs) = (self.inner(*lhs, None), self.inner(*rhs, None));
                write!(out, "({} i{width} {lhs}, {rhs})", predicate.word())
            }
            Constant::Unsupported(what) => {
                write!(out, "unsupported {}", super::quoted(what.as_bytes()))
            }
        }
    }
}

/// An integer: negative if its top bit is set, but for a single bit.
fn write_integer(out: &mut Formatter<'_>, width: u32, value: u128) -> fmt::Result {
    let negative = (2..=128).contains(&width) && value >> (width - 1) == 1;
    if negative {
        let shift = 128 - width;
        write!(out, "{}", (value << shift).cast_signed() >> shift)
    } else {
        write!(out, "{value}")
    }
}

/// A number in decimal where that is exact, its bits elsewhere.
fn write_float(out: &mut Formatter<'_>, kind: FloatKind, bits: u128) -> fmt::Result {
    match kind {
        FloatKind::Single if f32::from_bits(bits as u32).is_finite() => {
            write!(out, "{:?}", f32::from_bits(bits as u32))
        }
        FloatKind::Double if f64::from_bits(bits as u64).is_finite() => {
            write!(out, "{:?}", f64::from_bits(bits as u64))
        }
        _ => write!(out, "{bits:#x}"),
    }
}
