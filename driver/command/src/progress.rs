//! What a run shows while it runs: a line that renews itself on a terminal, a plain line every ten
//! seconds elsewhere, nothing when asked to be quiet. All of it on standard error.

use crate::say::{self, note};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plat_engine::{Observer, Progress};
use plat_program::Program;
use std::time::Duration;

/// Time between plain lines.
const INTERVAL: Duration = Duration::from_secs(10);

/// Where progress goes.
#[derive(Clone)]
pub struct Display {
    /// Instructions of the program: all that can be covered.
    instructions: usize,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Quiet,
    /// The next line is due then.
    Plain(Duration),
    /// A bar without a length: nobody knows how many paths there are.
    Bar(ProgressBar),
}

impl Display {
    /// What fits standard error.
    pub fn new(quiet: bool) -> Self {
        let kind = if quiet {
            Kind::Quiet
        } else if say::errors_are_on_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
            let style = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            Kind::Bar(bar)
        } else {
            Kind::Plain(INTERVAL)
        };
        Display {
            instructions: 0,
            kind,
        }
    }

    /// The same for a run of a program that begins now.
    pub fn of(&self, program: &Program) -> Self {
        if let Kind::Bar(bar) = &self.kind {
            bar.reset_elapsed();
        }
        Display {
            instructions: program.inst_count(),
            kind: self.kind.clone(),
        }
    }

    /// Shows how far a run is.
    pub fn show(&mut self, progress: &Progress<'_>) {
        let text = || text(progress, self.instructions);
        match &mut self.kind {
            Kind::Plain(due) if progress.elapsed >= *due => {
                *due = progress.elapsed + INTERVAL;
                note!("plat: {:.0} s: {}", progress.elapsed.as_secs_f64(), text());
            }
            Kind::Bar(bar) => {
                bar.set_message(text());
                bar.tick();
            }
            Kind::Quiet | Kind::Plain(_) => {}
        }
    }

    /// Puts a line above the progress.
    pub fn line(&self, line: &str) {
        match &self.kind {
            Kind::Quiet => {}
            Kind::Plain(_) => note!("{line}"),
            Kind::Bar(bar) => bar.suspend(|| note!("{line}")),
        }
    }

    /// Writes to the terminal with the progress out of the way.
    pub fn aside(&self, write: impl FnOnce()) {
        match &self.kind {
            Kind::Bar(bar) => bar.suspend(write),
            Kind::Quiet | Kind::Plain(_) => write(),
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// Shows the progress of a run and what the program writes.
pub struct Screen {
    /// Where.
    pub display: Display,
    /// Whether standard output of the program is shown.
    pub output: bool,
}

impl Observer for Screen {
    fn progress(&mut self, progress: &Progress<'_>) {
        self.display.show(progress);
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        self.display.aside(|| match descriptor {
            2 => say::pass_on_error(bytes),
            _ if self.output => say::pass_on(bytes),
            _ => {}
        });
    }
}

/// Shows the progress of a run that leaves nothing else.
pub struct Watcher(pub Display);

impl Observer for Watcher {
    fn progress(&mut self, progress: &Progress<'_>) {
        self.0.show(progress);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.finish();
    }
}

fn text(progress: &Progress<'_>, instructions: usize) -> String {
    let seconds = progress.elapsed.as_secs_f64().max(1e-3);
    let deferred = match progress.deferred {
        0 => String::new(),
        deferred => format!(" ({deferred} deferred)"),
    };
    format!(
        "{} paths, {} states{deferred}, {:.0} queries/s, coverage {:.1} %, {} MiB ({} MiB of them expressions)",
        progress.counts.paths(),
        progress.states,
        progress.solver.queries as f64 / seconds,
        100.0 * progress.covered as f64 / instructions.max(1) as f64,
        progress.resident >> 20,
        progress.pool >> 20,
    )
}
