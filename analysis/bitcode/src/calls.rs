//! Calls: direct, through pointers, of intrinsics, and inline assembly.

use crate::constrained;
use crate::functions::{Body, Unsupported};
use crate::llvm::Value;
use crate::reader::Symbol;
use inkwell::llvm_sys::LLVMValueKind::*;
use plat_program::Constant;
use plat_program::Reg;
use plat_program::{Call, Callee, Inst, Span};

/// Intrinsics that return the address that they are given.
const IDENTITIES: &[&str] = &[
    "llvm.launder.invariant.group.",
    "llvm.strip.invariant.group.",
    "llvm.ptr.annotation.",
];
/// This one does where there is one thread: the address of a thread-local variable is the variable's.
const THREAD_LOCAL: &str = "llvm.threadlocal.address.";

impl<'m> Body<'_, 'm> {
    /// Reads a call; `None` for one that does nothing in an execution.
    pub fn read_call(&mut self, inst: Value<'m>) -> Result<Option<Inst>, Unsupported> {
        let callee = inst.callee();
        if callee.kind() == LLVMInlineAsmValueKind {
            return self.read_assembly(inst, callee).map(Some);
        }
        if let Some(&Symbol::Function(id)) = self.reader.symbols.get(&callee)
            && self.reader.inert[id.index()]
            && self
                .reader
                .ty(inst.ty())
                .is_ok_and(|ty| ty == self.reader.void)
        {
            return Ok(None);
        }
        let name = self.reader.intrinsic(callee);
        let same = |name: &str| {
            IDENTITIES.iter().any(|prefix| name.starts_with(prefix))
                || name.starts_with(THREAD_LOCAL) && !self.reader.makes_threads
        };
        if name.is_some_and(same) {
            let (dst, base) = (self.dst(inst)?, self.operand(inst.operand(0))?);
            return Ok(Some(Inst::Gep {
                dst,
                base,
                offset: 0,
                terms: Span::default(),
            }));
        }
        if let Some(operation) = name.and_then(constrained::operation) {
            return self.read_constrained(inst, operation).map(Some);
        }
        let (dst, call) = self.call_parts(inst)?;
        Ok(Some(Inst::Call { dst, call }))
    }

    /// What calls and invokes share, with the register of the result.
    pub fn call_parts(&mut self, inst: Value<'m>) -> Result<(Option<Reg>, Call), Unsupported> {
        let ret = self.ty(inst)?;
        let callee = self.callee(inst.callee())?;
        let start = self.function.call_args.len() as u32;
        let (byval, align) = self.reader.copied;
        for at in 0..inst.argument_count() {
            let argument = self.operand(inst.operand(at))?;
            if let Some(ty) = inst.argument_type_attribute(at, byval) {
                let own = inst.argument_int_attribute(at, align);
                let align = own.unwrap_or_else(|| self.reader.module.abi_align(ty).max(8));
                let position = self.function.call_args.len() as u32;
                let size = self.reader.module.alloc_size(ty);
                self.function.byval_args.push((position, size, align));
            }
            self.function.call_args.push(argument);
        }
        let args = Span {
            start,
            len: self.function.call_args.len() as u32 - start,
        };
        let dst = if ret == self.reader.void {
            None
        } else {
            Some(self.dst(inst)?)
        };
        Ok((dst, Call { callee, args, ret }))
    }

    fn callee(&mut self, callee: Value<'m>) -> Result<Callee, Unsupported> {
        if callee.kind() == LLVMInlineAsmValueKind {
            let (code, constraints) = callee.assembly();
            return Ok(Callee::Asm(self.text(format!("{code} ; {constraints}"))));
        }
        let operand = self.operand(callee)?;
        let Some(id) = operand.as_constant() else {
            return Ok(Callee::Indirect(operand));
        };
        match &self.reader.program.constants[id.index()] {
            Constant::Function(id) => Ok(Callee::Direct(*id)),
            Constant::Unsupported(what) => Err(format!("call of {what}").into()),
            _ => Ok(Callee::Indirect(operand)),
        }
    }

    /// Assembly without instructions only restrains the compiler: without a result it is a fence,
    /// with one result tied to one input it passes that on.
    fn read_assembly(&mut self, inst: Value<'m>, callee: Value<'m>) -> Result<Inst, Unsupported> {
        let (code, constraints) = callee.assembly();
        let ty = self.ty(inst)?;
        if code.trim().is_empty() {
            if ty == self.reader.void {
                return Ok(Inst::Fence);
            }
            let mut parts = constraints
                .split(',')
                .filter(|part| !part.starts_with("~{"));
            let is_copy = parts.next().is_some_and(|part| part.starts_with('='))
                && parts.next() == Some("0")
                && parts.next().is_none()
                && inst.argument_count() == 1
                && self.ty(inst.operand(0))? == ty;
            if is_copy {
                let (dst, value) = (self.dst(inst)?, self.operand(inst.operand(0))?);
                return Ok(Inst::Freeze { ty, dst, value });
            }
        }
        let (dst, call) = self.call_parts(inst)?;
        Ok(Inst::Call { dst, call })
    }
}
