//! Counts of instructions against those that are kept in `benchmarks/guard/counts.json`, by kind of machine: short enough
//! for every change. Counts of one kind of machine, compiler and counter are the same up to a thousandth or so.

use super::measure::{Way, cost};
use super::{folder, percent, rows_of};
use crate::Common;
use crate::suites::machine::Machine;
use crate::suites::rows::rows;
use crate::table::Table;
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

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

/// Counts of rows, by kind of machine.
type Kept = BTreeMap<String, BTreeMap<String, u64>>;

/// Counts the rows and holds them against what is kept. Exit code 1 if one has more than it may, 3 if nothing is
/// kept for this kind of machine.
///
/// # Errors
/// When instructions cannot be counted, or a row does not come to its end.
pub fn guard(common: &Common, what: &Guard) -> Result<ExitCode, String> {
    let way = Way::best();
    if !way.counts() {
        return Err("instructions cannot be counted here: `scripts/setup valgrind`".to_owned());
    }
    let path = what
        .kept
        .clone()
        .unwrap_or_else(|| folder().join("counts.json"));
    let mut kept = read(&path)?;
    let kind = kind(way)?;
    let before = kept.get(&kind).cloned();
    if before.is_none() && !what.bless {
        println!("no baseline for this machine ({kind}); `plat-bench guard --bless` makes one");
        return Ok(ExitCode::from(3));
    }
    let mut counts = BTreeMap::new();
    let head = ["row", "kept", "now", "change", "verdict"];
    let mut table = Table::new(&format!("Instructions on {kind}"), &head);
    let mut slow = false;
    for row in rows(&rows_of("quick")?) {
        if !what.only.is_empty() && !what.only.contains(&row.id) {
            continue;
        }
        let now = cost(common, &common.plat, &row, way)?;
        let old = before
            .as_ref()
            .and_then(|before| before.get(&row.id))
            .copied();
        let ratio = old.map(|old| now / old as f64);
        let too_slow = ratio.is_some_and(|ratio| ratio > 1.0 + what.threshold / 100.0);
        slow |= too_slow;
        table.row(vec![
            row.id.clone(),
            old.map_or("none".into(), |old| old.to_string()),
            format!("{now:.0}"),
            ratio.map_or("new".into(), percent),
            if too_slow { "TOO SLOW" } else { "" }.to_owned(),
        ]);
        counts.insert(row.id, now as u64);
    }
    table.print();
    if what.bless {
        kept.entry(kind).or_default().extend(counts);
        let text = serde_json::to_string_pretty(&kept).map_err(|why| why.to_string())?;
        std::fs::write(&path, text + "\n").map_err(|why| format!("{}: {why}", path.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(if slow {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

/// What is kept; nothing if there is no file yet.
fn read(path: &Path) -> Result<Kept, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|why| format!("{}: {why}", path.display())),
        Err(_) => Ok(Kept::new()),
    }
}

/// The kind of this machine: what decides which instructions a build has and a run takes.
fn kind(way: Way) -> Result<String, String> {
    let output = Command::new("rustc").arg("--version").output();
    let compiler = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        _ => return Err("cannot run rustc to see which compiler this is".to_owned()),
    };
    let compiler: Vec<&str> = compiler.split_whitespace().take(2).collect();
    let family = Machine::here().family;
    Ok(format!(
        "{family}, {}, {}",
        compiler.join(" "),
        way.named()?
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_by_kind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts.json");
        assert!(read(&path).unwrap().is_empty());
        std::fs::write(&path, r#"{"a": {"sieve": 12}}"#).unwrap();
        assert_eq!(read(&path).unwrap()["a"]["sieve"], 12);
        std::fs::write(&path, "{").unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn the_rows_of_the_guard_are_in_the_form() {
        for (name, least) in [("quick", 4), ("compare", 8)] {
            assert!(rows(&rows_of(name).unwrap()).len() >= least);
        }
    }
}
