//! Programs under each allocator, side by side: time, memory, and whether paths and queries are
//! the same.

use std::path::{Path, PathBuf};

use crate::Common;
use crate::process::{Run, explore};
use crate::programs::{bitcode, folder};
use crate::table::{Table, median};

/// Instructions that a run of a program other than m4 may execute: a bound that both runs meet at
/// the same point.
const INSTRUCTIONS: &str = "3000000";

/// The arguments of m4 in the papers.
pub const M4: &[&str] = &["-H37", "-G"];

/// A program with options for plat and arguments.
pub struct Case {
    /// Its bitcode.
    pub program: PathBuf,
    /// Options that stand before it.
    pub options: Vec<String>,
    /// What follows it.
    pub arguments: &'static [&'static str],
}

/// m4 on the papers' input, and programs with some symbolic input, which are bounded by options.
pub fn cases(programs: &[PathBuf], bound: &[&str]) -> Result<Vec<Case>, String> {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let template = m4_input()?;
    let mut cases = vec![Case {
        program: bitcode("m4")?,
        options: words(&["--stdin-template", &template, "--template-range", "A..z"]),
        arguments: M4,
    }];
    cases.extend(programs.iter().map(|program| Case {
        program: program.clone(),
        options: words(bound),
        arguments: input(program),
    }));
    Ok(cases)
}

/// The papers' input of m4, a file.
pub fn m4_input() -> Result<String, String> {
    let path = folder().join("m4.input");
    let path = path
        .to_str()
        .ok_or("the path of the template is not text")?;
    Ok(path.to_owned())
}

/// Arguments for a program, with some symbolic input.
pub fn input(program: &Path) -> &'static [&'static str] {
    match program.file_stem().and_then(|name| name.to_str()) {
        // SQL from standard input.
        Some("sqlite") => &["create table t(a);", "-", "--sym-stdin", "6"],
        // A makefile from standard input.
        Some("make") => &["-f", "-", "--sym-stdin", "12"],
        _ => COREUTILS,
    }
}

const COREUTILS: &[&str] = &[
    "--sym-args",
    "0",
    "2",
    "3",
    "--sym-stdin",
    "12",
    "--sym-files",
    "1",
    "8",
];

/// Runs each program under every allocator, in turns: m4 on the papers' input and the programs
/// given, with some symbolic input.
pub fn allocators(common: &Common, programs: &[PathBuf]) -> Result<(), String> {
    let mut table = Table::new(
        "Programs under each allocator, depth first (ratios: to bump)",
        &[
            "program",
            "allocator",
            "paths",
            "queries",
            "back end",
            "instructions",
            "CPU s",
            "ratio",
            "MiB",
            "ratio",
        ],
    );
    let bound = ["--max-instructions", INSTRUCTIONS];
    for case in cases(programs, &bound)? {
        measure(common, &case, &mut table)?;
    }
    table.print();
    Ok(())
}

fn measure(common: &Common, case: &Case, table: &mut Table) -> Result<(), String> {
    let names: Vec<&str> = plat_allocator::ALL.iter().map(|entry| entry.name).collect();
    let mut runs: Vec<Vec<Run>> = names.iter().map(|_| Vec::new()).collect();
    for _ in 0..common.runs {
        for (name, runs) in names.iter().zip(&mut runs) {
            let mut all = vec!["--search", "dfs", "--allocator", name];
            // Models that need no analysis show the run alone.
            let model = common.models.iter().take(1);
            all.extend(model.flat_map(|model| ["--memory-model", model.as_str()]));
            all.extend(case.options.iter().map(String::as_str));
            runs.push(explore(common, &all, &case.program, case.arguments)?);
        }
    }
    let cpu = |runs: &[Run]| median(runs.iter().map(|run| run.cpu).collect());
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let memory = |runs: &[Run]| {
        median(runs.iter().map(|run| run.memory as f64).collect()) / f64::from(1 << 20)
    };
    let program = case.program.file_stem().unwrap_or_default();
    let program = program.to_string_lossy();
    for (name, these) in names.iter().zip(&runs) {
        let count = |path: &str| format!("{:.0}", these[0].number(path));
        table.row(vec![
            program.clone().into_owned(),
            (*name).to_owned(),
            count("tests"),
            count("solver.queries"),
            count("solver.backend_queries"),
            count("instructions"),
            format!("{:.2}", cpu(these)),
            format!("{:.2}", cpu(these) / cpu(&runs[0])),
            format!("{:.1}", memory(these)),
            format!("{:.2}", memory(these) / memory(&runs[0])),
        ]);
    }
    Ok(())
}
