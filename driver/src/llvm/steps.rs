//! What LLVM does with bitcode, in the process that calls this.

use super::messages::{Link, Transform};
use crate::Error;
use crate::output::assembly::{self, Numbers};
use crate::output::directory::write_whole;
use plat_bitcode::Parsed;
use plat_program::Program;
use plat_transform::{LinkOptions, LinkReport, TransformReport};
use std::fmt;
use std::path::{Path, PathBuf};

/// Bitcode that was read: LLVM's form and plat's.
pub struct Read {
    parsed: Parsed,
    pub program: Program,
}

impl fmt::Debug for Read {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Read").field(&self.program.name).finish()
    }
}

pub fn link(step: &Link, ends: bool) -> Result<LinkReport, Error> {
    let further: Vec<PathBuf> = step.further.iter().map(PathBuf::from).collect();
    let library = step.library.as_ref().map(PathBuf::from);
    let implemented = match library {
        Some(_) => plat_engine::library::names(),
        None => Vec::new(),
    };
    let options = LinkOptions {
        promote_memory: library.is_some(),
        library,
        cxx_library: step.cxx_library.as_ref().map(PathBuf::from),
        implemented: &implemented,
        entry: step.entry.as_deref(),
        further: &further,
        optimize: step.optimize,
        aliases: &step.aliases,
        lower_switches: step.lower_switches,
    };
    let link = match ends {
        true => plat_transform::link_and_end,
        false => plat_transform::link,
    };
    let report = link(Path::new(&step.input), &options, step.out.as_ref());
    let mut report = report.map_err(Error::input)?;
    let missing = |name: &String| !plat_engine::library::is_of_family(name);
    report.undefined.retain(missing);
    Ok(report)
}

pub fn transform(step: &Transform, ends: bool) -> Result<TransformReport, Error> {
    let (input, realloc) = (Path::new(&step.input), Path::new(&step.realloc));
    let transform = match ends {
        true => plat_transform::transform_and_end,
        false => plat_transform::transform,
    };
    transform(input, &step.annotations, realloc, step.out.as_ref()).map_err(Error::input)
}

pub fn read(path: &Path) -> Result<Read, Error> {
    let parsed = Parsed::read(path).map_err(Error::input)?;
    let program = parsed.program();
    Ok(Read { parsed, program })
}

pub fn print(read: &Read, path: &Path) -> Result<Numbers, Error> {
    read.parsed.print(|text| {
        write_whole(path, text)?;
        Ok(assembly::numbers(&read.program, text))
    })
}
