//! `plat replay`: generated tests run on a native build, and compared with what their paths did.

use crate::args::ReplayArgs;
use crate::sandbox;
use crate::say::sayln;
use plat::Error;
use plat::input::{self, Kind};
use plat::output::summary::Summary;
use plat::output::tests_jsonl::{self, End, TestLine};
use plat::replay::{self, How, NativeEnd, NativeRun, Sandbox};
use plat::suite::{self, Cases};
use plat_engine::{IN_CHILD, Limit};
use plat_env::Ktest;
use plat_env::replay::Replay;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How a test compares.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Verdict {
    /// The native run did what the path did.
    Same,
    /// It did not, in this way.
    Differs(String),
    /// The two cannot be compared, for this reason.
    Skipped(String),
}

pub(super) fn execute(args: &ReplayArgs) -> Result<ExitCode, Error> {
    let [native] = &args.native[..] else {
        return Err(Error::input(
            "name one native executable after --; the tests have its arguments",
        ));
    };
    let native = native
        .canonicalize()
        .map_err(|why| Error::input(format!("{}: {why}", native.display())))?;
    let mut known = Known::default();
    let tests = known.cases.named(&args.tests)?;
    let runner = Runner::new(native, args)?;
    let mut counts = [0usize; 3];
    // Tests that cannot be read are an error without a table.
    let mut heading = !args.quiet;
    for path in &tests {
        let (test, expected) = known.test(path)?;
        if std::mem::take(&mut heading) {
            sayln!("{:<12} {:<12} {:<12} verdict", "test", "plat", "native");
        }
        let (ran, verdict) = compare(path, &test, &expected, &runner)?;
        let (at, text) = match &verdict {
            Verdict::Same => (0, "same".to_string()),
            Verdict::Differs(how) => (1, format!("DIFFERS: {how}")),
            Verdict::Skipped(why) => (2, format!("not compared: {why}")),
        };
        counts[at] += 1;
        if !args.quiet || at == 1 {
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let there = ran.map_or_else(|| "-".to_string(), |ran| native_text(ran.end));
            sayln!(
                "{name:<12} {:<12} {there:<12} {text}",
                path_text(&expected.line)
            );
        }
    }
    let [same, differ, skipped] = counts;
    if differ > 0 {
        explain(&tests);
    }
    sayln!(
        "{} tests: {same} same, {differ} differ, {skipped} not compared",
        tests.len()
    );
    Ok(if differ == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Says what the runs of these tests met that is not as on the machine: differences may come from it.
fn explain(tests: &[PathBuf]) {
    const MOST: usize = 5;
    let runs: BTreeSet<&Path> = tests.iter().filter_map(|test| test.parent()).collect();
    for run in runs {
        let text = input::read_text(&run.join("summary.json"), Kind::Result);
        let summary = text.ok().and_then(|text| Summary::from_json(&text).ok());
        // Tests alone have no run beside them.
        let Some(met) = summary.map(|summary| summary.unsupported) else {
            continue;
        };
        if met.is_empty() {
            continue;
        }
        let mut met: Vec<(String, u64)> = met.into_iter().collect();
        met.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let names: Vec<&str> = met.iter().map(|(what, _)| what.as_str()).collect();
        sayln!(
            "differences may come from what the paths did not have as the machine has it: {}{} (warnings.txt)",
            names[..names.len().min(MOST)].join("; "),
            if names.len() > MOST { "; ..." } else { "" }
        );
    }
}

/// How native runs are made.
struct Runner {
    native: PathBuf,
    how: How,
    sandbox: Option<Sandbox>,
}

impl Runner {
    /// Confines this process, if that is asked for, and says what the system lacks for it.
    fn new(native: PathBuf, args: &ReplayArgs) -> Result<Self, Error> {
        let sandbox = sandbox::enter("plat replay", args.no_sandbox)?;
        let directory = match &args.run_in_dir {
            Some(directory) => Some(
                directory
                    .canonicalize()
                    .map_err(|why| Error::input(format!("{}: {why}", directory.display())))?,
            ),
            None => None,
        };
        let how = How {
            directory,
            timeout: args.timeout,
            variables: Vec::new(),
            start_time: args.start_time.unwrap_or(plat_env::START_TIME),
            writable: Vec::new(),
        };
        Ok(Runner {
            native,
            how,
            sandbox,
        })
    }

    fn run(&self, input: &Replay) -> Result<NativeRun, Error> {
        replay::run_within(&self.native, input, &self.how, self.sandbox.as_ref())
    }
}

/// What a path has done.
struct Expected {
    line: TestLine,
    stdout: Vec<u8>,
}

/// What is known of tests, by directory: their container, or `tests.jsonl` and the files.
#[derive(Default)]
struct Known {
    cases: Cases,
    lines: BTreeMap<PathBuf, BTreeMap<u32, TestLine>>,
}

impl Known {
    fn test(&mut self, path: &Path) -> Result<(Ktest, Expected), Error> {
        let kept = match self.cases.kept(path)? {
            Some((container, number)) => Some(container.test(number)?),
            None => None,
        };
        let test = self.cases.read(path)?.test;
        let line = match &kept {
            Some(kept) => kept.line(),
            None => self.line(path)?,
        };
        // A file counts, where there is one.
        let file = path.with_extension("out");
        let stdout = match kept.filter(|_| !file.exists()) {
            Some(kept) => kept.stdout,
            None => input::read(&file, Kind::Result)?,
        };
        Ok((test, Expected { line, stdout }))
    }

    /// The line of `tests.jsonl`.
    fn line(&mut self, test: &Path) -> Result<TestLine, Error> {
        let directory = test.parent().unwrap_or(Path::new("")).to_path_buf();
        if !self.lines.contains_key(&directory) {
            let path = directory.join("tests.jsonl");
            let wrong = |why: String| Error::input(format!("{}: {why}", path.display()));
            let text = input::read_text(&path, Kind::Result)?;
            let lines = tests_jsonl::parse(&text).map_err(wrong)?;
            let by_number = lines.into_iter().map(|line| (line.test, line)).collect();
            self.lines.insert(directory.clone(), by_number);
        }
        suite::number_of(test)
            .and_then(|number| self.lines[&directory].get(&number).cloned())
            .ok_or_else(|| Error::input(format!("{}: not in tests.jsonl", test.display())))
    }
}

fn compare(
    path: &Path,
    test: &Ktest,
    expected: &Expected,
    runner: &Runner,
) -> Result<(Option<NativeRun>, Verdict), Error> {
    let input = plat_env::replay::plan(test)
        .map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
    if input.failures {
        let why = "the path depends on injected failures".to_string();
        return Ok((None, Verdict::Skipped(why)));
    }
    let ran = runner.run(&input)?;
    let verdict = judge(&expected.line, &expected.stdout, &ran);
    let output = input.output_mode.map(|mode| ("stdout_stat", mode));
    let status = input.input_mode.as_ref();
    let status = status.map(|(object, mode)| (object.as_str(), *mode));
    let verdict = excused(verdict, output.or(status));
    Ok((Some(ran), verdict))
}

/// A difference may come from a symbolic status: a run can have the kind of file as standard output that the
/// path found, but not its numbers, and its input is always ordinary files.
fn excused(verdict: Verdict, status: Option<(&str, u32)>) -> Verdict {
    match (verdict, status) {
        (Verdict::Differs(how), Some((object, mode))) => Verdict::Skipped(format!(
            "{how} differs; it may depend on {object} (mode {mode:06o}), which a run cannot have whole"
        )),
        (verdict, _) => verdict,
    }
}

fn judge(expected: &TestLine, stdout: &[u8], ran: &NativeRun) -> Verdict {
    let kind = expected.fault.as_ref().map_or("", |fault| &fault.kind);
    if expected.end == End::Fault && kind == "loop" {
        let recursion = expected.fault.as_ref();
        let recursion = recursion.is_some_and(|fault| fault.message == "infinite recursion");
        return judge_loop(recursion, stdout, ran);
    }
    if expected.end == End::Fault && kind == "deadlock" {
        return judge_deadlock(stdout, ran);
    }
    let waits = [Limit::Connections, Limit::Signals].map(|limit| limit.name());
    if expected.end == End::Limit && waits.contains(&kind) {
        return judge_server(stdout, ran);
    }
    if ran.end == NativeEnd::TimedOut && expected.end != End::Limit {
        return Verdict::Differs("still running when its time was over".to_string());
    }
    match expected.end {
        End::Returned | End::Exited => {
            let code = expected.exit_code.unwrap_or(0);
            if ran.end != NativeEnd::Exited(code) {
                Verdict::Differs("the exit code".to_string())
            } else if !is_whole(ran, stdout, expected.stdout_cut) {
                Verdict::Differs(difference(stdout, &ran.stdout))
            } else {
                Verdict::Same
            }
        }
        // A fault need not show natively, unless the machine or the library raises it.
        End::Fault if in_child(expected) && !matches!(ran.end, NativeEnd::Signal(_)) => {
            Verdict::Skipped("a fault in a child process, which the program outlives".to_string())
        }
        End::Fault => match (kind, ran.end) {
            (_, NativeEnd::Signal(_)) => Verdict::Same,
            // Panics of Rust unwind to the start of the program, if it was not built to abort.
            ("abort", NativeEnd::Exited(PANICKED)) if is_panic(expected) => Verdict::Same,
            ("assert" | "abort" | "div", _) => Verdict::Differs("no signal".to_string()),
            _ => Verdict::Skipped("a fault that the machine need not notice".to_string()),
        },
        // The path stops early: the native run goes on from there.
        End::Unsupported | End::Limit if ran.stdout.starts_with(stdout) => {
            Verdict::Skipped("the path was cut off".to_string())
        }
        End::Unsupported | End::Limit => Verdict::Differs(difference(stdout, &ran.stdout)),
    }
}

/// A path that waits for more peers than there are: the run does, too.
fn judge_server(stdout: &[u8], ran: &NativeRun) -> Verdict {
    match ran.end {
        NativeEnd::TimedOut if ran.stdout == stdout => Verdict::Same,
        NativeEnd::TimedOut => Verdict::Differs(difference(stdout, &ran.stdout)),
        _ => Verdict::Differs("it did not wait for somebody outside".to_string()),
    }
}

/// A path whose threads all wait: the run does, too, if the machine takes the same schedule.
fn judge_deadlock(stdout: &[u8], ran: &NativeRun) -> Verdict {
    match ran.end {
        NativeEnd::TimedOut if ran.stdout.starts_with(stdout) => Verdict::Same,
        NativeEnd::TimedOut => Verdict::Differs(difference(stdout, &ran.stdout)),
        _ => Verdict::Skipped("the machine took another schedule".to_string()),
    }
}

/// The exit code of a program in Rust whose first thread has panicked.
const PANICKED: u8 = 101;

fn is_panic(expected: &TestLine) -> bool {
    let fault = expected.fault.as_ref();
    fault.is_some_and(|fault| fault.message.starts_with("panic: "))
}

fn in_child(expected: &TestLine) -> bool {
    let fault = expected.fault.as_ref();
    fault.is_some_and(|fault| fault.message.ends_with(IN_CHILD))
}

/// A path that is found in an infinite loop: the run must not end, unless by the end of its stack if it
/// is `recursion`. Either of them may have written more when it was left.
fn judge_loop(recursion: bool, stdout: &[u8], ran: &NativeRun) -> Verdict {
    const SIGSEGV: i32 = 11;
    let most = stdout.len().min(ran.stdout.len());
    match ran.end {
        NativeEnd::Signal(SIGSEGV) if recursion => Verdict::Same,
        NativeEnd::TimedOut if stdout[..most] == ran.stdout[..most] => Verdict::Same,
        NativeEnd::TimedOut => Verdict::Differs(difference(stdout, &ran.stdout)),
        _ => Verdict::Differs("the loop has ended".to_string()),
    }
}

/// Whether a run wrote what is kept of a path's output and as many bytes more as are not kept.
fn is_whole(ran: &NativeRun, kept: &[u8], cut: u64) -> bool {
    let all = ran.stdout.len() as u64 + ran.stdout_cut;
    ran.stdout.starts_with(kept) && all - kept.len() as u64 == cut
}

fn difference(expected: &[u8], got: &[u8]) -> String {
    let at = expected
        .iter()
        .zip(got)
        .take_while(|(left, right)| left == right)
        .count();
    format!(
        "the output, from byte {at} ({} and {} bytes)",
        expected.len(),
        got.len()
    )
}

fn path_text(expected: &TestLine) -> String {
    match (expected.end, expected.exit_code, &expected.fault) {
        (End::Returned | End::Exited, Some(code), _) => format!("exit {code}"),
        (End::Fault, _, Some(fault)) => fault.kind.clone(),
        (end, _, _) => format!("{end:?}").to_lowercase(),
    }
}

fn native_text(end: NativeEnd) -> String {
    match end {
        NativeEnd::Exited(code) => format!("exit {code}"),
        NativeEnd::Signal(signal) => format!("signal {signal}"),
        NativeEnd::TimedOut => "time-out".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(end: End, exit_code: Option<u8>, kind: &str) -> TestLine {
        TestLine {
            test: 1,
            end,
            exit_code,
            repeats: false,
            covers_new: false,
            fault: Some(tests_jsonl::Fault {
                kind: kind.into(),
                file: String::new(),
                line: 0,
                message: String::new(),
            }),
            instructions: 0,
            forks: 0,
            stdout_sha256: String::new(),
            stdout_cut: 0,
        }
    }

    fn verdict(expected: &TestLine, end: NativeEnd, stdout: &str) -> u8 {
        let ran = NativeRun {
            end,
            stdout: stdout.into(),
            stdout_cut: 0,
        };
        match judge(expected, b"out", &ran) {
            Verdict::Same => 0,
            Verdict::Differs(_) => 1,
            Verdict::Skipped(_) => 2,
        }
    }

    #[test]
    fn compares_ends_and_output() {
        let exited = line(End::Exited, Some(3), "");
        assert_eq!(verdict(&exited, NativeEnd::Exited(3), "out"), 0);
        assert_eq!(verdict(&exited, NativeEnd::Exited(3), "other"), 1);
        assert_eq!(verdict(&exited, NativeEnd::Exited(4), "out"), 1);
        assert_eq!(verdict(&exited, NativeEnd::Signal(11), "out"), 1);
        assert_eq!(verdict(&exited, NativeEnd::TimedOut, "out"), 1);
        let fault = line(End::Fault, None, "ptr");
        assert_eq!(verdict(&fault, NativeEnd::Signal(11), ""), 0);
        assert_eq!(verdict(&fault, NativeEnd::Exited(0), "out"), 2);
        assert_eq!(
            verdict(
                &line(End::Fault, None, "assert"),
                NativeEnd::Exited(0),
                "out"
            ),
            1
        );
        let endless = line(End::Fault, None, "loop");
        assert_eq!(verdict(&endless, NativeEnd::TimedOut, "out out out"), 0);
        assert_eq!(verdict(&endless, NativeEnd::TimedOut, "o"), 0);
        assert_eq!(verdict(&endless, NativeEnd::TimedOut, "other"), 1);
        assert_eq!(verdict(&endless, NativeEnd::Exited(0), "out"), 1);
        assert_eq!(verdict(&endless, NativeEnd::Signal(9), "out"), 1);
        let waits = line(End::Fault, None, "deadlock");
        assert_eq!(verdict(&waits, NativeEnd::TimedOut, "out"), 0);
        assert_eq!(verdict(&waits, NativeEnd::TimedOut, "other"), 1);
        assert_eq!(verdict(&waits, NativeEnd::Exited(0), "out"), 2);
        let server = line(End::Limit, None, "connections");
        assert_eq!(verdict(&server, NativeEnd::TimedOut, "out"), 0);
        assert_eq!(verdict(&server, NativeEnd::TimedOut, "other"), 1);
        assert_eq!(verdict(&server, NativeEnd::Exited(0), "out"), 1);
        let differs = || Verdict::Differs("the exit code".into());
        assert_eq!(excused(differs(), None), differs());
        assert_eq!(
            excused(Verdict::Same, Some(("stdout_stat", 0o020_600))),
            Verdict::Same
        );
        let after_symbolic_output = excused(differs(), Some(("stdin_stat", 0o020_600)));
        assert!(matches!(after_symbolic_output, Verdict::Skipped(why) if why.contains("020600")));
        let cut = line(End::Limit, None, "time");
        assert_eq!(verdict(&cut, NativeEnd::Exited(0), "out and more"), 2);
        assert_eq!(verdict(&cut, NativeEnd::Exited(0), "other"), 1);
    }
}
