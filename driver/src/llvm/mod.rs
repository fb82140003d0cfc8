//! A process in which LLVM works. LLVM's reader trusts what it reads: on damaged bitcode it may
//! crash, or allocate without end. There it takes nobody with it, and its memory ends with it, so
//! that nothing has to be released piece by piece. What it reads it hands over; the text of the
//! program it writes while the run goes on.

mod serve;
mod wire;

pub use serve::serve;

use crate::args::LLVM_PROCESS;
use crate::failure::Failure;
use crate::output::assembly::Numbers;
use plat_program::{Program, reader};
use plat_transform::{LinkReport, TransformReport};
use rustix::pipe::fcntl_setpipe_size;
use serde::de::DeserializeOwned;
use std::io::{BufReader, ErrorKind};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
pub use wire::{Link, Transform};
use wire::{Step, receive, receive_parts, send};

/// Room in the pipe for what nobody has asked for yet, for programs of a million instructions.
const PIPE: usize = 1 << 20;

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
        self.ask(&Step::Link(link), input.as_ref())
    }

    /// Writes annotations into bitcode and rewrites realloc.
    ///
    /// # Errors
    /// When an input is not usable, or they do not belong together.
    pub fn transform(&mut self, transform: Transform) -> Result<TransformReport, Failure> {
        let input = transform.input.clone();
        self.ask(&Step::Transform(transform), input.as_ref())
    }

    /// Reads bitcode.
    ///
    /// # Errors
    /// When it is not usable.
    pub fn read(&mut self, path: &Path) -> Result<Program, Failure> {
        let () = self.ask(&Step::Read(path.into()), path)?;
        let bytes = receive_parts(&mut self.from).map_err(|why| broken(path, &why))?;
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

    fn ask<T: DeserializeOwned>(&mut self, step: &Step, input: &Path) -> Result<T, Failure> {
        // If the process is gone, there is no answer.
        let _ = send(&mut self.to, step);
        receive(&mut self.from).unwrap_or_else(|why| Err(broken(input, &why)))
    }
}

fn broken(path: &Path, why: &std::io::Error) -> Failure {
    let path = path.display();
    Failure::input(match why.kind() {
        ErrorKind::UnexpectedEof => format!(
            "{path}: not usable as bitcode: truncated or damaged: LLVM's reader crashes on it or does \
             not end"
        ),
        _ => format!("{path}: what was read cannot be handed over: {why}"),
    })
}

impl Drop for Llvm {
    fn drop(&mut self) {
        // One that has ended already is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
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
        receive(&mut self.llvm.from).unwrap_or_else(|why| {
            let path = self.path.display();
            Err(Failure::input(match why.kind() {
                ErrorKind::UnexpectedEof => {
                    format!("{path}: cannot be written: the process that was to write it has ended")
                }
                _ => format!("{path}: the lines of what was written cannot be known: {why}"),
            }))
        })
    }
}
