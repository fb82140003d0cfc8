//! `plat ktest`: prints test cases as `ktest-tool` does.

use crate::args::KtestArgs;
use crate::failure::Failure;
use crate::output::ktest::{Ktest, describe};
use std::process::ExitCode;

pub(super) fn execute(args: &KtestArgs) -> Result<ExitCode, Failure> {
    for path in &args.files {
        let name = path.display().to_string();
        let bytes = std::fs::read(path).map_err(|why| Failure::input(format!("{name}: {why}")))?;
        let test =
            Ktest::from_bytes(&bytes).map_err(|why| Failure::input(format!("{name}: {why}")))?;
        print!("{}", describe(&name, &test));
    }
    Ok(ExitCode::SUCCESS)
}
