//! What a worker sends: events for the observer, and the results of its exploration.

use super::tally::Tally;
use crate::api::id::StateId;
use crate::api::observe::{Fork, Observer};
use crate::api::outcome::{StackLine, TestRecord};
use crate::api::summary::StopReason;
use crate::trie::{Decision, Leaf, Left, NodeId};
use plat_program::{InstId, Program};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// One thing that a worker tells.
#[derive(Serialize, Deserialize)]
pub(super) enum Event {
    /// A path has ended.
    Ended(Box<TestRecord>),
    /// A warning; whether it does not come again.
    Warned(String, bool),
    /// What a program does not get, and the warning about it.
    Unsupported(String, String),
    /// A message.
    Said(String),
    /// Lines that stand alone.
    Printed(String),
    /// The calls of a path.
    Stack(Vec<StackLine>),
    /// What the program wrote to a descriptor.
    Wrote(i32, #[serde(with = "serde_bytes")] Vec<u8>),
    /// A state was the first of the worker's to execute an instruction.
    Covered(StateId, InstId),
    /// A state was split.
    Forked(Fork),
    /// A path was split: an inner node of the trie.
    Decided(Decision),
    /// The path of a leaf of the trie has ended.
    Closed(NodeId, Leaf),
    /// A path is alive at the end of the run: an open leaf of the trie.
    Left(Left),
    /// What is behind a node of the trie is explored anew.
    Renewed(NodeId),
    /// The solver was asked.
    Asked(Option<InstId>, bool),
    /// The solver has worked.
    Solved(Option<InstId>, Duration),
    /// What a hook has gathered since the last report: its number, and what it saves.
    Gathered(usize, #[serde(with = "serde_bytes")] Vec<u8>),
    /// What has been done since the last report.
    Report(Box<Tally>),
    /// Its work is done, and this is why.
    Done(StopReason),
}

impl Event {
    /// Appends it to what is to be sent, in a frame.
    pub fn tell(&self, told: &RefCell<Vec<u8>>) {
        let mut told = told.borrow_mut();
        if plat_protocol::append(self, &mut told).is_err() {
            // An empty frame: the reader counts it as a message that it cannot read.
            let _ = plat_protocol::append(&(), &mut told);
        }
    }
}

/// The observer of a worker: it writes events to the pipe.
pub(super) struct Scribe(pub Rc<RefCell<Vec<u8>>>);

impl Scribe {
    fn tell(&self, event: &Event) {
        event.tell(&self.0);
    }
}

impl Observer for Scribe {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.tell(&Event::Ended(Box::new(record.clone())));
    }

    fn warning(&mut self, text: &str, once: bool) {
        self.tell(&Event::Warned(text.to_string(), once));
    }

    fn unsupported(&mut self, what: &str, text: &str) {
        self.tell(&Event::Unsupported(what.to_string(), text.to_string()));
    }

    fn message(&mut self, text: &str) {
        self.tell(&Event::Said(text.to_string()));
    }

    fn print(&mut self, text: &str) {
        self.tell(&Event::Printed(text.to_string()));
    }

    fn stack(&mut self, lines: &[StackLine]) {
        self.tell(&Event::Stack(lines.to_vec()));
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        self.tell(&Event::Wrote(descriptor, bytes.to_vec()));
    }

    fn covered(&mut self, state: StateId, inst: InstId) {
        self.tell(&Event::Covered(state, inst));
    }

    fn forked(&mut self, fork: &Fork) {
        self.tell(&Event::Forked(*fork));
    }

    fn decided(&mut self, decision: &Decision) {
        self.tell(&Event::Decided(decision.clone()));
    }

    fn closed(&mut self, node: NodeId, leaf: Leaf) {
        self.tell(&Event::Closed(node, leaf));
    }

    fn left(&mut self, left: &Left) {
        self.tell(&Event::Left(left.clone()));
    }

    fn renewed(&mut self, node: NodeId) {
        self.tell(&Event::Renewed(node));
    }

    fn asked(&mut self, inst: Option<InstId>, decided: bool) {
        self.tell(&Event::Asked(inst, decided));
    }

    fn solved(&mut self, inst: Option<InstId>, wall: Duration) {
        self.tell(&Event::Solved(inst, wall));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::outcome::{Fault, FaultKind, InputObject, Limit, PathEnd, SourceLine};
    use crate::api::summary::ForkKind;
    use plat_protocol::{decode, encode};

    fn record() -> TestRecord {
        let mut fault = Fault::new(FaultKind::Reported("external".into()), "a fault");
        fault.info.push("more".into());
        let source = SourceLine {
            file: "a.c".into(),
            line: 300,
        };
        TestRecord {
            state: StateId(7),
            leaf: Some(9),
            end: PathEnd::Fault(fault),
            wanted: true,
            repeats: false,
            replaces: true,
            exit_code: Some(-1),
            source: source.clone(),
            inst: Some(InstId(9)),
            blamed: None,
            stack: vec![StackLine {
                function: "main".into(),
                arguments: vec!["=1".into()],
                source,
                inst: InstId(8),
            }],
            instructions: u64::MAX,
            depth: 3,
            path: vec![0, 500],
            branches: vec![true, false],
            covered_new: true,
            new_side: true,
            arguments: vec![b"a.out".to_vec(), Vec::new()],
            inputs: vec![InputObject {
                name: "x".into(),
                bytes: vec![0, 255],
            }],
            stdout: b"out".to_vec(),
            stdout_cut: 5,
            stderr: vec![],
            kquery: None,
            smt2: Some("(check-sat)".into()),
        }
    }

    fn events() -> Vec<Event> {
        let mut tally = Tally::default();
        tally.counts.limited.insert(Limit::Depth, 1);
        tally.solver.add_layer("affine", Default::default());
        tally.executed.push((1, 1 << 40));
        let fork = Fork {
            parent: StateId(1),
            child: StateId(2),
            inst: None,
            kind: ForkKind::Resolution,
        };
        vec![
            Event::Ended(Box::new(record())),
            Event::Warned("a warning".into(), true),
            Event::Wrote(1, vec![1, 2, 3]),
            Event::Forked(fork),
            Event::Decided(Decision {
                node: 3,
                first: 1 << 40,
                sides: vec![0, 2],
                inst: Some(InstId(4)),
                kind: ForkKind::Switch,
                answers: Default::default(),
            }),
            Event::Asked(Some(InstId(u32::MAX)), false),
            Event::Solved(None, Duration::new(3, 7)),
            Event::Gathered(2, vec![4, 5]),
            Event::Report(Box::new(tally)),
            Event::Done(StopReason::Limit(Limit::Time)),
        ]
    }

    #[test]
    fn events_survive_their_encoding() {
        for event in events() {
            let bytes = encode(&event).expect("an encoding");
            let decoded: Event = decode(&bytes).expect("an event");
            assert_eq!(encode(&decoded).expect("an encoding"), bytes);
            for cut in 0..bytes.len() {
                assert!(decode::<Event>(&bytes[..cut]).is_err());
            }
        }
    }

    #[test]
    fn damaged_events_are_refused_or_read_as_others() {
        for event in events() {
            let bytes = encode(&event).expect("an encoding");
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << bit;
                    if let Ok(other) = decode::<Event>(&damaged) {
                        assert!(encode(&other).is_ok());
                    }
                }
            }
        }
    }
}
