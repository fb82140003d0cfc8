//! `plat llvm-process`: the process in which LLVM works for a command, which starts and ends it.

use crate::failure::Failure;
use crate::llvm;
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Failure> {
    llvm::serve()?;
    Ok(ExitCode::SUCCESS)
}
