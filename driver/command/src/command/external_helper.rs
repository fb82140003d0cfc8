//! `plat external-helper`: the process that makes external calls for a run, which starts it.

use plat::Error;
use std::ffi::OsString;
use std::process::ExitCode;

pub(super) fn execute(regions: &[OsString]) -> Result<ExitCode, Error> {
    plat_external::helper::serve(regions)
        .map_err(|why| Error::input(format!("external calls: {why}")))?;
    Ok(ExitCode::SUCCESS)
}
