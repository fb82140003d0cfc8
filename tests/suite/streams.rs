//! Standard streams that are closed, full, or read by nobody: the command says what it can and does
//! the rest all the same.

use plat_tests::{Scratch, command, compile_bitcode, scratch};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A path for every value, each leaving a test, without end; and a line of output.
const ENDLESS: &str = "
#include <klee/klee.h>
#include <stdio.h>
int main(void)
{
\tunsigned long n;
\tputs(\"begun\");
\tfflush(stdout);
\tklee_make_symbolic(&n, sizeof n, \"n\");
\tfor (unsigned long i = 0;; i++)
\t\tif (n == i)
\t\t\treturn 0;
}
";

/// A directory with the program.
fn bench(name: &str) -> (Scratch, PathBuf) {
    let directory = scratch(name);
    let (source, bitcode) = (directory.join("endless.c"), directory.join("endless.bc"));
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    (directory, bitcode)
}

fn explore(bitcode: &Path, out: &Path) -> Command {
    let mut explore = Command::new(command());
    explore
        .args(["explore", "--max-time", "1s", "--output-dir"])
        .args([out, bitcode]);
    explore
}

/// The run has written all that it writes.
fn assert_complete(out: &Path) {
    let read = |name: &str| fs::read_to_string(out.join(name)).expect(name);
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).expect("JSON");
    assert_eq!(summary["stop"], "time");
    assert_eq!(summary["tests"], read("tests.jsonl").lines().count());
    assert!(read("info").contains("generated tests"));
    assert!(read("messages.txt").starts_with("plat: output directory is"));
    assert!(read("assembly.ll").contains("\ndefine "));
}

fn full() -> File {
    let full = OpenOptions::new().write(true).open("/dev/full");
    full.expect("/dev/full")
}

/// An end of a pipe that nobody reads.
fn unread() -> std::io::PipeWriter {
    std::io::pipe().expect("a pipe").1
}

#[test]
fn a_run_goes_on_when_nobody_hears_its_messages() {
    let (directory, bitcode) = bench("streams-messages");
    let out = directory.join("head");
    // `plat explore 2>&1 | head -1`
    let mut child = explore(&bitcode, &out)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("plat runs");
    let mut first = String::new();
    let mut reader = BufReader::new(child.stderr.take().expect("a pipe"));
    reader.read_line(&mut first).expect("a line");
    drop(reader);
    let status = child.wait().expect("a child");
    assert!(status.success(), "{status}, after: {first}");
    assert_complete(&out);

    let kinds: [(&str, Stdio); 2] = [("full", full().into()), ("unread", unread().into())];
    for (name, stderr) in kinds {
        let out = directory.join(name);
        let mut explore = explore(&bitcode, &out);
        let status = explore.stdout(Stdio::null()).stderr(stderr).status();
        let status = status.expect("plat runs");
        assert!(status.success(), "{name}: {status}");
        assert_complete(&out);
    }
}

#[test]
fn a_terminal_that_goes_away_is_no_panic() {
    let (directory, bitcode) = bench("streams-terminal");
    let out = directory.join("out");
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("a terminal");
    unlockpt(&terminal).expect("a terminal");
    let name = ptsname(&terminal, Vec::new()).expect("its name");
    let name = name.into_string().expect("a path");
    let end = OpenOptions::new().read(true).write(true).open(name);
    let mut child = explore(&bitcode, &out)
        .stdout(Stdio::null())
        .stderr(end.expect("the other end"))
        .spawn()
        .expect("plat runs");
    // It has drawn something when it goes.
    let mut terminal = File::from(terminal);
    let mut seen = [0; 64];
    assert!(terminal.read(&mut seen).expect("a message") > 0);
    sleep(Duration::from_millis(300));
    drop(terminal);
    let status = child.wait().expect("a child");
    assert!(status.success(), "{status}");
    assert_complete(&out);
}

#[test]
fn results_that_cannot_be_printed_are_an_error_and_the_files_are_whole() {
    let (directory, bitcode) = bench("streams-results");
    for (name, stdout, code) in [
        ("full", Stdio::from(full()), 2),
        ("unread", Stdio::from(unread()), 0),
    ] {
        let out = directory.join(name);
        let ended = explore(&bitcode, &out).stdout(stdout).output();
        let ended = ended.expect("plat runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        // What the program under test has printed is lost.
        assert_eq!(ended.status.code(), Some(code), "{name}: {said}");
        assert_eq!(
            said.contains("plat: standard output: "),
            code != 0,
            "{said}"
        );
        assert_complete(&out);
    }
    for (name, stdout, code) in [
        ("json-full", Stdio::from(full()), 2),
        ("json-unread", Stdio::from(unread()), 0),
    ] {
        let out = directory.join(name);
        let ended = Command::new(command())
            .args(["explore", "--json", "--max-time", "1s", "--output-dir"])
            .args([&out, &bitcode])
            .stdout(stdout)
            .output()
            .expect("plat runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{name}: {said}");
        assert_complete(&out);
    }
}

#[test]
fn streams_that_are_closed_at_the_start_are_not_files_of_the_run() {
    let (directory, bitcode) = bench("streams-closed");
    for (name, closed) in [
        ("all", "<&- >&- 2>&-"),
        ("out", ">&-"),
        ("err", "2>&-"),
        ("in", "<&-"),
        ("outputs", ">&- 2>&-"),
    ] {
        let out = directory.join(name);
        let status = Command::new("sh")
            .args(["-c", &format!("exec \"$@\" {closed}"), "sh"])
            .arg(command())
            .args(["explore", "--max-time", "1s", "--output-dir"])
            .args([&out, &bitcode])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("a shell");
        assert!(status.success(), "{closed}: {status}");
        assert_complete(&out);
        // What the program and the command write has not landed in a file.
        for entry in fs::read_dir(&out).expect("the directory").flatten() {
            let kind = entry.path();
            let kind = kind.extension().unwrap_or_default();
            if kind == "ktest" || entry.file_name() == "tests.jsonl" {
                let bytes = fs::read(entry.path()).expect("a file");
                assert!(!bytes.windows(5).any(|it| it == b"begun"), "{closed}");
                assert!(!bytes.windows(5).any(|it| it == b"plat:"), "{closed}");
            }
        }
    }
}

#[test]
fn no_command_panics_without_a_reader() {
    let (directory, bitcode) = bench("streams-commands");
    let out = directory.join("out");
    assert!(explore(&bitcode, &out).output().is_ok());
    let (bitcode, out) = (bitcode.to_string_lossy(), out.to_string_lossy());
    let test = format!("{out}/test000001.ktest");
    let linked = directory.join("linked.bc");
    let linked = linked.to_string_lossy();
    let commands: [&[&str]; 9] = [
        &["--help"],
        &["explore", "--help"],
        &["--version"],
        &["ktest", &test],
        &["ktest", "/nonexistent"],
        &["link", &bitcode, "-o", &linked],
        &["analyze", &linked, "--print", "--stats"],
        &["table", &out],
        &["nonsense"],
    ];
    for words in commands {
        for full_stream in [false, true] {
            let stream = || match full_stream {
                true => Stdio::from(full()),
                false => Stdio::from(unread()),
            };
            for (stdout, stderr) in [(stream(), Stdio::null()), (stream(), stream())] {
                let status = Command::new(command())
                    .args(words)
                    .stdout(stdout)
                    .stderr(stderr)
                    .status()
                    .expect("plat runs");
                let code = status.code();
                assert!(matches!(code, Some(0 | 2)), "{words:?}: {status}");
            }
        }
    }
}
