//! `plat transform`.

use crate::args::TransformArgs;
use crate::failure::Failure;
use crate::output::directory::check_binary;
use crate::{libc, pipeline};
use std::process::ExitCode;

pub(super) fn execute(args: &TransformArgs) -> Result<ExitCode, Failure> {
    check_binary(&args.output)?;
    let libc = libc::find(args.libc.libc_dir.as_deref())?;
    let segments = pipeline::segment_map(&args.segments)?;
    pipeline::transform(&args.input, &segments, &libc, &args.output)?;
    Ok(ExitCode::SUCCESS)
}
