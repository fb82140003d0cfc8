//! A trie as a file: whole, or with parts of it cut off.

use super::record::{Counting, Record, Split};
use super::tree::{Inner, Node, Trie};
use crate::Error;
use plat_engine::{Counts, ForkKind, NodeId};
use plat_store::Writer;
use std::collections::HashMap;
use std::path::Path;

/// What is written in place of a node and all behind it; none if that is written as it is.
type Cut<'c> = &'c dyn Fn(NodeId) -> Option<Node>;

impl Trie {
    /// Writes it to a file that is not there yet: for these command lines, with what was covered and found,
    /// and with the counters, if they are given. The file then survives the end of the machine.
    ///
    /// # Errors
    /// When it is there, or cannot be written.
    pub(crate) fn write(
        &self,
        path: &Path,
        sessions: &[Vec<String>],
        counts: Option<&Counts>,
        cut: Cut<'_>,
    ) -> Result<(), Error> {
        let mut writing = self.begin(path)?;
        let written = writing.all(sessions, counts, cut);
        let written = written.and_then(|()| writing.to.sync());
        written.map_err(|why| wrong(path, &why))
    }

    /// Writes a part of it to a file that is not there yet, with the first command line. Whoever loses the
    /// file makes it again.
    ///
    /// # Errors
    /// When it is there, or cannot be written.
    pub(super) fn write_part(&self, path: &Path, cut: Cut<'_>) -> Result<(), Error> {
        let mut writing = self.begin(path)?;
        let first = self.sessions.get(..1).unwrap_or_default();
        let written = writing.all(first, None, cut);
        let written = written.and_then(|()| writing.to.flush());
        written.map_err(|why| wrong(path, &why))
    }

    /// Writes it with the command lines and the counters of its run.
    ///
    /// # Errors
    /// When it is there, or cannot be written.
    pub(super) fn write_run(&self, path: &Path, cut: Cut<'_>) -> Result<(), Error> {
        self.write(path, &self.sessions, Some(&self.counts), cut)
    }

    fn begin(&self, path: &Path) -> Result<Writing<'_>, Error> {
        Ok(Writing {
            trie: self,
            to: Writer::create(path, &self.header).map_err(|why| wrong(path, &why))?,
            counting: Counting::default(),
            functions: HashMap::new(),
            places: HashMap::new(),
        })
    }
}

fn wrong(path: &Path, why: &plat_store::Error) -> Error {
    Error::input(format!("{}: {why}", path.display()))
}

/// A trie that is being written.
struct Writing<'a> {
    trie: &'a Trie,
    to: Writer<Record>,
    counting: Counting,
    functions: HashMap<&'a str, u32>,
    places: HashMap<(usize, ForkKind), u32>,
}

impl<'a> Writing<'a> {
    fn all(
        &mut self,
        sessions: &[Vec<String>],
        counts: Option<&Counts>,
        cut: Cut<'_>,
    ) -> Result<(), plat_store::Error> {
        let trie = self.trie;
        for session in sessions {
            self.to.append(&Record::Session(session.clone()))?;
        }
        let mut stack = trie.roots();
        stack.reverse();
        while let Some(id) = stack.pop() {
            let cut = cut(id);
            match cut.as_ref().unwrap_or(trie.node(id)) {
                Node::Open => {}
                Node::Left(answers) => {
                    let node = self.name(id);
                    self.to.append(&Record::Left(node, answers.into()))?;
                }
                Node::Leaf(leaf) => {
                    let test = trie.tests.get(&id).filter(|_| cut.is_none());
                    let node = self.name(id);
                    let record = match test {
                        Some(&test) => Record::Tested(node, *leaf, self.counting.name_test(test)),
                        None => Record::End(node, *leaf),
                    };
                    self.to.append(&record)?;
                }
                Node::Explored(ends) => {
                    let node = self.name(id);
                    let ends = ends.iter().map(|(&leaf, &count)| (leaf, count));
                    self.to.append(&Record::Explored(node, ends.collect()))?;
                }
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
        if let Some(counts) = counts {
            self.to.append(&Record::Counts(Box::new(counts.clone())))?;
        }
        Ok(())
    }

    /// How a record names a node.
    fn name(&mut self, node: NodeId) -> i64 {
        let name = self.counting.name(node);
        self.counting.note(node);
        name
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
