//! One table of many suites: the numbers over all rows beside the papers'. It is written into a document
//! between two marks, so that the document's table is what was measured.

use super::best::standing;
use super::file::{Aggregate, Unit};
use super::outcome::{Outcome, read, theirs, written};
use clap::Args;
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- plat-bench overview: begin -->";
const END: &str = "<!-- plat-bench overview: end -->";

/// Of which suites, and where it is written.
#[derive(Args)]
pub struct Overview {
    /// Directories of results, as `plat-bench run` has made them
    #[arg(required = true, value_name = "DIR")]
    pub directories: Vec<PathBuf>,
    /// Write the table into FILE, between its marks, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub write: Option<PathBuf>,
}

/// Prints or writes the table.
///
/// # Errors
/// When a directory has no results, or the document has no marks or cannot be written.
pub fn overview(what: &Overview) -> Result<(), String> {
    let outcomes: Result<Vec<Outcome>, String> =
        what.directories.iter().map(|it| read(it)).collect();
    let outcomes = outcomes?;
    let table = table(&outcomes);
    match &what.write {
        None => print!("{table}"),
        Some(file) => write(file, &table)?,
    }
    print!("{}", losses(&outcomes));
    Ok(())
}

/// The rows behind the numbers of those that are not near the best.
fn losses(outcomes: &[Outcome]) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        for best in &outcome.suite.best {
            let unit = outcome.unit(&best.column);
            let lost = standing(outcome, best).lost;
            let lines = lost.iter().map(|loss| loss.shown(unit));
            let lines: Vec<String> = lines.map(|line| format!("\n- {line}")).collect();
            if !lines.is_empty() {
                let name = &outcome.suite.name;
                text += &format!("\n`{name}`, {}:\n{}\n", best.name, lines.concat());
            }
        }
    }
    text.replace('\u{202f}', " ")
}

fn write(file: &Path, table: &str) -> Result<(), String> {
    let wrong = |why| format!("{}: {why}", file.display());
    let text = std::fs::read_to_string(file).map_err(wrong)?;
    let text = placed(&text, table)
        .ok_or_else(|| format!("{} does not have {BEGIN} and {END}", file.display()))?;
    std::fs::write(file, text).map_err(wrong)
}

/// The text with the table between the marks.
fn placed(text: &str, table: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, behind) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{table}{END}{behind}"))
}

fn table(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "| suite | repeats | rows | limit | number | plat | paper |\n|---|---|---:|---:|---|---:|---:|\n",
    );
    for outcome in outcomes {
        let suite = &outcome.suite;
        let run = outcome.measured();
        let limit = written(Unit::Seconds, outcome.limit);
        let mut head = format!(
            "| `{}` | {} | {run} of {} | {limit} |",
            suite.name,
            suite.repeats.item,
            outcome.rows.len()
        );
        let compared = |one: &&Aggregate| one.overview || one.against || one.published.is_some();
        let any = !suite.best.is_empty() || suite.aggregates.iter().any(|one| compared(&one));
        if run == 0 {
            text += &format!("{head} not run | | |\n");
        }
        for one in suite.aggregates.iter().filter(|one| compared(one) || !any) {
            let Some(number) = outcome.aggregate(one) else {
                continue;
            };
            let paper = one
                .published
                .map_or(String::new(), |it| theirs(one.unit, it));
            let cells = [one.name.clone(), written(one.unit, number), paper];
            text += &format!(
                "{head} {} |\n",
                cells.map(|cell| cell.replace('|', "\\|")).join(" | ")
            );
            head = "| | | | |".to_owned();
        }
        for best in &suite.best {
            let standing = standing(outcome, best);
            if standing.judged > 0 {
                text += &format!("{head} {} | {} | |\n", best.name, standing.shown());
                head = "| | | | |".to_owned();
            }
        }
    }
    let mut machines: Vec<(String, Vec<String>)> = Vec::new();
    for machine in outcomes.iter().flat_map(|outcome| &outcome.machines) {
        let (hardware, plat) = (machine.hardware(), machine.software());
        match machines.iter_mut().find(|known| known.0 == hardware) {
            Some((_, known)) if known.contains(&plat) => {}
            Some((_, known)) => known.push(plat),
            None => machines.push((hardware, vec![plat])),
        }
    }
    let machines = machines
        .into_iter()
        .map(|(hardware, plats)| format!("{hardware}; {}", plats.join(", ")));
    let machines: Vec<String> = machines.collect();
    text.replace('\u{202f}', " ") + "\nOn " + &machines.join("; ") + ".\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::outcome::tests::outcome;

    #[test]
    fn a_document_keeps_what_is_outside_of_the_marks() {
        let table = table(&[outcome()]);
        assert!(
            table.contains("| `s` | Figure 1 | 4 of 6 | 60 s | longest | 4 s | 10 s |"),
            "{table}"
        );
        let text = format!("before\n{BEGIN}\nold\n{END}\nbehind\n");
        let placed = placed(&text, &table).unwrap();
        assert!(placed.starts_with("before\n") && placed.ends_with("\nbehind\n"));
        assert!(placed.contains("longest") && !placed.contains("old"));
        assert_eq!(super::placed("no marks", &table), None);
    }
}
