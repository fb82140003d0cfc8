//! `plat solver-process`: the process that asks Z3 for a run, which starts and ends it.

use crate::helpers::take_name;
use plat::{Error, processes};
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Error> {
    take_name(processes::SOLVER);
    plat_solver::serve().map_err(|why| Error::input(format!("the solver's process: {why}")))?;
    Ok(ExitCode::SUCCESS)
}
