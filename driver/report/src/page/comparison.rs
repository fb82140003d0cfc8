//! Several runs beside each other: their figures, their lines in one chart, their faults.

use super::charts::Chart;
use super::faults::place;
use super::numbers;
use super::overview::{CHARTS, Shown, line};
use super::sources::{column, filter};
use crate::kinds;
use crate::model::{Fault, Report, Run, Totals};
use maud::{Markup, html};

/// A figure of a run, in words and, if runs can be held against each other in it, as a number.
type Row = (&'static str, fn(&Run) -> String, Option<fn(&Totals) -> f64>);

const ROWS: [Row; 14] = [
    ("Ended", |run| run.about.state.name().to_string(), None),
    (
        "Memory model",
        |run| {
            run.summary
                .as_ref()
                .map_or(String::new(), |it| it.memory_model.clone())
        },
        None,
    ),
    ("Faults", |run| run.faults.len().to_string(), None),
    (
        "Paths",
        |run| numbers::count(run.totals.paths),
        Some(|it| it.paths as f64),
    ),
    (
        "Tests",
        |run| numbers::count(run.totals.tests),
        Some(|it| it.tests as f64),
    ),
    (
        "Branch coverage",
        |run| numbers::percent(run.totals.branches),
        None,
    ),
    (
        "Line coverage",
        |run| numbers::percent(run.totals.lines),
        None,
    ),
    (
        "Forks by resolution",
        |run| numbers::count(run.totals.resolution_forks),
        Some(|it| it.resolution_forks as f64),
    ),
    (
        "Instructions",
        |run| numbers::count(run.totals.instructions),
        Some(|it| it.instructions as f64),
    ),
    (
        "Solver queries",
        |run| numbers::count(run.totals.queries),
        Some(|it| it.queries as f64),
    ),
    (
        "Solver time",
        |run| numbers::seconds(run.totals.solver_seconds),
        Some(|it| it.solver_seconds),
    ),
    (
        "Largest segment",
        |run| {
            run.summary.as_ref().map_or(String::new(), |it| {
                numbers::bytes(it.memory.max_segment_bytes as f64)
            })
        },
        None,
    ),
    (
        "Time",
        |run| numbers::seconds(run.totals.seconds),
        Some(|it| it.seconds),
    ),
    (
        "Peak memory",
        |run| numbers::bytes(run.totals.peak_bytes as f64),
        Some(|it| it.peak_bytes as f64),
    ),
];

/// The part of the page that all runs share.
pub fn section(report: &Report) -> Markup {
    let runs = &report.runs;
    html! {
        article.comparison data-run="all" {
            header.run-head { h1 { (runs.len()) " runs side by side" } }
            section {
                div.scroll.whole { table.compare {
                    thead { tr { th {} @for run in runs { th scope="col" { (run.about.name) } } } }
                    tbody { @for (name, text, number) in ROWS {
                        tr {
                            th scope="row" { (name) }
                            @for run in runs {
                                td.number { (text(run)) (ratio(&runs[0], run, number)) }
                            }
                        }
                    } }
                } }
                p.hint { "Ratios are to the first run." }
            }
            section {
                h2 { "Over time" }
                div.charts { @for Shown { title, unit, get, most } in CHARTS {
                    @let lines = runs.iter().enumerate().map(|(at, run)| line(run, get, &run.about.name, at)).collect();
                    (Chart { title, unit, most, lines }.figure())
                } }
            }
            section { (faults(runs)) }
            section { (files(runs)) }
        }
    }
}

fn ratio(first: &Run, run: &Run, number: Option<fn(&Totals) -> f64>) -> Markup {
    let ratio = number.map(|number| (number(&run.totals), number(&first.totals)));
    html! {
        @if let Some((of, to)) = ratio && to > 0.0 && !std::ptr::eq(first, run) {
            " " span.hint { "\u{d7}" (format!("{:.2}", of / to)) }
        }
    }
}

/// Which run has found which fault.
fn faults(runs: &[Run]) -> Markup {
    let mut all: Vec<&Fault> = Vec::new();
    let same = |one: &Fault, other: &Fault| {
        one.kind == other.kind
            && one.place.file == other.place.file
            && one.place.line == other.place.line
    };
    for fault in runs.iter().flat_map(|run| &run.faults) {
        if !all.iter().any(|known| same(known, fault)) {
            all.push(fault);
        }
    }
    html! {
        h2 { "Faults" }
        @if all.is_empty() { p.hint { "No run has found one." } } @else {
            div.scroll { table.compare {
                thead { tr { th scope="col" { "Fault" } @for run in runs { th scope="col" { (run.about.name) } } } }
                tbody { @for fault in &all {
                    tr {
                        th.reason scope="row" { (kinds::titled(&fault.kind, &fault.message)) br; (place(&fault.place, fault.code.as_deref())) }
                        @for run in runs {
                            @let found = run.faults.iter().find(|it| same(it, fault)).and_then(|it| it.test.as_ref());
                            td.number {
                                @if let Some(test) = found {
                                    "test " (test.number) " " span.hint { "after " (numbers::seconds(test.made)) }
                                } @else { "\u{2013}" }
                            }
                        }
                    }
                } }
            } }
        }
    }
}

/// Coverage of files by each run.
fn files(runs: &[Run]) -> Markup {
    let mut paths: Vec<&str> = runs
        .iter()
        .flat_map(|run| &run.sources)
        .map(|it| it.path.as_str())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    html! {
        h2 { "Branches covered by file" }
        (filter("Filter files"))
        div.scroll { table.sortable {
            thead { tr { (column("File", false)) @for run in runs { (column(&run.about.name, true)) } } }
            tbody { @for path in &paths {
                tr {
                    th scope="row" { (super::path(path)) }
                    @for run in runs {
                        @match run.sources.iter().find(|it| it.path == **path) {
                            Some(source) => { (super::sources::share(source.branch_share)) }
                            None => { td.number data-order="-1" { "\u{2013}" } }
                        }
                    }
                }
            } }
        } }
    }
}
