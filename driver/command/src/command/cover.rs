//! `plat cover`: what tests cover on a native build, beside the executor's own count.

use crate::args::cover::CoverArgs;
use crate::sandbox;
use crate::say::{note, sayln};
use plat::Error;
use plat::cover::native::{self, Options, Replayed};
use plat::cover::{self, FileCoverage, SourceCoverage, Total, lcov};
use plat::input::{self, Kind};
use plat::output::directory::write_whole;
use plat::suite::{self, Case, Cases};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(args: &CoverArgs) -> Result<ExitCode, Error> {
    let own = own(args)?;
    let replayed = match &args.native[..] {
        [] => None,
        [native] => Some(replay(args, native)?),
        _ => return Err(Error::input("name one native executable after --")),
    };
    let shown = match (&replayed, &own) {
        (Some(replayed), _) => &replayed.coverage,
        (None, Some(own)) => own,
        (None, None) => {
            return Err(Error::input(format!(
                "no {} of a run in what is named: name a native build after --",
                cover::FILE
            )));
        }
    };
    if let Some(path) = &args.lcov {
        write_whole(path, lcov::write(shown).as_bytes())?;
    }
    let other = replayed.as_ref().and(own.as_ref());
    print(args, shown, other);
    if let Some(replayed) = &replayed {
        tell(replayed);
    }
    Ok(ExitCode::SUCCESS)
}

/// The executor's own count of the runs that are named.
fn own(args: &CoverArgs) -> Result<Option<SourceCoverage>, Error> {
    let mut own = None;
    for directory in &args.tests {
        let path = directory.join(cover::FILE);
        if directory.is_dir() && path.exists() {
            let text = input::read_text(&path, Kind::Result)?;
            let wrong = |why| Error::input(format!("{}: {why}", path.display()));
            let one = lcov::parse(&text).map_err(wrong)?;
            own.get_or_insert_with(SourceCoverage::default).add(&one);
        }
    }
    Ok(own)
}

fn replay(args: &CoverArgs, native: &Path) -> Result<Replayed, Error> {
    let native = native
        .canonicalize()
        .map_err(|why| Error::input(format!("{}: {why}", native.display())))?;
    let mut known = Cases::default();
    let paths = known.named(&args.tests)?;
    let cases = paths.iter().map(|path| known.read(path));
    let cases: Vec<Case> = cases.collect::<Result<_, _>>()?;
    let options = Options {
        timeout: args.timeout,
        gcov: args.gcov.clone(),
        threads: args.jobs.unwrap_or(Options::default().threads),
    };
    let sandbox = sandbox::enter("plat cover", args.no_sandbox)?;
    native::replay(&native, &cases, &options, sandbox.as_ref())
}

/// The table: files, or functions; beside it the executor's count.
fn print(args: &CoverArgs, coverage: &SourceCoverage, own: Option<&SourceCoverage>) {
    let beside = if own.is_some() {
        "   executor: lines     branches"
    } else {
        ""
    };
    let what = if args.functions { "function" } else { "file" };
    sayln!("{:<32} {:>20} {:>20}{beside}", what, "lines", "branches");
    let (mut lines, mut branches) = (Total::default(), Total::default());
    for (path, file) in &coverage.files {
        if !args.file.is_empty() && !args.file.iter().any(|end| suite::names(path, end)) {
            continue;
        }
        lines += file.line_total();
        branches += file.branch_total();
        let own = own.and_then(|own| of_file(own, path));
        match args.functions {
            true => print_functions(file, own),
            false => row(
                path,
                file.line_total(),
                file.branch_total(),
                own.map(totals),
            ),
        }
    }
    row("all", lines, branches, None);
}

fn print_functions(file: &FileCoverage, own: Option<&FileCoverage>) {
    let own = own.map(FileCoverage::by_function).unwrap_or_default();
    for (name, _, lines, branches) in file.by_function() {
        let same = own.iter().find(|(other, ..)| *other == name);
        row(
            name,
            lines,
            branches,
            same.map(|(_, _, lines, branches)| (*lines, *branches)),
        );
    }
}

/// The same file of the executor's count, whose path may be longer or shorter.
fn of_file<'c>(own: &'c SourceCoverage, path: &str) -> Option<&'c FileCoverage> {
    let is_same = |known: &str| suite::names(known, path) || suite::names(path, known);
    let mut files = own.files.iter();
    files
        .find(|(known, _)| is_same(known))
        .map(|(_, file)| file)
}

fn totals(file: &FileCoverage) -> (Total, Total) {
    (file.line_total(), file.branch_total())
}

fn row(name: &str, lines: Total, branches: Total, own: Option<(Total, Total)>) {
    let own =
        own.map(|(lines, branches)| format!(" {:>18} {:>12}", percent(lines), percent(branches)));
    let own = own.unwrap_or_default();
    sayln!(
        "{name:<32} {:>20} {:>20}{own}",
        share(lines),
        share(branches)
    );
}

/// `80.5 % (33/41)`; nothing is not a share.
fn share(total: Total) -> String {
    match total.all {
        0 => "-".to_owned(),
        all => format!("{} ({}/{all})", percent(total), total.covered),
    }
}

fn percent(total: Total) -> String {
    match total.all {
        0 => "-".to_owned(),
        _ => format!("{:.1} %", total.percent()),
    }
}

/// How the tests went.
fn tell(replayed: &Replayed) {
    let Replayed {
        ended,
        signalled,
        timed_out,
        left_out,
        ..
    } = replayed;
    sayln!("{ended} tests ran to their ends");
    let lost = signalled + timed_out;
    if lost > 0 {
        note!(
            "plat: WARNING: {lost} tests left no counters: {signalled} ended by a signal, {timed_out} \
             were stopped; what they cover is not counted"
        );
    }
    if let Some((path, why)) = left_out.first() {
        let path = path.display();
        note!(
            "plat: WARNING: {} tests cannot run natively: {path}: {why}",
            left_out.len()
        );
    }
}
