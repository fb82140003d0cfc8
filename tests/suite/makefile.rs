//! `plat.mk` in a user's Makefile: every stage is made once, and again only when what it is made
//! of has changed.

use plat_tests::{BITCODE_FLAGS, command, root, scratch};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

const PROGRAM: &str = "
#include <klee/klee.h>
#include <stdlib.h>
int main(void)
{
\tchar *text = malloc(4);
\tklee_make_symbolic(text, 4, \"text\");
\tif (text[0] == 'x')
		return 1;
	return 0;
}
";

/// Runs make in the directory; what it did, a command a line.
fn make(directory: &Path, target: &str) -> Vec<String> {
    let output = Command::new("make")
        .arg("-C")
        .arg(directory)
        .arg("--no-print-directory")
        .arg(target)
        .output()
        .expect("make runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    said.lines().map(str::to_owned).collect()
}

/// Which stages of plat are among the commands.
fn stages(commands: &[String]) -> Vec<&str> {
    let stage = |line: &str| {
        ["link", "analyze", "segment", "transform", "ideal", "run"]
            .into_iter()
            .find(|stage| line.contains(&format!("{} {stage} ", command().display())))
    };
    commands.iter().filter_map(|line| stage(line)).collect()
}

/// Makes a file as old as that, so that the test need not wait for a clock tick.
fn age(path: &Path, seconds: u64) {
    let file = fs::File::open(path).expect("the file");
    let time = SystemTime::now() - Duration::from_secs(seconds);
    file.set_modified(time).expect("the time is set");
}

#[test]
fn only_what_changed_is_made_again() {
    let directory = scratch("makefile");
    let repository = root();
    fs::write(directory.join("prog.c"), PROGRAM).expect("a file");
    let makefile = format!(
        "PLAT = {}\nPLAT_RUN_FLAGS = --quiet\ninclude {}\n%.bc: %.c\n\tclang-22 {} -I{} $< -o $@\n",
        command().display(),
        repository.join("plat.mk").display(),
        BITCODE_FLAGS.join(" "),
        repository.join("transform/runtime/include").display(),
    );
    fs::write(directory.join("Makefile"), makefile).expect("a file");

    let all = ["link", "analyze", "segment", "transform", "run"];
    assert_eq!(stages(&make(&directory, "prog.plat-out")), all);
    let tests = directory.join("prog.plat-out/tests.jsonl");
    let lines = fs::read_to_string(&tests)
        .expect("the tests")
        .lines()
        .count();
    assert_eq!(lines, 2, "two paths");
    assert_eq!(stages(&make(&directory, "prog.plat-out")), [""; 0]);

    age(&directory.join("prog.plat.bc"), 100);
    assert_eq!(stages(&make(&directory, "prog.plat.bc")), ["transform"]);
    age(&directory.join("prog.bc"), 100);
    age(&directory.join("prog.linked.bc"), 90);
    age(&directory.join("prog.pts"), 80);
    age(&directory.join("prog.segments.json"), 70);
    assert_eq!(stages(&make(&directory, "prog.plat-out")), all);

    // The run with ideal segments shares what it can.
    let ideal = ["ideal", "transform", "run"];
    assert_eq!(stages(&make(&directory, "prog.ideal.plat-out")), ideal);
    assert_eq!(stages(&make(&directory, "prog.ideal.plat-out")), [""; 0]);
    make(&directory, "prog.compare.txt");
    let table = fs::read_to_string(directory.join("prog.compare.txt")).expect("a table");
    assert!(table.contains("largest segment"), "{table}");
    assert!(directory.join("prog.compare.svg").exists());
}
