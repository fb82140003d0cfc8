//! `plat build`: the bitcode of whole programs, from any build.

use crate::args::build::BuildArgs;
use crate::say::{note, say};
use plat::{Error, building};
use std::path::Path;
use std::process::ExitCode;

/// How many lines of a kind are shown.
const SHOWN: usize = 10;

/// Says of which files something holds.
fn warn(what: &str, files: &[String]) {
    for line in files.iter().take(SHOWN) {
        note!("plat: WARNING: {what}: {line}");
    }
    if files.len() > SHOWN {
        note!("plat: WARNING: {what}: {} more", files.len() - SHOWN);
    }
}

/// Runs the build, and says where the bitcode is. The exit code is that of the build, or 2 if no
/// program has come of it.
///
/// # Errors
/// When the command or a tool cannot be started.
pub fn execute(args: &BuildArgs) -> Result<ExitCode, Error> {
    let here = std::env::current_dir();
    let here = here.map_err(|why| Error::input(format!("the working directory: {why}")))?;
    let built = match &args.compile_commands {
        Some(database) => building::database::run(&here, database)?,
        None => building::run(&here, &args.command, &crate::helpers::executable()?)?,
    };
    let relative = |path: &Path| {
        path.strip_prefix(&here)
            .unwrap_or(path)
            .display()
            .to_string()
    };
    for program in &built.programs {
        say!(
            "{} of {} files\n",
            relative(&program.bitcode),
            program.files
        );
    }
    warn("no bitcode", &built.missing);
    let slow = format!(
        "compiled without passes, which take clang longer than {} s",
        building::wrapper::SECONDS
    );
    warn(&slow, &built.slow);
    if built.code != 0 {
        note!(
            "plat: the build command has ended with exit code {}",
            built.code
        );
        return Ok(ExitCode::from(u8::try_from(built.code).unwrap_or(1)));
    }
    if built.programs.is_empty() {
        if args.compile_commands.is_some() {
            return Err(Error::input(
                "no program: none of these sources has a main that could be linked",
            ));
        }
        return Err(Error::input(
            "no executable here was made by a compiler from the path: has the command built anything \
             (make clean, cargo clean), and does it name its compiler without a path?",
        ));
    }
    Ok(ExitCode::SUCCESS)
}
