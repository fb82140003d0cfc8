//! Which narrow values can be pieces of a pointer that is put together again?
//!
//! A pointer can be copied byte by byte or in halves, so an integer narrower than a pointer may
//! matter. Most do not: a length read from a field next to a pointer, a character of a string.
//! To rebuild a pointer, a program must store all of its pieces side by side, or shift and join
//! them. So a piece counts only if it reaches, in its function,
//! - a narrow store in a loop, or one of as many narrow stores of a width as carry a whole pointer
//!   together: a character that was widened carries one byte, what a decoder shifted by less than a
//!   byte carries none;
//! - a shift or a disjunction of whole words, a conversion to a pointer, or a vector;
//! - the interface, or any store, of a *helper*: a small function without calls.
//!
//! Searched backwards through operations that keep bytes, phis, and local variables in memory.
//! Where a whole word is cut, only pieces that were shifted down first count: no pointer can be put
//! together again from its low end alone, and the other pieces bring its object along.
//! Arithmetic makes numbers of pieces. Pieces that pass through larger functions one at a time,
//! as characters through a stream, are the one thing that this leaves out.

use super::Extractor;
use crate::cycles;
use plat_program::{
    BinaryOp, Callee, CastOp, Constant, Function, Inst, Operand, Program, Reg, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Bytes of a pointer.
const POINTER: u64 = 8;

impl Extractor<'_> {
    /// Whether a type is narrower than a pointer.
    pub(super) fn is_narrow(&self, ty: TypeId) -> bool {
        is_narrow(self.program, ty)
    }

    /// Whether a register can hold a pointer, or a piece of one that counts.
    pub(super) fn holds(&mut self, function: &Function, reg: Reg) -> bool {
        let ty = function.reg_types[reg.index()];
        self.carries(ty) && (!self.is_narrow(ty) || self.pieces(function).contains(&reg))
    }

    fn pieces(&mut self, function: &Function) -> Rc<FxHashSet<Reg>> {
        if let Some(known) = self.pieces.get(&function.id) {
            return Rc::clone(known);
        }
        let found = Rc::new(Search::new(self, function).run());
        self.pieces.insert(function.id, Rc::clone(&found));
        found
    }

    fn is_helper(&self, function: &Function) -> bool {
        !function.declaration
            && function.insts.len() <= self.config.helper_size
            && crate::clones::is_leaf(self.program, function)
    }
}

fn is_narrow(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Int(bits) if *bits < 64)
}

/// The search in one function.
struct Search<'a> {
    extractor: &'a Extractor<'a>,
    function: &'a Function,
    helper: bool,
    defined: FxHashMap<Reg, &'a Inst>,
    /// What is stored through a register, for local variables.
    stored: FxHashMap<Reg, Vec<Operand>>,
    phis: FxHashMap<Reg, Vec<Reg>>,
    open: Vec<Reg>,
}

impl<'a> Search<'a> {
    fn new(extractor: &'a Extractor<'a>, function: &'a Function) -> Self {
        Self {
            extractor,
            function,
            helper: extractor.is_helper(function),
            defined: FxHashMap::default(),
            stored: FxHashMap::default(),
            phis: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    fn is_narrow(&self, ty: TypeId) -> bool {
        is_narrow(self.extractor.program, ty)
    }

    fn run(mut self) -> FxHashSet<Reg> {
        for inst in &self.function.insts {
            if let Some(dst) = inst.dst() {
                self.defined.insert(dst, inst);
            }
        }
        for inst in &self.function.insts {
            self.start(inst);
        }
        for step in &self.function.moves {
            let sources = self.phis.entry(step.dst).or_default();
            sources.extend(step.src.as_reg());
        }
        self.stores();
        let mut wanted: FxHashSet<Reg> = FxHashSet::default();
        while let Some(reg) = self.open.pop() {
            if !wanted.insert(reg) {
                continue;
            }
            self.open.extend(self.phis.get(&reg).into_iter().flatten());
            if let Some(&inst) = self.defined.get(&reg) {
                self.back(inst);
            }
        }
        let types = &self.function.reg_types;
        wanted.retain(|reg| self.is_narrow(types[reg.index()]));
        wanted
    }

    fn want(&mut self, operands: impl IntoIterator<Item = Operand>) {
        self.open
            .extend(operands.into_iter().filter_map(|operand| operand.as_reg()));
    }

    /// Narrow stores that may be part of a copy: all in loops, and as many of one width as carry a
    /// whole pointer together.
    fn stores(&mut self) {
        let (program, function) = (self.extractor.program, self.function);
        let looping = blocks_in_loops(function);
        let mut narrow: Vec<(u64, usize, Operand)> = Vec::new();
        for (at, inst) in function.insts.iter().enumerate() {
            if let Inst::Store {
                ty, value, pointer, ..
            } = *inst
            {
                if let Some(variable) = pointer.as_reg() {
                    self.stored.entry(variable).or_default().push(value);
                }
                if is_narrow(program, ty) && value.as_reg().is_some() {
                    narrow.push((self.width(ty), at, value));
                }
            }
        }
        let mut carried: FxHashMap<u64, u64> = FxHashMap::default();
        for &(width, _, value) in &narrow {
            *carried.entry(width).or_default() += self.carried(value, width);
        }
        for &(width, at, value) in &narrow {
            let in_loop = looping[function.block_of(at).index()];
            if self.helper || in_loop || carried[&width] >= POINTER {
                self.want([value]);
            }
        }
    }

    fn width(&self, ty: TypeId) -> u64 {
        self.extractor.program.types.store_size(ty).max(1)
    }

    /// The other uses that pieces are put together by.
    fn start(&mut self, inst: &Inst) {
        match *inst {
            Inst::Binary {
                op, ty, lhs, rhs, ..
            } if !self.is_narrow(ty) => self.join(op, lhs, rhs),
            Inst::Cast {
                op: CastOp::IntToPtr | CastOp::Bitcast,
                value,
                ..
            } => self.want([value]),
            Inst::InsertValue { element, .. } | Inst::InsertElement { element, .. } => {
                self.want([element]);
            }
            Inst::Return { value: Some(value) } if self.helper => self.want([value]),
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
                let program = self.extractor.program;
                if let Callee::Direct(callee) = call.callee
                    && self.extractor.is_helper(program.function(callee))
                {
                    let arguments = &self.function.call_args[call.args.range()];
                    self.want(arguments.iter().copied());
                }
            }
            _ => {}
        }
    }

    fn join(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand) {
        let is_constant = |operand: Operand| operand.as_constant().is_some();
        let is_shift = |operand: Operand| {
            let definition = operand.as_reg().and_then(|reg| self.defined.get(&reg));
            matches!(
                definition,
                Some(Inst::Binary {
                    op: BinaryOp::Shl,
                    ..
                })
            )
        };
        let variable = !is_constant(lhs) && !is_constant(rhs);
        match op {
            BinaryOp::Shl if self.shifts_bytes(rhs) => self.want([lhs]),
            BinaryOp::Or | BinaryOp::Xor if variable => self.want([lhs, rhs]),
            BinaryOp::Add if variable && (is_shift(lhs) || is_shift(rhs)) => {
                self.want([lhs, rhs]);
            }
            _ => {}
        }
    }

    /// Whether a shift by this amount can put a byte in its place.
    fn shifts_bytes(&self, amount: Operand) -> bool {
        match amount.as_constant() {
            Some(id) => match self.extractor.program.constant(id) {
                Constant::Int { value, .. } => *value >= 8,
                _ => true,
            },
            None => true,
        }
    }

    /// How many bytes of a pointer a narrow value of some width carries at most. One that was
    /// widened carries no more than before, what was cut from a whole word may be any part of it,
    /// and a shift up by less than a byte is arithmetic.
    fn carried(&self, value: Operand, width: u64) -> u64 {
        let mut open: Vec<(Reg, u64)> =
            value.as_reg().map(|reg| (reg, width)).into_iter().collect();
        let mut seen: FxHashSet<(Reg, u64)> = FxHashSet::default();
        let mut carried = 0;
        while let Some((reg, most)) = open.pop() {
            if most <= carried || !seen.insert((reg, most)) {
                continue;
            }
            if let Some(phis) = self.phis.get(&reg) {
                open.extend(phis.iter().map(|&source| (source, most)));
                continue;
            }
            let mut also =
                |operand: Operand, most| open.extend(operand.as_reg().map(|reg| (reg, most)));
            match self.defined.get(&reg) {
                Some(Inst::Binary { op, lhs, rhs, .. }) => match op {
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                        also(*lhs, most);
                        also(*rhs, most);
                    }
                    BinaryOp::Add if lhs.as_reg().is_some() && rhs.as_reg().is_some() => {
                        also(*lhs, most);
                        also(*rhs, most);
                    }
                    // Bytes may be put together.
                    BinaryOp::Shl if self.shifts_bytes(*rhs) => return width,
                    BinaryOp::LShr | BinaryOp::AShr => also(*lhs, most),
                    _ => {}
                },
                Some(Inst::Cast {
                    op: CastOp::Trunc,
                    from,
                    ..
                }) if !self.is_narrow(*from) => {
                    return width;
                }
                Some(Inst::Cast {
                    op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt,
                    from,
                    value,
                    ..
                }) => also(*value, most.min(self.width(*from))),
                Some(Inst::Freeze { value, .. }) => also(*value, most),
                Some(Inst::Select {
                    then, otherwise, ..
                }) => {
                    also(*then, most);
                    also(*otherwise, most);
                }
                Some(Inst::Compare { .. } | Inst::FloatCompare { .. }) => {}
                _ => carried = most,
            }
        }
        carried
    }

    /// Whether a whole word may have been shifted by bytes, here or, if this is a helper, by who
    /// passed it.
    fn is_shifted(&self, value: Operand) -> bool {
        let mut open: Vec<Reg> = value.as_reg().into_iter().collect();
        let mut seen: FxHashSet<Reg> = FxHashSet::default();
        while let Some(reg) = open.pop() {
            if !seen.insert(reg) {
                continue;
            }
            if reg.index() < self.function.params.len() && self.helper {
                return true;
            }
            open.extend(self.phis.get(&reg).into_iter().flatten());
            let Some(&inst) = self.defined.get(&reg) else {
                continue;
            };
            match *inst {
                Inst::Binary {
                    op: BinaryOp::LShr | BinaryOp::AShr | BinaryOp::Shl,
                    rhs,
                    ..
                } if self.shifts_bytes(rhs) => return true,
                Inst::Load { pointer, .. } => {
                    let values = pointer.as_reg().and_then(|at| self.stored.get(&at));
                    let values = values.into_iter().flatten();
                    open.extend(values.filter_map(|value| value.as_reg()));
                }
                Inst::Call { .. } | Inst::Invoke { .. } | Inst::ExtractElement { .. } => {
                    return true;
                }
                _ => crate::operands::each(self.function, inst, |operand| {
                    open.extend(operand.as_reg());
                }),
            }
        }
        false
    }

    /// What the result of an instruction may have its bytes from.
    fn back(&mut self, inst: &Inst) {
        match *inst {
            Inst::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => self.want([lhs, rhs]),
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.want([lhs]),
                BinaryOp::Add if lhs.as_reg().is_some() && rhs.as_reg().is_some() => {
                    self.want([lhs, rhs]);
                }
                _ => {}
            },
            Inst::Cast {
                op: CastOp::Trunc,
                from,
                value,
                ..
            } if !self.is_narrow(from) && !self.is_shifted(value) => {}
            Inst::Cast {
                op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast,
                value,
                ..
            }
            | Inst::Freeze { value, .. } => self.want([value]),
            Inst::Select {
                then, otherwise, ..
            } => self.want([then, otherwise]),
            Inst::Load { pointer, .. } => {
                let values = pointer.as_reg().and_then(|at| self.stored.get(&at));
                let values = values.cloned().unwrap_or_default();
                self.want(values);
            }
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
                if let Callee::Direct(callee) = call.callee
                    && let callee = self.extractor.program.function(callee)
                    && callee.name.starts_with("llvm.")
                {
                    let arguments = &self.function.call_args[call.args.range()];
                    self.want(arguments.iter().copied());
                }
            }
            _ => {}
        }
    }
}

/// For each block whether it lies on a cycle.
fn blocks_in_loops(function: &Function) -> Vec<bool> {
    let mut successors = vec![Vec::new(); function.blocks.len()];
    for edge in &function.edges {
        successors[edge.from.index()].push(edge.to.0);
    }
    let component = cycles::components(&successors.iter().cloned().collect());
    let mut members = vec![0u32; function.blocks.len()];
    for &number in &component {
        members[number as usize] += 1;
    }
    let itself = |at: usize| successors[at].contains(&(at as u32));
    (0..successors.len())
        .map(|at| members[component[at] as usize] > 1 || itself(at))
        .collect()
}
