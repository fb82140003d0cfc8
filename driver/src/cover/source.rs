//! What is covered of source files.

use std::collections::BTreeMap;
use std::ops::AddAssign;

/// A part and all.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Total {
    /// How many are covered,
    pub covered: usize,
    /// of how many.
    pub all: usize,
}

impl Total {
    fn add(&mut self, covered: bool) {
        self.covered += usize::from(covered);
        self.all += 1;
    }

    /// In percent; all of nothing is 100.
    pub fn percent(self) -> f64 {
        match self.all {
            0 => 100.0,
            all => 100.0 * self.covered as f64 / all as f64,
        }
    }
}

impl AddAssign for Total {
    fn add_assign(&mut self, other: Self) {
        self.covered += other.covered;
        self.all += other.all;
    }
}

/// A function of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Function {
    /// The line that it begins on; 0 if it is not known.
    pub line: u32,
    /// How often it was called.
    pub count: u64,
}

/// A branch: its line, the branching place on the line, and the way.
pub type Branch = (u32, u32, u32);

/// What is covered of one file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct FileCoverage {
    /// How often each line with code was executed.
    pub lines: BTreeMap<u32, u64>,
    /// How often each way of a branch was taken; none if its place was never reached.
    pub branches: BTreeMap<Branch, Option<u64>>,
    /// The functions.
    pub functions: BTreeMap<String, Function>,
}

impl FileCoverage {
    fn add(&mut self, other: &Self) {
        for (&line, &count) in &other.lines {
            *self.lines.entry(line).or_default() += count;
        }
        for (&branch, &count) in &other.branches {
            let known = self.branches.entry(branch).or_default();
            if let Some(count) = count {
                *known = Some(known.unwrap_or(0) + count);
            }
        }
        for (name, function) in &other.functions {
            let known = self.functions.entry(name.clone()).or_default();
            known.line = function.line;
            known.count += function.count;
        }
    }

    /// Its lines.
    pub fn line_total(&self) -> Total {
        self.lines_of(|_| true)
    }

    /// Its branches.
    pub fn branch_total(&self) -> Total {
        self.branches_of(|_| true)
    }

    fn lines_of(&self, which: impl Fn(u32) -> bool) -> Total {
        let mut total = Total::default();
        for (&line, &count) in &self.lines {
            if which(line) {
                total.add(count > 0);
            }
        }
        total
    }

    fn branches_of(&self, which: impl Fn(u32) -> bool) -> Total {
        let mut total = Total::default();
        for (&(line, _, _), &count) in &self.branches {
            if which(line) {
                total.add(count.is_some_and(|count| count > 0));
            }
        }
        total
    }

    /// The functions by their place, each with its lines and branches: those from its first line to
    /// the next function's.
    pub fn by_function(&self) -> Vec<(&str, Function, Total, Total)> {
        let mut functions: Vec<(&str, Function)> = self
            .functions
            .iter()
            .map(|(name, function)| (name.as_str(), *function))
            .collect();
        functions.sort_by_key(|(name, function)| (function.line, *name));
        let mut table = Vec::new();
        for (at, &(name, function)) in functions.iter().enumerate() {
            let rest = functions[at + 1..].iter().map(|(_, next)| next.line);
            let end = rest.filter(|&line| line > function.line).min();
            let within = |line: u32| line >= function.line && end.is_none_or(|end| line < end);
            table.push((
                name,
                function,
                self.lines_of(within),
                self.branches_of(within),
            ));
        }
        table
    }
}

/// What is covered of several files.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct SourceCoverage {
    /// The files by their paths.
    pub files: BTreeMap<String, FileCoverage>,
}

impl SourceCoverage {
    /// Adds counts of the same program.
    pub fn add(&mut self, other: &Self) {
        for (path, file) in &other.files {
            self.files.entry(path.clone()).or_default().add(file);
        }
    }

    /// All lines.
    pub fn line_total(&self) -> Total {
        sum(self.files.values().map(FileCoverage::line_total))
    }

    /// All branches.
    pub fn branch_total(&self) -> Total {
        sum(self.files.values().map(FileCoverage::branch_total))
    }
}

fn sum(totals: impl Iterator<Item = Total>) -> Total {
    let mut all = Total::default();
    totals.for_each(|total| all += total);
    all
}
