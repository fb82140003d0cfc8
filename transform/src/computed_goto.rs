//! Lowers computed gotos (GNU C's `goto *p`) to switches.
//!
//! Each label whose address is taken gets a small number in place of the address, and the jump
//! becomes a switch over these numbers. Tables of address differences for relative jumps stay
//! valid, as the numbers replace the addresses everywhere.

use crate::error::TransformError;
use crate::module::{instructions, set_location};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    AsValueRef, BasicValue, FunctionValue, InstructionOpcode, InstructionValue, PhiValue,
};

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
        for jump in jumps {
            replace(context, module, &builder, jump, &labels)?;
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

/// The number of a label: from 1, since an address is not null.
fn number_of<'c>(labels: &[BasicBlock<'c>], label: BasicBlock<'c>) -> u64 {
    labels
        .iter()
        .position(|&known| known == label)
        .unwrap_or(labels.len()) as u64
        + 1
}

/// The function in which the executor ends a path that jumps to no label.
const ILLEGAL: &str = "__plat_illegal_label";

/// The block for addresses of no label, with the location of the jump. Compilers merge the jumps of
/// a function into one without location; then each origin gets a block with its own location.
fn illegal_target<'c>(
    context: &'c Context,
    module: &Module<'c>,
    builder: &Builder<'c>,
    jump: InstructionValue<'c>,
) -> Result<BasicBlock<'c>, TransformError> {
    let block = jump.get_parent().ok_or_else(|| {
        TransformError::Malformed("lowering", "a jump outside of blocks".to_owned())
    })?;
    let illegal = module.get_function(ILLEGAL).unwrap_or_else(|| {
        let ty = context.void_type().fn_type(&[], false);
        // Weak, as native links do not have it.
        module.add_function(ILLEGAL, ty, Some(Linkage::ExternalWeak))
    });
    let end_at = |place: InstructionValue<'c>| -> Result<BasicBlock<'c>, TransformError> {
        let end = context.insert_basic_block_after(block, "");
        builder.position_at_end(end);
        set_location(builder, place);
        builder.build_call(illegal, &[], "")?;
        builder.build_unreachable()?;
        Ok(end)
    };
    let origins = origins(jump);
    if origins.is_empty() {
        return end_at(jump);
    }
    let int = context.i32_type();
    let first = block.get_first_instruction().unwrap_or(jump);
    builder.position_before(&first);
    let origin = builder.build_phi(int, "")?;
    let mut known: Vec<BasicBlock<'c>> = Vec::new();
    let mut cases = Vec::new();
    for from in origins {
        let at = match known.iter().position(|&one| one == from) {
            Some(at) => at,
            None => {
                let end = end_at(from.get_terminator().unwrap_or(jump))?;
                cases.push((int.const_int(known.len() as u64, false), end));
                known.push(from);
                known.len() - 1
            }
        };
        origin.add_incoming(&[(&int.const_int(at as u64, false), from)]);
    }
    let target = context.insert_basic_block_after(block, "");
    builder.position_at_end(target);
    builder.build_switch(origin.as_basic_value().into_int_value(), cases[0].1, &cases)?;
    Ok(target)
}

/// The predecessors of a merged jump, which has no location, once for each edge: the jumps in the
/// source.
fn origins<'c>(jump: InstructionValue<'c>) -> Vec<BasicBlock<'c>> {
    // SAFETY: the jump is alive.
    let location = unsafe { LLVMInstructionGetDebugLoc(jump.as_value_ref()) };
    let address = jump.get_operand(0).and_then(|operand| operand.value());
    let address = address.and_then(|address| address.as_instruction_value());
    let merged = address.filter(|address| {
        address.get_opcode() == InstructionOpcode::Phi && address.get_parent() == jump.get_parent()
    });
    let phi = merged.and_then(|merged| PhiValue::try_from(merged).ok());
    match phi {
        Some(phi) if location.is_null() => phi.get_incomings().map(|(_, from)| from).collect(),
        _ => Vec::new(),
    }
}

fn replace<'c>(
    context: &'c Context,
    module: &Module<'c>,
    builder: &Builder<'c>,
    jump: InstructionValue<'c>,
    labels: &[BasicBlock<'c>],
) -> Result<(), TransformError> {
    let illegal_target = illegal_target(context, module, builder, jump)?;
    let Some(address) = jump.get_operand(0).and_then(|operand| operand.value()) else {
        return Err(TransformError::Malformed(
            "lowering",
            "a jump without an address".to_owned(),
        ));
    };
    builder.position_before(&jump);
    set_location(builder, jump);
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
    builder.build_switch(selector, illegal_target, &cases)?;
    jump.erase_from_basic_block();
    Ok(())
}

/// Replaces label addresses by numbers, in code and in initialisers.
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
