//! Memory: how symbolic pointers were followed, where, and what that has cost.

use super::faults::place;
use super::numbers;
use super::sources::{column, number};
use crate::model::{Place, Run};
use maud::{Markup, html};
use plat::memory::model::policy;
use plat::output::summary::Followed;

/// Figures of resolution and memory, forks by place, choices by place.
pub fn section(run: &Run) -> Option<Markup> {
    let summary = run.summary.as_ref()?;
    let (resolution, memory) = (&summary.resolution, &summary.memory);
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
                    tr { td { (place(&at(&it.file, it.line), None)) } td.reason { (it.reason) } (number(it.count)) }
                } }
            } }
        }
        (places(&resolution.places))
        (branching(run))
        @if !resolution.choices.is_empty() {
            h3 { "What the model auto has chosen" }
            div.scroll { table.sortable {
                thead { tr { (column("Place", false)) (column("Choice", false)) (column("Reason", false)) (column("Times", true)) (column("Most segments", true)) (column("Most bytes", true)) } }
                tbody { @for it in &resolution.choices {
                    tr {
                        td { (place(&at(&it.file, it.line), None)) } td { (it.choice) } td.reason { (it.reason) }
                        (number(it.count)) (number(it.max_alternatives)) (number(it.max_bytes))
                    }
                } }
            } }
        }
    })
}

fn at(file: &str, line: u32) -> Place {
    Place {
        file: file.to_string(),
        line,
        column: 0,
    }
}

/// Resolutions by place, beside what other models make of the same objects.
fn places(places: &[Followed]) -> Markup {
    let several: Vec<&Followed> = places.iter().filter(|it| it.max_objects > 1).collect();
    html! {
        @if !several.is_empty() {
            h3 { "Resolutions by place" }
            p.hint {
                "Where a pointer could lead to several objects: what this run made of it, and what another " code { "--memory-model" }
                " would have made of the same objects. " code { "forking" } " makes a path of each; " code { "merging" }
                " stays on one path, with an expression over all of them; " code { "dynamic" } ", and " code { "segmented" }
                " where they are of one group, put them into one segment; " code { "flat" } " asks about all of memory; " code { "single" }
                " follows one and drops the others; " code { "auto" } " takes what it estimates to be cheaper."
            }
            div.scroll { table.sortable {
                thead { tr {
                    (column("Place", false)) (column("Resolutions", true)) (column("Objects each", true)) (column("Most objects", true)) (column("Most bytes", true))
                    (column("Paths each", true)) (column("Most paths", true)) (column("Joins", true))
                    (column("forking: more paths", true)) (column("merging: objects in one expression", true))
                    (column("dynamic: bytes in one segment", true)) (column("single: dropped", true)) (column("auto", false))
                } }
                tbody { @for it in &several {
                    @let more = it.objects.saturating_sub(it.count);
                    tr {
                        td { (place(&at(&it.file, it.line), Some(&it.function))) @if !it.file.is_empty() { br; span.hint { (it.function) } } }
                        (number(it.count)) (each(it.objects, it.count)) (number(it.max_objects)) (number(it.max_bytes))
                        (each(it.ways, it.count)) (number(it.max_ways)) (number(it.joins))
                        (number(more)) (number(it.max_objects)) (number(it.max_bytes)) (number(more)) td { (auto(it)) }
                    }
                } }
            } }
        }
    }
}

/// What the model `auto` estimates at a place, met for the first time.
fn auto(it: &Followed) -> &'static str {
    let facts = policy::Facts {
        alternatives: it.max_objects,
        bytes: it.max_bytes,
        factor: 1,
    };
    policy::cheaper(&facts).name()
}

/// How many of one there are for each of another.
fn each(all: u64, of: u64) -> Markup {
    let each = all as f64 / of.max(1) as f64;
    html! { td.number data-order=(each) { (format!("{each:.2}")) } }
}

/// Splits that pointers made, as the tree of decisions has them.
fn branching(run: &Run) -> Markup {
    let splits = run.decisions.iter().flat_map(|tree| &tree.places);
    let mut splits: Vec<_> = splits.filter(|it| it.kind == "resolution").collect();
    splits.sort_by_key(|it| u64::MAX - it.splits);
    html! {
        @if !splits.is_empty() {
            h3 { "Branching at pointers" }
            p.hint { "Splits that a pointer made, faults included." }
            div.scroll { table.sortable {
                thead { tr { (column("Place", false)) (column("Splits", true)) (column("Sides each", true)) (column("Most sides", true)) (column("Further paths, at least", true)) } }
                tbody { @for it in &splits {
                    tr {
                        td { (place(&it.place, Some(&it.function))) @if !it.text.is_empty() { br; code.text { (it.text) } } }
                        (number(it.splits)) (each(it.sides, it.splits))
                        (number(it.most_sides)) (number(it.sides.saturating_sub(2 * it.splits)))
                    }
                } }
            } }
        }
    }
}

/// A term and its figure.
pub fn fact(name: &str, value: String) -> Markup {
    html! { div { dt { (name) } dd { (value) } } }
}
