//! Modules in memory: reading, merging, verifying, and atomic writing.

use crate::error::{TransformError, first_line};
use crate::file::write_whole;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::core::{LLVMContextSetDiagnosticHandler, LLVMSetCurrentDebugLocation2};
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::LLVMDiagnosticInfoRef;
use inkwell::llvm_sys::target::{
    LLVMByteOrder, LLVMByteOrdering, LLVMGetModuleDataLayout, LLVMPointerSize,
};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, FunctionValue, InstructionOpcode, InstructionValue};
use plat_bitcode::explain;
use std::ffi::c_void;
use std::path::Path;

/// Keeps LLVM's diagnostics off standard error; failures are reported by value.
extern "C" fn ignore_diagnostic(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

fn silence(context: &Context) {
    // SAFETY: the context is alive, and the handler needs no data.
    unsafe {
        LLVMContextSetDiagnosticHandler(
            context.raw(),
            Some(ignore_diagnostic),
            std::ptr::null_mut(),
        );
    }
}

/// A context that prints nothing.
pub fn quiet_context() -> Context {
    let context = Context::create();
    silence(&context);
    context
}

/// Reads bitcode or textual IR without verifying it: for files that plat wrote or verifies later.
pub fn read<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, TransformError> {
    let bytes = std::fs::read(path).map_err(|why| TransformError::file(path, &why))?;
    parse(context, &bytes, &path.display().to_string())
}

/// Reads and verifies a file from outside.
pub fn read_verified<'c>(context: &'c Context, path: &Path) -> Result<Module<'c>, TransformError> {
    let bytes = std::fs::read(path).map_err(|why| TransformError::file(path, &why))?;
    parse_verified(context, &bytes, &path.display().to_string())
}

/// Reads and verifies a module from outside, in memory; `name` is for messages.
pub fn parse_verified<'c>(
    context: &'c Context,
    bytes: &[u8],
    name: &str,
) -> Result<Module<'c>, TransformError> {
    let module = parse(context, bytes, name)?;
    verify_loose(&module)
        .map_err(|why| TransformError::Invalid(name.to_owned(), first_line(&why)))?;
    check_layout(&module, Path::new(name))?;
    Ok(module)
}

/// Refuses modules for machines with another data layout.
pub fn check_layout(module: &Module<'_>, path: &Path) -> Result<(), TransformError> {
    // SAFETY: the module is alive, and its layout lives as long.
    let usual = unsafe {
        let layout = LLVMGetModuleDataLayout(module.as_mut_ptr());
        LLVMPointerSize(layout) == 8 && LLVMByteOrder(layout) == LLVMByteOrdering::LLVMLittleEndian
    };
    let why = "plat runs programs for x86-64; compile for that target";
    let invalid = || TransformError::Invalid(path.display().to_string(), why.to_owned());
    usual.then_some(()).ok_or_else(invalid)
}

/// Runs LLVM's verifier; invalid debug information is stripped, not an error.
pub fn verify_loose(module: &Module<'_>) -> Result<(), String> {
    // SAFETY: the module is alive.
    unsafe { plat_bitcode::verify(module.as_mut_ptr()) }
}

/// Reads a module from memory; `name` is for messages.
pub fn parse<'c>(
    context: &'c Context,
    bytes: &[u8],
    name: &str,
) -> Result<Module<'c>, TransformError> {
    if bytes.is_empty() {
        return Err(TransformError::Bitcode(
            name.to_owned(),
            "the file is empty".to_owned(),
        ));
    }
    plat_bitcode::parser_does_not_verify();
    // LLVM needs a NUL after textual IR; a copied buffer has one.
    let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, "module");
    context.create_module_from_ir(buffer).map_err(|message| {
        TransformError::Bitcode(name.to_owned(), explain(bytes, &message.to_string()))
    })
}

/// Merges `other` into `module`.
pub fn merge<'c>(
    context: &'c Context,
    module: &Module<'c>,
    other: Module<'c>,
) -> Result<(), TransformError> {
    let merged = module.link_in_module(other);
    // Merging installs its own diagnostic handler, which must not outlive the call.
    silence(context);
    merged.map_err(|why| TransformError::Merge(first_line(&why.to_string())))
}

/// Runs LLVM's verifier.
pub fn verify(module: &Module<'_>, step: &'static str) -> Result<(), TransformError> {
    module
        .verify()
        .map_err(|why| TransformError::Malformed(step, first_line(&why.to_string())))
}

/// Writes a module's bitcode.
pub fn write(module: &Module<'_>, out: &Path) -> Result<(), TransformError> {
    write_whole(out, module.write_bitcode_to_memory().as_slice())
        .map_err(|why| TransformError::write(out, why))
}

/// The symbol of a function.
pub fn function_name(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// All instructions of a function, in module order.
pub fn instructions<'c>(function: FunctionValue<'c>) -> impl Iterator<Item = InstructionValue<'c>> {
    function
        .get_basic_block_iter()
        .flat_map(|block| block.get_instructions())
}

/// Whether an instruction is a call in the sense of call ordinals.
pub fn is_call(inst: InstructionValue<'_>) -> bool {
    matches!(
        inst.get_opcode(),
        InstructionOpcode::Call | InstructionOpcode::Invoke | InstructionOpcode::CallBr
    )
}

/// Sets the builder's debug location to that of an instruction, or of the nearest one before it in
/// its block that has one.
pub fn set_location<'c>(builder: &Builder<'c>, place: InstructionValue<'c>) {
    // SAFETY: the instructions are alive.
    let location =
        |one: &InstructionValue<'c>| unsafe { LLVMInstructionGetDebugLoc(one.as_value_ref()) };
    let before = |one: &InstructionValue<'c>| one.get_previous_instruction();
    let known = std::iter::successors(Some(place), before)
        .map(|one| location(&one))
        .find(|location| !location.is_null());
    // SAFETY: the builder is alive, and null is no location.
    unsafe {
        LLVMSetCurrentDebugLocation2(builder.as_mut_ptr(), known.unwrap_or(std::ptr::null_mut()));
    }
}
