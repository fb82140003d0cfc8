//! `plat analyze`.

use crate::args::AnalyzeArgs;
use crate::failure::Failure;
use crate::output::directory::write_whole;
use crate::pipeline;
use plat_pointers::{Algorithm, Config};
use std::process::ExitCode;

pub(super) fn execute(args: &AnalyzeArgs) -> Result<ExitCode, Failure> {
    let config = Config {
        algorithm: algorithm(&args.algorithm)?,
        check: args.check,
        ..Config::default()
    };
    let sets = pipeline::analyze(&args.input, &config)?;
    write_whole(&args.output, sets.to_json().as_bytes())?;
    if args.print {
        let program = pipeline::read(&args.input)?;
        print!("{}", plat_pointers::text::listing(&program, &sets));
    }
    Ok(ExitCode::SUCCESS)
}

fn algorithm(name: &str) -> Result<Algorithm, Failure> {
    Algorithm::named(name).ok_or_else(|| {
        let known = Algorithm::ALL.map(|(known, _)| known).join(", ");
        Failure::input(format!("unknown algorithm `{name}`; known are {known}"))
    })
}
