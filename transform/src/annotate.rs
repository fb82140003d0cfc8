//! Writes allocation sites and contexts into a module, in the format documented in
//! `plat_program::annotations`.

use crate::error::TransformError;
use crate::module::{instructions, is_call};
use inkwell::context::Context;
use inkwell::module::Module;
use inkwell::values::InstructionValue;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Metadata kind of annotated calls.
pub const SITE: &str = "plat.site";
/// Named list of allocation contexts.
pub const CONTEXTS: &str = "plat.contexts";
/// Named list that marks a module as transformed.
pub const TRANSFORMED: &str = "plat.transformed";

/// A call on the way to an allocation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SiteAnnotation {
    /// The function that contains the call.
    pub function: String,
    /// The call's ordinal among the calls of the function.
    pub call: u32,
    /// Its site number.
    pub site: u32,
}

/// An allocation context and its group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContextAnnotation {
    /// The group; `None` if the context stays in objects of its own.
    pub group: Option<u32>,
    /// Site numbers, outermost call first.
    pub chain: Vec<u32>,
}

/// The analysis result to be written into a module.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Annotations {
    /// Calls with a site number.
    pub sites: Vec<SiteAnnotation>,
    /// Allocation contexts.
    pub contexts: Vec<ContextAnnotation>,
}

/// Writes annotations into their module.
pub fn annotate<'c>(
    context: &'c Context,
    module: &Module<'c>,
    annotations: &Annotations,
) -> Result<(), TransformError> {
    let mut calls: FxHashMap<&str, Vec<InstructionValue<'c>>> = FxHashMap::default();
    for site in &annotations.sites {
        if !calls.contains_key(site.function.as_str()) {
            let function = module
                .get_function(&site.function)
                .filter(|function| function.count_basic_blocks() > 0)
                .ok_or_else(|| TransformError::NoFunction(site.function.clone()))?;
            let list = instructions(function)
                .filter(|&inst| is_call(inst))
                .collect();
            calls.insert(&site.function, list);
        }
        let call = calls
            .get(site.function.as_str())
            .and_then(|calls| calls.get(site.call as usize))
            .ok_or_else(|| TransformError::NoCall(site.function.clone(), site.call))?;
        let node = node(context, &[site.site]);
        call.set_metadata(node, context.get_kind_id(SITE))
            .map_err(|why| TransformError::Malformed("annotating", why.to_string()))?;
    }
    for found in &annotations.contexts {
        let mut numbers = vec![found.group.unwrap_or(u32::MAX)];
        numbers.extend(&found.chain);
        append(module, CONTEXTS, context, &numbers)?;
    }
    Ok(())
}

/// Marks a module as transformed.
pub fn mark<'c>(context: &'c Context, module: &Module<'c>) -> Result<(), TransformError> {
    append(module, TRANSFORMED, context, &[1])
}

fn node<'c>(context: &'c Context, numbers: &[u32]) -> inkwell::values::MetadataValue<'c> {
    let int = context.i32_type();
    let values: Vec<_> = numbers
        .iter()
        .map(|&number| int.const_int(u64::from(number), false).into())
        .collect();
    context.metadata_node(&values)
}

fn append<'c>(
    module: &Module<'c>,
    list: &str,
    context: &'c Context,
    numbers: &[u32],
) -> Result<(), TransformError> {
    module
        .add_global_metadata(list, &node(context, numbers))
        .map_err(|why| TransformError::Malformed("annotating", why.to_string()))
}
