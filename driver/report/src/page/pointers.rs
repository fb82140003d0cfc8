//! Memory: how symbolic pointers were followed, where, and what that has cost.

use super::faults::place;
use super::numbers;
use super::sources::{column, number};
use crate::model::{Place, Run};
use maud::{Markup, html};

/// Figures of resolution and memory, forks by place, choices by place.
pub fn section(run: &Run) -> Option<Markup> {
    let summary = run.summary.as_ref()?;
    let (resolution, memory) = (&summary.resolution, &summary.memory);
    let at = |file: &str, line| Place {
        file: file.to_string(),
        line,
        column: 0,
    };
    let splits = run.decisions.iter().flat_map(|tree| &tree.places);
    let mut splits: Vec<_> = splits.filter(|it| it.kind == "resolution").collect();
    splits.sort_by_key(|it| u64::MAX - it.splits);
    Some(html! {
        h2 { "Pointers and memory" }
        dl.facts {
            (fact("Accesses through a symbolic pointer", numbers::count(resolution.symbolic)))
            (fact("to more than one object", numbers::count(resolution.multiple)))
            (fact("most objects at once", numbers::count(resolution.max_targets)))
            (fact("Forks by resolution", numbers::count(summary.forks.resolution)))
            (fact("Time resolving", numbers::seconds(resolution.wall_s)))
            (fact("Joins of segments", numbers::count(memory.joins)))
            (fact("Objects moved by joins", numbers::count(memory.moved_objects)))
            (fact("Shared segments on a path", numbers::count(memory.segments)))
            (fact("Largest segment", numbers::bytes(memory.max_segment_bytes as f64)))
            (fact("Heap peak of a path", numbers::bytes(memory.heap_peak_bytes as f64)))
        }
        @if summary.forks_by_resolution.is_empty() {
            p.hint { "No path was split because a pointer may lead to several places." }
        } @else {
            h3 { "Where paths were split by a pointer" }
            div.scroll { table.sortable {
                thead { tr { (column("Place", false)) (column("Reason", false)) (column("Forks", true)) } }
                tbody { @for it in &summary.forks_by_resolution {
                    tr { td { (place(&at(&it.file, it.line), None)) } td { (it.reason) } (number(it.count)) }
                } }
            } }
        }
        @if !splits.is_empty() {
            h3 { "Branching at pointers" }
            p.hint {
                "Splits that a pointer made, faults included. A model that keeps what a pointer may reach in one segment ("
                code { "--memory-model flat" } ", " code { "merging" }
                ") splits there into one part and a fault at most."
            }
            div.scroll { table.sortable {
                thead { tr { (column("Place", false)) (column("Splits", true)) (column("Sides each", true)) (column("Most sides", true)) (column("Further paths, at least", true)) } }
                tbody { @for it in &splits {
                    @let each = it.sides as f64 / it.splits.max(1) as f64;
                    tr {
                        td { (place(&it.place, Some(&it.function))) @if !it.text.is_empty() { br; code.text { (it.text) } } }
                        (number(it.splits))
                        td.number data-order=(each) { (format!("{each:.2}")) }
                        (number(it.most_sides)) (number(it.sides.saturating_sub(2 * it.splits)))
                    }
                } }
            } }
        }
        @if !resolution.choices.is_empty() {
            h3 { "What the model auto has chosen" }
            div.scroll { table.sortable {
                thead { tr { (column("Place", false)) (column("Choice", false)) (column("Reason", false)) (column("Times", true)) (column("Most segments", true)) (column("Most bytes", true)) } }
                tbody { @for it in &resolution.choices {
                    tr {
                        td { (place(&at(&it.file, it.line), None)) } td { (it.choice) } td { (it.reason) }
                        (number(it.count)) (number(it.max_alternatives)) (number(it.max_bytes))
                    }
                } }
            } }
        }
        p.hint {
            "Which allocations share a segment, and why, is decided before a run: "
            code { "plat segment --html" } " draws it, " code { "--explain SITE1 SITE2" } " gives the reason."
        }
    })
}

/// A term and its figure.
pub fn fact(name: &str, value: String) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}
