//! Static beside ideal segments, as text (Table 1 of the segmented-memory paper, and what the
//! runs cost) and as JSON.

use super::summary::Summary;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The version of the keys below.
pub const VERSION: u32 = 1;

/// The whole comparison. Times are in seconds, sizes in bytes.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Comparison {
    /// [`VERSION`].
    pub version: u32,
    /// The program as given.
    pub program: String,
    /// The most bytes live on the heap of one path: the size of a flat segment.
    pub total_bytes: u64,
    /// Whose points-to sets the static segments unite: all, dereferenced, symbolic.
    pub unify: String,
    /// Time of the points-to analysis and the partition.
    pub analysis_wall_s: f64,
    /// Time of the runs that found the ideal segmentation.
    pub ideal_wall_s: f64,
    /// Number of these runs.
    pub ideal_runs: u32,
    /// Whether they saw all paths.
    pub ideal_complete: bool,
    /// The runs compared.
    pub runs: Vec<Row>,
}

/// One of the runs.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    /// Its name: forking, static (joined at allocation), on demand, ideal, dynamic, auto.
    pub name: String,
    /// The segmentation, if it has one.
    pub segments: Option<Segments>,
    /// What the run did. Resident memory is that of all runs so far.
    pub summary: Summary,
}

/// A segmentation in numbers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Segments {
    /// Groups of allocation contexts.
    pub groups: u32,
    /// Allocation contexts.
    pub contexts: usize,
    /// Allocation contexts that are in a group.
    pub grouped_contexts: usize,
    /// Allocation contexts in the largest group.
    pub largest_group: usize,
}

/// A line of the table: its label, and the cell of a run.
type Line = (&'static str, fn(&Row) -> String);

impl Comparison {
    /// As JSON.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// As a table: a column for each run.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}", self.program);
        let _ = writeln!(out, "total memory            {} bytes", self.total_bytes);
        let _ = writeln!(out, "points-to analysis      {:.2} s", self.analysis_wall_s);
        let _ = writeln!(
            out,
            "ideal segmentation      {:.2} s, {} {}{}",
            self.ideal_wall_s,
            self.ideal_runs,
            if self.ideal_runs == 1 { "run" } else { "runs" },
            match self.ideal_complete {
                true => "",
                false => ", within the limits only",
            }
        );
        out.push('\n');
        let lines: [Line; 11] = [
            ("", |row| row.name.clone()),
            ("largest segment, bytes", |row| {
                shared(row, row.summary.memory.max_segment_bytes)
            }),
            ("segments", |row| shared(row, row.summary.memory.segments)),
            ("groups", |row| segmented(row, |of| of.groups)),
            ("contexts in groups", |row| {
                segmented(row, |of| of.grouped_contexts)
            }),
            ("contexts in the largest", |row| {
                segmented(row, |of| of.largest_group)
            }),
            ("paths", |row| row.summary.paths.total().to_string()),
            ("forks by resolution", |row| {
                row.summary.forks.resolution.to_string()
            }),
            ("queries (back end)", |row| {
                let solver = &row.summary.solver;
                format!("{} ({})", solver.queries, solver.backend_queries)
            }),
            ("time", |row| format!("{:.2} s", row.summary.wall_s)),
            ("ended by", |row| row.summary.stop.clone()),
        ];
        for (label, cell) in lines {
            let cells = self.runs.iter().map(|row| format!("{:>16}", cell(row)));
            let cells: String = cells.collect();
            let _ = writeln!(out, "{}", format!("{label:<24}{cells}").trim_end());
        }
        out
    }
}

/// A number about shared segments, or a dash where there is none and no segmentation asked for one.
fn shared(row: &Row, number: u64) -> String {
    match row.segments.is_some() || row.name == "dynamic" || row.name == "auto" {
        true => number.to_string(),
        false => "-".to_string(),
    }
}

/// A number of a segmentation, or a dash where there is none.
fn segmented<T: ToString>(row: &Row, number: impl Fn(&Segments) -> T) -> String {
    match &row.segments {
        Some(segments) => number(segments).to_string(),
        None => "-".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_a_column_for_each_run_and_reads_back() {
        let mut ideal = Row {
            name: "ideal".into(),
            segments: Some(Segments {
                groups: 2,
                ..Segments::default()
            }),
            ..Row::default()
        };
        ideal.summary.memory.max_segment_bytes = 320;
        let comparison = Comparison {
            version: VERSION,
            program: "p.bc".into(),
            total_bytes: 4096,
            runs: vec![
                Row {
                    name: "forking".into(),
                    ..Row::default()
                },
                ideal,
            ],
            ..Comparison::default()
        };
        let text = comparison.to_text();
        assert!(
            text.contains("total memory            4096 bytes\n"),
            "{text}"
        );
        let line = "largest segment, bytes                 -             320\n";
        assert!(text.contains(line), "{text}");
        let again: Comparison = serde_json::from_str(&comparison.to_json()).expect("JSON");
        assert_eq!(again, comparison);
    }
}
