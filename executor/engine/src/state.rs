//! A state: everything that one path of the exploration knows.

use crate::float_environment::FloatEnvironment;
use crate::frame::{Callers, Frame};
use crate::library::exceptions::Exceptions;
use crate::merge::Opened;
use crate::search;
use crate::seeds::Followed;
use crate::step::poison::Poison;
use plat_env::{Environment, Inputs};
use plat_expr::{ExprId, ObjectId, SymbolId, Value};
use plat_memory::Memory;
use plat_program::{FuncId, Program};
use plat_solver::PathCondition;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::rc::Rc;
use std::sync::Arc;

pub use crate::search::StateId;

/// A symbolic object that the path has made.
#[derive(Clone, Debug)]
pub struct SymbolicObject {
    /// The name that the program gave; not unique.
    pub name: Arc<str>,
    /// Its bytes.
    pub symbol: SymbolId,
}

/// One path under exploration. Cloning shares everything large.
#[derive(Clone)]
pub struct State {
    /// Its identity.
    pub id: StateId,
    /// The running activation.
    pub frame: Frame,
    /// The activations below it.
    pub callers: Callers,
    /// Memory.
    pub memory: Memory,
    /// The path condition with a model.
    pub constraints: PathCondition,
    /// Files, descriptors, clock, captured output; shared until a system call changes them.
    pub environment: Rc<Environment>,
    /// Symbolic objects, in order of their making.
    pub symbolics: Vec<SymbolicObject>,
    /// The seeds that the path follows; its model is the first of them.
    pub seeds: Vec<Followed>,
    /// Wishes for the test case (`klee_prefer_cex`), in order.
    pub preferences: Vec<ExprId>,
    /// What the program got as input.
    pub inputs: Arc<Inputs>,
    /// The status that the program ended with, once it has; its number depends on the model.
    pub exit_value: Option<Value>,
    /// Instructions executed.
    pub instructions: u64,
    /// Forks on the path.
    pub depth: u32,
    /// The choices at these forks.
    pub path: Vec<u32>,
    /// The directions of its conditional branches, if they are noted.
    pub branches: Vec<bool>,
    /// Whether the path covered an instruction first.
    pub covered_new: bool,
    /// When it last did: the value of `instructions` then.
    pub last_new: Option<u64>,
    /// Queries that the path has cost the solver's back end.
    pub queries: u64,
    /// How often it was parked at its instruction.
    pub parked: u32,
    /// Whether the program has forbidden forks (`klee_set_forking(0)`).
    pub forking_off: bool,
    /// Rounding modes and exception flags.
    pub float: FloatEnvironment,
    /// Pairs of objects whose distance the program has computed, see
    /// [`crate::engine::Engine::redirected`].
    pub distances: Vec<(ObjectId, ObjectId)>,
    /// Functions that stand in for others (`klee_alias_function`), the latter first.
    pub aliases: Arc<Vec<(FuncId, FuncId)>>,
    /// Exceptions that are thrown or handled.
    pub exceptions: Exceptions,
    /// Registers that may be poison.
    pub poison: Vec<Poison>,
    /// Merges that the program has opened and not closed, the innermost last.
    pub merges: Vec<Rc<Opened>>,
    /// The merge that it has just closed.
    pub closing: Option<Rc<Opened>>,
    /// Serial number of the next frame.
    pub next_serial: u64,
}

impl State {
    /// Frames on the call stack, the running one included.
    pub fn frames(&self) -> u32 {
        self.callers.len() + 1
    }

    /// The activations from the innermost outwards.
    pub fn stack(&self) -> impl Iterator<Item = &Frame> + Clone {
        std::iter::once(&self.frame).chain(self.callers.iter())
    }

    /// A hash of the calls on the stack.
    pub fn call_path(&self, program: &Program) -> u64 {
        let mut hasher = FxHasher::default();
        for frame in self.callers.iter() {
            hasher.write_u32(frame.inst(program).0);
        }
        hasher.finish()
    }

    /// What the searcher may know.
    pub fn summary(&self, location_count: u64) -> search::Summary {
        search::Summary {
            id: self.id,
            depth: self.depth,
            instructions: self.instructions,
            since_new: self.last_new.map(|at| self.instructions.saturating_sub(at)),
            distance: None,
            location_count,
            call_path_count: 0,
            queries: self.queries,
            seeded: !self.seeds.is_empty(),
        }
    }
}
