//! LLVM at work. LLVM's reader trusts what it reads: on damaged bitcode it may crash, or allocate
//! without end. In a process of its own it takes nobody with it, and its memory ends with it, so that
//! nothing has to be released piece by piece. What it reads it sends over; the text of the program it
//! writes while the run goes on. Without such a process ([`Processes`]) the caller's does the work.

mod end;
mod messages;
mod serve;
mod steps;

pub use messages::{Link, Transform};
pub use serve::serve;

use crate::Error;
use crate::input::{self, Kind};
use crate::output::assembly::Numbers;
use crate::processes::Processes;
use messages::Request;
use plat_program::Program;
use plat_protocol::{Errors, Helper, receive_parts, send};
use plat_transform::{LinkReport, TransformReport};
use rustix::pipe::fcntl_setpipe_size;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::io::{self, BufReader, ErrorKind, PipeReader};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use steps::Read;

/// Room in the pipe for what nobody has asked for yet, for programs of a million instructions.
const PIPE: usize = 1 << 20;

/// How long the process may take to end when it has closed its end of the pipe.
const LAST: Duration = Duration::from_secs(2);

/// What the process does with bitcode that is only read.
const READING: &str = "reading it";

/// The number of the process that was started last; 0 if it has ended.
static NEWEST: AtomicU32 = AtomicU32::new(0);

/// The process that was started last, while it runs.
pub fn process() -> Option<u32> {
    Some(NEWEST.load(Ordering::Relaxed)).filter(|&process| process != 0)
}

/// LLVM at work, in the calling process or in one of its own, which ends with this.
#[derive(Debug)]
pub struct Llvm(Place);

#[derive(Debug)]
enum Place {
    /// What was read last.
    Here(Option<Box<Read>>),
    Process(Process),
}

impl Llvm {
    /// Starts the process, if there is to be one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(processes: &Processes) -> Result<Self, Error> {
        Ok(Llvm(match processes.llvm.is_empty() {
            true => Place::Here(None),
            false => Place::Process(Process::start(&processes.llvm)?),
        }))
    }

    /// Adds the C library to a program and lowers it.
    ///
    /// # Errors
    /// When the input is not usable or does not have the function that it starts in.
    pub fn link(&mut self, link: Link) -> Result<LinkReport, Error> {
        let files = [&link.input].into_iter().chain(&link.further);
        for file in files {
            input::check(file.as_ref(), Kind::Bitcode)?;
        }
        if let Some(library) = &link.library {
            input::check(library.as_ref(), Kind::Archive)?;
        }
        match &mut self.0 {
            Place::Here(_) => steps::link(&link, false),
            Place::Process(process) => {
                let input = link.input.clone();
                process.ask(&Request::Link(link), "linking", input.as_ref())
            }
        }
    }

    /// Writes annotations into bitcode and rewrites realloc.
    ///
    /// # Errors
    /// When an input is not usable, or they do not belong together.
    pub fn transform(&mut self, transform: Transform) -> Result<TransformReport, Error> {
        input::check(transform.input.as_ref(), Kind::Bitcode)?;
        input::check(transform.realloc.as_ref(), Kind::Bitcode)?;
        match &mut self.0 {
            Place::Here(_) => steps::transform(&transform, false),
            Place::Process(process) => {
                let input = transform.input.clone();
                let request = Request::Transform(transform);
                process.ask(&request, "transforming", input.as_ref())
            }
        }
    }

    /// Reads bitcode.
    ///
    /// # Errors
    /// When it is not usable.
    pub fn read(&mut self, path: &Path) -> Result<Program, Error> {
        input::check(path, Kind::Bitcode)?;
        match &mut self.0 {
            Place::Here(read) => Ok(read.insert(Box::new(steps::read(path)?)).program.clone()),
            Place::Process(process) => process.read(path),
        }
    }

    /// Has what was read last written as text. A process of its own does so while others go on.
    pub fn print(self, path: &Path) -> Printing {
        Printing(match self.0 {
            Place::Here(Some(read)) => Text::Written(steps::print(&read, path)),
            Place::Here(None) => Text::Written(Err(Error::internal("nothing was read"))),
            Place::Process(mut process) => {
                // If the process is gone, there will be no answer.
                let _ = send(&mut process.helper.to, &Request::Print(path.into()));
                Text::Awaited(process, path.into())
            }
        })
    }
}

/// A process in which LLVM works.
#[derive(Debug)]
struct Process {
    helper: Helper,
    from: BufReader<PipeReader>,
}

impl Process {
    fn start(command: &[OsString]) -> Result<Self, Error> {
        let failed = |why| Error::input(format!("cannot start plat to read bitcode: {why}"));
        // LLVM itself is not heard.
        let helper = Helper::start(command, Errors::Output).map_err(failed)?;
        let from = helper.from.try_clone().map_err(failed)?;
        // Without it the process waits until somebody asks for lines.
        let _ = fcntl_setpipe_size(&from, PIPE);
        NEWEST.store(helper.id(), Ordering::Relaxed);
        let from = BufReader::new(from);
        Ok(Process { helper, from })
    }

    fn read(&mut self, path: &Path) -> Result<Program, Error> {
        let () = self.ask(&Request::Read(path.into()), READING, path)?;
        let bytes = receive_parts(&mut self.from);
        let bytes = bytes.map_err(|why| self.broken(READING, path, &why))?;
        plat_bitcode::drop_code();
        Program::from_bytes(&bytes).map_err(Error::input)
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        request: &Request,
        stage: &str,
        input: &Path,
    ) -> Result<T, Error> {
        // If the process is gone, there is no answer.
        let _ = send(&mut self.helper.to, request);
        let answer = self.receive();
        answer.unwrap_or_else(|why| Err(self.broken(stage, input, &why)))
    }

    /// The next reply. The end of the stream is an error too.
    fn receive<T: DeserializeOwned>(&mut self) -> io::Result<Result<T, Error>> {
        let reply = plat_protocol::receive(&mut self.from)?;
        reply.ok_or_else(|| ErrorKind::UnexpectedEof.into())
    }

    /// Why there is no answer.
    fn broken(&mut self, stage: &str, path: &Path, why: &io::Error) -> Error {
        match why.kind() {
            ErrorKind::UnexpectedEof => end::explain(stage, path, self.ended()),
            _ => Error::input(format!(
                "{}: what was read cannot be handed over: {why}",
                path.display()
            )),
        }
    }

    /// How the process has ended, which has closed its end of the pipe.
    fn ended(&mut self) -> Option<ExitStatus> {
        for _ in 0..LAST.as_millis() {
            if let Ok(Some(status)) = self.helper.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let (ends, order) = (self.helper.id(), Ordering::Relaxed);
        let _ = NEWEST.compare_exchange(ends, 0, order, order);
    }
}

/// A text that is being written.
#[derive(Debug)]
pub struct Printing(Text);

#[derive(Debug)]
enum Text {
    Written(Result<Numbers, Error>),
    Awaited(Process, PathBuf),
}

impl Printing {
    /// Waits for its end. Returns on which lines of it instructions stand.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn wait(self) -> Result<Numbers, Error> {
        match self.0 {
            Text::Written(lines) => lines,
            Text::Awaited(mut process, path) => {
                let answer = process.receive();
                answer.unwrap_or_else(|why| Err(process.broken("writing it", &path, &why)))
            }
        }
    }
}
