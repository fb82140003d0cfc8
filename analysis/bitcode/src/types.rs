//! LLVM types to interned [`Type`]s with their memory layout.

use crate::llvm::{Module, Ty};
use inkwell::llvm_sys::LLVMTypeKind::{self, *};
use plat_program::FloatKind;
use plat_program::TypeId;
use plat_program::{MOST_BITS, Type, Types};
use rustc_hash::FxHashMap;
use std::fmt;

/// The most scalars in a value that is a structure or array, loaded, stored or passed as a whole. Compilers copy larger ones in memory.
pub const MOST_ELEMENTS: u64 = 1 << 14;

/// The most elements of a vector. Vectors are taken apart before, into an instruction for each element:
/// long ones would become very long functions.
pub const MOST_LANES: u32 = 1 << 12;

/// Why `Program` has no value of a type.
#[derive(Clone, Copy)]
pub enum Lack {
    /// It has nothing of this kind.
    Kind,
    /// An integer of so many bits.
    Width(u32),
    /// A vector of so many elements.
    Lanes(u32),
    /// So many elements.
    Elements(u64),
}

impl fmt::Display for Lack {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lack::Kind => write!(out, "a type that plat does not represent"),
            Lack::Width(bits) => {
                write!(out, "an integer of {bits} bits (more than {MOST_BITS})")
            }
            Lack::Lanes(count) => {
                write!(out, "a vector of {count} elements (more than {MOST_LANES})")
            }
            Lack::Elements(count) => {
                write!(
                    out,
                    "a value of {count} elements (more than {MOST_ELEMENTS})"
                )
            }
        }
    }
}

/// Interns types, each LLVM type once.
pub struct TypeReader<'m> {
    module: &'m Module,
    known: FxHashMap<Ty<'m>, Result<TypeId, Lack>>,
    scalars: FxHashMap<Ty<'m>, Option<u64>>,
}

impl<'m> TypeReader<'m> {
    pub fn new(module: &'m Module) -> Self {
        Self {
            module,
            known: FxHashMap::default(),
            scalars: FxHashMap::default(),
        }
    }

    /// The id of `ty`; a lack for a type of which `Program` has no values: labels, tokens,
    /// scalable vectors, pointers outside address space 0, opaque structures, ..., and what is too
    /// large.
    pub fn read(&mut self, types: &mut Types, ty: Ty<'m>) -> Result<TypeId, Lack> {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let id = match self.scalars(ty) {
            None => Err(Lack::Kind),
            Some(count) if count > MOST_ELEMENTS && ty.kind() != LLVMVectorTypeKind => {
                Err(Lack::Elements(count))
            }
            Some(_) => self.convert(types, ty).map(|ty| types.intern(ty)),
        };
        self.known.insert(ty, id);
        id
    }

    /// The number of scalars in a type, at least one; `None` for a type that nothing in memory has.
    pub fn scalars(&mut self, ty: Ty<'m>) -> Option<u64> {
        if let Some(&known) = self.scalars.get(&ty) {
            return known;
        }
        let count = self.count_scalars(ty);
        self.scalars.insert(ty, count);
        count
    }

    fn count_scalars(&mut self, ty: Ty<'m>) -> Option<u64> {
        let count = match ty.kind() {
            LLVMVoidTypeKind | LLVMIntegerTypeKind => 1,
            LLVMPointerTypeKind if ty.address_space() == 0 => 1,
            LLVMStructTypeKind if !ty.is_opaque() => {
                let mut fields = (0..ty.field_count()).map(|at| self.scalars(ty.field(at)));
                fields.try_fold(0u64, |sum, field| Some(sum.saturating_add(field?)))?
            }
            LLVMArrayTypeKind => {
                let element = self.scalars(ty.element())?;
                element.saturating_mul(ty.array_length())
            }
            LLVMVectorTypeKind => {
                let element = self.scalars(ty.element())?;
                element.saturating_mul(ty.vector_length().into())
            }
            kind => float_kind(kind).map(|_| 1)?,
        };
        Some(count.max(1))
    }

    fn convert(&mut self, types: &mut Types, ty: Ty<'m>) -> Result<Type, Lack> {
        Ok(match ty.kind() {
            LLVMVoidTypeKind => Type::Void,
            LLVMIntegerTypeKind if ty.int_width() > MOST_BITS => {
                return Err(Lack::Width(ty.int_width()));
            }
            LLVMIntegerTypeKind => Type::Int(ty.int_width()),
            LLVMPointerTypeKind if ty.address_space() == 0 => Type::Pointer,
            LLVMStructTypeKind if !ty.is_opaque() => {
                let mut fields = Vec::with_capacity(ty.field_count() as usize);
                for at in 0..ty.field_count() {
                    let field = self.read(types, ty.field(at))?;
                    fields.push((self.module.field_offset(ty, at), field));
                }
                Type::Struct {
                    fields,
                    size: self.module.alloc_size(ty),
                }
            }
            LLVMArrayTypeKind => {
                let element = self.read(types, ty.element())?;
                Type::Array(
                    element,
                    self.module.alloc_size(ty.element()),
                    ty.array_length(),
                )
            }
            LLVMVectorTypeKind if ty.vector_length() > MOST_LANES => {
                return Err(Lack::Lanes(ty.vector_length()));
            }
            LLVMVectorTypeKind => {
                let element = self.read(types, ty.element())?;
                Type::Vector(element, ty.vector_length())
            }
            kind => Type::Float(float_kind(kind).ok_or(Lack::Kind)?),
        })
    }
}

/// The floating-point format of a type kind.
pub fn float_kind(kind: LLVMTypeKind) -> Option<FloatKind> {
    Some(match kind {
        LLVMHalfTypeKind => FloatKind::Half,
        LLVMBFloatTypeKind => FloatKind::BFloat,
        LLVMFloatTypeKind => FloatKind::Single,
        LLVMDoubleTypeKind => FloatKind::Double,
        LLVMX86_FP80TypeKind => FloatKind::X86Fp80,
        LLVMFP128TypeKind => FloatKind::Quad,
        _ => return None,
    })
}
