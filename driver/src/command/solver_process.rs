//! `plat solver-process`: the process that asks Z3 for a run, which starts and ends it.

use crate::failure::Failure;
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Failure> {
    plat_solver::serve().map_err(|why| Failure::input(format!("the solver's process: {why}")))?;
    Ok(ExitCode::SUCCESS)
}
