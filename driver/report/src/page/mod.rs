//! The page: sections in HTML, charts in SVG, and data for what is drawn when it is looked at (the tree of
//! decisions, source files). Style and scripts stand in the page, nothing is loaded from elsewhere. Without a script, and on
//! paper, all but the tree and the sources is there.

mod charts;
mod comparison;
mod data;
mod decisions;
mod faults;
mod functions;
pub mod look;
pub mod numbers;
mod overview;
mod pointers;
mod segments;
mod sharing;
mod solver;
mod sources;

use crate::model::{Report, Run, State};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page.css");

/// The parts of the script, in their order. Each is a function that finds what it drives.
const SCRIPTS: [&str; 6] = [
    include_str!("script/controls.js"),
    include_str!("script/tables.js"),
    include_str!("script/charts.js"),
    include_str!("script/sources.js"),
    include_str!("script/tree.js"),
    include_str!("script/runs.js"),
];

/// What a page that is served while its run goes on has beside them.
const LIVE: &str = include_str!("script/live.js");

impl Report {
    /// The page, whole.
    pub fn to_html(&self) -> String {
        page(self, None).into_string()
    }

    /// The page for who serves it: while a run goes on, a script in it asks for the next one, by the tag of this.
    pub fn to_live_html(&self, tag: &str) -> String {
        let goes_on = self
            .runs
            .iter()
            .any(|run| run.about.state == State::Running);
        page(self, goes_on.then_some(tag)).into_string()
    }
}

fn page(report: &Report, live: Option<&str>) -> Markup {
    let title = match &report.runs[..] {
        [run] => format!("{} - plat", program(run)),
        runs => format!("{} runs - plat", runs.len()),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            (look::head(&title))
            body {
                (top(report, live))
                main {
                    @if report.runs.len() > 1 { (comparison::section(report)) }
                    @for (at, run) in report.runs.iter().enumerate() { (run_section(at, run)) }
                }
                footer {
                    "Made by plat " (env!("CARGO_PKG_VERSION"))
                    " from what the run has written. This page needs no network."
                }
                script type="application/json" id="data" { (PreEscaped(data::of(report))) }
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
                @if live.is_some() { script { (PreEscaped(LIVE)) } }
            }
        }
    }
}

/// The bar at the top: what this is, and whether it is light or dark.
fn top(report: &Report, live: Option<&str>) -> Markup {
    html! {
        header.top {
            a.brand href="#top" { "plat" span { " report" } }
            @if report.runs.len() > 1 {
                nav.tabs role="tablist" aria-label="Runs" {
                    button type="button" role="tab" data-run="all" aria-selected="true" { "Comparison" }
                    @for (at, run) in report.runs.iter().enumerate() {
                        button type="button" role="tab" data-run=(at) aria-selected="false" { (run.about.name) }
                    }
                }
            }
            @if let Some(tag) = live { span.live data-live=(tag) role="status" { "live" } }
            button.theme type="button" data-theme-switch aria-label="Light or dark" title="Light or dark" { "\u{25d0}" }
        }
        div id="top" {}
    }
}

fn run_section(at: usize, run: &Run) -> Markup {
    let parts: [(&str, String, Option<Markup>); 9] = [
        ("time", "Over time".into(), overview::over_time(run)),
        (
            "faults",
            format!("Faults {}", run.faults.len()),
            Some(faults::section(run)),
        ),
        ("sources", "Coverage".into(), sources::section(at, run)),
        ("functions", "Functions".into(), functions::section(run)),
        ("pointers", "Pointers".into(), pointers::section(run)),
        ("segments", "Segments".into(), segments::section(run)),
        ("solver", "Solver".into(), solver::section(run)),
        ("decisions", "Decisions".into(), decisions::section(at, run)),
        ("run", "The run".into(), Some(overview::details(run))),
    ];
    html! {
        article.run data-run=(at) {
            (overview::head(run))
            nav.sections aria-label="Sections" {
                @for (id, name, _) in parts.iter().filter(|part| part.2.is_some()) {
                    a href={ "#" (id) "-" (at) } { (name) }
                }
            }
            (overview::figures(run))
            (overview::notes(run))
            @for (id, _, part) in &parts {
                @if let Some(part) = part { section id={ (id) "-" (at) } { (part) } }
            }
        }
    }
}

/// The program's name without its directory.
fn program(run: &Run) -> &str {
    let name = run.about.program.as_str();
    name.rsplit('/').next().unwrap_or(name)
}

/// A path, whose directory is written small.
fn path(path: &str) -> Markup {
    let (directory, name) = path
        .rsplit_once('/')
        .map_or(("", path), |(directory, name)| (directory, name));
    html! {
        span.path title=(path) {
            @if !directory.is_empty() { span.directory { (shortened(directory)) "/" } }
            span.file { (name) }
        }
    }
}

/// The last two folders of a path.
fn shortened(directory: &str) -> String {
    let parts: Vec<&str> = directory
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    match parts.len() {
        0..=2 => directory.to_string(),
        len => format!("\u{2026}/{}", parts[len - 2..].join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{About, Fault, Place};

    #[test]
    fn what_a_program_says_is_text() {
        let evil = "</script><script>alert(1)</script>";
        let run = Run {
            about: About {
                name: evil.into(),
                program: evil.into(),
                command_line: vec![evil.into()],
                ..About::default()
            },
            faults: vec![Fault {
                message: evil.into(),
                output: evil.into(),
                place: Place {
                    file: evil.into(),
                    line: 3,
                    column: 1,
                },
                ..Fault::default()
            }],
            sources: vec![crate::model::Source {
                path: evil.into(),
                text: Some(evil.into()),
                ..Default::default()
            }],
            ..Run::default()
        };
        let runs = vec![run.clone(), run];
        let page = Report { runs }.to_html();
        assert!(!page.contains("<script>alert"), "{page}");
        assert_eq!(page.matches("</script>").count(), SCRIPTS.len() + 1);
    }

    #[test]
    fn a_run_without_anything_has_a_page() {
        let page = Report {
            runs: vec![Run::default()],
        }
        .to_html();
        assert!(page.contains("No faults"), "{page}");
    }
}
