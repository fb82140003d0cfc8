//! `plat page-process`: the process that serves the page of a run, which starts it. The port is its standard
//! input.

use plat::Error;
use plat_report::{Live, Named};
use std::net::TcpListener;
use std::os::fd::AsFd as _;
use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(directory: &Path) -> Result<ExitCode, Error> {
    let failed = |why: std::io::Error| Error::input(format!("the page's process: {why}"));
    let run = parent_id();
    let listener = std::io::stdin().as_fd().try_clone_to_owned();
    let listener = TcpListener::from(listener.map_err(failed)?);
    let live = Live::new(Named {
        name: None,
        directory: directory.to_path_buf(),
    });
    live.serve(listener, || parent_id() != run)
        .map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
