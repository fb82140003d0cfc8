//! Which files a run as a whole gets: the bitcode that is executed, statistics, the tree of forks,
//! the head of a test suite.

use crate::audience::Audience;
use crate::failure::Failure;
use crate::input::{self, Kind};
use crate::llvm::Llvm;
use crate::output::assembly::Lines;
use crate::output::directory::Directory;
use crate::output::exec_tree::ExecTree;
use crate::output::info;
use crate::output::run_istats::RunIstats;
use crate::output::run_stats::RunStats;
use crate::output::tests_jsonl::sha256;
use crate::output::trouble::Trouble;
use crate::output::xml_tests::Metadata;
use crate::plan::RunPlan;
use plat_program::Program;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

/// Writes the executed bitcode, as far as it is asked for, before its file goes; what has read it
/// goes on writing its text.
///
/// # Errors
/// When it cannot be written.
pub fn keep_source(
    plan: &RunPlan,
    bitcode: &Path,
    llvm: Llvm,
    directory: &Directory,
) -> Result<Rc<Lines>, Failure> {
    if plan.files.output_module {
        let bytes = std::fs::read(bitcode)
            .map_err(|why| Failure::input(format!("{}: {why}", bitcode.display())))?;
        directory.write("final.bc", &bytes)?;
    }
    if plan.files.output_source {
        let text = llvm.print(&directory.path().join("assembly.ll"));
        return Ok(Rc::new(Lines::printed(text)));
    }
    Ok(Rc::default())
}

/// The files of a run as a whole, each an observer.
///
/// # Errors
/// When a file cannot be made.
pub fn add<'a>(
    audience: &mut Audience<'a>,
    plan: &RunPlan,
    program: &'a Program,
    directory: &Directory,
    lines: &Rc<Lines>,
    trouble: &Trouble,
) -> Result<(), Failure> {
    let files = &plan.files;
    let path = |name: &str| directory.path().join(name);
    if files.output_stats {
        let interval = files.stats_write_interval;
        let stats = RunStats::create(&path("run.stats"), program, interval, trouble.clone())?;
        audience.members.push(Box::new(stats));
    }
    if files.output_istats {
        let interval = files.istats_write_interval;
        let (path, lines) = (path("run.istats"), lines.clone());
        let istats = RunIstats::new(path, program, lines, interval, trouble.clone());
        audience.members.push(Box::new(istats));
    }
    if files.write_exec_tree {
        let (path, lines) = (path("exec_tree.db"), lines.clone());
        let batch = files.exec_tree_batch_size;
        let tree = ExecTree::create(&path, lines, batch, trouble.clone())?;
        audience.members.push(Box::new(tree));
    }
    if files.write_xml_tests {
        let metadata = metadata(plan)?;
        directory.write("metadata.xml", metadata.to_xml().as_bytes())?;
    }
    Ok(())
}

/// What a test suite says of the run.
fn metadata(plan: &RunPlan) -> Result<Metadata, Failure> {
    let files = &plan.files;
    let file = files
        .xml_metadata_programfile
        .clone()
        .unwrap_or_else(|| plan.program.display().to_string());
    let hash = match &files.xml_metadata_programhash {
        Some(hash) => hash.clone(),
        None => {
            input::check(Path::new(&file), Kind::Bitcode)?;
            let bytes = std::fs::read(&file).map_err(|why| {
                Failure::input(format!(
                    "{file}: {why}; --xml-metadata-programhash names its hash"
                ))
            })?;
            sha256(&bytes)
        }
    };
    let errors = plan.config.exit_on_error || !plan.config.exit_on_error_types.is_empty();
    Ok(Metadata {
        errors,
        program_file: file,
        program_hash: hash,
        entry: plan.config.entry_point.clone(),
        created: info::date(SystemTime::now()).replace(' ', "T") + "Z",
    })
}
