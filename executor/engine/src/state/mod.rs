//! A state: everything that one path of the exploration knows.

pub(crate) mod aside;
pub(crate) mod distances;
pub(crate) mod exceptions;
pub(crate) mod float_environment;
pub(crate) mod frame;
pub(crate) mod merging;
pub(crate) mod poison;
pub(crate) mod processes;
pub(crate) mod seeds;
pub(crate) mod stop;
pub(crate) mod threads;
pub(crate) mod trail;

use crate::api::id::StateId;
use crate::hook::PathHooks;
use crate::trie::{Next, Node, NodeId, Plan};
use aside::Aside;
use distances::Distances;
use exceptions::Exceptions;
use float_environment::FloatEnvironment;
use frame::{Callers, Frame};
use merging::Merging;
use plat_env::{Environment, Inputs};
use plat_expr::{ExprId, Rare, SymbolId, Value};
use plat_memory::Memory;
use plat_program::{FuncId, InstId, Program};
use plat_solver::PathCondition;
use processes::Processes;
use rustc_hash::FxHasher;
use seeds::Followed;
use std::hash::Hasher;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use threads::Threads;
use trail::Trail;

/// A symbolic object that the path has made.
#[derive(Clone, Debug)]
pub struct SymbolicObject {
    /// The name that the program gave; not unique.
    pub name: Arc<str>,
    /// Its bytes.
    pub symbol: SymbolId,
}

/// The input of a path.
#[derive(Clone, Debug)]
pub struct PathInput {
    /// What the program got as input.
    pub given: Arc<Inputs>,
    /// Symbolic objects, in order of their making.
    pub symbolics: Rare<Vec<SymbolicObject>>,
    /// The seeds that the path follows; its model is the first of them.
    pub seeds: Rare<Vec<Followed>>,
    /// The decisions of a path that follows a late seed, since its beginning.
    pub late: Option<Box<Trail>>,
    /// Wishes for the test case (`klee_prefer_cex`), in order.
    pub preferences: Rare<Vec<ExprId>>,
}

/// What a path was the first to do.
#[derive(Clone, Copy, Default, Debug)]
pub struct Novelty {
    /// It covered an instruction.
    pub covered: bool,
    /// It took a side of a conditional branch.
    pub side: bool,
    /// The number of the last discovery that it or a path that it was split off made: code of the
    /// program itself executed, or a side taken there, for the first time.
    pub discovery: u32,
}

/// What a path has done so far.
#[derive(Clone, Default, Debug)]
pub struct History {
    /// Forks on the path.
    pub depth: u32,
    /// The choices at these forks.
    pub path: Vec<u32>,
    /// The last of them, with their places.
    pub trail: Trail,
    /// The directions of its conditional branches, if they are noted.
    pub branches: Rare<Vec<bool>>,
    /// When it last covered an instruction first: the value of [`State::instructions`] then.
    pub last_new: Option<NonZeroU64>,
    /// What is new about it, for searchers.
    pub novelty: Novelty,
    /// Queries that the path has cost the solver's back end.
    pub queries: u64,
    /// How often it was deferred at its instruction.
    pub deferrals: u32,
    /// What hooks keep of it, once they do.
    pub(crate) hooks: Option<Box<PathHooks>>,
    /// The status that the program ended with, once it has; its number depends on the model.
    pub exit_value: Option<Value>,
    /// Its merges.
    pub merging: Rare<Merging>,
    /// Where the path is in the trie, if the run keeps one.
    pub(crate) node: Option<Rc<Node>>,
    /// The decision that it comes by next, if it is led.
    pub(crate) plan: Option<Box<(Arc<Plan>, u32)>>,
}

/// What the program has asked plat for.
#[derive(Clone, Default, Debug)]
pub struct Requests {
    /// No forks (`klee_set_forking(0)`).
    pub forking_off: bool,
    /// Functions that stand in for others (`klee_alias_function`), the latter first.
    pub aliases: Arc<Vec<(FuncId, FuncId)>>,
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
    /// Its input.
    pub input: PathInput,
    /// Instructions executed.
    pub instructions: u64,
    /// What it has done so far.
    pub history: History,
    /// What the program has asked plat for.
    pub requests: Rare<Requests>,
    /// Rounding modes and exception flags.
    pub float: FloatEnvironment,
    /// Distances between objects that the program has computed.
    pub distances: Rare<Distances>,
    /// Exceptions that are thrown or handled.
    pub exceptions: Rare<Exceptions>,
    /// What few activations have beside their registers.
    pub aside: Aside,
    /// The other threads and processes.
    pub others: Others,
}

/// The size class of the allocator that it fits in: the next one has 128 bytes more. Runs have hundreds
/// of thousands of states, so what few of them need is [`Rare`] or in a box.
const _: () = assert!(size_of::<State>() <= 768);

/// What of the program waits while the running thread of the running process runs.
#[derive(Clone, Default)]
pub struct Others {
    /// The other threads of the process, if it has made any.
    pub threads: Option<Box<Threads>>,
    /// The other processes, if the program has made any.
    pub processes: Option<Box<Processes>>,
}

plat_expr::holder!(Others { threads, processes });
plat_expr::holder!(PathInput { given, preferences } plain { symbolics, seeds, late });
plat_expr::holder!(History { hooks, exit_value }
    plain { depth, path, trail, branches, last_new, novelty, queries, deferrals, merging, node, plan });
plat_expr::holder!(State {
    frame, callers, memory, constraints, environment, input, history, exceptions, aside, others,
} plain { id, instructions, requests, float, distances });

impl State {
    /// The decisions of the path, if it follows a late seed.
    #[inline]
    pub fn late(&self) -> Option<&Trail> {
        let late = self.input.late.as_deref()?;
        (!self.input.seeds.is_empty()).then_some(late)
    }
}

impl History {
    /// Whether it was the first to execute an instruction or to take a side of a branch.
    pub fn covers_new(&self) -> bool {
        self.novelty.covered || self.novelty.side
    }

    /// Notes the side taken at a fork.
    pub fn fork(&mut self, inst: Option<InstId>, side: u32) {
        self.depth += 1;
        if self.path.len() == self.path.capacity() {
            // States that wait have their own: little room beyond what is needed.
            self.path.reserve_exact(1 + self.path.len() / 8);
        }
        self.path.push(side);
        self.trail.push(inst, side);
    }
}

impl State {
    /// Frames on the call stack, the running one included.
    pub fn frames(&self) -> u32 {
        self.callers.len() + 1
    }

    /// Where it is in the trie, if the run keeps one.
    pub(crate) fn leaf(&self) -> Option<NodeId> {
        self.history.node.as_ref().map(|node| node.id)
    }

    /// What comes behind its last decision.
    pub(crate) fn behind(&self) -> Next {
        match &self.history.plan {
            Some(place) => Next::Further(Arc::clone(&place.0), place.1),
            None => Next::Open(self.constraints.answers()),
        }
    }

    /// Whether it is led along earlier decisions.
    pub(crate) fn is_led(&self) -> bool {
        self.history.plan.is_some() || self.constraints.replays()
    }

    /// The activations from the innermost outwards.
    pub fn stack(&self) -> impl Iterator<Item = &Frame> + Clone {
        std::iter::once(&self.frame).chain(self.callers.iter())
    }

    /// The activations of all threads, those of the running one first.
    pub fn stacks(&self) -> impl Iterator<Item = &Frame> {
        let threads = &self.others.threads;
        let others = threads.iter().flat_map(|threads| threads.others.iter());
        let others =
            others.flat_map(|thread| std::iter::once(&thread.frame).chain(thread.callers.iter()));
        self.stack().chain(others)
    }

    /// A hash of the calls on the stack.
    pub fn call_path(&self, program: &Program) -> u64 {
        let mut hasher = FxHasher::default();
        for frame in self.callers.iter() {
            hasher.write_u32(frame.inst(program).0);
        }
        hasher.finish()
    }
}
