//! The records of `run.trie`.
//!
//! Nodes have numbers, and a record says where its nodes are relative to the node that the record
//! before it began with: most numbers take a byte. A [`Record::Session`] begins to count anew. Places
//! and functions are told where they first occur.

use plat_engine::outcome::KnownFault;
use plat_engine::{ForkKind, Leaf};
use plat_store as store;
use serde::{Deserialize, Serialize};

/// A record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Record {
    /// A run begins, or goes on: its command line. Numbers of nodes, places and functions count from
    /// 0 again.
    Session(Vec<String>),
    /// The name of the next function.
    Function(String),
    /// The next place: the number of a function, an instruction in it, the kind of a split there.
    Place(u32, Option<u32>, ForkKind),
    /// A node was split, into the sides 0 and 1, which come where the last split's sides end. Most are
    /// so: the place, the node, the answers.
    Next(u32, i64, Answered),
    /// A node was split.
    Split(Split),
    /// A path has ended at a node. It has no test.
    End(i64, Leaf),
    /// A path has ended at a node, and has a test: its number, relative to the last one that was named.
    Tested(i64, Leaf, i64),
    /// A path was alive at a node when the run ended.
    Left(i64, Answered),
    /// What is behind a node holds no longer.
    Renewed(i64),
    /// Instructions that were covered since, by their numbers in this program.
    Covered(Vec<u32>),
    /// Directions of branches that were taken since.
    Branches(Vec<(u32, u8)>),
    /// Instructions over all paths so far.
    Executed(u64),
    /// The counters of the run so far.
    Counts(Box<plat_engine::Counts>),
    /// An error that a test stands for.
    Fault(Box<KnownFault>),
    /// All behind a node is explored, and so many paths have ended so; no more is kept of it.
    Explored(i64, Vec<(Leaf, u64)>),
    /// Microseconds since the session has begun.
    Elapsed(u64),
}

/// Which record it is, as its bytes begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
pub(super) enum Variant {
    Session,
    Function,
    Place,
    Next,
    Split,
    End,
    Tested,
    Left,
    Renewed,
    Covered,
    Branches,
    Executed,
    Counts,
    Fault,
    Explored,
    Elapsed,
}

impl Variant {
    /// Whether it is of the run as a whole, and of no node or place.
    pub fn is_of_the_run(self) -> bool {
        use Variant::{Branches, Counts, Covered, Executed, Fault};
        matches!(self, Covered | Branches | Executed | Counts | Fault)
    }
}

/// A split, with nodes relative to the last record's.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Split {
    /// The number of its place.
    pub place: u32,
    /// The node that is split.
    pub node: i64,
    /// The node of its first side, relative to where the last split's sides end.
    pub first: i64,
    /// The numbers of the sides.
    pub sides: Vec<u32>,
    /// What the path was answered before.
    pub answered: Answered,
}

/// See [`plat_engine::Answers`]. Of the digest a byte is kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Answered {
    #[serde(with = "serde_bytes")]
    bytes: Vec<u8>,
    noes: u32,
    digest: u8,
}

impl store::Record for Record {
    const NAME: &'static str = "decisions";
    const VERSION: u32 = 3;
}

impl Split {
    /// The record of a split.
    pub fn record(self) -> Record {
        match (self.first, self.sides.as_slice()) {
            (0, [0, 1]) => Record::Next(self.place, self.node, self.answered),
            _ => Record::Split(self),
        }
    }
}

impl From<&plat_engine::Answers> for Answered {
    fn from(answers: &plat_engine::Answers) -> Self {
        Answered {
            bytes: answers.bytes.to_vec(),
            noes: answers.noes,
            digest: answers.digest as u8,
        }
    }
}

impl From<&Answered> for plat_engine::Answers {
    fn from(answered: &Answered) -> Self {
        plat_engine::Answers {
            bytes: answered.bytes.as_slice().into(),
            noes: answered.noes,
            digest: u32::from(answered.digest),
        }
    }
}

/// How nodes are counted from one record to the next.
#[derive(Clone, Copy, Default, Debug)]
pub struct Counting {
    last: u64,
    next: u64,
    test: u32,
}

impl Counting {
    /// A node, as a record names it.
    pub fn name(&self, node: u64) -> i64 {
        node.wrapping_sub(self.last).cast_signed()
    }

    /// The node that a record names.
    pub fn node(&self, name: i64) -> u64 {
        self.last.wrapping_add_signed(name)
    }

    /// A record names a node.
    pub fn note(&mut self, node: u64) {
        self.last = node;
    }

    /// The first node of a split, as its record names it.
    pub fn name_first(&self, first: u64) -> i64 {
        first.wrapping_sub(self.next).cast_signed()
    }

    /// The first node that the record of a split names.
    pub fn first(&self, name: i64) -> u64 {
        self.next.wrapping_add_signed(name)
    }

    /// A test, as a record names it.
    pub fn name_test(&mut self, test: u32) -> i64 {
        let name = i64::from(test) - i64::from(self.test);
        self.test = test;
        name
    }

    /// The test that a record names.
    pub fn test(&mut self, name: i64) -> Option<u32> {
        let test = i64::from(self.test).checked_add(name)?;
        self.test = u32::try_from(test).ok()?;
        Some(self.test)
    }

    /// The sides of a split end before this node.
    pub fn note_end(&mut self, next: u64) {
        self.next = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_the_run_begin_with_their_variants() {
        let fault = KnownFault {
            key: (None, String::new(), String::new()),
            instructions: 0,
            inputs: Vec::new(),
        };
        let records = [
            (Record::Session(Vec::new()), Variant::Session),
            (Record::Renewed(1), Variant::Renewed),
            (Record::Covered(Vec::new()), Variant::Covered),
            (Record::Branches(Vec::new()), Variant::Branches),
            (Record::Executed(1), Variant::Executed),
            (Record::Counts(Box::default()), Variant::Counts),
            (Record::Fault(Box::new(fault)), Variant::Fault),
            (Record::Explored(1, Vec::new()), Variant::Explored),
            (Record::Elapsed(1), Variant::Elapsed),
        ];
        for (record, variant) in records {
            let bytes = plat_protocol::encode(&record).expect("bytes");
            let begun = plat_protocol::decode_start::<Variant>(&bytes);
            assert_eq!(begun.expect("a variant").0, variant, "{record:?}");
        }
    }
}
