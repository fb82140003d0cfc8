//! `plat corpus`.

use crate::args::corpus::{CorpusArgs, CorpusCommand, ExportArgs};
use crate::say::sayln;
use plat::Error;
use plat::output::corpus;
use std::process::ExitCode;

pub(super) fn execute(args: &CorpusArgs) -> Result<ExitCode, Error> {
    match &args.command {
        CorpusCommand::Export(args) => export(args),
    }
}

fn export(args: &ExportArgs) -> Result<ExitCode, Error> {
    let tests = corpus::tests(&args.tests, args.only_new)?;
    let exported = corpus::export(&tests, &args.output, args.names.into())?;
    sayln!(
        "{} tests: {} inputs written, {} known",
        tests.len(),
        exported.written,
        exported.known
    );
    Ok(ExitCode::SUCCESS)
}
