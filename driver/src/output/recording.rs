//! The files of one run: tests, messages, statistics, the tree of forks, the head of a test suite,
//! `info` and `summary.json`.

use super::assembly::Lines;
use super::decisions::Decisions;
use super::directory::Directory;
use super::exec_tree::ExecTree;
use super::files::{Files, Suite};
use super::info;
use super::queries::{Asked, QueryLog};
use super::recorder::Recorder;
use super::run_istats::RunIstats;
use super::run_stats::RunStats;
use super::summarise::{About, searchers, summarise};
use super::summary::Summary;
use super::test_files::TestFiles;
use super::tests_jsonl::sha256;
use super::trouble::Trouble;
use super::xml_tests::Metadata;
use crate::broadcast::Broadcast;
use crate::cover::{self, lcov};
use crate::input::{self, Kind};
use crate::llvm::Llvm;
use crate::report::Numbers;
use crate::suite::RunInfo;
use crate::trie;
use crate::{Error, Interrupt};
use plat_engine::{Config, Observer, StopReason};
use plat_env::InputSpec;
use plat_program::Program;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

/// Writes the executed bitcode, as far as it is asked for, before its file goes; what has read it
/// goes on writing its text.
///
/// # Errors
/// When it cannot be written.
pub fn keep_source(
    files: &Files,
    bitcode: &Path,
    llvm: Llvm,
    directory: &Directory,
) -> Result<Lines, Error> {
    if files.module {
        let bytes = std::fs::read(bitcode)
            .map_err(|why| Error::input(format!("{}: {why}", bitcode.display())))?;
        directory.write("final.bc", &bytes)?;
    }
    if files.source {
        let text = llvm.print(&directory.path().join("assembly.ll"));
        return Ok(Lines::printed(text));
    }
    Ok(Lines::default())
}

/// How many of the longest queries a summary has.
const LONGEST: usize = 20;

/// A run that is to be recorded.
#[derive(Clone)]
pub struct Subject<'a> {
    /// The name that the user gave the program.
    pub name: &'a Path,
    /// What is run.
    pub program: &'a Program,
    /// What the engine is told.
    pub config: &'a Config,
    /// What the program gets as input.
    pub input: &'a InputSpec,
    /// How the run was asked for, for `info`.
    pub command_line: Vec<String>,
    /// Time of the stages before the run.
    pub analysis: Duration,
    /// Where instructions stand in `assembly.ll`.
    pub lines: Rc<Lines>,
    /// Ends the run if a file cannot be written.
    pub stop: Interrupt,
    /// The numbers of the tests that are there.
    pub(crate) numbers: Numbers,
}

impl<'a> Subject<'a> {
    /// What writes the files of its tests.
    pub(super) fn test_files(&self, directory: &'a Directory, files: &Files) -> TestFiles<'a> {
        TestFiles {
            directory,
            files: files.clone(),
            args: self.arguments(),
            lines: self.lines.clone(),
            program: self.program,
            external: self.config.external.is_some(),
        }
    }

    /// What its tests say of it.
    pub(super) fn about(&self) -> RunInfo {
        RunInfo {
            program: self.name.display().to_string(),
            arguments: self.arguments(),
            command_line: self.command_line.clone(),
            directory: working_directory(),
        }
    }

    fn arguments(&self) -> Vec<Vec<u8>> {
        let name = self.program.name.as_bytes();
        self.input.recorded_arguments(name)
    }
}

/// What a recording comes to.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The directory.
    pub directory: PathBuf,
    /// The object of `summary.json`.
    pub summary: Summary,
    /// The exit code of the program if it ran on one path, or 128 + the signal that its fault would
    /// have raised.
    pub exit_code: Option<u8>,
    /// Whether the text of the program could be written. What the run has found stays in any case.
    pub text: Result<(), Error>,
}

/// Writes the files of a run. [`Recording::observers`] hear the run.
pub struct Recording<'a> {
    run: Subject<'a>,
    directory: &'a Directory,
    files: Files,
    beginning: String,
    recorder: Recorder<'a>,
    further: Vec<Box<dyn Observer + 'a>>,
    logs: Vec<QueryLog>,
    trouble: Trouble,
}

impl<'a> Recording<'a> {
    /// Makes the files. `show` gets the lines that are for people to see. The directory should be
    /// absolute if the run may go on in another working directory.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn begin(
        directory: &'a Directory,
        files: &Files,
        run: Subject<'a>,
        show: Box<dyn FnMut(&str)>,
    ) -> Result<Self, Error> {
        let beginning = info::beginning(&info::Start {
            command_line: &run.command_line,
            search: &searchers(run.config).join("+"),
            started: SystemTime::now(),
        });
        directory.write("info", beginning.as_bytes())?;
        let trouble = Trouble::new(run.stop);
        let tests = run.test_files(directory, files);
        let about = run.about();
        let numbers = run.numbers.clone();
        let chosen = decisions(run.config, run.program);
        let mut recorder = Recorder::new(tests, about, chosen, show, trouble.clone(), numbers)?;
        recorder.follow(&run.config.search.targets);
        let mut recording = Recording {
            directory,
            files: files.clone(),
            beginning,
            recorder,
            further: Vec::new(),
            logs: Vec::new(),
            trouble,
            run,
        };
        let place = directory.path().display();
        recording.message(&format!("output directory is \"{place}\""));
        recording.open_logs()?;
        recording.open_further()?;
        Ok(recording)
    }

    fn open_logs(&mut self) -> Result<(), Error> {
        self.logs = QueryLog::create_all(self.directory, &self.files.queries)?;
        Ok(())
    }

    fn open_further(&mut self) -> Result<(), Error> {
        let path = |name: &str| self.directory.path().join(name);
        let (program, lines) = (self.run.program, &self.run.lines);
        if let Some(statistics) = self.files.stats {
            let trouble = self.trouble.clone();
            let stats = RunStats::create(&path("run.stats"), program, statistics, trouble)?;
            self.further.push(Box::new(stats));
        }
        if let Some(interval) = self.files.istats {
            let (path, lines, trouble) = (path("run.istats"), lines.clone(), self.trouble.clone());
            let lines = (lines, self.files.source);
            let istats = RunIstats::new(path, program, lines, interval, trouble);
            self.further.push(Box::new(istats));
        }
        if let Some(batch) = self.files.exec_tree {
            let (path, lines, trouble) =
                (path("exec_tree.db"), lines.clone(), self.trouble.clone());
            let tree = ExecTree::create(&path, lines, batch, trouble)?;
            self.further.push(Box::new(tree));
        }
        if self.run.config.trie.keep {
            let header = trie::header::of(program, self.run.config, self.run.input);
            let (session, trouble) = (self.run.command_line.clone(), self.trouble.clone());
            let directory = self.directory.path();
            let mut decisions = Decisions::open(directory, program, &header, trouble)?;
            decisions.follow(self.recorder.tests());
            decisions.begin(session)?;
            self.further.push(Box::new(decisions));
        }
        if let Some(suite) = &self.files.suite {
            let metadata = metadata(suite, &self.run)?;
            self.directory
                .write("metadata.xml", metadata.to_xml().as_bytes())?;
        }
        Ok(())
    }

    /// Has the queries of a run with this configuration logged, as far as that is asked for. The longest
    /// are kept for the summary where costs are recorded at all.
    pub fn log_queries(&self, config: &mut Config) {
        if self.files.istats.is_some() {
            config.solver.longest = LONGEST;
        }
        for log in &self.logs {
            let sinks = match log.asked() {
                Asked::All => &mut config.solver.log_all,
                Asked::Solver => &mut config.solver.log,
            };
            sinks.push(log.sink());
        }
    }

    /// Adds a message on the run as a whole.
    pub fn message(&mut self, text: &str) {
        self.recorder.log().message(text);
    }

    /// Adds what is to observe the run.
    pub fn observe<'b>(&'b mut self, all: &mut Broadcast<'b>) {
        all.add(&mut self.recorder);
        for observer in &mut self.further {
            all.add(&mut **observer);
        }
    }

    /// Completes the files.
    ///
    /// # Errors
    /// When one of them could not be written.
    pub fn finish(mut self, run: &plat_engine::Summary) -> Result<Recorded, Error> {
        for log in self.logs {
            log.finish()?;
        }
        let config = self.run.config;
        match run.reason {
            _ if config.errors.end_at_first && has_errors(run) => self.recorder.ends_for_error(),
            StopReason::Limit(_) if config.tests.of_live_states => self
                .recorder
                .log()
                .message("halting execution, dumping remaining states"),
            _ => {}
        }
        let (tests, exit_code) = self.recorder.finish();
        self.trouble.check()?;
        let about = About {
            program: self.run.name,
            config,
        };
        if self.files.lcov {
            let covered = cover::of_run(self.run.program, &run.profile, &run.branches);
            self.directory
                .write(cover::FILE, lcov::write(&covered).as_bytes())?;
        }
        let mut summary = summarise(&about, self.run.program, run);
        summary.tests = u64::from(tests);
        summary.order.targets = self.recorder.targets();
        summary.analysis_wall_s = self.run.analysis.as_secs_f64();
        self.directory
            .write("summary.json", summary.to_json().as_bytes())?;
        let names = self.files.names;
        let end = info::end(&summary, &run.solver, SystemTime::now(), run.elapsed, names);
        self.directory
            .write("info", (self.beginning + &end).as_bytes())?;
        Ok(Recorded {
            directory: self.directory.path().to_path_buf(),
            summary,
            exit_code,
            text: self.run.lines.finish(),
        })
    }
}

/// The directory that the process is in; empty if that cannot be said.
fn working_directory() -> String {
    let directory = std::env::current_dir();
    directory.map_or_else(|_| String::new(), |path| path.display().to_string())
}

/// The options of a run that change what its paths do.
pub(super) fn decisions(config: &Config, program: &Program) -> BTreeMap<String, String> {
    let memory = &config.memory;
    let options = [
        ("entry-point", config.start.entry_point.clone()),
        ("memory-model", memory.model_of(program).name().to_owned()),
        ("allocator", memory.allocator.name().to_owned()),
        ("symbolic-size", format!("{:?}", memory.symbolic_size)),
        ("size-capacity", memory.size_capacity.to_string()),
        ("merging", format!("{:?}", config.search.merging)),
        ("checks", format!("{:?}", config.checks)),
    ];
    options.map(|(name, value)| (name.to_owned(), value)).into()
}

/// Whether some path has ended in a fault or in something unsupported.
pub fn has_errors(run: &plat_engine::Summary) -> bool {
    run.counts.faults + run.counts.repeated_faults + run.counts.unsupported > 0
}

/// What a test suite says of the run.
fn metadata(suite: &Suite, run: &Subject<'_>) -> Result<Metadata, Error> {
    let file = suite
        .program_file
        .clone()
        .unwrap_or_else(|| run.name.display().to_string());
    let hash = match &suite.program_hash {
        Some(hash) => hash.clone(),
        None => {
            input::check(Path::new(&file), Kind::Bitcode)?;
            let bytes = std::fs::read(&file).map_err(|why| {
                Error::input(format!(
                    "{file}: {why}; --xml-metadata-programhash names its hash"
                ))
            })?;
            sha256(&bytes)
        }
    };
    Ok(Metadata {
        errors: run.config.errors.end_at_first || !run.config.errors.end_at.is_empty(),
        program_file: file,
        program_hash: hash,
        entry: run.config.start.entry_point.clone(),
        created: info::date(SystemTime::now()).replace(' ', "T") + "Z",
    })
}
