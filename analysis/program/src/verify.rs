//! An independent check that a [`Program`] keeps the promises that its readers rely on.
//!
//! Checked of each function:
//! 1. the vectors per instruction have one length, and a declaration has no body;
//! 2. blocks cover the instructions in order, none is empty, and terminators stand at block ends
//!    and nowhere else;
//! 3. spans, edges, registers, constants, types and callees lie in their tables;
//! 4. the parameters are the first registers; each other register is defined by one instruction
//!    or by the moves of one block, never both;
//! 5. an edge that a terminator takes leaves the terminator's block, no edge enters the entry
//!    block, and all edges into a block move to the same registers in the same order;
//! 6. operands have the type that their instruction works on (of constants that depend on
//!    addresses only the width is known), moves the type of their register.
//!
//! Checked of the program: ids equal positions; functions' first instructions add up; images of
//! globals have the global's size, relocations lie inside, sorted and disjoint; constants refer
//! to earlier constants; annotations sit on calls.
//!
//! Not checked: that definitions dominate uses (LLVM's verifier did, before reading).

use crate::constant::Constant;
use crate::function::Function;
use crate::ids::{BlockId, ConstId, EdgeId, FuncId, Reg, TypeId};
use crate::inst::{Callee, Inst, Operand, Span};
use crate::program::Program;
use crate::types::Type;
use std::fmt;

/// A promise that is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The function, and the position of the instruction in it, where known.
    pub place: Option<(FuncId, Option<usize>)>,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            None => write!(out, "{}", self.what),
            Some((function, None)) => write!(out, "function {}: {}", function.0, self.what),
            Some((function, Some(at))) => {
                write!(
                    out,
                    "function {}, instruction {at}: {}",
                    function.0, self.what
                )
            }
        }
    }
}

/// Checks a program; an empty list means that it is well-formed.
pub fn verify(program: &Program) -> Vec<Violation> {
    let mut found = Vec::new();
    check_globals(program, &mut found);
    check_constants(program, &mut found);
    check_annotations(program, &mut found);
    let mut next = 0;
    for (at, function) in program.functions.iter().enumerate() {
        let id = FuncId::new(at);
        let mut check = Check {
            program,
            function,
            id,
            position: None,
            found: &mut found,
        };
        check.require(function.id == id, || "its id is not its position".into());
        check.require(function.first_inst.0 == next, || {
            "its first instruction is off".into()
        });
        next += function.insts.len() as u32;
        check.function();
    }
    found
}

fn check_globals(program: &Program, found: &mut Vec<Violation>) {
    for global in &program.globals {
        let mut report = |what: &str| {
            let what = format!("global {}: {what}", global.name);
            found.push(Violation { place: None, what });
        };
        if !global.align.is_power_of_two() {
            report("its alignment is not a power of two");
        }
        let Some(image) = &global.initializer else {
            continue;
        };
        if image.bytes.len() as u64 != global.size {
            report("its image has another size");
        }
        let mut end = 0;
        for relocation in &image.relocations {
            if relocation.offset < end {
                report("its relocations overlap or are not sorted");
            }
            end = relocation.offset + relocation.size;
            if end > global.size || relocation.value.index() >= program.constants.len() {
                report("a relocation lies outside");
            } else if image.bytes[relocation.offset as usize..end as usize]
                .iter()
                .any(|&b| b != 0)
            {
                report("bytes under a relocation are not zero");
            }
        }
    }
}

fn check_constants(program: &Program, found: &mut Vec<Violation>) {
    for (at, constant) in program.constants.iter().enumerate() {
        let earlier = |id: &ConstId| id.index() < at;
        let ok = match constant {
            Constant::Int { width, value } => {
                (1..=128).contains(width) && *value <= crate::fold::mask(*width)
            }
            Constant::WideInt(width, limbs) => limbs.len() == width.div_ceil(64) as usize,
            Constant::Global(global, _) => global.index() < program.globals.len(),
            Constant::Function(function) => function.index() < program.functions.len(),
            Constant::Undef(ty) | Constant::Poison(ty) | Constant::Zero(ty) => {
                ty.index() < program.types.len()
            }
            Constant::Aggregate(ty, elements) => {
                ty.index() < program.types.len() && elements.iter().all(earlier)
            }
            Constant::Binary(_, _, lhs, rhs) | Constant::Compare(_, _, lhs, rhs) => {
                earlier(lhs) && earlier(rhs)
            }
            Constant::Cast(_, _, _, value) => earlier(value),
            Constant::Float(kind, bits) => *bits <= crate::fold::mask(kind.bits()),
            Constant::Null | Constant::Unsupported(_) => true,
        };
        if !ok {
            found.push(Violation {
                place: None,
                what: format!("constant {at} is malformed"),
            });
        }
    }
}

fn check_annotations(program: &Program, found: &mut Vec<Violation>) {
    for &id in program.annotations.sites.keys() {
        let is_call = id.index() < program.inst_count()
            && matches!(program.inst(id), Inst::Call { .. } | Inst::Invoke { .. });
        if !is_call {
            let what = format!("instruction {} is annotated but is no call", id.0);
            found.push(Violation { place: None, what });
        }
    }
    // The annotations are a hash map; what is reported must not depend on its order.
    found.sort_by(|a, b| a.what.cmp(&b.what));
}

/// The check of one function.
struct Check<'a> {
    program: &'a Program,
    function: &'a Function,
    id: FuncId,
    position: Option<usize>,
    found: &'a mut Vec<Violation>,
}

impl Check<'_> {
    fn require(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let place = Some((self.id, self.position));
            self.found.push(Violation {
                place,
                what: what(),
            });
        }
    }

    fn function(&mut self) {
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

    fn call(&mut self, dst: Option<Reg>, call: crate::inst::Call) {
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
