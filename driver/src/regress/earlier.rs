//! The run of the old version.

use crate::Error;
use crate::explorer::Prepared;
use crate::suite::{Container, SavedTest};
use crate::trie::{Leaf, Node, Trie, header};
use plat_engine::NodeId;
use plat_store::Header;
use std::path::{Path, PathBuf};

/// A run with a trie of its decisions; it may have ended before all paths were explored.
#[derive(Debug)]
pub struct Earlier {
    directory: PathBuf,
    pub(super) trie: Trie,
    tests: Option<Container>,
}

impl Earlier {
    /// Reads it.
    ///
    /// # Errors
    /// When the directory has no trie, or what is in it cannot be read.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let tests = Container::is_in(directory).then(|| Container::open(directory));
        Ok(Earlier {
            directory: directory.to_path_buf(),
            trie: Trie::read(directory)?,
            tests: tests.transpose()?,
        })
    }

    /// Whether this is the program that was run.
    pub fn is_of(&self, old: &Prepared<'_>) -> bool {
        header::digest(old.program()) == self.trie.header.program
    }

    /// The tests of ended paths, each with the node of its path.
    pub(super) fn tests(&self) -> Result<Vec<(NodeId, SavedTest)>, Error> {
        let Some(tests) = &self.tests else {
            return Ok(Vec::new());
        };
        let leaves = self.trie.tests.iter();
        let leaves = leaves.filter(|(_, number)| tests.has(**number));
        let mut leaves: Vec<(u32, NodeId)> = leaves.map(|(&node, &test)| (test, node)).collect();
        leaves.sort_unstable();
        let tested = leaves.into_iter();
        tested
            .map(|(number, node)| Ok((node, tests.test(number)?)))
            .collect()
    }

    /// The nodes at which paths have ended.
    pub(super) fn ended(&self) -> impl Iterator<Item = NodeId> {
        let mut ended = Vec::new();
        self.trie.walk(&mut |id, _, node| {
            if matches!(node, Node::Leaf(leaf) if *leaf != Leaf::Elsewhere) {
                ended.push(id);
            }
        });
        ended.into_iter()
    }

    /// How many paths have ended, and how many are open.
    pub(super) fn paths(&self) -> (u64, u64) {
        count(&self.trie)
    }

    /// The header of its trie.
    pub(crate) fn header(&self) -> &Header {
        &self.trie.header
    }

    /// Its decisions.
    pub fn trie(&self) -> &Trie {
        &self.trie
    }

    /// Where it is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}

/// How many paths of a trie have ended, and how many are open.
pub(super) fn count(trie: &Trie) -> (u64, u64) {
    let (mut ended, mut open) = (0, 0);
    trie.walk(&mut |_, _, node| match node {
        Node::Leaf(Leaf::Elsewhere) | Node::Open | Node::Left(_) => open += 1,
        Node::Leaf(_) => ended += 1,
        Node::Explored(ends) => ended += ends.values().sum::<u64>(),
        Node::Inner(_) => {}
    });
    (ended, open)
}
