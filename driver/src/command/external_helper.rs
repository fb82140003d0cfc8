//! `plat external-helper`: the process that makes external calls for a run, which starts it.

use crate::failure::Failure;
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Failure> {
    plat_external::helper::serve()
        .map_err(|why| Failure::input(format!("external calls: {why}")))?;
    Ok(ExitCode::SUCCESS)
}
