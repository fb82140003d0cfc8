//! `plat external-helper`: the process that makes external calls for a run, which starts it.

use crate::failure::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

pub(super) fn execute(regions: &[OsString]) -> Result<ExitCode, Failure> {
    plat_external::helper::serve(regions)
        .map_err(|why| Failure::input(format!("external calls: {why}")))?;
    Ok(ExitCode::SUCCESS)
}
