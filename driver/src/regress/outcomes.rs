//! What both versions do with the tests of both runs.
//!
//! The tests of paths that are taken over do the same. What a test of another path does, its run has shown;
//! the other version's run has shown it, too, if it has a test with this input. Otherwise the other version
//! executes the test, and both do if a limit has cut off its path.

use super::behaviour::{Behaviour, Ending};
use super::comparison::Comparison;
use super::report::{Difference, Tested, Version};
use crate::Error;
use crate::explorer::Replayer;
use crate::suite::{Container, SavedTest};
use plat_engine::InputObject;
use plat_engine::outcome::{Reach, test_identity};
use plat_engine::seeds::Seed;
use std::collections::HashMap;
use std::path::Path;

/// A test, and what its own run and the other version's have shown of it.
struct Compared {
    of: Version,
    test: SavedTest,
    /// On the old version, and on the new one.
    shown: [Option<Behaviour>; 2],
}

fn input(test: &SavedTest) -> u64 {
    test_identity(&test.inputs, Reach::End)
}

fn seed(inputs: &[InputObject]) -> Seed {
    let objects = inputs.iter();
    let objects = objects.map(|object| (object.name.clone(), object.bytes.clone()));
    Seed::from(objects.collect::<Vec<_>>())
}

impl Comparison {
    /// What the versions do with the tests of both runs; that of the new version is in a directory.
    pub(super) fn outcomes(&self, directory: &Path) -> Result<Tested, Error> {
        let noted = self.observed.noted();
        let mut of_old = self.earlier.tests()?;
        let all = of_old.len();
        of_old.retain(|(node, _)| !noted.taken.contains(node));
        let mut tested = Tested {
            compared: (all - of_old.len()) as u64,
            ..Tested::default()
        };
        let of_new = match Container::is_in(directory) {
            true => Container::open(directory)?.tests().collect(),
            false => Ok(Vec::new()),
        };
        let mut of_new: Vec<SavedTest> = of_new?;
        of_new.retain(|test| !noted.inputs.contains(&input(test)));

        let mut compared: Vec<Compared> = Vec::new();
        for (_, test) in of_old {
            let shown = [Behaviour::shown(&test), None];
            let of = Version::Old;
            compared.push(Compared { of, test, shown });
        }
        let known = compared.iter().enumerate();
        let known: HashMap<u64, usize> = known.map(|(at, one)| (input(&one.test), at)).collect();
        for test in of_new {
            let shown = Behaviour::shown(&test);
            match known.get(&input(&test)) {
                Some(&at) => compared[at].shown[1] = shown,
                None => compared.push(Compared {
                    of: Version::New,
                    test,
                    shown: [None, shown],
                }),
            }
        }
        for (version, on) in [&self.old, &self.new].into_iter().enumerate() {
            self.execute_on(on, version, &mut compared)?;
        }
        for one in compared {
            tested.add(one);
        }
        Ok(tested)
    }

    /// Executes the tests of which a version has not shown what it does.
    fn execute_on(
        &self,
        on: &Replayer,
        version: usize,
        compared: &mut [Compared],
    ) -> Result<(), Error> {
        let longest = Comparison::longest(compared.iter().map(|one| &one.test));
        let open = compared
            .iter_mut()
            .filter(|one| one.shown[version].is_none());
        let mut open: Vec<&mut Compared> = open.collect();
        let seeds = open.iter().map(|one| seed(&one.test.inputs)).collect();
        let mut open = open.iter_mut();
        on.run(seeds, longest, |_, executed| {
            if let Some(one) = open.next() {
                let path = executed.and_then(|executed| executed.path);
                one.shown[version] = Some(Behaviour::of(path.as_ref()));
            }
        })
    }
}

impl Tested {
    /// Notes what a test does on both versions.
    fn add(&mut self, compared: Compared) {
        let Compared { of, test, shown } = compared;
        let [old, new] = shown.map(|shown| shown.unwrap_or_else(|| Behaviour::of(None)));
        self.compared += 1;
        if old.end == Ending::Unfit && new.end == Ending::Unfit {
            self.unfit += 1;
        } else if old != new {
            self.differences.push(Difference {
                of,
                test: test.number,
                inputs: test.inputs,
                old,
                new,
            });
        }
    }
}
