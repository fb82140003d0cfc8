//! What the functions and globals of two versions of a program have to do with each other.
//!
//! Functions and variables are the same if they have the same name and the same description. A function
//! whose name only one version has is the one of the other version that has the same instructions, if
//! there is just one. Constants that hold no addresses are the same if they hold the same bytes,
//! whatever they are called: the names of string literals are numbers. A variable with other first
//! contents is another one, and so is one whose contents have the address of another one.

use super::words::{Word, words};
use plat_program::{ConstId, Constant, Function, Global, GlobalId, Program, Relocation, text};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of two versions.
pub struct Names<'p> {
    old: Side<'p>,
    new: Side<'p>,
    /// Functions that have another name in the new version.
    renamed: FxHashMap<&'p str, &'p str>,
    /// Globals of the old version for which there is none in the new one.
    changed: FxHashSet<GlobalId>,
}

/// The definitions of a version by name; those whose name others have too are left out.
struct Side<'p> {
    program: &'p Program,
    functions: FxHashMap<&'p str, &'p Function>,
    globals: FxHashMap<&'p str, GlobalId>,
}

impl<'p> Side<'p> {
    fn of(program: &'p Program) -> Self {
        let mut counts: FxHashMap<&str, u32> = FxHashMap::default();
        let globals = program.globals.iter().map(|one| one.name.as_str());
        for name in globals.chain(program.functions.iter().map(|one| one.name.as_str())) {
            *counts.entry(name).or_default() += 1;
        }
        let unique = |name: &str| counts.get(name) == Some(&1);
        let functions = program.functions.iter();
        let functions = functions.filter(|one| unique(&one.name));
        let globals = program.globals.iter().enumerate();
        let globals = globals.filter(|(_, one)| unique(&one.name));
        Side {
            program,
            functions: functions.map(|one| (one.name.as_str(), one)).collect(),
            globals: globals
                .map(|(at, one)| (one.name.as_str(), GlobalId::new(at)))
                .collect(),
        }
    }

    /// Functions whose names another version does not have, by what they do; those that others do
    /// the same as are left out.
    fn alone(&self, other: &Side<'_>) -> FxHashMap<String, &'p str> {
        let mut alone: FxHashMap<String, Option<&'p str>> = FxHashMap::default();
        for (&name, function) in &self.functions {
            if !function.declaration && !other.functions.contains_key(name) {
                let same = alone.entry(outline(self.program, function));
                same.and_modify(|known| *known = None).or_insert(Some(name));
            }
        }
        let alone = alone.into_iter();
        alone
            .filter_map(|(text, name)| Some((text, name?)))
            .collect()
    }
}

/// The instructions of a function without what has numbers and names.
fn outline(program: &Program, function: &Function) -> String {
    let mut outline = description(program, function);
    for at in 0..function.insts.len() {
        let text = text::inst(program, function, at).to_string();
        for word in words(&text) {
            outline += match word {
                Word::Register(_) => "%",
                Word::Block(_) => "b",
                Word::Symbol(_) => "@",
                Word::Other(text) => text,
            };
            outline.push(' ');
        }
        outline.push('\n');
    }
    outline
}

/// Whether a global is known by its bytes alone.
fn is_plain(global: &Global) -> bool {
    let initializer = global.initializer.as_ref();
    global.constant && initializer.is_some_and(|one| one.relocations.is_empty())
}

impl<'p> Names<'p> {
    /// Compares two versions.
    pub fn new(old: &'p Program, new: &'p Program) -> Self {
        let (old, new) = (Side::of(old), Side::of(new));
        let there = new.alone(&old);
        let renamed = old.alone(&new).into_iter();
        let renamed = renamed.filter_map(|(outline, name)| Some((name, *there.get(&outline)?)));
        let mut names = Names {
            renamed: renamed.collect(),
            old,
            new,
            changed: FxHashSet::default(),
        };
        // What has the address of something changed has changed.
        loop {
            let before = names.changed.len();
            for (at, global) in names.old.program.globals.iter().enumerate() {
                let id = GlobalId::new(at);
                if !names.changed.contains(&id) && !is_plain(global) && !names.has_same(global) {
                    names.changed.insert(id);
                }
            }
            if names.changed.len() == before {
                return names;
            }
        }
    }

    /// The function of the new version that one of the old version is, if their descriptions agree.
    pub fn function(&self, name: &str) -> Option<&'p Function> {
        let old = self.old.functions.get(name)?;
        let name = self.renamed.get(name).copied().unwrap_or(name);
        let new = self.new.functions.get(name)?;
        let same = description(self.old.program, old) == description(self.new.program, new);
        same.then_some(*new)
    }

    /// Whether a name of the old version and one of the new version stand for the same thing.
    pub fn agree(&self, old: &str, new: &str) -> bool {
        match (self.old.globals.get(old), self.new.globals.get(new)) {
            (Some(&old), Some(&new)) => self.same_global(old, new),
            (None, None) => self.function(old).is_some_and(|other| other.name == new),
            _ => false,
        }
    }

    fn has_same(&self, global: &Global) -> bool {
        let Some(&id) = self.new.globals.get(global.name.as_str()) else {
            return false;
        };
        let new = self.new.program.global(id);
        same_description(global, new) && self.same_contents(global, new)
    }

    fn same_contents(&self, old: &Global, new: &Global) -> bool {
        let (Some(old), Some(new)) = (&old.initializer, &new.initializer) else {
            return old.initializer.is_none() && new.initializer.is_none();
        };
        let same = |(old, new): (&Relocation, &Relocation)| {
            (old.offset, old.size) == (new.offset, new.size)
                && self.same_constant(old.value, new.value)
        };
        old.bytes == new.bytes
            && old.relocations.len() == new.relocations.len()
            && old.relocations.iter().zip(&new.relocations).all(same)
    }

    fn same_global(&self, old: GlobalId, new: GlobalId) -> bool {
        let one = self.old.program.global(old);
        let other = self.new.program.global(new);
        if !same_description(one, other) {
            return false;
        }
        match (is_plain(one), is_plain(other)) {
            (true, true) => one.initializer == other.initializer,
            (false, false) => one.name == other.name && !self.changed.contains(&old),
            _ => false,
        }
    }

    fn same_constant(&self, old: ConstId, new: ConstId) -> bool {
        let (one, other) = (
            self.old.program.constant(old),
            self.new.program.constant(new),
        );
        match (one, other) {
            (Constant::Global(old, at), Constant::Global(new, there)) => {
                at == there && self.same_global(*old, *new)
            }
            (Constant::Function(old), Constant::Function(new)) => {
                let (old, new) = (
                    self.old.program.function(*old),
                    self.new.program.function(*new),
                );
                self.agree(&old.name, &new.name)
            }
            (Constant::Binary(op, width, a, b), Constant::Binary(op2, width2, a2, b2)) => {
                (op, width) == (op2, width2)
                    && self.same_constant(*a, *a2)
                    && self.same_constant(*b, *b2)
            }
            (Constant::Cast(op, from, to, a), Constant::Cast(op2, from2, to2, a2)) => {
                (op, from, to) == (op2, from2, to2) && self.same_constant(*a, *a2)
            }
            (Constant::Int { .. } | Constant::Null, _) => one == other,
            // Rare in initialisers: taken to be another one.
            _ => false,
        }
    }
}

fn same_description(old: &Global, new: &Global) -> bool {
    (old.size, old.align, old.constant) == (new.size, new.align, new.constant)
}

/// What callers know of a function.
fn description(program: &Program, function: &Function) -> String {
    let types = function.params.iter().chain([&function.ret]);
    let types = types.map(|&ty| type_text(program, ty));
    format!(
        "{} {} {:?} {:?} {}\n",
        function.declaration,
        function.variadic,
        function.byval,
        function.prologue,
        types.collect::<Vec<_>>().join(" ")
    )
}

/// A type by what it is.
pub(super) fn type_text(program: &Program, ty: plat_program::TypeId) -> String {
    use plat_program::Type;
    let of = |ty| type_text(program, ty);
    match program.types.get(ty) {
        Type::Struct { fields, size } => {
            let fields = fields.iter().map(|&(at, ty)| format!("{at}:{}", of(ty)));
            let fields: Vec<String> = fields.collect();
            format!("{{{} size {size}}}", fields.join(","))
        }
        Type::Array(element, stride, count) => format!("[{} {stride} {count}]", of(*element)),
        Type::Vector(element, count) => format!("<{} {count}>", of(*element)),
        other => format!("{other:?}"),
    }
}
