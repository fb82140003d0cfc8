//! What a report is made from: plain data.

use plat::output::profile::Cost;
use plat::output::samples::Sample;
use plat::output::summary::Summary;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Runs to report on, in the order in which they were named.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The runs.
    pub runs: Vec<Run>,
}

/// A run.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Run {
    /// What it is, and how it was asked for.
    pub about: About,
    /// Its figures.
    pub totals: Totals,
    /// The whole of `summary.json`; none if the run has not ended by itself.
    pub summary: Option<Summary>,
    /// How it went, in the order of time.
    pub samples: Vec<Sample>,
    /// What is wrong with the program, and what is not supported, each once.
    pub faults: Vec<Fault>,
    /// Its tests.
    pub tests: Vec<Test>,
    /// Source files with what is covered of them, by path.
    pub sources: Vec<Source>,
    /// Functions that were executed or could have been, by name.
    pub functions: Vec<Function>,
    /// The lines that the solver has worked for most.
    pub asking: Vec<AskingLine>,
    /// The segment map, if the run went by one.
    pub segments: Option<Segments>,
    /// Its decisions.
    pub decisions: Option<Decisions>,
    /// What of this could not be had, and why.
    pub notes: Vec<String>,
}

/// What a run is, and how it was asked for.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct About {
    /// Its name among others: that of its directory, unless the user gave one.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// The program, as it was named.
    pub program: String,
    /// How the run was asked for.
    pub command_line: Vec<String>,
    /// The working directory of the run; empty if it is not known.
    pub working_directory: String,
    /// When it began, in UTC; empty if it is not known.
    pub started: String,
    /// Whether and why it has ended.
    pub state: State,
}

/// Whether and why a run has ended.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub enum State {
    /// It has ended for this reason: see `stop` in `summary.json`.
    Ended(String),
    /// It goes on.
    Running,
    /// It was killed, or it is not known whether it goes on.
    #[default]
    Cut,
}

impl State {
    /// In a word or two.
    pub fn name(&self) -> &str {
        match self {
            State::Ended(why) => why,
            State::Running => "going on",
            State::Cut => "killed",
        }
    }
}

/// A part of all; nothing of nothing if it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Share {
    /// The part.
    pub part: u64,
    /// All.
    pub all: u64,
}

impl Share {
    /// In percent.
    pub fn percent(self) -> Option<f64> {
        (self.all > 0).then(|| 100.0 * self.part as f64 / self.all as f64)
    }
}

/// The figures of a run.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Totals {
    /// Paths that have ended.
    pub paths: u64,
    /// Those that have ended in a fault.
    pub fault_paths: u64,
    /// Tests.
    pub tests: u64,
    /// Instructions over all paths.
    pub instructions: u64,
    /// Queries to the solver's layers.
    pub queries: u64,
    /// Their time in seconds.
    pub solver_seconds: f64,
    /// Time of the run in seconds.
    pub seconds: f64,
    /// The most resident memory in bytes.
    pub peak_bytes: u64,
    /// Forks because a pointer may lead to several objects.
    pub resolution_forks: u64,
    /// Lines of the program's own code.
    pub lines: Share,
    /// Sides of branches of the program's own code.
    pub branches: Share,
}

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub enum Severity {
    /// The program does something wrong.
    #[default]
    Error,
    /// Something is not supported, and the path has ended there.
    Unsupported,
}

/// A place in a source file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The file; empty without debug information.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
}

/// A call on the stack.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Call {
    /// The function.
    pub function: String,
    /// Its arguments, as far as they are known.
    pub arguments: Vec<String>,
    /// Where in it.
    pub place: Place,
}

/// A symbolic object, as a test has it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Input {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// A command to type.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Command {
    /// What it does.
    pub does: String,
    /// The words, quoted for a shell.
    pub line: String,
}

/// Something wrong, at one place.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// The suffix of its report: `ptr`, `assert`, ...
    pub kind: String,
    /// Whose fault it is.
    pub severity: Severity,
    /// One line.
    pub message: String,
    /// Where.
    pub place: Place,
    /// Where, without debug information: the function and the instruction.
    pub code: Option<String>,
    /// The calls on the stack, innermost first.
    pub stack: Vec<Call>,
    /// Further lines: the address, the object beside it, where that was allocated.
    pub info: Vec<String>,
    /// The test that leads to it.
    pub test: Option<Test>,
    /// The test's symbolic objects.
    pub inputs: Vec<Input>,
    /// What the path wrote to standard output before, as far as it is text of modest length.
    pub output: String,
    /// How to see it again.
    pub commands: Vec<Command>,
    /// Lines of the source around it: the number of the first, and the lines.
    pub excerpt: (u32, Vec<String>),
}

/// A test.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Test {
    /// Its number.
    pub number: u32,
    /// How its path ended: `returned`, `exited`, `fault`, `unsupported`, `limit`.
    pub end: String,
    /// What was wrong, if anything was.
    pub message: String,
    /// Where, if anything was.
    pub place: Place,
    /// Another test stands for the same fault.
    pub repeats: bool,
    /// Its path was the first to cover something.
    pub covered_new: bool,
    /// Instructions on its path.
    pub instructions: u64,
    /// Forks on its path.
    pub forks: u64,
    /// Seconds from the start of the run until it was made.
    pub made: f64,
}

/// A source file.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Source {
    /// Its path.
    pub path: String,
    /// Its text, if the page is to have it.
    pub text: Option<String>,
    /// Its lines with code, by number.
    pub lines: Vec<Line>,
    /// Its functions: name, first line, calls, and what of them is covered.
    pub functions: Vec<Covered>,
    /// Lines.
    pub line_share: Share,
    /// Sides of branches.
    pub branch_share: Share,
}

/// A line with code.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Line {
    /// Its number.
    pub number: u32,
    /// How often it was executed.
    pub count: u64,
    /// The sides of its branches.
    pub sides: Share,
    /// Questions to the solver that it has asked.
    pub asked: u64,
    /// Forks on it.
    pub forks: u64,
}

/// What is covered of a function.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Covered {
    /// Its name.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// How often it was called.
    pub calls: u64,
    /// Lines.
    pub lines: Share,
    /// Sides of branches.
    pub branches: Share,
}

/// A line that asked the solver.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct AskingLine {
    /// Where it is.
    pub place: Place,
    /// Its text.
    pub text: String,
    /// What it has cost, over all its instructions.
    pub cost: Cost,
}

/// What a function has cost.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its source file.
    pub file: String,
    /// What it has cost without what it calls.
    pub cost: Cost,
}

/// Which allocations may share a segment.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Segments {
    /// Whose points-to sets were united: see `plat segment --unify`.
    pub unify: String,
    /// Allocation contexts in all.
    pub contexts: u64,
    /// Groups, the largest first.
    pub groups: Vec<Group>,
    /// Contexts without a group: nothing can confuse them with others.
    pub alone: Vec<String>,
}

/// Allocation contexts that one pointer may be confused about.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Group {
    /// Its number.
    pub number: u32,
    /// The calls on the way to each allocation.
    pub contexts: Vec<String>,
    /// The pointers that unite most of them: the function, where, and how many contexts each may lead to.
    pub unions: Vec<(String, Place, u64)>,
}

/// The tree of decisions, in as few bytes as it needs.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Decisions {
    /// Where paths were split.
    pub places: Vec<SplitPlace>,
    /// The ways in which paths end.
    pub ends: Vec<String>,
    /// The nodes, parents before children, see [`crate::tree`].
    pub nodes: Vec<u8>,
    /// How many nodes that are.
    pub count: u64,
    /// Ended and open paths in all.
    pub paths: u64,
    /// The greatest depth.
    pub depth: u32,
    /// The subtrees of so many paths or fewer are counted only; 0 if all nodes are there.
    pub folded: u64,
}

/// Where paths were split.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SplitPlace {
    /// Why: `branch`, `switch`, `resolution`, ...
    pub kind: String,
    /// The function.
    pub function: String,
    /// The position of the instruction in it.
    pub inst: Option<u32>,
    /// Where that is.
    pub place: Place,
    /// The line of the source.
    pub text: String,
    /// How often paths were split there,
    pub splits: u64,
    /// into how many,
    pub sides: u64,
    /// and at most.
    pub most_sides: u64,
}
