//! Several observers of one run.

use plat_engine::{
    Decision, Fork, Leaf, Left, NodeId, Observer, Progress, Reached, StackLine, StateId, TestRecord,
};
use plat_program::{InstId, Program};
use std::time::Duration;

/// Passes every event on to all of its members.
#[derive(Default)]
pub struct Broadcast<'a> {
    members: Vec<Box<dyn Observer + 'a>>,
}

impl<'a> Broadcast<'a> {
    /// Adds an observer, which gets each event after those that were added before.
    pub fn add(&mut self, observer: impl Observer + 'a) {
        self.add_boxed(Box::new(observer));
    }

    /// The same for one that is in a box already.
    pub fn add_boxed(&mut self, observer: Box<dyn Observer + 'a>) {
        self.members.push(observer);
    }
}

impl Observer for Broadcast<'_> {
    fn path_ended(&mut self, program: &Program, record: &TestRecord) {
        for member in &mut self.members {
            member.path_ended(program, record);
        }
    }

    fn further_test(&mut self, program: &Program, record: &TestRecord) {
        for member in &mut self.members {
            member.further_test(program, record);
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        for member in &mut self.members {
            member.progress(progress);
        }
    }

    fn warning(&mut self, text: &str, once: bool) {
        for member in &mut self.members {
            member.warning(text, once);
        }
    }

    fn message(&mut self, text: &str) {
        for member in &mut self.members {
            member.message(text);
        }
    }

    fn print(&mut self, text: &str) {
        for member in &mut self.members {
            member.print(text);
        }
    }

    fn stack(&mut self, lines: &[StackLine]) {
        for member in &mut self.members {
            member.stack(lines);
        }
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        for member in &mut self.members {
            member.output(descriptor, bytes);
        }
    }

    fn covered(&mut self, state: StateId, inst: InstId) {
        for member in &mut self.members {
            member.covered(state, inst);
        }
    }

    fn reached(&mut self, reached: &Reached<'_>) {
        for member in &mut self.members {
            member.reached(reached);
        }
    }

    fn forked(&mut self, fork: &Fork) {
        for member in &mut self.members {
            member.forked(fork);
        }
    }

    fn decided(&mut self, decision: &Decision) {
        for member in &mut self.members {
            member.decided(decision);
        }
    }

    fn closed(&mut self, node: NodeId, leaf: Leaf) {
        for member in &mut self.members {
            member.closed(node, leaf);
        }
    }

    fn left(&mut self, left: &Left) {
        for member in &mut self.members {
            member.left(left);
        }
    }

    fn renewed(&mut self, node: NodeId) {
        for member in &mut self.members {
            member.renewed(node);
        }
    }

    fn asked(&mut self, inst: Option<InstId>, decided: bool) {
        for member in &mut self.members {
            member.asked(inst, decided);
        }
    }

    fn solved(&mut self, inst: Option<InstId>, wall: Duration) {
        for member in &mut self.members {
            member.solved(inst, wall);
        }
    }
}
