//! The metadata that the transform stage wrote; its format is documented in
//! [`plat_program::annotations`].

use crate::llvm::Value;
use crate::reader::Reader;
use inkwell::llvm_sys::LLVMValueKind::LLVMConstantIntValueKind;
use plat_program::AllocationContext;
use plat_program::{GroupId, SiteId};

/// Metadata kind of annotated calls.
pub const SITE: &str = "plat.site";
/// Named list of allocation contexts.
const CONTEXTS: &str = "plat.contexts";
/// Named list whose presence says that the transform has run.
const TRANSFORMED: &str = "plat.transformed";

/// The integers of a metadata node.
fn numbers(node: Value<'_>) -> Vec<u32> {
    let operands = node.node_operands().into_iter();
    operands
        .filter(|operand| operand.kind() == LLVMConstantIntValueKind)
        .map(|operand| operand.zero_extended() as u32)
        .collect()
}

impl<'m> Reader<'m> {
    /// The site number of a call.
    pub fn site(&self, call: Value<'m>) -> Option<SiteId> {
        if !call.has_metadata() {
            return None;
        }
        let node = call.attached(self.site_kind)?;
        numbers(node).first().copied().map(SiteId)
    }

    /// Reads the module's allocation contexts.
    pub fn read_contexts(&mut self) {
        self.program.annotations.transformed = self.module.named_metadata(TRANSFORMED).is_some();
        for node in self.module.named_metadata(CONTEXTS).unwrap_or_default() {
            let numbers = numbers(node);
            if let [group, chain @ ..] = numbers.as_slice()
                && !chain.is_empty()
            {
                self.program.annotations.contexts.push(AllocationContext {
                    chain: chain.iter().copied().map(SiteId).collect(),
                    group: (*group != u32::MAX).then_some(GroupId(*group)),
                });
            }
        }
    }
}
