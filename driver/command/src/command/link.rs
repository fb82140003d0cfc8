//! `plat link`.

use crate::args::LinkArgs;
use crate::args::linking::LinkingArgs;
use crate::helpers;
use crate::plan::RunPlan;
use crate::say::{check_binary, note};
use plat::Error;
use plat::fuzzing::HARNESS;
use plat::libc::{self, Libc};
use plat::names::Names;
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
        Some(Names::PLAT),
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
    let names = (!plan.output.quiet).then_some(plan.files.names);
    link(&plan.program, linking, entry, &files.linked, names)
}

/// Links, and says what the user should know about it, under `names`, unless that is not wanted.
fn link(
    input: &Path,
    linking: &LinkingArgs,
    entry: &str,
    output: &Path,
    names: Option<Names>,
) -> Result<Libc, Error> {
    let libc = libc::find(linking.libc.libc_dir.as_deref())?;
    let asked = Linking {
        further: linking.link_llvm_lib.clone(),
        entry: entry.to_string(),
        optimize: linking.optimize,
        aliases: linking.function_alias.clone(),
        lower_switches: linking.lower_switches,
    };
    let report = pipeline::link(&helpers::processes()?, input, &asked, &libc, output)?;
    if let Some(names) = names {
        tell(&report, names);
    }
    report.check().map_err(Error::input)?;
    Ok(libc)
}

/// Says what the user should know about a link; of aliases under these names, as scripts look for them.
pub(super) fn tell(report: &LinkReport, names: Names) {
    for aliased in &report.aliased {
        let warning = if aliased.kept.is_some() {
            "WARNING: "
        } else {
            ""
        };
        note!("{}: {warning}function-alias: {aliased}", names.voice);
    }
    for line in notes(report) {
        note!("plat: {line}");
    }
}

/// Whether a symbol is one of the C++ library's.
fn of_cxx_library(name: &str) -> bool {
    let starts = [
        "_ZSt",
        "_ZNSt",
        "_ZNKSt",
        "_ZNSa",
        "_ZNKSa",
        "_ZNSs",
        "_ZNKSs",
        "_ZNSo",
        "_ZNSi",
        "_ZNKSo",
        "_ZNKSi",
        "_ZNSd",
        "_ZTVSt",
        "_ZTVNSt",
        "_ZTISt",
        "_ZTINSt",
        "_ZTTNSt",
        "_ZN9__gnu_cxx",
        "_ZNK9__gnu_cxx",
    ];
    starts.iter().any(|start| name.starts_with(start))
}

/// What lacks of the C++ library, and what to do about it, in a line.
fn missing_cxx(names: &[&str]) -> Option<String> {
    let first = names.first()?;
    let (count, s) = (names.len(), if names.len() == 1 { "" } else { "s" });
    let what = format!("{count} function{s} and variable{s} of it are missing, {first} among them");
    Some(match names.iter().any(|name| name.contains("St3__1")) {
        true => format!(
            "WARNING: the program needs the C++ library libc++ in bitcode ({what}): `make libc` in plat's source \
             tree, or transform/runtime/build-libcxx DIR, builds it"
        ),
        false => format!(
            "WARNING: the program was compiled for GNU's C++ library ({what}), which plat has not: compile it with \
             clang++-22 -stdlib=libc++"
        ),
    })
}

/// Where the bitcode of another language's library comes from that a program needs.
fn missing_libraries(undefined: &[&str]) -> Option<String> {
    let some = |holds: &dyn Fn(&str) -> bool| undefined.iter().any(|name| holds(name));
    let of_rust = ["_RN", "_RI", "_RM", "_RX", "_RY"];
    let is_rust = |name: &str| {
        of_rust.iter().any(|prefix| name.starts_with(prefix))
            || name.ends_with('E') && name.contains("17h")
    };
    some(&is_rust).then(|| {
        "note: some of these are of Rust's library; `plat build -- cargo build` makes one module of it and the \
         program"
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
    // The executor unwinds: personality routines, which call these, never run.
    let undefined = report.undefined.iter().map(String::as_str);
    let undefined = undefined.filter(|name| !name.starts_with("_Unwind_"));
    let (cxx, others): (Vec<&str>, Vec<&str>) = undefined.partition(|name| of_cxx_library(name));
    lines.extend(missing_cxx(&cxx));
    if !others.is_empty() {
        lines.push(format!(
            "WARNING: nobody defines {}: a path that needs one of them ends there; --link-llvm-lib FILE.bc adds \
             their code, --external-calls concrete --external-allow NAME calls the machine's",
            others.join(", ")
        ));
        lines.extend(missing_libraries(&others));
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
