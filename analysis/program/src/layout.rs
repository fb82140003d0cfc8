//! The layout that x86-64 gives to types. The text of a structure or array says its layout only
//! where it differs from this one.

use crate::constant::FloatKind;
use crate::ids::TypeId;
use crate::types::{Type, Types};

/// Byte offset and type of each field, and the size of the structure.
pub type Fields = (Vec<(u64, TypeId)>, u64);

/// Alignment in bytes; at least 1.
fn align(types: &Types, id: TypeId) -> u64 {
    match types.get(id) {
        Type::Void => 1,
        Type::Int(bits) => u64::from(bits.div_ceil(8)).next_power_of_two().min(16),
        Type::Float(FloatKind::Half | FloatKind::BFloat) => 2,
        Type::Float(FloatKind::Single) => 4,
        Type::Float(FloatKind::Double) | Type::Pointer => 8,
        Type::Float(FloatKind::X86Fp80 | FloatKind::Quad) => 16,
        Type::Struct { fields, .. } => {
            let aligns = fields.iter().map(|field| align(types, field.1));
            aligns.max().unwrap_or(1)
        }
        Type::Array(element, ..) => align(types, *element),
        Type::Vector(..) => {
            let size = types.store_size(id).max(1);
            size.checked_next_power_of_two().unwrap_or(1)
        }
    }
}

/// Bytes from one element of an array to the next one; `None` if they are too many to count.
pub fn stride(types: &Types, element: TypeId) -> Option<u64> {
    let size = types.store_size(element);
    size.checked_next_multiple_of(align(types, element))
}

/// The layout of a structure with these fields; `None` if it is too large.
pub fn structure(types: &Types, fields: &[TypeId]) -> Option<Fields> {
    let (mut end, mut widest) = (0u64, 1);
    let mut placed = Vec::new();
    for &field in fields {
        let align = align(types, field);
        end = end.checked_next_multiple_of(align)?;
        placed.push((end, field));
        end = end.checked_add(stride(types, field)?)?;
        widest = widest.max(align);
    }
    Some((placed, end.checked_next_multiple_of(widest)?))
}

/// The layout of a packed structure with these fields; `None` if it is too large.
pub fn packed(types: &Types, fields: &[TypeId]) -> Option<Fields> {
    let mut end = 0u64;
    let mut placed = Vec::new();
    for &field in fields {
        placed.push((end, field));
        end = end.checked_add(stride(types, field)?)?;
    }
    Some((placed, end))
}
