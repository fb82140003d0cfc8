//! Failed tests of Rust's harness (`#[test]`, `cargo test --no-run`) as panics.
//!
//! The harness catches what its tests throw, as some are to panic, and ends with exit code 101 when one has
//! failed. Which one, and what it said, is read from the list that the harness writes to standard
//! output; a test's own output is there or, with `--nocapture`, in standard error.

use super::panicking::{AT, message};
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::code::libraries;
use crate::executor::Executor;
use crate::state::State;
use plat_expr::{Assignment, EvalMemo};

/// The harness's exit code when a test has failed.
const FAILED: i32 = 101;

impl Executor<'_> {
    /// The end of a path as a panic, if it is the end of the harness with a failed test.
    pub(super) fn failed_test(&self, state: &State, end: PathEnd, model: &Assignment) -> PathEnd {
        if !matches!(end, PathEnd::Exited(FAILED)) || !self.within_harness(state, 0) {
            return end;
        }
        let mut memo = EvalMemo::default();
        let [stdout, stderr] =
            [&state.environment.stdout, &state.environment.stderr].map(|output| {
                let bytes = self.bytes_under(&output.bytes(), model, &mut memo);
                String::from_utf8_lossy(&bytes).into_owned()
            });
        PathEnd::Fault(failure(&stdout, &stderr).unwrap_or_else(unnamed))
    }

    /// Whether the harness is behind so many frames.
    pub(crate) fn within_harness(&self, state: &State, behind: usize) -> bool {
        state.stack().skip(behind).any(|frame| {
            let name = &self.program.function(frame.function).name;
            libraries::rust_path(name).is_some_and(|path| path.starts_with("test::"))
        })
    }
}

/// The first test that has failed, by what the harness has written.
fn failure(stdout: &str, stderr: &str) -> Option<Fault> {
    let (before, list) = stdout.rsplit_once("\nfailures:\n    ")?;
    let name = list.lines().next()?;
    let output = section(before, name);
    let of_thread = || {
        stderr
            .rfind(&format!("\nthread '{name}'"))
            .map(|at| &stderr[at..])
    };
    // On the main thread it is not told which test has panicked.
    let alone = || before.contains("\nrunning 1 test\n").then_some(stderr);
    let said = output
        .filter(|output| output.contains(AT))
        .or_else(of_thread)
        .or_else(alone);
    let (named, mut lines) = message(said.unwrap_or_default());
    if lines.is_empty() {
        let output = output
            .unwrap_or_default()
            .lines()
            .filter(|line| !line.is_empty());
        lines = output.map(str::to_string).collect();
    }
    let text = match lines.is_empty() {
        true => "without a message".to_string(),
        false => lines.remove(0),
    };
    lines.insert(0, format!("test {name} failed"));
    Some(Fault {
        info: lines,
        named,
        ..Fault::new(FaultKind::Panic, format!("panic: {text}"))
    })
}

/// That a test has failed, where the harness writes no list (`--format json`), or more than is kept.
fn unnamed() -> Fault {
    Fault::new(
        FaultKind::Panic,
        "panic: a test has failed, and no list says which",
    )
}

/// What a test has written, where the harness has kept it.
fn section<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, behind) = text.split_once(&format!("\n---- {name} stdout ----\n"))?;
    Some(behind.split("\n---- ").next().unwrap_or(behind))
}

#[cfg(test)]
mod tests {
    use super::failure;

    #[test]
    fn the_first_failed_test_is_told_with_its_place() {
        let stdout = "\nrunning 3 tests\ntest tests::should - should panic ... ok\n\nfailures:\n\n\
                      ---- tests::wrong stdout ----\n\nthread 'tests::wrong' (7) panicked at src/lib.rs:17:23:\n\
                      assertion `left == right` failed\n  left: 1\n right: 2\nnote: run with it\n\n\n\
                      ---- tests::z stdout ----\nError: \"x\"\n\n\nfailures:\n    tests::wrong\n    tests::z\n\n\
                      test result: FAILED. 1 passed; 2 failed\n";
        let fault = failure(stdout, "").expect("a fault");
        assert_eq!(fault.message, "panic: assertion `left == right` failed");
        let named = fault.named.expect("a place");
        assert_eq!((named.file.as_str(), named.line), ("src/lib.rs", 17));
        assert_eq!(
            fault.info,
            ["test tests::wrong failed", "  left: 1", " right: 2"]
        );
    }

    #[test]
    fn output_may_be_elsewhere_or_say_no_place() {
        let stdout =
            "\nrunning 1 test\ntest z ... FAILED\n\nfailures:\n\nfailures:\n    z\n\ntest result";
        let stderr = "\nthread 'main' (7) panicked at src/lib.rs:3:1:\nno\n";
        let fault = failure(stdout, stderr).expect("a fault");
        assert_eq!(
            (fault.message.as_str(), fault.named.expect("a place").line),
            ("panic: no", 3)
        );
        // With several tests it may be another one's.
        let fault = failure(&stdout.replace("1 test", "2 tests"), stderr).expect("a fault");
        assert_eq!(
            (fault.message.as_str(), fault.named),
            ("panic: without a message", None)
        );
        let error = "\n\nfailures:\n\n---- z stdout ----\nError: \"x\"\n\n\nfailures:\n    z\n";
        assert_eq!(
            failure(error, "").expect("a fault").message,
            "panic: Error: \"x\""
        );
        assert!(failure("all is well\n", "").is_none());
    }
}
