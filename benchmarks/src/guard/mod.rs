//! The guard against losing speed: two builds of plat run in turns on a few rows (`compare`), and one build against
//! counts that are kept for this kind of machine (`guard`). Rows are those of the files in `benchmarks/guard`,
//! in the form of a suite; the last step of a row is what is measured.

mod compare;
mod judged;
mod kept;
mod kind;
mod measure;

pub use compare::{Compare, compare};
pub use kept::{Guard, guard};

use crate::suites::file::{Suite, parse};
use std::path::{Path, PathBuf};

/// Where the rows and the counts are.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("guard")
}

/// The rows of a file of the guard.
fn rows_of(name: &str) -> Result<Suite, String> {
    let path = folder().join(format!("{name}.toml"));
    let text =
        std::fs::read_to_string(&path).map_err(|why| format!("{}: {why}", path.display()))?;
    parse(name, &text)
}

/// A ratio as a change in percent.
fn percent(ratio: f64) -> String {
    format!("{:+.2} %", 100.0 * (ratio - 1.0))
}
