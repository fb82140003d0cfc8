//! The stages before the run, from file to file, in the order in which they follow each other.

use crate::args::linking::LinkingArgs;
use crate::failure::Failure;
use crate::input::{self, Kind};
use crate::libc::Libc;
use crate::llvm::{Link, Llvm, Transform};
use crate::output::directory::write_whole;
use crate::say::note;
use crate::scratch::Scratch;
use crate::watch::Watch;
use plat_pointers::{PointsTo, Precision};
use plat_program::Program;
use plat_segments::{SegmentMap, Unify};
use plat_transform::{Annotations, ContextAnnotation, LinkReport, SiteAnnotation, TransformReport};
use std::path::{Path, PathBuf};

/// Adds the C library and lowers: bitcode to bitcode.
///
/// # Errors
/// When the input is not usable or does not have the function that it starts in.
pub fn link(
    input: &Path,
    linking: &LinkingArgs,
    entry: &str,
    libc: &Libc,
    out: &Path,
) -> Result<LinkReport, Failure> {
    let further = linking.link_llvm_lib.iter();
    Llvm::start()?.link(Link {
        input: input.into(),
        further: further.map(|file| file.clone().into()).collect(),
        entry: Some(entry.to_owned()),
        library: Some(libc.archive.clone().into()),
        optimize: linking.optimize,
        out: out.into(),
        last: true,
    })
}

/// Computes points-to sets.
///
/// # Errors
/// When (with `check`) the solution is wrong.
pub fn analyze(program: &Program, config: &plat_pointers::Config) -> Result<PointsTo, Failure> {
    let sets = plat_taint::analyze_checked(program, config).map_err(defect)?;
    warn_if_coarse(&sets, config.budget);
    Ok(sets)
}

/// Says what the analysis did without to stay within its budget.
fn warn_if_coarse(sets: &PointsTo, budget: u64) {
    let precision = sets.statistics.precision;
    if precision != Precision::Full {
        note!(
            "plat: WARNING: the analysis exceeded its budget (for points-to sets {budget} million \
             operations, --analysis-budget) and does without {}",
            precision.lacks()
        );
    }
    if sets.symbolic.is_none() {
        note!(
            "plat: WARNING: which pointers symbolic input can choose was not found within the budget \
             (--analysis-budget): segments unite what any dereferenced pointer may reach"
        );
    }
}

/// The solvers do not agree, or one of them is wrong: exit code 1.
pub fn defect(defect: plat_pointers::analyze::Defect) -> Failure {
    Failure {
        code: 1,
        ..Failure::input(defect)
    }
}

/// The points-to sets of a program.
///
/// # Errors
/// When the file is not usable, or they do not belong together.
pub fn analyzed(program: &Program, points_to: &Path) -> Result<PointsTo, Failure> {
    input::check(points_to, Kind::PointsTo)?;
    let sets = PointsTo::read(points_to).map_err(Failure::input)?;
    sets.matches(program, &points_to.display().to_string())
        .map_err(Failure::input)?;
    Ok(sets)
}

/// Writes the groups into the bitcode and rewrites realloc: bitcode to bitcode.
///
/// # Errors
/// When an input is not usable, or they do not belong together.
pub fn transform(
    input: &Path,
    segments: &SegmentMap,
    libc: &Libc,
    out: &Path,
) -> Result<TransformReport, Failure> {
    Llvm::start()?.transform(transformation(
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
    files: &StageFiles,
    annotations: Annotations,
    libc: &Libc,
) -> Result<Prepared, Failure> {
    let mut llvm = Llvm::start()?;
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
pub fn apply(files: &StageFiles, segments: &SegmentMap, libc: &Libc) -> Result<Prepared, Failure> {
    annotate(files, annotations(segments), libc)
}

/// Reads bitcode.
///
/// # Errors
/// When it is not usable.
pub fn read(path: &Path) -> Result<Program, Failure> {
    Llvm::start()?.read(path)
}

/// Reads bitcode in the form that the analysis is made for: jumps to computed labels and vector
/// operations replaced. What has no `main` is read as it is.
///
/// # Errors
/// When it is not usable.
pub fn read_lowered(path: &Path) -> Result<Program, Failure> {
    let program = read(path)?;
    let main = program.function_names.get("main");
    if main.is_none_or(|&main| program.function(main).declaration) {
        return Ok(program);
    }
    let watch = Watch::unbounded()?;
    let scratch = Scratch::create(&watch)?;
    // A process that has let go of signals would be deaf to them.
    std::mem::forget(watch);
    let lowered = scratch.path().join("lowered.bc");
    let mut llvm = Llvm::start()?;
    let linked = llvm.link(Link {
        input: path.into(),
        further: Vec::new(),
        entry: None,
        library: None,
        optimize: false,
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
            segments: directory.join("segments.json"),
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

/// The stages after linking, all at once.
///
/// # Errors
/// When one of them fails.
pub fn prepare(
    files: &StageFiles,
    libc: &Libc,
    unify: Unify,
    budget: u64,
) -> Result<Prepared, Failure> {
    let program = read(&files.linked)?;
    let config = plat_pointers::Config {
        budget,
        ..plat_pointers::Config::default()
    };
    let sets = plat_taint::analyze_checked(&program, &config).map_err(Failure::input)?;
    warn_if_coarse(&sets, budget);
    write_whole(&files.points_to, sets.to_json().as_bytes())?;
    let segments = plat_segments::partition(&program, &sets, unify);
    write_whole(&files.segments, segments.to_json().as_bytes())?;
    apply(files, &segments, libc)
}

/// The stages after linking for a memory model that asks for no segment map: nothing is analysed.
///
/// # Errors
/// When one of them fails.
pub fn prepare_without(files: &StageFiles, libc: &Libc) -> Result<Prepared, Failure> {
    annotate(files, Annotations::default(), libc)
}

/// Reads a segment map.
///
/// # Errors
/// When it is not usable.
pub fn segment_map(path: &Path) -> Result<SegmentMap, Failure> {
    input::check(path, Kind::Segments)?;
    SegmentMap::read(path).map_err(Failure::input)
}

/// The stages after linking with a segment map that is there already.
///
/// # Errors
/// When one of them fails, or the map was made for another program.
pub fn prepare_with(files: &StageFiles, segments: &Path, libc: &Libc) -> Result<Prepared, Failure> {
    let map = segment_map(segments)?;
    let program = read(&files.linked)?;
    if map.fingerprint != plat_pointers::fingerprint::fingerprint(&program) {
        return Err(Failure::input(format!(
            "{}: made for another program ({})",
            segments.display(),
            map.program
        )));
    }
    write_whole(&files.segments, map.to_json().as_bytes())?;
    apply(files, &map, libc)
}
