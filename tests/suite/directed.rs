//! The searcher `directed` comes to a place in fewer instructions than others, with a test that goes
//! there; places that there are not, or that nothing leads to, are said at once.

use plat::suite::Container;
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{command, compile_bitcode, must_run, scratch};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Many paths that lead nowhere.
const NOISE: &str = r#"
#include <stdio.h>
static int noise(const char *s) {
  int n = 0;
  for (int i = 0; i < 7; i++)
    if (s[i] > '0' + i)
      n += i;
  return n;
}
void target(void) { puts("here"); }
"#;

/// A program, and what is to be reached in it.
struct Case {
    name: &'static str,
    source: &'static str,
}

const CASES: &[Case] = &[
    Case {
        name: "levels",
        source: r#"
static int third(const char *s) {
  if (s[2] != 'r')
    return noise(s);
  if (s[3] == 'k')
    target();
  return noise(s);
}
static int second(const char *s) {
  if (s[1] == 'a')
    return third(s);
  return noise(s);
}
int main(int argc, char **argv) {
  if (argc != 2 || argv[1][0] != 'm')
    return noise(argv[1]);
  return second(argv[1]);
}
"#,
    },
    Case {
        name: "pointers",
        source: r#"
static int open_it(const char *s) { return noise(s); }
static int close_it(const char *s) { return noise(s) + 1; }
static int deep(const char *s) {
  if (s[1] == '7' && s[2] < '3')
    target();
  return noise(s);
}
static int (*const handlers[])(const char *) = {open_it, close_it, deep, close_it, open_it};
int main(int argc, char **argv) {
  unsigned at = (unsigned char)argv[1][0] - 'a';
  return at < 5 ? handlers[at](argv[1]) : noise(argv[1]);
}
"#,
    },
    Case {
        name: "returns",
        source: r#"
static int parse(const char *s) {
  if (s[0] != '-')
    return noise(s) & 1;
  if (s[1] != 'x')
    return noise(s) & 2;
  return s[2] == 'y' ? 42 : noise(s) & 1;
}
int main(int argc, char **argv) {
  int code = parse(argv[1]);
  if (code > 2 && argv[1][3] == '!' && argv[1][4] == '?')
    target();
  return code + noise(argv[1]);
}
"#,
    },
];

/// The bitcode of a program.
fn compiled(directory: &Path, case: &Case) -> (PathBuf, PathBuf) {
    let source = directory.join(format!("{}.c", case.name));
    fs::write(&source, format!("{NOISE}{}", case.source)).expect("a source");
    let bitcode = source.with_extension("bc");
    compile_bitcode(&source, &bitcode);
    (source, bitcode)
}

fn summary(out: &Path) -> Value {
    let text = fs::read(out.join("summary.json")).expect("the summary");
    serde_json::from_slice(&text).expect("JSON")
}

/// Instructions until the target is reached, and the directory of the run.
fn reach(directory: &Path, bitcode: &Path, search: &str) -> (u64, PathBuf) {
    let stem = bitcode.file_stem().expect("a name").to_string_lossy();
    let out = directory.join(format!("{stem}-{search}"));
    let (to, program) = (out.to_string_lossy(), bitcode.to_string_lossy());
    let args = [
        "explore",
        "--quiet",
        "--output-dir",
        &to,
        "--search",
        search,
        "--batch-instructions",
        "100",
        "--target",
        "target",
        "--exit-on-target",
        &program,
        "--sym-arg",
        "8",
    ];
    plat_ok(command(), &args).expect("a run");
    let found = summary(&out);
    assert_eq!(found["stop"], "target", "{search}");
    assert_eq!(found["targets"][0]["reached"], true, "{search}");
    let instructions = found["targets"][0]["instructions"].as_u64();
    (instructions.expect("a number"), out)
}

#[test]
fn it_is_nearer_than_others() {
    let directory = scratch("directed");
    for case in CASES {
        let (source, bitcode) = compiled(&directory, case);
        let (directed, out) = reach(&directory, &bitcode, "directed");
        for search in ["dfs", "bfs", "random-path,nurs:covnew,random-path,fresh"] {
            let (other, _) = reach(&directory, &bitcode, search);
            let name = case.name;
            println!("{name} {search}: {directed} {other}");
            assert!(
                directed * 3 < other * 2,
                "{name}: {directed}, {search} {other}"
            );
        }
        goes_there(&source, &out);
    }
}

/// The test of the target, run natively, says so.
fn goes_there(source: &Path, out: &Path) {
    let native = source.with_extension("native");
    must_run(
        Command::new("clang-22")
            .arg("-w")
            .arg(source)
            .arg("-o")
            .arg(&native),
    );
    let number = summary(out)["targets"][0]["test"].as_u64();
    let number = number.and_then(|number| u32::try_from(number).ok());
    let tests = Container::open(out).expect("the tests");
    let test = tests.test(number.expect("a test")).expect("the test");
    // The path was ended where it had come to the place; the native program goes on.
    let argument = test.inputs[0].bytes.split(|&byte| byte == 0).next();
    let argument = OsStr::from_bytes(argument.expect("an argument"));
    let said = printed(Command::new(&native).arg(argument));
    assert!(said.contains("here"), "{argument:?}: {said}");
}

/// What a program prints, whatever its exit code.
fn printed(program: &mut Command) -> String {
    let output = program.output().expect("the program runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_run_that_goes_on_takes_it() {
    let directory = scratch("directed-resume");
    let (_, bitcode) = compiled(&directory, &CASES[0]);
    let out = directory.join("out");
    let (to, program) = (out.to_string_lossy(), bitcode.to_string_lossy());
    let args = [
        "explore",
        "--quiet",
        "--output-dir",
        &to,
        "--search",
        "bfs",
        "--batch-instructions",
        "100",
        "--max-instructions",
        "3000",
        &program,
        "--sym-arg",
        "8",
    ];
    plat_ok(command(), &args).expect("a run");
    let args = [
        "resume",
        "--quiet",
        &to,
        "--search",
        "directed",
        "--target",
        "target",
        "--exit-on-target",
        "--max-instructions",
        "0",
    ];
    plat_ok(command(), &args).expect("it goes on");
    assert_eq!(summary(&out)["targets"][0]["reached"], true);
    // What is reached already is said.
    plat_ok(command(), &args).expect("it goes on");
    let again = &summary(&out)["targets"][0];
    assert_eq!(
        (&again["reached"], again.get("test")),
        (&Value::Bool(true), None)
    );
}

#[test]
fn what_cannot_be_reached_is_said_at_once() {
    let directory = scratch("directed-bad");
    let source = directory.join("bad.c");
    let text = "int helper(int n) {\n  return n + 1;\n}\n__attribute__((used)) static int never(int n) {\n  \
                return n;\n}\nint main(void) {\n  return helper(1);\n}\n";
    fs::write(&source, text).expect("a source");
    let bitcode = source.with_extension("bc");
    compile_bitcode(&source, &bitcode);
    let program = bitcode.to_string_lossy();
    let out = directory.join("out");
    let out = out.to_string_lossy();
    for (target, expected) in [
        ("helpr", "nearest: helper"),
        ("bda.c:3", "nearest: bad.c"),
        ("bad.c:900", "the nearest that have one: "),
        ("bad.c:5", "no path can reach it"),
    ] {
        let args = [
            "explore",
            "--output-dir",
            &out,
            "--target",
            target,
            &program,
        ];
        let said = plat(command(), &args);
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(!said.status.success(), "{target}: {text}");
        assert!(text.contains(expected), "{target}: {text}");
        assert_eq!(text.trim().lines().count(), 1, "{target}: {text}");
    }
    let said = plat(command(), &["explore", "--search", "directed", &program]);
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        !said.status.success() && text.contains("--target"),
        "{text}"
    );
}
