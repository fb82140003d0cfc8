//! Converts 80-bit `long double`s in calls of a library whose `long double` is `double`: arguments
//! are rounded, results are extended. Variadic arguments are rounded too, as the library's `printf`
//! expects. Not converted are numbers behind pointers and in a `va_list`, calls through pointers,
//! and results of invokes (functions with such results are declared as not throwing, so calls of
//! them are not invokes).

use crate::error::TransformError;
use crate::module::{function_name, instructions};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::LLVMTypeKind::{LLVMDoubleTypeKind, LLVMX86_FP80TypeKind};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;
use inkwell::types::AsTypeRef;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};
use std::collections::BTreeSet;

/// Converts calls from the functions named in `program` to other functions with a body. Returns the
/// names of the callees, sorted.
pub fn narrow_long_doubles<'c>(
    context: &'c Context,
    module: &Module<'c>,
    program: &BTreeSet<String>,
) -> Result<Vec<String>, TransformError> {
    let builder = context.create_builder();
    let mut narrowed = BTreeSet::new();
    let own = |name: &String| program.contains(name);
    for function in module.get_functions().filter(|f| own(&function_name(*f))) {
        let is_call = |i: &InstructionValue<'_>| {
            matches!(
                i.get_opcode(),
                InstructionOpcode::Call | InstructionOpcode::Invoke
            )
        };
        let calls = instructions(function).filter(is_call);
        for call in calls.collect::<Vec<_>>() {
            let Some(callee) = callee(call) else {
                continue;
            };
            let name = callee_name(callee);
            if !own(&name) && convert(context, &builder, call, callee) {
                narrowed.insert(name);
            }
        }
    }
    Ok(narrowed.into_iter().collect())
}

/// The callee of a direct call, if it has a body.
fn callee(call: InstructionValue<'_>) -> Option<LLVMValueRef> {
    // SAFETY: the instruction is a call or invoke; what it calls is alive.
    unsafe {
        let callee = LLVMGetCalledValue(call.as_value_ref());
        let function = LLVMIsAFunction(callee);
        (!function.is_null() && LLVMCountBasicBlocks(function) > 0).then_some(function)
    }
}

fn callee_name(function: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: the name lives as long as the function, of which it is copied.
    let name = unsafe {
        let name = LLVMGetValueName2(function, &mut length);
        std::slice::from_raw_parts(name.cast::<u8>(), length)
    };
    String::from_utf8_lossy(name).into_owned()
}

fn is_extended(ty: LLVMTypeRef) -> bool {
    // SAFETY: types live as long as their context.
    unsafe { LLVMGetTypeKind(ty) == LLVMX86_FP80TypeKind }
}

/// Whether a value of type `given` must be rounded to be passed as `wanted` (`None`: a variadic
/// argument). `None` if the types do not fit.
fn rounds(given: LLVMTypeRef, wanted: Option<LLVMTypeRef>) -> Option<bool> {
    // SAFETY: as above.
    let double = |ty| unsafe { LLVMGetTypeKind(ty) == LLVMDoubleTypeKind };
    match wanted {
        None => Some(is_extended(given)),
        Some(wanted) if given == wanted => Some(false),
        Some(wanted) => (is_extended(given) && double(wanted)).then_some(true),
    }
}

/// Converts a call. Returns whether it had something to convert and could be converted.
fn convert<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    call: InstructionValue<'c>,
    callee: LLVMValueRef,
) -> bool {
    let raw = call.as_value_ref();
    // SAFETY: call, callee and builder are alive and of one context; the call has no uses left when
    // it is erased, and is not used behind that.
    unsafe {
        let ty = LLVMGlobalGetValueType(callee);
        let mut parameters = vec![std::ptr::null_mut(); LLVMCountParamTypes(ty) as usize];
        LLVMGetParamTypes(ty, parameters.as_mut_ptr());
        let count = LLVMGetNumArgOperands(raw) as usize;
        let variadic = LLVMIsFunctionVarArg(ty) != 0;
        if count < parameters.len() || (count > parameters.len() && !variadic) {
            return false;
        }
        let arguments: Vec<LLVMValueRef> = (0..count as u32)
            .map(|at| LLVMGetOperand(raw, at))
            .collect();
        let ways = arguments
            .iter()
            .enumerate()
            .map(|(at, &argument)| rounds(LLVMTypeOf(argument), parameters.get(at).copied()));
        let Some(ways) = ways.collect::<Option<Vec<bool>>>() else {
            return false;
        };
        let (given, wanted) = (LLVMGetReturnType(ty), LLVMTypeOf(raw));
        let Some(extends) = rounds(wanted, Some(given)) else {
            return false;
        };
        let is_invoke = call.get_opcode() == InstructionOpcode::Invoke;
        if (extends && is_invoke) || (!extends && !ways.contains(&true)) {
            return false;
        }
        builder.position_before(&call);
        LLVMSetCurrentDebugLocation2(builder.as_mut_ptr(), LLVMInstructionGetDebugLoc(raw));
        let double = context.f64_type().as_type_ref();
        let mut passed: Vec<LLVMValueRef> = arguments
            .iter()
            .zip(&ways)
            .map(|(&argument, &round)| match round {
                true => LLVMBuildFPTrunc(builder.as_mut_ptr(), argument, double, c"".as_ptr()),
                false => argument,
            })
            .collect();
        let (to, passed, count) = (builder.as_mut_ptr(), passed.as_mut_ptr(), count as u32);
        let new = if is_invoke {
            let (normal, unwind) = (LLVMGetNormalDest(raw), LLVMGetUnwindDest(raw));
            LLVMBuildInvoke2(to, ty, callee, passed, count, normal, unwind, c"".as_ptr())
        } else {
            LLVMBuildCall2(to, ty, callee, passed, count, c"".as_ptr())
        };
        LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(raw));
        for at in (1..=count).chain([LLVMAttributeFunctionIndex]) {
            copy_attributes(raw, new, at);
        }
        let result = match extends {
            true => LLVMBuildFPExt(builder.as_mut_ptr(), new, wanted, c"".as_ptr()),
            false => new,
        };
        LLVMReplaceAllUsesWith(raw, result);
    }
    call.erase_from_basic_block();
    true
}

/// Copies the attributes at a position from one call to another.
fn copy_attributes(from: LLVMValueRef, to: LLVMValueRef, at: LLVMAttributeIndex) {
    // SAFETY: both are calls with that position; the list has as many places as there are
    // attributes.
    unsafe {
        let count = LLVMGetCallSiteAttributeCount(from, at);
        let mut attributes = vec![std::ptr::null_mut(); count as usize];
        LLVMGetCallSiteAttributes(from, at, attributes.as_mut_ptr());
        for attribute in attributes {
            LLVMAddCallSiteAttribute(to, at, attribute);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inkwell::memory_buffer::MemoryBuffer;

    const PROGRAM: &str = r#"
define i32 @printf(ptr %format, ...) {
  ret i32 0
}
define double @sqrtl(double %x) {
  ret double %x
}
define i32 @main(x86_fp80 %x) personality ptr @person {
  %root = call x86_fp80 @sqrtl(x86_fp80 %x)
  %said = invoke i32 (ptr, ...) @printf(ptr null, x86_fp80 %root, i32 7)
          to label %next unwind label %pad
next:
  %result = phi i32 [ %said, %0 ]
  ret i32 %result
pad:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught
}
declare i32 @person(...)
"#;

    #[test]
    fn calls_and_invokes_pass_doubles() {
        let context = Context::create();
        let text = MemoryBuffer::create_from_memory_range_copy(PROGRAM.as_bytes(), "program");
        let module = context.create_module_from_ir(text).unwrap();
        let program = BTreeSet::from(["main".to_string()]);
        let narrowed = narrow_long_doubles(&context, &module, &program).unwrap();
        assert_eq!(narrowed, ["printf", "sqrtl"]);
        module.verify().unwrap();
        let main = module.get_function("main").unwrap();
        let text = main.to_string();
        for part in [
            "call double @sqrtl(double ",
            "fpext double ",
            "@printf(ptr null, double ",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
