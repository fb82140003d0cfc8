//! Counts of instructions beside those that are kept in `benchmarks/guard/counts.json`, by kind of machine: short enough
//! for every change. Counts of one kind are the same up to a thousandth, and up to a hundredth on a very busy machine,
//! as some of what plat does goes by the clock. So rows are counted beside each other.

use super::judged::{Judged, said};
use super::kind::kind;
use super::measure::{Way, cost};
use super::{folder, rows_of};
use crate::Common;
use crate::programs::bitcode;
use crate::say::sayln;
use crate::suites::rows::{Row, rows};
use crate::table::Table;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;

/// How it is done.
#[derive(Args)]
pub struct Guard {
    /// Percent by which a row may have more instructions
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0)]
    pub threshold: f64,
    /// Keep the counts of this build for this kind of machine
    #[arg(long)]
    pub bless: bool,
    /// Only these rows (repeatable)
    #[arg(long, value_name = "ROW")]
    pub only: Vec<String>,
    /// The file that keeps the counts
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
}

/// Counts of rows.
type Counts = BTreeMap<String, u64>;

/// Counts by kind of machine.
type Kept = BTreeMap<String, Counts>;

/// Counts the rows and holds them against what is kept. Exit code 1 if one has more than it may, 3 if nothing is
/// kept for this kind of machine.
///
/// # Errors
/// When instructions cannot be counted, or a row does not come to its end.
pub fn guard(common: &Common, what: &Guard) -> Result<ExitCode, String> {
    let path = what
        .kept
        .clone()
        .unwrap_or_else(|| folder().join("counts.json"));
    let mut kept = read(&path)?;
    let (way, kind) = way(&kept)?;
    let before = kept.get(&kind);
    let chosen: Vec<Row> = rows(&rows_of("quick")?)
        .into_iter()
        .filter(|row| what.only.is_empty() || what.only.contains(&row.id))
        .collect();
    let counts = counts(common, &chosen, way)?;
    let judged = counts.iter().map(|(row, &now)| Judged {
        row: row.clone(),
        kept: before.and_then(|before| before.get(row)).copied(),
        now,
    });
    let judged: Vec<Judged> = judged.collect();
    let head = ["row", "kept", "now", "change", "verdict"];
    let mut table = Table::new(&format!("Instructions on {kind}"), &head);
    for row in &judged {
        table.row(row.cells(what.threshold));
    }
    table.print();
    if what.bless {
        let entry = kept.entry(kind).or_default();
        if what.only.is_empty() {
            entry.clear();
        }
        entry.extend(counts);
        write(&path, &kept)?;
        return Ok(ExitCode::SUCCESS);
    }
    if before.is_none() {
        sayln!(
            "Nothing is kept for this kind of machine, so nothing was compared; `plat-bench guard --bless` keeps these. Kept are: {}",
            kept.keys().cloned().collect::<Vec<_>>().join("; ")
        );
        return Ok(ExitCode::from(3));
    }
    for line in said(&judged, what.threshold) {
        eprintln!("guard: {line}");
    }
    let lost = judged.iter().any(|row| row.is_too_slow(what.threshold));
    Ok(if lost {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// The first way to count that something is kept for; the first that there is if nothing is.
fn way(kept: &Kept) -> Result<(Way, String), String> {
    let ways = Way::counting();
    let kinds: Result<Vec<_>, String> = ways.iter().map(|&way| Ok((way, kind(way)?))).collect();
    let kinds = kinds?;
    let known = kinds.iter().find(|(_, kind)| kept.contains_key(kind));
    known
        .or(kinds.first())
        .cloned()
        .ok_or_else(|| "instructions cannot be counted here: `scripts/setup valgrind`".to_owned())
}

/// Counts rows, as many at once as there are processors.
fn counts(common: &Common, rows: &[Row], way: Way) -> Result<Counts, String> {
    for row in rows {
        bitcode(&row.program)?;
    }
    let waiting = Mutex::new(rows.iter());
    let next = || waiting.lock().ok()?.next();
    let some = || {
        let mut done = Vec::new();
        while let Some(row) = next() {
            let count = cost(common, &common.plat, row, way)?;
            done.push((row.id.clone(), count as u64));
        }
        Ok::<_, String>(done)
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let done: Result<Vec<_>, String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..processors).map(|_| scope.spawn(some)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined
            .map(|done| done.unwrap_or_else(|_| Err("a thread has panicked".to_owned())))
            .collect()
    });
    Ok(done?.into_iter().flatten().collect())
}

/// What is kept; nothing if there is no file yet.
fn read(path: &Path) -> Result<Kept, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|why| format!("{}: {why}", path.display())),
        Err(_) => Ok(Kept::new()),
    }
}

fn write(path: &Path, kept: &Kept) -> Result<(), String> {
    let text = serde_json::to_string_pretty(kept).map_err(|why| why.to_string())?;
    std::fs::write(path, text + "\n").map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_by_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts.json");
        assert!(read(&path).unwrap().is_empty());
        let kept = Kept::from([("a".into(), Counts::from([("sieve".into(), 12)]))]);
        write(&path, &kept).unwrap();
        assert_eq!(read(&path).unwrap(), kept);
        std::fs::write(&path, "{").unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn the_rows_of_the_guard_are_in_the_form() {
        for (name, least) in [("quick", 4), ("compare", 8)] {
            assert!(rows(&rows_of(name).unwrap()).len() >= least);
        }
    }

    #[test]
    fn each_row_that_is_kept_is_counted() {
        let kept = read(&folder().join("counts.json")).unwrap();
        let rows = rows(&rows_of("quick").unwrap());
        let ids = || rows.iter().map(|row| row.id.as_str());
        for (kind, counts) in kept {
            assert!(counts.keys().all(|row| ids().any(|id| id == row)), "{kind}");
            assert!(ids().all(|row| counts.contains_key(row)), "{kind}");
        }
    }
}
