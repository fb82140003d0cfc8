//! `plat link`.

use crate::args::LinkArgs;
use crate::failure::Failure;
use crate::{libc, pipeline};
use std::process::ExitCode;

pub(super) fn execute(args: &LinkArgs) -> Result<ExitCode, Failure> {
    let libc = libc::find(args.libc.libc_dir.as_deref())?;
    let report = pipeline::link(&args.input, &libc, &args.output)?;
    for line in notes(&report) {
        eprintln!("plat: {line}");
    }
    Ok(ExitCode::SUCCESS)
}

/// What the user should know about a link.
pub(super) fn notes(report: &plat_transform::LinkReport) -> Vec<String> {
    let mut lines = Vec::new();
    if !report.undefined.is_empty() {
        lines.push(format!(
            "WARNING: nobody defines {}: a path that needs one of them ends there",
            report.undefined.join(", ")
        ));
    }
    if !report.overridden.is_empty() {
        lines.push(format!(
            "note: plat's own take the place of the program's {}",
            report.overridden.join(", ")
        ));
    }
    lines
}
