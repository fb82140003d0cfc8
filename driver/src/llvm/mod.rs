//! A process in which LLVM works. LLVM's reader trusts what it reads: on damaged bitcode it may
//! crash, or allocate without end. There it takes nobody with it, and its memory ends with it, so
//! that nothing has to be released piece by piece. What it reads it hands over; the text of the
//! program it writes while the run goes on.

mod end;
mod serve;
mod wire;

pub use serve::serve;

use crate::args::LLVM_PROCESS;
use crate::failure::Failure;
use crate::input::{self, Kind};
use crate::output::assembly::Numbers;
use plat_program::{Program, reader};
use plat_transform::{LinkReport, TransformReport};
use rustix::pipe::fcntl_setpipe_size;
use serde::de::DeserializeOwned;
use std::io::{BufReader, ErrorKind};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
pub use wire::{Link, Transform};
use wire::{Step, receive, receive_parts, send};

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

/// The process. It ends with this.
#[derive(Debug)]
pub struct Llvm {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Llvm {
    /// Starts one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start() -> Result<Self, Failure> {
        let failed = |why| Failure::input(format!("cannot start plat to read bitcode: {why}"));
        let mut child = Command::new(std::env::current_exe().map_err(failed)?)
            .arg0("plat")
            .arg(LLVM_PROCESS)
            // An interrupt is for the run; the text of the program is to be whole all the same.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A result may go to standard output. LLVM itself is not heard.
            .stderr(std::io::stdout())
            .spawn()
            .map_err(failed)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(to), Some(from)) => {
                // Without it the process waits until somebody asks for lines.
                let _ = fcntl_setpipe_size(&from, PIPE);
                NEWEST.store(child.id(), Ordering::Relaxed);
                Ok(Llvm {
                    child,
                    to,
                    from: BufReader::new(from),
                })
            }
            _ => Err(Failure::input("cannot talk to the reader of bitcode")),
        }
    }

    /// Adds the C library to a program and lowers it.
    ///
    /// # Errors
    /// When the input is not usable or does not have the function that it starts in.
    pub fn link(&mut self, link: Link) -> Result<LinkReport, Failure> {
        let input = link.input.clone();
        let files = [&link.input].into_iter().chain(&link.further);
        for file in files {
            input::check(file.as_ref(), Kind::Bitcode)?;
        }
        if let Some(library) = &link.library {
            input::check(library.as_ref(), Kind::Archive)?;
        }
        self.ask(&Step::Link(link), "linking", input.as_ref())
    }

    /// Writes annotations into bitcode and rewrites realloc.
    ///
    /// # Errors
    /// When an input is not usable, or they do not belong together.
    pub fn transform(&mut self, transform: Transform) -> Result<TransformReport, Failure> {
        let input = transform.input.clone();
        input::check(input.as_ref(), Kind::Bitcode)?;
        input::check(transform.realloc.as_ref(), Kind::Bitcode)?;
        self.ask(&Step::Transform(transform), "transforming", input.as_ref())
    }

    /// Reads bitcode.
    ///
    /// # Errors
    /// When it is not usable.
    pub fn read(&mut self, path: &Path) -> Result<Program, Failure> {
        input::check(path, Kind::Bitcode)?;
        let () = self.ask(&Step::Read(path.into()), READING, path)?;
        let bytes = receive_parts(&mut self.from);
        let bytes = bytes.map_err(|why| self.broken(READING, path, &why))?;
        reader::drop_code();
        Program::from_bytes(&bytes).map_err(Failure::input)
    }

    /// Has what was read last written as text. Nobody waits for that here.
    pub fn print(mut self, path: &Path) -> Printing {
        // If the process is gone, there will be no answer.
        let _ = send(&mut self.to, &Step::Print(path.into()));
        Printing {
            llvm: self,
            path: path.into(),
        }
    }

    fn ask<T: DeserializeOwned>(
        &mut self,
        step: &Step,
        stage: &str,
        input: &Path,
    ) -> Result<T, Failure> {
        // If the process is gone, there is no answer.
        let _ = send(&mut self.to, step);
        let answer = receive(&mut self.from);
        answer.unwrap_or_else(|why| Err(self.broken(stage, input, &why)))
    }

    /// Why there is no answer.
    fn broken(&mut self, stage: &str, path: &Path, why: &std::io::Error) -> Failure {
        match why.kind() {
            ErrorKind::UnexpectedEof => end::explain(stage, path, self.ended()),
            _ => Failure::input(format!(
                "{}: what was read cannot be handed over: {why}",
                path.display()
            )),
        }
    }

    /// How the process has ended, which has closed its end of the pipe.
    fn ended(&mut self) -> Option<ExitStatus> {
        for _ in 0..LAST.as_millis() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }
}

impl Drop for Llvm {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let (ended, order) = (self.child.id(), Ordering::Relaxed);
        let _ = NEWEST.compare_exchange(ended, 0, order, order);
    }
}

/// A text that is being written.
#[derive(Debug)]
pub struct Printing {
    llvm: Llvm,
    path: PathBuf,
}

impl Printing {
    /// Waits for its end. Returns on which lines of it instructions stand.
    ///
    /// # Errors
    /// When it could not be written.
    pub fn wait(mut self) -> Result<Numbers, Failure> {
        let answer = receive(&mut self.llvm.from);
        answer.unwrap_or_else(|why| Err(self.llvm.broken("writing it", &self.path, &why)))
    }
}
