//! Which registers can the bytes of a value come from? Backwards in one function, through operations
//! that keep bytes, phis, and local variables in memory.

use crate::config::PointsToConfig;
use plat_program::{
    BinaryOp, Callee, CastOp, Constant, Function, Inst, Operand, Program, Reg, Type, TypeId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether a type is narrower than a pointer.
pub(super) fn is_narrow(program: &Program, ty: TypeId) -> bool {
    matches!(program.types.get(ty), Type::Int(bits) if *bits < 64)
}

/// Whether a function is small and calls nothing.
pub(super) fn is_helper(program: &Program, config: &PointsToConfig, function: &Function) -> bool {
    !function.declaration
        && function.insts.len() <= config.helper_size
        && crate::cloning::is_leaf(program, function)
}

/// The addresses of local variables that are only loaded and stored.
fn variables(function: &Function) -> FxHashSet<Reg> {
    let all = function.insts.iter().filter_map(|inst| match inst {
        Inst::Alloca { dst, .. } => Some(*dst),
        _ => None,
    });
    let mut all: FxHashSet<Reg> = all.collect();
    let mut escapes = |operand: Operand| {
        if let Some(reg) = operand.as_reg() {
            all.remove(&reg);
        }
    };
    for inst in &function.insts {
        match *inst {
            Inst::Load { .. } => {}
            Inst::Store { value, .. } => escapes(value),
            _ => plat_program::operands::each(function, inst, &mut escapes),
        }
    }
    function.moves.iter().for_each(|step| escapes(step.src));
    all
}

/// Where the values of one function come from.
pub(super) struct Sources<'a> {
    pub program: &'a Program,
    pub function: &'a Function,
    /// Whether it is a helper.
    pub helper: bool,
    pub defined: FxHashMap<Reg, &'a Inst>,
    /// What is stored through a register, for local variables.
    pub stored: FxHashMap<Reg, Vec<Operand>>,
    pub phis: FxHashMap<Reg, Vec<Reg>>,
    /// The addresses of local variables that are only loaded and stored.
    pub variables: FxHashSet<Reg>,
}

impl<'a> Sources<'a> {
    pub(super) fn of(
        program: &'a Program,
        config: &PointsToConfig,
        function: &'a Function,
    ) -> Self {
        let mut sources = Self {
            program,
            function,
            helper: is_helper(program, config, function),
            defined: FxHashMap::default(),
            stored: FxHashMap::default(),
            phis: FxHashMap::default(),
            variables: variables(function),
        };
        for inst in &function.insts {
            if let Some(dst) = inst.dst() {
                sources.defined.insert(dst, inst);
            }
            if let Inst::Store { value, pointer, .. } = *inst
                && let Some(variable) = pointer.as_reg()
            {
                sources.stored.entry(variable).or_default().push(value);
            }
        }
        for step in &function.moves {
            let phi = sources.phis.entry(step.dst).or_default();
            phi.extend(step.src.as_reg());
        }
        sources
    }

    pub(super) fn is_narrow(&self, ty: TypeId) -> bool {
        is_narrow(self.program, ty)
    }

    /// Bytes of a type.
    pub(super) fn width(&self, ty: TypeId) -> u64 {
        self.program.types.store_size(ty).max(1)
    }

    /// Whether a shift by this amount can put a byte in its place.
    pub(super) fn shifts_bytes(&self, amount: Operand) -> bool {
        match amount.as_constant() {
            Some(id) => match self.program.constant(id) {
                Constant::Int { value, .. } => *value >= 8,
                _ => true,
            },
            None => true,
        }
    }

    /// How many bytes of a pointer a narrow value of some width carries at most. One that was
    /// widened carries no more than before, what was cut from a whole word may be any part of it,
    /// and a shift up by less than a byte is arithmetic.
    pub(super) fn carried(&self, value: Operand, width: u64) -> u64 {
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

    /// Whether a whole word may have been shifted by bytes, here or by who passed it.
    fn is_shifted(&self, value: Operand) -> bool {
        let mut open: Vec<Reg> = value.as_reg().into_iter().collect();
        let mut seen: FxHashSet<Reg> = FxHashSet::default();
        while let Some(reg) = open.pop() {
            if !seen.insert(reg) {
                continue;
            }
            if reg.index() < self.function.params.len() {
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
                _ => plat_program::operands::each(self.function, inst, |operand| {
                    open.extend(operand.as_reg());
                }),
            }
        }
        false
    }

    /// The narrow ones of some registers, and whole words that are made of one of these by widening it
    /// and shifting it up.
    pub(super) fn widened(&self, fragments: &FxHashSet<Reg>) -> FxHashSet<Reg> {
        let narrow = |reg: &Reg| self.is_narrow(self.function.reg_types[reg.index()]);
        let mut found: FxHashSet<Reg> = fragments.iter().copied().filter(narrow).collect();
        // A definition mostly stands before its uses.
        for inst in &self.function.insts {
            if let Inst::Cast {
                op: CastOp::ZExt | CastOp::SExt,
                dst,
                value,
                ..
            }
            | Inst::Binary {
                op: BinaryOp::Shl,
                dst,
                lhs: value,
                ..
            } = *inst
                && value.as_reg().is_some_and(|reg| found.contains(&reg))
                && !narrow(&dst)
            {
                found.insert(dst);
            }
        }
        found
    }

    /// What the value of a register may have its bytes from.
    pub(super) fn back(&self, reg: Reg) -> Vec<Reg> {
        let mut from: Vec<Reg> = self.phis.get(&reg).cloned().unwrap_or_default();
        let mut also = |operands: &[Operand]| {
            from.extend(operands.iter().filter_map(|operand| operand.as_reg()));
        };
        let Some(&inst) = self.defined.get(&reg) else {
            return from;
        };
        match *inst {
            Inst::Binary { op, lhs, rhs, .. } => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => also(&[lhs, rhs]),
                BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => also(&[lhs]),
                BinaryOp::Add if lhs.as_reg().is_some() && rhs.as_reg().is_some() => {
                    also(&[lhs, rhs]);
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
            | Inst::Freeze { value, .. } => also(&[value]),
            Inst::Select {
                then, otherwise, ..
            } => also(&[then, otherwise]),
            Inst::Load { pointer, .. } => {
                let values = pointer.as_reg().and_then(|at| self.stored.get(&at));
                also(values.map_or(&[], Vec::as_slice));
            }
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
                if let Callee::Direct(callee) = call.callee
                    && self.program.function(callee).name.starts_with("llvm.")
                {
                    also(&self.function.call_args[call.args.range()]);
                }
            }
            _ => {}
        }
        from
    }

    /// Whether a place can be another one with each call of the function: an address from memory,
    /// from a call or at an index is, one that is passed is not.
    pub(super) fn varies(&self, place: Operand) -> bool {
        let mut open: Vec<Reg> = place.as_reg().into_iter().collect();
        let mut seen: FxHashSet<Reg> = FxHashSet::default();
        while let Some(reg) = open.pop() {
            // What leads to itself walks on.
            if !seen.insert(reg) {
                return true;
            }
            open.extend(self.phis.get(&reg).into_iter().flatten());
            match self.defined.get(&reg) {
                Some(Inst::Gep { base, terms, .. }) if terms.len == 0 => {
                    open.extend(base.as_reg());
                }
                Some(Inst::Select {
                    then, otherwise, ..
                }) => open.extend(then.as_reg().into_iter().chain(otherwise.as_reg())),
                Some(Inst::Load { pointer, .. })
                    if let Some(variable) = pointer.as_reg()
                        && self.variables.contains(&variable) =>
                {
                    let values = self.stored.get(&variable).into_iter().flatten();
                    open.extend(values.filter_map(|value| value.as_reg()));
                }
                Some(Inst::Alloca { .. }) | None => {}
                Some(_) => return true,
            }
        }
        false
    }
}
