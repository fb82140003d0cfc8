//! Types with their memory layout, interned.

use crate::constant::FloatKind;
use crate::ids::TypeId;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// The widest integer that a value can be: a little more than the widest `_BitInt` of GCC. In memory
/// there is no bound.
pub const MOST_BITS: u32 = 1 << 16;

/// A first-class type. Pointers are opaque, 64 bits wide.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Type {
    /// No value (the result of a call that returns nothing).
    Void,
    /// An integer of so many bits.
    Int(u32),
    /// A floating-point number.
    Float(FloatKind),
    /// An address.
    Pointer,
    /// A structure: its fields with their byte offsets, and its allocation size in bytes.
    Struct {
        /// Byte offset and type of each field.
        fields: Vec<(u64, TypeId)>,
        /// Allocation size in bytes, tail padding included.
        size: u64,
    },
    /// An array: element type, allocation size of one element in bytes, count.
    Array(TypeId, u64, u64),
    /// A vector: element type and count. In memory the elements are packed.
    Vector(TypeId, u32),
}

/// The table of interned types.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(from = "Vec<Type>", into = "Vec<Type>")]
pub struct Types {
    list: Vec<Type>,
    ids: FxHashMap<Type, TypeId>,
}

impl From<Vec<Type>> for Types {
    fn from(list: Vec<Type>) -> Self {
        let ids = list.iter().cloned().zip((0..).map(TypeId)).collect();
        Self { list, ids }
    }
}

impl From<Types> for Vec<Type> {
    fn from(types: Types) -> Self {
        types.list
    }
}

// What finds them again follows from the list.
impl Hash for Types {
    fn hash<H: Hasher>(&self, to: &mut H) {
        self.list.hash(to);
    }
}

impl Types {
    /// The id of `ty`, made at its first use.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = TypeId::new(self.list.len());
        self.list.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    /// The id of `ty`, if it has one.
    pub fn find(&self, ty: &Type) -> Option<TypeId> {
        self.ids.get(ty).copied()
    }

    /// The type of an element of an aggregate or vector.
    pub fn element(&self, aggregate: TypeId, at: u64) -> Option<TypeId> {
        match self.get(aggregate) {
            Type::Struct { fields, .. } => {
                let at = usize::try_from(at).ok()?;
                fields.get(at).map(|field| field.1)
            }
            Type::Array(element, _, count) => (at < *count).then_some(*element),
            Type::Vector(element, count) => (at < u64::from(*count)).then_some(*element),
            _ => None,
        }
    }

    /// The type behind an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.index()]
    }

    /// Width in bits of an integer, pointer or float held in a register; `None` for void and aggregates.
    pub fn bits(&self, id: TypeId) -> Option<u32> {
        match self.get(id) {
            Type::Int(bits) => Some(*bits),
            Type::Pointer => Some(64),
            Type::Float(kind) => Some(kind.bits()),
            _ => None,
        }
    }

    /// Bytes that a load or store of this type touches (an `i1` touches 1, an `i58` 8).
    pub fn store_size(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Void => 0,
            Type::Int(bits) => u64::from(bits.div_ceil(8)),
            Type::Float(kind) => kind.store_size(),
            Type::Pointer => 8,
            Type::Struct { size, .. } => *size,
            Type::Array(_, stride, count) => stride.saturating_mul(*count),
            Type::Vector(element, count) => match self.bits(*element) {
                Some(bits) => (u64::from(bits) * u64::from(*count)).div_ceil(8),
                None => 8 * u64::from(*count),
            },
        }
    }

    /// Number of types.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether no type was interned yet.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
