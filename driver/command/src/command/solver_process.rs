//! `plat solver-process`: the process that asks Z3 for a run, which starts and ends it.

use plat::Error;
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Error> {
    plat_solver::serve().map_err(|why| Error::input(format!("the solver's process: {why}")))?;
    Ok(ExitCode::SUCCESS)
}
