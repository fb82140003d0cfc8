//! An observer that may panic: what it would have made of the event is lost, and nothing else.

use crate::api::id::StateId;
use crate::api::observe::{Fork, Observer, Progress};
use crate::api::outcome::{StackLine, TestRecord};
use crate::api::target::Reached;
use crate::trie::{Decision, Leaf, Left, NodeId, OpenNodes, Plan};
use plat_program::{InstId, Program};
use plat_solver::panic_text;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// The observer of a run, behind a guard.
pub struct GuardedObserver<'a> {
    observer: &'a mut dyn Observer,
    panics: Vec<String>,
    /// The leaves of the trie that have no end, if other processes may be lost.
    open: Option<OpenNodes>,
}

impl<'a> GuardedObserver<'a> {
    pub(crate) fn new(observer: &'a mut dyn Observer) -> Self {
        GuardedObserver {
            observer,
            panics: Vec::new(),
            open: None,
        }
    }

    /// From now on keeps which leaves behind the initial states have no end.
    pub(crate) fn keep_open(&mut self, roots: u64) {
        self.open = Some(OpenNodes::of_roots(roots));
    }

    /// Whether it keeps them.
    pub(crate) fn keeps_open(&self) -> bool {
        self.open.is_some()
    }

    /// The way to the leaves without an end, if it keeps them and there are any.
    pub(crate) fn open_plan(&self) -> Option<Plan> {
        self.open.as_ref()?.plan()
    }

    /// What it has panicked about since the last time.
    pub(crate) fn take_panics(&mut self) -> Vec<String> {
        std::mem::take(&mut self.panics)
    }

    fn tell(&mut self, event: impl FnOnce(&mut dyn Observer)) {
        let told = catch_unwind(AssertUnwindSafe(|| event(self.observer)));
        if let Err(panic) = told {
            self.panics.push(panic_text(&*panic).to_string());
        }
    }
}

impl Observer for GuardedObserver<'_> {
    fn path_ended(&mut self, program: &Program, record: &TestRecord) {
        self.tell(|observer| observer.path_ended(program, record));
    }

    fn further_test(&mut self, program: &Program, record: &TestRecord) {
        self.tell(|observer| observer.further_test(program, record));
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        self.tell(|observer| observer.progress(progress));
    }

    fn warning(&mut self, text: &str, once: bool) {
        self.tell(|observer| observer.warning(text, once));
    }

    fn unsupported(&mut self, what: &str, text: &str) {
        self.tell(|observer| observer.unsupported(what, text));
    }

    fn message(&mut self, text: &str) {
        self.tell(|observer| observer.message(text));
    }

    fn print(&mut self, text: &str) {
        self.tell(|observer| observer.print(text));
    }

    fn stack(&mut self, lines: &[StackLine]) {
        self.tell(|observer| observer.stack(lines));
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        self.tell(|observer| observer.output(descriptor, bytes));
    }

    fn covered(&mut self, state: StateId, inst: InstId) {
        self.tell(|observer| observer.covered(state, inst));
    }

    fn reached(&mut self, reached: &Reached<'_>) {
        self.tell(|observer| observer.reached(reached));
    }

    fn forked(&mut self, fork: &Fork) {
        self.tell(|observer| observer.forked(fork));
    }

    fn decided(&mut self, decision: &Decision) {
        if let Some(open) = &mut self.open {
            open.decided(decision);
        }
        self.tell(|observer| observer.decided(decision));
    }

    fn closed(&mut self, node: NodeId, leaf: Leaf) {
        if let Some(open) = &mut self.open {
            open.closed(node);
        }
        self.tell(|observer| observer.closed(node, leaf));
    }

    fn left(&mut self, left: &Left) {
        self.tell(|observer| observer.left(left));
    }

    fn renewed(&mut self, node: NodeId) {
        if let Some(open) = &mut self.open {
            open.renewed(node);
        }
        self.tell(|observer| observer.renewed(node));
    }

    fn asked(&mut self, inst: Option<InstId>, decided: bool) {
        self.tell(|observer| observer.asked(inst, decided));
    }

    fn solved(&mut self, inst: Option<InstId>, wall: Duration) {
        self.tell(|observer| observer.solved(inst, wall));
    }
}
