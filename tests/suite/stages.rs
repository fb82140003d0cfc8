//! Stages that cannot do their work: what has happened is one line, whose files are meant is clear,
//! and nothing is left in the temporary directory for long.

use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longest time for what takes no time.
const PATIENCE: Duration = Duration::from_secs(30);

fn wait_for(what: &str, ready: impl Fn() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        sleep(Duration::from_millis(5));
    }
}

/// A directory with a program, a file that takes a while to read, and a directory for temporary
/// files.
struct Bench {
    directory: Scratch,
}

impl Bench {
    fn new(name: &str) -> Self {
        let directory = scratch(name);
        let source = "int main(void) { return 0; }\n";
        fs::write(directory.join("good.c"), source).expect("a source");
        compile_bitcode(&directory.join("good.c"), &directory.join("good.bc"));
        let large = fs::File::create(directory.join("large.bc")).expect("a file");
        large.set_len(512 << 20).expect("a sparse file");
        fs::create_dir(directory.join("tmp")).expect("a directory");
        Bench { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// The command in the directory; `shell` is what a shell does before it.
    fn plat(&self, shell: &str, words: &str) -> Command {
        let mut plat = Command::new("sh");
        plat.current_dir(&self.directory)
            .env("TMPDIR", self.path("tmp"))
            .args(["-c", &format!("{shell} exec \"$0\" {words}")])
            .arg(command())
            .stdin(Stdio::null());
        plat
    }

    /// Starts the command and stops the process that reads a file for it.
    fn waiting(&self, words: &str) -> (Child, String) {
        let child = self
            .plat("", words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("plat runs");
        wait_for("the stage", || reader(&child).is_some());
        let reader = reader(&child).expect("a process");
        must_run(Command::new("kill").args(["-STOP", &reader]));
        (child, reader)
    }

    fn temporary(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("tmp")).expect("a directory");
        entries.flatten().map(|entry| entry.path()).collect()
    }
}

/// The child in which LLVM works.
fn reader(child: &Child) -> Option<String> {
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).ok()?;
    children
        .split_whitespace()
        .find(|process| {
            let name = fs::read_to_string(format!("/proc/{process}/comm"));
            name.is_ok_and(|name| name.trim() == "llvm-process")
        })
        .map(str::to_owned)
}

/// Sends a signal to a stopped process, which it is to notice.
fn kill(signal: &str, process: &str) {
    must_run(Command::new("kill").args([signal, process]));
    let _ = Command::new("kill")
        .args(["-CONT", process])
        .stderr(Stdio::null())
        .status();
}

/// The one line that a failing command says.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    said
}

#[test]
fn a_process_that_ends_is_no_damaged_file() {
    let bench = Bench::new("stages-killed");
    for (signal, says) in [
        ("-KILL", "was killed (signal 9)"),
        ("-ABRT", "ran out of memory"),
        ("-XCPU", "more processor time"),
        ("-USR1", "signal: 10"),
    ] {
        for (words, stage) in [
            ("link large.bc -o out.bc", "linking"),
            ("run --quiet large.bc", "reading"),
        ] {
            let (child, reader) = bench.waiting(words);
            kill(signal, &reader);
            let said = complaint(&child.wait_with_output().expect("an end"));
            assert!(
                said.contains("large.bc: ") && said.contains(stage),
                "{said}"
            );
            assert!(said.contains(says), "{said}");
            assert!(
                !said.contains("damaged bitcode") && !said.contains("not usable"),
                "{said}"
            );
        }
    }
    let (child, reader) = bench.waiting("link large.bc -o out.bc");
    kill("-ILL", &reader);
    let said = complaint(&child.wait_with_output().expect("an end"));
    assert!(
        said.contains("not usable as bitcode: truncated or damaged"),
        "{said}"
    );
}

/// To others the process looks like the command: what is sent to both is for the command.
#[test]
fn a_request_to_end_is_not_for_the_process_of_a_stage() {
    let bench = Bench::new("stages-asked");
    for signal in ["-TERM", "-INT", "-HUP"] {
        let (child, reader) = bench.waiting("link large.bc -o out.bc");
        kill(signal, &reader);
        let said = complaint(&child.wait_with_output().expect("an end"));
        assert!(said.contains("'main' not found"), "{said}");
    }
}

/// However little memory there is, a good file is never called damaged.
#[test]
fn little_memory_is_no_damaged_file() {
    let bench = Bench::new("stages-memory");
    let mut refused = 0;
    for kibibytes in (200_000..300_000).step_by(2_500) {
        let limit = format!("ulimit -v {kibibytes};");
        let output = bench.plat(&limit, "link good.bc -o out.bc").output();
        let output = output.expect("a run");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("not usable as bitcode"), "{limit} {said}");
        refused += u32::from(!output.status.success());
        if output.status.code() == Some(2) {
            assert_eq!(said.lines().count(), 1, "{limit} {said}");
        }
    }
    assert!(refused > 0, "memory is never short");
}

#[test]
fn results_that_cannot_be_written_are_named() {
    let bench = Bench::new("stages-full");
    let says = |shell: &str, words: &str, parts: &[&str]| {
        let said = complaint(&bench.plat(shell, words).output().expect("a run"));
        for part in parts {
            assert!(said.contains(part), "{words}: `{part}` is not in: {said}");
        }
        assert!(!said.contains("damaged"), "{said}");
    };
    let long = ["out.bc: cannot be written: File too large"];
    says("ulimit -f 1;", "link good.bc -o out.bc", &long);
    let full = ["/dev/full: cannot be written: No space left"];
    says("", "link good.bc -o /dev/full", &full);
    // What the stages make on the way is not the user's.
    let temporary = ["temporary file linked.bc", "File too large", "TMPDIR"];
    says("ulimit -f 1;", "explore --quiet good.bc", &temporary);
    fs::remove_dir(bench.path("tmp")).expect("removed");
    says("", "explore --quiet good.bc", &["tmp/plat-", "TMPDIR"]);
}

#[test]
fn what_a_killed_run_has_left_goes_with_the_next() {
    let bench = Bench::new("stages-left");
    let explore = || {
        let _ = fs::remove_dir_all(bench.path("out"));
        must_run(&mut bench.plat("", "explore --quiet --output-dir out good.bc"));
    };
    let (mut child, _) = bench.waiting("explore --quiet large.bc");
    assert_eq!(bench.temporary().len(), 1);
    explore();
    assert_eq!(bench.temporary().len(), 1, "it is in use");
    child.kill().expect("killed");
    child.wait().expect("an end");
    assert_eq!(bench.temporary().len(), 1, "nobody could remove it");
    explore();
    assert_eq!(bench.temporary(), Vec::<PathBuf>::new());
}

#[test]
fn a_dash_is_standard_output() {
    let bench = Bench::new("stages-dash");
    let same = |words: &str, file: &str| {
        must_run(&mut bench.plat("", &words.replace("OUT", file)));
        let said = must_run(&mut bench.plat("", &words.replace("OUT", "-"))).stdout;
        let written = fs::read(bench.path(file)).expect("a file");
        assert!(!written.is_empty());
        assert_eq!(said, written, "{words}");
        assert!(!bench.path("-").exists());
    };
    same("link good.bc -o OUT", "linked.bc");
    same("analyze linked.bc -o OUT", "linked.pts");
    same(
        "segment linked.bc --points-to linked.pts -o OUT",
        "map.json",
    );
    same(
        "segment linked.bc --points-to linked.pts --dot OUT",
        "map.dot",
    );
    same("transform linked.bc --segments map.json -o OUT", "plat.bc");
    same("ideal --quiet -o OUT good.bc", "ideal.json");
    // Behind something else on standard output, not over it.
    let both = must_run(&mut bench.plat("echo before >both;", "analyze linked.bc -o - >>both"));
    assert!(both.stdout.is_empty());
    let both = fs::read_to_string(bench.path("both")).expect("a file");
    assert!(both.starts_with("before\n{"), "{both}");
    refused_by_a_terminal(&bench.directory);
}

fn refused_by_a_terminal(directory: &Path) {
    for words in [
        "link good.bc -o -",
        "transform linked.bc --segments map.json -o -",
    ] {
        let output = Command::new("script")
            .current_dir(directory)
            .args(["-qec", &format!("{} {words}", command().display())])
            .arg("/dev/null")
            .stdin(Stdio::null())
            .output()
            .expect("script (of bsdutils) runs");
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("not written to a terminal"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
