//! The walk over a module: functions and globals are numbered, then initialisers and bodies read.

use crate::error::{ReadError, explain, first_line};
use crate::llvm::{Module, Ty, Value};
use crate::types::Lack;
use crate::{annotations, locations, types};
use plat_program::{ConstId, Constant, FuncId, GlobalId, InstId, Program, Type, TypeId};
use rustc_hash::FxHashMap;
use std::path::Path;

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

/// The symbol of a global value, without the byte by which LLVM marks it as final.
pub fn symbol_name(value: Value<'_>) -> String {
    let name = value.name();
    match name.strip_prefix('\u{1}') {
        Some(name) => name.to_owned(),
        None => name,
    }
}

/// What a global value is in `Program`.
#[derive(Clone, Copy)]
pub enum Symbol {
    Function(FuncId),
    Global(GlobalId),
}

/// The state of a walk over one module.
pub struct Reader<'m> {
    /// The module.
    pub module: &'m Module,
    pub program: Program,
    pub types: types::TypeReader<'m>,
    pub locations: locations::LocationReader<'m>,
    /// Functions and global variables by their LLVM value.
    pub symbols: FxHashMap<Value<'m>, Symbol>,
    /// Constants by their LLVM value.
    pub constants: FxHashMap<Value<'m>, ConstId>,
    /// Constants by their own value.
    pub constant_ids: FxHashMap<Constant, ConstId>,
    /// The void type.
    pub void: TypeId,
    /// The kinds of the attributes `byval` and `align`.
    pub copied: (u32, u32),
    /// Functions whose calls do nothing in an execution (debug markers and the like).
    pub inert: Vec<bool>,
    /// Whether the program makes threads: it has what does.
    pub makes_threads: bool,
    /// The metadata kind of `!func_sanitize`.
    pub prologue_kind: u32,
    /// The metadata kind of `!plat.site`.
    pub site_kind: u32,
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
            makes_threads: false,
            prologue_kind: module.metadata_kind("func_sanitize"),
            site_kind: module.metadata_kind(annotations::SITE),
        }
    }

    fn run(mut self) -> Program {
        let functions = self.declare_functions();
        let mut names = self.program.functions.iter().map(|one| one.name.as_str());
        self.makes_threads = names.any(|name| name == "__plat_clone");
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
    pub fn ty(&mut self, ty: Ty<'m>) -> Result<TypeId, Lack> {
        self.types.read(&mut self.program.types, ty)
    }

    /// Whether objects in memory can have a type, of whatever size.
    pub fn is_in_memory(&mut self, ty: Ty<'m>) -> bool {
        self.types.scalars(ty).is_some()
    }
}
