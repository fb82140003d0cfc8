//! What a run makes of the program's code on demand, and keeps.

use super::natives::Natives;
use crate::code::decoded::Decoded;
use crate::code::liveness::Live;
use plat_expr::{Moves, Value, Weak};
use plat_program::{FuncId, InstId, Program, Reg};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Register vectors to use again. They hold what was in them, and are not worth a look.
pub(crate) struct SpareRegisters(Vec<Vec<Vec<Value>>>);

impl SpareRegisters {
    /// Those of a function.
    pub(crate) fn of(&mut self, function: FuncId) -> &mut Vec<Vec<Value>> {
        &mut self.0[function.index()]
    }
}

impl Weak for SpareRegisters {
    fn forget(&mut self, _: &Moves) {
        self.0.iter_mut().for_each(Vec::clear);
    }
}

/// Facts about functions; most are computed when they are first needed.
pub struct CodeCache {
    /// What runs in place of functions.
    pub(crate) natives: Natives,
    /// Functions as the fast paths read them, once they were entered.
    pub(crate) decoded: Vec<Option<Rc<Decoded>>>,
    /// Register vectors to use again, by function: each has its function's length already, so that
    /// a call fills nothing in.
    pub(crate) spare_registers: SpareRegisters,
    /// By function: which registers matter where.
    pub(crate) live_registers: Vec<Registers>,
    /// Whether a shift may have been moved ahead of its test by the compiler, as far as looked up.
    pub(crate) speculated: FxHashMap<InstId, bool>,
    /// Blocks in which registers that were poison are live, see [`crate::code::liveness`].
    pub(crate) live_blocks: FxHashMap<(FuncId, Reg), Box<[bool]>>,
}

plat_expr::holder!(CodeCache {}
    plain { natives, decoded, live_registers, speculated, live_blocks }
    weak { spare_registers });

impl CodeCache {
    /// Nothing is known yet.
    pub(crate) fn new(program: &Program, natives: Natives) -> Self {
        let functions = program.functions.len();
        CodeCache {
            natives,
            decoded: vec![None; functions],
            spare_registers: SpareRegisters(vec![Vec::new(); functions]),
            live_registers: (0..functions).map(|_| Registers::default()).collect(),
            speculated: FxHashMap::default(),
            live_blocks: FxHashMap::default(),
        }
    }
}

/// What is known of a function's registers.
#[derive(Default)]
pub(crate) struct Registers {
    /// All of them matter everywhere from now on.
    pub whole: bool,
    /// Where each matters, computed on demand.
    pub live: Option<Box<Live>>,
}
