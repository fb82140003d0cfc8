//! The checks of one function.

use super::Violation;
use crate::constant::Constant;
use crate::function::Function;
use crate::ids::{BlockId, EdgeId, FuncId, Reg, TypeId};
use crate::inst::{Call, Callee, Inst, Operand, Span};
use crate::program::Program;
use crate::types::Type;

/// The check of one function.
pub(super) struct Check<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    pub id: FuncId,
    pub position: Option<usize>,
    pub found: &'a mut Vec<Violation>,
}

impl Check<'_> {
    pub fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let place = Some((self.id, self.position));
            self.found.push(Violation {
                place,
                what: what(),
            });
        }
    }

    pub fn function(&mut self) {
        let function = self.function;
        let count = function.insts.len();
        self.require(
            function.locs.len() == count && function.call_ordinals.len() == count,
            || "vectors per instruction differ in length".into(),
        );
        self.require(function.params.len() == function.byval.len(), || {
            "byval list".into()
        });
        if function.declaration {
            self.require(count == 0 && function.blocks.is_empty(), || {
                "has a body".into()
            });
            return;
        }
        self.require(
            function.reg_types.get(..function.params.len()) == Some(&function.params[..]),
            || "its parameters are not its first registers".into(),
        );
        if self.blocks() && self.edges() {
            self.definitions();
            for (at, &inst) in function.insts.iter().enumerate() {
                self.position = Some(at);
                self.inst(inst);
            }
        }
    }

    fn blocks(&mut self) -> bool {
        let function = self.function;
        let before = self.found.len();
        let mut next = 0;
        for block in &function.blocks {
            let end = block.first.saturating_add(block.len) as usize;
            let fits = block.first == next && block.len > 0 && end <= function.insts.len();
            self.require(fits, || "blocks do not cover the instructions".into());
            if !fits {
                return false;
            }
            for at in block.first as usize..end {
                let last = at + 1 == end;
                self.position = Some(at);
                self.require(function.insts[at].is_terminator() == last, || {
                    "a terminator inside a block or none at its end".into()
                });
            }
            self.position = None;
            next += block.len;
        }
        let covered = next as usize == function.insts.len() && next > 0;
        self.require(covered, || "instructions outside blocks".into());
        self.found.len() == before
    }

    fn edges(&mut self) -> bool {
        let function = self.function;
        let before = self.found.len();
        let mut moved: Vec<Option<Vec<Reg>>> = vec![None; function.blocks.len()];
        for edge in &function.edges {
            let known = edge.from.index() < function.blocks.len()
                && edge.to.index() < function.blocks.len();
            let span = edge.moves.range().end <= function.moves.len();
            self.require(known && span, || "an edge refers outside the tables".into());
            if !known || !span {
                continue;
            }
            let block = function.blocks[edge.from.index()];
            self.position = Some((block.first + block.len - 1) as usize);
            self.require(edge.to != BlockId(0), || {
                "an edge enters the entry block".into()
            });
            let steps = &function.moves[edge.moves.range()];
            let targets: Vec<_> = steps.iter().map(|step| step.dst).collect();
            for step in steps {
                let ty = function.reg_types.get(step.dst.index()).copied();
                let fits = ty.is_some_and(|ty| self.fits(step.src, ty));
                self.require(fits, || "a move between types".into());
            }
            let first = moved[edge.to.index()].get_or_insert_with(|| targets.clone());
            let same = *first == targets;
            self.require(same, || {
                format!("edges into b{} differ in their moves", edge.to.0)
            });
        }
        self.position = None;
        self.found.len() == before
    }

    /// Every register is defined in one way. A register defined nowhere belongs to unsupported
    /// or unreachable code and may only be used there, which LLVM has checked.
    fn definitions(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum By {
            Nothing,
            Inst,
            Block(BlockId),
        }
        let function = self.function;
        let mut by = vec![By::Nothing; function.reg_types.len()];
        by[..function.params.len()].fill(By::Inst);
        for (at, inst) in function.insts.iter().enumerate() {
            let Some(dst) = inst.dst() else {
                continue;
            };
            self.position = Some(at);
            let fresh = by.get(dst.index()) == Some(&By::Nothing);
            self.require(fresh, || format!("%{} is defined twice or unknown", dst.0));
            if fresh {
                by[dst.index()] = By::Inst;
            }
        }
        self.position = None;
        for edge in &function.edges {
            for step in &function.moves[edge.moves.range()] {
                let place = &mut by[step.dst.index()];
                let fresh = *place == By::Nothing || *place == By::Block(edge.to);
                *place = By::Block(edge.to);
                self.require(fresh, || format!("%{} is defined twice", step.dst.0));
            }
        }
    }

    /// Whether an operand may stand where a value of type `ty` is expected.
    fn fits(&self, operand: Operand, ty: TypeId) -> bool {
        if let Some(reg) = operand.as_reg() {
            return self.function.reg_types.get(reg.index()) == Some(&ty);
        }
        let Some(constant) = operand
            .as_constant()
            .and_then(|id| self.program.constants.get(id.index()))
        else {
            return false;
        };
        let types = &self.program.types;
        match (constant, types.get(ty)) {
            (Constant::Int { width, .. } | Constant::WideInt(width, _), Type::Int(bits)) => {
                width == bits
            }
            (Constant::Float(kind, _), Type::Float(wanted)) => kind == wanted,
            (Constant::Null | Constant::Global(..) | Constant::Function(_), other) => {
                *other == Type::Pointer
            }
            (
                Constant::Undef(own)
                | Constant::Poison(own)
                | Constant::Zero(own)
                | Constant::Aggregate(own, _),
                _,
            ) => *own == ty,
            (Constant::Binary(_, width, ..) | Constant::Cast(_, _, width, _), _) => {
                types.bits(ty) == Some(*width)
            }
            (Constant::Compare(..), Type::Int(1)) | (Constant::Unsupported(_), _) => true,
            _ => false,
        }
    }

    fn uses(&mut self, operands: &[(Operand, TypeId)]) {
        for &(operand, ty) in operands {
            let known = ty.index() < self.program.types.len();
            let fits = known && self.fits(operand, ty);
            self.require(fits, || format!("operand {operand:?} is not of its type"));
        }
    }

    fn pointer(&mut self, operand: Operand) {
        let fits = match operand.as_reg() {
            Some(reg) => {
                let ty = self.function.reg_types.get(reg.index());
                ty.is_some_and(|&ty| *self.program.types.get(ty) == Type::Pointer)
            }
            None => operand
                .as_constant()
                .is_some_and(|id| id.index() < self.program.constants.len()),
        };
        self.require(fits, || "an address that is no pointer".into());
    }

    fn result(&mut self, dst: Reg, ty: TypeId) {
        let fits = self.function.reg_types.get(dst.index()) == Some(&ty);
        self.require(fits, || format!("%{} is not of its type", dst.0));
    }

    fn span<T>(&mut self, span: Span, table: &[T]) -> bool {
        let fits = span.range().end <= table.len();
        self.require(fits, || "a span leaves its table".into());
        fits
    }

    fn edge(&mut self, edge: EdgeId) {
        let at = self.position.unwrap_or(0);
        let from = self.function.block_of(at);
        let own = self
            .function
            .edges
            .get(edge.index())
            .is_some_and(|edge| edge.from == from);
        self.require(own, || "takes an edge of another block".into());
    }

    fn inst(&mut self, inst: Inst) {
        match inst {
            Inst::Binary {
                ty, dst, lhs, rhs, ..
            }
            | Inst::Float {
                ty, dst, lhs, rhs, ..
            } => {
                self.uses(&[(lhs, ty), (rhs, ty)]);
                self.result(dst, ty);
            }
            Inst::Compare { ty, lhs, rhs, .. } | Inst::FloatCompare { ty, lhs, rhs, .. } => {
                self.uses(&[(lhs, ty), (rhs, ty)]);
            }
            Inst::Cast {
                from,
                to,
                dst,
                value,
                ..
            } => {
                self.uses(&[(value, from)]);
                self.result(dst, to);
            }
            Inst::Select {
                ty,
                dst,
                then,
                otherwise,
                ..
            } => {
                self.uses(&[(then, ty), (otherwise, ty)]);
                self.result(dst, ty);
            }
            Inst::Freeze { ty, dst, value } => {
                self.uses(&[(value, ty)]);
                self.result(dst, ty);
            }
            Inst::ExtractValue {
                ty,
                aggregate,
                path,
                ..
            } => {
                self.uses(&[(aggregate, ty)]);
                self.span(path, &self.function.indices);
            }
            Inst::InsertValue {
                ty,
                dst,
                aggregate,
                path,
                ..
            } => {
                self.uses(&[(aggregate, ty)]);
                self.result(dst, ty);
                self.span(path, &self.function.indices);
            }
            Inst::ExtractElement { ty, vector, .. } => self.uses(&[(vector, ty)]),
            Inst::InsertElement {
                ty, dst, vector, ..
            } => {
                self.uses(&[(vector, ty)]);
                self.result(dst, ty);
            }
            Inst::Shuffle {
                ty, lhs, rhs, mask, ..
            } => {
                self.uses(&[(lhs, ty), (rhs, ty)]);
                self.span(mask, &self.function.indices);
            }
            Inst::LandingPad {
                ty, dst, clauses, ..
            } => {
                self.span(clauses, &self.function.call_args);
                self.result(dst, ty);
            }
            Inst::Unsupported { what, .. } => {
                let known = (what as usize) < self.function.asm_texts.len();
                self.require(known, || "an unknown text".into());
            }
            Inst::Call { dst, call } | Inst::Invoke { dst, call, .. } => {
                self.call(dst, call);
                if let Inst::Invoke { normal, unwind, .. } = inst {
                    self.edge(normal);
                    self.edge(unwind);
                }
            }
            _ if inst.is_terminator() => self.terminator(inst),
            _ => self.memory(inst),
        }
    }

    fn call(&mut self, dst: Option<Reg>, call: Call) {
        let at = self.position.unwrap_or(0);
        self.require(self.function.call_ordinals[at] != u32::MAX, || {
            "no ordinal".into()
        });
        self.span(call.args, &self.function.call_args);
        match call.callee {
            Callee::Direct(id) => {
                let known = id.index() < self.program.functions.len();
                self.require(known, || "an unknown callee".into());
            }
            Callee::Indirect(operand) => self.pointer(operand),
            Callee::Asm(text) => {
                let known = (text as usize) < self.function.asm_texts.len();
                self.require(known, || "an unknown text".into());
            }
        }
        match dst {
            Some(dst) => self.result(dst, call.ret),
            None => {
                let void = *self.program.types.get(call.ret) == Type::Void;
                self.require(void, || "a result without a register".into());
            }
        }
    }

    fn memory(&mut self, inst: Inst) {
        match inst {
            Inst::Alloca {
                count, count_ty, ..
            } => self.uses(&[(count, count_ty)]),
            Inst::Load {
                ty, dst, pointer, ..
            } => {
                self.pointer(pointer);
                self.result(dst, ty);
            }
            Inst::Store {
                ty, value, pointer, ..
            } => {
                self.pointer(pointer);
                self.uses(&[(value, ty)]);
            }
            Inst::Gep { base, terms, .. } => {
                self.pointer(base);
                if !self.span(terms, &self.function.gep_terms) {
                    return;
                }
                for &(index, width, _) in &self.function.gep_terms[terms.range()] {
                    if let Some(reg) = index.as_reg() {
                        let ty = self.function.reg_types.get(reg.index()).copied();
                        let bits = ty.and_then(|ty| self.program.types.bits(ty));
                        self.require(bits == Some(width), || "an index of another width".into());
                    }
                }
            }
            Inst::AtomicRmw {
                ty,
                dst,
                pointer,
                value,
                ..
            } => {
                self.pointer(pointer);
                self.uses(&[(value, ty)]);
                self.result(dst, ty);
            }
            Inst::CompareExchange {
                ty,
                pointer,
                expected,
                new,
                ..
            } => {
                self.pointer(pointer);
                self.uses(&[(expected, ty), (new, ty)]);
            }
            _ => {}
        }
    }

    fn terminator(&mut self, inst: Inst) {
        match inst {
            Inst::Jump { edge } => self.edge(edge),
            Inst::Branch {
                then, otherwise, ..
            } => {
                self.edge(then);
                self.edge(otherwise);
            }
            Inst::Switch {
                ty,
                value,
                cases,
                default,
            } => {
                self.uses(&[(value, ty)]);
                self.edge(default);
                if self.span(cases, &self.function.switch_cases) {
                    for &(_, edge) in &self.function.switch_cases[cases.range()] {
                        self.edge(edge);
                    }
                }
            }
            Inst::Return { value: Some(value) } => self.uses(&[(value, self.function.ret)]),
            _ => {}
        }
    }
}
