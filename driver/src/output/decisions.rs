//! `run.trie`: every decision of a run as it is made, so that the run can go on from what is on disk.
//!
//! Records are written in blocks, when the run says how far it is: every tenth of a second. What a kill
//! cuts off is explored again, and finds its tests there: a block is written behind the tests that have
//! gathered, nothing more is once a test could not be written, and what the paths of a block have
//! covered is in that block.

use super::run_tests::SharedTests;
use super::trouble::Trouble;
use crate::Error;
use crate::trie::FILE;
use crate::trie::record::{Counting, Record, Split};
use plat_engine::outcome::KnownFault;
use plat_engine::{
    Decision, ForkKind, Leaf, Left, NodeId, Observer, TestRecord, deduplication, observe::Progress,
};
use plat_program::{FuncId, InstId, Program};
use plat_store::{Error as StoreError, Header, Writer};
use rustc_hash::FxHashMap;
use std::path::Path;
use std::time::{Duration, Instant};

/// Directions of branches that are compared at once.
const PIECE: usize = 4096;

/// Time between two records of counters.
const COUNTS: Duration = Duration::from_secs(2);

/// How long another process may take to let go of the file: a worker notices within a tenth of a second
/// that the first process is gone.
const BUSY: Duration = Duration::from_secs(3);

/// The writer of a trie.
pub struct Decisions<'a> {
    writer: Writer<Record>,
    program: &'a Program,
    counting: Counting,
    functions: FxHashMap<FuncId, u32>,
    places: FxHashMap<(Option<InstId>, ForkKind), u32>,
    covered: Vec<u32>,
    /// The directions of branches that were told.
    branches: Vec<u8>,
    begun: Instant,
    counted: Instant,
    /// The tests, which are written first.
    tests: Option<SharedTests>,
    /// Tests of paths that have ended, by their leaves, which are told behind them.
    of_leaves: FxHashMap<NodeId, u32>,
    trouble: Trouble,
}

impl<'a> Decisions<'a> {
    /// Makes the file in the directory of a run, or goes on with it.
    ///
    /// # Errors
    /// When it cannot be made or read.
    pub fn open(
        directory: &Path,
        program: &'a Program,
        header: &Header,
        trouble: Trouble,
    ) -> Result<Self, Error> {
        let path = directory.join(FILE);
        let wrong = |why: StoreError| Error::input(format!("{}: {why}", path.display()));
        let writer = match path.exists() {
            true => reopen(&path),
            false => Writer::create(&path, header),
        };
        Ok(Decisions {
            writer: writer.map_err(wrong)?,
            program,
            counting: Counting::default(),
            functions: FxHashMap::default(),
            places: FxHashMap::default(),
            covered: Vec::new(),
            branches: Vec::new(),
            begun: Instant::now(),
            counted: Instant::now(),
            tests: None,
            of_leaves: FxHashMap::default(),
            trouble,
        })
    }

    /// Writes nothing before these tests are written. Whoever adds them hears of each path first.
    pub fn follow(&mut self, tests: Option<SharedTests>) {
        self.tests = tests;
    }

    /// Begins a session, by this command line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&mut self, session: Vec<String>) -> Result<(), Error> {
        let begun = self.writer.append(&Record::Session(session));
        let begun = begun.and_then(|_| self.writer.flush());
        begun.map_err(|why| Error::input(format!("{FILE}: {why}")))
    }

    fn append(&mut self, record: &Record) {
        if self.trouble.any() {
            return;
        }
        if let Err(why) = self.writer.gather(record) {
            self.trouble.report(format!("{FILE}: {why}"));
        }
    }

    fn flush(&mut self) {
        let tests = self.tests.as_ref();
        if let Some(Err(failure)) = tests.map(|tests| tests.borrow_mut().flush()) {
            // Ends of paths whose tests are lost must not be told.
            self.writer.discard();
            self.trouble.report(failure.message);
        }
        if let Err(why) = self.writer.flush() {
            self.trouble.report(format!("{FILE}: {why}"));
        }
    }

    /// The number of a place, told if it is new.
    fn place(&mut self, inst: Option<InstId>, kind: ForkKind) -> u32 {
        if let Some(&known) = self.places.get(&(inst, kind)) {
            return known;
        }
        let (function, position) = match inst {
            Some(inst) => {
                let (function, position) = self.program.position(inst);
                (function, Some(position as u32))
            }
            None => (FuncId::new(0), None),
        };
        let function = self.function(function);
        self.append(&Record::Place(function, position, kind));
        let number = self.places.len() as u32;
        self.places.insert((inst, kind), number);
        number
    }

    fn function(&mut self, function: FuncId) -> u32 {
        if let Some(&known) = self.functions.get(&function) {
            return known;
        }
        let name = self.program.function(function).name.clone();
        self.append(&Record::Function(name));
        let number = self.functions.len() as u32;
        self.functions.insert(function, number);
        number
    }

    /// How a record names a node.
    fn node(&mut self, node: NodeId) -> i64 {
        let name = self.counting.name(node);
        self.counting.note(node);
        name
    }

    /// The leaf of a path whose test was written just now, with the test.
    fn test_of(&mut self, record: &TestRecord) -> Option<(NodeId, u32)> {
        let test = self.tests.as_ref()?.borrow_mut().added()?;
        Some((record.leaf?, test))
    }

    fn tested(&mut self, node: NodeId, leaf: Leaf, test: u32) {
        let node = self.node(node);
        let test = self.counting.name_test(test);
        self.append(&Record::Tested(node, leaf, test));
    }

    fn fault(&mut self, record: &TestRecord) {
        let error = deduplication::key(&record.end, record.blamed);
        if let Some(key) = error.filter(|_| record.wanted && !record.repeats) {
            let fault = KnownFault {
                key,
                instructions: record.instructions,
                inputs: record.inputs.clone(),
            };
            self.append(&Record::Fault(Box::new(fault)));
        }
    }

    fn coverage(&mut self, branches: &[u8]) {
        self.branches.resize(branches.len(), 0);
        let mut new: Vec<(u32, u8)> = Vec::new();
        // Most are as they were: whole pieces are compared at once.
        let pieces = self.branches.chunks_mut(PIECE).zip(branches.chunks(PIECE));
        for (piece, (known, now)) in pieces.enumerate() {
            if *known == *now {
                continue;
            }
            let first = (piece * PIECE) as u32;
            for (at, (known, now)) in (first..).zip(known.iter_mut().zip(now)) {
                if *known != *now {
                    *known = *now;
                    new.push((at, *now));
                }
            }
        }
        if !new.is_empty() {
            self.append(&Record::Branches(new));
        }
        if !self.covered.is_empty() {
            let covered = std::mem::take(&mut self.covered);
            self.append(&Record::Covered(covered));
        }
    }
}

/// Makes sure that nobody else writes to the trie of a run.
///
/// # Errors
/// When somebody does, or it cannot be opened.
pub fn claim(directory: &Path) -> Result<(), Error> {
    let path = directory.join(FILE);
    let wrong = |why: StoreError| Error::input(format!("{}: {why}", path.display()));
    reopen(&path).map(|_| ()).map_err(wrong)
}

/// Opens the file of a run that has ended, whose workers may still be about to.
fn reopen(path: &Path) -> Result<Writer<Record>, StoreError> {
    let started = Instant::now();
    loop {
        match Writer::reopen(path) {
            Err(StoreError::Busy) if started.elapsed() < BUSY => {
                std::thread::sleep(Duration::from_millis(50));
            }
            done => return done.map(|(writer, _)| writer),
        }
    }
}

impl Observer for Decisions<'_> {
    fn decided(&mut self, decision: &Decision) {
        let place = self.place(decision.inst, decision.kind);
        let node = self.node(decision.node);
        let first = self.counting.name_first(decision.first);
        self.counting
            .note_end(decision.first + decision.sides.len() as u64);
        let split = Split {
            place,
            node,
            first,
            sides: decision.sides.clone(),
            answered: (&decision.answers).into(),
        };
        self.append(&split.record());
    }

    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.fault(record);
        if let Some((leaf, test)) = self.test_of(record) {
            self.of_leaves.insert(leaf, test);
        }
    }

    fn further_test(&mut self, _: &Program, record: &TestRecord) {
        // Another path has taken the number that its leaf was told with.
        if let Some((leaf, test)) = self.test_of(record) {
            self.tested(leaf, Leaf::of(&record.end), test);
        }
    }

    fn closed(&mut self, node: NodeId, leaf: Leaf) {
        match self.of_leaves.remove(&node) {
            Some(test) => self.tested(node, leaf, test),
            None => {
                let node = self.node(node);
                self.append(&Record::End(node, leaf));
            }
        }
    }

    fn left(&mut self, left: &Left) {
        let node = self.node(left.node);
        self.append(&Record::Left(node, (&left.answers).into()));
    }

    fn renewed(&mut self, node: NodeId) {
        let node = self.node(node);
        self.append(&Record::Renewed(node));
    }

    fn covered(&mut self, _: plat_engine::StateId, inst: InstId) {
        self.covered.push(inst.0);
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        self.coverage(progress.branches);
        self.append(&Record::Executed(progress.counts.instructions));
        let elapsed = self.begun.elapsed().as_micros();
        self.append(&Record::Elapsed(elapsed as u64));
        if self.counted.elapsed() >= COUNTS || progress.states == 0 {
            self.counted = Instant::now();
            self.append(&Record::Counts(Box::new(progress.counts.clone())));
        }
        self.flush();
    }
}

impl Drop for Decisions<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
