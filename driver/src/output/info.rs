//! `info`: the run in words, in KLEE's order, so that scripts which grep it go on working.

use super::summary::Summary;
use crate::names::Names;
use plat_solver::SolverStats;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What `info` says before the run.
pub struct Start<'a> {
    /// The command line as typed.
    pub command_line: &'a [String],
    /// The searchers, joined by `+`.
    pub search: &'a str,
    /// When it began.
    pub started: SystemTime,
}

/// The text written when a run begins.
pub fn beginning(start: &Start<'_>) -> String {
    format!(
        "{}\nPID: {}\nUsing monotonic steady clock with 1/1000000000s resolution\n\
         Started: {}\nBEGIN searcher description\n{}\nEND searcher description\n",
        start.command_line.join(" "),
        std::process::id(),
        date(start.started),
        start.search,
    )
}

/// The text appended when it ends.
pub fn end(
    summary: &Summary,
    solver: &SolverStats,
    finished: SystemTime,
    elapsed: Duration,
    names: Names,
) -> String {
    let seconds = elapsed.as_secs();
    let mut out = format!(
        "Finished: {}\nElapsed: {:02}:{:02}:{:02}\nStopped: {}\n",
        date(finished),
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        summary.stop,
    );
    let voice = names.voice;
    let constructs = solver.backend_nodes / solver.queries.max(1);
    for (what, number) in [
        ("explored paths", summary.paths.total()),
        ("avg. constructs per query", constructs),
        ("total queries", solver.queries),
        ("valid queries", solver.backend_unsat),
        ("invalid queries", solver.backend_sat),
        ("query cex", solver.backend_sat),
    ] {
        let _ = writeln!(out, "{voice}: done: {what} = {number}");
    }
    for line in resolution_lines(summary, names) {
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    for line in closing_lines(summary, names) {
        let _ = writeln!(out, "{line}");
    }
    out
}

/// The most frequent reasons of forks by resolution, a line each; all are in `summary.json`.
pub fn resolution_lines(summary: &Summary, names: Names) -> Vec<String> {
    const MOST: usize = 8;
    let all = &summary.forks_by_resolution;
    let mut lines: Vec<String> = all
        .iter()
        .take(MOST)
        .map(|one| {
            let file = one.file.rsplit('/').next().unwrap_or_default();
            format!(
                "{}: forks by resolution: {} at {file}:{}: {}",
                names.voice, one.count, one.line, one.reason
            )
        })
        .collect();
    if all.len() > MOST {
        let rest: u64 = all.iter().skip(MOST).map(|one| one.count).sum();
        lines.push(format!(
            "{}: forks by resolution: {rest} at {} more places, see summary.json",
            names.voice,
            all.len() - MOST
        ));
    }
    lines
}

/// The four lines that also close a run on the terminal.
pub fn closing_lines(summary: &Summary, names: Names) -> [String; 4] {
    let voice = names.voice;
    let cut = summary.paths.total() - summary.paths.completed;
    [
        format!(
            "{voice}: done: total instructions = {}",
            summary.instructions
        ),
        format!(
            "{voice}: done: completed paths = {}",
            summary.paths.completed
        ),
        format!("{voice}: done: partially completed paths = {cut}"),
        format!("{voice}: done: generated tests = {}", summary.tests),
    ]
}

/// `YYYY-MM-DD HH:MM:SS` in UTC.
pub fn date(at: SystemTime) -> String {
    let seconds = at
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (year, month, day) = civil(seconds / 86_400);
    let rest = seconds % 86_400;
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}

/// The Gregorian date of a day since 1970-01-01: years begin in March, so that leap days come
/// last (Hinnant, "chrono-compatible low-level date algorithms").
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_gregorian() {
        let at = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01 00:00:00");
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(at(1_735_689_599), "2024-12-31 23:59:59");
        assert_eq!(at(4_107_542_400), "2100-03-01 00:00:00");
    }

    #[test]
    fn is_in_klees_order() {
        let text = beginning(&Start {
            command_line: &["plat".into(), "explore".into(), "p.bc".into()],
            search: "dfs",
            started: UNIX_EPOCH,
        });
        assert!(text.starts_with("plat explore p.bc\nPID: "));
        assert!(text.ends_with(
            "Started: 1970-01-01 00:00:00\nBEGIN searcher description\ndfs\n\
             END searcher description\n"
        ));
    }
}
