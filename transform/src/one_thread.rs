//! Programs that make no threads.
//!
//! The C library finds the running thread's structure through a variable, which the executor changes
//! when it switches threads. Where nothing makes a thread that is always the first one's, and its
//! address stands in place of each load: so threads cost such a program nothing.

use crate::module::instructions;
use inkwell::llvm_sys::core::LLVMReplaceAllUsesWith;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, InstructionOpcode, InstructionValue};

/// Where the library looks for the running thread.
const RUNNING: &str = "__plat_self";
/// What makes a thread.
const MAKES: &str = "__plat_clone";

/// Names the first thread wherever the running one is asked for, if there is no other.
pub fn name_the_only_thread(module: &Module<'_>) {
    if module.get_function(MAKES).is_some() {
        return;
    }
    let Some(running) = module.get_global(RUNNING) else {
        return;
    };
    let Some(first) = running.get_initializer() else {
        return;
    };
    let asks = |inst: &InstructionValue<'_>| {
        inst.get_opcode() == InstructionOpcode::Load
            && inst
                .get_operand(0)
                .and_then(|operand| operand.value())
                .is_some_and(|pointer| pointer.as_value_ref() == running.as_value_ref())
    };
    for function in module.get_functions() {
        let loads: Vec<_> = instructions(function).filter(asks).collect();
        for load in loads {
            // SAFETY: both are pointers of this live module, and the load is of one.
            unsafe { LLVMReplaceAllUsesWith(load.as_value_ref(), first.as_value_ref()) };
            load.erase_from_basic_block();
        }
    }
}
