//! `plat report`: what runs have come to, as a page and for other tools.

use crate::args::report::ReportArgs;
use crate::say::{note, sayln};
use plat::Error;
use plat::output::directory::write_whole;
use plat_report::{Named, Report};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The name of the page, unless the user gives one.
const PAGE: &str = "report.html";

pub(super) fn execute(args: &ReportArgs) -> Result<ExitCode, Error> {
    let runs: Vec<Named> = args.runs.iter().map(|run| named(run)).collect();
    let page = match (&args.output, &runs[..]) {
        (Some(path), _) => path.clone(),
        (None, [run]) => run.directory.join(PAGE),
        (None, _) => PathBuf::from(PAGE),
    };
    let report = Report::gather(&runs)?;
    write_whole(&page, report.to_html().as_bytes())?;
    if let Some(path) = &args.sarif {
        write_whole(path, report.to_sarif().as_bytes())?;
    }
    if let Some(path) = &args.junit {
        write_whole(path, report.to_junit()?.as_bytes())?;
    }
    for line in report.to_lines() {
        sayln!("{line}");
    }
    for run in &report.runs {
        for text in &run.notes {
            note!("plat: note: {}: {text}", run.about.directory.display());
        }
    }
    note!("plat: the page is {}", page.display());
    if args.open {
        open::that_detached(&page).map_err(|why| {
            let page = page.display();
            Error::input(format!(
                "{page}: written, but no browser can be started: {why}"
            ))
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

/// `NAME=DIR` or `DIR`. A directory may have `=` in its name.
fn named(run: &str) -> Named {
    let parts = run.split_once('=');
    let parts = parts.filter(|(name, _)| !name.contains('/') && !Path::new(run).exists());
    Named {
        name: parts.map(|(name, _)| name.to_string()),
        directory: PathBuf::from(parts.map_or(run, |(_, directory)| directory)),
    }
}
