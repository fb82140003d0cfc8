//! The head of a run: what it is, its main figures, how it went.

use super::charts::{Chart, Line};
use super::{numbers, path, program};
use crate::model::{Run, Severity, Share, State};
use maud::{Markup, html};
use plat::output::samples::Sample;

/// The name, and how it ended.
pub fn head(run: &Run) -> Markup {
    let about = &run.about;
    let (class, text) = match &about.state {
        State::Ended(why) if why == "finished" => ("good", "all paths explored".to_string()),
        State::Ended(why) => ("warn", format!("ended by: {why}")),
        State::Running => ("busy", "going on".to_string()),
        State::Cut => ("warn", "killed, or not known to go on".to_string()),
    };
    html! {
        header.run-head {
            h1 { (program(run)) }
            p.badges {
                span class={ "badge " (class) } { (text) }
                @if let Some(summary) = &run.summary {
                    span.badge { (summary.memory_model) " memory" }
                    span.badge { (summary.search.replace('+', " + ")) }
                    @if summary.workers.processes > 1 {
                        span.badge { (summary.workers.processes) " processes" }
                    }
                }
                @if !about.started.is_empty() { span.badge.plain { (about.started) " UTC" } }
            }
            @if !about.command_line.is_empty() {
                p.command { code { (about.command_line.join(" ")) } }
            }
        }
    }
}

struct Figure {
    name: &'static str,
    value: String,
    more: String,
    class: &'static str,
    share: Option<Share>,
}

fn figure(name: &'static str, value: String, more: String) -> Figure {
    Figure {
        name,
        value,
        more,
        class: "",
        share: None,
    }
}

/// The main figures.
pub fn figures(run: &Run) -> Markup {
    let totals = &run.totals;
    let own = run.faults.iter();
    let own = own
        .filter(|fault| fault.severity == Severity::Error)
        .count();
    let rate = match totals.seconds {
        it if it > 0.0 => format!("{} a second", numbers::brief(totals.paths as f64 / it)),
        _ => String::new(),
    };
    let of_time = match totals.seconds {
        it if it > 0.0 => format!(
            "{:.0}\u{202f}% of the time",
            100.0 * totals.solver_seconds / it
        ),
        _ => String::new(),
    };
    let of = |share: Share| match share.all {
        0 => "not recorded".to_string(),
        all => format!("{} of {}", numbers::count(share.part), numbers::count(all)),
    };
    let all = [
        Figure {
            class: if own > 0 { "bad" } else { "good" },
            ..figure(
                "Faults",
                numbers::count(own as u64),
                match totals.fault_paths {
                    0 => "on the paths explored".to_string(),
                    paths => format!("{} paths end in one", numbers::count(paths)),
                },
            )
        },
        figure("Paths", numbers::count(totals.paths), rate),
        figure(
            "Tests",
            numbers::count(totals.tests),
            format!(
                "{} of new code",
                numbers::count(run.tests.iter().filter(|it| it.covered_new).count() as u64)
            ),
        ),
        Figure {
            share: Some(totals.branches),
            ..figure(
                "Branch coverage",
                numbers::percent(totals.branches),
                of(totals.branches),
            )
        },
        Figure {
            share: Some(totals.lines),
            ..figure(
                "Line coverage",
                numbers::percent(totals.lines),
                of(totals.lines),
            )
        },
        figure("Time", numbers::seconds(totals.seconds), String::new()),
        figure("Solver", numbers::seconds(totals.solver_seconds), of_time),
        figure(
            "Queries",
            numbers::brief(totals.queries as f64),
            String::new(),
        ),
        figure(
            "Instructions",
            numbers::brief(totals.instructions as f64),
            String::new(),
        ),
        figure(
            "Peak memory",
            numbers::bytes(totals.peak_bytes as f64),
            String::new(),
        ),
    ];
    html! {
        div.figures {
            @for figure in &all {
                div class={ "figure " (figure.class) } {
                    div.name { (figure.name) }
                    div.number { (figure.value) }
                    @if let Some(share) = figure.share { (bar(share)) }
                    div.more { (figure.more) }
                }
            }
        }
    }
}

/// A bar for a share.
pub fn bar(share: Share) -> Markup {
    let percent = share.percent().unwrap_or(0.0);
    html! {
        @if share.all > 0 {
            span.bar role="presentation" { span style={ "width:" (format!("{percent:.1}")) "%" } {} }
        }
    }
}

/// What could not be had.
pub fn notes(run: &Run) -> Markup {
    html! {
        @if !run.notes.is_empty() {
            aside.notes { ul { @for note in &run.notes { li { (note) } } } }
        }
    }
}

/// What a chart shows.
pub struct Shown {
    /// Its title.
    pub title: &'static str,
    /// How its numbers are written.
    pub unit: fn(f64) -> String,
    /// What of a sample.
    pub get: fn(&Sample) -> f64,
    /// The most there can be.
    pub most: Option<f64>,
}

const fn shown(title: &'static str, unit: fn(f64) -> String, get: fn(&Sample) -> f64) -> Shown {
    Shown {
        title,
        unit,
        get,
        most: None,
    }
}

/// The charts.
pub const CHARTS: [Shown; 6] = [
    shown("Paths ended", numbers::brief, |it| it.ended as f64),
    shown("Live paths", numbers::brief, |it| it.states as f64),
    Shown {
        most: Some(100.0),
        ..shown("Branch coverage", in_percent, |it| part(it.branches))
    },
    shown("Memory", in_mebibytes, |it| {
        it.resident as f64 / f64::from(1 << 20)
    }),
    shown("Solver queries", numbers::brief, |it| it.queries as f64),
    shown("Solver time", numbers::seconds, |it| it.solver_seconds),
];

fn in_percent(number: f64) -> String {
    format!("{}\u{202f}%", numbers::brief(number))
}

fn in_mebibytes(number: f64) -> String {
    format!("{number:.0}\u{202f}MiB")
}

fn part(of: (u64, u64)) -> f64 {
    let share = Share {
        part: of.1,
        all: of.0,
    };
    share.percent().unwrap_or(0.0)
}

/// The line of a run in a chart.
pub fn line(run: &Run, get: fn(&Sample) -> f64, name: &str, color: usize) -> Line {
    let points = run.samples.iter().map(|it| (it.seconds, get(it)));
    Line {
        name: name.to_string(),
        color,
        points: points.collect(),
    }
}

/// How the run went.
pub fn over_time(run: &Run) -> Option<Markup> {
    if run.samples.is_empty() {
        return None;
    }
    let few = run.samples.len() < 3;
    Some(html! {
        h2 { "Over time" }
        @if few {
            p.hint {
                "The run was over after " (run.samples.len()) " samples; a sample is taken each second ("
                code { "--stats-write-interval" } " takes more)."
            }
        }
        div.charts {
            @for Shown { title, unit, get, most } in CHARTS {
                (Chart { title, unit, most, lines: vec![line(run, get, "", 0)] }.figure())
            }
        }
    })
}

/// What the run was asked for, and all of its figures.
pub fn details(run: &Run) -> Markup {
    let about = &run.about;
    let rows = run
        .summary
        .as_ref()
        .map(super::data::flat)
        .unwrap_or_default();
    html! {
        h2 { "The run" }
        dl.about {
            dt { "Directory" } dd { code { (about.directory.display()) } }
            @if !about.working_directory.is_empty() {
                dt { "Started in" } dd { code { (about.working_directory) } }
            }
            @if !about.command_line.is_empty() {
                dt { "Command line" } dd { code { (about.command_line.join(" ")) } }
            }
            dt { "Program" } dd { (path(&about.program)) }
        }
        @if !rows.is_empty() {
            details {
                summary { "All figures of summary.json" }
                div.scroll {
                    table.keys {
                        tbody { @for (key, value) in rows { tr { th scope="row" { code { (key) } } td { (value) } } } }
                    }
                }
            }
        }
    }
}
