//! Going on with an earlier run: what it has decided and found, read from its directory.

use crate::Error;
use crate::output::decisions;
use crate::output::directory::Directory;
use crate::output::tests_jsonl::{End, TestLine};
use crate::report::Numbers;
use crate::trie::{Leaf, Node, Reopen, Trie, header};
use plat_engine::config::{Earlier, TrieConfig};
use plat_engine::outcome::test_identity;
use plat_engine::{Config, Counts, InputObject};
use plat_env::{InputSpec, Ktest};
use plat_program::Program;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Files that the run writes anew; those of the earlier one are kept beside them.
const ANEW: [&str; 5] = [
    "info",
    "summary.json",
    "run.stats",
    "run.istats",
    "exec_tree.db",
];

/// What an earlier run has left to go on with.
pub struct TakenUp {
    /// For the engine.
    pub config: TrieConfig,
    /// The numbers of its tests.
    pub numbers: Numbers,
}

/// Reads what an earlier run has left.
///
/// # Errors
/// When there is nothing to go on with, or this run would not be the same one.
pub fn take_up(
    directory: &Directory,
    program: &Program,
    config: &Config,
    input: &InputSpec,
) -> Result<TakenUp, Error> {
    let place = directory.path().display();
    if let Some(why) = plat_engine::keeps_no_trie(config) {
        return Err(Error::input(format!(
            "{place}: the run cannot go on: {why}"
        )));
    }
    header::begun(directory.path())?;
    decisions::claim(directory.path())?;
    let trie = Trie::read(directory.path())?;
    let own = header::of(program, config, input)?;
    if let Err(why) = trie.header.check_same_run(&own) {
        return Err(Error::input(format!(
            "{place}: the run cannot go on: {why}; use what it was begun with, or begin another run"
        )));
    }
    let plan = trie.plan(program, Reopen::under(&config.limits));
    let (tests, by_input) = tests(directory.path())?;
    let mut numbers = Numbers::after(tests);
    for fault in &trie.faults {
        if let Some(&number) = by_input.get(&test_identity(&fault.inputs, false)) {
            numbers.know(fault.key.clone(), number);
        }
    }
    set_aside(directory.path(), trie.sessions.len())?;
    let counts = counts(&trie, u64::from(tests));
    let earlier = Earlier {
        counts,
        covered: trie.covered,
        branches: trie.branches,
        faults: trie.faults,
        tests: by_input.into_keys().collect(),
    };
    let config = TrieConfig {
        keep: true,
        plan: Some(Arc::new(plan)),
        next: trie.next,
        earlier: Arc::new(earlier),
    };
    Ok(TakenUp { config, numbers })
}

/// The counters of the earlier run; those of paths are counted in the trie.
fn counts(trie: &Trie, tests: u64) -> Counts {
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
    trie.walk(&mut |_, _, node| {
        if let Node::Leaf(leaf) = node {
            match leaf {
                Leaf::Finished => counts.completed += 1,
                Leaf::Fault => faults += 1,
                Leaf::Unsupported | Leaf::Internal => counts.unsupported += 1,
                Leaf::Silent => counts.silent += 1,
                Leaf::Merged => {}
                Leaf::Limit(limit) => *counts.limited.entry(*limit).or_default() += 1,
            }
        }
    });
    counts.faults = (trie.faults.len() as u64).min(faults);
    counts.repeated_faults = faults - counts.faults;
    counts
}

/// How many tests there are, and which of them has which input. Tests that were not written whole go:
/// their paths are explored again.
fn tests(directory: &Path) -> Result<(u32, HashMap<u64, u32>), Error> {
    let path = directory.join("tests.jsonl");
    let wrong = |why: std::io::Error| Error::input(format!("{}: {why}", path.display()));
    let text = fs::read_to_string(&path).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    if whole < text.len() {
        let file = fs::File::options().write(true).open(&path).map_err(wrong)?;
        file.set_len(whole as u64).map_err(wrong)?;
    }
    let mut known = HashMap::new();
    let mut last = 0;
    for line in text[..whole].lines() {
        let line: TestLine = serde_json::from_str(line)
            .map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
        last = last.max(line.test);
        let file = directory.join(format!("test{:06}.ktest", line.test));
        let test =
            Ktest::read(&file).map_err(|why| Error::input(format!("{}: {why}", file.display())))?;
        let inputs = test.objects.into_iter().map(|object| InputObject {
            name: object.name,
            bytes: object.bytes,
        });
        let inputs: Vec<InputObject> = inputs.collect();
        known.insert(test_identity(&inputs, line.end == End::Limit), line.test);
    }
    remove_behind(directory, last).map_err(wrong)?;
    Ok((last, known))
}

/// Removes the files of tests behind the last one that was written whole.
fn remove_behind(directory: &Path, last: u32) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let number = name
            .strip_prefix("test")
            .and_then(|rest| rest.split('.').next());
        if number
            .and_then(|number| number.parse().ok())
            .is_some_and(|number: u32| number > last)
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Keeps the files of the earlier run that this one writes anew.
fn set_aside(directory: &Path, session: usize) -> Result<(), Error> {
    let aside = directory.join(format!("session-{session}"));
    let wrong = |why: std::io::Error| Error::input(format!("{}: {why}", aside.display()));
    for name in ANEW {
        let file = directory.join(name);
        if file.exists() {
            fs::create_dir_all(&aside).map_err(wrong)?;
            fs::rename(&file, aside.join(name)).map_err(wrong)?;
        }
    }
    Ok(())
}
