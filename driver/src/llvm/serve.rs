//! The main loop of a process that works for [`super::Llvm`].

use super::messages::{Link, Request, Transform};
use super::steps::{self, Read};
use crate::Error;
use plat_protocol::{receive, send, send_parts};
use plat_transform::{LinkReport, TransformReport};
use rustix::process::set_parent_process_death_signal;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::OnceLock;

/// Address space and processor time for a request whose files are empty, and for each byte of them:
/// more than twenty times what LLVM takes for whole programs.
const LEAST_SPACE: u64 = 2 << 30;
const SPACE_PER_BYTE: u64 = 1 << 10;
const LEAST_SECONDS: u64 = 20;
const BYTES_PER_SECOND: u64 = 1 << 17;
/// How much more of both optimising takes.
const OPTIMISING: u64 = 8;

/// Does steps until no more come.
///
/// # Errors
/// When the conversation breaks.
pub fn serve() -> Result<(), Error> {
    let broken = |why: io::Error| Error::input(format!("the reader of bitcode: {why}"));
    let (mut from, mut to) = conversation().map_err(broken)?;
    // A process that has gone before is noticed by the end of input.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|why| broken(why.into()))?;
    limit(Resource::Core, 0)?;
    plat_bitcode::on_fatal_error(|why| {
        give_up(&Error::input(format!(
            "not usable as bitcode: truncated or damaged: {why}"
        )))
    });
    std::panic::set_hook(Box::new(|why| give_up(&Error::internal(why))));
    let mut bounds = Bounds::default();
    let mut read = None;
    while let Some(request) = receive(&mut from).map_err(broken)? {
        let replied = match request {
            Request::Link(request) => send(&mut to, &link(&request, &mut bounds)),
            Request::Transform(request) => send(&mut to, &transform(&request, &mut bounds)),
            Request::Read(path) => match parse(path.as_ref(), &mut bounds) {
                Ok(parsed) => {
                    let program = &read.insert(parsed).program;
                    send(&mut to, &Ok::<_, Error>(()))
                        .and_then(|()| send_parts(&mut to, |out| program.write_to(out)))
                }
                Err(why) => send(&mut to, &Err::<(), _>(why)),
            },
            Request::Print(path) => {
                let printed = match &read {
                    Some(read) => steps::print(read, path.as_ref()),
                    None => Err(Error::input("nothing was read")),
                };
                return send(&mut to, &printed).map_err(broken);
            }
        };
        replied.map_err(broken)?;
    }
    Ok(())
}

/// Where replies go.
static REPLIES: OnceLock<File> = OnceLock::new();

/// Where steps come from and replies go. They arrive as standard input and output, and the user's
/// standard output as the error stream; a file may have these names (`-o /dev/stdout`), so each goes
/// to its place, and LLVM's own words nowhere.
fn conversation() -> io::Result<(File, &'static File)> {
    let steps = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let replies = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    let nothing = (OpenOptions::new().read(true).write(true)).open("/dev/null")?;
    dup2_stdout(io::stderr())?;
    dup2_stdin(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok((steps, REPLIES.get_or_init(|| replies)))
}

/// Ends the process with a last word.
fn give_up(why: &Error) -> ! {
    if let Some(mut to) = REPLIES.get() {
        // If nobody hears it, the end says enough.
        let _ = send(&mut to, &Err::<(), _>(why));
    }
    std::process::exit(1)
}

fn link(request: &Link, bounds: &mut Bounds) -> Result<LinkReport, Error> {
    let files = [Some(&request.input), request.library.as_ref()];
    let files = files.into_iter().flatten().chain(&request.further);
    let factor = if request.optimize { OPTIMISING } else { 1 };
    bounds.extend(files.map(Path::new), factor)?;
    steps::link(request, request.last)
}

fn transform(request: &Transform, bounds: &mut Bounds) -> Result<TransformReport, Error> {
    bounds.extend([&request.input, &request.realloc].map(Path::new), 1)?;
    steps::transform(request, request.last)
}

fn parse(path: &Path, bounds: &mut Bounds) -> Result<Read, Error> {
    bounds.extend([path], 1)?;
    steps::read(path)
}

/// What this process may take until the end of a request.
#[derive(Default)]
struct Bounds {
    /// Processor time of all steps so far.
    seconds: u64,
}

impl Bounds {
    /// Adds what the next request may take.
    fn extend<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a Path>,
        factor: u64,
    ) -> Result<(), Error> {
        let size = |path| std::fs::metadata(path).map_or(0, |file| file.len());
        let size = files.into_iter().map(size).fold(0, u64::saturating_add);
        let space = LEAST_SPACE.saturating_add(size.saturating_mul(SPACE_PER_BYTE));
        self.seconds += (LEAST_SECONDS + size / BYTES_PER_SECOND) * factor;
        limit(Resource::As, space.saturating_mul(factor))?;
        limit(Resource::Cpu, self.seconds)
    }
}

/// Bounds a resource of this process, if it is not bounded more tightly.
fn limit(resource: Resource, most: u64) -> Result<(), Error> {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    setrlimit(resource, Rlimit { current, maximum })
        .map_err(|why| Error::input(format!("cannot bound the reader of bitcode: {why}")))
}
