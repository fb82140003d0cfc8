//! Suites: the tables and figures of the papers as files (`benchmarks/suites`), run into lines of JSON,
//! and drawn as pages that have the papers' numbers beside ours.

mod best;
pub mod command;
pub mod file;
pub mod machine;
mod outcome;
mod overview;
mod page;
mod results;
pub mod rows;
pub mod run;

pub use overview::{Overview, overview};
pub use page::{Page, page};
pub use run::run;

use crate::say::sayln;

/// Prints the suites that come with plat.
///
/// # Errors
/// When one cannot be read.
pub fn list() -> Result<(), String> {
    for name in file::names()? {
        let (name, text) = file::text(&name)?;
        let suite = file::parse(&name, &text)?;
        let rows = rows::rows(&suite).len();
        sayln!(
            "{name:24} {:4} rows  {}: {}",
            rows,
            suite.repeats.item,
            suite.title
        );
    }
    Ok(())
}
