//! Instructions as text.

use super::{Printer, Text, list, quoted};
use crate::function::{Function, Move};
use crate::ids::{EdgeId, TypeId};
use crate::inst::{Access, Call, Callee, FloatOp, Inst, Operand, Span};
use crate::text::words::Worded as _;
use std::fmt::{self, Display, Formatter};

/// What the text of an instruction is looked up in.
#[derive(Clone, Copy)]
pub struct Line<'p> {
    pub printer: &'p Printer<'p>,
    pub function: &'p Function,
}

impl<'p> Line<'p> {
    /// The instruction at a position.
    pub fn write(self, out: &mut Formatter<'_>, at: usize) -> fmt::Result {
        let inst = &self.function.insts[at];
        if let Some(dst) = inst.dst() {
            let types = &self.printer.program.types;
            let own = self.function.reg_types[dst.index()];
            write!(out, "%{}", dst.0)?;
            let derived = types.result(inst, &self.function.indices);
            if derived.and_then(|ty| types.find(&ty)) != Some(own) {
                write!(out, ": {}", self.ty(own))?;
            }
            write!(out, " = ")?;
        }
        match inst {
            _ if inst.is_terminator() => self.terminator(out, inst),
            Inst::Alloca { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Gep { .. }
            | Inst::AtomicRmw { .. }
            | Inst::CompareExchange { .. }
            | Inst::Fence => self.memory(out, inst),
            Inst::ExtractValue { .. }
            | Inst::InsertValue { .. }
            | Inst::ExtractElement { .. }
            | Inst::InsertElement { .. }
            | Inst::Shuffle { .. } => self.aggregate(out, inst),
            Inst::Call { .. } | Inst::LandingPad { .. } | Inst::Unsupported { .. } => {
                self.call_like(out, inst)
            }
            _ => self.scalar(out, inst),
        }
    }

    fn ty(self, id: TypeId) -> impl Display + 'p {
        self.printer.ty(id)
    }

    /// An operand whose type the text says.
    fn op(self, operand: Operand, ty: TypeId) -> impl Display + 'p {
        self.printer.operand(operand, Some(ty))
    }

    /// An operand whose type the text does not say.
    fn own(self, operand: Operand) -> impl Display + 'p {
        self.printer.operand(operand, None)
    }

    fn edge(self, id: EdgeId) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| {
            let edge = self.function.edges[id.index()];
            write!(out, "b{}", edge.to.0)?;
            let moves = &self.function.moves[edge.moves.range()];
            if moves.is_empty() {
                return Ok(());
            }
            write!(out, "(")?;
            let source = |step: &Move| self.op(step.src, self.function.reg_types[step.dst.index()]);
            list(out, moves.iter().map(source))?;
            write!(out, ")")
        })
    }

    fn pair(
        self,
        out: &mut Formatter<'_>,
        word: &str,
        ty: TypeId,
        lhs: Operand,
        rhs: Operand,
    ) -> fmt::Result {
        let (lhs, rhs) = (self.op(lhs, ty), self.op(rhs, ty));
        write!(out, "{word} {} {lhs}, {rhs}", self.ty(ty))
    }

    fn scalar(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::Binary {
                op, ty, lhs, rhs, ..
            } => self.pair(out, op.word(), ty, lhs, rhs),
            Inst::Float {
                op: FloatOp::Neg,
                ty,
                lhs,
                rhs,
                ..
            } if lhs == rhs => write!(out, "fneg {} {}", self.ty(ty), self.op(lhs, ty)),
            Inst::Float {
                op, ty, lhs, rhs, ..
            } => self.pair(out, op.word(), ty, lhs, rhs),
            Inst::Compare {
                predicate,
                ty,
                lhs,
                rhs,
                ..
            } => {
                write!(out, "icmp ")?;
                self.pair(out, predicate.word(), ty, lhs, rhs)
            }
            Inst::FloatCompare {
                predicate,
                signals,
                ty,
                lhs,
                rhs,
                ..
            } => {
                write!(out, "fcmp {}", if signals { "signals " } else { "" })?;
                self.pair(out, predicate.word(), ty, lhs, rhs)
            }
            Inst::Cast {
                op,
                from,
                to,
                value,
                ..
            } => {
                let (source, value, target) = (self.ty(from), self.op(value, from), self.ty(to));
                write!(out, "{} {source} {value} to {target}", op.word())
            }
            Inst::Select {
                ty,
                cond,
                then,
                otherwise,
                ..
            } => {
                write!(out, "select {}, ", self.own(cond))?;
                let (then, otherwise) = (self.op(then, ty), self.op(otherwise, ty));
                write!(out, "{} {then}, {otherwise}", self.ty(ty))
            }
            Inst::Freeze { ty, value, .. } => {
                write!(out, "freeze {} {}", self.ty(ty), self.op(value, ty))
            }
            _ => Err(fmt::Error),
        }
    }

    fn aggregate(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::ExtractValue {
                ty,
                aggregate,
                path,
                ..
            } => {
                let (aggregate, path) = (self.op(aggregate, ty), self.indices(path));
                write!(out, "extractvalue {} {aggregate}, {path}", self.ty(ty))
            }
            Inst::InsertValue {
                ty,
                aggregate,
                element,
                path,
                ..
            } => {
                let (aggregate, path) = (self.op(aggregate, ty), self.indices(path));
                let (ty, element) = (self.ty(ty), self.own(element));
                write!(out, "insertvalue {ty} {aggregate}, {element}, {path}")
            }
            Inst::ExtractElement {
                ty, vector, index, ..
            } => {
                let (vector, index) = (self.op(vector, ty), self.own(index));
                write!(out, "extractelement {} {vector}, {index}", self.ty(ty))
            }
            Inst::InsertElement {
                ty,
                vector,
                element,
                index,
                ..
            } => {
                let (vector, element) = (self.op(vector, ty), self.own(element));
                let (ty, index) = (self.ty(ty), self.own(index));
                write!(out, "insertelement {ty} {vector}, {element}, {index}")
            }
            Inst::Shuffle {
                ty, lhs, rhs, mask, ..
            } => {
                self.pair(out, "shuffle", ty, lhs, rhs)?;
                write!(out, ", [")?;
                let mask = self.function.indices[mask.range()].iter();
                list(
                    out,
                    mask.map(|&at| if at == u32::MAX { -1 } else { i64::from(at) }),
                )?;
                write!(out, "]")
            }
            _ => Err(fmt::Error),
        }
    }

    fn indices(self, span: Span) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| {
            write!(out, "[")?;
            list(out, self.function.indices[span.range()].iter())?;
            write!(out, "]")
        })
    }

    fn memory(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::Alloca {
                element_size,
                count,
                count_ty,
                align,
                ..
            } => {
                let (ty, count) = (self.ty(count_ty), self.op(count, count_ty));
                write!(
                    out,
                    "alloca {element_size} bytes * {ty} {count}, align {align}"
                )
            }
            Inst::Load {
                ty,
                pointer,
                access,
                ..
            } => {
                let (marks, pointer) = (marks(access), self.own(pointer));
                let ty = self.ty(ty);
                write!(out, "load{marks} {ty} {pointer}, align {}", access.align)
            }
            Inst::Store {
                ty,
                value,
                pointer,
                access,
            } => {
                let (marks, pointer) = (marks(access), self.own(pointer));
                let (value, ty) = (self.op(value, ty), self.ty(ty));
                write!(out, "store{marks} {ty} {value} to {pointer}")?;
                write!(out, ", align {}", access.align)
            }
            Inst::Gep {
                base,
                offset,
                terms,
                ..
            } => {
                write!(out, "address {}", self.own(base))?;
                if offset != 0 {
                    write!(out, ", {offset:+}")?;
                }
                for &(index, width, scale) in &self.function.gep_terms[terms.range()] {
                    write!(out, ", {scale} * i{width} {}", self.own(index))?;
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
                let (pointer, value) = (self.own(pointer), self.op(value, ty));
                let (op, ty) = (op.word(), self.ty(ty));
                write!(out, "atomic {op} {pointer}, {ty} {value}")
            }
            Inst::CompareExchange {
                ty,
                pointer,
                expected,
                new,
                ..
            } => {
                write!(out, "cmpxchg {}, ", self.own(pointer))?;
                let (expected, new) = (self.op(expected, ty), self.op(new, ty));
                write!(out, "{} {expected}, {new}", self.ty(ty))
            }
            _ => write!(out, "fence"),
        }
    }

    fn call_like(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::Call { call, .. } => write!(out, "call {}", self.call(call)),
            Inst::LandingPad {
                ty,
                cleanup,
                clauses,
                ..
            } => {
                let cleanup = if cleanup { " cleanup" } else { "" };
                write!(out, "landingpad {}{cleanup}", self.ty(ty))?;
                let mut clauses = self.function.call_args[clauses.range()].iter();
                clauses.try_for_each(|&clause| write!(out, " catch {}", self.own(clause)))
            }
            Inst::Unsupported { what, .. } => {
                let text = &self.function.asm_texts[what as usize];
                write!(out, "unsupported {}", quoted(text.as_bytes()))
            }
            _ => Err(fmt::Error),
        }
    }

    fn call(self, call: Call) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| {
            write!(out, "{} ", self.ty(call.ret))?;
            match call.callee {
                Callee::Direct(id) => write!(out, "{}", self.printer.function_name(id))?,
                Callee::Indirect(pointer) => write!(out, "*{}", self.own(pointer))?,
                Callee::Asm(text) => {
                    let text = &self.function.asm_texts[text as usize];
                    write!(out, "asm {}", quoted(text.as_bytes()))?;
                }
            }
            write!(out, "(")?;
            list(out, call.args.range().map(|at| self.argument(at)))?;
            write!(out, ")")
        })
    }

    /// An entry of the table of arguments.
    fn argument(self, at: usize) -> impl Display + 'p {
        Text(move |out: &mut Formatter<'_>| {
            let copies = &self.function.byval_args;
            if let Ok(found) = copies.binary_search_by_key(&at, |copy| copy.0 as usize) {
                let (_, size, align) = copies[found];
                write!(out, "byval {size} align {align} ")?;
            }
            write!(out, "{}", self.own(self.function.call_args[at]))
        })
    }

    fn terminator(self, out: &mut Formatter<'_>, inst: &Inst) -> fmt::Result {
        match *inst {
            Inst::Jump { edge } => write!(out, "jump {}", self.edge(edge)),
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => {
                let (then, otherwise) = (self.edge(then), self.edge(otherwise));
                write!(out, "branch {}, {then}, {otherwise}", self.own(cond))
            }
            Inst::Switch {
                ty,
                value,
                cases,
                default,
            } => {
                write!(out, "switch {} {}", self.ty(ty), self.op(value, ty))?;
                for &(case, edge) in &self.function.switch_cases[cases.range()] {
                    write!(out, ", {case} => {}", self.edge(edge))?;
                }
                write!(out, ", default => {}", self.edge(default))
            }
            Inst::Return { value: Some(value) } => {
                write!(out, "return {}", self.op(value, self.function.ret))
            }
            Inst::Return { value: None } => write!(out, "return"),
            Inst::Resume { value } => write!(out, "resume {}", self.own(value)),
            Inst::Invoke {
                call,
                normal,
                unwind,
                ..
            } => {
                let (normal, unwind) = (self.edge(normal), self.edge(unwind));
                let call = self.call(call);
                write!(out, "invoke {call} to {normal}, unwind {unwind}")
            }
            _ => write!(out, "unreachable"),
        }
    }
}

fn marks(access: Access) -> &'static str {
    match (access.volatile, access.atomic) {
        (true, true) => " volatile atomic",
        (true, false) => " volatile",
        (false, true) => " atomic",
        (false, false) => "",
    }
}
