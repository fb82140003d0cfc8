//! Where the work was: functions by instructions, questions and forks.

use super::overview::bar;
use super::sources::{column, filter, number, time};
use super::{numbers, path};
use crate::model::{Run, Share};
use maud::{Markup, html};

/// Functions that are listed.
const MOST: usize = 500;

/// The functions, those that executed most first.
pub fn section(run: &Run) -> Option<Markup> {
    if run.functions.is_empty() {
        return None;
    }
    let mut functions: Vec<_> = run.functions.iter().collect();
    functions.sort_by_key(|it| u64::MAX - it.cost.executed);
    let left_out = functions.len().saturating_sub(MOST);
    // Those that ask the solver are there, however few instructions they have.
    let mut shown: Vec<_> = functions.iter().take(MOST).collect();
    shown.extend(
        functions
            .iter()
            .skip(MOST)
            .filter(|it| it.cost.asked + it.cost.forks + it.cost.solving_us > 0),
    );
    let all: u64 = run.functions.iter().map(|it| it.cost.executed).sum();
    Some(html! {
        h2 { "Functions" }
        p.hint { "What each function has cost by itself, without what it calls, over all paths; libraries included." }
        (filter("Filter functions"))
        div.scroll {
            table.sortable {
                thead { tr {
                    (column("Function", false)) (column("Instructions", true))
                    (column("Solver", true)) (column("Questions", true)) (column("Forks", true)) (column("File", false))
                } }
                tbody {
                    @for function in &shown {
                        @let part = Share { part: function.cost.executed, all };
                        tr {
                            th scope="row" { code { (function.name) } }
                            td.number data-order=(function.cost.executed) {
                                (numbers::count(function.cost.executed)) " " span.hint { (numbers::percent(part)) } (bar(part))
                            }
                            (time(function.cost.solving_us)) (number(function.cost.asked)) (number(function.cost.forks))
                            td { (path(&function.file)) }
                        }
                    }
                }
            }
        }
        @if left_out > 0 {
            p.hint { (numbers::count(left_out as u64)) " more functions have executed less; " code { "run.istats" } " has all of them (KCachegrind shows it)." }
        }
    })
}
