//! What each test of a suite covers, found by executing it concretely in the engine.
//!
//! Recording it in the run would cost every path; a concrete execution costs what the program
//! does, once, for those who ask. It counts what the user's code has: branches, by their sides,
//! blocks, and lines. The code of libraries ([`plat_engine::is_library`]) is left out.

use super::minimise;
use crate::cover::{Line, Places};
use plat_engine::Covered;
use plat_program::Program;
use std::collections::{BTreeMap, HashMap};

/// What several tests cover in the same way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Set {
    features: Vec<u32>,
    lines: Vec<u32>,
}

/// What the tests of a suite cover.
#[derive(Debug)]
pub struct SuiteCoverage {
    places: Places,
    sets: Vec<Set>,
    numbers: HashMap<Set, usize>,
    /// The set of each test, by its number.
    tests: BTreeMap<u32, usize>,
}

impl SuiteCoverage {
    /// Of no tests yet.
    pub fn new(program: &Program) -> Self {
        SuiteCoverage {
            places: Places::of(program),
            sets: Vec::new(),
            numbers: HashMap::new(),
            tests: BTreeMap::new(),
        }
    }

    /// Adds a test.
    pub fn add(&mut self, test: u32, covered: &Covered<'_>) {
        let places = &self.places;
        let mut features = Vec::new();
        for (number, &branch) in (0u32..).zip(&places.branches) {
            let ways = covered.ways(branch);
            features.extend(
                (0..2)
                    .filter(|side| ways >> side & 1 == 1)
                    .map(|side| 2 * number + side),
            );
        }
        let first = 2 * places.branches.len() as u32;
        let blocks = (first..).zip(&places.blocks);
        features.extend(
            blocks
                .filter(|(_, block)| covered.executed(**block))
                .map(|(at, _)| at),
        );
        let lines = places.line_of.iter();
        let mut lines: Vec<u32> = lines
            .filter(|(inst, _)| covered.executed(*inst))
            .map(|(_, line)| *line)
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let set = Set { features, lines };
        let number = match self.numbers.get(&set) {
            Some(&number) => number,
            None => {
                let number = self.sets.len();
                self.sets.push(set.clone());
                self.numbers.insert(set, number);
                number
            }
        };
        self.tests.insert(test, number);
    }

    /// How many tests there are.
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// Sides of branches that some of these tests cover, and how many there are; all tests without a list.
    pub fn branches(&self, of: Option<&[u32]>) -> (usize, usize) {
        let most = 2 * self.places.branches.len();
        let covered = self.united(of, most, |set| &set.features);
        (covered, most)
    }

    /// Lines that some of these tests cover, and how many there are; all tests without a list.
    pub fn lines(&self, of: Option<&[u32]>) -> (usize, usize) {
        let most = self.places.lines.len();
        (self.united(of, most, |set| &set.lines), most)
    }

    fn united(&self, of: Option<&[u32]>, most: usize, part: impl Fn(&Set) -> &Vec<u32>) -> usize {
        let mut covered = vec![false; most];
        let chosen = self.tests.iter();
        let chosen = chosen.filter(|(test, _)| of.is_none_or(|of| of.contains(test)));
        let mut sets: Vec<usize> = chosen.map(|(_, set)| *set).collect();
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            for &at in part(&self.sets[set]) {
                if let Some(covered) = covered.get_mut(at as usize) {
                    *covered = true;
                }
            }
        }
        covered.into_iter().filter(|covered| *covered).count()
    }

    /// The tests that cover a line. The file may be named by the end of its path.
    pub fn covering(&self, file: &str, line: u32) -> Vec<u32> {
        let is_it = |known: &Line| known.1 == line && names(&known.0, file);
        let lines = (0u32..).zip(&self.places.lines);
        let wanted: Vec<u32> = lines
            .filter(|(_, it)| is_it(it))
            .map(|(at, _)| at)
            .collect();
        let has = |set: &Set| {
            wanted
                .iter()
                .any(|line| set.lines.binary_search(line).is_ok())
        };
        let tests = self.tests.iter();
        tests
            .filter(|(_, set)| has(&self.sets[**set]))
            .map(|(test, _)| *test)
            .collect()
    }

    /// Whether the program has code on a line.
    pub fn has_line(&self, file: &str, line: u32) -> bool {
        let mut lines = self.places.lines.iter();
        lines.any(|known| known.1 == line && names(&known.0, file))
    }

    /// The fewest tests found that cover every side of a branch and every block that the suite
    /// does; of tests that cover the same the one that comes first.
    pub fn smallest(&self) -> Vec<u32> {
        let mut first: BTreeMap<usize, u32> = BTreeMap::new();
        for (&test, &set) in &self.tests {
            first.entry(set).or_insert(test);
        }
        let mut tests: Vec<(u32, usize)> =
            first.into_iter().map(|(set, test)| (test, set)).collect();
        tests.sort_unstable();
        let sets = tests.iter().map(|(_, set)| &self.sets[*set].features[..]);
        let chosen = minimise::smallest(&sets.collect::<Vec<_>>());
        chosen.into_iter().map(|at| tests[at].0).collect()
    }
}

/// Whether a path is meant by its end: whole parts of it, `c.c` or `b/c.c` for `/a/b/c.c`.
pub fn names(path: &str, end: &str) -> bool {
    path.strip_suffix(end)
        .is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || end.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn files_are_named_by_whole_parts_of_their_paths() {
        assert!(names("/a/b/c.c", "c.c") && names("/a/b/c.c", "b/c.c"));
        assert!(names("/a/b/c.c", "/a/b/c.c") && names("c.c", "c.c"));
        assert!(!names("/a/bc.c", "c.c") && !names("/a/b/c.c", "a.c"));
    }
}
