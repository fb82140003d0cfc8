//! What is covered, by file and by function. The text of a file is drawn when it is opened.

use super::overview::bar;
use super::{numbers, path};
use crate::model::{Run, Share};
use maud::{Markup, html};

/// Files, functions, and a place for the text of one.
pub fn section(at: usize, run: &Run) -> Option<Markup> {
    if run.sources.is_empty() {
        return None;
    }
    let functions = run.sources.iter().enumerate();
    let functions: Vec<_> = functions
        .flat_map(|(file, source)| source.functions.iter().map(move |it| (file, it)))
        .collect();
    // What of most is covered comes first.
    let mut files: Vec<_> = run.sources.iter().enumerate().collect();
    files.sort_by_key(|(_, source)| std::cmp::Reverse(source.line_share.part));
    let any_text = run.sources.iter().any(|source| source.text.is_some());
    Some(html! {
        h2 { "Coverage" }
        p.hint { "The program's own code, without libraries; branches are counted by their sides." }
        (filter("Filter files"))
        div.scroll {
            table.sortable {
                thead { tr {
                    (column("File", false)) (column("Lines", true)) (column("Branches", true)) (column("Questions", true)) (column("Forks", true))
                } }
                tbody {
                    @for &(file, source) in &files {
                        tr {
                            th scope="row" {
                                @if source.text.is_some() {
                                    button.link type="button" data-source=(file) data-run=(at) { (path(&source.path)) }
                                } @else { (path(&source.path)) }
                            }
                            (share(source.line_share)) (share(source.branch_share))
                            (number(source.lines.iter().map(|it| it.asked).sum()))
                            (number(source.lines.iter().map(|it| it.forks).sum()))
                        }
                    }
                }
            }
        }
        @if any_text {
            div.viewer data-viewer=(at) hidden {
                div.bar-top {
                    span.name {}
                    button type="button" data-next-uncovered { "Next uncovered" }
                    button type="button" data-close { "Close" }
                }
                div.scroll { pre.source tabindex="0" {} }
            }
        }
        @if !functions.is_empty() {
            details open[functions.len() <= 12] {
                summary { (numbers::count(functions.len() as u64)) @if functions.len() == 1 { " function" } @else { " functions" } }
                (filter("Filter functions"))
                div.scroll {
                    table.sortable {
                        thead { tr { (column("Function", false)) (column("Calls", true)) (column("Lines", true)) (column("Branches", true)) } }
                        tbody {
                            @for (file, function) in &functions {
                                tr {
                                    th scope="row" {
                                        @if run.sources[*file].text.is_some() {
                                            button.link type="button" data-source=(file) data-run=(at) data-line=(function.line) { code { (function.name) } }
                                        } @else { code { (function.name) } }
                                    }
                                    (number(function.calls)) (share(function.lines)) (share(function.branches))
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// A field that shows only the rows of the next table that have a text.
pub fn filter(label: &str) -> Markup {
    html! { input.filter type="search" placeholder=(label) aria-label=(label) data-filter; }
}

/// The head of a column, by which rows can be sorted.
pub fn column(name: &str, is_number: bool) -> Markup {
    html! { th scope="col" class=(if is_number { "number" } else { "" }) { button type="button" data-sort { (name) } } }
}

/// A share, with a bar.
pub fn share(share: Share) -> Markup {
    let order = share.percent().unwrap_or(-1.0);
    html! {
        td.number data-order=(format!("{order:.3}")) {
            (numbers::percent(share)) @if share.all > 0 { " " span.hint { (share.part) "/" (share.all) } (bar(share)) }
        }
    }
}

/// Microseconds.
pub fn time(us: u64) -> Markup {
    html! { td.number data-order=(us) { @if us > 0 { (numbers::seconds(us as f64 / 1e6)) } @else { "\u{2013}" } } }
}

/// A count.
pub fn number(count: u64) -> Markup {
    html! { td.number data-order=(count) { (numbers::count(count)) } }
}
