//! A thin, typed face over LLVM's C interface: all `unsafe` of the reader is in this file and in
//! [`crate::verify`].
//!
//! Every handle borrows the [`Module`] that it came from, so it cannot outlive it. Getters that
//! LLVM defines only for some kinds of value say so; the callers dispatch on kind or opcode first.

use crate::verify::{parser_does_not_verify, take_message, verify};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::error_handling::{LLVMInstallFatalErrorHandler, LLVMResetFatalErrorHandler};
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate};
use inkwell::llvm_sys::{LLVMOpcode, LLVMRealPredicate, LLVMTypeKind, LLVMValueKind};
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;
use std::sync::Mutex;

/// The data layout that clang gives to x86-64 Linux, for textual modules that name none.
const X86_64_LAYOUT: &CStr =
    c"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128";

/// A parsed module with the context that owns its types and constants.
pub struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    /// Whether the layout is the module's own.
    has_layout: bool,
}

/// Takes LLVM's diagnostics off the process's error stream; failures are reported by value.
extern "C" fn ignore_diagnostic(_: LLVMDiagnosticInfoRef, _: *mut c_void) {}

/// What is called where LLVM cannot go on.
static FATAL_ERROR: Mutex<Option<fn(&str) -> !>> = Mutex::new(None);

extern "C" fn fatal_error(why: *const c_char) {
    // SAFETY: LLVM passes a NUL-terminated string that outlives the call.
    let why = unsafe { CStr::from_ptr(why) }.to_string_lossy();
    let end = FATAL_ERROR.lock().ok().and_then(|end| *end);
    if let Some(end) = end {
        end(why.lines().next().unwrap_or_default());
    }
}

/// Has `end` called with the reason where LLVM sees no way to go on. By itself LLVM would print
/// something and end the process with exit code 1.
pub fn on_fatal_error(end: fn(&str) -> !) {
    if let Ok(mut current) = FATAL_ERROR.lock() {
        *current = Some(end);
    }
    // SAFETY: both take no state but a function, which lives as long as the process.
    unsafe {
        LLVMResetFatalErrorHandler();
        LLVMInstallFatalErrorHandler(Some(fatal_error));
    }
}

impl Module {
    /// Parses bitcode or textual IR.
    pub fn parse(bytes: &[u8]) -> Result<Module, String> {
        parser_does_not_verify();
        // SAFETY: the buffer is copied (with the final NUL that the text parser needs) and
        // disposed of after parsing; context and module are owned by the result from here on.
        unsafe {
            let context = LLVMContextCreate();
            LLVMContextSetDiagnosticHandler(context, Some(ignore_diagnostic), std::ptr::null_mut());
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
                bytes.as_ptr().cast(),
                bytes.len(),
                c"module".as_ptr(),
            );
            let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
            let failed = LLVMParseIRInContext2(context, buffer, &mut module, &mut message) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            let message = take_message(message);
            if failed || module.is_null() {
                LLVMContextDispose(context);
                return Err(message);
            }
            let has_layout = !CStr::from_ptr(LLVMGetDataLayoutStr(module)).is_empty();
            if !has_layout {
                LLVMSetDataLayout(module, X86_64_LAYOUT.as_ptr());
            }
            let layout = LLVMGetModuleDataLayout(module);
            Ok(Module {
                context,
                module,
                layout,
                has_layout,
            })
        }
    }

    /// Runs LLVM's verifier, and leaves out debug information that cannot be used.
    pub fn verify(&self) -> Result<(), String> {
        // SAFETY: the module is alive.
        unsafe { verify(self.module) }
    }

    /// The module as text, as it was read. LLVM is not asked to write it to a file: it would end
    /// the process when that cannot be done.
    pub fn print<T>(&self, take: impl FnOnce(&[u8]) -> T) -> T {
        // SAFETY: the module is alive, and nobody asks for sizes while it has no layout. The text
        // is NUL-terminated and is disposed of exactly once.
        unsafe {
            if !self.has_layout {
                LLVMSetDataLayout(self.module, c"".as_ptr());
            }
            let text = LLVMPrintModuleToString(self.module);
            if !self.has_layout {
                LLVMSetDataLayout(self.module, X86_64_LAYOUT.as_ptr());
            }
            let taken = take(CStr::from_ptr(text).to_bytes());
            LLVMDisposeMessage(text);
            taken
        }
    }

    /// Whether addresses are 64-bit little-endian.
    pub fn is_little_endian_64(&self) -> bool {
        // SAFETY: the layout belongs to the module.
        unsafe {
            LLVMPointerSize(self.layout) == 8
                && LLVMByteOrder(self.layout) == LLVMByteOrdering::LLVMLittleEndian
        }
    }

    /// The number of a metadata kind.
    pub fn metadata_kind(&self, name: &str) -> u32 {
        let length = u32::try_from(name.len()).unwrap_or(0);
        // SAFETY: pointer and length describe `name`.
        unsafe { LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), length) }
    }

    /// The number of an enumerated attribute.
    pub fn attribute_kind(name: &str) -> u32 {
        // SAFETY: pointer and length describe `name`.
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }

    fn list(
        &self,
        first: unsafe extern "C" fn(LLVMModuleRef) -> LLVMValueRef,
        next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
    ) -> Vec<Value<'_>> {
        let mut values = Vec::new();
        // SAFETY: LLVM's list idiom: null ends the list.
        unsafe {
            let mut at = first(self.module);
            while !at.is_null() {
                values.push(Value(at, PhantomData));
                at = next(at);
            }
        }
        values
    }

    /// All functions, in module order.
    pub fn functions(&self) -> Vec<Value<'_>> {
        self.list(LLVMGetFirstFunction, LLVMGetNextFunction)
    }

    /// All global variables, in module order.
    pub fn globals(&self) -> Vec<Value<'_>> {
        self.list(LLVMGetFirstGlobal, LLVMGetNextGlobal)
    }

    /// All aliases, in module order.
    pub fn aliases(&self) -> Vec<Value<'_>> {
        self.list(LLVMGetFirstGlobalAlias, LLVMGetNextGlobalAlias)
    }

    /// The nodes of a named metadata list; `None` if the module has no such list.
    pub fn named_metadata(&self, name: &str) -> Option<Vec<Value<'_>>> {
        let text = std::ffi::CString::new(name).ok()?;
        // SAFETY: the vector has room for as many operands as LLVM reports.
        unsafe {
            let list = LLVMGetNamedMetadata(self.module, text.as_ptr(), name.len());
            if list.is_null() {
                return None;
            }
            let count = LLVMGetNamedMetadataNumOperands(self.module, text.as_ptr());
            let mut nodes = vec![std::ptr::null_mut(); count as usize];
            LLVMGetNamedMetadataOperands(self.module, text.as_ptr(), nodes.as_mut_ptr());
            Some(
                nodes
                    .into_iter()
                    .map(|node| Value(node, PhantomData))
                    .collect(),
            )
        }
    }

    /// Bytes that an object of this type takes in memory, padding included.
    pub fn alloc_size(&self, ty: Ty<'_>) -> u64 {
        // SAFETY: both belong to this module's context; the caller passes sized types.
        unsafe { LLVMABISizeOfType(self.layout, ty.0) }
    }

    /// Bytes that a store of this type writes.
    pub fn store_size(&self, ty: Ty<'_>) -> u64 {
        // SAFETY: as in `alloc_size`.
        unsafe { LLVMStoreSizeOfType(self.layout, ty.0) }
    }

    /// The alignment that the target's calling convention gives this type.
    pub fn abi_align(&self, ty: Ty<'_>) -> u64 {
        // SAFETY: as in `alloc_size`.
        u64::from(unsafe { LLVMABIAlignmentOfType(self.layout, ty.0) })
    }

    /// The alignment of a global variable that asks for none itself.
    pub fn preferred_align(&self, global: Value<'_>) -> u64 {
        // SAFETY: called on global variables only.
        u64::from(unsafe { LLVMPreferredAlignmentOfGlobal(self.layout, global.0) })
    }

    /// The byte offset of a field of a structure.
    pub fn field_offset(&self, ty: Ty<'_>, field: u32) -> u64 {
        // SAFETY: called on structure types with a field that exists.
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, field) }
    }

    /// The integer type of so many bits.
    pub fn int_type(&self, bits: u32) -> Ty<'_> {
        // SAFETY: the context is alive.
        Ty(
            unsafe { LLVMIntTypeInContext(self.context, bits) },
            PhantomData,
        )
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: the module goes before the context that owns its types.
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ty<'m>(LLVMTypeRef, PhantomData<&'m Module>);

/// A value: function, global, constant, argument, instruction or wrapped metadata.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'m>(LLVMValueRef, PhantomData<&'m Module>);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BasicBlock<'m>(LLVMBasicBlockRef, PhantomData<&'m Module>);

/// A piece of debug information.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Metadata<'m>(LLVMMetadataRef, PhantomData<&'m Module>);

/// Methods whose body is one FFI expression on a live handle.
macro_rules! getters {
    ($owner:ident: $($(#[$meta:meta])*
        fn $name:ident($this:ident $(, $arg:ident: $arg_ty:ty)*) -> $ret:ty $body:block)*) => {
        impl<'m> $owner<'m> {$(
            $(#[$meta])*
            pub fn $name(self $(, $arg: $arg_ty)*) -> $ret {
                let $this = self.0;
                // SAFETY: the handle borrows its module, so it is alive; the caller has checked
                // that the value is of a kind for which LLVM defines this getter.
                unsafe { $body }
            }
        )*}
    };
}

fn value<'m>(raw: LLVMValueRef) -> Value<'m> {
    Value(raw, PhantomData)
}

fn ty<'m>(raw: LLVMTypeRef) -> Ty<'m> {
    Ty(raw, PhantomData)
}

fn block<'m>(raw: LLVMBasicBlockRef) -> BasicBlock<'m> {
    BasicBlock(raw, PhantomData)
}

fn metadata<'m>(raw: LLVMMetadataRef) -> Option<Metadata<'m>> {
    (!raw.is_null()).then_some(Metadata(raw, PhantomData))
}

/// Copies a string that LLVM owns.
///
/// # Safety
/// `start` is null or points to `length` bytes.
unsafe fn text(start: *const c_char, length: usize) -> String {
    if start.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: as promised by the caller.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

getters! { Ty:
    fn kind(this) -> LLVMTypeKind { LLVMGetTypeKind(this) }
    /// Width of an integer type.
    fn int_width(this) -> u32 { LLVMGetIntTypeWidth(this) }
    /// Address space of a pointer type.
    fn address_space(this) -> u32 { LLVMGetPointerAddressSpace(this) }
    /// Whether a structure has no body.
    fn is_opaque(this) -> bool { LLVMIsOpaqueStruct(this) != 0 }
    fn field_count(this) -> u32 { LLVMCountStructElementTypes(this) }
    fn field(this, at: u32) -> Ty<'m> { ty(LLVMStructGetTypeAtIndex(this, at)) }
    /// Element type of an array or vector.
    fn element(this) -> Ty<'m> { ty(LLVMGetElementType(this)) }
    fn array_length(this) -> u64 { LLVMGetArrayLength2(this) }
    fn vector_length(this) -> u32 { LLVMGetVectorSize(this) }
    /// Result of a function type.
    fn result(this) -> Ty<'m> { ty(LLVMGetReturnType(this)) }
    fn is_variadic(this) -> bool { LLVMIsFunctionVarArg(this) != 0 }
}

getters! { Value:
    fn kind(this) -> LLVMValueKind { LLVMGetValueKind(this) }
    fn ty(this) -> Ty<'m> { ty(LLVMTypeOf(this)) }
    /// Whether it is a constant of zeros.
    fn is_null(this) -> bool { LLVMIsNull(this) != 0 }
    fn is_constant(this) -> bool { LLVMIsConstant(this) != 0 }
    fn operand(this, at: u32) -> Value<'m> { value(LLVMGetOperand(this, at)) }
    fn operand_count(this) -> u32 { LLVMGetNumOperands(this).cast_unsigned() }
    /// Opcode of a constant expression.
    fn constant_opcode(this) -> LLVMOpcode { LLVMGetConstOpcode(this) }
    /// Element of a constant aggregate of any representation.
    fn element(this, at: u32) -> Option<Value<'m>> {
        let element = LLVMGetAggregateElement(this, at);
        (!element.is_null()).then_some(value(element))
    }
    /// Low 64 bits of an integer constant of at most 64 bits.
    fn zero_extended(this) -> u64 { LLVMConstIntGetZExtValue(this) }
    /// Value of an integer constant of at most 64 bits.
    fn sign_extended(this) -> i64 { LLVMConstIntGetSExtValue(this) }
    /// The integer with the bits of a floating-point constant; `to` has the same width.
    fn bits_as(this, to: Ty<'m>) -> Value<'m> { value(LLVMConstBitCast(this, to.0)) }
    /// The contents of a packed data array or vector.
    fn raw_data(this) -> &'m [u8] {
        let mut size = 0usize;
        // llvm-sys declares the second parameter as a size; in LLVM's header it points to one.
        let start = LLVMGetRawDataValues(this, (&raw mut size).expose_provenance());
        if start.is_null() { &[] } else { std::slice::from_raw_parts(start.cast(), size) }
    }
    /// The value in textual IR.
    fn print(this) -> String { take_message(LLVMPrintValueToString(this)) }
    fn name(this) -> String {
        let mut length = 0;
        let start = LLVMGetValueName2(this, &mut length);
        text(start, length)
    }

    // Global values.
    fn is_declaration(this) -> bool { LLVMIsDeclaration(this) != 0 }
    /// Type of the contents of a global or of a function.
    fn value_type(this) -> Ty<'m> { ty(LLVMGlobalGetValueType(this)) }
    fn is_constant_global(this) -> bool { LLVMIsGlobalConstant(this) != 0 }
    fn initializer(this) -> Option<Value<'m>> {
        let init = LLVMGetInitializer(this);
        (!init.is_null()).then_some(value(init))
    }
    fn aliasee(this) -> Value<'m> { value(LLVMAliasGetAliasee(this)) }
    fn parameters(this) -> Vec<Value<'m>> {
        (0..LLVMCountParams(this)).map(|at| value(LLVMGetParam(this, at))).collect()
    }
    /// Type argument of a parameter attribute (such as `byval`) of a function.
    fn type_attribute(this, parameter: u32, kind: u32) -> Option<Ty<'m>> {
        let attribute = LLVMGetEnumAttributeAtIndex(this, parameter + 1, kind);
        (!attribute.is_null()).then(|| ty(LLVMGetTypeAttributeValue(attribute)))
    }
    /// Integer argument of a parameter attribute (such as `align`) of a function.
    fn int_attribute(this, parameter: u32, kind: u32) -> Option<u64> {
        let attribute = LLVMGetEnumAttributeAtIndex(this, parameter + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
    }
    /// Type argument of an attribute of a call's argument.
    fn argument_type_attribute(this, argument: u32, kind: u32) -> Option<Ty<'m>> {
        let attribute = LLVMGetCallSiteEnumAttribute(this, argument + 1, kind);
        (!attribute.is_null()).then(|| ty(LLVMGetTypeAttributeValue(attribute)))
    }
    /// Integer argument of an attribute of a call's argument.
    fn argument_int_attribute(this, argument: u32, kind: u32) -> Option<u64> {
        let attribute = LLVMGetCallSiteEnumAttribute(this, argument + 1, kind);
        (!attribute.is_null()).then(|| LLVMGetEnumAttributeValue(attribute))
    }
    /// File, directory and line where a function or global variable is defined.
    fn definition(this) -> (String, String, u32) {
        let mut length = 0;
        let file = LLVMGetDebugLocFilename(this, &mut length);
        let file = text(file, length as usize);
        length = 0;
        let directory = LLVMGetDebugLocDirectory(this, &mut length);
        (file, text(directory, length as usize), LLVMGetDebugLocLine(this))
    }
    fn blocks(this) -> Vec<BasicBlock<'m>> {
        let mut blocks = vec![std::ptr::null_mut(); LLVMCountBasicBlocks(this) as usize];
        LLVMGetBasicBlocks(this, blocks.as_mut_ptr());
        blocks.into_iter().map(block).collect()
    }

    // Instructions.
    fn opcode(this) -> LLVMOpcode { LLVMGetInstructionOpcode(this) }
    fn debug_location(this) -> Option<Metadata<'m>> { metadata(LLVMInstructionGetDebugLoc(this)) }
    fn alignment(this) -> u32 { LLVMGetAlignment(this) }
    fn is_volatile(this) -> bool { LLVMGetVolatile(this) != 0 }
    fn ordering(this) -> LLVMAtomicOrdering { LLVMGetOrdering(this) }
    fn allocated_type(this) -> Ty<'m> { ty(LLVMGetAllocatedType(this)) }
    /// Type that a `getelementptr` (instruction or constant) steps through.
    fn gep_source(this) -> Ty<'m> { ty(LLVMGetGEPSourceElementType(this)) }
    fn int_predicate(this) -> LLVMIntPredicate { LLVMGetICmpPredicate(this) }
    fn float_predicate(this) -> LLVMRealPredicate { LLVMGetFCmpPredicate(this) }
    fn rmw_op(this) -> LLVMAtomicRMWBinOp { LLVMGetAtomicRMWBinOp(this) }
    /// Path of an `extractvalue` or `insertvalue`.
    fn path(this) -> &'m [u32] {
        let count = LLVMGetNumIndices(this) as usize;
        if count == 0 { &[] } else { std::slice::from_raw_parts(LLVMGetIndices(this), count) }
    }
    fn mask(this) -> Vec<i32> {
        (0..LLVMGetNumMaskElements(this)).map(|at| LLVMGetMaskValue(this, at)).collect()
    }
    fn incoming(this) -> Vec<(Value<'m>, BasicBlock<'m>)> {
        let incoming = |at| (LLVMGetIncomingValue(this, at), LLVMGetIncomingBlock(this, at));
        (0..LLVMCountIncoming(this)).map(incoming).map(|(v, b)| (value(v), block(b))).collect()
    }
    fn is_conditional(this) -> bool { LLVMIsConditional(this) != 0 }
    fn successor_count(this) -> u32 { LLVMGetNumSuccessors(this) }
    fn successor(this, at: u32) -> BasicBlock<'m> { block(LLVMGetSuccessor(this, at)) }
    /// Case value of a switch for successor `at` > 0.
    fn case_value(this, at: u32) -> Value<'m> { value(LLVMGetSwitchCaseValue(this, at)) }
    fn normal_destination(this) -> BasicBlock<'m> { block(LLVMGetNormalDest(this)) }
    fn unwind_destination(this) -> BasicBlock<'m> { block(LLVMGetUnwindDest(this)) }
    fn is_cleanup(this) -> bool { LLVMIsCleanup(this) != 0 }
    /// The clauses of a landing pad.
    fn clauses(this) -> Vec<Value<'m>> {
        (0..LLVMGetNumClauses(this)).map(|at| value(LLVMGetClause(this, at))).collect()
    }
    fn callee(this) -> Value<'m> { value(LLVMGetCalledValue(this)) }
    fn argument_count(this) -> u32 { LLVMGetNumArgOperands(this) }
    /// Text and constraints of inline assembly.
    fn assembly(this) -> (String, String) {
        let mut length = 0;
        let start = LLVMGetInlineAsmAsmString(this, &mut length);
        let code = text(start, length);
        length = 0;
        let start = LLVMGetInlineAsmConstraintString(this, &mut length);
        (code, text(start, length))
    }

    // Metadata wrapped as values.
    /// The text of a metadata string; `None` for other values.
    fn metadata_text(this) -> Option<String> {
        let mut length = 0;
        let start = LLVMGetMDString(this, &mut length);
        (!start.is_null()).then(|| text(start, length as usize))
    }
    fn has_metadata(this) -> bool { LLVMHasMetadata(this) != 0 }
    /// The node attached to an instruction under metadata kind `kind`.
    fn attached(this, kind: u32) -> Option<Value<'m>> {
        let node = LLVMGetMetadata(this, kind);
        (!node.is_null()).then_some(value(node))
    }
    /// The two numbers in the node attached to a function under metadata kind `kind`.
    fn prologue(this, kind: u32) -> Option<[u32; 2]> {
        let mut count = 0;
        let entries = LLVMGlobalCopyAllMetadata(this, &mut count);
        let context = LLVMGetModuleContext(LLVMGetGlobalParent(this));
        let mut words = Vec::new();
        for at in (0..count as u32).filter(|&at| LLVMValueMetadataEntriesGetKind(entries, at) == kind) {
            let node = LLVMValueMetadataEntriesGetMetadata(entries, at);
            let node: Value<'_> = value(LLVMMetadataAsValue(context, node));
            words = node.node_operands();
        }
        LLVMDisposeValueMetadataEntries(entries);
        match *words {
            [signature, hash] => Some([signature, hash].map(|word| LLVMConstIntGetZExtValue(word.0) as u32)),
            _ => None,
        }
    }
    /// Operands of a metadata node; null operands are left out.
    fn node_operands(this) -> Vec<Value<'m>> {
        let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(this) as usize];
        LLVMGetMDNodeOperands(this, operands.as_mut_ptr());
        operands.into_iter().filter(|operand| !operand.is_null()).map(value).collect()
    }
}

getters! { BasicBlock:
    fn instructions(this) -> Vec<Value<'m>> {
        let mut list = Vec::new();
        let mut at = LLVMGetFirstInstruction(this);
        while !at.is_null() {
            list.push(value(at));
            at = LLVMGetNextInstruction(at);
        }
        list
    }
}

getters! { Metadata:
    fn line(this) -> u32 { LLVMDILocationGetLine(this) }
    fn column(this) -> u32 { LLVMDILocationGetColumn(this) }
    /// The location of the call that was replaced by the code at this one.
    fn inlined_at(this) -> Option<Metadata<'m>> { metadata(LLVMDILocationGetInlinedAt(this)) }
    /// The file of a source location.
    fn file(this) -> Option<Metadata<'m>> {
        metadata(LLVMDILocationGetScope(this))
            .and_then(|scope| metadata(LLVMDIScopeGetFile(scope.0)))
    }
    fn file_name(this) -> String {
        let mut length = 0;
        let start = LLVMDIFileGetFilename(this, &mut length);
        text(start, length as usize)
    }
    fn directory(this) -> String {
        let mut length = 0;
        let start = LLVMDIFileGetDirectory(this, &mut length);
        text(start, length as usize)
    }
}
