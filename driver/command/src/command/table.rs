//! `plat table`: runs side by side, from their `summary.json`.

use crate::args::TableArgs;
use crate::say::say;
use plat::Error;
use plat::input::{self, Kind};
use plat::output::summary::Summary;
use plat::output::table::render;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(args: &TableArgs) -> Result<ExitCode, Error> {
    let mut rows = Vec::new();
    for run in &args.runs {
        let (name, directory) = run.split_once('=').unwrap_or((run, run));
        let path = Path::new(directory).join("summary.json");
        let wrong = |why: String| Error::input(format!("{}: {why}", path.display()));
        let text = input::read_text(&path, Kind::Result)?;
        rows.push((name.to_string(), Summary::from_json(&text).map_err(wrong)?));
    }
    say!("{}", render(&rows));
    Ok(ExitCode::SUCCESS)
}
