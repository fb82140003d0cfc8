//! A random walk from the root of the fork tree: at every fork each branch with live states under
//! it is equally likely. (Cadar et al., OSDI 2008, section 3.4.)
//!
//! States high in the tree, which had few constraints to pass, are preferred over a swarm of
//! states from one loop. A fork into n branches is one node with n children and not a comb of
//! binary ones, which would favour the branches that happened to be made last. Nodes whose other
//! branches have all died are cut out, so that a walk visits only real choices.

use super::random::Random;
use super::{Entry, Needs, Searcher, StateId, Summary};
use rustc_hash::FxHashMap;

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "random-path",
    help: "a random walk down the fork tree, live branches equally likely",
    needs: Needs::NOTHING,
    make: |seed| Box::new(RandomPath::new(seed)),
};

/// Position of a node in [`RandomPath::nodes`].
type NodeId = usize;

const NO_NODE: NodeId = usize::MAX;

struct Node {
    parent: NodeId,
    kind: Kind,
}

enum Kind {
    Leaf(StateId),
    Fork(Vec<NodeId>),
}

pub(super) struct RandomPath {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    /// The node whose subtree holds all live states; its `parent` is `NO_NODE`.
    root: NodeId,
    leaves: FxHashMap<StateId, NodeId>,
    random: Random,
}

impl RandomPath {
    pub(super) fn new(seed: u64) -> Self {
        RandomPath {
            nodes: Vec::new(),
            free: Vec::new(),
            root: NO_NODE,
            leaves: FxHashMap::default(),
            random: Random::new(seed),
        }
    }

    fn make(&mut self, parent: NodeId, kind: Kind) -> NodeId {
        let node = Node { parent, kind };
        match self.free.pop() {
            Some(at) => {
                self.nodes[at] = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    fn leaf(&mut self, parent: NodeId, state: StateId) -> NodeId {
        let node = self.make(parent, Kind::Leaf(state));
        self.leaves.insert(state, node);
        node
    }

    /// Puts `new` where `old` was.
    fn replace(&mut self, old: NodeId, new: NodeId) {
        let parent = self.nodes[old].parent;
        self.nodes[new].parent = parent;
        if parent == NO_NODE {
            self.root = new;
        } else if let Kind::Fork(children) = &mut self.nodes[parent].kind {
            for child in children.iter_mut().filter(|child| **child == old) {
                *child = new;
            }
        }
    }
}

impl Searcher for RandomPath {
    fn select(&mut self) -> StateId {
        let mut at = self.root;
        assert!(at != NO_NODE, "a live state");
        loop {
            match &self.nodes[at].kind {
                Kind::Leaf(state) => return *state,
                Kind::Fork(children) => at = children[self.random.below(children.len())],
            }
        }
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        if states.is_empty() {
            return;
        }
        // The node that becomes a fork: the parent's leaf; without a parent, the whole tree.
        let old = match parent {
            Some(parent) => self.leaves.get(&parent).copied().unwrap_or(NO_NODE),
            None => self.root,
        };
        if old == NO_NODE && self.root == NO_NODE && states.len() == 1 {
            self.root = self.leaf(NO_NODE, states[0].id);
            return;
        }
        let fork = self.make(NO_NODE, Kind::Fork(Vec::new()));
        let mut children = Vec::with_capacity(states.len() + 1);
        if old == NO_NODE {
            self.root = fork;
        } else {
            self.replace(old, fork);
            self.nodes[old].parent = fork;
            children.push(old);
        }
        for summary in states {
            children.push(self.leaf(fork, summary.id));
        }
        self.nodes[fork].kind = Kind::Fork(children);
    }

    fn removed(&mut self, state: StateId) {
        let Some(leaf) = self.leaves.remove(&state) else {
            return;
        };
        let parent = self.nodes[leaf].parent;
        self.free.push(leaf);
        if parent == NO_NODE {
            self.root = NO_NODE;
            return;
        }
        let Kind::Fork(children) = &mut self.nodes[parent].kind else {
            return;
        };
        children.retain(|&child| child != leaf);
        if let [only] = children[..] {
            self.replace(parent, only);
            self.free.push(parent);
        }
    }
}
