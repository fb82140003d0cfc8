//! Functions of a program whose address escapes: it is used otherwise than to call the function, as KLEE's
//! `--debug-print-escaping-functions` lists them.

use inkwell::llvm_sys::LLVMValueKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::values::AsValueRef as _;

/// Their names, in the order of the module. A function that escapes under another name counts by its own.
pub fn escaping(module: &Module<'_>) -> Vec<String> {
    let functions = module.get_functions();
    let own = functions.filter(|function| {
        let name = function.get_name().to_string_lossy();
        !name.starts_with("llvm.") && escapes(function.as_value_ref())
    });
    own.map(|function| function.get_name().to_string_lossy().into_owned())
        .collect()
}

/// Whether a function, or another name of one, is used otherwise than as what a call calls.
fn escapes(value: LLVMValueRef) -> bool {
    // SAFETY: `value` is a global value of a live module, which nothing changes meanwhile.
    unsafe {
        let mut one = LLVMGetFirstUse(value);
        while !one.is_null() {
            let user = LLVMGetUser(one);
            let harmless = if LLVMIsAGlobalAlias(user).is_null() {
                only_calls(user, value)
            } else {
                !escapes(user)
            };
            if !harmless {
                return true;
            }
            one = LLVMGetNextUse(one);
        }
    }
    false
}

/// Whether all that a user does with a function is to call it, or to jump to a label in it.
///
/// # Safety
/// Both are values of one live module.
unsafe fn only_calls(user: LLVMValueRef, value: LLVMValueRef) -> bool {
    // SAFETY: see above; the instruction has the arguments that it says it has.
    unsafe {
        if LLVMGetValueKind(user) == LLVMValueKind::LLVMBlockAddressValueKind {
            return true;
        }
        if LLVMIsACallInst(user).is_null() && LLVMIsAInvokeInst(user).is_null() {
            return false;
        }
        let passed = (0..LLVMGetNumArgOperands(user)).any(|at| LLVMGetOperand(user, at) == value);
        LLVMGetCalledValue(user) == value && !passed
    }
}
