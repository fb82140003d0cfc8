//! `plat link`.

use crate::args::LinkArgs;
use crate::args::linking::LinkingArgs;
use crate::helpers;
use crate::plan::RunPlan;
use crate::say::{check_binary, note};
use plat::Error;
use plat::fuzzing::HARNESS;
use plat::libc::{self, Libc};
use plat::pipeline::{self, Linking, StageFiles};
use plat_transform::LinkReport;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(args: &LinkArgs) -> Result<ExitCode, Error> {
    check_binary(&args.output)?;
    link(
        &args.input,
        &args.linking,
        &args.entry_point,
        &args.output,
        false,
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Links what a run is to execute.
pub(super) fn for_run(
    plan: &RunPlan,
    linking: &LinkingArgs,
    files: &StageFiles,
) -> Result<Libc, Error> {
    let entry = &plan.config.start.entry_point;
    let quiet = plan.output.quiet;
    link(&plan.program, linking, entry, &files.linked, quiet)
}

/// Links, and says what the user should know about it unless that is not wanted.
fn link(
    input: &Path,
    linking: &LinkingArgs,
    entry: &str,
    output: &Path,
    quiet: bool,
) -> Result<Libc, Error> {
    let libc = libc::find(linking.libc.libc_dir.as_deref())?;
    let asked = Linking {
        further: linking.link_llvm_lib.clone(),
        entry: entry.to_string(),
        optimize: linking.optimize,
    };
    let report = pipeline::link(&helpers::processes()?, input, &asked, &libc, output)?;
    if !quiet {
        tell(&report);
    }
    Ok(libc)
}

/// Says what the user should know about a link.
pub(super) fn tell(report: &LinkReport) {
    for line in notes(report) {
        note!("plat: {line}");
    }
}

/// Where the bitcode of another language's library comes from that a program needs.
fn missing_libraries(undefined: &[String]) -> Option<String> {
    let some = |holds: &dyn Fn(&str) -> bool| undefined.iter().any(|name| holds(name));
    let of_rust = ["_RN", "_RI", "_RM", "_RX", "_RY"];
    let is_rust = |name: &str| {
        of_rust.iter().any(|prefix| name.starts_with(prefix))
            || name.ends_with('E') && name.contains("17h")
    };
    if some(&is_rust) {
        let flags = "-C lto=fat -C codegen-units=1 -C save-temps";
        return Some(format!(
            "note: some of these are of Rust's library; {flags} makes one module of it and the program"
        ));
    }
    let of_std = ["_ZSt", "_ZNSt", "_ZNKSt", "_ZNSa", "_ZTVNSt", "_ZTINSt"];
    some(&|name| of_std.iter().any(|prefix| name.starts_with(prefix))).then(|| {
        "note: some of these are of the C++ library; link its bitcode with --link-llvm-lib"
            .to_string()
    })
}

/// What the user should know about a link.
fn notes(report: &LinkReport) -> Vec<String> {
    let mut lines = Vec::new();
    if report.harness {
        lines.push(format!(
            "note: a fuzzer's harness: {HARNESS} is explored, with symbolic data (--fuzz-max-len)"
        ));
    }
    if !report.undefined.is_empty() {
        lines.push(format!(
            "WARNING: nobody defines {}: a path that needs one of them ends there; --link-llvm-lib FILE.bc adds \
             their code, --external-calls concrete --external-allow NAME calls the machine's",
            report.undefined.join(", ")
        ));
        lines.extend(missing_libraries(&report.undefined));
    }
    if !report.narrowed.is_empty() {
        lines.push(format!(
            "note: long double is double in the C library, so numbers are rounded for {}; compile with \
             -mlong-double-64 to have one type",
            report.narrowed.join(", ")
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
