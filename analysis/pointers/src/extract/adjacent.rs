//! Which narrow stores of a function can lie side by side?
//!
//! Two addresses are in one object only if they come from a common base, as far as the function
//! shows: what an address is computed, loaded or chosen from is one class with it. Stores through
//! one register are in one place, unless a loop gives the register other values.

use plat_program::{ConstId, Constant, Function, Operand, Program, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

/// A narrow store.
#[derive(Clone, Copy)]
pub(super) struct Narrow {
    /// Bytes.
    pub width: u64,
    /// What is stored.
    pub value: Operand,
    /// Where.
    pub pointer: Operand,
}

/// The addresses of a function by their bases.
pub(super) struct Bases<'a> {
    program: &'a Program,
    /// A union-find forest of registers, then of globals.
    above: Vec<usize>,
    globals: FxHashMap<u32, usize>,
}

impl<'a> Bases<'a> {
    pub(super) fn new(program: &'a Program, function: &Function) -> Self {
        let mut bases = Self {
            program,
            above: (0..function.reg_types.len()).collect(),
            globals: FxHashMap::default(),
        };
        for step in &function.moves {
            bases.unite(step.dst, step.src);
        }
        for inst in &function.insts {
            if let Some(dst) = inst.dst() {
                crate::operands::each(function, inst, |operand| bases.unite(dst, operand));
            }
        }
        bases
    }

    /// For each width and base the number of places that are stored to.
    pub(super) fn places(&mut self, stores: &[Narrow]) -> FxHashMap<(u64, usize), u64> {
        let mut seen = FxHashSet::default();
        let mut places: FxHashMap<(u64, usize), u64> = FxHashMap::default();
        for store in stores {
            let base = self.of(store.pointer);
            if seen.insert((store.width, store.pointer)) {
                *places.entry((store.width, base)).or_default() += 1;
            }
        }
        places
    }

    /// The base of an address.
    pub(super) fn of(&mut self, address: Operand) -> usize {
        let at = match (address.as_reg(), address.as_constant()) {
            (Some(reg), _) => reg.index(),
            (_, Some(constant)) => self.constant(constant),
            _ => self.global(u32::MAX),
        };
        self.find(at)
    }

    fn unite(&mut self, to: Reg, from: Operand) {
        // A number is no base.
        let is_base =
            from.as_reg().is_some() || from.as_constant().is_some_and(|id| self.names(id));
        if is_base {
            let (a, b) = (self.find(to.index()), self.of(from));
            self.above[a] = b;
        }
    }

    fn names(&self, id: ConstId) -> bool {
        match self.program.constant(id) {
            Constant::Global(..) | Constant::Aggregate(..) | Constant::Binary(..) => true,
            Constant::Cast(_, _, _, value) => self.names(*value),
            _ => false,
        }
    }

    fn constant(&mut self, id: ConstId) -> usize {
        match self.program.constant(id) {
            Constant::Global(global, _) => self.global(global.0),
            Constant::Cast(_, _, _, value) => self.constant(*value),
            _ => self.global(u32::MAX),
        }
    }

    /// The element of a global; all addresses of other constants have one.
    fn global(&mut self, number: u32) -> usize {
        let next = self.above.len();
        let at = *self.globals.entry(number).or_insert(next);
        if at == next {
            self.above.push(next);
        }
        at
    }

    fn find(&mut self, mut at: usize) -> usize {
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }
}
