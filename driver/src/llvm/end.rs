//! How the process in which LLVM works has ended without an answer.

use crate::Error;
use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGSEGV, SIGXCPU};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::ExitStatus;

/// What a failure to be told about is part of: `stage` is what the process did with `path`.
pub fn explain(stage: &str, path: &Path, status: Option<ExitStatus>) -> Error {
    let path = path.display();
    let Some(status) = status else {
        return Error::input(format!(
            "{path}: {stage} failed: its process does not answer"
        ));
    };
    Error::input(match (status.signal(), status.code()) {
        (Some(SIGSEGV | SIGBUS | SIGILL | SIGFPE), _) => format!(
            "{path}: not usable as bitcode: truncated or damaged: LLVM crashes on it ({stage}, {status})"
        ),
        (Some(SIGKILL), _) => format!(
            "{path}: {stage} failed: its process was killed (signal 9): by hand, or as memory is short; \
             try again with more memory"
        ),
        (Some(SIGXCPU), _) => format!(
            "{path}: {stage} failed: it took more processor time than any program of this size: the file \
             is damaged, or the limit (ulimit -t) too low"
        ),
        (Some(SIGABRT), _) => format!(
            "{path}: {stage} failed: LLVM ran out of memory: the file is damaged or too large, or the limit \
             (ulimit -v) too low"
        ),
        (_, Some(127)) => format!(
            "{path}: {stage} failed: its process cannot load LLVM: memory is short, or the limit (ulimit \
             -v) too low"
        ),
        _ => format!("{path}: {stage} failed: its process ended: {status}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_crash_says_that_the_file_is_damaged() {
        for signal in 1..32 {
            let status = ExitStatus::from_raw(signal);
            let failure = explain("linking", Path::new("a.bc"), Some(status));
            let damaged = failure.message.contains("not usable as bitcode");
            assert_eq!(damaged, [4, 7, 8, 11].contains(&signal), "{failure}");
            assert!(failure.message.contains("linking"), "{failure}");
        }
    }
}
