//! Going on with an earlier run: what it has decided and found, read from its directory.

use crate::Error;
use crate::output::directory::Directory;
use crate::output::{decisions, earlier};
use crate::report::Numbers;
use crate::trie::{Coverage, Leaf, Node, Reopen, Trie, header};
use plat_engine::config::{Earlier, TrieConfig};
use plat_engine::outcome::{Reach, test_identity};
use plat_engine::{Config, Counts};
use plat_env::InputSpec;
use plat_program::Program;
use std::path::Path;
use std::sync::Arc;

/// What an earlier run has left to go on with.
pub struct TakenUp {
    /// For the engine.
    pub config: TrieConfig,
    /// The numbers of its tests.
    pub numbers: Numbers,
}

/// Whether a run in the directory of an earlier one would be the same. Nothing is changed.
///
/// # Errors
/// When it would be another, or there is nothing to go on with.
pub fn check(
    directory: &Directory,
    program: &Program,
    config: &Config,
    input: &InputSpec,
) -> Result<(), Error> {
    header::begun(directory.path())?;
    let own = header::of(program, config, input);
    let earlier = header::read(directory.path())?;
    earlier.check_same_run(&own).map_err(|why| {
        Error::input(format!(
            "{}: the run cannot go on: {why}; use what it was begun with, or begin another run",
            directory.path().display()
        ))
    })
}

/// Reads what an earlier run has left; what others have covered meanwhile is in a file.
///
/// # Errors
/// When there is nothing to go on with, or this run would not be the same one.
pub fn take_up(
    directory: &Directory,
    program: &Program,
    config: &Config,
    input: &InputSpec,
    covered: Option<&Path>,
) -> Result<TakenUp, Error> {
    check(directory, program, config, input)?;
    decisions::claim(directory.path())?;
    let mut trie = Trie::read(directory.path())?;
    if let Some(file) = covered {
        let others = Coverage::of_program(file, &trie.header.program)?;
        trie.covered.extend(others.instructions);
        trie.branches.extend(others.branches);
    }
    let reopen = Reopen::under(&config.limits);
    let plan = trie.plan(program, reopen);
    let gone = trie.gone(program);
    let (tests, by_input) = earlier::tests(directory.path())?;
    let mut numbers = Numbers::after(tests);
    for fault in &trie.faults {
        if let Some(&number) = by_input.get(&test_identity(&fault.inputs, Reach::Error)) {
            numbers.know(fault.key.clone(), number);
        }
    }
    earlier::set_aside(directory.path(), trie.sessions.len())?;
    let counts = counts(&trie, u64::from(tests), reopen);
    let earlier = Earlier {
        counts,
        covered: trie.covered,
        branches: trie.branches,
        gone,
        faults: trie.faults,
        tests: by_input.into_keys().collect(),
    };
    let config = TrieConfig {
        keep: true,
        plan: Some(Arc::new(plan)),
        next: trie.next,
        earlier: Arc::new(earlier),
        ..TrieConfig::default()
    };
    Ok(TakenUp { config, numbers })
}

/// The counters of the earlier run; those of paths are counted in the trie, without those that go on.
fn counts(trie: &Trie, tests: u64, reopen: Reopen) -> Counts {
    let mut counts = Counts {
        tests,
        completed: 0,
        unsupported: 0,
        silent: 0,
        late: 0,
        ..trie.counts.clone()
    };
    counts.limited.clear();
    let mut faults = 0;
    let mut ended = |leaf: Leaf, count: u64| match leaf {
        Leaf::Finished => counts.completed += count,
        Leaf::Fault => faults += count,
        Leaf::Unsupported | Leaf::Internal => counts.unsupported += count,
        Leaf::Silent => counts.silent += count,
        Leaf::Merged | Leaf::Elsewhere => {}
        Leaf::Limit(limit) => *counts.limited.entry(limit).or_default() += count,
    };
    trie.walk(&mut |_, depth, node| match node {
        Node::Leaf(leaf) if !reopen.opens(*leaf, depth.saturating_sub(1)) => ended(*leaf, 1),
        Node::Explored(ends) => ends.iter().for_each(|(&leaf, &count)| ended(leaf, count)),
        _ => {}
    });
    counts.faults = (trie.faults.len() as u64).min(faults);
    counts.repeated_faults = faults - counts.faults;
    counts
}
