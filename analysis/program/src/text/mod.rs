//! `Program` as text, for people: one line per instruction, registers `%5`, blocks `b2`, the
//! source location behind `;`. A jump shows the moves of its edge: `b3 [%4 <- %2]`.

mod inst;

use crate::annotations::AllocationContext;
use crate::constant::{Constant, Global};
use crate::function::Location;
use crate::ids::{ConstId, FuncId, InstId, LocId, TypeId};
use crate::inst::Operand;
use crate::program::Program;
use crate::types::Type;
pub use inst::inst;
use std::fmt::{self, Display, Formatter};

/// Longest prefix of an initialiser that is shown, in bytes.
const SHOWN_BYTES: u64 = 32;

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

/// A type.
pub fn ty(program: &Program, id: TypeId) -> impl Display + '_ {
    Text(move |out: &mut Formatter<'_>| match program.types.get(id) {
        Type::Void => write!(out, "void"),
        Type::Int(bits) => write!(out, "i{bits}"),
        Type::Float(kind) => write!(out, "{}", format!("{kind:?}").to_lowercase()),
        Type::Pointer => write!(out, "ptr"),
        Type::Struct { fields, .. } => {
            write!(out, "{{")?;
            for (at, field) in fields.iter().enumerate() {
                write!(out, "{}", if at == 0 { "" } else { ", " })?;
                write!(out, "{}", nested(program, field.1))?;
            }
            write!(out, "}}")
        }
        Type::Array(element, _, count) => write!(out, "[{count} x {}]", nested(program, *element)),
        Type::Vector(element, count) => write!(out, "<{count} x {}>", nested(program, *element)),
    })
}

/// A type inside another: boxed, because the text of a type contains itself.
fn nested(program: &Program, id: TypeId) -> Box<dyn Display + '_> {
    Box::new(ty(program, id))
}

/// A constant.
pub fn constant(program: &Program, id: ConstId) -> impl Display + '_ {
    let inner = move |id: &ConstId| -> Box<dyn Display + '_> { Box::new(constant(program, *id)) };
    Text(move |out: &mut Formatter<'_>| match program.constant(id) {
        Constant::Int { value, .. } => write!(out, "{value}"),
        Constant::WideInt(_, limbs) => {
            write!(out, "0x")?;
            limbs
                .iter()
                .rev()
                .try_for_each(|limb| write!(out, "{limb:016x}"))
        }
        Constant::Float(_, bits) => write!(out, "float({bits:#x})"),
        Constant::Null => write!(out, "null"),
        Constant::Global(global, 0) => write!(out, "@{}", program.global(*global).name),
        Constant::Global(global, offset) => {
            write!(out, "@{}{offset:+}", program.global(*global).name)
        }
        Constant::Function(function) => write!(out, "@{}", program.function(*function).name),
        Constant::Undef(_) => write!(out, "undef"),
        Constant::Poison(_) => write!(out, "poison"),
        Constant::Zero(_) => write!(out, "zero"),
        Constant::Aggregate(_, elements) => {
            write!(out, "{{")?;
            list(out, elements.iter().map(inner))?;
            write!(out, "}}")
        }
        Constant::Binary(op, width, lhs, rhs) => {
            let op = format!("{op:?}").to_lowercase();
            write!(out, "({op} i{width} {}, {})", inner(lhs), inner(rhs))
        }
        Constant::Cast(op, from, to, value) => {
            let op = format!("{op:?}").to_lowercase();
            write!(out, "({op} i{from} {} to i{to})", inner(value))
        }
        Constant::Compare(predicate, width, lhs, rhs) => {
            let predicate = format!("{predicate:?}").to_lowercase();
            write!(out, "({predicate} i{width} {}, {})", inner(lhs), inner(rhs))
        }
        Constant::Unsupported(what) => write!(out, "unsupported({what:?})"),
    })
}

/// An operand.
pub fn operand(program: &Program, operand: Operand) -> impl Display + '_ {
    Text(
        move |out: &mut Formatter<'_>| match (operand.as_reg(), operand.as_constant()) {
            (Some(reg), _) => write!(out, "%{}", reg.0),
            (None, Some(id)) => write!(out, "{}", constant(program, id)),
            (None, None) => Ok(()),
        },
    )
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

fn write_global(program: &Program, global: &Global, out: &mut Formatter<'_>) -> fmt::Result {
    let kind = if global.constant {
        "constant"
    } else {
        "global"
    };
    write!(
        out,
        "@{} = {kind} {} bytes, align {}",
        global.name, global.size, global.align
    )?;
    match &global.initializer {
        None => write!(out, ", external")?,
        Some(image) if image.bytes.is_zero() => write!(out, ", zero")?,
        Some(image) => {
            write!(out, ", 0x")?;
            let shown = global.size.min(SHOWN_BYTES);
            let bytes = image.bytes.read(0, shown as usize);
            bytes
                .iter()
                .try_for_each(|byte| write!(out, "{byte:02x}"))?;
            write!(out, "{}", if shown < global.size { "..." } else { "" })?;
        }
    }
    writeln!(out, "{}", comment(program, global.location))?;
    for relocation in global
        .initializer
        .iter()
        .flat_map(|image| &image.relocations)
    {
        let value = constant(program, relocation.value);
        writeln!(
            out,
            "  +{}: {} bytes = {value}",
            relocation.offset, relocation.size
        )?;
    }
    Ok(())
}

fn comment(program: &Program, id: LocId) -> impl Display + '_ {
    Text(move |out: &mut Formatter<'_>| match id {
        LocId(0) => Ok(()),
        id => write!(out, "  ; {}", program.location(id)),
    })
}

/// The annotated site of a call.
fn site(program: &Program, id: InstId) -> impl Display + '_ {
    Text(
        move |out: &mut Formatter<'_>| match program.annotations.sites.get(&id) {
            Some(site) => write!(out, " !site {}", site.0),
            None => Ok(()),
        },
    )
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

/// A function with its body.
pub fn function(program: &Program, id: FuncId) -> impl Display + '_ {
    Text(move |out: &mut Formatter<'_>| {
        let function = program.function(id);
        let word = if function.declaration {
            "declare"
        } else {
            "define"
        };
        write!(
            out,
            "{word} {} @{}(",
            ty(program, function.ret),
            function.name
        )?;
        let parameter = |(at, &id): (usize, &TypeId)| format!("{} %{at}", ty(program, id));
        list(out, function.params.iter().enumerate().map(parameter))?;
        let rest = match (function.variadic, function.params.is_empty()) {
            (false, _) => "",
            (true, true) => "...",
            (true, false) => ", ...",
        };
        write!(out, "{rest})")?;
        writeln!(out, "{}", comment(program, function.location))?;
        for (at, block) in function.blocks.iter().enumerate() {
            writeln!(out, "b{at}:")?;
            for position in block.first..block.first + block.len {
                let position = position as usize;
                let text = inst(program, function, position);
                let id = InstId(function.first_inst.0 + position as u32);
                let site = site(program, id);
                let comment = comment(program, function.locs[position]);
                writeln!(out, "  {text}{site}{comment}")?;
            }
        }
        Ok(())
    })
}

impl Display for Program {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(out, "program {:?}", self.name)?;
        for found in &self.annotations.contexts {
            writeln!(out, "{}", context(found))?;
        }
        for global in &self.globals {
            write_global(self, global, out)?;
        }
        for at in 0..self.functions.len() {
            write!(out, "\n{}", function(self, FuncId::new(at)))?;
        }
        Ok(())
    }
}
