//! `plat link`.

use crate::args::LinkArgs;
use crate::failure::Failure;
use crate::libc::{self, Libc};
use crate::pipeline;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(args: &LinkArgs) -> Result<ExitCode, Failure> {
    let libc = libc::find(args.libc.libc_dir.as_deref())?;
    link(&args.input, &libc, &args.output, false)?;
    Ok(ExitCode::SUCCESS)
}

/// Links, and says what the user should know about it unless that is not wanted.
pub(super) fn link(input: &Path, libc: &Libc, output: &Path, quiet: bool) -> Result<(), Failure> {
    let report = pipeline::link(input, libc, output)?;
    if !quiet {
        for line in notes(&report) {
            eprintln!("plat: {line}");
        }
    }
    Ok(())
}

/// What the user should know about a link.
fn notes(report: &plat_transform::LinkReport) -> Vec<String> {
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
