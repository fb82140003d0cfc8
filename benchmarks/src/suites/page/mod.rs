//! The page of a suite's results: its figures, our numbers and the paper's with their ratio, and the command that
//! repeats each row. One file of HTML that needs no network; the figures as SVG and the numbers as CSV stand
//! beside it.

mod charts;
mod draw;
mod numbers;

use super::best::standing;
use super::file::Unit;
use super::outcome::{Outcome, read, theirs, written};
use crate::say::sayln;
use charts::{Figure, figures};
use clap::Args;
use draw::Panel;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use plat_report::look::{self, SCRIPTS, colors};
use std::path::{Path, PathBuf};

/// What pages are made of.
#[derive(Args)]
pub struct Page {
    /// Directories of results, as `plat-bench run` has made them
    #[arg(required = true, value_name = "DIR")]
    pub directories: Vec<PathBuf>,
}

/// Makes a page in each directory.
///
/// # Errors
/// When a directory has no results, or a file cannot be written.
pub fn page(what: &Page) -> Result<(), String> {
    for directory in &what.directories {
        sayln!("{}", make(directory)?.display());
    }
    Ok(())
}

/// Makes the page of a directory, its figures and its numbers; the page.
fn make(directory: &Path) -> Result<PathBuf, String> {
    let outcome = read(directory)?;
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(|why| format!("{}: {why}", path.display()))?;
        Ok::<_, String>(path)
    };
    let figures = figures(&outcome);
    for (at, figure) in figures.iter().enumerate() {
        for (number, panel) in figure.panels.iter().enumerate() {
            let title = match panel.name.is_empty() {
                true => figure.title.clone(),
                false => format!("{}: {}", figure.title, panel.name),
            };
            write(
                &format!("figure-{}-{}.svg", at + 1, number + 1),
                &alone(&panel.svg(Some(&title))?),
            )?;
        }
    }
    write("results.csv", &numbers::csv(&outcome)?)?;
    write("page.html", &whole(&outcome, &figures)?.into_string())
}

/// A drawing as a file of its own: the marks have colours in it.
fn alone(svg: &str) -> String {
    match svg.split_once('>') {
        Some((head, rest)) => format!("{head}>\n<style>\n{}</style>{rest}", colors()),
        None => svg.to_owned(),
    }
}

/// A drawing as part of the page, as wide as there is room.
fn inside(svg: &str, title: &str) -> Markup {
    let (head, rest) = svg.split_once('>').unwrap_or(("<svg", ""));
    let of = head
        .split("viewBox=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let drawing = format!("<svg viewBox=\"{}\" role=\"img\"", of.unwrap_or("0 0 1 1"));
    html! { (PreEscaped(drawing)) " aria-label=" (PreEscaped("\"")) (title) (PreEscaped("\">")) (PreEscaped(rest.to_owned())) }
}

fn whole(outcome: &Outcome, figures: &[Figure]) -> Result<Markup, String> {
    let mut drawn = Vec::new();
    for figure in figures {
        let panels: Result<Vec<Markup>, String> = figure
            .panels
            .iter()
            .map(|panel| {
                let svg = panel.svg(None)?;
                Ok(html! {
                    figure.chart {
                        @if !panel.name.is_empty() { figcaption { span.title { (panel.name) } } }
                        (inside(&svg, &format!("{} {}", figure.title, panel.name)))
                    }
                })
            })
            .collect();
        drawn.push((figure, panels?));
    }
    Ok(html! {
        (DOCTYPE)
        html lang="en" {
            (look::head(&format!("{}: {} - plat", outcome.suite.repeats.item, outcome.suite.title)))
            body {
                header.top {
                    a.brand href="#top" { "plat" span { " suites" } }
                    button.theme type="button" data-theme-switch aria-label="Light or dark" title="Light or dark" { "\u{25d0}" }
                }
                div id="top" {}
                main {
                    (head(outcome))
                    (over_all(outcome))
                    (near_the_best(outcome))
                    @for (figure, panels) in drawn { section {
                        h2 { (figure.title) }
                        div.charts { @for panel in panels { (panel) } }
                        p.hint {
                            @if figure.panels.iter().any(Panel::has_published) { "Pale bars and crosses are the paper's. " }
                            "Hollow points and paler bars are of runs that came to their limit."
                        }
                    } }
                    section { (numbers::table(outcome)) }
                    section { (commands(outcome)) }
                }
                footer { "Made by plat-bench from results.jsonl beside this page. It needs no network." }
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    })
}

/// What was measured, on what.
fn head(outcome: &Outcome) -> Markup {
    let suite = &outcome.suite;
    let run = outcome.measured();
    let all = outcome.rows.len();
    html! {
        header.run-head {
            h1 { (suite.title) }
            p.badges {
                span.badge { (suite.repeats.item) }
                span class={ "badge " (if run == all { "good" } else { "warn" }) } { (run) " of " (all) " rows" }
                span.badge { (written(Unit::Seconds, outcome.limit)) " a run" }
            }
            p { (suite.repeats.paper) @if !suite.repeats.machine.is_empty() { span.hint { " \u{2013} there: " (suite.repeats.machine) } } }
            @for paragraph in suite.about.split("\n\n").filter(|text| !text.trim().is_empty()) { p { (marked(paragraph)) } }
            @for machine in &outcome.machines { p.hint { "Here: " (machine.shown()) } }
        }
        @let wrong: Vec<_> = outcome.rows.iter().filter_map(|done| Some((&done.row.id, done.error()?))).collect();
        @if !wrong.is_empty() { div.notes { ul { @for (row, error) in wrong { li { b { (row) } ": " (error) } } } } }
    }
}

/// A text in which what stands between ` is code.
fn marked(text: &str) -> Markup {
    html! { @for (at, part) in text.split('`').enumerate() {
        @if at % 2 == 1 { code { (part) } } @else { (part) }
    } }
}

/// The numbers over all rows.
fn over_all(outcome: &Outcome) -> Markup {
    html! { div.figures { @for one in &outcome.suite.aggregates {
        @if let Some(number) = outcome.aggregate(one) {
            div.figure {
                div.name { (one.name) }
                div.number { (written(one.unit, number)) }
                div.more { @if let Some(published) = one.published { "the paper: " (theirs(one.unit, published)) } }
            }
        }
    } } }
}

/// The rows that are not near the best of their rivals.
fn near_the_best(outcome: &Outcome) -> Markup {
    let standings = outcome
        .suite
        .best
        .iter()
        .map(|best| (best, standing(outcome, best)));
    let standings: Vec<_> = standings.filter(|(_, it)| it.judged > 0).collect();
    html! { @if !standings.is_empty() { section {
        h2 { "Beside the best of each row" }
        ul { @for (best, standing) in &standings { li {
            (best.name) ": " (standing.shown())
            @if !standing.lost.is_empty() { ul {
                @for loss in &standing.lost { li { (loss.shown(outcome.unit(&best.column))) } }
            } }
        } } }
    } } }
}

/// How to repeat each row.
fn commands(outcome: &Outcome) -> Markup {
    html! {
        h2 { "Repeat a row" }
        p { code { "plat-bench run " (outcome.suite.name) " --limit " (outcome.limit) " --only ROW --again" } ", or by plat alone:" }
        details { summary { "Commands of all rows" }
            ul.commands { @for done in &outcome.rows { @if let Some(command) = done.command() { li {
                span { (done.row.id) }
                code { (command) }
                button.copy type="button" data-copy=(command) { "Copy" }
            } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::outcome::tests::outcome;

    #[test]
    fn a_page_has_our_numbers_and_the_papers() {
        let outcome = outcome();
        let figures = figures(&outcome);
        assert_eq!(figures.len(), 4);
        assert_eq!(figures[3].panels.len(), 2);
        let page = whole(&outcome, &figures).unwrap().into_string();
        assert!(page.contains("A title &lt;b&gt;") && !page.contains("title <b>"));
        for text in [
            "4 of 6 rows",
            "&gt; 20\u{202f}s",
            "&gt; 5.00",
            "plat explore p.bc",
            "the paper: 10\u{202f}s",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert_eq!(
            page.matches("<svg").count(),
            page.matches("role=\"img\"").count()
        );
        assert!(
            !page.contains("http://")
                || page.matches("http://").count() == page.matches("http://www.w3.org").count()
        );
        let file = alone(&figures[0].panels[0].svg(Some("x")).unwrap());
        assert!(file.contains("xmlns=\"http://www.w3.org/2000/svg\"") && file.contains("#2f5bd8"));
    }

    #[test]
    fn a_suite_without_results_has_a_page() {
        let outcome = Outcome::of(outcome().suite, vec![]);
        let page = whole(&outcome, &figures(&outcome)).unwrap().into_string();
        assert!(
            page.contains("0 of 6 rows") && !page.contains("<svg"),
            "{page}"
        );
    }

    #[test]
    fn a_directory_gets_a_page_figures_and_numbers() {
        let folder = tempfile::tempdir().unwrap();
        assert!(make(folder.path()).unwrap_err().contains("no results"));
    }
}
