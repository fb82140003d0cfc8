//! A trie in memory.

use super::record::{Counting, Record, Split};
use crate::Error;
use plat_engine::outcome::KnownFault;
use plat_engine::{Answers, Counts, ForkKind, Leaf, NodeId};
use plat_store::{Header, Reader, TailKind};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::time::Duration;

/// A place of splits, by names that other builds of the program share.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The function.
    pub function: String,
    /// The position of the instruction in it; none behind its end.
    pub inst: Option<u32>,
}

/// A split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inner {
    /// Its place: a position in [`Trie::places`].
    pub place: usize,
    /// Why the path was split.
    pub kind: ForkKind,
    /// What it was answered before.
    pub answers: Answers,
    /// The sides, and the nodes behind them.
    pub sides: Vec<(u32, NodeId)>,
}

/// What is known of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node {
    /// Nothing: its path is to be explored from here.
    Open,
    /// Its path was alive when a run ended, and had been answered this.
    Left(Answers),
    /// It was split.
    Inner(Inner),
    /// Its path has ended.
    Leaf(Leaf),
    /// All behind it is explored. How its paths have ended is kept, and nothing else.
    Explored(BTreeMap<Leaf, u64>),
}

/// What a record says, for those who hear records in their order.
pub(super) enum Told {
    /// A session has begun.
    Begun,
    /// A node was split, or its path has ended.
    Node(NodeId),
    /// So long the session has gone.
    Elapsed(Duration),
}

/// The decisions of a run, and of those that went on with it.
#[derive(Clone, Default, Debug)]
pub struct Trie {
    /// Of which program, under which options.
    pub header: Header,
    /// The command lines of the runs.
    pub sessions: Vec<Vec<String>>,
    /// Where paths were split.
    pub places: Vec<Place>,
    /// The nodes. A node that is not here is open.
    pub nodes: BTreeMap<NodeId, Node>,
    /// The tests of ended paths that have one. A test that another one has replaced is no path's.
    pub tests: BTreeMap<NodeId, u32>,
    /// Nodes that no path has had begin here.
    pub next: NodeId,
    /// Instructions that were covered, by number.
    pub covered: Vec<u32>,
    /// Directions of branches that were taken, by number.
    pub branches: Vec<(u32, u8)>,
    /// The counters when they were last written.
    pub counts: Counts,
    /// Errors with the path that stands for each.
    pub faults: Vec<KnownFault>,
    /// Bytes on disk that were read, and bytes behind them that were never written whole.
    pub bytes: (u64, u64),
}

/// What the records of a session have named so far.
#[derive(Default)]
struct Names {
    counting: Counting,
    functions: Vec<String>,
    places: Vec<(usize, ForkKind)>,
    /// The node of each test.
    tests: HashMap<u32, NodeId>,
}

/// Opens the trie of a run.
///
/// # Errors
/// When there is none.
pub(super) fn open(directory: &Path) -> Result<Reader<Record>, Error> {
    let path = directory.join(super::FILE);
    if !path.exists() {
        return Err(Error::input(format!(
            "{}: there is no {} in it: the run kept no trie, or this is no directory of a run",
            directory.display(),
            super::FILE
        )));
    }
    Reader::open(&path).map_err(|why| Error::input(format!("{}: {why}", path.display())))
}

impl Trie {
    /// Reads the trie of a run: all records that were written whole.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        Self::read_hearing(directory, &mut |_| {})
    }

    /// Reads it, and tells what it says in its order.
    pub(super) fn read_hearing(
        directory: &Path,
        hear: &mut dyn FnMut(Told),
    ) -> Result<Self, Error> {
        let path = directory.join(super::FILE);
        let wrong = |why: plat_store::Error| Error::input(format!("{}: {why}", path.display()));
        let reader = open(directory)?;
        let mut trie = Trie {
            header: reader.header().clone(),
            ..Trie::default()
        };
        let length = std::fs::metadata(&path).map_or(0, |meta| meta.len());
        if let Some(tail) = reader.tail() {
            if tail.kind == TailKind::Damaged {
                return Err(wrong(plat_store::Error::Damaged { at: tail.at }));
            }
            trie.bytes.1 = length.saturating_sub(tail.at);
        }
        trie.bytes.0 = length - trie.bytes.1;
        let mut names = Names::default();
        for record in reader.records(0) {
            let told = trie.add(&mut names, record.map_err(wrong)?);
            let told = told.ok_or_else(|| wrong(plat_store::Error::NoStore))?;
            told.map(&mut *hear);
        }
        trie.drop_unreachable();
        Ok(trie)
    }

    /// None if a record names what there is not.
    fn add(&mut self, names: &mut Names, record: Record) -> Option<Option<Told>> {
        Some(match record {
            Record::Session(line) => {
                self.sessions.push(line);
                let tests = std::mem::take(&mut names.tests);
                *names = Names {
                    tests,
                    ..Names::default()
                };
                Some(Told::Begun)
            }
            Record::Function(name) => {
                names.functions.push(name);
                None
            }
            Record::Place(function, inst, kind) => {
                let function = names.functions.get(function as usize)?.clone();
                let at = self.place(Place { function, inst });
                names.places.push((at, kind));
                None
            }
            Record::Next(place, node, answered) => {
                let split = Split {
                    place,
                    node,
                    first: 0,
                    sides: vec![0, 1],
                    answered,
                };
                Some(Told::Node(self.add_split(names, split)?))
            }
            Record::Split(split) => Some(Told::Node(self.add_split(names, split)?)),
            Record::End(name, leaf) => {
                let node = names.counting.node(name);
                names.counting.note(node);
                self.nodes.insert(node, Node::Leaf(leaf));
                Some(Told::Node(node))
            }
            Record::Tested(name, leaf, test) => {
                let node = names.counting.node(name);
                names.counting.note(node);
                self.nodes.insert(node, Node::Leaf(leaf));
                let test = names.counting.test(test)?;
                if let Some(other) = names.tests.insert(test, node)
                    && self.tests.get(&other) == Some(&test)
                {
                    self.tests.remove(&other);
                }
                self.tests.insert(node, test);
                Some(Told::Node(node))
            }
            Record::Left(name, answered) => {
                let node = names.counting.node(name);
                names.counting.note(node);
                self.nodes.insert(node, Node::Left((&answered).into()));
                None
            }
            Record::Renewed(name) => {
                let node = names.counting.node(name);
                names.counting.note(node);
                self.nodes.insert(node, Node::Open);
                None
            }
            Record::Explored(name, ends) => {
                let node = names.counting.node(name);
                names.counting.note(node);
                self.nodes
                    .insert(node, Node::Explored(ends.into_iter().collect()));
                None
            }
            Record::Elapsed(micros) => Some(Told::Elapsed(Duration::from_micros(micros))),
            figures => {
                self.add_figures(figures);
                None
            }
        })
    }

    /// What is said of the whole run.
    pub(super) fn add_figures(&mut self, record: Record) {
        match record {
            Record::Covered(insts) => self.covered.extend(insts),
            Record::Branches(branches) => self.branches.extend(branches),
            Record::Executed(instructions) => self.counts.instructions = instructions,
            Record::Counts(counts) => self.counts = *counts,
            Record::Fault(fault) => {
                self.faults.retain(|known| known.key != fault.key);
                self.faults.push(*fault);
            }
            _ => {}
        }
    }

    fn add_split(&mut self, names: &mut Names, split: Split) -> Option<NodeId> {
        let &(place, kind) = names.places.get(split.place as usize)?;
        let node = names.counting.node(split.node);
        let first = names.counting.first(split.first);
        let sides: Vec<(u32, NodeId)> = split.sides.into_iter().zip(first..).collect();
        let end = first.checked_add(sides.len() as u64)?;
        names.counting.note(node);
        names.counting.note_end(end);
        self.next = self.next.max(end).max(node.checked_add(1)?);
        let answers = Answers::from(&split.answered);
        let inner = Inner {
            place,
            kind,
            answers,
            sides,
        };
        self.nodes.insert(node, Node::Inner(inner));
        Some(node)
    }

    /// The position of a place.
    pub(super) fn place(&mut self, place: Place) -> usize {
        let known = self.places.iter().position(|known| *known == place);
        known.unwrap_or_else(|| {
            self.places.push(place);
            self.places.len() - 1
        })
    }

    /// What is known of a node.
    pub fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(&id).unwrap_or(&Node::Open)
    }

    /// The nodes of the initial states.
    pub fn roots(&self) -> Vec<NodeId> {
        (0..super::header::roots(&self.header)).collect()
    }

    /// Walks over all nodes that there are, parents before children: each with its depth.
    pub fn walk(&self, visit: &mut dyn FnMut(NodeId, u32, &Node)) {
        let mut stack: Vec<(NodeId, u32)> = self
            .roots()
            .into_iter()
            .rev()
            .map(|root| (root, 0))
            .collect();
        while let Some((id, depth)) = stack.pop() {
            let node = self.node(id);
            visit(id, depth, node);
            if let Node::Inner(inner) = node {
                stack.extend(inner.sides.iter().rev().map(|side| (side.1, depth + 1)));
            }
        }
    }

    /// Drops what is behind nodes that were explored anew, or whose own record was lost.
    fn drop_unreachable(&mut self) {
        // Nodes have numbers from 0 on, so this is small beside them.
        let count = self.next.max(super::header::roots(&self.header));
        let mut reached = vec![false; count as usize];
        self.walk(&mut |id, _, _| {
            if let Some(reached) = reached.get_mut(id as usize) {
                *reached = true;
            }
        });
        self.nodes
            .retain(|&id, _| reached.get(id as usize) == Some(&true));
        let is_leaf = |id: &NodeId| matches!(self.nodes.get(id), Some(Node::Leaf(_)));
        self.tests.retain(|id, _| is_leaf(id));
    }
}
