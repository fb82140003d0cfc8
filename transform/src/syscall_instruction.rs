//! Turns the instruction `syscall`, as inline assembly has it, into a call of the model's kernel.
//!
//! Programs that ask the kernel without a C library have it: those in Rust with rustix, nolibc, and C with
//! a `syscall` of its own. The registers of the operands say which argument is which; the
//! result is in `rax`, where the kernel leaves it.

use crate::error::TransformError;
use crate::module::{instructions, set_location};
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::llvm_sys::core::*;
use inkwell::module::Module;
use inkwell::types::{AnyTypeEnum, BasicTypeEnum};
use inkwell::values::{
    AggregateValue as _, AsValueRef, BasicMetadataValueEnum, BasicValueEnum, InstructionOpcode,
    InstructionValue,
};

/// The model's kernel: `long __plat_syscall(long n, long a, long b, long c, long d, long e, long f)`.
const KERNEL: &str = "__plat_syscall";
/// Where the kernel takes the number and the arguments from.
const REGISTERS: [&str; 7] = ["ax", "di", "si", "dx", "r10", "r8", "r9"];

/// The registers of an instruction's operands.
#[derive(PartialEq, Eq, Debug)]
struct Places {
    /// Of each result.
    results: Vec<String>,
    /// For each of [`REGISTERS`], which operand it has.
    operands: [Option<u32>; 7],
}

/// Replaces every `syscall` of a module whose operands are integers and pointers. Others stay, and end
/// their path.
///
/// # Errors
/// When LLVM refuses to build what stands in its place.
pub fn call_the_kernel<'c>(
    context: &'c Context,
    module: &Module<'c>,
) -> Result<(), TransformError> {
    let builder = context.create_builder();
    for function in module.get_functions() {
        let found = instructions(function).filter_map(|inst| Some((inst, places_of(inst)?)));
        let found: Vec<_> = found.collect();
        for (inst, places) in found {
            replace(context, module, &builder, inst, &places)?;
        }
    }
    Ok(())
}

/// The places of an instruction that is a `syscall`.
fn places_of(inst: InstructionValue<'_>) -> Option<Places> {
    if inst.get_opcode() != InstructionOpcode::Call {
        return None;
    }
    // SAFETY: the instruction is a call, and its callee is asked for its texts if it is assembly.
    let (code, constraints) = unsafe {
        let callee = LLVMGetCalledValue(inst.as_value_ref());
        if LLVMIsAInlineAsm(callee).is_null() {
            return None;
        }
        let text = |get: unsafe extern "C" fn(_, *mut usize) -> _| {
            let mut length = 0;
            let start: *const std::ffi::c_char = get(callee, &mut length);
            let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length);
            String::from_utf8_lossy(bytes).into_owned()
        };
        (
            text(LLVMGetInlineAsmAsmString),
            text(LLVMGetInlineAsmConstraintString),
        )
    };
    (code.trim().trim_end_matches(';') == "syscall").then(|| places(&constraints))?
}

/// What constraints say: `={ax},{ax},{di},~{rcx},~{r11}`. Nothing if an operand is not in a register of
/// the kernel's, or there is no number.
fn places(constraints: &str) -> Option<Places> {
    let mut results = Vec::new();
    let mut operands = [None; 7];
    let mut next = 0;
    for constraint in constraints.split(',').filter(|one| !one.starts_with('~')) {
        let register = |text: &str| {
            let name = text.strip_prefix('{')?.strip_suffix('}')?;
            let short = name.strip_prefix('r');
            let short = short.filter(|rest| rest.len() == 2 && rest.ends_with(char::is_alphabetic));
            Some(short.unwrap_or(name).to_string())
        };
        match constraint.strip_prefix('=') {
            Some(result) => results.push(register(result.trim_start_matches('&'))?),
            None => {
                let tied = constraint
                    .parse::<usize>()
                    .ok()
                    .and_then(|at| results.get(at).cloned());
                let name = tied.or_else(|| register(constraint))?;
                // What is passed in other registers the kernel does not look at.
                if let Some(at) = REGISTERS.iter().position(|one| *one == name) {
                    operands[at] = Some(next);
                }
                next += 1;
            }
        }
    }
    operands[0]
        .is_some()
        .then_some(Places { results, operands })
}

/// Puts the call in the place of an instruction, if all operands and results are integers or pointers.
fn replace<'c>(
    context: &'c Context,
    module: &Module<'c>,
    builder: &Builder<'c>,
    inst: InstructionValue<'c>,
    places: &Places,
) -> Result<(), TransformError> {
    let operand = |at: u32| inst.get_operand(at).and_then(|operand| operand.value());
    let operands = places.operands.map(|at| at.and_then(operand));
    let types = match inst.get_type() {
        AnyTypeEnum::VoidType(_) => Vec::new(),
        AnyTypeEnum::StructType(ty) => ty.get_field_types(),
        ty => BasicTypeEnum::try_from(ty).into_iter().collect(),
    };
    let fits = |ty: BasicTypeEnum<'c>| match ty {
        BasicTypeEnum::IntType(ty) => ty.get_bit_width() <= 64,
        ty => ty.is_pointer_type(),
    };
    let known = operands.iter().flatten().map(|value| value.get_type());
    if types.len() != places.results.len() || !known.chain(types.iter().copied()).all(fits) {
        return Ok(());
    }
    builder.position_before(&inst);
    set_location(builder, inst);
    let long = context.i64_type();
    let mut arguments: Vec<BasicMetadataValueEnum<'c>> = Vec::new();
    for value in operands {
        arguments.push(match value {
            // The upper half of the register is the compiler's; the kernel takes an `int` from the lower.
            Some(BasicValueEnum::IntValue(value)) => {
                builder.build_int_cast(value, long, "")?.into()
            }
            Some(BasicValueEnum::PointerValue(value)) => {
                builder.build_ptr_to_int(value, long, "")?.into()
            }
            _ => long.const_zero().into(),
        });
    }
    let kernel = module.get_function(KERNEL).unwrap_or_else(|| {
        module.add_function(KERNEL, long.fn_type(&[long.into(); 7], false), None)
    });
    let answer = builder.build_call(kernel, &arguments, "")?;
    if let Some(BasicValueEnum::IntValue(answer)) = answer.try_as_basic_value().basic() {
        let mut values = Vec::new();
        for (register, ty) in places.results.iter().zip(types) {
            // The kernel leaves the program's own counter and flags in the others.
            let value = match register == REGISTERS[0] {
                true => answer,
                false => long.const_zero(),
            };
            values.push(match ty {
                BasicTypeEnum::PointerType(ty) => builder.build_int_to_ptr(value, ty, "")?.into(),
                ty => builder
                    .build_int_cast(value, ty.into_int_type(), "")?
                    .into(),
            });
        }
        put(builder, inst, &values)?;
    }
    inst.erase_from_basic_block();
    Ok(())
}

/// Puts values in the place of an instruction's result, which is a structure of them or the only one.
fn put<'c>(
    builder: &Builder<'c>,
    inst: InstructionValue<'c>,
    values: &[BasicValueEnum<'c>],
) -> Result<(), TransformError> {
    let whole = match (inst.get_type(), values) {
        (AnyTypeEnum::StructType(ty), values) => {
            let mut whole = ty.const_zero().as_aggregate_value_enum();
            for (at, &value) in (0..).zip(values) {
                whole = builder.build_insert_value(whole, value, at, "")?;
            }
            whole.as_value_ref()
        }
        (_, [value]) => value.as_value_ref(),
        _ => return Ok(()),
    };
    // SAFETY: both are values of this live module and of one type.
    unsafe { LLVMReplaceAllUsesWith(inst.as_value_ref(), whole) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_arguments() {
        let found = places("={ax},={cx},={r11},{ax},{di},{si},{dx},~{memory}").expect("places");
        assert_eq!(found.results, ["ax", "cx", "r11"]);
        let three = [Some(0), Some(1), Some(2), Some(3), None, None, None];
        assert_eq!(found.operands, three);
        // Operands that are tied to a result, and names of whole registers.
        let found = places("=&{rax},0,{r10},{rdi},~{rcx}").expect("places");
        assert_eq!(found.results, ["ax"]);
        let tied = [Some(0), Some(2), None, None, Some(1), None, None];
        assert_eq!(found.operands, tied);
        for other in ["={ax},{di}", "={ax},r", "=r,0", ""] {
            assert_eq!(places(other), None, "{other}");
        }
    }
}
