//! The solver: how questions were answered, and by which layer; which took longest, and for which lines.

use super::faults::place;
use super::numbers;
use super::overview::bar;
use super::pointers::fact;
use super::sources::{column, number, time};
use crate::model::{Place, Run, Share};
use maud::{Markup, html};
use plat::output::summary::LongQuery;

/// Figures, and the layers by how many queries they answered.
pub fn section(run: &Run) -> Option<Markup> {
    let Some(summary) = &run.summary else {
        // The rest is counted when a run ends.
        return (!run.asking.is_empty()).then(|| html! { h2 { "Solver" } (lines(run)) });
    };
    let solver = &summary.solver;
    let mut layers: Vec<_> = solver.layers.iter().collect();
    layers.sort_by_key(|(_, layer)| u64::MAX - layer.answered);
    let free = Share {
        part: solver.free,
        all: solver.questions,
    };
    Some(html! {
        h2 { "Solver" }
        dl.facts {
            (fact("Questions about conditions", numbers::count(solver.questions)))
            (fact("answered without a query", format!("{} ({})", numbers::count(solver.free), numbers::percent(free))))
            (fact("Queries", numbers::count(solver.queries)))
            (fact("that reached the back end", numbers::count(solver.backend_queries)))
            (fact("Time in all layers", numbers::seconds(solver.wall_s)))
            (fact("Time in the back end", numbers::seconds(solver.backend_wall_s)))
            (fact("Not answered in time", numbers::count(solver.unknown)))
            (fact("Put off", numbers::count(solver.postponed)))
        }
        @if !layers.is_empty() {
            div.scroll { table.sortable {
                thead { tr { (column("Layer", false)) (column("Answered", true)) (column("Passed on", true)) (column("Share answered", true)) } }
                tbody { @for (name, layer) in &layers {
                    @let share = Share { part: layer.answered, all: layer.answered + layer.passed };
                    tr {
                        th scope="row" { code { (name) } }
                        (number(layer.answered)) (number(layer.passed))
                        td.number data-order=(share.percent().unwrap_or(-1.0)) { (numbers::percent(share)) (bar(share)) }
                    }
                } }
            } }
        }
        (hottest(&solver.longest))
        (lines(run))
    })
}

/// The queries that took longest.
fn hottest(queries: &[LongQuery]) -> Markup {
    html! {
        @if !queries.is_empty() {
            h3 { "Longest queries" }
            p.hint {
                "What was asked, in C's terms: " code { "stdin[3]" } " is a byte of the input. " code { "--log-queries solver" }
                " writes all that reach the back end."
            }
            div.queries { @for query in queries { (entry(query)) } }
        }
    }
}

fn entry(query: &LongQuery) -> Markup {
    let at = Place {
        file: query.file.clone(),
        line: query.line,
        column: 0,
    };
    html! {
        details.query {
            summary {
                span.took { (numbers::seconds(query.wall_s)) }
                span class={ "answer " (query.answer) } { (answer(&query.answer)) }
                code.text { (query.condition) }
                span.place { (place(&at, Some(&query.function))) }
            }
            div.body {
                @if query.given.is_empty() {
                    p.hint { "Nothing on the path is related to it." }
                } @else {
                    h4 { "Given on the path" }
                    ul.plain { @for condition in &query.given { li { code.text { (condition) } } } }
                    @if query.further > 0 { p.hint { "and " (numbers::count(query.further)) " more conditions" } }
                }
            }
        }
    }
}

fn answer(word: &str) -> &str {
    match word {
        "sat" => "possible",
        "unsat" => "impossible",
        _ => "no answer",
    }
}

/// The lines that the solver has worked for most.
fn lines(run: &Run) -> Markup {
    html! {
        @if !run.asking.is_empty() {
            h3 { "Lines that the solver worked for" }
            div.scroll { table.sortable {
                thead { tr { (column("Line", false)) (column("Time", true)) (column("Questions", true)) (column("Forks", true)) (column("Instructions", true)) } }
                tbody { @for line in &run.asking {
                    tr {
                        td { (place(&line.place, None)) @if !line.text.is_empty() { br; code.text { (line.text) } } }
                        (time(line.cost.solving_us)) (number(line.cost.asked)) (number(line.cost.forks)) (number(line.cost.executed))
                    }
                } }
            } }
        }
    }
}
