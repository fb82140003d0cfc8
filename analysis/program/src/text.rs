//! `Program` as text, for people: one line per instruction, registers `%5`, blocks `b2`, the
//! source location behind `;`. A jump shows the moves of its edge: `b3 [%4 <- %2]`.

use crate::constant::{Constant, Global};
use crate::function::{Function, Location};
use crate::ids::{ConstId, EdgeId, FuncId, LocId, TypeId};
use crate::inst::{Call, Callee, Inst, Operand, Span};
use crate::program::Program;
use crate::types::Type;
use std::fmt::{self, Display, Formatter};

/// Longest prefix of an initialiser that is shown, in bytes.
const SHOWN_BYTES: usize = 32;

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

/// One instruction of a function, without its location.
pub fn inst<'p>(program: &'p Program, function: &'p Function, at: usize) -> impl Display + 'p {
    let line = Line { program, function };
    Text(move |out: &mut Formatter<'_>| line.write(out, &function.insts[at]))
}

/// What the text of an instruction is looked up in.
#[derive(Clone, Copy)]
struct Line<'p> {
    program: &'p Program,
    function: &'p Function,
}

impl<'p> Line<'p> {
    fn ty(self, id: TypeId) -> impl Display + 'p {
        ty(self.program, id)
    }

    fn op(self, id: Operand) -> impl Display + 'p {
        operand(self.program, id)
    }

    fn edge(self, id: EdgeId) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| {
            let edge = self.function.edges[id.index()];
            write!(out, "b{}", edge.to.0)?;
            let moves = &self.function.moves[edge.moves.range()];
            if moves.is_empty() {
                return Ok(());
            }
            write!(out, " [")?;
            let text =
                |step: &crate::function::Move| format!("%{} <- {}", step.dst.0, self.op(step.src));
            list(out, moves.iter().map(text))?;
            write!(out, "]")
        })
    }

    fn indices(self, span: Span) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| list(out, self.function.indices[span.range()].iter()))
    }

    fn call(self, call: Call) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| {
            write!(out, "{} ", self.ty(call.ret))?;
            match call.callee {
                Callee::Direct(id) => write!(out, "@{}", self.program.function(id).name)?,
                Callee::Indirect(pointer) => write!(out, "*{}", self.op(pointer))?,
                Callee::Asm(text) => {
                    write!(out, "asm {:?}", self.function.asm_texts[text as usize])?;
                }
            }
            write!(out, "(")?;
            let args = &self.function.call_args[call.args.range()];
            list(out, args.iter().map(|&argument| self.op(argument)))?;
            write!(out, ")")
        })
    }

    fn write(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        if let Some(dst) = inst.dst() {
            write!(out, "%{} = ", dst.0)?;
        }
        match *inst {
            Inst::Binary {
                op, ty, lhs, rhs, ..
            } => self.pair(out, &op, ty, lhs, rhs),
            Inst::Float {
                op, ty, lhs, rhs, ..
            } => {
                write!(out, "f")?;
                self.pair(out, &op, ty, lhs, rhs)
            }
            Inst::Compare {
                predicate,
                ty,
                lhs,
                rhs,
                ..
            } => {
                write!(out, "icmp ")?;
                self.pair(out, &predicate, ty, lhs, rhs)
            }
            Inst::FloatCompare {
                predicate,
                ty,
                lhs,
                rhs,
                ..
            } => {
                write!(out, "fcmp ")?;
                self.pair(out, &predicate, ty, lhs, rhs)
            }
            Inst::Cast {
                op,
                from,
                to,
                value,
                ..
            } => {
                let op = format!("{op:?}").to_lowercase();
                write!(
                    out,
                    "{op} {} {} to {}",
                    self.ty(from),
                    self.op(value),
                    self.ty(to)
                )
            }
            Inst::Select {
                ty,
                cond,
                then,
                otherwise,
                ..
            } => {
                let (cond, then) = (self.op(cond), self.op(then));
                write!(
                    out,
                    "select {cond}, {} {then}, {}",
                    self.ty(ty),
                    self.op(otherwise)
                )
            }
            Inst::Freeze { ty, value, .. } => {
                write!(out, "freeze {} {}", self.ty(ty), self.op(value))
            }
            Inst::ExtractValue { .. }
            | Inst::InsertValue { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. } => self.write_aggregate(out, inst),
            Inst::Call { call, .. } => write!(out, "call {}", self.call(call)),
            Inst::Unsupported { what, .. } => {
                write!(
                    out,
                    "unsupported {:?}",
                    self.function.asm_texts[what as usize]
                )
            }
            _ if inst.is_terminator() => self.write_terminator(out, inst),
            _ => self.write_memory(out, inst),
        }
    }

    fn pair(
        self,
        out: &mut Formatter<'_>,
        op: &impl fmt::Debug,
        ty: TypeId,
        lhs: Operand,
        rhs: Operand,
    ) -> fmt::Result {
        let op = format!("{op:?}").to_lowercase();
        write!(
            out,
            "{op} {} {}, {}",
            self.ty(ty),
            self.op(lhs),
            self.op(rhs)
        )
    }

    fn write_aggregate(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::ExtractValue {
                ty,
                aggregate,
                path,
                ..
            } => {
                let path = self.indices(path);
                write!(
                    out,
                    "extractvalue {} {}, [{path}]",
                    self.ty(ty),
                    self.op(aggregate)
                )
            }
            Inst::InsertValue {
                ty,
                aggregate,
                element,
                path,
                ..
            } => {
                let (ty, aggregate) = (self.ty(ty), self.op(aggregate));
                let path = self.indices(path);
                write!(
                    out,
                    "insertvalue {ty} {aggregate}, {}, [{path}]",
                    self.op(element)
                )
            }
            Inst::ExtractElement {
                ty, vector, index, ..
            } => {
                let (vector, index) = (self.op(vector), self.op(index));
                write!(out, "extractelement {} {vector}, {index}", self.ty(ty))
            }
            Inst::InsertElement {
                ty,
                vector,
                element,
                index,
                ..
            } => {
                let (ty, vector) = (self.ty(ty), self.op(vector));
                let (element, index) = (self.op(element), self.op(index));
                write!(out, "insertelement {ty} {vector}, {element}, {index}")
            }
            Inst::Shuffle {
                ty, lhs, rhs, mask, ..
            } => {
                let (lhs, rhs) = (self.op(lhs), self.op(rhs));
                write!(out, "shuffle {} {lhs}, {rhs}, [", self.ty(ty))?;
                let mask = self.function.indices[mask.range()].iter();
                list(
                    out,
                    mask.map(|&at| if at == u32::MAX { -1 } else { i64::from(at) }),
                )?;
                write!(out, "]")
            }
            _ => Ok(()),
        }
    }

    fn write_memory(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::Alloca {
                element_size,
                count,
                align,
                ..
            } => {
                write!(
                    out,
                    "alloca {element_size} bytes * {}, align {align}",
                    self.op(count)
                )
            }
            Inst::Load {
                ty,
                pointer,
                access,
                ..
            } => {
                let marks = marks(access.volatile, access.atomic);
                let (ty, pointer) = (self.ty(ty), self.op(pointer));
                write!(out, "load{marks} {ty} {pointer}, align {}", access.align)
            }
            Inst::Store {
                ty,
                value,
                pointer,
                access,
            } => {
                let marks = marks(access.volatile, access.atomic);
                let (ty, value) = (self.ty(ty), self.op(value));
                write!(out, "store{marks} {ty} {value} to {}", self.op(pointer))?;
                write!(out, ", align {}", access.align)
            }
            Inst::Gep {
                base,
                offset,
                terms,
                ..
            } => {
                write!(out, "address {}", self.op(base))?;
                if offset != 0 {
                    write!(out, " {offset:+}")?;
                }
                for &(index, width, scale) in &self.function.gep_terms[terms.range()] {
                    write!(out, " + {scale} * i{width} {}", self.op(index))?;
                }
                Ok(())
            }
            Inst::AtomicRmw {
                op,
                ty,
                pointer,
                value,
                ..
            } => {
                let op = format!("{op:?}").to_lowercase();
                let (pointer, value) = (self.op(pointer), self.op(value));
                write!(out, "atomic {op} {} {pointer}, {value}", self.ty(ty))
            }
            Inst::CompareExchange {
                ty,
                pointer,
                expected,
                new,
                ..
            } => {
                let (ty, pointer) = (self.ty(ty), self.op(pointer));
                let (expected, new) = (self.op(expected), self.op(new));
                write!(out, "compare-exchange {ty} {pointer}, {expected}, {new}")
            }
            _ => write!(out, "fence"),
        }
    }

    fn write_terminator(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::Jump { edge } => write!(out, "jump {}", self.edge(edge)),
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (self.edge(then), self.edge(otherwise));
                write!(out, "branch {}, {then}, {otherwise}", self.op(cond))
            }
            Inst::Switch {
                ty,
                value,
                cases,
                default,
            } => {
                write!(out, "switch {} {}", self.ty(ty), self.op(value))?;
                for &(case, edge) in &self.function.switch_cases[cases.range()] {
                    write!(out, ", {case} => {}", self.edge(edge))?;
                }
                write!(out, ", default => {}", self.edge(default))
            }
            Inst::Return { value: Some(value) } => write!(out, "return {}", self.op(value)),
            Inst::Return { value: None } => write!(out, "return"),
            Inst::Invoke {
                call,
                normal,
                unwind,
                ..
            } => {
                let (normal, unwind) = (self.edge(normal), self.edge(unwind));
                write!(
                    out,
                    "invoke {} to {normal}, unwind {unwind}",
                    self.call(call)
                )
            }
            _ => write!(out, "unreachable"),
        }
    }
}

fn marks(volatile: bool, atomic: bool) -> &'static str {
    match (volatile, atomic) {
        (true, true) => " volatile atomic",
        (true, false) => " volatile",
        (false, true) => " atomic",
        (false, false) => "",
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
        Some(image) if image.bytes.iter().all(|&byte| byte == 0) => write!(out, ", zero")?,
        Some(image) => {
            write!(out, ", 0x")?;
            let shown = image.bytes.len().min(SHOWN_BYTES);
            image.bytes[..shown]
                .iter()
                .try_for_each(|byte| write!(out, "{byte:02x}"))?;
            write!(
                out,
                "{}",
                if shown < image.bytes.len() { "..." } else { "" }
            )?;
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
        write!(out, "{})", if function.variadic { ", ..." } else { "" })?;
        writeln!(out, "{}", comment(program, function.location))?;
        for (at, block) in function.blocks.iter().enumerate() {
            writeln!(out, "b{at}:")?;
            for position in block.first..block.first + block.len {
                let position = position as usize;
                let text = inst(program, function, position);
                writeln!(out, "  {text}{}", comment(program, function.locs[position]))?;
            }
        }
        Ok(())
    })
}

impl Display for Program {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        writeln!(out, "program {:?}", self.name)?;
        for global in &self.globals {
            write_global(self, global, out)?;
        }
        for at in 0..self.functions.len() {
            write!(out, "\n{}", function(self, FuncId::new(at)))?;
        }
        Ok(())
    }
}
