//! `summary.json`: one object that says what a run did. Its keys are an interface (SUMMARY.md);
//! they change only together with [`VERSION`].

use super::sharing::{Apart, Together};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the keys below.
pub const VERSION: u32 = 1;

/// The pool of expressions, over all processes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Pool {
    /// Most bytes that a process has had in it.
    pub peak_bytes: u64,
    /// Collections.
    pub collections: u64,
    /// Their time.
    pub collection_wall_s: f64,
    /// Bytes before them, added up.
    pub bytes_before: u64,
    /// Bytes behind them, added up.
    pub bytes_after: u64,
}

/// Paths that were led along decisions that were made before: of an earlier run, or while memory was
/// scarce.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Led {
    /// Instructions on the way; part of all.
    pub instructions: u64,
    /// Questions that were answered as before.
    pub remembered: u64,
    /// Paths that have left their decisions, by place.
    pub divergences: BTreeMap<String, u64>,
    /// Times that a path was kept as its decisions.
    pub cooled: u64,
    /// Times that such a path went on.
    pub warmed: u64,
    /// Tests that were there already.
    pub known_tests: u64,
}

/// A place that was to be reached.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Target {
    /// The place, as it was given.
    pub target: String,
    /// Whether a path has come to it.
    pub reached: bool,
    /// Instructions over all paths until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Time until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_s: Option<f64>,
    /// The test of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<u32>,
}

/// What became of the order of paths. Its keys are those of the whole object.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Order {
    /// Times that a path has waited with a query that was put off.
    #[serde(default)]
    pub deferred: u64,
    /// Paths that were put last, as another one was in the same state but for its conditions.
    #[serde(default)]
    pub subsumed: u64,
    /// The places that were to be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
}

/// The whole object. Times are in seconds, sizes in bytes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// [`VERSION`].
    pub version: u32,
    /// Why the run ended: finished, time, memory, instructions, forks, interrupted.
    pub stop: String,
    /// The memory model.
    pub memory_model: String,
    /// The searchers, joined by `+`.
    pub search: String,
    /// Time of the run, without the analyses.
    pub wall_s: f64,
    /// Time of link, analysis, segmentation and transformation; 0 for `plat run`.
    pub analysis_wall_s: f64,
    /// Largest resident memory of the first process.
    pub peak_rss_bytes: u64,
    /// Instructions executed over all paths.
    pub instructions: u64,
    /// Tests written.
    pub tests: u64,
    /// Paths by how they ended.
    pub paths: Paths,
    /// Paths that were the first to cover something and have no test.
    #[serde(default)]
    pub untested_paths: u64,
    /// The order of paths.
    #[serde(flatten)]
    pub order: Order,
    /// Forks by cause.
    pub forks: Forks,
    /// Time that splitting states took, without the questions whether they may split.
    #[serde(default)]
    pub fork_wall_s: f64,
    /// The pool of expressions.
    #[serde(default)]
    pub pool: Pool,
    /// Paths that were led.
    #[serde(default)]
    pub led: Led,
    /// Forks by resolution by place and reason, the most frequent first.
    #[serde(default)]
    pub forks_by_resolution: Vec<ResolutionForks>,
    /// Resolution of pointers.
    pub resolution: Resolution,
    /// The solver.
    pub solver: Solver,
    /// The program's memory.
    pub memory: Memory,
    /// Coverage of the program's instructions.
    pub coverage: Coverage,
    /// What is outside of the program.
    #[serde(default)]
    pub external: External,
    /// What was asked for and is not there, with how often: system calls, instructions, functions.
    pub unsupported: BTreeMap<String, u64>,
    /// With `--check-points-to`: what the check has come to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points_to: Option<PointsTo>,
    /// The processes that explored.
    #[serde(flatten)]
    pub workers: Workers,
    /// The program as given.
    pub program: String,
    /// The seed of all random choices.
    pub seed: u64,
}

/// The processes that explored. Its keys are those of the whole object.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Workers {
    /// How many: one, and those that `--workers` made.
    #[serde(default)]
    pub processes: u32,
    /// Processor time of exploring, for each of the places that `--workers` gives to processes.
    #[serde(default)]
    pub workers_cpu_s: Vec<f64>,
    /// Live paths of processes that ended before their work: at least so many tests are missing.
    #[serde(default)]
    pub lost_paths: u64,
}

/// What is outside of the program: calls of machine code, peers, other programs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct External {
    /// Calls made.
    pub calls: u64,
    /// Symbolic values that were given one of their values for a call.
    pub concretized: u64,
    /// Connections and datagrams of `--sym-sockets`, on all paths.
    #[serde(default)]
    pub peers: u64,
    /// Bytes that they brought.
    #[serde(default)]
    pub received: u64,
    /// Bytes that the program sent them.
    #[serde(default)]
    pub sent: u64,
    /// Programs that it started (`--system-result`).
    #[serde(default)]
    pub commands: u64,
}

/// Paths by how they ended; their sum is the number of paths explored.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Paths {
    /// Returned from `main` or exited.
    pub completed: u64,
    /// Ended by a fault of the program.
    pub faults: u64,
    /// Ended by something that plat does not support.
    pub unsupported: u64,
    /// Cut off by a limit or by the end of the run.
    pub limits: u64,
    /// Ended without a test: an assumption that cannot hold, `klee_silent_exit`.
    pub silent: u64,
    /// Live paths, counted among the limits, that have no test because the time for it was over.
    #[serde(default)]
    pub late: u64,
    /// Ended because another one goes on for them (`klee_close_merge`).
    #[serde(default)]
    pub merged: u64,
}

impl Paths {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.completed + self.faults + self.unsupported + self.limits + self.silent + self.merged
    }
}

/// Forks by cause: how many more states there were after it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Forks {
    /// Conditional branches, and conditions inside instructions.
    pub branch: u64,
    /// Switches.
    pub switch: u64,
    /// Pointers that may reach several objects or segments.
    pub resolution: u64,
    /// Allocations of symbolic size.
    pub allocation: u64,
    /// Accesses and operations that may be a fault.
    pub fault: u64,
    /// Calls through a symbolic function pointer.
    pub call: u64,
    /// Which thread runs (`--preemptions`).
    #[serde(default)]
    pub schedule: u64,
}

/// Forks by resolution at one line, for one reason.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ResolutionForks {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// Why the pointer's alternatives do not share a segment.
    pub reason: String,
    /// How many more states there were after them.
    pub count: u64,
}

/// How pointers at one line were followed, that could lead to several segments.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PointerChoice {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// merge, fork, split or value.
    pub choice: String,
    /// Why.
    pub reason: String,
    /// How often.
    pub count: u64,
    /// The most segments that one of them could lead to.
    pub max_alternatives: u64,
    /// The most bytes in them.
    pub max_bytes: u64,
}

/// How symbolic pointers were followed at one line.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Followed {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// The function; empty if unknown.
    pub function: String,
    /// Resolutions. One that is made again in the parts of a split counts again.
    pub count: u64,
    /// Objects that they led to, in all.
    pub objects: u64,
    /// The most objects of one.
    pub max_objects: u64,
    /// The most bytes in the objects of one.
    pub max_bytes: u64,
    /// Ways to go on that the memory model has made of them, in all.
    pub ways: u64,
    /// The most ways of one.
    pub max_ways: u64,
    /// Faults that were possible.
    pub faults: u64,
    /// Times that segments were put together first.
    pub joins: u64,
    /// Objects that were moved for that.
    pub moved_objects: u64,
}

/// A query that took long.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct LongQuery {
    /// What it has taken.
    pub wall_s: f64,
    /// sat, unsat or unknown.
    pub answer: String,
    /// What was asked, in C's terms; long ones are cut (`…`).
    pub condition: String,
    /// Related conditions of the path, some of them.
    pub given: Vec<String>,
    /// How many more there are.
    pub further: u64,
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// The function; empty if unknown.
    pub function: String,
}

/// Resolution of symbolic pointers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Resolution {
    /// Accesses through a symbolic pointer.
    pub symbolic: u64,
    /// Those that could reach more than one object.
    pub multiple: u64,
    /// The most objects that one access could reach.
    pub max_targets: u64,
    /// Solver queries asked while resolving.
    pub queries: u64,
    /// Time.
    pub wall_s: f64,
    /// Alternatives that the memory model left out (only `single` leaves any out).
    pub dropped: u64,
    /// How pointers were followed, by place, those that led to most objects first.
    #[serde(default)]
    pub places: Vec<Followed>,
    /// What the model `auto` has decided about pointers, by place, the most frequent first.
    #[serde(default)]
    pub choices: Vec<PointerChoice>,
    /// Allocations that were followed on paths of their own, by place, the most frequent first.
    #[serde(default)]
    pub apart: Vec<Apart>,
    /// Combinations of places and allocations that are neither in `apart` nor in `memory.together`, as there
    /// are too many.
    #[serde(default)]
    pub unlisted: u64,
}

/// The solver.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Solver {
    /// Questions about conditions; of those that simplification, the facts and the path's own model
    /// leave open, most become one query.
    #[serde(default)]
    pub questions: u64,
    /// Questions that needed no query.
    #[serde(default)]
    pub free: u64,
    /// Queries asked.
    pub queries: u64,
    /// Queries that no layer could answer without the back end.
    pub backend_queries: u64,
    /// Time of all queries.
    pub wall_s: f64,
    /// Time inside the back end.
    pub backend_wall_s: f64,
    /// Queries that were not answered in time.
    pub unknown: u64,
    /// Queries that were put off after a part of the work, to be asked again.
    #[serde(default)]
    pub postponed: u64,
    /// The longest queries, the longest first.
    #[serde(default)]
    pub longest: Vec<LongQuery>,
    /// The layers above the back end, by name.
    #[serde(default)]
    pub layers: BTreeMap<String, Layer>,
}

/// A layer of the solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Layer {
    /// Queries that it answered.
    pub answered: u64,
    /// Queries that it passed on, whole or in parts.
    pub passed: u64,
}

/// The program's memory.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// The most bytes that were live on the heap of one path.
    pub heap_peak_bytes: u64,
    /// The most segments that one path had for objects to share.
    pub segments: u64,
    /// The most live bytes in one of them.
    pub max_segment_bytes: u64,
    /// Times that objects were put together because a pointer could lead to them.
    #[serde(default)]
    pub joins: u64,
    /// Objects that were moved for that.
    #[serde(default)]
    pub moved_objects: u64,
    /// Allocations whose objects came into one segment because a pointer could lead to several of them, those
    /// in the largest segments first.
    #[serde(default)]
    pub together: Vec<Together>,
}

/// Coverage, counted in instructions.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Coverage {
    /// Instructions executed at least once.
    pub covered: u64,
    /// Instructions of the linked program.
    pub instructions: u64,
}

/// A run held against the points-to analysis.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct PointsTo {
    /// Dereferences of concrete pointers that were checked.
    pub dereferences: u64,
    /// Resolutions of symbolic pointers that were checked.
    pub resolutions: u64,
    /// What the analysis does not foresee, in program order.
    pub violations: Vec<Violation>,
}

/// Something that the analysis does not foresee.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Violation {
    /// `points_to`: a points-to set lacks an object; `groups`: objects that one pointer can lead to
    /// are in different groups.
    pub kind: String,
    /// The function of the instruction.
    pub function: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// Its source line; 0 if unknown.
    pub line: u32,
    /// The missing constraint in words.
    pub message: String,
    /// How often it was met.
    pub count: u64,
}

impl Summary {
    /// The file's text.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// When it is not a summary, or one of another version.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let summary: Summary = serde_json::from_str(text).map_err(|why| why.to_string())?;
        if summary.version == VERSION {
            Ok(summary)
        } else {
            Err(format!(
                "summary version {}; this reads version {VERSION}",
                summary.version
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented keys, each with its parent. An entry may be added; none may go or move.
    const KEYS: &[(&str, &[&str])] = &[
        (
            "",
            &[
                "version",
                "stop",
                "memory_model",
                "search",
                "wall_s",
                "analysis_wall_s",
                "peak_rss_bytes",
                "instructions",
                "tests",
            ],
        ),
        ("paths", &["completed", "faults", "unsupported", "limits"]),
        ("forks", &["branch", "switch", "resolution", "allocation"]),
        (
            "resolution",
            &["symbolic", "multiple", "max_targets", "queries", "wall_s"],
        ),
        (
            "solver",
            &[
                "questions",
                "free",
                "queries",
                "backend_queries",
                "wall_s",
                "backend_wall_s",
                "layers",
            ],
        ),
        (
            "memory",
            &["heap_peak_bytes", "segments", "max_segment_bytes"],
        ),
    ];

    #[test]
    fn has_the_documented_keys() {
        let summary = Summary {
            version: VERSION,
            ..Summary::default()
        };
        let text = summary.to_json();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        for (parent, keys) in KEYS {
            let object = if parent.is_empty() {
                &value
            } else {
                &value[parent]
            };
            for key in *keys {
                assert!(!object[key].is_null(), "{parent}.{key}");
            }
        }
        assert_eq!(Summary::from_json(&text), Ok(summary));
        assert!(Summary::from_json(&text.replace("\"version\": 1", "\"version\": 2")).is_err());
    }
}
