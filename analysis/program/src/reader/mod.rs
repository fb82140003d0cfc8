//! Bitcode to [`Program`], through LLVM: the one place outside the transform that names LLVM.
//!
//! The walk: number functions and globals, read initialisers, then read each body in two passes
//! (number blocks and registers, then lower instructions). What `Program` cannot represent
//! becomes [`crate::Inst::Unsupported`] or [`crate::Constant::Unsupported`], which end only the
//! paths that reach them; the reader itself refuses a module only if it is not well-formed.

mod annotations;
mod calls;
mod code;
mod constants;
mod constrained;
mod foreign;
mod functions;
mod gep;
mod globals;
mod instructions;
mod llvm;
mod locations;
mod producer;
mod terminators;
mod types;
mod verify;

pub use code::drop_code;
pub use types::{MOST_BITS, MOST_ELEMENTS, MOST_LANES};
pub use verify::{parser_does_not_verify, verify};

use crate::constant::Constant;
use crate::ids::{ConstId, FuncId, GlobalId, InstId, TypeId};
use crate::program::Program;
use crate::types::Type;
use llvm::{Module, Ty, Value};
use rustc_hash::FxHashMap;
use std::fmt;
use std::path::Path;
use types::Lack;

/// The newest LLVM whose bitcode can be read.
const NEWEST_LLVM: u32 = 22;

/// Why bitcode could not be read. One line each; says what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// The file cannot be opened or read: path and the system's reason.
    File(String, String),
    /// It is not bitcode, is truncated, or was made by a newer LLVM: path and LLVM's words.
    Bitcode(String, String),
    /// It is bitcode but the module is not well-formed: path and the verifier's first words.
    Invalid(String, String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::File(path, why) => write!(out, "{path}: cannot be read: {why}"),
            ReadError::Bitcode(path, why) => write!(out, "{path}: not usable as bitcode: {why}"),
            ReadError::Invalid(path, why) => write!(out, "{path}: malformed module: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a file of LLVM bitcode or textual IR.
///
/// # Errors
/// When the file cannot be read or is not a well-formed module that this LLVM understands.
pub fn read(path: &Path) -> Result<Program, ReadError> {
    let (module, name) = parse(path)?;
    Ok(Reader::new(&module, name).run())
}

/// A module that was read, in a process that ends when it is done with it: what LLVM holds is the
/// system's to take back, which is faster.
pub struct Parsed {
    module: &'static Module,
    name: String,
}

impl Parsed {
    /// Reads a file.
    ///
    /// # Errors
    /// Those of [`read`].
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let (module, name) = parse(path)?;
        Ok(Parsed {
            module: Box::leak(Box::new(module)),
            name,
        })
    }

    /// The program.
    pub fn program(&self) -> Program {
        Reader::new(self.module, self.name.clone()).run()
    }

    /// Hands over the module as textual IR.
    pub fn print<T>(&self, take: impl FnOnce(&[u8]) -> T) -> T {
        self.module.print(take)
    }
}

fn parse(path: &Path) -> Result<(Module, String), ReadError> {
    let name = path.display().to_string();
    let bytes =
        std::fs::read(path).map_err(|why| ReadError::File(name.clone(), why.to_string()))?;
    if bytes.is_empty() {
        return Err(ReadError::Bitcode(name, "the file is empty".to_owned()));
    }
    let module = Module::parse(&bytes)
        .map_err(|message| ReadError::Bitcode(name.clone(), explain(&bytes, &message)))?;
    module
        .verify()
        .map_err(|why| ReadError::Invalid(name.clone(), first_line(&why)))?;
    if !module.is_little_endian_64() {
        let why = "plat runs programs for x86-64; compile for that target".to_owned();
        return Err(ReadError::Invalid(name, why));
    }
    Ok((module, name))
}

/// Has `end` called with the reason where LLVM sees no way to go on; by itself it would print
/// something and end the process with exit code 1.
pub fn on_fatal_error(end: fn(&str) -> !) {
    llvm::on_fatal_error(end);
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("").trim().to_owned()
}

/// What LLVM's `message` about unreadable `bytes` means for the user, in one line.
pub fn explain(bytes: &[u8], message: &str) -> String {
    let line = first_line(message);
    let line = line.trim_start_matches("module:").trim();
    let line = line.trim_start_matches("error:").trim();
    let major = producer::producer(bytes).and_then(|name| {
        let digits = name
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .split('.')
            .next()?;
        digits.parse::<u32>().ok()
    });
    let newer = match major {
        Some(major) => major > NEWEST_LLVM,
        None => line.contains("Unknown attribute kind"),
    };
    if newer {
        return format!("made by a newer LLVM (plat reads up to LLVM {NEWEST_LLVM})");
    }
    if foreign::is_bitcode(bytes) {
        return format!("truncated or damaged: {line}");
    }
    foreign::describe(bytes).unwrap_or_else(|| format!("neither bitcode nor textual IR: {line}"))
}

/// The symbol of a global value, without the byte by which LLVM marks it as final.
fn symbol_name(value: Value<'_>) -> String {
    let name = value.name();
    match name.strip_prefix('\u{1}') {
        Some(name) => name.to_owned(),
        None => name,
    }
}

/// What a global value is in `Program`.
#[derive(Clone, Copy)]
enum Symbol {
    Function(FuncId),
    Global(GlobalId),
}

/// The state of a walk over one module.
struct Reader<'m> {
    module: &'m Module,
    program: Program,
    types: types::TypeReader<'m>,
    locations: locations::LocationReader<'m>,
    /// Functions and global variables by their LLVM value.
    symbols: FxHashMap<Value<'m>, Symbol>,
    /// Constants by their LLVM value.
    constants: FxHashMap<Value<'m>, ConstId>,
    /// Constants by their own value.
    constant_ids: FxHashMap<Constant, ConstId>,
    /// The void type.
    void: TypeId,
    /// The kinds of the attributes `byval` and `align`.
    copied: (u32, u32),
    /// Functions whose calls do nothing in an execution (debug markers and the like).
    inert: Vec<bool>,
    /// The metadata kind of `!func_sanitize`.
    prologue_kind: u32,
    /// The metadata kind of `!plat.site`.
    site_kind: u32,
}

impl<'m> Reader<'m> {
    fn new(module: &'m Module, name: String) -> Self {
        let mut program = Program {
            name,
            ..Program::default()
        };
        let void = program.types.intern(Type::Void);
        Self {
            module,
            program,
            types: types::TypeReader::new(module),
            locations: locations::LocationReader::new(),
            symbols: FxHashMap::default(),
            constants: FxHashMap::default(),
            constant_ids: FxHashMap::default(),
            void,
            copied: (
                Module::attribute_kind("byval"),
                Module::attribute_kind("align"),
            ),
            inert: Vec::new(),
            prologue_kind: module.metadata_kind("func_sanitize"),
            site_kind: module.metadata_kind(annotations::SITE),
        }
    }

    fn run(mut self) -> Program {
        let functions = self.declare_functions();
        let globals = self.declare_globals();
        self.name_aliases();
        self.initialize_globals(&globals);
        let mut next = 0;
        for (at, &value) in functions.iter().enumerate() {
            self.program.functions[at].first_inst = InstId(next);
            if !value.is_declaration() {
                self.read_body(FuncId::new(at), value);
            }
            next += self.program.functions[at].insts.len() as u32;
        }
        let mut constructors = self.structors("llvm.global_ctors");
        constructors.sort_by_key(|entry| entry.0);
        self.program.constructors = constructors.into_iter().map(|entry| entry.1).collect();
        let mut destructors = self.structors("llvm.global_dtors");
        destructors.sort_by_key(|entry| entry.0);
        self.program.destructors = destructors.into_iter().rev().map(|entry| entry.1).collect();
        self.read_contexts();
        self.program.locations = self.locations.into_list();
        self.program
    }

    /// The id of a type; a lack if `Program` has no values of it.
    fn ty(&mut self, ty: Ty<'m>) -> Result<TypeId, Lack> {
        self.types.read(&mut self.program.types, ty)
    }

    /// Whether objects in memory can have a type, of whatever size.
    fn is_in_memory(&mut self, ty: Ty<'m>) -> bool {
        self.types.scalars(ty).is_some()
    }
}
