//! Iterative deepening (Memoise, Table I): all paths down to a depth B from scratch, by going on with a run
//! that was bounded by a smaller depth A, and by going on with that run once its trie is compressed.
//!
//! That both come to the same paths is checked. Times are of processors, the run to depth A not included.

use crate::Common;
use crate::process::{Run, explored, link_into, printed, scratch, tool};
use crate::programs::is_chosen;
use crate::programs::real::Where;
use crate::table::Table;
use clap::Args;
use std::path::Path;
use std::process::Command;

/// What to run.
#[derive(Args)]
pub struct Memoise {
    /// Only this program (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    #[command(flatten)]
    place: Where,
}

/// A program with its input, and pairs of depths.
struct Case {
    program: &'static str,
    arguments: &'static [&'static str],
    depths: &'static [(u32, u32)],
}

const CASES: &[Case] = &[
    Case {
        program: "m4",
        arguments: &["-H37", "-G", "--sym-stdin", "8"],
        depths: &[(7, 8), (9, 10), (11, 12)],
    },
    Case {
        program: "make",
        arguments: &["-f", "-", "--sym-stdin", "6"],
        depths: &[(7, 8), (9, 10)],
    },
    Case {
        program: "coreutils/expr",
        arguments: &["--sym-args", "0", "3", "2"],
        depths: &[(8, 9), (14, 15), (24, 25)],
    },
    Case {
        program: "coreutils/base64",
        arguments: &["-d", "--sym-stdin", "5"],
        depths: &[(8, 9), (10, 11)],
    },
];

/// Each run may take this long.
const SECONDS: u64 = 600;

/// Runs all cases.
///
/// # Errors
/// When a program is not there or cannot be run, or paths differ.
pub fn memoise(common: &Common, what: &Memoise) -> Result<(), String> {
    let head = [
        "program",
        "A",
        "B",
        "A s",
        "A s (mem)",
        "paths B",
        "walked (mem)",
        "queries B",
        "(mem)",
        "B s",
        "(mem-p)",
        "(mem-c)",
        "B MiB",
        "(mem-p)",
        "(mem-c)",
        "trie KiB",
        "(mem-c)",
    ];
    let mut table = Table::new("Iterative deepening (Memoise, Table I)", &head);
    for case in CASES {
        if is_chosen(case.program, &what.only) {
            for &depths in case.depths {
                let measured = Measured::of(common, what, case, depths)?;
                table.row(measured.cells(case.program, depths));
            }
        }
    }
    table.print();
    what.place.write(&table.markdown())
}

/// The runs of one pair of depths.
struct Measured {
    /// To the smaller depth, without a trie and with one.
    small: [Run; 2],
    /// To the greater depth from scratch.
    scratch: Run,
    /// By going on with a trie as it is, and compressed.
    memoised: [Run; 2],
    /// Bytes of the tries of the smaller depth.
    tries: [f64; 2],
}

impl Measured {
    fn of(
        common: &Common,
        what: &Memoise,
        case: &Case,
        (small, large): (u32, u32),
    ) -> Result<Self, String> {
        let room = scratch()?;
        let at = |name: &str| room.path().join(name);
        let (program, linked) = (format!("{}.bc", case.program), at("program.bc"));
        link_into(common, &what.place.build().join(program), &linked)?;
        let run = |out: &str, depth: u32, keep: bool| {
            let mut command = tool(common, "run", SECONDS);
            command.args(["--json", "--quiet", "--search", "dfs"]);
            command.arg(format!("--write-trie={keep}"));
            command.arg(format!("--max-depth={depth}"));
            command.arg("--output-dir").arg(at(out));
            command.arg(&linked).args(case.arguments);
            explored(command)
        };
        let small = [run("plain", small, false)?, run("pruned", small, true)?];
        let mut copy = Command::new("cp");
        copy.arg("-r").arg(at("pruned")).arg(at("compressed"));
        printed(copy)?;
        let mut compress = tool(common, "trie", SECONDS);
        compress.arg("compress").arg(at("compressed"));
        printed(compress)?;
        let tries = [trie(&at("pruned"))?, trie(&at("compressed"))?];
        let scratch = run("scratch", large, false)?;
        let go_on = |from: &str| {
            let again = resume(common, &at(from), large)?;
            let (found, expected) = (paths(&again), paths(&scratch));
            match found == expected {
                true => Ok(again),
                false => Err(format!(
                    "{} to depth {large}, {from}: {found:?} paths, not {expected:?}",
                    case.program
                )),
            }
        };
        let memoised = [go_on("pruned")?, go_on("compressed")?];
        Ok(Measured {
            small,
            scratch,
            memoised,
            tries,
        })
    }

    fn cells(&self, program: &str, (small, large): (u32, u32)) -> Vec<String> {
        let all = |run: &Run| paths(run).iter().sum::<f64>();
        let [plain, kept] = &self.small;
        // All that the smaller depth has cut off are walked again.
        let ended = all(kept) - kept.number("paths.limits");
        let walked = all(&self.scratch) - ended;
        let mut cells = vec![program.to_owned(), small.to_string(), large.to_string()];
        cells.extend([plain, kept].map(|run| format!("{:.2}", run.cpu)));
        cells.extend([all(&self.scratch), walked].map(|count| format!("{count:.0}")));
        let queries = [&self.scratch, &self.memoised[0]].map(|run| run.number("solver.queries"));
        cells.extend(queries.map(|count| format!("{count:.0}")));
        let [pruned, compressed] = &self.memoised;
        let runs = [&self.scratch, pruned, compressed];
        cells.extend(runs.map(|run| format!("{:.2}", run.cpu)));
        cells.extend(runs.map(|run| format!("{:.0}", run.mebibytes())));
        cells.extend(self.tries.map(|bytes| format!("{:.0}", bytes / 1024.0)));
        cells
    }
}

fn resume(common: &Common, directory: &Path, depth: u32) -> Result<Run, String> {
    let mut command = tool(common, "resume", SECONDS);
    command.args(["--json", "--quiet"]);
    command.arg(format!("--max-depth={depth}")).arg(directory);
    explored(command)
}

/// Paths by how they have ended.
fn paths(run: &Run) -> [f64; 4] {
    ["completed", "faults", "unsupported", "limits"].map(|end| run.number(&format!("paths.{end}")))
}

/// Bytes of the trie of a run.
fn trie(directory: &Path) -> Result<f64, String> {
    let path = directory.join("run.trie");
    let meta = std::fs::metadata(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(meta.len() as f64)
}
