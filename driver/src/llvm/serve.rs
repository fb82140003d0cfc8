//! `plat llvm-process`: the other side, which does the steps.

use super::wire::{Link, Step, Transform, receive, send, send_parts};
use crate::failure::Failure;
use crate::output::assembly::{self, Numbers};
use crate::output::directory::write_whole;
use plat_program::Program;
use plat_program::reader::{self, Parsed};
use plat_transform::{LinkOptions, LinkReport, TransformReport};
use rustix::process::set_parent_process_death_signal;
use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Address space and processor time for a step whose files are empty, and for each byte of them:
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
pub fn serve() -> Result<(), Failure> {
    let broken = |why: io::Error| Failure::input(format!("the reader of bitcode: {why}"));
    let (mut from, mut to) = conversation().map_err(broken)?;
    // A process that has gone before is noticed by the end of input.
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|why| broken(why.into()))?;
    limit(Resource::Core, 0)?;
    reader::on_fatal_error(|why| {
        give_up(&Failure::input(format!(
            "not usable as bitcode: truncated or damaged: {why}"
        )))
    });
    std::panic::set_hook(Box::new(|why| give_up(&Failure::internal(why))));
    let mut bounds = Bounds::default();
    let mut read = None;
    loop {
        let step: Step = match receive(&mut from) {
            Ok(step) => step,
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(why) => return Err(broken(why)),
        };
        let replied = match step {
            Step::Link(step) => send(&mut to, &link(&step, &mut bounds)),
            Step::Transform(step) => send(&mut to, &transform(&step, &mut bounds)),
            Step::Read(path) => match parse(path.as_ref(), &mut bounds) {
                Ok((parsed, program)) => {
                    let program = &read.insert((parsed, program)).1;
                    send(&mut to, &Ok::<_, Failure>(()))
                        .and_then(|()| send_parts(&mut to, |out| program.write_to(out)))
                }
                Err(why) => send(&mut to, &Err::<(), _>(why)),
            },
            Step::Print(path) => {
                let printed = match &read {
                    Some((parsed, program)) => print(parsed, program, path.as_ref()),
                    None => Err(Failure::input("nothing was read")),
                };
                return send(&mut to, &printed).map_err(broken);
            }
        };
        replied.map_err(broken)?;
    }
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
fn give_up(why: &Failure) -> ! {
    if let Some(mut to) = REPLIES.get() {
        // If nobody hears it, the end says enough.
        let _ = send(&mut to, &Err::<(), _>(why));
    }
    std::process::exit(why.code.into())
}

fn link(step: &Link, bounds: &mut Bounds) -> Result<LinkReport, Failure> {
    let further: Vec<PathBuf> = step.further.iter().map(PathBuf::from).collect();
    let library = step.library.as_ref().map(PathBuf::from);
    let input = Path::new(&step.input);
    let files = [Some(input), library.as_deref()];
    let files = files.into_iter().flatten();
    bounds.extend(
        files.chain(further.iter().map(PathBuf::as_path)),
        if step.optimize { OPTIMISING } else { 1 },
    )?;
    let implemented = match library {
        Some(_) => plat_engine::library::names(),
        None => Vec::new(),
    };
    let options = LinkOptions {
        promote_memory: library.is_some(),
        library,
        implemented: &implemented,
        entry: step.entry.as_deref(),
        further: &further,
        optimize: step.optimize,
    };
    let link = match step.last {
        true => plat_transform::link_and_end,
        false => plat_transform::link,
    };
    link(input, &options, step.out.as_ref()).map_err(Failure::input)
}

fn transform(step: &Transform, bounds: &mut Bounds) -> Result<TransformReport, Failure> {
    let (input, realloc) = (Path::new(&step.input), Path::new(&step.realloc));
    bounds.extend([input, realloc], 1)?;
    let transform = match step.last {
        true => plat_transform::transform_and_end,
        false => plat_transform::transform,
    };
    transform(input, &step.annotations, realloc, step.out.as_ref()).map_err(Failure::input)
}

fn parse(path: &Path, bounds: &mut Bounds) -> Result<(Parsed, Program), Failure> {
    bounds.extend([path], 1)?;
    let parsed = Parsed::read(path).map_err(Failure::input)?;
    let program = parsed.program();
    Ok((parsed, program))
}

fn print(parsed: &Parsed, program: &Program, path: &Path) -> Result<Numbers, Failure> {
    parsed.print(|text| {
        write_whole(path, text)?;
        Ok(assembly::numbers(program, text))
    })
}

/// What this process may take until the end of a step.
#[derive(Default)]
struct Bounds {
    /// Processor time of all steps so far.
    seconds: u64,
}

impl Bounds {
    /// Adds what the next step may take.
    fn extend<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a Path>,
        factor: u64,
    ) -> Result<(), Failure> {
        let size = |path| std::fs::metadata(path).map_or(0, |file| file.len());
        let size = files.into_iter().map(size).fold(0, u64::saturating_add);
        let space = LEAST_SPACE.saturating_add(size.saturating_mul(SPACE_PER_BYTE));
        self.seconds += (LEAST_SECONDS + size / BYTES_PER_SECOND) * factor;
        limit(Resource::As, space.saturating_mul(factor))?;
        limit(Resource::Cpu, self.seconds)
    }
}

/// Bounds a resource of this process, if it is not bounded more tightly.
fn limit(resource: Resource, most: u64) -> Result<(), Failure> {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    setrlimit(resource, Rlimit { current, maximum })
        .map_err(|why| Failure::input(format!("cannot bound the reader of bitcode: {why}")))
}
