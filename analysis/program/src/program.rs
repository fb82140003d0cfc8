//! The whole program.

use crate::annotations::Annotations;
use crate::constant::{Constant, Global};
use crate::function::{Function, Location};
use crate::ids::{ConstId, FuncId, GlobalId, InstId, LocId};
use crate::inst::Inst;
use crate::types::Types;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A module in plat's lowered form.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Program {
    /// The module's name (the path of the bitcode).
    pub name: String,
    /// Types.
    pub types: Types,
    /// Constants.
    pub constants: Vec<Constant>,
    /// Global variables.
    pub globals: Vec<Global>,
    /// Functions.
    pub functions: Vec<Function>,
    /// Source locations; entry 0 is "unknown".
    #[serde(with = "crate::bytes::locations")]
    pub locations: Vec<Location>,
    /// Functions of `llvm.global_ctors` in the order to call them.
    pub constructors: Vec<FuncId>,
    /// Functions of `llvm.global_dtors` in the order to call them.
    pub destructors: Vec<FuncId>,
    /// Functions by symbol, aliases included.
    pub function_names: FxHashMap<String, FuncId>,
    /// Globals by symbol, aliases at offset 0 included.
    pub global_names: FxHashMap<String, GlobalId>,
    /// What the transform stage annotated.
    pub annotations: Annotations,
}

impl Program {
    /// A function by id.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// A function by symbol (aliases resolved).
    pub fn function_named(&self, name: &str) -> Option<&Function> {
        self.function_names.get(name).map(|&id| self.function(id))
    }

    /// A constant by id.
    pub fn constant(&self, id: ConstId) -> &Constant {
        &self.constants[id.index()]
    }

    /// A global by id.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// A location by id.
    pub fn location(&self, id: LocId) -> &Location {
        &self.locations[id.index()]
    }

    /// The function that holds an instruction, and the instruction's position in it.
    pub fn position(&self, inst: InstId) -> (FuncId, usize) {
        // Declarations have no instructions and share `first_inst` with their successor: the
        // last function that starts at or before `inst` is the one that holds it.
        let at = self
            .functions
            .partition_point(|function| function.first_inst <= inst)
            - 1;
        (
            FuncId::new(at),
            (inst.0 - self.functions[at].first_inst.0) as usize,
        )
    }

    /// An instruction by its number in the whole program.
    pub fn inst(&self, inst: InstId) -> &Inst {
        let (function, position) = self.position(inst);
        &self.function(function).insts[position]
    }

    /// The source location of an instruction.
    pub fn location_of(&self, inst: InstId) -> &Location {
        self.location(self.place_of(inst))
    }

    /// The same, by id.
    pub fn place_of(&self, inst: InstId) -> LocId {
        let (function, position) = self.position(inst);
        self.function(function).locs[position]
    }

    /// A location, then the calls that were replaced on the way to it, from the innermost.
    pub fn inlining(&self, id: LocId) -> impl Iterator<Item = &Location> {
        let outer = |location: &&Location| location.inlined_at.map(|at| self.location(at));
        std::iter::successors(Some(self.location(id)), outer)
    }

    /// Number of instructions in the whole program.
    pub fn inst_count(&self) -> usize {
        self.functions
            .last()
            .map_or(0, |last| last.first_inst.index() + last.insts.len())
    }
}
