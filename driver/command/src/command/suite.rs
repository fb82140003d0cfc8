//! `plat tests`: the tests of a run, listed, shown, extracted, and the fewest that are enough.

use super::explore;
use crate::args::suite::{
    ExtractArgs, ListArgs, MergeArgs, MinimiseArgs, ShowArgs, TestsCommand, WhichArgs,
};
use crate::args::{self, Asked, Command};
use crate::plan;
use crate::say::{note, say, sayln};
use plat::output::directory::ensure;
use plat::output::ktest::describe;
use plat::output::tests_jsonl::End;
use plat::suite::{self as library, Container, SavedTest, Selection, SuiteCoverage};
use plat::{Error, Explorer, memory_models};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn execute(command: &TestsCommand) -> Result<ExitCode, Error> {
    match command {
        TestsCommand::List(args) => list(args),
        TestsCommand::Show(args) => show(args),
        TestsCommand::Extract(args) => extract(args),
        TestsCommand::Merge(args) => merge(args),
        TestsCommand::Minimise(args) => minimise(args),
    }
}

fn merge(args: &MergeArgs) -> Result<ExitCode, Error> {
    let merged = library::merge(&args.directories, &args.output)?;
    sayln!(
        "{}: {} tests of {} runs, {} of them of errors; {} were there twice or have another for \
         their error",
        args.output.display(),
        merged.tests,
        args.directories.len(),
        merged.errors,
        merged.dropped
    );
    Ok(ExitCode::SUCCESS)
}

/// The tests that are meant.
fn chosen(which: &WhichArgs) -> Result<(Container, Vec<u32>), Error> {
    let container = Container::open(&which.directory)?;
    if let Some(damage) = container.damage() {
        note!("plat: WARNING: {damage}");
    }
    let numbers = which.numbers.iter().map(|text| library::range(text));
    let selection = Selection {
        numbers: numbers.collect::<Result<_, _>>()?,
        faults: which.fault.clone(),
        new: which.new,
        first: which.first.as_deref().map(library::line).transpose()?,
    };
    let mut chosen = Vec::new();
    for test in container.tests() {
        let test = test?;
        if selection.has(&test) {
            chosen.push(test.number);
        }
    }
    if let Some(line) = &which.line {
        let (file, line) = library::line(line)?;
        let coverage = coverage(which, &container, &chosen)?;
        if !coverage.has_line(&file, line) {
            return Err(Error::input(format!(
                "{file}:{line}: the program has no code there"
            )));
        }
        chosen = coverage.covering(&file, line);
    }
    Ok((container, chosen))
}

fn list(args: &ListArgs) -> Result<ExitCode, Error> {
    let (container, chosen) = chosen(&args.which)?;
    if !args.json {
        sayln!(
            "{:<12} {:<12} {:>9} {:>6}  new  place",
            "test",
            "end",
            "instr.",
            "forks"
        );
    }
    for number in chosen {
        let test = container.test(number)?;
        match args.json {
            true => say!("{}", test.line().to_line()),
            false => sayln!("{}", row(&test)),
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn row(test: &SavedTest) -> String {
    let name = library::stem(test.number);
    let (instructions, forks) = test.work;
    let new = if test.covered_new { "new" } else { "" };
    let fault = test.fault.as_ref().filter(|_| test.end != End::Limit);
    let place = fault.map(|fault| match fault.line {
        0 => fault.message.clone(),
        line => format!("{}:{line}: {}", fault.file, fault.message),
    });
    let place = place.unwrap_or_default();
    let end = end(test);
    let line = format!("{name:<12} {end:<12} {instructions:>9} {forks:>6}  {new:<3}  {place}");
    line.trim_end().to_owned()
}

/// How a path ended, in a word or two.
fn end(test: &SavedTest) -> String {
    match (test.end, test.exit_code, &test.fault) {
        (End::Returned | End::Exited, Some(code), _) => format!("exit {code}"),
        (End::Fault, _, Some(fault)) => fault.kind.clone(),
        (End::Limit, _, Some(fault)) => format!("limit {}", fault.kind),
        (end, _, _) => format!("{end:?}").to_lowercase(),
    }
}

fn show(args: &ShowArgs) -> Result<ExitCode, Error> {
    let (container, chosen) = chosen(&args.which)?;
    for number in chosen {
        let test = container.test(number)?;
        let name = library::stem(number);
        let seconds = test.made.as_secs_f64();
        sayln!("{name}: {}, made after {seconds:.2} s", end(&test));
        if !test.first.is_empty() {
            sayln!(
                "first to cover {} lines: {}",
                test.first.len(),
                lines(&test.first)
            );
        }
        for (suffix, contents) in &test.files {
            if suffix.ends_with("err") || suffix == "early" {
                say!("{}", String::from_utf8_lossy(contents));
            }
        }
        let stdout = String::from_utf8_lossy(&test.stdout);
        if !stdout.is_empty() {
            sayln!("standard output: {stdout:?}");
        }
        let ktest = test.to_ktest(&container.run().arguments);
        say!("{}", describe(&format!("{name}.ktest"), &ktest));
    }
    Ok(ExitCode::SUCCESS)
}

/// Lines, those of a file together: `a.c:3-5,9 b.c:7`.
fn lines(all: &[(String, u32)]) -> String {
    let mut text = String::new();
    let sorted: BTreeSet<(&str, u32)> = all.iter().map(|(file, line)| (&**file, *line)).collect();
    let mut last: Option<(&str, u32)> = None;
    let mut open = None;
    for (file, line) in sorted {
        match last {
            Some((before, at)) if before == file && at + 1 == line => open = Some(line),
            _ => {
                if let Some(end) = open.take() {
                    text += &format!("-{end}");
                }
                match last {
                    Some((before, _)) if before == file => text += &format!(",{line}"),
                    Some(_) => text += &format!(" {file}:{line}"),
                    None => text += &format!("{file}:{line}"),
                }
            }
        }
        last = Some((file, line));
    }
    if let Some(end) = open {
        text += &format!("-{end}");
    }
    text
}

fn extract(args: &ExtractArgs) -> Result<ExitCode, Error> {
    let (container, chosen) = chosen(&args.which)?;
    let to = args.output.as_ref().unwrap_or(&args.which.directory);
    write(&container, &chosen, to)?;
    sayln!("{} tests in {}", chosen.len(), to.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes the files of tests.
fn write(container: &Container, chosen: &[u32], to: &Path) -> Result<(), Error> {
    ensure(to)?;
    for &number in chosen {
        library::extract(&container.test(number)?, &container.run().arguments, to)?;
    }
    Ok(())
}

fn minimise(args: &MinimiseArgs) -> Result<ExitCode, Error> {
    let (container, chosen) = chosen(&args.which)?;
    let coverage = coverage(&args.which, &container, &chosen)?;
    let smallest = coverage.smallest();
    for &number in &smallest {
        sayln!("{}", row(&container.test(number)?));
    }
    let (covered, sides) = coverage.branches(None);
    let (kept, _) = coverage.branches(Some(&smallest));
    let (lines, all_lines) = coverage.lines(None);
    sayln!(
        "{} of {} tests cover the same: {kept} of {covered} sides of branches that are covered ({sides} in the program), \
         {lines} of {all_lines} lines",
        smallest.len(),
        chosen.len()
    );
    if let Some(to) = &args.output {
        write(&container, &smallest, to)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Executes tests and says what they cover.
fn coverage(
    which: &WhichArgs,
    container: &Container,
    tests: &[u32],
) -> Result<SuiteCoverage, Error> {
    let prepared = explorer(which, container)?.prepare()?;
    // Its name is part of what the paths saw.
    let prepared = prepared.program_name(container.run().program.as_str());
    let mut seeds = Vec::new();
    for &number in tests {
        let inputs = container.test(number)?.inputs.into_iter();
        let objects: Vec<_> = inputs.map(|input| (input.name, input.bytes)).collect();
        seeds.push(objects.into());
    }
    let mut coverage = SuiteCoverage::new(prepared.program());
    let mut left = 0;
    prepared.replay_tests(seeds, |at, covered| match covered {
        Some(covered) => coverage.add(tests[at], &covered),
        None => left += 1,
    })?;
    if left > 0 {
        note!(
            "plat: WARNING: {left} tests do not fit the program and its options: they are left out"
        );
    }
    Ok(coverage)
}

/// The run that the tests are of, as it was asked for, without what it wrote and its limits.
fn explorer(which: &WhichArgs, container: &Container) -> Result<Explorer<'static>, Error> {
    let run = container.run();
    let wrong = |why: &str| Error::input(format!("{}: {why}", container.path().display()));
    if run.command_line.is_empty() {
        return Err(wrong(
            "the run was asked for by a program, which alone can execute its tests",
        ));
    }
    let line: Vec<OsString> = run.command_line.iter().map(OsString::from).collect();
    let parsed = match args::parse(&line)? {
        Asked::Command(parsed) => parsed.command,
        Asked::Text(_) => return Err(wrong("its command line is none of a run")),
    };
    let program = |named: &Path| -> PathBuf {
        match &which.program {
            Some(program) => program.clone(),
            None => Path::new(&run.directory).join(named),
        }
    };
    let explorer = match parsed {
        Command::Explore(mut args) => {
            args.run.program = program(&args.run.program);
            args.run.seeds = Default::default();
            explore::explorer(&plan::explore(&args)?, &args)
        }
        Command::Run(mut args) => {
            args.program = program(&args.program);
            args.seeds = Default::default();
            let plan = plan::run(&args)?;
            plan.options_of(Explorer::transformed(&plan.program))
        }
        _ => return Err(wrong("its command line is none of a run")),
    };
    let directory = PathBuf::from(&run.directory);
    // No model is needed that draws segments: nothing is symbolic.
    let explorer = explorer.memory_model(memory_models::FORKING);
    Ok(explorer.configure(|config| {
        if config.start.directory.is_none() && directory.is_dir() {
            config.start.directory = Some(directory);
        }
        config.prediction = None;
    }))
}
