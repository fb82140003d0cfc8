//! LLVM types to interned [`Type`]s with their memory layout.

use super::llvm::{Module, Ty};
use crate::constant::FloatKind;
use crate::ids::TypeId;
use crate::types::{Type, Types};
use inkwell::llvm_sys::LLVMTypeKind::{self, *};
use rustc_hash::FxHashMap;

/// Interns types, each LLVM type once.
pub struct TypeReader<'m> {
    module: &'m Module,
    known: FxHashMap<Ty<'m>, Option<TypeId>>,
}

impl<'m> TypeReader<'m> {
    pub fn new(module: &'m Module) -> Self {
        Self {
            module,
            known: FxHashMap::default(),
        }
    }

    /// The id of `ty`; `None` for a type that `Program` cannot represent (labels, tokens,
    /// scalable vectors, pointers outside address space 0, opaque structures, ...).
    pub fn read(&mut self, types: &mut Types, ty: Ty<'m>) -> Option<TypeId> {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        let id = self.convert(types, ty).map(|ty| types.intern(ty));
        self.known.insert(ty, id);
        id
    }

    fn convert(&mut self, types: &mut Types, ty: Ty<'m>) -> Option<Type> {
        Some(match ty.kind() {
            LLVMVoidTypeKind => Type::Void,
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
            LLVMVectorTypeKind => {
                let element = self.read(types, ty.element())?;
                Type::Vector(element, ty.vector_length())
            }
            kind => Type::Float(float_kind(kind)?),
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
