//! `--serve`: the page of a run while it goes on. The port is taken before anything begins. Another process,
//! this executable, has it then and reads the files of the run, so that the run is not disturbed.

use crate::helpers::executable;
use crate::say::note;
use plat::{Error, Prepared, processes};
use plat_report::Live;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long the run waits at its end for who looks to be told.
const GRACE: Duration = Duration::from_secs(4);

/// Time between two looks whether they were.
const TICK: Duration = Duration::from_millis(20);

/// A port of the loopback address.
pub struct Port(TcpListener);

impl Port {
    /// Takes it, if the page is to be served.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn take(wanted: Option<u16>) -> Result<Option<Self>, Error> {
        let Some(port) = wanted else { return Ok(None) };
        let refused = |why| Error::input(format!("--serve={port}: cannot listen there: {why}"));
        Live::listen(port).map(|it| Some(Port(it))).map_err(refused)
    }

    /// Has the page of a run that is about to begin served there, and says where.
    ///
    /// # Errors
    /// When that cannot be done. The run is given up then.
    pub fn serve<'a>(self, prepared: Prepared<'a>) -> Result<(Prepared<'a>, Page), Error> {
        match self.start(&prepared) {
            Ok(page) => Ok((prepared, page)),
            Err(why) => {
                prepared.abandon();
                Err(why)
            }
        }
    }

    fn start(self, prepared: &Prepared<'_>) -> Result<Page, Error> {
        let failed = |why: std::io::Error| Error::input(format!("--serve: {why}"));
        let directory = prepared.directory();
        let directory = directory.ok_or_else(|| Error::internal("a run without a directory"))?;
        let address = self.0.local_addr().map_err(failed)?;
        let mut command = Command::new(executable()?);
        command.arg(processes::PAGE).arg(directory);
        // As inetd does it. In a group of its own, Ctrl-C is for the run alone.
        command.stdin(OwnedFd::from(self.0)).process_group(0);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().map_err(failed)?;
        note!("plat: the page is http://{address}/");
        Ok(Page(process))
    }
}

/// The process that serves a page.
pub struct Page(Child);

impl Page {
    /// The run is over: whoever looks is told, but not for long.
    pub fn finish(mut self) {
        let since = Instant::now();
        while since.elapsed() < GRACE && matches!(self.0.try_wait(), Ok(None)) {
            std::thread::sleep(TICK);
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // Both fail where it has ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
