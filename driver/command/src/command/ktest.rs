//! `plat ktest`: prints test cases as `ktest-tool` does, or takes objects out of them.

use crate::args::KtestArgs;
use crate::say::say;
use plat::Error;
use plat::output::directory::write_whole;
use plat::output::ktest::describe;
use plat::suite::Cases;
use plat_env::Ktest;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn execute(args: &KtestArgs) -> Result<ExitCode, Error> {
    let mut cases = Cases::default();
    for path in &args.files {
        let name = path.display().to_string();
        let mut test = cases.read(path)?.test;
        if args.trim_zeros {
            for object in &mut test.objects {
                let end = object.bytes.iter().rposition(|&byte| byte != 0);
                object.bytes.truncate(end.map_or(0, |at| at + 1));
            }
        }
        if args.extract.is_empty() {
            say!("{}", describe(&name, &test));
        }
        for wanted in &args.extract {
            extract(path, &test, wanted)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the object of a name to a file beside the test case.
fn extract(path: &Path, test: &Ktest, wanted: &str) -> Result<(), Error> {
    let object = test.objects.iter().find(|object| object.name == wanted);
    let object = object
        .ok_or_else(|| Error::input(format!("{}: no object named {wanted}", path.display())))?;
    if wanted.contains('/') {
        let why = format!("{}: {wanted} is no name for a file", path.display());
        return Err(Error::input(why));
    }
    let mut out = path.as_os_str().to_os_string();
    out.push(".");
    out.push(wanted);
    write_whole(&PathBuf::from(out), &object.bytes)
}
