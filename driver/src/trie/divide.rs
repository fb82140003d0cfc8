//! The open paths of a trie, divided into work that can be done apart.
//!
//! A piece of work is a trie of its own, in the same form: the decisions on the way to its open paths,
//! with their answers, so that whoever does it walks there without a solver, and goes on as
//! `plat resume` does. Everything else is closed in it ([`Leaf::Elsewhere`]). What was covered and which
//! errors have a test is in it as well: code that another piece has covered is not new.

use super::Reopen;
use super::record::{Counting, Record, Split};
use super::tree::{Inner, Node, Trie};
use crate::Error;
use plat_engine::{ForkKind, Leaf, NodeId};
use plat_store::Writer;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Open paths of a trie.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Piece {
    open: BTreeSet<NodeId>,
}

impl Piece {
    /// How many paths they are.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

impl Trie {
    /// Divides the open paths among at most that many pieces, none of them empty.
    ///
    /// Neighbours in the tree stay together, as they share the way to them. What is behind an open path
    /// is not known; its estimate is its share of the tree, where each side of a split has the same
    /// (Knuth, "Estimating the efficiency of backtrack programs", 1975). No path counts for less than a
    /// tenth of the mean: deep paths have shares of nothing.
    pub fn divide(&self, reopen: Reopen, pieces: usize) -> Vec<Piece> {
        let shares = self.shares(reopen);
        let pieces = pieces.clamp(1, shares.len().max(1));
        let mean = shares.iter().map(|(_, share)| share).sum::<f64>() / shares.len().max(1) as f64;
        let weight = |share: f64| share.max(mean / 10.0);
        let all: f64 = shares.iter().map(|&(_, share)| weight(share)).sum();
        let (mut divided, mut before) = (vec![Piece::default(); pieces], 0.0);
        let (mut at, count) = (0, shares.len());
        for (number, &(node, share)) in shares.iter().enumerate() {
            // A piece ends where its part of all ends; the last ones need a path each.
            let part = (before / all * pieces as f64) as usize;
            let left = pieces - (count - number).min(pieces);
            if !divided[at].is_empty() && (part > at || left > at) {
                at = (at + 1).min(pieces - 1);
            }
            divided[at].open.insert(node);
            before += weight(share);
        }
        divided.retain(|piece| !piece.is_empty());
        divided
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
                Node::Leaf(leaf) if !reopen.opens(*leaf, depth.saturating_sub(1)) => {}
                Node::Open | Node::Left(_) | Node::Leaf(_) => open.push((id, own)),
            }
        });
        open
    }

    /// Writes a piece of work to a file that is not there yet.
    ///
    /// # Errors
    /// When it is there, or cannot be written.
    pub fn write_piece(&self, piece: &Piece, path: &Path) -> Result<(), Error> {
        let wrong = |why: plat_store::Error| Error::input(format!("{}: {why}", path.display()));
        let mut writing = Writing {
            trie: self,
            to: Writer::create(path, &self.header).map_err(wrong)?,
            counting: Counting::default(),
            functions: HashMap::new(),
            places: HashMap::new(),
        };
        writing.piece(piece).map_err(wrong)
    }

    /// The nodes on the way to open paths, with these.
    fn ways(&self, piece: &Piece) -> BTreeSet<NodeId> {
        let mut order: Vec<NodeId> = Vec::new();
        self.walk(&mut |id, _, _| order.push(id));
        let mut ways = piece.open.clone();
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

/// A piece that is being written.
struct Writing<'a> {
    trie: &'a Trie,
    to: Writer<Record>,
    counting: Counting,
    functions: HashMap<&'a str, u32>,
    places: HashMap<(usize, ForkKind), u32>,
}

impl<'a> Writing<'a> {
    fn piece(&mut self, piece: &Piece) -> Result<(), plat_store::Error> {
        let trie = self.trie;
        let session = trie.sessions.first().cloned().unwrap_or_default();
        self.to.append(&Record::Session(session))?;
        let ways = trie.ways(piece);
        let mut stack = trie.roots();
        stack.reverse();
        while let Some(id) = stack.pop() {
            match trie.node(id) {
                _ if !ways.contains(&id) => self.end(id, Leaf::Elsewhere)?,
                Node::Open => {}
                Node::Left(answers) => {
                    let node = self.name(id);
                    self.to.append(&Record::Left(node, answers.into()))?;
                }
                Node::Leaf(leaf) => self.end(id, *leaf)?,
                Node::Inner(inner) => {
                    self.split(id, inner)?;
                    stack.extend(inner.sides.iter().rev().map(|&(_, side)| side));
                }
            }
        }
        self.to.append(&Record::Covered(trie.covered.clone()))?;
        self.to.append(&Record::Branches(trie.branches.clone()))?;
        for fault in &trie.faults {
            self.to.append(&Record::Fault(Box::new(fault.clone())))?;
        }
        self.to.flush()
    }

    /// How a record names a node.
    fn name(&mut self, node: NodeId) -> i64 {
        let name = self.counting.name(node);
        self.counting.note(node);
        name
    }

    fn end(&mut self, node: NodeId, leaf: Leaf) -> Result<(), plat_store::Error> {
        let node = self.name(node);
        self.to.append(&Record::End(node, leaf)).map(drop)
    }

    fn split(&mut self, node: NodeId, inner: &Inner) -> Result<(), plat_store::Error> {
        let place = self.place(inner)?;
        let node = self.name(node);
        let first = inner.sides.first().map_or(0, |&(_, side)| side);
        let first_name = self.counting.name_first(first);
        self.counting.note_end(first + inner.sides.len() as u64);
        let split = Split {
            place,
            node,
            first: first_name,
            sides: inner.sides.iter().map(|&(side, _)| side).collect(),
            answered: (&inner.answers).into(),
        };
        self.to.append(&split.record()).map(drop)
    }

    /// The number of a place, told if it is new.
    fn place(&mut self, inner: &Inner) -> Result<u32, plat_store::Error> {
        let key = (inner.place, inner.kind);
        if let Some(&known) = self.places.get(&key) {
            return Ok(known);
        }
        let place = &self.trie.places[inner.place];
        let function = match self.functions.get(place.function.as_str()) {
            Some(&known) => known,
            None => {
                let name = place.function.clone();
                self.to.append(&Record::Function(name))?;
                let number = self.functions.len() as u32;
                self.functions.insert(&place.function, number);
                number
            }
        };
        let record = Record::Place(function, place.inst, inner.kind);
        self.to.append(&record)?;
        let number = self.places.len() as u32;
        self.places.insert(key, number);
        Ok(number)
    }
}
