//! The segment map: which allocations may share a segment by the analysis, and which do by the run.

use super::faults::place;
use super::numbers;
use super::overview::bar;
use super::pointers::fact;
use super::sharing;
use super::sources::{column, filter};
use crate::model::{Group, Run, Segments, Share};
use maud::{Markup, html};

/// Groups that are listed.
const GROUPS: usize = 200;

/// Contexts of a group that are listed.
const CONTEXTS: usize = 100;

/// What is known of before the run, and what the run has made.
pub fn section(run: &Run) -> Option<Markup> {
    let known = run.segments.is_some() || run.summary.is_some();
    known.then(|| {
        html! {
            h2 { "Segments" }
            @if let Some(map) = &run.segments { (before(map)) }
            @if let Some(summary) = &run.summary { (sharing::section(summary)) }
        }
    })
}

/// The groups, the largest first.
fn before(map: &Segments) -> Markup {
    let why = match map.unify.as_str() {
        "symbolic" => "input can choose between them",
        "dereferenced" => "a pointer that is followed may lead to them",
        _ => "a pointer may lead to them",
    };
    let grouped = map.contexts.saturating_sub(map.alone.len() as u64);
    let largest = map.groups.first().map_or(0, |group| group.contexts.len());
    html! {
        h3 { "What the analysis has put into groups" }
        p.hint {
            "Before the run, the analysis has put allocations into a group where " (why) ". Objects of a group share a segment, in which a symbolic pointer is followed on one path."
        }
        dl.facts {
            (fact("Allocation contexts", numbers::count(map.contexts)))
            (fact("Groups", numbers::count(map.groups.len() as u64)))
            (fact("Contexts in groups", numbers::count(grouped)))
            (fact("Largest group", numbers::count(largest as u64)))
        }
        @if !map.groups.is_empty() {
            (filter("Filter groups"))
            div.scroll { table.sortable {
                thead { tr { (column("Group", false)) (column("Contexts", true)) (column("Allocations", false)) (column("United by", false)) } }
                tbody { @for group in map.groups.iter().take(GROUPS) { (row(group, map.contexts)) } }
            } }
        }
        @if map.groups.len() > GROUPS {
            p.hint { (numbers::count((map.groups.len() - GROUPS) as u64)) " smaller groups are not listed." }
        }
        @if !map.alone.is_empty() {
            details {
                summary { (numbers::count(map.alone.len() as u64)) " contexts that nothing can confuse with others" }
                (contexts(&map.alone))
            }
        }
        p.hint {
            "A context is the calls on the way to an allocation. " code { "plat segment --explain SITE1 SITE2" }
            " says how two of a group are connected."
        }
    }
}

fn row(group: &Group, all: u64) -> Markup {
    let count = group.contexts.len() as u64;
    html! {
        tr {
            th scope="row" { (group.number) }
            td.number data-order=(count) { (numbers::count(count)) (bar(Share { part: count, all })) }
            td {
                details open[count <= 3] { summary { (numbers::count(count)) @if count == 1 { " allocation" } @else { " allocations" } } (contexts(&group.contexts)) }
            }
            td {
                ul.plain { @for (function, at, size) in &group.unions {
                    li {
                        @if !at.file.is_empty() { (place(at, None)) " " }
                        span.hint { code { (if function.is_empty() { "a pointer in memory" } else { function }) } ", " (numbers::count(*size)) " of them" }
                    }
                } }
                @if group.unions.is_empty() { span.hint { "pointers in memory" } }
            }
        }
    }
}

fn contexts(all: &[String]) -> Markup {
    html! {
        ul.plain { @for context in all.iter().take(CONTEXTS) { li { code.text { (context) } } } }
        @if all.len() > CONTEXTS { p.hint { "and " (numbers::count((all.len() - CONTEXTS) as u64)) " more" } }
    }
}
