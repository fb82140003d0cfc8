//! plat as a node beside the fuzzers of AFL++: what it finds, in a queue that the others read.
//!
//! Their convention: the output directory has a directory for each node, with the inputs in `queue/`.
//! A reader takes them by number, from `id:000000` on, and takes none behind a number that is missing.
//! So numbers are given without gaps, go on where an earlier run has stopped, and a file comes into
//! the queue whole, by a rename. Other nodes of AFL++ read this queue if they are the main one (`-M`).

use super::trouble::Trouble;
use crate::Error;
use crate::corpus::peers::{Known, LONGEST};
use crate::corpus::{Target, files, names};
use plat_engine::{Observer, PathEnd, TestRecord};
use plat_program::Program;
use std::cell::RefCell;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// The queue of this node, which a run fills.
pub struct Node {
    directory: PathBuf,
    next: u32,
    /// Held while the run goes on: no other run is this node.
    _lock: File,
}

impl Node {
    /// Opens the directory of a node in an output directory of AFL++, or makes it. `known` gets what
    /// earlier runs have left there.
    ///
    /// # Errors
    /// When the output directory is not there, the node's cannot be made or read, or another run
    /// works as this node.
    pub fn open(output: &Path, name: &str, known: &Known) -> Result<Self, Error> {
        if name.is_empty() || name.contains('/') || name.starts_with('.') {
            return Err(Error::input(format!("{name}: no name for a node")));
        }
        let wrong = |path: &Path, why: &dyn ToString| {
            Error::input(format!("{}: {}", path.display(), why.to_string()))
        };
        if !output.is_dir() {
            return Err(wrong(
                output,
                &"no directory; it is the one that afl-fuzz gets with -o",
            ));
        }
        let directory = output.join(name);
        let queue = directory.join("queue");
        fs::create_dir_all(&queue).map_err(|why| wrong(&queue, &why))?;
        let path = directory.join(".lock");
        let lock = File::create(&path).map_err(|why| wrong(&path, &why))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let why =
                    "another run of plat works as this node; --fuzzer-node gives another name";
                return Err(wrong(&directory, &why));
            }
            Err(TryLockError::Error(why)) => return Err(wrong(&path, &why)),
        }
        let mut next = 0;
        for path in files::entries(&queue)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            next = next.max(names::afl_number(&name).map_or(0, |number| number + 1));
            let bytes = files::read(&path)?;
            known.borrow_mut().insert(names::libfuzzer(&bytes));
        }
        Ok(Node {
            directory,
            next,
            _lock: lock,
        })
    }

    /// Adds an input to the queue.
    fn publish(&mut self, bytes: &[u8], rest: &str) -> Result<(), Error> {
        let made = self.directory.join(".publishing");
        let name = format!("{},{rest}", names::afl_prefix(self.next));
        let path = self.directory.join("queue").join(name);
        let wrong = |why| Error::input(format!("{}: cannot be written: {why}", path.display()));
        fs::write(&made, bytes).map_err(wrong)?;
        fs::rename(&made, &path).map_err(wrong)?;
        self.next += 1;
        Ok(())
    }
}

/// Publishes what a run finds: the tests that were the first to cover something, and those of faults.
pub struct Publisher {
    node: Node,
    target: Target,
    known: Known,
    started: Instant,
    given: Rc<RefCell<u64>>,
    trouble: Trouble,
}

impl Publisher {
    /// For a node. `given` counts what is published.
    pub fn new(
        node: Node,
        target: Target,
        known: Known,
        given: Rc<RefCell<u64>>,
        trouble: Trouble,
    ) -> Self {
        Publisher {
            node,
            target,
            known,
            started: Instant::now(),
            given,
            trouble,
        }
    }

    fn test(&mut self, record: &TestRecord) {
        let fault = matches!(record.end, PathEnd::Fault(_)) && !record.repeats;
        if !record.wanted || !(record.covered_new || record.new_side || fault) || self.trouble.any()
        {
            return;
        }
        let objects = record.inputs.iter();
        let objects = objects.map(|object| (object.name.as_str(), &object.bytes[..]));
        let Some(bytes) = self.target.bytes_in(objects) else {
            return;
        };
        let exchanged = (1..=LONGEST).contains(&(bytes.len() as u64));
        if !exchanged || !self.known.borrow_mut().insert(names::libfuzzer(&bytes)) {
            return;
        }
        let rest = format!("time:{},op:plat", self.started.elapsed().as_millis());
        match self.node.publish(&bytes, &rest) {
            Ok(()) => *self.given.borrow_mut() += 1,
            Err(why) => self.trouble.report(why),
        }
    }
}

impl Observer for Publisher {
    fn path_ended(&mut self, _program: &Program, record: &TestRecord) {
        self.test(record);
    }

    fn further_test(&mut self, _program: &Program, record: &TestRecord) {
        self.test(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(output: &Path) -> Vec<String> {
        let queue = files::entries(&output.join("plat/queue")).unwrap();
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        queue.iter().map(name).collect()
    }

    #[test]
    fn numbers_have_no_gaps_and_go_on() {
        let room = tempfile::tempdir().unwrap();
        let known = Known::default();
        let mut node = Node::open(room.path(), "plat", &known).unwrap();
        node.publish(b"a", "x").unwrap();
        node.publish(b"b", "x").unwrap();
        let refused = Node::open(room.path(), "plat", &known).err().unwrap();
        assert!(refused.message.contains("another run"), "{refused}");
        drop(node);
        let mut node = Node::open(room.path(), "plat", &known).unwrap();
        assert_eq!(known.borrow().len(), 2);
        node.publish(b"c", "y").unwrap();
        assert_eq!(
            names(room.path()),
            ["id:000000,x", "id:000001,x", "id:000002,y"]
        );
        assert!(!room.path().join("plat/.publishing").exists());
        assert!(Node::open(&room.path().join("missing"), "plat", &known).is_err());
        assert!(Node::open(room.path(), "a/b", &known).is_err());
    }
}
