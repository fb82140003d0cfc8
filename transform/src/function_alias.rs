//! Functions that stand in for others: every use of a function becomes one of its replacement, as with
//! KLEE's `--function-alias`. A name may be a pattern; then all functions of the program stand for it
//! whose whole name matches, and whose types fit.

use crate::error::TransformError;
use crate::resolve::symbols;
use inkwell::llvm_sys::LLVMValueKind;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::{LLVMTypeRef, LLVMValueRef};
use inkwell::module::Module;
use regex_lite::Regex;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What is replaced by what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FunctionAlias {
    /// A name, or a regular expression for whole names.
    pub pattern: String,
    /// The name of what is used instead.
    pub replacement: String,
}

impl FromStr for FunctionAlias {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, replacement) = text
            .rsplit_once(':')
            .ok_or("a function and its replacement are NAME:REPLACEMENT")?;
        if pattern.is_empty() {
            return Err("function-alias: name or pattern cannot be empty".into());
        }
        if replacement.is_empty() {
            return Err("function-alias: replacement cannot be empty".into());
        }
        if pattern == replacement {
            return Err(format!("function-alias: @{pattern} cannot replace itself"));
        }
        regex(pattern).map_err(|why| format!("function-alias: not a pattern: {why}"))?;
        Ok(FunctionAlias {
            pattern: pattern.into(),
            replacement: replacement.into(),
        })
    }
}

impl fmt::Display for FunctionAlias {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.pattern, self.replacement)
    }
}

/// What became of a function that an alias names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Aliased {
    /// The function.
    pub function: String,
    /// The pattern that it matches, if that is not its name.
    pub pattern: Option<String>,
    /// What stands in for it.
    pub replacement: String,
    /// Why not, if it does not.
    pub kept: Option<String>,
}

impl fmt::Display for Aliased {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (function, replacement) = (&self.function, &self.replacement);
        let matching = self.pattern.as_ref();
        let matching = matching.map_or(String::new(), |pattern| format!(" (matching '{pattern}')"));
        match &self.kept {
            None => write!(out, "replaced @{function}{matching} with @{replacement}"),
            Some(why) if function == replacement => {
                write!(
                    out,
                    "do not replace @{function}{matching} with @{replacement}: {why}"
                )
            }
            Some(why) => write!(
                out,
                "@{function} could not be replaced with @{replacement}: {why}"
            ),
        }
    }
}

/// Applies aliases one after the other, up to one that nothing can be replaced by: its pattern comes last.
/// `own` are the names of the program, which patterns are compared with; the library may have others.
///
/// # Errors
/// A replacement that is not there.
pub fn apply(
    module: &Module<'_>,
    aliases: &[FunctionAlias],
    own: &[String],
) -> Result<(Vec<Aliased>, Option<String>), TransformError> {
    let mut outcomes = Vec::new();
    for alias in aliases {
        let before = outcomes.len();
        apply_one(module, alias, own, &mut outcomes)?;
        if outcomes[before..].iter().all(|one| one.kept.is_some()) {
            return Ok((outcomes, Some(alias.pattern.clone())));
        }
    }
    Ok((outcomes, None))
}

fn apply_one(
    module: &Module<'_>,
    alias: &FunctionAlias,
    own: &[String],
    outcomes: &mut Vec<Aliased>,
) -> Result<(), TransformError> {
    let FunctionAlias {
        pattern,
        replacement,
    } = alias;
    let all = symbols(module);
    let find = |name: &str| {
        let found = all.iter().find(|symbol| symbol.name == name);
        found.map(|symbol| symbol.value)
    };
    let missing = format!("replacement function @{replacement} could not be found");
    let other = find(replacement).ok_or(TransformError::Alias(missing))?;
    let (names, pattern) = match find(pattern) {
        Some(_) => (vec![pattern.clone()], None),
        None => {
            let regex = regex(pattern).map_err(TransformError::Alias)?;
            let matching = own.iter().filter(|name| regex.is_match(name));
            (matching.cloned().collect(), Some(pattern.clone()))
        }
    };
    for function in names {
        let Some(value) = find(&function).filter(|&value| function_type(value).is_some()) else {
            continue;
        };
        let kept = match function == *replacement {
            true => Some("cannot replace itself"),
            false => misfit(value, other),
        };
        if kept.is_none() {
            // SAFETY: both are functions or aliases of this live module, so both have the type of
            // a pointer.
            unsafe { LLVMReplaceAllUsesWith(value, other) };
        }
        outcomes.push(Aliased {
            function,
            pattern: pattern.clone(),
            replacement: replacement.clone(),
            kept: kept.map(Into::into),
        });
    }
    Ok(())
}

/// The expression for whole names.
fn regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(&format!("^(?:{pattern})$")).map_err(|why| why.to_string())
}

/// The type of a function, or of one that has another name.
fn function_type(value: LLVMValueRef) -> Option<LLVMTypeRef> {
    // SAFETY: `value` is a global value of a live module.
    unsafe {
        let mut named = value;
        while LLVMGetValueKind(named) == LLVMValueKind::LLVMGlobalAliasValueKind {
            named = LLVMAliasGetAliasee(named);
        }
        (LLVMGetValueKind(named) == LLVMValueKind::LLVMFunctionValueKind)
            .then(|| LLVMGlobalGetValueType(value))
    }
}

/// Why one function cannot stand in for another.
fn misfit(one: LLVMValueRef, other: LLVMValueRef) -> Option<&'static str> {
    let (Some(one), Some(other)) = (function_type(one), function_type(other)) else {
        return Some("it is not a function or global function alias");
    };
    // SAFETY: both are types of functions of one live context.
    let (same_result, variadic) = unsafe {
        (
            LLVMGetReturnType(one) == LLVMGetReturnType(other),
            [LLVMIsFunctionVarArg(one), LLVMIsFunctionVarArg(other)],
        )
    };
    let (one, other) = (parameters(one), parameters(other));
    if !same_result {
        Some("return types differ")
    } else if variadic[0] != variadic[1] {
        Some("one has varargs while the other does not")
    } else if one.len() != other.len() {
        Some("different number of parameters")
    } else if one != other {
        Some("parameter types differ")
    } else {
        None
    }
}

/// The types of the parameters of a function's type.
fn parameters(function: LLVMTypeRef) -> Vec<LLVMTypeRef> {
    // SAFETY: LLVM writes as many types as it says that there are.
    unsafe {
        let mut types = vec![std::ptr::null_mut(); LLVMCountParamTypes(function) as usize];
        LLVMGetParamTypes(function, types.as_mut_ptr());
        types
    }
}
