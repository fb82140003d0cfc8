//! `plat transform`.

use crate::args::TransformArgs;
use crate::helpers;
use crate::say::check_binary;
use plat::Error;
use plat::{libc, pipeline};
use std::process::ExitCode;

pub(super) fn execute(args: &TransformArgs) -> Result<ExitCode, Error> {
    check_binary(&args.output)?;
    let libc = libc::find(args.libc.libc_dir.as_deref())?;
    let segments = pipeline::segment_map(&args.segments)?;
    let processes = helpers::processes()?;
    pipeline::transform(&processes, &args.input, &segments, &libc, &args.output)?;
    Ok(ExitCode::SUCCESS)
}
