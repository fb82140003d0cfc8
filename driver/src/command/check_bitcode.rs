//! `plat check-bitcode`: the process in which a file is read first. LLVM's reader trusts what it
//! reads: on damaged bitcode it may crash, or allocate without end. Here it takes nobody with it.
//! Who needs the program alone has it handed over, and LLVM's memory ends with this process.

use crate::failure::{BAD_INPUT, Failure};
use plat_program::{Program, reader};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode, Output, Stdio};

/// Address space and processor time for a file without contents, and for each byte of it: more
/// than twenty times what LLVM takes for whole programs.
const LEAST_SPACE: u64 = 2 << 30;
const SPACE_PER_BYTE: u64 = 1 << 10;
const LEAST_SECONDS: u64 = 20;
const BYTES_PER_SECOND: u64 = 1 << 17;

/// Reads the file. What is wrong with it, or what was read, goes to standard output: LLVM itself
/// writes to standard error as it likes.
pub(super) fn execute(path: &Path, hand_over: bool) -> Result<ExitCode, Failure> {
    let size = std::fs::metadata(path).map_or(0, |file| file.len());
    let space = LEAST_SPACE.saturating_add(size.saturating_mul(SPACE_PER_BYTE));
    limit(Resource::As, space)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Cpu, LEAST_SECONDS + size / BYTES_PER_SECOND)?;
    reader::on_fatal_error(|why| {
        println!("not usable as bitcode: truncated or damaged: {why}");
        std::process::exit(BAD_INPUT.into())
    });
    let read = match hand_over {
        false => reader::check(path).map(|()| None),
        true => reader::read_and_end(path).map(Some),
    };
    Ok(match read {
        Ok(program) => {
            if let Some(program) = program {
                write(&program)
                    .map_err(|why| Failure::input(format!("cannot hand over: {why}")))?;
            }
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("{}", Failure::input(why).message);
            ExitCode::from(BAD_INPUT)
        }
    })
}

/// Bounds a resource of this process, if it is not bounded more tightly.
fn limit(resource: Resource, most: u64) -> Result<(), Failure> {
    let maximum = getrlimit(resource).maximum;
    let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
    setrlimit(resource, Rlimit { current, maximum })
        .map_err(|why| Failure::input(format!("cannot bound the reader of bitcode: {why}")))
}

fn write(program: &Program) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    program.write_to(&mut out)?;
    out.flush()
}

/// Whether a file is bitcode that can be read, without a crash.
///
/// # Errors
/// When it is not, or when that cannot be found out.
pub(super) fn readable(path: &Path) -> Result<(), Failure> {
    reading(path, &[]).map(|_| ())
}

/// Reads bitcode in a process of its own.
///
/// # Errors
/// When the file is not usable, or there is no such process.
pub(super) fn program(path: &Path) -> Result<Program, Failure> {
    let bytes = reading(path, &["--hand-over"])?.stdout;
    reader::drop_code();
    Program::from_bytes(&bytes).map_err(Failure::input)
}

fn reading(path: &Path, options: &[&str]) -> Result<Output, Failure> {
    let failed = |why| Failure::input(format!("cannot start plat to read bitcode: {why}"));
    let output = Command::new(std::env::current_exe().map_err(failed)?)
        .arg("check-bitcode")
        .args(options)
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .map_err(failed)?;
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(BAD_INPUT.into()) && !said.trim().is_empty() {
        return Err(Failure::input(said));
    }
    let path = path.display();
    Err(Failure::input(format!(
        "{path}: not usable as bitcode: truncated or damaged: LLVM's reader crashes on it or does \
         not end"
    )))
}
