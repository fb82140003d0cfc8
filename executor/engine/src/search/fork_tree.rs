//! The tree of forks of a run, its live states as leaves, for random walks from the root.
//!
//! A fork into n branches is one node with n children and not a comb of binary ones, which would favour
//! some of the branches. Which forks are one node is for the searcher to say. Nodes whose other branches have all ended are cut out, so
//! that a walk visits only real choices.

use super::StateId;
use super::random::Random;
use rustc_hash::FxHashMap;

/// Position of a node in [`ForkTree::nodes`].
type NodeId = usize;

const NO_NODE: NodeId = usize::MAX;

/// The fork between states that come from none.
const NO_FORK: u64 = 0;

/// How often a branch that is not accepted is drawn again at a fork.
const DRAWS: usize = 8;

struct Node {
    parent: NodeId,
    /// Where it stands among the children of its parent.
    slot: usize,
    /// Walks through it since the last discovery below.
    idle: u32,
    kind: Kind,
}

enum Kind {
    Leaf(StateId),
    /// Which fork, see [`ForkTree::add`], and its branches.
    Fork(u64, Vec<NodeId>),
}

/// The tree.
pub(super) struct ForkTree {
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    /// The node whose subtree holds all live states; its `parent` is `NO_NODE`.
    root: NodeId,
    leaves: FxHashMap<StateId, NodeId>,
    /// How many forks above a state the fork that it belongs to is looked for.
    reach: usize,
}

impl ForkTree {
    pub fn new(reach: usize) -> Self {
        ForkTree {
            nodes: Vec::new(),
            free: Vec::new(),
            root: NO_NODE,
            leaves: FxHashMap::default(),
            reach,
        }
    }

    /// Adds a state that was split off another one at a fork. It becomes a branch of the node of the same
    /// `fork`, if one of the next above is, and of a new one otherwise.
    pub fn add(&mut self, parent: Option<StateId>, state: StateId, fork: u64) {
        let leaf = self.make(Kind::Leaf(state));
        self.leaves.insert(state, leaf);
        if self.root == NO_NODE {
            self.root = leaf;
            return;
        }
        let parent = parent.and_then(|parent| self.leaves.get(&parent).copied());
        let (beside, fork, node) = match parent {
            Some(parent) => (parent, fork, self.above(parent, fork)),
            None => (self.root, NO_FORK, self.fork_at(self.root, NO_FORK)),
        };
        let node = node.unwrap_or_else(|| self.fork_beside(beside, fork));
        self.hang(leaf, node);
    }

    /// Takes a state out.
    pub fn remove(&mut self, state: StateId) {
        let Some(leaf) = self.leaves.remove(&state) else {
            return;
        };
        let (parent, slot) = (self.nodes[leaf].parent, self.nodes[leaf].slot);
        self.free.push(leaf);
        if parent == NO_NODE {
            self.root = NO_NODE;
            return;
        }
        let Kind::Fork(_, children) = &mut self.nodes[parent].kind else {
            return;
        };
        children.swap_remove(slot);
        let (moved, rest) = (children.get(slot).copied(), children.len());
        let first = children.first().copied();
        if let Some(moved) = moved {
            self.nodes[moved].slot = slot;
        }
        if let (1, Some(only)) = (rest, first) {
            self.replace(parent, only);
            self.free.push(parent);
        }
    }

    /// A walk from the root. A branch that was drawn is taken if `accept` says so of the walks through it
    /// since the last discovery below; after some draws, any.
    ///
    /// # Panics
    /// If there is no state.
    pub fn walk(
        &mut self,
        random: &mut Random,
        accept: impl Fn(&mut Random, u32) -> bool,
    ) -> StateId {
        let mut at = self.root;
        assert!(at != NO_NODE, "a live state");
        loop {
            self.nodes[at].idle = self.nodes[at].idle.saturating_add(1);
            match &self.nodes[at].kind {
                Kind::Leaf(state) => return *state,
                Kind::Fork(_, children) => {
                    let draw = |random: &mut Random| children[random.below(children.len())];
                    at = draw(random);
                    for _ in 0..DRAWS {
                        if accept(random, self.nodes[at].idle) {
                            break;
                        }
                        at = draw(random);
                    }
                }
            }
        }
    }

    /// A discovery on the path of a state.
    pub fn discovered(&mut self, state: StateId) {
        let mut at = self.leaves.get(&state).copied();
        while let Some(node) = at.and_then(|at| self.nodes.get_mut(at)) {
            node.idle = 0;
            at = Some(node.parent);
        }
    }

    fn make(&mut self, kind: Kind) -> NodeId {
        let node = Node {
            parent: NO_NODE,
            slot: 0,
            idle: 0,
            kind,
        };
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

    /// Puts `new` where `old` was.
    fn replace(&mut self, old: NodeId, new: NodeId) {
        let (parent, slot) = (self.nodes[old].parent, self.nodes[old].slot);
        (self.nodes[new].parent, self.nodes[new].slot) = (parent, slot);
        match self.nodes.get_mut(parent).map(|node| &mut node.kind) {
            Some(Kind::Fork(_, children)) => children[slot] = new,
            _ => self.root = new,
        }
    }

    fn hang(&mut self, child: NodeId, node: NodeId) {
        if let Kind::Fork(_, children) = &mut self.nodes[node].kind {
            let slot = children.len();
            children.push(child);
            (self.nodes[child].parent, self.nodes[child].slot) = (node, slot);
        }
    }

    /// A new fork in the place of a node, which becomes its first branch.
    fn fork_beside(&mut self, node: NodeId, fork: u64) -> NodeId {
        let new = self.make(Kind::Fork(fork, Vec::with_capacity(2)));
        self.nodes[new].idle = self.nodes[node].idle;
        self.replace(node, new);
        self.hang(node, new);
        new
    }

    /// The node of a fork among the next above a node.
    fn above(&self, node: NodeId, fork: u64) -> Option<NodeId> {
        let parent = |&at: &NodeId| Some(self.nodes[at].parent).filter(|&at| at != NO_NODE);
        let mut above = std::iter::successors(parent(&node), parent).take(self.reach);
        above.find_map(|at| self.fork_at(at, fork))
    }

    /// A node, if it is that of a fork.
    fn fork_at(&self, node: NodeId, fork: u64) -> Option<NodeId> {
        matches!(self.nodes[node].kind, Kind::Fork(of, _) if of == fork).then_some(node)
    }
}
