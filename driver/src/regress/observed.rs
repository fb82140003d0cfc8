//! Which paths of the old run the run of a new version comes to again, noted while that goes on.

use crate::trie::Leaf;
use plat_engine::outcome::{Reach, test_identity};
use plat_engine::{NodeId, Observer, TestRecord};
use plat_program::Program;
use std::cell::{Ref, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

/// What is noted, shared by the run and its comparison.
#[derive(Clone, Default, Debug)]
pub struct Observed(Rc<RefCell<Noted>>);

/// What is noted.
#[derive(Default, Debug)]
pub(super) struct Noted {
    /// The nodes at which paths of the old run have ended.
    ended: HashSet<NodeId>,
    /// Nodes of the old run behind which something is new.
    renewed: HashSet<NodeId>,
    /// The old paths that are taken over, by their nodes.
    pub taken: HashSet<NodeId>,
    /// The inputs of their tests.
    pub inputs: HashSet<u64>,
}

impl Observed {
    /// For a run that is led by one whose paths have ended at these nodes.
    pub fn of(ended: impl Iterator<Item = NodeId>) -> Self {
        Observed(Rc::new(RefCell::new(Noted {
            ended: ended.collect(),
            ..Noted::default()
        })))
    }

    /// What has been noted.
    pub(super) fn noted(&self) -> Ref<'_, Noted> {
        self.0.borrow()
    }
}

impl Noted {
    fn takes(&self, node: NodeId) -> bool {
        self.ended.contains(&node) && !self.renewed.contains(&node)
    }
}

impl Observer for Observed {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        let mut noted = self.0.borrow_mut();
        if record.wanted && record.leaf.is_some_and(|leaf| noted.takes(leaf)) {
            noted
                .inputs
                .insert(test_identity(&record.inputs, Reach::End));
        }
    }

    fn closed(&mut self, node: NodeId, _: Leaf) {
        let mut noted = self.0.borrow_mut();
        if noted.takes(node) {
            noted.taken.insert(node);
        }
    }

    fn renewed(&mut self, node: NodeId) {
        self.0.borrow_mut().renewed.insert(node);
    }
}
