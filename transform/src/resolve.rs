//! Symbol resolution by the archive rules of linkers: a member is linked if it defines a symbol
//! that is still undefined, and the program's own definitions win.
//!
//! A linker process would need files (here, harness definitions were already dropped in memory), a
//! second tool of the same LLVM version, and would report failures as text. In one point this is
//! more lenient than a linker: if a member defines a symbol again, the earlier definition is used.

use crate::error::TransformError;
use crate::libraries::Libraries;
use crate::module::{merge, parse};
use crate::native;
use inkwell::context::Context;
use inkwell::llvm_sys::LLVMLinkage::{self, *};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The role of a symbol in a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// It uses the symbol and needs a definition.
    Undefined,
    /// It uses the symbol; without a definition its address is null.
    UndefinedWeak,
    /// It defines the symbol unless another module defines it, too.
    Weak,
    /// It defines the symbol.
    Strong,
}

/// A symbol of a module.
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// Its role in the module.
    pub role: Role,
    /// The function, global variable or alias.
    pub value: LLVMValueRef,
}

fn role(value: LLVMValueRef) -> Option<Role> {
    // SAFETY: called on the global values of a live module only.
    let (declared, linkage, used) = unsafe {
        (
            LLVMIsDeclaration(value) != 0,
            LLVMGetLinkage(value),
            !LLVMGetFirstUse(value).is_null(),
        )
    };
    match linkage {
        LLVMInternalLinkage | LLVMPrivateLinkage | LLVMAppendingLinkage => None,
        LLVMExternalWeakLinkage => used.then_some(Role::UndefinedWeak),
        LLVMAvailableExternallyLinkage => used.then_some(Role::Undefined),
        _ if declared => used.then_some(Role::Undefined),
        LLVMExternalLinkage => Some(Role::Strong),
        _ => Some(Role::Weak),
    }
}

/// The symbols that a module shares with others, in module order.
pub fn symbols(module: &Module<'_>) -> Vec<Symbol> {
    type First = unsafe extern "C" fn(LLVMModuleRef) -> LLVMValueRef;
    type Next = unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef;
    let lists: [(First, Next); 3] = [
        (LLVMGetFirstFunction, LLVMGetNextFunction),
        (LLVMGetFirstGlobal, LLVMGetNextGlobal),
        (LLVMGetFirstGlobalAlias, LLVMGetNextGlobalAlias),
    ];
    let mut symbols = Vec::new();
    for (first, next) in lists {
        // SAFETY: LLVM's list idiom on a live module; names are copied with their length.
        unsafe {
            let mut value = first(module.as_mut_ptr());
            while !value.is_null() {
                if let Some(role) = role(value) {
                    symbols.push(Symbol {
                        name: name(value),
                        role,
                        value,
                    });
                }
                value = next(value);
            }
        }
    }
    symbols.retain(|symbol| !symbol.name.starts_with("llvm."));
    symbols
}

fn name(value: LLVMValueRef) -> String {
    let mut length = 0;
    // SAFETY: LLVM returns `length` bytes that live as long as the value.
    let bytes = unsafe {
        let start = LLVMGetValueName2(value, &mut length);
        std::slice::from_raw_parts(start.cast::<u8>(), length)
    };
    let name = String::from_utf8_lossy(bytes);
    // LLVM prefixes names that must not be mangled with a byte 1.
    name.trim_start_matches('\u{1}').to_owned()
}

fn set_linkage(value: LLVMValueRef, linkage: LLVMLinkage) {
    // SAFETY: called on definitions of live modules only.
    unsafe { LLVMSetLinkage(value, linkage) }
}

/// The symbols seen so far.
#[derive(Default)]
struct Table {
    /// Defined symbols; true if the definition is strong.
    defined: FxHashMap<String, bool>,
    wanted: VecDeque<String>,
}

impl Table {
    fn add(&mut self, module: &Module<'_>) {
        for symbol in symbols(module) {
            match symbol.role {
                Role::UndefinedWeak => {}
                Role::Undefined => self.wanted.push_back(symbol.name),
                Role::Weak => {
                    self.defined.entry(symbol.name).or_insert(false);
                }
                Role::Strong => {
                    if self.defined.get(&symbol.name) == Some(&true) {
                        set_linkage(symbol.value, LLVMWeakAnyLinkage);
                    } else {
                        self.defined.insert(symbol.name, true);
                    }
                }
            }
        }
    }
}

/// The program merged with the members of the libraries that it needs, `roots` included. Also
/// returns how many members were taken.
pub fn resolve<'c>(
    context: &'c Context,
    program: Module<'c>,
    mut libraries: Libraries,
    roots: &[&str],
) -> Result<(Module<'c>, usize), TransformError> {
    let mut table = Table::default();
    table.add(&program);
    table
        .wanted
        .extend(roots.iter().map(|&root| root.to_owned()));
    let mut modules = vec![program];
    let mut taken = FxHashSet::default();
    while let Some(symbol) = table.wanted.pop_front() {
        if table.defined.contains_key(&symbol)
            || native::is_interface(&symbol) && !roots.contains(&symbol.as_str())
        {
            continue;
        }
        if let Some(place) = libraries.defining(&symbol)?
            && taken.insert(place)
        {
            let (name, body) = libraries.member(place)?;
            let member = parse(context, body, &name)?;
            table.add(&member);
            modules.push(member);
        }
    }
    let module = merge_all(context, modules)?;
    Ok((module, taken.len()))
}

/// Merges modules pairwise, so that each is copied only a logarithmic number of times. The order is
/// kept, because of two weak definitions the earlier one wins.
fn merge_all<'c>(
    context: &'c Context,
    mut modules: Vec<Module<'c>>,
) -> Result<Module<'c>, TransformError> {
    while modules.len() > 1 {
        let mut merged = Vec::with_capacity(modules.len().div_ceil(2));
        let mut rest = modules.into_iter();
        while let Some(left) = rest.next() {
            if let Some(right) = rest.next() {
                merge(context, &left, right)?;
            }
            merged.push(left);
        }
        modules = merged;
    }
    modules
        .pop()
        .ok_or_else(|| TransformError::Merge("nothing to link".to_owned()))
}
