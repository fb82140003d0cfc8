//! Iterative deepening (Memoise, Table I): all paths down to a depth B from scratch, by going on with a run
//! that was bounded by a smaller depth A, and by going on with that run once its trie is compressed.
//!
//! That both come to the same paths is checked. Times are of processors, the run to depth A not included.

use crate::Common;
use crate::process::{Run, cost, explored, link_into, scratch, tool};
use crate::programs::folder;
use crate::table::Table;
use clap::Args;
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Args)]
pub struct Memoise {
    /// Where the programs in bitcode are: m4.bc, make.bc, coreutils/expr.bc
    #[arg(long, value_name = "DIR")]
    pub build: Option<PathBuf>,
    /// Only this program (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
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
        let wanted = |only: &String| case.program.ends_with(only.as_str());
        if what.only.is_empty() || what.only.iter().any(wanted) {
            for &depths in case.depths {
                table.row(row(common, what, case, depths)?);
            }
        }
    }
    table.print();
    Ok(())
}

fn row(
    common: &Common,
    what: &Memoise,
    case: &Case,
    (small, large): (u32, u32),
) -> Result<Vec<String>, String> {
    let room = scratch()?;
    let build = what.build.clone().unwrap_or_else(|| folder().join("build"));
    let linked = room.path().join("program.bc");
    link_into(common, &build.join(format!("{}.bc", case.program)), &linked)?;
    let at = |name: &str| room.path().join(name);
    let run = |out: &str, depth: u32, keep: bool| {
        let mut command = tool(common, "run", SECONDS);
        command.args(["--json", "--quiet", "--search", "dfs"]);
        command.arg(format!("--write-trie={keep}"));
        command.arg(format!("--max-depth={depth}"));
        command.arg("--output-dir").arg(at(out));
        command.arg(&linked).args(case.arguments);
        explored(command)
    };
    let first = run("plain", small, false)?;
    let kept = run("pruned", small, true)?;
    let copied = {
        let mut copy = std::process::Command::new("cp");
        copy.arg("-r").arg(at("pruned")).arg(at("compressed"));
        cost(copy)
    };
    copied?;
    let mut compress = tool(common, "trie", SECONDS);
    compress.arg("compress").arg(at("compressed"));
    compress.stdout(std::process::Stdio::null());
    cost(compress)?;
    let tries = [trie(&at("pruned"))?, trie(&at("compressed"))?];
    let scratch = run("scratch", large, false)?;
    let pruned = resume(common, &at("pruned"), large)?;
    let compressed = resume(common, &at("compressed"), large)?;
    for (name, again) in [("pruned", &pruned), ("compressed", &compressed)] {
        if paths(again) != paths(&scratch) {
            return Err(format!(
                "{} {small} to {large}: other paths with a {name} trie: {:?}, not {:?}",
                case.program,
                paths(again),
                paths(&scratch)
            ));
        }
    }
    // All that the smaller depth has cut off are walked again.
    let walked =
        paths(&scratch).iter().sum::<f64>() - (paths(&kept).iter().sum::<f64>() - limits(&kept));
    Ok(vec![
        case.program.to_owned(),
        small.to_string(),
        large.to_string(),
        format!("{:.2}", first.cpu),
        format!("{:.2}", kept.cpu),
        format!("{:.0}", paths(&scratch).iter().sum::<f64>()),
        format!("{walked:.0}"),
        format!("{:.0}", scratch.number("solver.queries")),
        format!("{:.0}", pruned.number("solver.queries")),
        format!("{:.2}", scratch.cpu),
        format!("{:.2}", pruned.cpu),
        format!("{:.2}", compressed.cpu),
        format!("{:.0}", scratch.mebibytes()),
        format!("{:.0}", pruned.mebibytes()),
        format!("{:.0}", compressed.mebibytes()),
        format!("{:.0}", tries[0] / 1024.0),
        format!("{:.0}", tries[1] / 1024.0),
    ])
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

fn limits(run: &Run) -> f64 {
    run.number("paths.limits")
}

/// Bytes of the trie of a run.
fn trie(directory: &Path) -> Result<f64, String> {
    let path = directory.join("run.trie");
    let meta = std::fs::metadata(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    Ok(meta.len() as f64)
}
