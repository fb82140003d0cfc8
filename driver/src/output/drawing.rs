//! Drawings: a comparison as bars, in SVG that needs nothing beside it.

use super::comparison::{Comparison, Row};
use std::fmt::Write as _;

/// Width of a panel, and of the space that bars can take.
const PANEL: u32 = 230;
const BAR: f64 = 130.0;
/// Height of a bar and of a line of text.
const LINE: u32 = 26;

/// Colour of each run.
const COLOURS: [&str; 3] = ["#b65c4b", "#4b7bb6", "#5a9e6f"];

/// What a panel shows: its title, the number of a run, and that number as text. A run without
/// the number has no bar.
type Panel = (&'static str, fn(&Row) -> Option<f64>, fn(f64) -> String);

const PANELS: [Panel; 5] = [
    (
        "largest segment, bytes",
        |row| (row.segments.as_ref()).map(|_| row.summary.memory.max_segment_bytes as f64),
        |value| format!("{value:.0}"),
    ),
    (
        "paths",
        |row| Some(row.summary.paths.total() as f64),
        |value| format!("{value:.0}"),
    ),
    (
        "forks by resolution",
        |row| Some(row.summary.forks.resolution as f64),
        |value| format!("{value:.0}"),
    ),
    (
        "queries",
        |row| Some(row.summary.solver.queries as f64),
        |value| format!("{value:.0}"),
    ),
    (
        "time, s",
        |row| Some(row.summary.wall_s),
        |value| format!("{value:.2}"),
    ),
];

/// The bars of a comparison.
pub fn comparison(comparison: &Comparison) -> String {
    let rows = &comparison.runs;
    let (width, height) = (
        PANEL * PANELS.len() as u32 + 90,
        LINE * (rows.len() as u32 + 3) + 10,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let heading = format!(
        "{}: {} bytes of heap, points-to analysis {:.2} s",
        comparison.program, comparison.total_bytes, comparison.analysis_wall_s
    );
    text(&mut out, 10, LINE - 8, "bold", &heading);
    for (at, row) in rows.iter().enumerate() {
        text(&mut out, 10, top(at) + 16, "normal", &row.name);
    }
    for (number, (title, value, shown)) in PANELS.iter().enumerate() {
        let left = 80 + PANEL * number as u32;
        text(&mut out, left, 2 * LINE - 4, "bold", title);
        let greatest = rows.iter().filter_map(value).fold(0.0, f64::max);
        for (at, row) in rows.iter().enumerate() {
            let Some(value) = value(row) else {
                text(&mut out, left, top(at) + 16, "normal", "-");
                continue;
            };
            let length = match greatest > 0.0 {
                true => (value / greatest * BAR).max(1.0),
                false => 1.0,
            };
            let colour = COLOURS[at % COLOURS.len()];
            let _ = writeln!(
                out,
                "<rect x=\"{left}\" y=\"{}\" width=\"{length:.1}\" height=\"{}\" fill=\"{colour}\"/>",
                top(at) + 3,
                LINE - 8,
            );
            let limit = if row.summary.stop == "finished" {
                ""
            } else {
                "+"
            };
            let label = format!("{}{limit}", shown(value));
            let behind = left + length as u32 + 6;
            text(&mut out, behind, top(at) + 16, "normal", &label);
        }
    }
    if rows.iter().any(|row| row.summary.stop != "finished") {
        let note = "+: a limit ended the run";
        text(&mut out, 10, height - 10, "normal", note);
    }
    out.push_str("</svg>\n");
    out
}

/// Where the bars of a run begin.
fn top(row: usize) -> u32 {
    LINE * 2 + LINE * row as u32
}

fn text(out: &mut String, x: u32, y: u32, weight: &str, words: &str) {
    let words = words
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-weight=\"{weight}\">{words}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::comparison::Segments;

    #[test]
    fn bars_are_in_proportion() {
        let row = |name: &str, bytes, wall_s| {
            let mut row = Row {
                name: name.into(),
                segments: Some(Segments::default()),
                ..Row::default()
            };
            row.summary.memory.max_segment_bytes = bytes;
            row.summary.wall_s = wall_s;
            row.summary.stop = "finished".into();
            row
        };
        let drawn = comparison(&Comparison {
            program: "a<b".into(),
            runs: vec![row("static", 1000, 1.0), row("ideal", 250, 4.0)],
            ..Comparison::default()
        });
        assert!(drawn.contains("a&lt;b"));
        assert!(drawn.contains("width=\"130.0\"") && drawn.contains("width=\"32.5\""));
        assert_eq!(drawn.matches("<rect").count(), 1 + 2 * PANELS.len());
        assert!(drawn.ends_with("</svg>\n"));
    }
}
