//! Instructions as text.

use super::{Text, list, operand, ty};
use crate::function::{Function, Move};
use crate::ids::{EdgeId, TypeId};
use crate::inst::{Call, Callee, Inst, Operand, Span};
use crate::program::Program;
use std::fmt::{self, Display, Formatter};

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
            let text = |step: &Move| format!("%{} <- {}", step.dst.0, self.op(step.src));
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
            Inst::LandingPad {
                cleanup, clauses, ..
            } => {
                write!(out, "landingpad")?;
                for &clause in &self.function.call_args[clauses.range()] {
                    write!(out, " catch {}", self.op(clause))?;
                }
                write!(out, "{}", if cleanup { " cleanup" } else { "" })
            }
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
            Inst::Resume { value } => write!(out, "resume {}", self.op(value)),
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
