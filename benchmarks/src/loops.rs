//! What `--detect-infinite-loops` costs: user time of runs in turns, without and with it.
//!
//! Concrete programs of `programs/speed`, m4 with part of its input symbolic, and programs in bitcode
//! that are named. None has such a loop: a report is an error. Without the option nothing of the check
//! runs; what that costs a build shows in `plat-bench speed --baseline`.

use crate::Common;
use crate::process::{Run, explore};
use crate::programs::bitcode;
use crate::programs::inputs::{M4, input, m4_input};
use crate::table::{Table, median};
use clap::Args;
use std::path::PathBuf;

/// What to run.
#[derive(Args)]
pub struct Loops {
    /// Programs in bitcode, with some symbolic input, for as many instructions as --instructions says
    pub programs: Vec<PathBuf>,
    /// Instructions of each of the programs that are named
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub instructions: u64,
    /// Only the programs that are named
    #[arg(long)]
    pub only_named: bool,
}

struct Case {
    name: String,
    bitcode: PathBuf,
    options: Vec<String>,
    arguments: &'static [&'static str],
}

/// Concrete programs.
const CONCRETE: [&str; 4] = ["sieve", "table", "quicksort", "print"];

/// Runs each program without the check and with it, in turns.
///
/// # Errors
/// When a program is not there or cannot be run, or the check finds something.
pub fn loops(common: &Common, what: &Loops) -> Result<(), String> {
    let head = [
        "program",
        "million instructions",
        "paths",
        "without s",
        "with s",
        "more %",
    ];
    let title = "--detect-infinite-loops: user time without and with it";
    let mut table = Table::new(title, &head);
    for case in cases(what)? {
        let (mut off, mut on) = (Vec::new(), Vec::new());
        for _ in 0..common.runs {
            off.push(run(common, &case, "--detect-infinite-loops=false")?);
            on.push(run(common, &case, "--detect-infinite-loops=true")?);
        }
        let found = on.iter().any(|run| run.number("errors.loop") > 0.0);
        if found {
            return Err(format!("{}: a loop was found", case.name));
        }
        let user = |runs: &[Run]| median(runs.iter().map(|run| run.user).collect());
        let (without, with) = (user(&off), user(&on));
        table.row(vec![
            case.name,
            format!("{:.1}", on[0].number("instructions") / 1e6),
            format!("{:.0}", on[0].number("paths.completed")),
            format!("{without:.2}"),
            format!("{with:.2}"),
            format!("{:.1}", 100.0 * (with / without - 1.0)),
        ]);
    }
    table.print();
    Ok(())
}

fn run(common: &Common, case: &Case, option: &str) -> Result<Run, String> {
    let mut options = vec!["--memory-model=forking", option];
    options.extend(case.options.iter().map(String::as_str));
    explore(common, &options, &case.bitcode, case.arguments)
}

fn cases(what: &Loops) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    if !what.only_named {
        for name in CONCRETE {
            cases.push(Case {
                name: name.into(),
                bitcode: bitcode(&format!("speed/{name}"))?,
                options: vec![],
                arguments: &[],
            });
        }
        let words = ["--stdin-template", &m4_input()?, "--template-range", "A..z"];
        cases.push(Case {
            name: "m4".into(),
            bitcode: bitcode("m4")?,
            options: words.map(str::to_owned).to_vec(),
            arguments: M4,
        });
    }
    for program in &what.programs {
        let name = program.file_stem().unwrap_or_default();
        cases.push(Case {
            name: name.to_string_lossy().into_owned(),
            bitcode: program.clone(),
            options: vec![format!("--max-instructions={}", what.instructions)],
            arguments: input(program),
        });
    }
    Ok(cases)
}
