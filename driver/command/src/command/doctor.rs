//! `plat doctor`: whether plat works here.

use crate::args::doctor::DoctorArgs;
use crate::exit;
use crate::say::say;
use plat::Error;
use plat::doctor::{Finding, State, examine};
use plat::replay::Sandbox;
use std::process::ExitCode;

/// Says how it stands with everything.
///
/// # Errors
/// When the system does not say which executable this is.
pub fn execute(args: &DoctorArgs) -> Result<ExitCode, Error> {
    let processes = crate::helpers::processes()?;
    let mut found = examine(args.libc.libc_dir.as_deref(), &processes);
    // The last one: it cuts this process off from the network.
    found.push(sandbox());
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

/// What native runs of programs under test are kept from.
fn sandbox() -> Finding {
    let (state, said) = match Sandbox::enter() {
        Ok(sandbox) => match sandbox.lacking() {
            None => (State::Fine, sandbox.held()),
            Some(lacking) => (State::Lacking, format!("native runs can {lacking}")),
        },
        Err(why) => (
            State::Lacking,
            format!("plat replay needs --no-sandbox: {why}"),
        ),
    };
    Finding {
        what: "sandbox".to_string(),
        state,
        said,
    }
}
