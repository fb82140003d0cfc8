//! The printer.

mod constants;
mod globals;
mod instructions;
mod types;

use crate::annotations::AllocationContext;
use crate::function::{Block, Function, Location};
use crate::ids::{BlockId, FuncId, GlobalId, InstId, LocId, Reg, TypeId};
use crate::inst::{Inst, Operand, Span};
use crate::program::Program;
use instructions::Line;
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Formatter};

/// Text made by a closure.
struct Text<F>(F);

impl<F: Fn(&mut Formatter<'_>) -> fmt::Result> Display for Text<F> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        (self.0)(out)
    }
}

/// Writes `items` with `, ` between them.
fn list<T: Display>(out: &mut Formatter<'_>, items: impl Iterator<Item = T>) -> fmt::Result {
    for (at, item) in items.enumerate() {
        let separator = if at == 0 { "" } else { ", " };
        write!(out, "{separator}{item}")?;
    }
    Ok(())
}

/// Bytes in quotes.
fn quoted(bytes: &[u8]) -> impl Display + '_ {
    Text(move |out: &mut Formatter<'_>| {
        write!(out, "\"")?;
        for &byte in bytes {
            match byte {
                b'"' | b'\\' => write!(out, "\\{byte:02x}")?,
                b' '..=b'~' => write!(out, "{}", char::from(byte))?,
                _ => write!(out, "\\{byte:02x}")?,
            }
        }
        write!(out, "\"")
    })
}

/// A symbol, in quotes where it has other characters than letters, digits, `.`, `_` and `$`.
fn symbol(name: &str) -> impl Display + '_ {
    let plain = |c: char| c.is_ascii_alphanumeric() || ['.', '_', '$'].contains(&c);
    Text(move |out: &mut Formatter<'_>| {
        if !name.is_empty() && name.chars().all(plain) {
            write!(out, "@{name}")
        } else {
            write!(out, "@{}", quoted(name.as_bytes()))
        }
    })
}

/// A program with what its text needs beside it.
pub struct Printer<'p> {
    program: &'p Program,
    /// How often a symbol is defined. Those that are not unique are named by number.
    symbols: FxHashMap<&'p str, u32>,
    /// The source files in order of their first mention.
    files: FxHashMap<&'p str, usize>,
}

impl<'p> Printer<'p> {
    pub fn new(program: &'p Program) -> Self {
        let globals = program.globals.iter().map(|global| &global.name);
        let functions = program.functions.iter().map(|function| &function.name);
        let mut symbols: FxHashMap<&str, u32> = FxHashMap::default();
        for name in globals.chain(functions) {
            *symbols.entry(name.as_str()).or_default() += 1;
        }
        let mut printer = Printer {
            program,
            symbols,
            files: FxHashMap::default(),
        };
        let globals = program.globals.iter().map(|global| global.location);
        let functions = program.functions.iter().flat_map(|function| {
            std::iter::once(function.location).chain(function.locs.iter().copied())
        });
        let mut seen = vec![false; program.locations.len()];
        for id in globals.chain(functions) {
            if id != LocId(0) && !std::mem::replace(&mut seen[id.index()], true) {
                for location in program.inlining(id) {
                    let next = printer.files.len();
                    printer.files.entry(&location.file).or_insert(next);
                }
            }
        }
        printer
    }

    /// A reference to a global.
    fn global(&self, id: GlobalId) -> impl Display + '_ {
        Text(move |out: &mut Formatter<'_>| {
            let name = &self.program.global(id).name;
            match self.symbols.get(name.as_str()) {
                Some(2..) => write!(out, "@#g{}", id.0),
                _ => write!(out, "{}", symbol(name)),
            }
        })
    }

    /// A reference to a function.
    fn function_name(&self, id: FuncId) -> impl Display + '_ {
        Text(move |out: &mut Formatter<'_>| {
            let name = &self.program.function(id).name;
            match self.symbols.get(name.as_str()) {
                Some(2..) => write!(out, "@#f{}", id.0),
                _ => write!(out, "{}", symbol(name)),
            }
        })
    }

    /// The symbol in a definition, where the reference is a number.
    fn named<'a>(&'a self, name: &'a str) -> impl Display + 'a {
        Text(
            move |out: &mut Formatter<'_>| match self.symbols.get(name) {
                Some(2..) => write!(out, " named {}", quoted(name.as_bytes())),
                _ => Ok(()),
            },
        )
    }

    /// A source location with the calls that were inlined on the way to it.
    fn location(&self, id: LocId) -> impl Display + '_ {
        Text(move |out: &mut Formatter<'_>| {
            if id == LocId(0) {
                return Ok(());
            }
            for (at, location) in self.program.inlining(id).enumerate() {
                let file = self.files.get(location.file.as_str()).unwrap_or(&0);
                let word = if at == 0 { " at" } else { ", inlined at" };
                write!(out, "{word} f{file}:{}:{}", location.line, location.column)?;
            }
            Ok(())
        })
    }

    /// A function with its body.
    fn function(&self, id: FuncId) -> impl Display + '_ {
        Text(move |out: &mut Formatter<'_>| {
            let function = self.program.function(id);
            self.head(out, function)?;
            if function.declaration {
                return writeln!(out);
            }
            writeln!(out, " {{")?;
            self.undefined(out, function)?;
            let mut entered = vec![None; function.blocks.len()];
            for edge in &function.edges {
                entered[edge.to.index()].get_or_insert(edge.moves);
            }
            let mut calls = 0;
            for (at, block) in function.blocks.iter().enumerate() {
                let moves = entered[at].unwrap_or_default();
                self.block_head(out, function, BlockId::new(at), moves)?;
                self.block(out, function, *block, &mut calls)?;
            }
            writeln!(out, "}}")
        })
    }

    fn head(&self, out: &mut Formatter<'_>, function: &Function) -> fmt::Result {
        let word = if function.declaration {
            "declare"
        } else {
            "define"
        };
        let ret = self.ty(function.ret);
        write!(out, "{word} {ret} {}(", self.function_name(function.id))?;
        let parameter = |(at, &id): (usize, &TypeId)| {
            let mut text = format!("{} %{at}", self.ty(id));
            if let Some(Some((size, align))) = function.byval.get(at) {
                text += &format!(" byval {size} align {align}");
            }
            match function.param_names.get(at) {
                Some(name) if !name.is_empty() => text += &format!(" {}", quoted(name.as_bytes())),
                _ => {}
            }
            text
        };
        list(out, function.params.iter().enumerate().map(parameter))?;
        let rest = match (function.variadic, function.params.is_empty()) {
            (false, _) => "",
            (true, true) => "...",
            (true, false) => ", ...",
        };
        write!(out, "{rest}){}", self.named(&function.name))?;
        if let Some([signature, hash]) = function.prologue {
            write!(out, " prologue {signature:#x} {hash:#x}")?;
        }
        write!(out, "{}", self.location(function.location))
    }

    /// The registers that nothing defines.
    fn undefined(&self, out: &mut Formatter<'_>, function: &Function) -> fmt::Result {
        let mut defined = vec![false; function.reg_types.len()];
        let parameters = (0..function.params.len()).map(Reg::new);
        let results = function.insts.iter().filter_map(Inst::dst);
        let moves = function.edges.iter();
        let moves = moves.flat_map(|edge| &function.moves[edge.moves.range()]);
        let moved = moves.map(|step| step.dst);
        for reg in parameters.chain(results).chain(moved) {
            if let Some(place) = defined.get_mut(reg.index()) {
                *place = true;
            }
        }
        let left = (0..).zip(defined).filter(|entry| !entry.1);
        let left = left.map(|(at, _)| self.register(function, Reg(at)));
        let left: Vec<_> = left.collect();
        if left.is_empty() {
            return Ok(());
        }
        write!(out, "  undefined ")?;
        list(out, left.into_iter())?;
        writeln!(out)
    }

    /// A register with its type.
    fn register<'a>(&'a self, function: &'a Function, reg: Reg) -> impl Display + 'a {
        Text(move |out: &mut Formatter<'_>| {
            let ty = function.reg_types[reg.index()];
            write!(out, "{} %{}", self.ty(ty), reg.0)
        })
    }

    /// A block with its parameters: the registers that the edges into it write.
    fn block_head(
        &self,
        out: &mut Formatter<'_>,
        function: &Function,
        id: BlockId,
        moves: Span,
    ) -> fmt::Result {
        write!(out, "b{}", id.0)?;
        let moves = &function.moves[moves.range()];
        if !moves.is_empty() {
            write!(out, "(")?;
            let registers = moves.iter().map(|step| self.register(function, step.dst));
            list(out, registers)?;
            write!(out, ")")?;
        }
        writeln!(out, ":")
    }

    /// The instructions of a block; `calls` is the ordinal that a call has if none is written.
    fn block(
        &self,
        out: &mut Formatter<'_>,
        function: &Function,
        block: Block,
        calls: &mut u32,
    ) -> fmt::Result {
        for position in block.first..block.first + block.len {
            let at = position as usize;
            let line = Line {
                printer: self,
                function,
            };
            write!(
                out,
                "  {}",
                Text(|out: &mut Formatter<'_>| line.write(out, at))
            )?;
            let ordinal = function.call_ordinals[at];
            let is_call = matches!(function.insts[at], Inst::Call { .. } | Inst::Invoke { .. });
            match (ordinal, is_call) {
                (u32::MAX, false) => {}
                (u32::MAX, true) => write!(out, " !call none")?,
                (ordinal, true) if ordinal == *calls => {}
                (ordinal, _) => write!(out, " !call {ordinal}")?,
            }
            if ordinal != u32::MAX {
                *calls = ordinal.wrapping_add(1);
            }
            let id = InstId(function.first_inst.0 + position);
            if let Some(site) = self.program.annotations.sites.get(&id) {
                write!(out, " !site {}", site.0)?;
            }
            writeln!(out, "{}", self.location(function.locs[at]))?;
        }
        Ok(())
    }

    /// An operand where a value of type `expected` stands.
    fn operand(&self, operand: Operand, expected: Option<TypeId>) -> impl Display + '_ {
        Text(
            move |out: &mut Formatter<'_>| match (operand.as_reg(), operand.as_constant()) {
                (Some(reg), _) => write!(out, "%{}", reg.0),
                (None, Some(id)) => write!(out, "{}", self.constant(id, expected)),
                (None, None) => Ok(()),
            },
        )
    }

    /// The names that do not stand for the function or global that is defined under them.
    fn aliases(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let program = self.program;
        let functions = program.function_names.iter();
        let functions = functions.filter(|(name, id)| program.function(**id).name != **name);
        let functions = functions.map(|(name, id)| (name, self.function_name(*id).to_string()));
        let globals = program.global_names.iter();
        let globals = globals.filter(|(name, id)| program.global(**id).name != **name);
        let globals = globals.map(|(name, id)| (name, self.global(*id).to_string()));
        let mut all: Vec<_> = globals.chain(functions).collect();
        all.sort();
        for (name, target) in all {
            writeln!(out, "{} = alias {target}", symbol(name))?;
        }
        Ok(())
    }

    fn run_at(&self, out: &mut Formatter<'_>, word: &str, list: &[FuncId]) -> fmt::Result {
        for &id in list {
            writeln!(out, "{word} {}", self.function_name(id))?;
        }
        Ok(())
    }

    pub fn program(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let program = self.program;
        writeln!(out, "program {}", quoted(program.name.as_bytes()))?;
        if program.annotations.transformed {
            writeln!(out, "transformed")?;
        }
        for found in &program.annotations.contexts {
            writeln!(out, "{}", context(found))?;
        }
        let mut files: Vec<_> = self.files.iter().map(|(name, at)| (at, name)).collect();
        files.sort();
        for (at, name) in files {
            writeln!(out, "file f{at} {}", quoted(name.as_bytes()))?;
        }
        self.run_at(out, "constructor", &program.constructors)?;
        self.run_at(out, "destructor", &program.destructors)?;
        for at in 0..program.globals.len() {
            self.write_global(out, GlobalId::new(at))?;
        }
        self.aliases(out)?;
        for at in 0..program.functions.len() {
            write!(out, "\n{}", self.function(FuncId::new(at)))?;
        }
        Ok(())
    }
}

/// One instruction of a function, without its location.
pub fn inst<'p>(program: &'p Program, function: &'p Function, at: usize) -> impl Display + 'p {
    let printer = Printer {
        program,
        symbols: FxHashMap::default(),
        files: FxHashMap::default(),
    };
    Text(move |out: &mut Formatter<'_>| {
        let line = Line {
            printer: &printer,
            function,
        };
        line.write(out, at)
    })
}

/// An allocation context, for instance `context 9 4 in group 0`.
fn context(context: &AllocationContext) -> impl Display + '_ {
    Text(move |out: &mut Formatter<'_>| {
        write!(out, "context")?;
        let mut chain = context.chain.iter();
        chain.try_for_each(|site| write!(out, " {}", site.0))?;
        match context.group {
            Some(group) => write!(out, " in group {}", group.0),
            None => write!(out, " alone"),
        }
    })
}

impl Display for Location {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let file = if self.file.is_empty() {
            "?"
        } else {
            &self.file
        };
        match (self.line, self.column) {
            (0, _) => write!(out, "{file}"),
            (line, 0) => write!(out, "{file}:{line}"),
            (line, column) => write!(out, "{file}:{line}:{column}"),
        }
    }
}

impl Display for Program {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        Printer::new(self).program(out)
    }
}
