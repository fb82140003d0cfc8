//! Two versions of a program side by side: which paths of the old run the new version takes, too.
//!
//! A path is taken over if it has a test, and
//! - its test, executed on the old version, does what the path has done;
//! - it enters only blocks that the new version has as well ([`Matched`]);
//! - executed on the new version it enters just those blocks, and does the same.
//!
//! Nothing is believed of any other path: it is explored anew. All tests are executed, so that those of
//! affected paths show what the change has done.

use super::behaviour::{Behaviour, Ending};
use super::blocks::Matched;
use super::earlier::{Earlier, Tested};
use super::report::{Affected, Difference, Tested as Executions, Version};
use crate::Error;
use crate::explorer::{Executed, Replayer};
use crate::output::carried::Carried;
use crate::suite::SavedTest;
use crate::trie::{Node, Place, Trie};
use plat_engine::deduplication::{self, ErrorKey};
use plat_engine::outcome::{KnownFault, test_identity};
use plat_engine::seeds::Seed;
use plat_engine::{InputObject, NodeId};
use plat_program::{InstId, Program};
use plat_store::Header;
use std::collections::{HashMap, HashSet};

/// A test that takes this many instructions more than ten times those of the longest path has not
/// ended: a changed program may loop.
const LONGEST: u64 = 10_000_000;

/// What two versions of a program have in common, and what the new one takes over.
#[derive(Debug)]
pub struct Comparison {
    pub(super) earlier: Earlier,
    pub(super) old: Replayer,
    pub(super) new: Replayer,
    pub(super) matched: Matched,
    /// What is taken over, in the order of the old tests.
    pub(super) taken: Vec<Taken>,
    pub(super) affected: Affected,
    pub(super) executions: Executions,
    /// The inputs that were executed.
    pub(super) inputs: HashSet<u64>,
    pub(super) longest: u64,
    covered: Covered,
}

/// A path that is taken over.
#[derive(Debug)]
pub(super) struct Taken {
    pub node: NodeId,
    pub carried: Carried,
}

/// What the paths that are taken over cover in the new version.
#[derive(Debug, Default)]
struct Covered {
    insts: Vec<bool>,
    branches: Vec<u8>,
}

/// What a test has done on the old version.
struct OnOld {
    behaviour: Behaviour,
    /// The blocks of the new version that it should enter; none if it has entered a changed one.
    blocks: Option<u64>,
}

/// A test case to execute.
pub(super) fn seed(inputs: &[InputObject]) -> Seed {
    let objects = inputs.iter();
    let objects = objects.map(|object| (object.name.clone(), object.bytes.clone()));
    Seed::from(objects.collect::<Vec<_>>())
}

/// Mixes the number of a block, so that sets of blocks can be told apart by a sum.
fn mixed(first: InstId) -> u64 {
    let mut mix = (u64::from(first.0) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mix = (mix ^ (mix >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mix ^ (mix >> 27)
}

impl Comparison {
    /// Compares two versions by their code and by the tests of an earlier run of the old one.
    ///
    /// # Errors
    /// When a program cannot be run, or a test cannot be read.
    pub fn new(earlier: Earlier, old: Replayer, new: Replayer) -> Result<Self, Error> {
        let matched = Matched::of(old.program(), new.program());
        let tested = earlier.tested()?;
        let most = tested.iter().map(|one| one.test.work.0).max();
        let mut comparison = Comparison {
            longest: LONGEST.saturating_add(most.unwrap_or(0).saturating_mul(10)),
            covered: Covered::of(new.program()),
            earlier,
            old,
            new,
            matched,
            taken: Vec::new(),
            affected: Affected::default(),
            executions: Executions::default(),
            inputs: HashSet::new(),
        };
        comparison.affected.without_test = comparison.earlier.paths().0 - tested.len() as u64;
        let on_old = comparison.on_old(&tested)?;
        comparison.on_new(tested, on_old)?;
        comparison.drop_misplaced();
        comparison.choose_for_errors();
        Ok(comparison)
    }

    fn on_old(&self, tested: &[Tested]) -> Result<Vec<OnOld>, Error> {
        let seeds = tested.iter().map(|one| seed(&one.test.inputs)).collect();
        let mut on_old = Vec::new();
        self.old.run(seeds, self.longest, |_, executed| {
            on_old.push(OnOld {
                behaviour: behaviour(executed.as_ref()),
                blocks: executed.and_then(|executed| {
                    let entered = self.matched.blocks.iter();
                    let mut entered = entered.filter(|(old, _)| executed.covered.executed(*old));
                    entered.try_fold(0u64, |sum, (_, new)| Some(sum.wrapping_add(mixed((*new)?))))
                }),
            });
        })?;
        Ok(on_old)
    }

    fn on_new(&mut self, tested: Vec<Tested>, on_old: Vec<OnOld>) -> Result<(), Error> {
        let seeds = tested.iter().map(|one| seed(&one.test.inputs)).collect();
        let blocks = block_starts(self.new.program());
        let new = self.new.clone();
        let mut both = tested.into_iter().zip(on_old);
        new.run(seeds, self.longest, |_, executed| {
            let Some((Tested { node, test }, on_old)) = both.next() else {
                return;
            };
            self.inputs.insert(test_identity(&test.inputs, false));
            let on_new = behaviour(executed.as_ref());
            let same = on_old.behaviour == on_new;
            self.compare(Version::Old, &test, &on_old.behaviour, &on_new);
            let entered = executed.as_ref().map(|executed| {
                let entered = blocks.iter();
                let entered = entered.filter(|first| executed.covered.executed(**first));
                entered.fold(0u64, |sum, &first| sum.wrapping_add(mixed(first)))
            });
            let fault = match (on_old.behaviour.is_of(&test), on_old.blocks) {
                (false, _) => &mut self.affected.not_reproduced,
                (true, None) => &mut self.affected.by_changes,
                (true, blocks) if !same || blocks != entered => &mut self.affected.otherwise,
                (true, _) => {
                    if let Some(executed) = executed {
                        self.take(node, test, executed);
                    }
                    return;
                }
            };
            *fault += 1;
        })
    }

    /// Takes a path over.
    fn take(&mut self, node: NodeId, old: SavedTest, executed: Executed<'_>) {
        let Some(mut path) = executed.path else {
            return;
        };
        let program = self.new.program();
        let (first, new_side) = self.covered.add(program, &executed.covered);
        path.covered_new = !first.is_empty();
        path.new_side = new_side;
        let lines = first.into_iter().map(|inst| program.location_of(inst));
        let lines = lines.filter(|location| location.line > 0);
        let first = lines.map(|location| (location.file.clone(), location.line));
        let first = first.collect();
        self.taken.push(Taken {
            node,
            carried: Carried { old, path, first },
        });
    }

    /// Notes what a test has done on both versions.
    pub(super) fn compare(
        &mut self,
        of: Version,
        test: &SavedTest,
        old: &Behaviour,
        new: &Behaviour,
    ) {
        self.executions.executed += 1;
        if old.end == Ending::Unfit && new.end == Ending::Unfit {
            self.executions.unfit += 1;
        } else if old != new {
            self.executions.differences.push(Difference {
                of,
                test: test.number,
                inputs: test.inputs.clone(),
                old: old.clone(),
                new: new.clone(),
            });
        }
    }

    /// The places of splits in the new version; none where there is none.
    fn places(&self) -> Vec<Option<Place>> {
        let (old, new) = (self.old.program(), self.new.program());
        let places = self.earlier.trie.places.iter();
        places
            .map(|place| {
                let function = old.function_named(&place.function)?;
                let Some(inst) = place.inst else {
                    return Some(place.clone());
                };
                let inst = self.matched.inst(InstId(function.first_inst.0 + inst))?;
                let (function, position) = new.position(inst);
                Some(Place {
                    function: new.function(function).name.clone(),
                    inst: Some(position as u32),
                })
            })
            .collect()
    }

    /// Gives up what is behind a split whose place has gone, however that may be.
    fn drop_misplaced(&mut self) {
        let places = self.places();
        let trie = &self.earlier.trie;
        let mut lost: HashSet<NodeId> = HashSet::new();
        trie.walk(&mut |id, _, node| {
            if let Node::Inner(inner) = node
                && (places[inner.place].is_none() || lost.contains(&id))
            {
                lost.extend(inner.sides.iter().map(|&(_, side)| side));
            }
        });
        let before = self.taken.len();
        self.taken.retain(|taken| !lost.contains(&taken.node));
        self.affected.otherwise += (before - self.taken.len()) as u64;
    }

    /// Has one test stand for each error, as in a run: the one with the fewest instructions.
    fn choose_for_errors(&mut self) {
        let mut best: HashMap<ErrorKey, (u64, usize)> = HashMap::new();
        for (at, taken) in self.taken.iter().enumerate() {
            if let Some(key) = taken.error() {
                let own = (taken.carried.old.work.0, at);
                let known = best.entry(key).or_insert(own);
                *known = own.min(*known);
            }
        }
        for (at, taken) in self.taken.iter_mut().enumerate() {
            let key = taken.error();
            taken.carried.path.repeats = key.is_some_and(|key| best[&key].1 != at);
        }
    }

    /// The tests that are taken over.
    pub(crate) fn tests(&self) -> impl Iterator<Item = &Carried> {
        self.taken.iter().map(|taken| &taken.carried)
    }

    /// The trie that the run of the new version goes on with: the ways to what is taken over. All other
    /// sides on them are open.
    pub(crate) fn remains(&self, header: Header) -> Trie {
        let old = &self.earlier.trie;
        let taken = self.taken.iter().map(|taken| taken.node);
        let ways = old.ways(taken.clone().collect()).into_iter();
        let nodes = ways.map(|id| (id, old.node(id).clone()));
        // A place that has gone is no kept node's.
        let places = self.places().into_iter();
        let places = places.map(|place| place.unwrap_or_else(Place::default));
        let faults = self.taken.iter();
        let faults = faults.filter(|taken| !taken.carried.path.repeats);
        let faults = faults.filter_map(|taken| {
            Some(KnownFault {
                key: taken.error()?,
                instructions: taken.carried.old.work.0,
                inputs: taken.carried.old.inputs.clone(),
            })
        });
        let covered = (0u32..).zip(&self.covered.insts);
        let covered = covered.filter(|(_, covered)| **covered);
        let branches = (0u32..).zip(self.covered.branches.iter().copied());
        Trie {
            header,
            places: places.collect(),
            nodes: nodes.collect(),
            tests: taken.zip(1..).collect(),
            covered: covered.map(|(at, _)| at).collect(),
            branches: branches.filter(|(_, ways)| *ways != 0).collect(),
            faults: faults.collect(),
            ..Trie::default()
        }
    }

    /// The run of the old version.
    pub fn earlier(&self) -> &Earlier {
        &self.earlier
    }
}

impl Taken {
    /// The error that its path ends in, if it does.
    fn error(&self) -> Option<ErrorKey> {
        let path = &self.carried.path;
        deduplication::key(&path.end, path.blamed)
    }
}

fn behaviour(executed: Option<&Executed<'_>>) -> Behaviour {
    Behaviour::of(executed.and_then(|executed| executed.path.as_ref()))
}

/// The first instructions of all blocks.
fn block_starts(program: &Program) -> Vec<InstId> {
    let blocks = program.functions.iter().flat_map(|function| {
        let blocks = function.blocks.iter();
        blocks.map(|block| InstId(function.first_inst.0 + block.first))
    });
    blocks.collect()
}

impl Covered {
    fn of(program: &Program) -> Self {
        Covered {
            insts: vec![false; program.inst_count()],
            branches: vec![0; program.inst_count()],
        }
    }

    /// Adds what a test covers: the instructions that are new of it, and whether a side of a branch is.
    fn add(
        &mut self,
        program: &Program,
        covered: &plat_engine::Covered<'_>,
    ) -> (Vec<InstId>, bool) {
        let (mut first, mut new_side) = (Vec::new(), false);
        for function in &program.functions {
            for block in &function.blocks {
                let start = function.first_inst.0 + block.first;
                if !covered.executed(InstId(start)) {
                    continue;
                }
                for at in start..start + block.len {
                    let inst = InstId(at);
                    let known = self.branches[at as usize];
                    self.branches[at as usize] |= covered.ways(inst);
                    new_side |= self.branches[at as usize] != known;
                    if covered.executed(inst) && !self.insts[at as usize] {
                        self.insts[at as usize] = true;
                        first.push(inst);
                    }
                }
            }
        }
        (first, new_side)
    }
}
