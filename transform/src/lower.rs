//! Lowering passes: fewer kinds of instructions for the executor, the same behaviour.
//!
//! The executor looks for faults, so no pass here may use knowledge of library functions or assume
//! the absence of undefined behaviour: no instcombine, no simplifycfg, and no sroa (it deletes
//! accesses beyond the end of a stack array; mem2reg only touches variables that are read and
//! written as a whole).

use crate::error::{TransformError, first_line};
use crate::link::LinkOptions;
use inkwell::OptimizationLevel;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::llvm_sys::LLVMTypeKind::LLVMVectorTypeKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{
    CodeModel, InitializationConfig, RelocMode, Target, TargetMachine, TargetTriple,
};
use inkwell::values::{AsValueRef, FunctionValue};
use plat_bitcode::MOST_LANES;

fn target_machine() -> Result<TargetMachine, TransformError> {
    Target::initialize_x86(&InitializationConfig::default());
    let triple = TargetTriple::create("x86_64-pc-linux-gnu");
    let target = Target::from_triple(&triple)
        .map_err(|why| TransformError::Lowering(first_line(&why.to_string())))?;
    target
        .create_target_machine(
            &triple,
            "x86-64",
            "",
            OptimizationLevel::None,
            RelocMode::Default,
            CodeModel::Default,
        )
        .ok_or_else(|| TransformError::Lowering("LLVM was built without x86-64".to_owned()))
}

/// Removes the target processors of functions: they are irrelevant to plat, prevent inlining
/// between functions with different ones, and LLVM ends the process at an unknown name.
fn remove_processors(module: &Module<'_>) {
    for function in module.get_functions() {
        for name in ["target-cpu", "target-features", "tune-cpu"] {
            function.remove_string_attribute(AttributeLoc::Function, name);
        }
    }
}

/// Optimises a program as a compiler would, without vectorisation.
pub fn optimize(module: &Module<'_>) -> Result<(), TransformError> {
    let optnone = Attribute::get_named_enum_kind_id("optnone");
    let noinline = Attribute::get_named_enum_kind_id("noinline");
    for function in module.get_functions() {
        if function
            .get_enum_attribute(AttributeLoc::Function, optnone)
            .is_some()
        {
            // `optnone` requires `noinline`.
            function.remove_enum_attribute(AttributeLoc::Function, optnone);
            function.remove_enum_attribute(AttributeLoc::Function, noinline);
        }
    }
    remove_processors(module);
    let options = PassBuilderOptions::create();
    options.set_loop_vectorization(false);
    options.set_loop_slp_vectorization(false);
    module
        .run_passes("default<O2>", &target_machine()?, options)
        .map_err(|why| TransformError::Lowering(first_line(&why.to_string())))
}

/// Lowers a whole program. `main` and `roots` stay visible; what they do not reach is removed.
pub fn lower(
    module: &Module<'_>,
    roots: &[&str],
    options: &LinkOptions<'_>,
) -> Result<(), TransformError> {
    // Unoptimised code has `optnone`, which would keep every variable in memory.
    let optnone = Attribute::get_named_enum_kind_id("optnone");
    for function in module.get_functions() {
        function.remove_enum_attribute(AttributeLoc::Function, optnone);
    }
    let left_alone = exclude_long_vectors(module, optnone);
    remove_processors(module);
    let mut keep = String::from("preserve-gv=main");
    for root in roots {
        keep += &format!(";preserve-gv={root}");
    }
    let promote = match options.promote_memory {
        true => ",mem2reg",
        false => "",
    };
    let switches = match options.lower_switches {
        true => ",lower-switch",
        false => "",
    };
    // As a select among elements, an access out of bounds would no longer be a fault.
    let scalarizer = "scalarizer<load-store;no-variable-insert-extract>";
    let passes = format!(
        "internalize<{keep}>,globaldce,\
         function(lower-expect,lower-constant-intrinsics,{scalarizer}{promote}{switches}),\
         strip-dead-prototypes"
    );
    let lowered = module
        .run_passes(&passes, &target_machine()?, PassBuilderOptions::create())
        .map_err(|why| TransformError::Lowering(first_line(&why.to_string())));
    if left_alone {
        for function in module.get_functions() {
            function.remove_enum_attribute(AttributeLoc::Function, optnone);
        }
    }
    lowered
}

/// Excludes functions with vectors longer than the executor supports from the passes, as
/// scalarising them would take minutes. Returns whether there are any.
fn exclude_long_vectors(module: &Module<'_>, optnone: u32) -> bool {
    let noinline = Attribute::get_named_enum_kind_id("noinline");
    let context = module.get_context();
    let mut any = false;
    for function in module.get_functions().filter(has_long_vectors) {
        any = true;
        // `optnone` requires `noinline`.
        for kind in [optnone, noinline] {
            let attribute = context.create_enum_attribute(kind, 0);
            function.add_attribute(AttributeLoc::Function, attribute);
        }
        let inlined = Attribute::get_named_enum_kind_id("alwaysinline");
        function.remove_enum_attribute(AttributeLoc::Function, inlined);
    }
    any
}

/// Whether a function has an instruction with such a vector.
fn has_long_vectors(function: &FunctionValue<'_>) -> bool {
    let blocks = function.get_basic_block_iter();
    let mut insts = blocks.flat_map(|block| block.get_instructions());
    insts.any(|inst| {
        let value = inst.as_value_ref();
        // SAFETY: the instruction and its operands are alive, and only vectors are asked for
        // their length.
        unsafe {
            let long = |value: LLVMValueRef| {
                let ty = LLVMTypeOf(value);
                LLVMGetTypeKind(ty) == LLVMVectorTypeKind && LLVMGetVectorSize(ty) > MOST_LANES
            };
            long(value) || LLVMGetNumOperands(value) > 0 && long(LLVMGetOperand(value, 0))
        }
    })
}
