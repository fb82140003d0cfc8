//! The tree of decisions, which a script draws from the data of the page, and the places of most splits.

use super::faults::place;
use super::numbers;
use super::sources::{column, number};
use crate::model::Run;
use maud::{Markup, html};

/// Places that are listed.
const MOST: usize = 50;

/// The tree, with what it is searched by, and the places.
pub fn section(at: usize, run: &Run) -> Option<Markup> {
    let tree = run.decisions.as_ref()?;
    let mut places: Vec<_> = tree.places.iter().collect();
    places.sort_by_key(|it| u64::MAX - it.splits);
    Some(html! {
        h2 { "Decisions" }
        p.hint {
            (numbers::count(tree.paths)) " paths, split at " (numbers::count(tree.places.len() as u64))
            " places, at most " (numbers::count(tree.depth.into())) " decisions deep."
            @if tree.folded > 0 {
                " Parts of " (numbers::count(tree.folded)) " paths or fewer are counted only, so that the page stays small; "
                code { "plat trie show" } " prints all."
            }
        }
        div.tree data-tree=(at) {
            div.tools {
                input type="search" placeholder="function, file:line, text, fault, test 17" aria-label="Search decisions" data-search;
                span.found aria-live="polite" {}
                button type="button" data-find="-1" aria-label="Previous match" { "\u{2191}" }
                button type="button" data-find="1" aria-label="Next match" { "\u{2193}" }
                button type="button" data-show="fault" { "Faults" }
                button type="button" data-show="open" { "Open paths" }
                button type="button" data-fold { "Fold all" }
            }
            canvas.icicle height="160" aria-label="The tree from above: width is paths, colour is how they end" role="img" {}
            div.rows tabindex="0" role="tree" aria-label="Tree of decisions" { div.space { div.window {} } }
            noscript { p { "The tree is drawn by a script; " code { "plat trie show" } " prints it." } }
        }
        h3 { "Where paths were split most" }
        div.scroll { table.sortable {
            thead { tr { (column("Place", false)) (column("Why", false)) (column("Function", false)) (column("Splits", true)) (column("Sides each", true)) } }
            tbody { @for it in places.iter().take(MOST) {
                tr {
                    td { (place(&it.place, Some("no line"))) @if !it.text.is_empty() { br; code.text { (it.text) } } }
                    td { (it.kind) } td { code { (it.function) } }
                    (number(it.splits))
                    td.number data-order=(it.sides as f64 / it.splits.max(1) as f64) { (format!("{:.2}", it.sides as f64 / it.splits.max(1) as f64)) }
                }
            } }
        } }
    })
}
