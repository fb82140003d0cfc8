//! `plat doctor`: whether plat works here.

use crate::args::doctor::DoctorArgs;
use crate::exit;
use crate::say::say;
use plat::Error;
use plat::doctor::{State, examine};
use std::process::ExitCode;

/// Says how it stands with everything.
///
/// # Errors
/// When the system does not say which executable this is.
pub fn execute(args: &DoctorArgs) -> Result<ExitCode, Error> {
    let processes = crate::helpers::processes()?;
    let found = examine(args.libc.libc_dir.as_deref(), &processes);
    for finding in &found {
        let state = match finding.state {
            State::Fine => "ok",
            State::Lacking => "lacking",
            State::Wrong => "wrong",
        };
        say!("{state:<8} {:<16} {}\n", finding.what, finding.said);
    }
    Ok(
        match found.iter().any(|finding| finding.state == State::Wrong) {
            true => ExitCode::from(exit::ENDED_BY_ERROR),
            false => ExitCode::SUCCESS,
        },
    )
}
