//! `plat llvm-process`: the process in which LLVM works for a command, which starts and ends it.

use plat::Error;
use plat::llvm;
use std::process::ExitCode;

pub(super) fn execute() -> Result<ExitCode, Error> {
    llvm::serve()?;
    Ok(ExitCode::SUCCESS)
}
