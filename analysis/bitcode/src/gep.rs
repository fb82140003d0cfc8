//! Address computations: a `getelementptr` as constant offset plus scaled indices.

use crate::constants::limbs;
use crate::llvm::{Module, Value};
use inkwell::llvm_sys::LLVMTypeKind::*;
use inkwell::llvm_sys::LLVMValueKind::*;

/// What a `getelementptr` adds to its base, in bytes modulo 2^64.
pub struct AddressTerms<'m> {
    /// The constant part.
    pub offset: i64,
    /// The rest: index, its width in bits, bytes per unit.
    pub terms: Vec<(Value<'m>, u32, i64)>,
}

impl<'m> AddressTerms<'m> {
    /// The terms of an instruction or constant expression; `None` if it computes a vector of
    /// addresses or goes through a type of unknown size.
    pub fn of(module: &Module, gep: Value<'m>) -> Option<AddressTerms<'m>> {
        let mut address = AddressTerms {
            offset: 0,
            terms: Vec::new(),
        };
        if gep.ty().kind() != LLVMPointerTypeKind {
            return None;
        }
        let mut ty = gep.gep_source();
        for at in 1..gep.operand_count() {
            let index = gep.operand(at);
            if index.ty().kind() != LLVMIntegerTypeKind {
                return None;
            }
            if at > 1 && ty.kind() == LLVMStructTypeKind {
                let field = u32::try_from(index.zero_extended()).ok()?;
                address.offset = address
                    .offset
                    .wrapping_add_unsigned(module.field_offset(ty, field));
                ty = ty.field(field);
                continue;
            }
            let stride = match (at, ty.kind()) {
                (1, _) => module.alloc_size(ty),
                (_, LLVMArrayTypeKind) => {
                    ty = ty.element();
                    module.alloc_size(ty)
                }
                (_, LLVMVectorTypeKind) => {
                    ty = ty.element();
                    module.store_size(ty)
                }
                _ => return None,
            };
            address.add(index, stride.cast_signed());
        }
        Some(address)
    }

    fn add(&mut self, index: Value<'m>, stride: i64) {
        let width = index.ty().int_width();
        if index.kind() == LLVMConstantIntValueKind {
            // Indices are sign-extended or truncated to the width of an address.
            let low = if width <= 64 {
                index.sign_extended()
            } else {
                limbs(index).first().copied().unwrap_or(0).cast_signed()
            };
            self.offset = self.offset.wrapping_add(low.wrapping_mul(stride));
        } else if stride != 0 {
            self.terms.push((index, width, stride));
        }
    }
}
