//! What the steps ask about a type, one dense table entry per type.

use plat_program::{FloatKind, Program, Type, TypeId};

/// The class of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// No value.
    Void,
    /// An integer or a pointer in one register value.
    Int,
    /// A floating-point number, as its bit pattern.
    Float(FloatKind),
    /// A vector: element type and count.
    Vector(TypeId, u32),
    /// A structure or array.
    Aggregate,
}

/// The layout of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeInfo {
    /// Its class.
    pub class: Class,
    /// Bits of a scalar; 0 of others.
    pub bits: u32,
    /// Bytes of a scalar of whole bytes that is no longer than a word; 0 of others.
    pub bytes: u32,
    /// Bytes that a load or store touches.
    pub size: u64,
}

/// The table for all types of a program.
pub fn table(program: &Program) -> Vec<TypeInfo> {
    let types = &program.types;
    (0..types.len())
        .map(|at| {
            let id = TypeId::new(at);
            let class = match types.get(id) {
                Type::Void => Class::Void,
                Type::Int(_) | Type::Pointer => Class::Int,
                Type::Float(kind) => Class::Float(*kind),
                Type::Vector(element, count) => Class::Vector(*element, *count),
                Type::Struct { .. } | Type::Array(..) => Class::Aggregate,
            };
            let bits = types.bits(id).unwrap_or(0);
            let whole = bits <= 64 && bits.is_multiple_of(8);
            TypeInfo {
                class,
                bits,
                bytes: if whole { bits / 8 } else { 0 },
                size: types.store_size(id),
            }
        })
        .collect()
}

/// The elements of a structure, array or vector: position in memory (in bits) and type of each;
/// `None` for a scalar.
pub fn elements(program: &Program, ty: TypeId) -> Option<Vec<(u64, TypeId)>> {
    match program.types.get(ty) {
        Type::Struct { fields, .. } => Some(
            fields
                .iter()
                .map(|&(offset, field)| (offset * 8, field))
                .collect(),
        ),
        Type::Array(element, stride, count) => {
            Some((0..*count).map(|at| (at * stride * 8, *element)).collect())
        }
        Type::Vector(element, count) => {
            let bits = program.types.bits(*element).map_or(64, u64::from);
            Some(
                (0..u64::from(*count))
                    .map(|at| (at * bits, *element))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// Width in bits of the memory image of a type, without tail padding of structures.
pub fn image_bits(program: &Program, ty: TypeId) -> u64 {
    match program.types.get(ty) {
        Type::Vector(element, count) => {
            program.types.bits(*element).map_or(64, u64::from) * u64::from(*count)
        }
        _ => match program.types.bits(ty) {
            Some(bits) => u64::from(bits),
            None => program.types.store_size(ty) * 8,
        },
    }
}
