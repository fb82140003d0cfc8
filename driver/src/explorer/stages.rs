//! The stages before the run.

use super::{Explorer, Room, Subject, resume};
use crate::ideal::regroup;
use crate::libc::{self, Libc};
use crate::llvm::Llvm;
use crate::output::assembly::Lines;
use crate::output::directory::{Directory, write_whole};
use crate::output::instructions::{Columns, Instructions, Listener};
use crate::output::recording::keep_source;
use crate::pipeline::{self, Linking, Prepared as Annotated, StageFiles};
use crate::prediction::prediction;
use crate::scratch::Scratch;
use crate::{Error, Interrupt, corpus, fuzzing};
use plat_engine::{Config, Hook, Merging, Observer};
use plat_memory::model::ModelChoice;
use plat_program::Program;
use plat_segments::Unify;
use plat_transform::{LinkReport, TransformError};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// A program that the C library has been added to.
pub struct Linked<'a> {
    explorer: Explorer<'a>,
    room: Option<(Room, Libc)>,
    report: LinkReport,
    started: Instant,
}

/// A program that can be run.
pub struct Prepared<'a> {
    pub(super) explorer: Explorer<'a>,
    pub(super) program: Cow<'a, Program>,
    pub(super) written: Option<Written>,
    /// What the stages did without, as far as nobody was told.
    pub(super) warnings: Vec<String>,
    pub(super) analysis: Duration,
}

/// The directory of a run that has not begun, with its first files.
pub(super) struct Written {
    pub directory: Directory,
    /// Where instructions stand in `assembly.ll`.
    pub lines: Rc<Lines>,
}

impl Written {
    /// The run has failed.
    pub fn abandon(&self) {
        self.lines.abandon();
        self.directory.abandon();
    }
}

impl<'a> Explorer<'a> {
    /// Adds the C library. What is run as it is passes through.
    ///
    /// # Errors
    /// When the program is not usable or does not have the function that it starts in.
    pub fn link(mut self) -> Result<Linked<'a>, Error> {
        let started = Instant::now();
        let (mut room, mut report) = (None, LinkReport::default());
        if let Subject::Bitcode(path) = self.subject.clone() {
            let libc = libc::find(self.stages.libc.as_deref())?;
            let scratch = self.make(|_| Scratch::create(), Scratch::path)?;
            let linking = Linking {
                further: self.stages.further.clone(),
                entry: self.config.start.entry_point.clone(),
                optimize: self.stages.optimize,
                aliases: self.stages.aliases.clone(),
                lower_switches: self.stages.lower_switches,
            };
            let files = StageFiles::within(scratch.path());
            let input = match self.stages.contents.take() {
                Some(contents) => {
                    let copy = scratch.path().join("program.bc");
                    write_whole(&copy, &contents)?;
                    copy
                }
                None => path,
            };
            let linked = pipeline::link(&self.processes, &input, &linking, &libc, &files.linked);
            report = linked.map_err(|why| scratch.explain(why))?;
            room = Some((Room { scratch, files }, libc));
        }
        Ok(Linked {
            explorer: self,
            room,
            report,
            started,
        })
    }

    /// All stages before the run.
    ///
    /// # Errors
    /// When one of them fails.
    pub fn prepare(self) -> Result<Prepared<'a>, Error> {
        self.link()?.prepare()
    }

    fn directory(&mut self, program: &Path) -> Result<Option<Directory>, Error> {
        if self.output.is_none() {
            return Ok(None);
        }
        if let Some(output) = self.output.as_ref().filter(|output| output.goes_on()) {
            // It is not this run's to remove.
            return output.create(program).map(Some);
        }
        let create = |explorer: &Self| match &explorer.output {
            Some(output) => output.create(program),
            None => Err(Error::internal("no output")),
        };
        self.make(create, Directory::path).map(Some)
    }
}

impl<'a> Linked<'a> {
    /// What the user should know about the link.
    pub fn report(&self) -> &LinkReport {
        &self.report
    }

    /// The other stages: analysis, segments, annotation, as the memory model asks.
    ///
    /// # Errors
    /// When one of them fails, nothing can be replaced by what an alias names, or the program does not have
    /// the function that it starts in.
    pub fn prepare(self) -> Result<Prepared<'a>, Error> {
        let Linked {
            explorer,
            room,
            report,
            started,
        } = self;
        report.check().map_err(Error::input)?;
        check_segments(&explorer)?;
        match (explorer.subject.clone(), room) {
            (Subject::Bitcode(path), Some((room, libc))) => {
                let prepared = all_stages(explorer, &path, &room, &libc, started);
                prepared.map_err(|why| room.scratch.explain(why))
            }
            (Subject::Bitcode(path) | Subject::Transformed(path), _) => transformed(explorer, path),
            (Subject::Program(program), _) => in_memory(explorer, program),
        }
    }
}

/// A linked program through the other stages. It is usable. Before the longer stages: so is the
/// directory?
fn all_stages<'a>(
    mut explorer: Explorer<'a>,
    path: &Path,
    room: &Room,
    libc: &Libc,
    started: Instant,
) -> Result<Prepared<'a>, Error> {
    let directory = explorer.directory(path)?;
    let prepared = annotate_and_keep(explorer, path, room, libc, directory.as_ref());
    let mut prepared = prepared.inspect_err(|_| directory.iter().for_each(Directory::abandon))?;
    prepared.analysis = started.elapsed();
    Ok(prepared)
}

fn annotate_and_keep<'a>(
    mut explorer: Explorer<'a>,
    path: &Path,
    room: &Room,
    libc: &Libc,
    directory: Option<&Directory>,
) -> Result<Prepared<'a>, Error> {
    let mut warnings = Vec::new();
    let mut told = explorer.on_warning.take();
    let warn = &mut |line: &str| match &mut told {
        Some(told) => told(line),
        None => warnings.push(line.to_string()),
    };
    let (mut program, llvm) = annotated(&explorer, room, libc, warn)?;
    // The program is told its name as given, not that of the file made from it.
    let told = explorer.told.take();
    program.name = told.unwrap_or_else(|| path.to_string_lossy().into_owned());
    check_points_to(&mut explorer, &program)?;
    if let Some(line) = fit(&mut explorer, &program)? {
        warn(&line);
    }
    check_entry(&program, &explorer.config, path)?;
    check_goes_on(&explorer, &program, directory)?;
    let written = keep(
        &explorer,
        &program.name,
        Some(&room.files),
        &room.files.transformed,
        llvm,
        directory,
    )?;
    Ok(Prepared {
        explorer,
        program: Cow::Owned(program),
        written,
        warnings,
        analysis: Duration::ZERO,
    })
}

/// A linked program with the annotations that its memory model wants, and the process that has read
/// it.
fn annotated(
    explorer: &Explorer<'_>,
    room: &Room,
    libc: &Libc,
    warn: &mut dyn FnMut(&str),
) -> Result<Annotated, Error> {
    let (processes, files, stages) = (&explorer.processes, &room.files, &explorer.stages);
    match &stages.segments {
        Some(segments) => pipeline::prepare_with(processes, files, segments, libc),
        None if !wants_analysis(explorer) => pipeline::prepare_without(processes, files, libc),
        None => {
            let unify = united(explorer);
            pipeline::prepare(processes, files, libc, unify, stages.budget, warn)
        }
    }
}

/// A program that has been through the stages.
fn transformed(mut explorer: Explorer<'_>, path: PathBuf) -> Result<Prepared<'_>, Error> {
    let mut llvm = Llvm::start(&explorer.processes)?;
    let mut program = llvm.read(&path)?;
    if let Some(told) = explorer.told.take() {
        program.name = told;
    }
    let warning = fit(&mut explorer, &program)?;
    check_entry(&program, &explorer.config, &path)?;
    if let Some(map) = &explorer.stages.segments {
        apply_segments(&mut program, map)?;
    }
    check_points_to(&mut explorer, &program)?;
    let directory = explorer.directory(&path)?;
    check_goes_on(&explorer, &program, directory.as_ref())
        .inspect_err(|_| directory.iter().for_each(Directory::abandon))?;
    let written = keep(
        &explorer,
        &program.name,
        None,
        &path,
        llvm,
        directory.as_ref(),
    )
    .inspect_err(|_| directory.iter().for_each(Directory::abandon))?;
    Ok(Prepared {
        explorer,
        program: Cow::Owned(program),
        written,
        warnings: warning.into_iter().collect(),
        analysis: Duration::ZERO,
    })
}

/// What a run of this program is told: of a fuzzer's harness, and of seeds of plain bytes. Says what
/// the user should know of them.
fn fit(explorer: &mut Explorer<'_>, program: &Program) -> Result<Option<String>, Error> {
    let raw = std::mem::take(&mut explorer.raw_seeds);
    let longest = raw.iter().map(|seed| seed.bytes.len()).max();
    fuzzing::fit(&mut explorer.config, program, longest.unwrap_or(0));
    corpus::add_seeds(&mut explorer.config, &explorer.input, program, &raw)
}

/// Gives a program the groups of a segment map in a file.
fn apply_segments(program: &mut Program, map: &Path) -> Result<(), Error> {
    let groups = pipeline::segment_map(map)?;
    regroup(program, &groups, &map.display().to_string())
}

/// The caller's program. There is no bitcode to keep.
fn in_memory<'a>(mut explorer: Explorer<'a>, program: &'a Program) -> Result<Prepared<'a>, Error> {
    let warning = fit(&mut explorer, program)?;
    check_entry(program, &explorer.config, Path::new(&program.name))?;
    let mut program = Cow::Borrowed(program);
    if let Some(map) = &explorer.stages.segments {
        apply_segments(program.to_mut(), map)?;
    }
    check_points_to(&mut explorer, &program)?;
    let directory = explorer.directory(Path::new(&program.name))?;
    let written = directory.map(|directory| Written {
        directory,
        lines: Rc::default(),
    });
    Ok(Prepared {
        explorer,
        program,
        written,
        warnings: warning.into_iter().collect(),
        analysis: Duration::ZERO,
    })
}

/// Writes what is known before the run.
fn keep(
    explorer: &Explorer<'_>,
    program: &str,
    stages: Option<&StageFiles>,
    bitcode: &Path,
    llvm: Llvm,
    directory: Option<&Directory>,
) -> Result<Option<Written>, Error> {
    let (Some(directory), Some(output)) = (directory, &explorer.output) else {
        return Ok(None);
    };
    if let Some(stages) = stages.filter(|_| output.files.stages) {
        for file in stages.all().into_iter().filter(|file| file.exists()) {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let bytes = std::fs::read(file)
                .map_err(|why| Error::input(format!("{}: {why}", file.display())))?;
            directory.write(&name, &bytes)?;
        }
    }
    if let Some(map) = map_of_run(explorer, stages) {
        let mut map = pipeline::segment_map(map)?;
        // Not the linked program, which is gone after the run.
        map.program = program.to_owned();
        directory.write(pipeline::SEGMENTS, map.to_json().as_bytes())?;
    }
    let lines = keep_source(&output.files, bitcode, llvm, directory)?;
    Ok(Some(Written {
        directory: directory.clone(),
        lines: Rc::new(lines),
    }))
}

/// Whether the memory model is one that goes by the groups of an analysis.
fn wants_analysis(explorer: &Explorer<'_>) -> bool {
    let model = explorer.config.memory.model.as_ref();
    model.is_some_and(ModelChoice::wants_groups)
}

/// A segment map is of use to some models only.
fn check_segments(explorer: &Explorer<'_>) -> Result<(), Error> {
    let model = explorer.config.memory.model.as_ref();
    match model.filter(|model| !model.wants_groups()) {
        Some(model) if explorer.stages.segments.is_some() => Err(Error::input(format!(
            "a segment map is given, but the memory model {} goes by none: segmented does",
            model.name()
        ))),
        _ => Ok(()),
    }
}

/// The segment map that the run goes by, if there is one.
fn map_of_run<'a>(explorer: &'a Explorer<'_>, stages: Option<&'a StageFiles>) -> Option<&'a Path> {
    let given = explorer.stages.segments.as_deref();
    given.or_else(|| Some(stages?.segments.as_path()).filter(|made| made.exists()))
}

/// Whose points-to sets are united. What input can choose between is known from the flow of data
/// only if paths stay apart: a merged path chooses by the conditions that it has come through.
fn united(explorer: &Explorer<'_>) -> Unify {
    match explorer.stages.unify {
        Unify::Symbolic if explorer.config.search.merging != Merging::Off => Unify::Dereferenced,
        other => other,
    }
}

fn check_points_to(explorer: &mut Explorer<'_>, program: &Program) -> Result<(), Error> {
    if let Some(file) = &explorer.stages.check_points_to {
        explorer.config.prediction = Some(prediction(program, file.as_deref())?.into());
    }
    Ok(())
}

/// Whether a run in the directory of an earlier one would be the same, before files of it are replaced.
fn check_goes_on(
    explorer: &Explorer<'_>,
    program: &Program,
    directory: Option<&Directory>,
) -> Result<(), Error> {
    match directory.filter(|directory| directory.is_of_earlier_run()) {
        Some(directory) => resume::check(directory, program, &explorer.config, &explorer.input),
        None => Ok(()),
    }
}

/// Whether a program has the function that it is to start in. It would otherwise be found only after
/// the output directory was made.
///
/// # Errors
/// If not; the file is named by `path`.
pub fn check_entry(program: &Program, config: &Config, path: &Path) -> Result<(), Error> {
    let entry = &config.start.entry_point;
    match program.function_named(entry) {
        Some(function) if !function.declaration => {
            plat_engine::check_targets(program, config).map_err(Error::input)
        }
        _ => {
            let path = path.display();
            let missing = TransformError::NoEntry(path.to_string(), entry.clone());
            Err(Error::input(missing))
        }
    }
}

impl<'a> Prepared<'a> {
    /// What ends the run from elsewhere.
    #[must_use]
    pub fn interrupt(mut self, interrupt: Interrupt) -> Self {
        self.explorer.interrupt = Some(interrupt);
        self
    }

    /// Adds a hook.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'a) -> Self {
        self.explorer.extensions.hooks.push(Box::new(hook));
        self
    }

    /// Has a line written for each instruction that is executed.
    ///
    /// # Errors
    /// When the run has no directory, or the file cannot be made.
    pub fn print_instructions(self, columns: Columns, to: Listener) -> Result<Self, Error> {
        let Some(written) = &self.written else {
            return Err(Error::input(
                "the lines of instructions need a directory of the run",
            ));
        };
        let (directory, lines) = (&written.directory, Rc::clone(&written.lines));
        let printing = Instructions::new(&self.program, directory, lines, (columns, to))?;
        Ok(self.hook(printing))
    }

    /// Adds an observer.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer + 'a) -> Self {
        self.explorer.observers.push(Box::new(observer));
        self
    }

    /// What is run.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The same, to be run several times.
    pub fn into_program(self) -> Program {
        self.program.into_owned()
    }

    /// What the engine will be told.
    pub fn config(&self) -> &Config {
        &self.explorer.config
    }

    /// The directory of the run, if it has one.
    pub fn directory(&self) -> Option<&Path> {
        let written = self.written.as_ref();
        written.map(|written| written.directory.path())
    }

    /// Gives the run up: what was written for it goes.
    pub fn abandon(self) {
        self.written.iter().for_each(Written::abandon);
    }

    /// Time of the stages before the run.
    pub fn analysis_time(&self) -> Duration {
        self.analysis
    }
}
