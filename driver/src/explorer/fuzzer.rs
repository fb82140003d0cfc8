//! A run beside a fuzzer: it takes what the fuzzer finds, and gives what it finds.

use super::Explorer;
use crate::corpus::peers::{Known, Peers};
use crate::corpus::{self, Target};
use crate::output::fuzzer_node::{Node, Publisher};
use crate::output::trouble::Trouble;
use crate::{Error, Interrupt};
use plat_program::Program;
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// The fuzzers that a run works beside: an output directory of AFL++ (`afl-fuzz -o`), in which plat
/// is one more node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fuzzer {
    directory: PathBuf,
    node: String,
    interval: Duration,
}

impl Fuzzer {
    /// Those that write to this directory.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Fuzzer {
            directory: directory.into(),
            node: "plat".into(),
            interval: Duration::from_secs(5),
        }
    }

    /// The name of plat's node. Default `plat`.
    #[must_use]
    pub fn node(mut self, name: impl Into<String>) -> Self {
        self.node = name.into();
        self
    }

    /// How often the others' queues are looked at. Default every 5 s.
    #[must_use]
    pub fn sync(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }
}

/// What a run has exchanged with fuzzers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Exchanged {
    /// Inputs of theirs that were followed.
    pub taken: u64,
    /// Inputs that were published.
    pub given: u64,
}

/// The exchange while the run goes on.
pub(super) struct Exchange {
    taken: Rc<RefCell<u64>>,
    given: Rc<RefCell<u64>>,
    trouble: Trouble,
}

impl Exchange {
    /// Begins it: what gives seeds to the run, and what hears of its tests.
    pub fn begin(
        fuzzer: &Fuzzer,
        target: &Target,
        stop: Interrupt,
    ) -> Result<(Self, Peers, Publisher), Error> {
        let known = Known::default();
        let node = Node::open(&fuzzer.directory, &fuzzer.node, &known)?;
        let exchange = Exchange {
            taken: Rc::default(),
            given: Rc::default(),
            trouble: Trouble::new(stop),
        };
        let peers = Peers::new(
            &fuzzer.directory,
            &fuzzer.node,
            target.clone(),
            fuzzer.interval,
            Rc::clone(&known),
            Rc::clone(&exchange.taken),
        );
        let given = Rc::clone(&exchange.given);
        let trouble = exchange.trouble.clone();
        let publisher = Publisher::new(node, target.clone(), known, given, trouble);
        Ok((exchange, peers, publisher))
    }

    /// What has come of it.
    ///
    /// # Errors
    /// When an input could not be published.
    pub fn finish(self) -> Result<Exchanged, Error> {
        self.trouble.check()?;
        let (taken, given) = (*self.taken.borrow(), *self.given.borrow());
        Ok(Exchanged { taken, given })
    }
}

impl Explorer<'_> {
    /// Works beside a fuzzer while the run goes on: follows the inputs that it finds, and publishes
    /// tests that are the first to cover something. The run stays in one process.
    pub fn beside_fuzzer(mut self, fuzzer: Fuzzer) -> Self {
        self.fuzzer = Some(fuzzer);
        self
    }

    /// The part of the input that is exchanged.
    pub(super) fn target(&self, program: &Program) -> Result<Target, Error> {
        corpus::target(&self.config, &self.input, program)
    }
}
