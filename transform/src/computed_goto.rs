//! Jumps to label addresses (GNU C's `goto *p`) as switches.
//!
//! Each label whose address may be jumped to gets a small number in place of its address, and
//! the jump becomes a switch over these numbers. Differences of label addresses, which tables of
//! relative jumps hold, stay consistent because the numbers replace the addresses everywhere.

use crate::error::TransformError;
use crate::module::instructions;
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::module::Module;
use inkwell::values::{AsValueRef, FunctionValue, InstructionOpcode, InstructionValue};

/// Replaces every `indirectbr` of a module; returns how many there were.
pub fn lower_computed_gotos<'c>(
    context: &'c Context,
    module: &Module<'c>,
) -> Result<usize, TransformError> {
    let builder = context.create_builder();
    let mut count = 0;
    for function in module.get_functions() {
        let is_jump =
            |inst: &InstructionValue<'c>| inst.get_opcode() == InstructionOpcode::IndirectBr;
        let jumps: Vec<_> = instructions(function).filter(is_jump).collect();
        if jumps.is_empty() {
            continue;
        }
        count += jumps.len();
        let mut labels: Vec<BasicBlock<'c>> = Vec::new();
        for &jump in &jumps {
            for label in destinations(jump) {
                if !labels.contains(&label) {
                    labels.push(label);
                }
            }
        }
        let nowhere = context.append_basic_block(function, "");
        builder.position_at_end(nowhere);
        builder.build_unreachable()?;
        for jump in jumps {
            replace(context, &builder, jump, &labels, nowhere)?;
        }
        number(context, function, &labels);
    }
    Ok(count)
}

/// The destinations of a jump in order, duplicates included.
fn destinations<'c>(jump: InstructionValue<'c>) -> Vec<BasicBlock<'c>> {
    let raw = jump.as_value_ref();
    // SAFETY: the jump is a terminator, and its successors are blocks of its function.
    unsafe {
        (0..LLVMGetNumSuccessors(raw))
            .filter_map(|at| BasicBlock::new(LLVMGetSuccessor(raw, at)))
            .collect()
    }
}

/// The number of a label: its place from 1, since an address is not null.
fn number_of<'c>(labels: &[BasicBlock<'c>], label: BasicBlock<'c>) -> u64 {
    labels
        .iter()
        .position(|&known| known == label)
        .unwrap_or(labels.len()) as u64
        + 1
}

fn replace<'c>(
    context: &'c Context,
    builder: &Builder<'c>,
    jump: InstructionValue<'c>,
    labels: &[BasicBlock<'c>],
    nowhere: BasicBlock<'c>,
) -> Result<(), TransformError> {
    let Some(address) = jump.get_operand(0).and_then(|operand| operand.value()) else {
        return Err(TransformError::Malformed(
            "lowering",
            "a jump without an address".to_owned(),
        ));
    };
    builder.position_before(&jump);
    // SAFETY: the jump and the builder are alive.
    unsafe {
        let location = LLVMInstructionGetDebugLoc(jump.as_value_ref());
        LLVMSetCurrentDebugLocation2(builder.as_mut_ptr(), location);
    }
    let int = context.i64_type();
    let selector = builder.build_ptr_to_int(address.into_pointer_value(), int, "")?;
    let mut cases = Vec::new();
    for (at, label) in destinations(jump).into_iter().enumerate() {
        let mut value = number_of(labels, label);
        // Phis count edges: a destination listed twice keeps two, one of them never taken.
        if cases.iter().any(|&(_, known)| known == label) {
            value = u64::MAX - at as u64;
        }
        cases.push((int.const_int(value, false), label));
    }
    builder.build_switch(selector, nowhere, &cases)?;
    jump.erase_from_basic_block();
    Ok(())
}

/// Puts numbers in place of the addresses of labels, in code and in initialisers.
fn number<'c>(context: &'c Context, function: FunctionValue<'c>, labels: &[BasicBlock<'c>]) {
    for &label in labels {
        let int = context
            .i64_type()
            .const_int(number_of(labels, label), false);
        let pointer = int.const_to_pointer(context.ptr_type(inkwell::AddressSpace::default()));
        // SAFETY: the label is a block of the function; address and number are constants of one
        // type.
        unsafe {
            let address = LLVMBlockAddress(function.as_value_ref(), label.as_mut_ptr());
            LLVMReplaceAllUsesWith(address, pointer.as_value_ref());
        }
    }
}
