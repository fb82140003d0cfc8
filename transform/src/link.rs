//! The link stage: from a program's bitcode to a whole-program module for the executor.

use crate::archive::Archive;
use crate::computed_goto::lower_computed_gotos;
use crate::error::TransformError;
use crate::escaping::escaping;
use crate::function_alias::{self, Aliased, FunctionAlias};
use crate::libraries::{Libraries, of_libcxx};
use crate::long_double::narrow_long_doubles;
use crate::module::{
    function_name, merge, parse_verified, quiet_context, read_verified, verify, write,
};
use crate::one_thread::name_the_only_thread;
use crate::resolve::{Role, resolve, symbols};
use crate::syscall_instruction::call_the_kernel;
use crate::{lower, native};
use inkwell::context::Context;
use inkwell::llvm_sys::core::{LLVMConstNull, LLVMReplaceAllUsesWith, LLVMTypeOf};
use inkwell::module::{Linkage, Module};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Symbols that the executor looks up by name: the C library's start-up code, the object of the
/// first thread, and the address of errno.
///
/// The last four are functions to which code generators emit calls: with them a linked module can
/// also be compiled and run natively.
const ROOTS: &[&str] = &[
    "__plat_start",
    "__plat_thread",
    "__errno_location",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
];

/// Where programs start.
const MAIN: &str = "main";
/// What a fuzzer calls with its inputs.
pub const HARNESS: &str = "LLVMFuzzerTestOneInput";

/// Options of the link.
#[derive(Clone, Default, Debug)]
pub struct LinkOptions<'a> {
    /// The C library, an archive of bitcode members; `None` links the program alone.
    pub library: Option<PathBuf>,
    /// The C++ library, another such archive, for what a program in C++ needs of it.
    pub cxx_library: Option<PathBuf>,
    /// Whether stack variables whose address is not taken become registers.
    pub promote_memory: bool,
    /// Functions that the executor implements, besides its interface and the allocation functions.
    pub implemented: &'a [&'a str],
    /// The entry function; `None` is `main`.
    pub entry: Option<&'a str>,
    /// Further files of bitcode that belong to the program.
    pub further: &'a [PathBuf],
    /// Whether the program is optimised before anything else.
    pub optimize: bool,
    /// Functions that stand in for others, in the program and in the library.
    pub aliases: &'a [FunctionAlias],
    /// Whether switches become comparisons.
    pub lower_switches: bool,
}

/// Results of the link for the user.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct LinkReport {
    /// Members taken from the library.
    pub members: usize,
    /// Definitions of the program that were replaced by the executor's.
    pub overridden: Vec<String>,
    /// Symbols that are used but neither defined nor implemented.
    pub undefined: Vec<String>,
    /// Functions of the library that are called with long doubles, which it takes as doubles.
    pub narrowed: Vec<String>,
    /// Functions defined in the result.
    pub functions: usize,
    /// The program is a fuzzer's harness: the library's `main` calls it.
    pub harness: bool,
    /// What became of the functions that aliases name.
    pub aliased: Vec<Aliased>,
    /// The pattern of an alias that nothing can be replaced by: nothing was written.
    pub unmatched: Option<String>,
    /// Functions of the program whose address is used otherwise than to call them.
    pub escaping: Vec<String>,
}

impl LinkReport {
    /// Whether there is a result.
    ///
    /// # Errors
    /// When nothing can be replaced by what an alias names.
    pub fn check(&self) -> Result<(), TransformError> {
        match &self.unmatched {
            Some(pattern) => Err(TransformError::Alias(format!(
                "no (replacable) match for '{pattern}' found"
            ))),
            None => Ok(()),
        }
    }
}

/// Links `program` with the C library, lowers the result and writes it to `out`.
///
/// # Errors
/// When a file is unusable, the program has no `main`, or modules do not fit together. Whether there is a
/// result otherwise, [`LinkReport::check`] says.
pub fn link(
    program: &Path,
    options: &LinkOptions<'_>,
    out: &Path,
) -> Result<LinkReport, TransformError> {
    let context = quiet_context();
    link_in(&context, program, options, out).map(|(_, report)| report)
}

/// As [`link`], for a process that exits afterwards: LLVM's memory is not freed, which is faster.
///
/// # Errors
/// Those of [`link`].
pub fn link_and_end(
    program: &Path,
    options: &LinkOptions<'_>,
    out: &Path,
) -> Result<LinkReport, TransformError> {
    let context = Box::leak(Box::new(quiet_context()));
    let (module, report) = link_in(context, program, options, out)?;
    std::mem::forget(module);
    Ok(report)
}

fn link_in<'c>(
    context: &'c Context,
    program: &Path,
    options: &LinkOptions<'_>,
    out: &Path,
) -> Result<(Module<'c>, LinkReport), TransformError> {
    let mut module = read_verified(context, program)?;
    let path = program.display().to_string();
    let triple = module.get_triple().as_str().to_string_lossy().into_owned();
    if !triple.is_empty() && !triple.starts_with("x86_64") {
        return Err(TransformError::Target(path, triple));
    }
    for file in options.further {
        let archive = Archive::is_one(file).then(|| Archive::open(file));
        match archive.transpose()?.filter(Archive::holds_bitcode) {
            Some(archive) => merge_members(context, &module, &archive)?,
            None => merge(context, &module, read_verified(context, file)?)?,
        }
    }
    let (entry, harness) = entry_of(&module, options)
        .ok_or_else(|| TransformError::NoEntry(path, options.entry.unwrap_or(MAIN).to_owned()))?;
    if options.optimize {
        lower::optimize(&module)?;
    }
    let mut roots = vec![entry];
    roots.extend(ROOTS);
    // Replacement functions are named in strings only.
    let own: Vec<String> = match module.get_function("klee_alias_function") {
        Some(_) => module.get_functions().map(function_name).collect(),
        None => Vec::new(),
    };
    roots.extend(own.iter().map(String::as_str));
    let mut wanted = ROOTS.to_vec();
    if harness {
        wanted.push(MAIN);
    }
    wanted.extend(options.aliases.iter().map(|alias| &*alias.replacement));
    let all = symbols(&module);
    let own_names: Vec<String> = all.iter().map(|symbol| symbol.name.clone()).collect();
    let cxx_first = all.iter().any(|symbol| of_libcxx(&symbol.name));
    let mut operators =
        (all.iter()).filter(|symbol| native::OPERATORS.contains(&symbol.name.as_str()));
    if operators.clone().next().is_some() {
        wanted.push(native::BAD_ALLOC);
        roots.push(native::BAD_ALLOC);
    }
    roots.push(native::TERMINATE);
    if operators.any(|symbol| symbol.role != Role::Undefined) {
        wanted.extend(native::OPERATORS);
    }
    let mut report = LinkReport {
        overridden: drop_overridden(&module),
        harness,
        escaping: escaping(&module),
        ..LinkReport::default()
    };
    if let Some(library) = &options.library {
        let cxx = options.cxx_library.clone();
        let libraries = Libraries::new(Archive::open(library)?, cxx, cxx_first);
        let defined = module
            .get_functions()
            .filter(|f| f.count_basic_blocks() > 0);
        let program: BTreeSet<String> = defined.map(function_name).collect();
        (module, report.members) = resolve(context, module, libraries, &wanted)?;
        report.narrowed = narrow_long_doubles(context, &module, &program)?;
    }
    (report.aliased, report.unmatched) =
        function_alias::apply(&module, options.aliases, &own_names)?;
    if report.unmatched.is_some() {
        return Ok((module, report));
    }
    null_weak(&module, options.implemented);
    name_the_only_thread(&module);
    lower_computed_gotos(context, &module)?;
    call_the_kernel(context, &module)?;
    if cfg!(debug_assertions) {
        verify(&module, "linking")?;
    }
    lower::lower(&module, &roots, options)?;
    verify(&module, "lowering")?;
    report.undefined = undefined(&module, options.implemented);
    report.functions = module
        .get_functions()
        .filter(|f| f.count_basic_blocks() > 0)
        .count();
    write(&module, out)?;
    Ok((module, report))
}

/// Merges the members of an archive that define what a module needs, and what these need in turn.
fn merge_members<'c>(
    context: &'c Context,
    module: &Module<'c>,
    archive: &Archive,
) -> Result<(), TransformError> {
    let mut taken = BTreeSet::new();
    loop {
        let all = symbols(module).into_iter();
        let undefined = all.filter(|symbol| symbol.role == Role::Undefined);
        let defining = undefined.filter_map(|symbol| archive.defining(&symbol.name));
        let Some(place) = defining.into_iter().find(|place| !taken.contains(place)) else {
            return Ok(());
        };
        taken.insert(place);
        let (name, body) = archive.member(place)?;
        merge(context, module, parse_verified(context, body, &name)?)?;
    }
}

/// The function that the program starts in, and whether that is the library's `main` for fuzzers'
/// harnesses: of a program that has a harness and no `main`, or if the harness is asked for by name.
fn entry_of<'o>(module: &Module<'_>, options: &LinkOptions<'o>) -> Option<(&'o str, bool)> {
    let symbols = symbols(module);
    let defines = |name: &str| {
        let mut named = symbols.iter().filter(|symbol| symbol.name == name);
        named.any(|symbol| matches!(symbol.role, Role::Strong | Role::Weak))
    };
    let entry = options.entry.unwrap_or(MAIN);
    let has_main = defines(MAIN);
    let asked = entry == HARNESS || entry == MAIN && !has_main;
    if options.library.is_none() || !asked || !defines(HARNESS) {
        return defines(entry).then_some((entry, false));
    }
    if let Some(own) = module.get_function(MAIN).filter(|_| has_main) {
        // Still there for those who call it.
        own.as_global_value().set_name("main.program");
        own.set_linkage(Linkage::Internal);
    }
    Some((MAIN, true))
}

/// Turns definitions that the executor overrides into declarations. Returns their names, sorted.
/// Static functions are kept: they only share the name.
fn drop_overridden(module: &Module<'_>) -> Vec<String> {
    let mut dropped = Vec::new();
    let functions: Vec<_> = module.get_functions().collect();
    for function in functions {
        let name = function_name(function);
        let own = matches!(function.get_linkage(), Linkage::Internal | Linkage::Private);
        if function.count_basic_blocks() == 0 || own || !native::is_overridden(&name) {
            continue;
        }
        let global = function.as_global_value();
        global.set_name("");
        let declaration = module.add_function(&name, function.get_type(), Some(Linkage::External));
        function.replace_all_uses_with(declaration);
        // SAFETY: nothing uses the function any more, and the list of functions is a copy.
        unsafe { function.delete() };
        dropped.push(name);
    }
    dropped.sort();
    dropped
}

fn is_provided(name: &str, implemented: &[&str]) -> bool {
    native::is_interface(name) || implemented.contains(&name)
}

/// Gives undefined weak symbols the address null, as a linker does.
fn null_weak(module: &Module<'_>, implemented: &[&str]) {
    for symbol in symbols(module) {
        if symbol.role == Role::UndefinedWeak && !is_provided(&symbol.name, implemented) {
            // SAFETY: a declaration of this live module and a constant of its own type.
            unsafe {
                LLVMReplaceAllUsesWith(symbol.value, LLVMConstNull(LLVMTypeOf(symbol.value)));
            }
        }
    }
}

/// The symbols that are used but neither defined nor provided by the executor, sorted.
fn undefined(module: &Module<'_>, implemented: &[&str]) -> Vec<String> {
    let mut names: Vec<_> = symbols(module)
        .into_iter()
        .filter(|symbol| symbol.role == Role::Undefined && !is_provided(&symbol.name, implemented))
        .map(|symbol| symbol.name)
        .collect();
    names.sort();
    names
}
