//! A result in a form to read.

use crate::report::objects::AbstractObject;
use crate::report::points_to::PointsTo;
use plat_program::Program;
use std::fmt::Write;

/// A call string, outermost call first.
pub fn chain(result: &PointsTo, chain: &[u32]) -> String {
    let step = |&at: &u32| {
        let site = &result.sites[at as usize];
        let place = match (site.line, site.file.rsplit('/').next()) {
            (0, _) | (_, None) => format!("#{}", site.call),
            (line, Some(file)) => format!("{file}:{line}"),
        };
        format!("{}@{place}>{}", site.function, site.callee)
    };
    chain.iter().map(step).collect::<Vec<_>>().join(" ")
}

/// An object in one line.
pub fn object(result: &PointsTo, object: &AbstractObject) -> String {
    let within = |context: &[u32]| match context.is_empty() {
        true => String::new(),
        false => format!(" in [{}]", chain(result, context)),
    };
    match object {
        AbstractObject::Global { name } => format!("global {name}"),
        AbstractObject::Function { name } => format!("function {name}"),
        AbstractObject::Stack {
            function,
            register,
            context,
        } => {
            format!("stack {function}%{register}{}", within(context))
        }
        AbstractObject::Heap { chain: calls } => format!("heap [{}]", chain(result, calls)),
        AbstractObject::ByValue {
            function,
            parameter,
            context,
        } => {
            format!("by value {function}%{parameter}{}", within(context))
        }
        AbstractObject::VarArgs { function, context } => {
            format!("further arguments of {function}{}", within(context))
        }
        AbstractObject::Mapped { chain: calls } => format!("mapped [{}]", chain(result, calls)),
        AbstractObject::Library { name } => format!("memory of {name}"),
        AbstractObject::Arguments => "program arguments".to_string(),
        AbstractObject::ArgumentText => "program argument strings".to_string(),
        AbstractObject::External => "unknown memory".to_string(),
        AbstractObject::Transit => "bytes in transit".to_string(),
    }
}

/// The objects and, per function, what its registers point to.
pub fn listing(program: &Program, result: &PointsTo) -> String {
    let mut out = String::new();
    for (at, what) in result.objects.iter().enumerate() {
        let _ = writeln!(out, "object {at}: {}", object(result, what));
    }
    for (&function, registers) in &result.registers {
        let _ = writeln!(out, "function {}", program.function(function).name);
        for &(reg, set) in registers {
            let objects = &result.sets[set as usize];
            let names: Vec<String> = objects.iter().map(u32::to_string).collect();
            let _ = writeln!(out, "  %{} -> {{{}}}", reg.0, names.join(" "));
        }
    }
    for (inst, callees) in &result.calls {
        let names: Vec<&str> = result.callees[*callees as usize]
            .iter()
            .map(|&callee| program.function(callee).name.as_str())
            .collect();
        let (caller, at) = program.position(*inst);
        let caller = &program.function(caller).name;
        let _ = writeln!(out, "call {caller}+{at} -> {}", names.join(" "));
    }
    for name in &result.unknown {
        let _ = writeln!(out, "unknown: {name}");
    }
    out
}
