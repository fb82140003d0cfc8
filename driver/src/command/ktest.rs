//! `plat ktest`: prints test cases as `ktest-tool` does.

use crate::args::KtestArgs;
use crate::failure::Failure;
use crate::output::ktest::describe;
use crate::say::say;
use plat_env::Ktest;
use std::process::ExitCode;

pub(super) fn execute(args: &KtestArgs) -> Result<ExitCode, Failure> {
    for path in &args.files {
        let name = path.display().to_string();
        let test = Ktest::read(path).map_err(Failure::input)?;
        say!("{}", describe(&name, &test));
    }
    Ok(ExitCode::SUCCESS)
}
