//! LLVM constants to interned [`Constant`]s. Globals, functions and aliases are resolved;
//! constant expressions are folded by [`plat_program::fold`].

use crate::gep::AddressTerms;
use crate::llvm::{Ty, Value};
use crate::reader::{Reader, Symbol};
use crate::types::float_kind;
use inkwell::llvm_sys::LLVMOpcode::{self, *};
use inkwell::llvm_sys::LLVMTypeKind::*;
use inkwell::llvm_sys::LLVMValueKind::*;
use plat_basics::integer::word;
use plat_program::ConstId;
use plat_program::Constant;
use plat_program::fold;
use plat_program::{BinaryOp, CastOp};

/// Integer operation of an opcode.
pub fn binary_op(opcode: LLVMOpcode) -> Option<BinaryOp> {
    Some(match opcode {
        LLVMAdd => BinaryOp::Add,
        LLVMSub => BinaryOp::Sub,
        LLVMMul => BinaryOp::Mul,
        LLVMUDiv => BinaryOp::UDiv,
        LLVMSDiv => BinaryOp::SDiv,
        LLVMURem => BinaryOp::URem,
        LLVMSRem => BinaryOp::SRem,
        LLVMShl => BinaryOp::Shl,
        LLVMLShr => BinaryOp::LShr,
        LLVMAShr => BinaryOp::AShr,
        LLVMAnd => BinaryOp::And,
        LLVMOr => BinaryOp::Or,
        LLVMXor => BinaryOp::Xor,
        _ => return None,
    })
}

/// Conversion of an opcode.
pub fn cast_op(opcode: LLVMOpcode) -> Option<CastOp> {
    Some(match opcode {
        LLVMTrunc => CastOp::Trunc,
        LLVMZExt => CastOp::ZExt,
        LLVMSExt => CastOp::SExt,
        LLVMFPToUI => CastOp::FpToUi,
        LLVMFPToSI => CastOp::FpToSi,
        LLVMUIToFP => CastOp::UiToFp,
        LLVMSIToFP => CastOp::SiToFp,
        LLVMFPTrunc => CastOp::FpTrunc,
        LLVMFPExt => CastOp::FpExt,
        LLVMPtrToInt | LLVMPtrToAddr => CastOp::PtrToInt,
        LLVMIntToPtr => CastOp::IntToPtr,
        LLVMBitCast => CastOp::Bitcast,
        _ => return None,
    })
}

/// Little-endian 64-bit limbs of an integer constant of any width.
pub fn limbs(int: Value<'_>) -> Vec<u64> {
    let width = int.ty().int_width();
    let count = width.div_ceil(64) as usize;
    if width <= 64 {
        return vec![int.zero_extended()];
    }
    // LLVM's C interface gives wide integers away only as text: "i128 -5".
    let text = int.print();
    let digits = text.rsplit(' ').next().unwrap_or_default();
    let (negative, digits) = match digits.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, digits),
    };
    let mut limbs = vec![0u64; count];
    for digit in digits.bytes().filter(u8::is_ascii_digit) {
        let mut carry = u128::from(digit - b'0');
        for limb in &mut limbs {
            let product = u128::from(*limb) * 10 + carry;
            *limb = product as u64;
            carry = product >> 64;
        }
    }
    if negative {
        let mut carry = true;
        for limb in &mut limbs {
            (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
        }
    }
    let top = width - 64 * (count as u32 - 1);
    if let Some(last) = limbs.last_mut() {
        *last &= word::mask(top);
    }
    limbs
}

/// The number of at most 128 bits with these limbs.
fn number(limbs: &[u64]) -> u128 {
    let limb = |at: usize| u128::from(limbs.get(at).copied().unwrap_or(0));
    limb(0) | limb(1) << 64
}

impl<'m> Reader<'m> {
    /// The id of a constant.
    pub fn constant(&mut self, value: Value<'m>) -> ConstId {
        if let Some(&id) = self.constants.get(&value) {
            return id;
        }
        let constant = self
            .convert_constant(value)
            .unwrap_or_else(Constant::Unsupported);
        let id = self.intern(constant);
        self.constants.insert(value, id);
        id
    }

    /// The id of a constant that is already in plat's form.
    pub fn intern(&mut self, constant: Constant) -> ConstId {
        if let Some(&id) = self.constant_ids.get(&constant) {
            return id;
        }
        let id = ConstId::new(self.program.constants.len());
        self.program.constants.push(constant.clone());
        self.constant_ids.insert(constant, id);
        id
    }

    fn convert_constant(&mut self, value: Value<'m>) -> Result<Constant, String> {
        let ty = value.ty();
        let kind = value.kind();
        if ty.kind() == LLVMPointerTypeKind && ty.address_space() != 0 {
            return Err(format!(
                "a pointer into address space {}",
                ty.address_space()
            ));
        }
        Ok(match kind {
            LLVMConstantIntValueKind if ty.kind() == LLVMIntegerTypeKind => {
                // LLVM writes it as text, in time that is quadratic in the width.
                self.constant_type(ty)?;
                let (width, limbs) = (ty.int_width(), limbs(value));
                if width <= 128 {
                    Constant::Int {
                        width,
                        value: number(&limbs),
                    }
                } else {
                    Constant::WideInt(width, limbs.into())
                }
            }
            LLVMConstantFPValueKind if ty.kind() != LLVMVectorTypeKind => {
                let kind = float_kind(ty.kind()).ok_or("a constant of an unknown float format")?;
                let bits = value.bits_as(self.module.int_type(kind.bits()));
                if bits.kind() != LLVMConstantIntValueKind {
                    return Err("a floating-point constant without bits".into());
                }
                Constant::Float(kind, number(&limbs(bits)))
            }
            LLVMConstantPointerNullValueKind => Constant::Null,
            LLVMFunctionValueKind | LLVMGlobalVariableValueKind => match self.symbols.get(&value) {
                Some(&Symbol::Function(id)) => Constant::Function(id),
                Some(&Symbol::Global(id)) => Constant::Global(id, 0),
                None => return Err(format!("the address of {}", value.name())),
            },
            LLVMGlobalAliasValueKind => {
                let aliasee = self.constant(value.aliasee());
                self.program.constants[aliasee.index()].clone()
            }
            LLVMGlobalIFuncValueKind => return Err(format!("ifunc {}", value.name())),
            LLVMUndefValueValueKind => Constant::Undef(self.constant_type(ty)?),
            LLVMPoisonValueKind => Constant::Poison(self.constant_type(ty)?),
            LLVMConstantAggregateZeroValueKind => Constant::Zero(self.constant_type(ty)?),
            LLVMConstantIntValueKind
            | LLVMConstantFPValueKind
            | LLVMConstantArrayValueKind
            | LLVMConstantStructValueKind
            | LLVMConstantVectorValueKind
            | LLVMConstantDataArrayValueKind
            | LLVMConstantDataVectorValueKind => self.aggregate(value)?,
            LLVMConstantExprValueKind => self.expression(value)?,
            LLVMBlockAddressValueKind => return Err("blockaddress".into()),
            LLVMMetadataAsValueValueKind => return Err("metadata".into()),
            _ => return Err(format!("a constant of kind {kind:?}")),
        })
    }

    fn constant_type(&mut self, ty: Ty<'m>) -> Result<plat_program::TypeId, String> {
        self.ty(ty)
            .map_err(|lack| format!("a constant that is {lack}"))
    }

    fn aggregate(&mut self, value: Value<'m>) -> Result<Constant, String> {
        let ty = value.ty();
        let id = self.constant_type(ty)?;
        let count = match ty.kind() {
            LLVMStructTypeKind => u64::from(ty.field_count()),
            LLVMArrayTypeKind => ty.array_length(),
            _ => u64::from(ty.vector_length()),
        };
        let count = u32::try_from(count).map_err(|_| "a constant with 2^32 elements")?;
        let mut elements = Vec::with_capacity(count as usize);
        for at in 0..count {
            let element = value
                .element(at)
                .ok_or("an aggregate constant without elements")?;
            elements.push(self.constant(element));
        }
        Ok(Constant::Aggregate(id, elements.into()))
    }

    /// Width in bits of an integer or pointer type.
    fn width(&mut self, ty: Ty<'m>) -> Result<u32, String> {
        match ty.kind() {
            LLVMIntegerTypeKind => self.constant_type(ty).map(|_| ty.int_width()),
            LLVMPointerTypeKind if ty.address_space() == 0 => Ok(64),
            _ => Err("a constant expression on vectors or other address spaces".into()),
        }
    }

    fn expression(&mut self, value: Value<'m>) -> Result<Constant, String> {
        let opcode = value.constant_opcode();
        let to = self.width(value.ty())?;
        if opcode == LLVMGetElementPtr {
            return self.constant_gep(value);
        }
        let first = value.operand(0);
        let from = self.width(first.ty())?;
        if let Some(op @ (CastOp::Trunc | CastOp::ZExt | CastOp::SExt)) = cast_op(opcode) {
            let inner = self.constant(first);
            return Ok(fold::cast(&self.program.constants, op, from, to, inner));
        }
        if let Some(op @ (CastOp::PtrToInt | CastOp::IntToPtr)) = cast_op(opcode) {
            let inner = self.constant(first);
            return Ok(fold::cast(&self.program.constants, op, from, to, inner));
        }
        if let Some(op) = binary_op(opcode) {
            let (lhs, rhs) = (self.constant(first), self.constant(value.operand(1)));
            return Ok(fold::binary(&self.program.constants, op, to, lhs, rhs));
        }
        Err(format!("constant expression {opcode:?}"))
    }

    fn constant_gep(&mut self, value: Value<'m>) -> Result<Constant, String> {
        let address =
            AddressTerms::of(self.module, value).ok_or("a constant address of unknown layout")?;
        let mut base = self.constant(value.operand(0));
        match self.program.constants[base.index()] {
            Constant::Global(global, at) => {
                base = self.intern(Constant::Global(global, at.wrapping_add(address.offset)));
            }
            _ if address.offset == 0 => {}
            _ => base = self.add(base, address.offset),
        }
        for (index, width, scale) in address.terms {
            let index = self.constant(index);
            let op = if width < 64 {
                CastOp::SExt
            } else {
                CastOp::Trunc
            };
            let wide = match width {
                64 => index,
                _ => {
                    let wide = fold::cast(&self.program.constants, op, width, 64, index);
                    self.intern(wide)
                }
            };
            let scale = self.int64(scale);
            let term = fold::binary(&self.program.constants, BinaryOp::Mul, 64, wide, scale);
            let term = self.intern(term);
            let sum = fold::binary(&self.program.constants, BinaryOp::Add, 64, base, term);
            base = self.intern(sum);
        }
        Ok(self.program.constants[base.index()].clone())
    }

    fn int64(&mut self, value: i64) -> ConstId {
        self.intern(Constant::Int {
            width: 64,
            value: u128::from(value.cast_unsigned()),
        })
    }

    /// The address `base + offset`, where `base` is not in a global.
    fn add(&mut self, base: ConstId, offset: i64) -> ConstId {
        let offset_id = self.int64(offset);
        let sum = match self.program.constants[base.index()] {
            Constant::Null => Constant::Cast(CastOp::IntToPtr, 64, 64, offset_id),
            _ => Constant::Binary(BinaryOp::Add, 64, base, offset_id),
        };
        self.intern(sum)
    }
}
