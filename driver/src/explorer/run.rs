//! The run itself.

use super::fuzzer::Exchange;
use super::stages::Written;
use super::{Explorer, Output, Prepared, resume};
use crate::broadcast::Broadcast;
use crate::event::{Caller, Event};
use crate::output::directory::Directory;
use crate::output::files::KeepTrie;
use crate::output::recording::{self, Recording};
use crate::report::{Numbers, Outcome, Report, keep};
use crate::{Error, Interrupt};
use plat_engine::config::TrieConfig;
use plat_engine::{Config, Observer as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

impl Explorer<'_> {
    /// Explores the program and keeps all of its tests.
    ///
    /// # Errors
    /// When a stage fails, or the program cannot be run.
    pub fn run(self) -> Result<Report, Error> {
        self.prepare()?.run()
    }

    /// Explores the program and calls back with what happens, in this thread, until it is told to
    /// stop: [`ControlFlow::Break`] ends the run as its interrupt does. Tests are not kept.
    ///
    /// As an iterator over the tests, in another thread:
    ///
    /// ```
    /// use plat::{Event, Explorer};
    /// use std::ops::ControlFlow;
    /// use std::sync::mpsc::sync_channel;
    ///
    /// # let text = b"program \"p\"\ndefine i32 @main(i32 %0, ptr %1) {\nb0:\n  return 0\n}\n";
    /// let program = plat::parse(text)?;
    /// let (to, tests) = sync_channel(8);
    /// let run = std::thread::spawn(move || {
    ///     Explorer::program(&program).run_with(|event| {
    ///         if let Event::Test(test) = event
    ///             && to.send(test).is_err()
    ///         {
    ///             return ControlFlow::Break(()); // nobody listens any more
    ///         }
    ///         ControlFlow::Continue(())
    ///     })
    /// });
    /// assert_eq!(tests.iter().count(), 1);
    /// let outcome = run.join().unwrap()?;
    /// assert!(outcome.is_complete());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Explorer::run`].
    pub fn run_with(
        self,
        call: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        self.prepare()?.run_with(call)
    }
}

impl Explorer<'_> {
    /// Explores the program. Only observers and hooks hear of it.
    ///
    /// # Errors
    /// As [`Explorer::run`].
    pub fn run_observed(self) -> Result<Outcome, Error> {
        self.prepare()?.run_observed()
    }
}

impl Prepared<'_> {
    /// As [`Explorer::run`].
    ///
    /// # Errors
    /// When the program cannot be run, or a file cannot be written.
    pub fn run(self) -> Result<Report, Error> {
        let mut tests = Vec::new();
        let outcome = self.run_with(|event| {
            if let Event::Test(test) = event {
                keep(&mut tests, *test);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Report { tests, outcome })
    }

    /// As [`Explorer::run_with`].
    ///
    /// # Errors
    /// When the program cannot be run, or a file cannot be written.
    pub fn run_with(
        mut self,
        mut call: impl FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Outcome, Error> {
        let interrupt = self.explorer.interrupt.unwrap_or_default();
        let mut caller = Caller::new(&mut call, interrupt);
        let done = self.explore(interrupt, Some(&mut caller));
        caller.finish();
        done
    }

    /// Explores the program. Only observers and hooks hear of it.
    ///
    /// # Errors
    /// When the program cannot be run, or a file cannot be written.
    pub fn run_observed(mut self) -> Result<Outcome, Error> {
        let interrupt = self.explorer.interrupt.unwrap_or_default();
        self.explore(interrupt, None)
    }

    fn explore(
        &mut self,
        interrupt: Interrupt,
        caller: Option<&mut Caller<'_>>,
    ) -> Result<Outcome, Error> {
        self.start_in_processes();
        let written = self.written.take();
        let done = self.explore_and_write(interrupt, written.as_ref(), caller);
        done.inspect_err(|_| written.iter().for_each(Written::abandon))
    }

    fn explore_and_write(
        &mut self,
        interrupt: Interrupt,
        written: Option<&Written>,
        caller: Option<&mut Caller<'_>>,
    ) -> Result<Outcome, Error> {
        let mut extensions = std::mem::take(&mut self.explorer.extensions);
        let fuzzer = self.explorer.fuzzer.take();
        let exchange = fuzzer.map(|fuzzer| {
            let target = self.explorer.target(&self.program)?;
            Exchange::begin(&fuzzer, &target, interrupt)
        });
        let (exchange, publisher) = match exchange.transpose()? {
            Some((exchange, peers, publisher)) => {
                extensions.seeds = Some(Box::new(peers));
                (Some(exchange), Some(publisher))
            }
            None => (None, None),
        };
        let members = std::mem::take(&mut self.explorer.observers);
        let mut numbers = Numbers::default();
        if let (Some(written), Some(output)) = (written, &self.explorer.output) {
            let (wanted, covered) = (output.files.trie, output.covered.as_deref());
            let late = extensions.seeds.is_some();
            let directory = &written.directory;
            (self.explorer.config.trie, numbers) =
                self.remembered(directory, wanted, late, covered)?;
        }
        let mut config = self.explorer.config.clone();
        let files = self.explorer.output.as_ref();
        let files = files.and_then(|output| output.files.need_one_process());
        let mut recording = match (written, self.explorer.output.take()) {
            (Some(written), Some(output)) => {
                Some(self.record(written, output, interrupt, &mut config, numbers)?)
            }
            _ => None,
        };
        let mut observers = Broadcast::default();
        if let Some(recording) = &mut recording {
            recording.observe(&mut observers);
        }
        for member in members {
            observers.add_boxed(member);
        }
        let beside = publisher.is_some().then_some("it works beside a fuzzer");
        if let Some(publisher) = publisher {
            observers.add(publisher);
        }
        if let Some(caller) = caller {
            observers.add(caller);
        }
        for line in &self.warnings {
            observers.warning(line, false);
        }
        if config.workers.processes > 1
            && let Some(why) = plat_engine::needs_one_process(&config).or(files).or(beside)
        {
            config.workers.processes = 1;
            observers.message(&format!("exploring in one process: {why}"));
        }
        let summary = plat_engine::run_with(
            &self.program,
            &config,
            &self.explorer.input,
            &mut observers,
            extensions,
            interrupt.flag(),
        );
        drop(observers);
        let summary = summary.map_err(Error::input)?;
        let recorded = match recording {
            Some(recording) => Some(recording.finish(&summary)?),
            None => None,
        };
        let exchanged = exchange.map(Exchange::finish).transpose()?;
        Ok(Outcome {
            summary,
            recorded,
            exchanged,
        })
    }

    /// What the run keeps of its decisions, and what it goes on with.
    fn remembered(
        &self,
        directory: &Directory,
        wanted: KeepTrie,
        late_seeds: bool,
        covered: Option<&Path>,
    ) -> Result<(TrieConfig, Numbers), Error> {
        let (program, config) = (&*self.program, &self.explorer.config);
        let refused = plat_engine::keeps_no_trie(config, late_seeds);
        if let (Some(why), true) = (refused, directory.is_of_earlier_run()) {
            let place = directory.path().display();
            return Err(Error::input(format!(
                "{place}: the run cannot go on: {why}"
            )));
        }
        if let (Some(why), KeepTrie::Always) = (refused, wanted) {
            return Err(Error::input(format!(
                "--write-trie: the run cannot keep its decisions: {why}"
            )));
        }
        if directory.is_of_earlier_run() {
            let up = resume::take_up(directory, program, config, &self.explorer.input, covered)?;
            let trie = TrieConfig {
                // Nodes of the earlier run that this one does not have keep their numbers.
                next: up.config.next.max(config.trie.next),
                changed: Arc::clone(&config.trie.changed),
                ..up.config
            };
            return Ok((trie, up.numbers));
        }
        let keep = wanted != KeepTrie::Never && refused.is_none();
        let trie = TrieConfig {
            keep,
            ..TrieConfig::default()
        };
        Ok((trie, Numbers::default()))
    }

    /// Begins to fill the directory.
    fn record<'r>(
        &'r self,
        written: &'r Written,
        output: Output,
        interrupt: Interrupt,
        config: &mut Config,
        numbers: Numbers,
    ) -> Result<Recording<'r>, Error> {
        let subject = recording::Subject {
            name: self.explorer.name(),
            program: &self.program,
            config: &self.explorer.config,
            input: &self.explorer.input,
            command_line: output.command_line,
            analysis: self.analysis,
            lines: written.lines.clone(),
            stop: interrupt,
            numbers,
        };
        let directory = &written.directory;
        let recording = Recording::begin(directory, &output.files, subject, output.show)?;
        recording.log_queries(config);
        Ok(recording)
    }
}
