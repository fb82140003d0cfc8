//! The solver: how questions were answered, and by which layer.

use super::faults::place;
use super::numbers;
use super::overview::bar;
use super::pointers::fact;
use super::sources::{column, number};
use crate::model::{Run, Share};
use maud::{Markup, html};

/// Figures, and the layers by how many queries they answered.
pub fn section(run: &Run) -> Option<Markup> {
    let solver = &run.summary.as_ref()?.solver;
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
        @if !run.asking.is_empty() {
            h3 { "Lines that asked most" }
            p.hint {
                "Questions are counted, not timed. " code { "--log-queries solver" }
                " writes those that reach the back end, in their order."
            }
            div.scroll { table.sortable {
                thead { tr { (column("Line", false)) (column("Questions", true)) (column("Forks", true)) (column("Instructions", true)) } }
                tbody { @for line in &run.asking {
                    tr {
                        td { (place(&line.place, None)) @if !line.text.is_empty() { br; code.text { (line.text) } } }
                        (number(line.cost.asked)) (number(line.cost.forks)) (number(line.cost.executed))
                    }
                } }
            } }
        }
    })
}
