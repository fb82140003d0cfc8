//! Runs LLVM's verifier once.
//!
//! LLVM's parser runs the verifier itself on every module with debug information, to drop debug
//! information that is damaged; it ends the process if anything else is wrong. The parser is told not
//! to. Whoever parses calls [`verify`], which drops damaged debug information in the same way and
//! returns any other error.

use inkwell::llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use inkwell::llvm_sys::core::LLVMDisposeMessage;
use inkwell::llvm_sys::debuginfo::{
    LLVMDebugMetadataVersion, LLVMGetModuleDebugMetadataVersion, LLVMStripModuleDebugInfo,
};
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::support::LLVMParseCommandLineOptions;
use std::ffi::{CStr, c_char};
use std::sync::Once;

/// Keeps LLVM's parser from verifying what it parses, in the whole process.
pub fn parser_does_not_verify() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let words = [c"plat", c"-disable-auto-upgrade-debug-info"];
        let words = words.map(CStr::as_ptr);
        // SAFETY: the strings are constants, and their number is right. An LLVM that does not know
        // the option says so to nobody, and verifies.
        unsafe { LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), c"".as_ptr()) }
    });
}

/// Runs LLVM's verifier; debug information that is damaged, or of a version that this LLVM does
/// not have, is left out.
///
/// # Errors
/// The verifier's words, where more than debug information is wrong.
///
/// # Safety
/// The module is alive.
pub unsafe fn verify(module: LLVMModuleRef) -> Result<(), String> {
    // SAFETY: as promised by the caller.
    unsafe {
        let mut verified = run(module);
        if verified.is_err()
            || LLVMGetModuleDebugMetadataVersion(module) != LLVMDebugMetadataVersion()
        {
            let stripped = LLVMStripModuleDebugInfo(module) != 0;
            if verified.is_err() && stripped {
                verified = run(module);
            }
        }
        verified
    }
}

/// # Safety
/// The module is alive.
unsafe fn run(module: LLVMModuleRef) -> Result<(), String> {
    let mut message = std::ptr::null_mut();
    let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
    // SAFETY: as promised by the caller; the message is taken over below.
    let failed = unsafe { LLVMVerifyModule(module, action, &mut message) } != 0;
    let message = take_message(message);
    if failed { Err(message) } else { Ok(()) }
}

/// Takes a message that LLVM allocated.
pub fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: LLVM hands over a NUL-terminated string that must be disposed of exactly once.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        text
    }
}
