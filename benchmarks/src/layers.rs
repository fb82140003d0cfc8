//! Who answers the questions of real programs: the share of each layer above the back end, and how
//! many queries reach the back end for each fork.
//!
//! A query that a layer takes apart is counted below it once for each part, so that shares may add
//! up to a little more than everything.

use crate::Common;
use crate::process::{Run, scratch};
use crate::programs::cases::{self, built};
use crate::programs::real::Programs;
use crate::programs::symbolic::explore;
use crate::say::sayln;
use crate::table::Table;

/// The programs of the table, if none are named.
const PROGRAMS: [&str; 8] = [
    "make", "m4", "sort", "expr", "factor", "sqlite", "apr", "libxml2",
];

/// What stands before the layers, and behind.
const BEFORE: [&str; 5] = ["program", "paths", "forks", "questions", "queries"];
const BEHIND: [&str; 4] = ["back end", "of queries", "for each fork", "back end s"];

/// Explores each program for a while.
///
/// # Errors
/// When a program is not there or cannot be run.
pub fn explored(common: &Common, what: &Programs) -> Result<Vec<(String, Run)>, String> {
    let mut only = what.only.clone();
    if only.is_empty() {
        only = PROGRAMS.map(str::to_owned).to_vec();
    }
    let mut runs = Vec::new();
    for case in cases::read("symbolic.cases", &only)? {
        let bitcode = built(&what.place.build(), &case.program)?.bitcode;
        let scratch = scratch()?;
        let run = explore(common, what, &scratch, &case, &bitcode)?;
        eprintln!("{}", row(&case.program, &run).join("  "));
        runs.push((case.program, run));
    }
    Ok(runs)
}

/// The share of a run's queries that needed no back end.
pub fn without(run: &Run) -> f64 {
    1.0 - run.number("solver.backend_queries") / run.number("solver.queries").max(1.0)
}

/// Queries of a back end for each fork.
pub fn for_each_fork(run: &Run) -> f64 {
    run.number("solver.backend_queries") / forks(run).max(1.0)
}

/// Explores each program for a while and prints the table.
///
/// # Errors
/// When a program is not there or cannot be run.
pub fn layers(common: &Common, what: &Programs) -> Result<(), String> {
    let runs = explored(common, what)?;
    let Some((_, first)) = runs.first() else {
        return Ok(());
    };
    let names = first.keys("solver.layers");
    let head: Vec<&str> = (BEFORE.into_iter())
        .chain(names.iter().map(String::as_str))
        .chain(BEHIND)
        .collect();
    let title = format!(
        "Who answers: {} s of each program, shares of its queries",
        what.time
    );
    let mut table = Table::new(&title, &head);
    for (program, run) in &runs {
        table.row(row(program, run));
    }
    table.print();
    let least = runs.iter().map(|(_, run)| without(run)).fold(1.0, f64::min);
    sayln!(
        "\nanswered without a back end, at least: {:.2} %",
        100.0 * least
    );
    Ok(())
}

/// All forks of a run.
fn forks(run: &Run) -> f64 {
    let causes = run.keys("forks");
    let count = |cause: &String| run.number(&format!("forks.{cause}"));
    causes.iter().map(count).sum()
}

fn row(program: &str, run: &Run) -> Vec<String> {
    let queries = run.number("solver.queries").max(1.0);
    let share = |count: f64| format!("{:.2} %", 100.0 * count / queries);
    let back_end = run.number("solver.backend_queries");
    let paths: f64 = (run.keys("paths").iter())
        .map(|end| run.number(&format!("paths.{end}")))
        .sum();
    let mut row = vec![
        program.to_owned(),
        format!("{paths:.0}"),
        format!("{:.0}", forks(run)),
        format!("{:.0}", run.number("solver.questions")),
        format!("{:.0}", run.number("solver.queries")),
    ];
    for layer in run.keys("solver.layers") {
        row.push(share(
            run.number(&format!("solver.layers.{layer}.answered")),
        ));
    }
    row.extend([
        format!("{back_end:.0}"),
        share(back_end),
        format!("{:.3}", for_each_fork(run)),
        format!("{:.1}", run.number("solver.backend_wall_s")),
    ]);
    row
}
