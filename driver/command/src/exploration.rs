//! One run: shown while it goes on, its end told, the exit code worked out.

use crate::args::files::PrintedInstructions;
use crate::exit::{self, ENDED_BY_ERROR, LOST_PATHS, WRONG_ANALYSIS};
use crate::interrupt;
use crate::plan::RunPlan;
use crate::progress::{Display, Screen};
use crate::say::{self, note};
use crate::serving::{Page, Port};
use crate::watch::Watch;
use plat::output::checked;
use plat::output::info;
use plat::output::instructions::{Columns, Listener};
use plat::output::recording::{Recorded, has_errors};
use plat::{Error, Outcome, Prepared};
use plat_engine::StopReason;
use std::process::ExitCode;

/// Explores the program and fills its directory. `watch` has watched the stages; at `port` the page is to be
/// served meanwhile.
///
/// # Errors
/// When the program cannot be run at all, or a file cannot be written.
pub fn explore(
    plan: &RunPlan,
    prepared: Prepared<'_>,
    display: &Display,
    (watch, port): (Watch, Option<Port>),
) -> Result<ExitCode, Error> {
    let (prepared, page) = match port {
        Some(port) => port.serve(prepared).map(|(run, page)| (run, Some(page)))?,
        None => (prepared, None),
    };
    let explored = run(plan, prepared, display, watch)?;
    page.into_iter().for_each(Page::finish);
    Ok(explored.failed.unwrap_or_else(|| explored.verdict(plan)))
}

/// A run that is over.
pub struct Explored {
    /// What it has come to.
    pub outcome: Outcome,
    /// The exit code if its account could not be given.
    pub failed: Option<ExitCode>,
}

/// As [`explore`], without a verdict.
///
/// # Errors
/// As [`explore`].
pub fn run(
    plan: &RunPlan,
    prepared: Prepared<'_>,
    display: &Display,
    watch: Watch,
) -> Result<Explored, Error> {
    // From here on an interrupt ends the run and keeps what it has found. None is for nobody: the
    // one takes over before the other lets go.
    let stop = match interrupt::flag() {
        Ok(stop) => stop,
        Err(why) => {
            prepared.abandon();
            return Err(why);
        }
    };
    drop(watch);
    let display = display.of(prepared.program());
    let prepared = match plan.instructions {
        Some(what) => print_instructions(prepared, what, display.clone())?,
        None => prepared,
    };
    let screen = Screen {
        display: display.clone(),
        output: !plan.output.json,
    };
    let outcome = prepared.interrupt(stop).observer(screen).run_observed()?;
    display.finish();
    let Some(recorded) = &outcome.recorded else {
        return Err(Error::internal("the run was not written"));
    };
    let told = tell(plan, &display, &outcome, recorded);
    // What the run has found is written by now and stays, whatever happens to its account.
    let failed = [&recorded.text, &told].into_iter().find_map(|done| {
        let why = done.as_ref().err()?;
        note!("plat: {why}");
        Some(ExitCode::from(exit::code(why)))
    });
    Ok(Explored { outcome, failed })
}

/// Has executed instructions printed.
fn print_instructions<'a>(
    prepared: Prepared<'a>,
    what: PrintedInstructions,
    display: Display,
) -> Result<Prepared<'a>, Error> {
    use PrintedInstructions::{
        AllFile, AllStderr, CompactFile, CompactStderr, SourceFile, SourceStderr,
    };
    let columns = match what {
        AllStderr | AllFile => Columns::All,
        SourceStderr | SourceFile => Columns::Source,
        CompactStderr | CompactFile => Columns::Compact,
    };
    let to = match what {
        AllFile | SourceFile | CompactFile => Listener::File,
        _ => Listener::Other(Box::new(move |line: &str| display.line(line))),
    };
    prepared.print_instructions(columns, to)
}

/// What stands on the screen at the end.
///
/// # Errors
/// When the summary was to go to standard output and cannot.
fn tell(
    plan: &RunPlan,
    display: &Display,
    outcome: &Outcome,
    recorded: &Recorded,
) -> Result<(), Error> {
    if let Some(checked) = &outcome.summary.checked {
        // These are shown even when the run is to be quiet.
        for line in checked::errors(checked) {
            note!("{line}");
        }
        display.line(&checked::closing_line(checked));
    }
    if let Some(exchanged) = outcome.exchanged {
        note!(
            "plat: with the fuzzer: {} inputs taken, {} given",
            exchanged.taken,
            exchanged.given
        );
    }
    display.line("");
    let (summary, names) = (&recorded.summary, plan.files.names);
    for line in info::resolution_lines(summary, names) {
        display.line(&line);
    }
    for line in info::closing_lines(summary, names) {
        display.line(&line);
    }
    if plan.output.json {
        say::print(format_args!("{}", summary.to_json()))?;
    }
    Ok(())
}

impl Explored {
    /// plat's exit code; the program's own where it is asked for and there is one.
    fn verdict(&self, plan: &RunPlan) -> ExitCode {
        let run = &self.outcome.summary;
        let checked = run.checked.as_ref();
        let recorded = self.outcome.recorded.as_ref();
        if run.lost > 0 {
            ExitCode::from(LOST_PATHS)
        } else if checked.is_some_and(|checked| !checked.violations.is_empty()) {
            ExitCode::from(WRONG_ANALYSIS)
        } else if plan.config.errors.end_at_first && has_errors(run) {
            ExitCode::from(ENDED_BY_ERROR)
        } else {
            recorded
                .and_then(|recorded| recorded.exit_code)
                .filter(|_| plan.output.exit_code && run.reason == StopReason::Finished)
                .map_or(ExitCode::SUCCESS, ExitCode::from)
        }
    }
}
