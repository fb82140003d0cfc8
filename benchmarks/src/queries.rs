//! Whether the allocator's addresses reach the solver (KDAlloc paper, section 6.3). There,
//! addresses with zeros in their low bits made queries twice as fast. Here a base folds away before
//! a query is written; so the same program asks, under every allocator, the same questions, byte
//! for byte. A question whose text differs has an address in it.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use crate::Common;
use crate::process::{Run, explore_into, scratch};
use crate::programs::inputs::{Input, inputs};
use crate::table::Table;

/// Every question of a run is written out with its whole path condition: this many instructions
/// of a program can make a gigabyte.
const INSTRUCTIONS: &str = "300000";

/// How often each question was asked, by a hash of its text.
type Questions = HashMap<u64, u64>;

/// Runs each program under every allocator and compares what the solver was asked.
pub fn queries(common: &Common, programs: &[PathBuf]) -> Result<(), String> {
    let mut table = Table::new(
        "Questions under each allocator, depth first, against those under bump",
        &[
            "program",
            "allocator",
            "questions",
            "same text",
            "to the back end",
            "same text",
            "back end ms",
        ],
    );
    for case in inputs(programs)? {
        compare(common, &case, &mut table)?;
    }
    table.print();
    Ok(())
}

fn compare(common: &Common, case: &Input, table: &mut Table) -> Result<(), String> {
    let mut first: Option<[Questions; 2]> = None;
    for allocator in plat_allocator::ALL {
        let mut all = vec!["--search", "dfs", "--allocator", allocator.name];
        all.extend(["--log-queries", "all,solver"]);
        all.extend(["--max-instructions", INSTRUCTIONS]);
        all.extend(case.options.iter().map(String::as_str));
        let scratch = scratch()?;
        let folder = scratch.path().join("out");
        let run = explore_into(&folder, common, &all, &case.program, case.arguments)?;
        let all = read(&folder.join("all-queries.smt2"))?;
        let asked = [all, read(&folder.join("solver-queries.smt2"))?];
        let first = first.get_or_insert_with(|| asked.clone());
        table.row(row(&case.program, allocator.name, &run, &asked, first));
    }
    Ok(())
}

fn row(
    program: &Path,
    allocator: &str,
    run: &Run,
    asked: &[Questions; 2],
    first: &[Questions; 2],
) -> Vec<String> {
    let program = program.file_stem().unwrap_or_default().to_string_lossy();
    let mut row = vec![program.into_owned(), allocator.to_owned()];
    for (these, those) in asked.iter().zip(first) {
        let same = these.iter().map(|(text, count)| {
            let other = those.get(text).copied().unwrap_or(0);
            other.min(*count)
        });
        row.push(these.values().sum::<u64>().to_string());
        row.push(same.sum::<u64>().to_string());
    }
    let back_end = run.number("solver.backend_wall_s") * 1e3;
    row.push(format!("{back_end:.1}"));
    row
}

/// The questions of a log: each begins with a comment that has its number, which does not count.
fn read(path: &Path) -> Result<Questions, String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut questions = Questions::new();
    let mut question: Option<DefaultHasher> = None;
    for line in BufReader::new(File::open(path).map_err(wrong)?).lines() {
        let line = line.map_err(wrong)?;
        if line.starts_with("; query ") {
            if let Some(ended) = question.replace(DefaultHasher::new()) {
                *questions.entry(ended.finish()).or_default() += 1;
            }
        } else if let Some(question) = &mut question {
            line.hash(question);
        }
    }
    if let Some(ended) = question {
        *questions.entry(ended.finish()).or_default() += 1;
    }
    Ok(questions)
}
