//! The open paths of a trie, divided into work that can be done apart.
//!
//! A piece of work is a trie of its own, in the same form: the decisions on the way to its open paths,
//! with their answers, so that whoever does it walks there without a solver, and goes on as
//! `plat resume` does. Everything else is closed in it ([`Leaf::Elsewhere`]). What was covered and which
//! errors have a test is in it as well: code that another piece has covered is not new.

use super::Reopen;
use super::tree::{Node, Trie};
use crate::Error;
use plat_engine::{Leaf, NodeId};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The node that each one came of.
type Parents = HashMap<NodeId, NodeId>;

/// Open paths of a trie.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Piece {
    open: BTreeSet<NodeId>,
    share: f64,
}

impl Piece {
    /// How many paths they are.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Their share of the tree, where all sides of a split have the same.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

/// Divides so many open paths, in the order of the tree, among at most that many pieces, none of them empty: where
/// each ends. See [`Trie::divide`].
pub fn partition(paths: usize, pieces: usize) -> Vec<usize> {
    let pieces = pieces.clamp(1, paths.max(1));
    let ends = (1..=pieces).map(|piece| piece * paths / pieces);
    ends.filter(|&end| end > 0).collect()
}

impl Trie {
    /// Divides the open paths among at most that many pieces, none of them empty.
    ///
    /// Neighbours in the tree stay together, as they share the way to them. What is behind an open path is not
    /// known: each piece has as many. An estimate by shares of the tree (Knuth, "Estimating the efficiency of
    /// backtrack programs", 1975) leaves most of the work in one piece where it is behind many deep paths.
    pub fn divide(&self, reopen: Reopen, pieces: usize) -> Vec<Piece> {
        let (open, shares): (Vec<NodeId>, Vec<f64>) = self.shares(reopen).into_iter().unzip();
        let mut from = 0;
        let ends = partition(open.len(), pieces).into_iter();
        let parts = ends.map(|to| {
            let share = shares[from..to].iter().sum();
            let open = open[from..to].iter().copied().collect();
            from = to;
            Piece { open, share }
        });
        parts.collect()
    }

    /// The same tree with the paths open that the program has ended, and all others closed: to execute them
    /// again. Nothing is covered in it, and no error is known.
    #[must_use]
    pub fn again(&self) -> Self {
        let mut again = Trie {
            covered: Vec::new(),
            branches: Vec::new(),
            faults: Vec::new(),
            ..self.clone()
        };
        let mut leaves = Vec::new();
        self.walk(&mut |id, _, node| match node {
            Node::Leaf(Leaf::Finished | Leaf::Fault | Leaf::Unsupported | Leaf::Silent) => {
                leaves.push((id, Node::Open));
            }
            Node::Open | Node::Left(_) => leaves.push((id, Node::Leaf(Leaf::Elsewhere))),
            Node::Leaf(_) | Node::Explored(_) | Node::Inner(_) => {}
        });
        again.nodes.extend(leaves);
        again
    }

    /// The open paths, in the order of the tree, each with its share of the tree.
    fn shares(&self, reopen: Reopen) -> Vec<(NodeId, f64)> {
        let roots = self.roots();
        let mut share: HashMap<NodeId, f64> = HashMap::new();
        share.extend(roots.iter().map(|&root| (root, 1.0 / roots.len() as f64)));
        let mut open = Vec::new();
        self.walk(&mut |id, depth, node| {
            let own = share.remove(&id).unwrap_or_default();
            match node {
                Node::Inner(inner) => {
                    let each = own / inner.sides.len() as f64;
                    share.extend(inner.sides.iter().map(|&(_, side)| (side, each)));
                }
                Node::Explored(_) => {}
                Node::Leaf(leaf) if !reopen.opens(*leaf, depth.saturating_sub(1)) => {}
                Node::Open | Node::Left(_) | Node::Leaf(_) => open.push((id, own)),
            }
        });
        open
    }

    /// Writes pieces of work into a directory: `1.work`, `2.work`, and so on. Returns the files.
    ///
    /// # Errors
    /// When one is there, or cannot be written.
    pub fn write_pieces(&self, pieces: &[Piece], to: &Path) -> Result<Vec<PathBuf>, Error> {
        let parents = self.parents();
        let numbered = pieces.iter().zip(1..);
        let files = numbered.map(|(piece, number)| {
            let file = to.join(format!("{number}.work"));
            self.write_piece(piece, &parents, &file).map(|()| file)
        });
        files.collect()
    }

    fn write_piece(&self, piece: &Piece, parents: &Parents, path: &Path) -> Result<(), Error> {
        let mut ways = HashSet::new();
        for &open in &piece.open {
            let up = std::iter::successors(Some(open), |node| parents.get(node).copied());
            let _ = up.take_while(|&node| ways.insert(node)).count();
        }
        let cut = |node| (!ways.contains(&node)).then_some(Node::Leaf(Leaf::Elsewhere));
        self.write_part(path, &cut)
    }

    fn parents(&self) -> Parents {
        let mut parents = Parents::new();
        self.walk(&mut |id, _, node| {
            if let Node::Inner(inner) = node {
                parents.extend(inner.sides.iter().map(|&(_, side)| (side, id)));
            }
        });
        parents
    }

    /// The nodes on the way to some nodes, with these.
    pub(crate) fn ways(&self, mut ways: BTreeSet<NodeId>) -> BTreeSet<NodeId> {
        let mut order: Vec<NodeId> = Vec::new();
        self.walk(&mut |id, _, _| order.push(id));
        // Children before parents.
        for &id in order.iter().rev() {
            if let Node::Inner(inner) = self.node(id)
                && inner.sides.iter().any(|(_, side)| ways.contains(side))
            {
                ways.insert(id);
            }
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_not_empty_and_have_as_many_paths() {
        assert_eq!(partition(0, 3), [0; 0]);
        assert_eq!(partition(1, 3), [1]);
        assert_eq!(partition(4, 2), [2, 4]);
        assert_eq!(partition(4, 9), [1, 2, 3, 4]);
        for (paths, pieces) in (1..30).flat_map(|paths| (1..40).map(move |pieces| (paths, pieces)))
        {
            let ends = partition(paths, pieces);
            assert_eq!(ends.len(), pieces.min(paths));
            assert_eq!(ends.last(), Some(&paths));
            let begins = [0].into_iter().chain(ends.iter().copied());
            let counts: Vec<usize> = begins.zip(&ends).map(|(from, to)| to - from).collect();
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(*least > 0 && most - least <= 1, "{ends:?}");
        }
    }
}
