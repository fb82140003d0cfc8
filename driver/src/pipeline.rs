//! The stages before the run, from file to file, in the order in which they follow each other.

use crate::Error;
use crate::input::{self, Kind};
use crate::libc::Libc;
use crate::llvm::{Link, Llvm, Transform};
use crate::output::directory::write_whole;
use crate::processes::Processes;
use crate::scratch::Scratch;
use plat_pointers::{PointsTo, Precision};
use plat_program::Program;
use plat_segments::{SegmentMap, Unify};
use plat_transform::{
    Annotations, ContextAnnotation, FunctionAlias, LinkReport, SiteAnnotation, TransformReport,
};
use std::path::{Path, PathBuf};

/// What a program is linked of, beside its own bitcode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linking {
    /// Further files of bitcode that belong to the program. Default none.
    pub further: Vec<PathBuf>,
    /// The function that the program starts in. Default `main`.
    pub entry: String,
    /// Optimise the program with LLVM's passes first. They assume that it does nothing undefined, so
    /// that faults can vanish. Default false.
    pub optimize: bool,
    /// Functions that stand in for others wherever these are used. Default none.
    pub aliases: Vec<FunctionAlias>,
    /// Make comparisons of switches, in the program and in the library. Default false.
    pub lower_switches: bool,
}

impl Default for Linking {
    fn default() -> Self {
        Linking {
            further: Vec::new(),
            entry: "main".into(),
            optimize: false,
            aliases: Vec::new(),
            lower_switches: false,
        }
    }
}

/// Adds the C library and lowers: bitcode to bitcode.
///
/// # Errors
/// When the input is not usable or does not have the function that it starts in.
pub fn link(
    processes: &Processes,
    input: &Path,
    linking: &Linking,
    libc: &Libc,
    out: &Path,
) -> Result<LinkReport, Error> {
    let further = linking.further.iter();
    Llvm::start(processes)?.link(Link {
        input: input.into(),
        further: further.map(|file| file.clone().into()).collect(),
        entry: Some(linking.entry.clone()),
        library: Some(libc.archive.clone().into()),
        cxx_library: libc.cxx.clone().map(Into::into),
        optimize: linking.optimize,
        aliases: linking.aliases.clone(),
        lower_switches: linking.lower_switches,
        out: out.into(),
        last: true,
    })
}

/// Computes points-to sets.
///
/// # Errors
/// When (with `check`) the solution is wrong.
pub fn analyze(
    program: &Program,
    config: &plat_pointers::PointsToConfig,
) -> Result<PointsTo, Error> {
    plat_taint::analyze_checked(program, config).map_err(Error::analysis)
}

/// What the analysis did without to stay within its budget, a line each.
pub fn coarseness(sets: &PointsTo, budget: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let precision = sets.statistics.precision;
    if precision != Precision::Full {
        lines.push(format!(
            "the analysis exceeded its budget (for points-to sets {budget} million operations, \
             --analysis-budget) and does without {}",
            precision.lacks()
        ));
    }
    if sets.symbolic.is_none() && precision != Precision::NoDistinction {
        lines.push(
            "which pointers symbolic input can choose was not found within the budget \
             (--analysis-budget): segments unite what any dereferenced pointer may reach"
                .to_string(),
        );
    }
    lines
}

/// The points-to sets of a program.
///
/// # Errors
/// When the file is not usable, or they do not belong together.
pub fn analyzed(program: &Program, points_to: &Path) -> Result<PointsTo, Error> {
    input::check(points_to, Kind::PointsTo)?;
    let sets = PointsTo::read(points_to).map_err(Error::input)?;
    sets.matches(program, &points_to.display().to_string())
        .map_err(Error::input)?;
    Ok(sets)
}

/// Writes the groups into the bitcode and rewrites realloc: bitcode to bitcode.
///
/// # Errors
/// When an input is not usable, or they do not belong together.
pub fn transform(
    processes: &Processes,
    input: &Path,
    segments: &SegmentMap,
    libc: &Libc,
    out: &Path,
) -> Result<TransformReport, Error> {
    Llvm::start(processes)?.transform(transformation(
        input,
        annotations(segments),
        libc,
        out,
        true,
    ))
}

fn transformation(
    input: &Path,
    annotations: Annotations,
    libc: &Libc,
    out: &Path,
    last: bool,
) -> Transform {
    Transform {
        input: input.into(),
        annotations,
        realloc: libc.realloc.clone().into(),
        out: out.into(),
        last,
    }
}

/// What is run, and the process that has read it.
pub type Prepared = (Program, Llvm);

/// Makes what is run of what is linked, and reads it.
fn annotate(
    processes: &Processes,
    files: &StageFiles,
    annotations: Annotations,
    libc: &Libc,
) -> Result<Prepared, Error> {
    let mut llvm = Llvm::start(processes)?;
    let (linked, transformed) = (&files.linked, &files.transformed);
    llvm.transform(transformation(
        linked,
        annotations,
        libc,
        transformed,
        false,
    ))?;
    Ok((llvm.read(transformed)?, llvm))
}

/// The last stage for a segment map, and what it has made.
///
/// # Errors
/// When the stage fails.
pub fn apply(
    processes: &Processes,
    files: &StageFiles,
    segments: &SegmentMap,
    libc: &Libc,
) -> Result<Prepared, Error> {
    annotate(processes, files, annotations(segments), libc)
}

/// Reads bitcode.
///
/// # Errors
/// When it is not usable.
pub fn read(processes: &Processes, path: &Path) -> Result<Program, Error> {
    Llvm::start(processes)?.read(path)
}

/// Reads bitcode in the form that the analysis is made for: jumps to computed labels and vector
/// operations replaced. What has no `main` is read as it is.
///
/// # Errors
/// When it is not usable.
pub fn read_lowered(
    processes: &Processes,
    path: &Path,
    scratch: &Scratch,
) -> Result<Program, Error> {
    let program = read(processes, path)?;
    let main = program.function_names.get("main");
    if main.is_none_or(|&main| program.function(main).declaration) {
        return Ok(program);
    }
    let lowered = scratch.path().join("lowered.bc");
    let mut llvm = Llvm::start(processes)?;
    let linked = llvm.link(Link {
        input: path.into(),
        further: Vec::new(),
        entry: None,
        library: None,
        cxx_library: None,
        optimize: false,
        aliases: Vec::new(),
        lower_switches: false,
        out: lowered.clone().into(),
        last: false,
    });
    let program = linked.and_then(|_| llvm.read(&lowered));
    program.map_err(|why| scratch.explain(why))
}

fn annotations(segments: &SegmentMap) -> Annotations {
    let sites = segments.sites.iter().map(|site| SiteAnnotation {
        function: site.function.clone(),
        call: site.call,
        site: site.id.0,
    });
    let contexts = segments.contexts.iter().map(|context| ContextAnnotation {
        group: context.group.map(|group| group.0),
        chain: context.chain.iter().map(|site| site.0).collect(),
    });
    Annotations {
        sites: sites.collect(),
        contexts: contexts.collect(),
    }
}

/// The name of the segment map, among the files of the stages and in the directory of a run.
pub const SEGMENTS: &str = "segments.json";

/// The files of the stages in one directory.
#[derive(Clone, Debug)]
pub struct StageFiles {
    /// After linking.
    pub linked: PathBuf,
    /// Points-to sets.
    pub points_to: PathBuf,
    /// The segment map.
    pub segments: PathBuf,
    /// After transformation: what is run.
    pub transformed: PathBuf,
}

impl StageFiles {
    /// Their names in a directory.
    pub fn within(directory: &Path) -> Self {
        StageFiles {
            linked: directory.join("linked.bc"),
            points_to: directory.join("linked.pts"),
            segments: directory.join(SEGMENTS),
            transformed: directory.join("transformed.bc"),
        }
    }

    /// All of them.
    pub fn all(&self) -> [&Path; 4] {
        [
            &self.linked,
            &self.points_to,
            &self.segments,
            &self.transformed,
        ]
    }
}

/// The stages after linking, all at once. `warn` is told what the analysis did without.
///
/// # Errors
/// When one of them fails.
pub fn prepare(
    processes: &Processes,
    files: &StageFiles,
    libc: &Libc,
    unify: Unify,
    budget: u64,
    warn: &mut dyn FnMut(&str),
) -> Result<Prepared, Error> {
    let program = read(processes, &files.linked)?;
    let config = plat_pointers::PointsToConfig {
        budget,
        ..plat_pointers::PointsToConfig::default()
    };
    let sets = plat_taint::analyze_checked(&program, &config).map_err(Error::input)?;
    coarseness(&sets, budget).iter().for_each(|line| warn(line));
    write_whole(&files.points_to, sets.to_json().as_bytes())?;
    let mut segments = plat_segments::partition(&program, &sets, unify);
    segments.note_unions(&program, &sets);
    write_whole(&files.segments, segments.to_json().as_bytes())?;
    apply(processes, files, &segments, libc)
}

/// The stages after linking for a memory model that asks for no segment map: nothing is analysed.
///
/// # Errors
/// When one of them fails.
pub fn prepare_without(
    processes: &Processes,
    files: &StageFiles,
    libc: &Libc,
) -> Result<Prepared, Error> {
    annotate(processes, files, Annotations::default(), libc)
}

/// Reads a segment map.
///
/// # Errors
/// When it is not usable.
pub fn segment_map(path: &Path) -> Result<SegmentMap, Error> {
    input::check(path, Kind::Segments)?;
    SegmentMap::read(path).map_err(Error::input)
}

/// The stages after linking with a segment map that is there already.
///
/// # Errors
/// When one of them fails, or the map was made for another program.
pub fn prepare_with(
    processes: &Processes,
    files: &StageFiles,
    segments: &Path,
    libc: &Libc,
) -> Result<Prepared, Error> {
    let map = segment_map(segments)?;
    let program = read(processes, &files.linked)?;
    if map.fingerprint != plat_pointers::report::fingerprint(&program) {
        return Err(Error::input(format!(
            "{}: made for another program ({})",
            segments.display(),
            map.program
        )));
    }
    write_whole(&files.segments, map.to_json().as_bytes())?;
    apply(processes, files, &map, libc)
}
