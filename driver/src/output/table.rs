//! A table of runs side by side: what `make demo` ends with.

use super::summary::Summary;

/// One row for each run, under a line of headings.
pub fn render(runs: &[(String, Summary)]) -> String {
    let headings = [
        "run",
        "model",
        "stop",
        "paths",
        "resolution forks",
        "queries",
        "time",
        "largest segment",
    ];
    let mut rows: Vec<Vec<String>> = vec![headings.iter().map(|&name| name.into()).collect()];
    rows.extend(runs.iter().map(|(name, run)| row(name, run)));
    let widths: Vec<usize> = (0..headings.len())
        .map(|at| {
            rows.iter()
                .map(|row| row[at].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(at, (cell, &width))| {
                // Names to the left, numbers to the right.
                if at < 3 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            })
            .collect();
        out += cells.join("  ").trim_end();
        out.push('\n');
    }
    out
}

fn row(name: &str, run: &Summary) -> Vec<String> {
    let segment = match run.memory.max_segment_bytes {
        0 => "-".to_string(),
        bytes => format!("{bytes} B"),
    };
    vec![
        name.to_string(),
        run.memory_model.clone(),
        run.stop.clone(),
        run.paths.total().to_string(),
        run.forks.resolution.to_string(),
        run.solver.queries.to_string(),
        format!("{:.2} s", run.wall_s),
        segment,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_up() {
        let mut run = Summary {
            memory_model: "forking".into(),
            stop: "finished".into(),
            wall_s: 1.5,
            ..Summary::default()
        };
        run.paths.completed = 41;
        run.forks.resolution = 39;
        let mut other = run.clone();
        other.memory_model = "segmented".into();
        other.memory.max_segment_bytes = 2753;
        let text = render(&[("matrix".into(), run), ("m4".into(), other)]);
        assert_eq!(
            text,
            "run     model      stop      paths  resolution forks  queries    time  largest segment\n\
             matrix  forking    finished     41                39        0  1.50 s                -\n\
             m4      segmented  finished     41                39        0  1.50 s           2753 B\n"
        );
    }
}
