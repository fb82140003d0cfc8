//! The segment map that a run has drawn itself: which allocations came into one segment, where and why, and
//! which were followed on paths of their own.

use super::faults::place;
use super::numbers;
use super::sources::{column, filter, number};
use crate::model::Place;
use maud::{Markup, html};
use plat::output::sharing::{Allocation, Apart, Join, Together};
use plat::output::summary::Summary;

/// Rows that a table has.
const ROWS: usize = 200;

/// Allocations of a row that are listed.
const LISTED: usize = 100;

/// What the run has joined, and what it has followed apart.
pub fn section(summary: &Summary) -> Markup {
    let (together, apart) = (&summary.memory.together, &summary.resolution.apart);
    html! {
        h3 { "What the run has put together" }
        @if together.is_empty() { p.hint { (nothing(summary)) } } @else {
            p.hint {
                "Allocations whose objects came into one segment, as a pointer could lead to several of them; over all paths, and also where that was by way of others."
            }
            (filter("Filter segments"))
            div.scroll { table.sortable {
                thead { tr { (column("Segment", true)) (column("Most bytes", true)) (column("Allocations", false)) (column("Put together by", false)) } }
                tbody { @for (at, one) in together.iter().take(ROWS).enumerate() { (joined(at, one, summary)) } }
            } }
            (further(together.len(), "segments"))
        }
        @if !apart.is_empty() {
            h3 { "What was followed on paths of its own" }
            p.hint { "Allocations that a pointer could lead to, with a path for each object, segment or piece." }
            div.scroll { table.sortable {
                thead { tr { (column("Place", false)) (column("Why", false)) (column("Times", true)) (column("Most paths", true)) (column("Allocations", false)) } }
                tbody { @for one in apart.iter().take(ROWS) { (followed(one, summary)) } }
            } }
            (further(apart.len(), "places"))
        }
        @if summary.resolution.unlisted > 0 {
            p.hint { (numbers::count(summary.resolution.unlisted)) " further joins and forks are not listed, as there are too many different ones." }
        }
    }
}

/// Why nothing came together.
fn nothing(summary: &Summary) -> &'static str {
    match summary.memory_model.as_str() {
        "flat" => "All objects are in one segment from the start: so the model flat has it.",
        "forking" => {
            "Each object has a segment of its own: the model forking puts nothing together."
        }
        "merging" => {
            "Each object has a segment of its own: the model merging reads all of them where a pointer may lead to several."
        }
        "single" => {
            "Each object has a segment of its own: the model single follows one and drops the others."
        }
        _ => "No objects were put together by a pointer that could lead to several of them.",
    }
}

fn further(all: usize, what: &str) -> Markup {
    html! {
        @if all > ROWS { p.hint { (numbers::count((all - ROWS) as u64)) " further " (what) " are not listed; " code { "summary.json" } " has all." } }
    }
}

fn joined(at: usize, one: &Together, summary: &Summary) -> Markup {
    html! {
        tr {
            (number(at as u64 + 1))
            (number(one.max_bytes))
            td.reason { (allocations(&one.allocations)) }
            td.reason { ul.plain { @for join in &one.joins {
                li {
                    (place(&here(&join.file, join.line), Some(&join.function)))
                    " " span.hint {
                        @if !join.file.is_empty() { code { (join.function) } ", " }
                        (numbers::count(join.count)) " times, up to " (numbers::count(join.max_objects)) " objects: " (why(join, summary))
                    }
                }
            } } }
        }
    }
}

/// Why a pointer put objects together there.
fn why<'a>(join: &Join, summary: &'a Summary) -> &'a str {
    let choices = summary.resolution.choices.iter();
    let mut merges = choices
        .filter(|it| it.choice == "merge" && it.file == join.file && it.line == join.line)
        .map(|it| it.reason.as_str());
    merges
        .next()
        .unwrap_or("the pointer may lead to each of them")
}

fn followed(one: &Apart, summary: &Summary) -> Markup {
    let choices = summary.resolution.choices.iter();
    let mut choices =
        choices.filter(|it| it.choice != "merge" && it.file == one.file && it.line == one.line);
    html! {
        tr {
            td { (place(&here(&one.file, one.line), Some(&one.function))) @if !one.file.is_empty() { br; span.hint { (one.function) } } }
            td.reason { (one.reason) @if let Some(choice) = choices.next() { ": " (choice.reason) } }
            (number(one.count)) (number(one.max_ways))
            td.reason { (allocations(&one.allocations)) }
        }
    }
}

fn allocations(all: &[Allocation]) -> Markup {
    let count = all.len();
    html! {
        details open[count <= 3] {
            summary { (numbers::count(count as u64)) @if count == 1 { " allocation" } @else { " allocations" } }
            ul.plain { @for one in all.iter().take(LISTED) {
                li {
                    (kind(&one.kind)) " "
                    @if !one.file.is_empty() { (place(&here(&one.file, one.line), None)) " " }
                    span.hint { "of " (sizes(one)) }
                    br; code.text { (one.name) }
                }
            } }
            @if count > LISTED { p.hint { "and " (numbers::count((count - LISTED) as u64)) " more" } }
        }
    }
}

fn kind(kind: &str) -> &str {
    match kind {
        "heap" => "heap",
        "stack" => "variable on the stack",
        "argument" => "argument of a function",
        "global" => "global variable",
        "function" => "function",
        _ => "before the start",
    }
}

fn sizes(one: &Allocation) -> String {
    match (one.min_bytes, one.max_bytes) {
        (1, 1) => "1 byte".to_string(),
        (least, most) if least == most => format!("{} bytes", numbers::count(most)),
        (least, most) => format!(
            "{} to {} bytes",
            numbers::count(least),
            numbers::count(most)
        ),
    }
}

fn here(file: &str, line: u32) -> Place {
    Place {
        file: file.to_string(),
        line,
        column: 0,
    }
}
