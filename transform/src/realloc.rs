//! Rewrites `q = realloc(p, n)` as `q = malloc(n)` followed by `__plat_realloc_finish(p, q, n)`,
//! which copies and releases. So a reallocation is an allocation site like any other.
//!
//! `reallocarray(p, a, b)` is the same with `n = a * b`, or the largest size if that overflows: the
//! allocation then fails, the result is null, and `p` stays allocated. All other uses (through
//! pointers, in tables, in invokes and `musttail` calls) are redirected to `__plat_realloc` and
//! `__plat_reallocarray`.

use crate::error::TransformError;
use crate::module::{function_name, instructions, merge, read};
use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::llvm_sys::LLVMTailCallKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::{LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc};
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    AsValueRef, BasicValueEnum, FunctionValue, InstructionOpcode, InstructionValue, IntValue,
};
use std::path::Path;

/// The rewritten functions, and the functions that other uses are redirected to.
const REWRITTEN: [(&str, &str); 2] = [
    ("realloc", "__plat_realloc"),
    ("reallocarray", "__plat_reallocarray"),
];
const FINISH: &str = "__plat_realloc_finish";

/// Rewrites all uses of realloc and reallocarray; `runtime` is linked in if there are any.
/// Returns the number of direct calls rewritten and of other uses redirected.
pub fn rewrite_realloc<'c>(
    context: &'c Context,
    module: &Module<'c>,
    runtime: &Path,
) -> Result<(usize, usize), TransformError> {
    let used = |name: &str| declared(module, name).is_some_and(is_used);
    if !REWRITTEN.iter().any(|&(name, _)| used(name)) {
        return Ok((0, 0));
    }
    // A module may bring the runtime along already.
    if module
        .get_function(FINISH)
        .is_none_or(|function| function.count_basic_blocks() == 0)
    {
        merge(context, module, read(context, runtime)?)?;
    }
    let find = |name: &'static str| {
        let function = module
            .get_function(name)
            .filter(|f| f.count_basic_blocks() > 0);
        function.ok_or_else(|| TransformError::Runtime(runtime.display().to_string(), name))
    };
    let rewriter = Rewriter {
        context,
        builder: context.create_builder(),
        module,
        finish: find(FINISH)?,
    };
    let (mut rewritten, mut redirected) = (0, 0);
    for (name, replacement) in REWRITTEN {
        let Some(original) = declared(module, name) else {
            continue;
        };
        for call in rewriter.direct_calls(original) {
            rewriter.rewrite(call)?;
            rewritten += 1;
        }
        if is_used(original) {
            redirected += count_uses(original);
            original.replace_all_uses_with(find(replacement)?);
        }
        // SAFETY: nothing uses the declaration any more.
        unsafe { original.delete() };
    }
    Ok((rewritten, redirected))
}

fn unexpected() -> TransformError {
    TransformError::Malformed(
        "rewriting",
        "a call of realloc of unexpected shape".to_owned(),
    )
}

/// The function of this name if it is only declared: a program's own definition is left alone.
fn declared<'c>(module: &Module<'c>, name: &str) -> Option<FunctionValue<'c>> {
    module
        .get_function(name)
        .filter(|function| function.count_basic_blocks() == 0)
}

fn is_used(function: FunctionValue<'_>) -> bool {
    count_uses(function) > 0
}

fn count_uses(function: FunctionValue<'_>) -> usize {
    let mut count = 0;
    // SAFETY: LLVM's list idiom on a live function.
    unsafe {
        let mut at = LLVMGetFirstUse(function.as_value_ref());
        while !at.is_null() {
            count += 1;
            at = LLVMGetNextUse(at);
        }
    }
    count
}

struct Rewriter<'c, 'm> {
    context: &'c Context,
    builder: Builder<'c>,
    module: &'m Module<'c>,
    finish: FunctionValue<'c>,
}

impl<'c> Rewriter<'c, '_> {
    /// The calls that can be rewritten in place: of the right type and not `musttail`. In module
    /// order.
    fn direct_calls(&self, callee: FunctionValue<'c>) -> Vec<InstructionValue<'c>> {
        let (pointer, size) = (
            self.context.ptr_type(AddressSpace::default()),
            self.context.i64_type(),
        );
        let mut parameters = vec![pointer.into()];
        parameters.resize(callee.count_params() as usize, size.into());
        let expected = pointer.fn_type(&parameters, false);
        let is_direct = |inst: &InstructionValue<'c>| {
            if inst.get_opcode() != InstructionOpcode::Call {
                return false;
            }
            let raw = inst.as_value_ref();
            // SAFETY: the instruction is a call.
            unsafe {
                LLVMGetCalledValue(raw) == callee.as_value_ref()
                    && LLVMGetTailCallKind(raw) != LLVMTailCallKind::LLVMTailCallKindMustTail
                    && LLVMGetCalledFunctionType(raw)
                        == inkwell::types::AsTypeRef::as_type_ref(&expected)
            }
        };
        let functions = self.module.get_functions();
        // The runtime's own functions implement reallocation; they do not call it.
        let functions = functions.filter(|f| !function_name(*f).starts_with("__plat_realloc"));
        functions
            .flat_map(|f| instructions(f).filter(is_direct).collect::<Vec<_>>())
            .collect()
    }

    fn rewrite(&self, call: InstructionValue<'c>) -> Result<(), TransformError> {
        self.builder.position_before(&call);
        // SAFETY: the call and the builder are alive.
        unsafe {
            let location = LLVMInstructionGetDebugLoc(call.as_value_ref());
            LLVMSetCurrentDebugLocation2(self.builder.as_mut_ptr(), location);
        }
        let argument = |at: u32| call.get_operand(at).and_then(|operand| operand.value());
        let old = argument(0).ok_or_else(unexpected)?;
        let mut size = argument(1).ok_or_else(unexpected)?.into_int_value();
        if call.get_num_operands() > 3 {
            let count = argument(2).ok_or_else(unexpected)?.into_int_value();
            size = self.product(size, count)?;
        }
        let new = self.builder.build_call(self.malloc(), &[size.into()], "")?;
        let new = new.try_as_basic_value().basic().ok_or_else(unexpected)?;
        let finish = [old.into(), new.into(), size.into()];
        self.builder.build_call(self.finish, &finish, "")?;
        move_identity(call, new);
        Ok(())
    }

    /// `a * b`, or all bits set if that does not fit.
    fn product(&self, a: IntValue<'c>, b: IntValue<'c>) -> Result<IntValue<'c>, TransformError> {
        let size = self.context.i64_type();
        let multiply = Intrinsic::find("llvm.umul.with.overflow")
            .and_then(|intrinsic| intrinsic.get_declaration(self.module, &[size.into()]))
            .ok_or_else(unexpected)?;
        let pair = self
            .builder
            .build_call(multiply, &[a.into(), b.into()], "")?;
        let pair = pair.try_as_basic_value().basic().ok_or_else(unexpected)?;
        let pair = pair.into_struct_value();
        let product = self
            .builder
            .build_extract_value(pair, 0, "")?
            .into_int_value();
        let overflow = self
            .builder
            .build_extract_value(pair, 1, "")?
            .into_int_value();
        let chosen = self
            .builder
            .build_select(overflow, size.const_all_ones(), product, "")?;
        Ok(chosen.into_int_value())
    }

    fn malloc(&self) -> FunctionValue<'c> {
        self.module.get_function("malloc").unwrap_or_else(|| {
            let ty = self.context.ptr_type(AddressSpace::default());
            let ty = ty.fn_type(&[self.context.i64_type().into()], false);
            self.module
                .add_function("malloc", ty, Some(Linkage::External))
        })
    }
}

/// Gives `new` the metadata, debug location, name and uses of `call`, and removes `call`.
fn move_identity<'c>(call: InstructionValue<'c>, new: BasicValueEnum<'c>) {
    let (old, new) = (call.as_value_ref(), new.as_value_ref());
    // SAFETY: both are instructions of the same function; the list of metadata is disposed of
    // once; the call has no uses left when it is erased.
    unsafe {
        let mut count = 0;
        let entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(old, &mut count);
        let context = LLVMGetValueContext(old);
        for at in 0..count as u32 {
            let kind = LLVMValueMetadataEntriesGetKind(entries, at);
            let node = LLVMValueMetadataEntriesGetMetadata(entries, at);
            LLVMSetMetadata(new, kind, LLVMMetadataAsValue(context, node));
        }
        LLVMDisposeValueMetadataEntries(entries);
        LLVMInstructionSetDebugLoc(new, LLVMInstructionGetDebugLoc(old));
        let mut length = 0;
        let name = LLVMGetValueName2(old, &mut length);
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length).to_vec();
        LLVMSetValueName2(old, c"".as_ptr(), 0);
        LLVMSetValueName2(new, name.as_ptr().cast(), name.len());
        LLVMReplaceAllUsesWith(old, new);
    }
    call.erase_from_basic_block();
}
