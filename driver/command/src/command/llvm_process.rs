//! `plat llvm-process`: the process in which LLVM works for a command, which starts and ends it.

use crate::helpers::take_name;
use plat::{Error, llvm, processes};
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Error> {
    take_name(processes::LLVM);
    llvm::serve()?;
    Ok(ExitCode::SUCCESS)
}
