//! What a run tells while it runs. Statistics, files, progress bars and traces all hang here, so
//! that none of them is known to the engine.

use crate::api::id::StateId;
use crate::api::outcome::{StackLine, TestRecord};
use crate::api::summary::{Counts, ForkKind};
use crate::api::target::Reached;
use crate::trie::{Decision, Leaf, Left, NodeId};
use plat_program::{FuncId, InstId, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A look at a run under way.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Since the start.
    pub elapsed: Duration,
    /// Live states.
    pub states: usize,
    /// Those of them that wait with a question, of this process.
    pub deferred: usize,
    /// All counters so far.
    pub counts: &'a Counts,
    /// The solver's counters so far.
    pub solver: &'a plat_solver::SolverStats,
    /// The memory's counters so far.
    pub memory: &'a plat_memory::MemoryStats,
    /// Resident memory of the process in bytes.
    pub resident: u64,
    /// Memory of the expressions of this process in bytes.
    pub pool: u64,
    /// Instructions of the program that have been executed.
    pub covered: usize,
    /// How often each instruction was executed.
    pub executed: &'a [u64],
    /// For each conditional branch, by its instruction: bit 0 if it was ever not taken, bit 1 if it
    /// was taken. 0 for other instructions.
    pub branches: &'a [u8],
    /// How often a call through a pointer has led to a function.
    pub indirect_calls: &'a BTreeMap<(InstId, FuncId), u64>,
}

/// A state that was split off another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fork {
    /// The state that was split, which goes on.
    pub parent: StateId,
    /// The new one.
    pub child: StateId,
    /// Where.
    pub inst: Option<InstId>,
    /// Why.
    pub kind: ForkKind,
}

/// Hears what happens. All methods do nothing by default.
pub trait Observer {
    /// A path has ended.
    fn path_ended(&mut self, _program: &Program, _record: &TestRecord) {}

    /// There is a test beside those of ended paths: for what a path has covered that has since been
    /// merged with another, or whose test a better one has replaced.
    fn further_test(&mut self, _program: &Program, _record: &TestRecord) {}

    /// Called about every tenth of a second, and at the end.
    fn progress(&mut self, _progress: &Progress<'_>) {}

    /// Something that the user should know. What is said `once` does not come again in the run.
    fn warning(&mut self, _text: &str, _once: bool) {}

    /// The program needs something unsupported, for the first time in the run: what, and a warning that says where and what it sees.
    fn unsupported(&mut self, _what: &str, text: &str) {
        self.warning(text, true);
    }

    /// A line that the program asked for (`klee_warning` and what is merged).
    fn message(&mut self, _text: &str) {}

    /// Lines that the program asked for and that stand alone (`klee_print_expr`).
    fn print(&mut self, _text: &str) {}

    /// The calls of a path, innermost first, which the program asked for (`klee_stack_trace`).
    fn stack(&mut self, _lines: &[StackLine]) {}

    /// The program's standard output (1) or error (2) as it is written; only while it is concrete,
    /// unless [`crate::Config::all_output`] asks for more.
    fn output(&mut self, _descriptor: i32, _bytes: &[u8]) {}

    /// A state has executed an instruction that no state had executed before.
    fn covered(&mut self, _state: StateId, _inst: InstId) {}

    /// A target of the run was executed for the first time.
    fn reached(&mut self, _reached: &Reached<'_>) {}

    /// A state was split.
    fn forked(&mut self, _fork: &Fork) {}

    /// A path was split: an inner node of the trie, if the run keeps one.
    fn decided(&mut self, _decision: &Decision) {}

    /// The path of a leaf of the trie has ended. Told behind [`Observer::path_ended`], if the run keeps a
    /// trie.
    fn closed(&mut self, _node: NodeId, _leaf: Leaf) {}

    /// A path is still alive at the end of the run: an open leaf of the trie.
    fn left(&mut self, _left: &Left) {}

    /// What is behind a node of the trie is explored anew, because a path that was led to it has
    /// diverged behind it.
    fn renewed(&mut self, _node: NodeId) {}

    /// The solver was asked about a condition at an instruction; whether that left one possibility.
    fn asked(&mut self, _inst: Option<InstId>, _decided: bool) {}

    /// The solver has worked for an instruction; for none where that cannot be said.
    fn solved(&mut self, _inst: Option<InstId>, _wall: Duration) {}
}

impl<T: Observer + ?Sized> Observer for &mut T {
    fn path_ended(&mut self, program: &Program, record: &TestRecord) {
        (**self).path_ended(program, record);
    }

    fn further_test(&mut self, program: &Program, record: &TestRecord) {
        (**self).further_test(program, record);
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        (**self).progress(progress);
    }

    fn warning(&mut self, text: &str, once: bool) {
        (**self).warning(text, once);
    }

    fn unsupported(&mut self, what: &str, text: &str) {
        (**self).unsupported(what, text);
    }

    fn message(&mut self, text: &str) {
        (**self).message(text);
    }

    fn print(&mut self, text: &str) {
        (**self).print(text);
    }

    fn stack(&mut self, lines: &[StackLine]) {
        (**self).stack(lines);
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        (**self).output(descriptor, bytes);
    }

    fn covered(&mut self, state: StateId, inst: InstId) {
        (**self).covered(state, inst);
    }

    fn reached(&mut self, reached: &Reached<'_>) {
        (**self).reached(reached);
    }

    fn forked(&mut self, fork: &Fork) {
        (**self).forked(fork);
    }

    fn decided(&mut self, decision: &Decision) {
        (**self).decided(decision);
    }

    fn closed(&mut self, node: NodeId, leaf: Leaf) {
        (**self).closed(node, leaf);
    }

    fn left(&mut self, left: &Left) {
        (**self).left(left);
    }

    fn renewed(&mut self, node: NodeId) {
        (**self).renewed(node);
    }

    fn asked(&mut self, inst: Option<InstId>, decided: bool) {
        (**self).asked(inst, decided);
    }

    fn solved(&mut self, inst: Option<InstId>, wall: Duration) {
        (**self).solved(inst, wall);
    }
}

/// Hears nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Observer for Silent {}
