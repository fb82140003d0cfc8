//! `plat-bench programs`: real programs, run on concrete input beside their native builds, and
//! explored on symbolic input with every test replayed natively.
//!
//! Ends with an error if a case differs, a path met something unsupported, or a test does not
//! do natively what its path did.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::checked::Checked;
use super::{concrete, folder, symbolic};
use crate::Common;
use crate::say::sayln;
use crate::table::Table;

/// Which programs, how long, and what is kept.
#[derive(Args)]
pub struct Programs {
    /// Only these programs (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Only this part
    #[arg(long)]
    pub part: Option<Part>,
    /// Seconds of each exploration
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    pub time: u64,
    /// Seconds until a concrete run is killed
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub case_time: u64,
    /// The most tests of a program that are replayed, spread over the run
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub replays: usize,
    /// A further option for plat explore, such as --check-points-to (repeatable); concrete runs
    /// are explorations then
    #[arg(long = "with", value_name = "OPTION", allow_hyphen_values = true)]
    pub with: Vec<String>,
    /// Memory at which an exploration ends
    #[arg(long, value_name = "SIZE", default_value = "6G")]
    pub memory: String,
    #[command(flatten)]
    pub place: Where,
}

/// Where programs and tables are.
#[derive(Args, Clone)]
pub struct Where {
    /// Where the programs have been built
    #[arg(long, value_name = "DIR")]
    build: Option<PathBuf>,
    /// Write the tables to FILE too, in Markdown, after each program
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
}

/// The two things that are done with a program.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Runs on concrete input
    Concrete,
    /// Explorations
    Symbolic,
}

impl Programs {
    /// Explorations of so many seconds, nothing replayed.
    pub fn explored(time: u64, place: &Where) -> Self {
        Self {
            only: vec![],
            part: Some(Part::Symbolic),
            time,
            case_time: 0,
            replays: 0,
            with: vec![],
            memory: "6G".to_owned(),
            place: place.clone(),
        }
    }
}

impl Where {
    /// The folder of the programs that have been built.
    pub fn build(&self) -> PathBuf {
        let usual = || folder().join("build");
        self.build.clone().unwrap_or_else(usual)
    }

    /// Writes the file of the tables, if one is asked for.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, text: &str) -> Result<(), String> {
        let Some(file) = &self.write else {
            return Ok(());
        };
        std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// What is wrong so far, in a line each.
pub type Wrong = Vec<String>;

/// Runs the parts asked for.
///
/// # Errors
/// When something differs or is unsupported, or a program cannot be run at all.
pub fn programs(common: &Common, what: &Programs) -> Result<(), String> {
    let mut wrong = Wrong::new();
    let mut checked = Checked::default();
    let mut pages = Pages::new(&what.place);
    if what.part != Some(Part::Symbolic) {
        let table = concrete::concrete(common, what, &mut pages, &mut wrong, &mut checked)?;
        table.print();
        pages.keep(&table)?;
    }
    if what.part != Some(Part::Concrete) {
        let table = symbolic::symbolic(common, what, &mut pages, &mut wrong, &mut checked)?;
        table.print();
        pages.keep(&table)?;
    }
    if let Some(line) = checked.line() {
        sayln!("\n{line}");
        pages.close(&line)?;
    }
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} wrong:\n{}", wrong.join("\n"))),
    }
}

/// The tables, as they are written.
pub struct Pages<'a> {
    place: &'a Where,
    done: String,
}

impl<'a> Pages<'a> {
    fn new(place: &'a Where) -> Self {
        Self {
            place,
            done: String::new(),
        }
    }

    /// Writes what is there, with a table that may grow.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn show(&self, table: &Table) -> Result<(), String> {
        self.place
            .write(&format!("{}{}", self.done, table.markdown()))
    }

    /// Writes what is there, with a table that is complete.
    fn keep(&mut self, table: &Table) -> Result<(), String> {
        self.show(table)?;
        self.done.push_str(&table.markdown());
        self.done.push('\n');
        Ok(())
    }

    /// Writes the tables with a last line.
    fn close(&self, line: &str) -> Result<(), String> {
        self.place.write(&format!("{}{line}\n", self.done))
    }
}
