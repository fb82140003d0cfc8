//! A run that takes over from the run of another version comes to the paths of a run from scratch, and
//! says of each test what native builds of both versions say.

use super::resume::summary;
use plat::output::tests_jsonl::End;
use plat::suite::Container;
use plat::trie::{Node, Trie};
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{command, compile_bitcode, must_run, scratch};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The old version of all pairs.
const OLD: &str = r#"
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {"zero", "one", "two"};
static int limit = 3;
static int seen;

static int classify(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c == '-')
		return 100;
	return -1;
}

static int twice(int x)
{
	seen++;
	return x * 2;
}

int main(void)
{
	int a = getchar(), b = getchar();
	int n = classify(a);
	if (n < 0) {
		puts("bad");
		return 2;
	}
	if (n == 100) {
		if (b == 'x')
			puts("dash x");
		else
			puts("dash");
		return 3;
	}
	if (n < limit) {
		puts(names[n]);
	} else if (n == 7) {
		if (b == 0) {
			puts("empty");
			return 4;
		}
		seen = 100 / b;
	} else {
		putchar('a' + twice(n));
	}
	return seen > 50;
}
"#;

/// A change: its name, texts that it replaces, and whether paths may be explored again for it.
type Change = (&'static str, &'static [(&'static str, &'static str)], bool);

const CHANGES: &[Change] = &[
    ("constant", &[("return 3;", "return 5;")], true),
    ("branch", &[("b == 'x'", "b == 'y'")], true),
    (
        "moved",
        &[
            (
                "static int twice(int x)\n{\n\tseen++;\n\treturn x * 2;\n}\n",
                "",
            ),
            (
                "static int classify",
                "/* It was\n   below. */\nstatic int twice(int x)\n{\n\tseen++;\n\treturn x * 2;\n}\n\nstatic int classify",
            ),
        ],
        false,
    ),
    ("renamed", &[("twice(", "doubled(")], false),
    (
        "call",
        &[
            (
                "int main",
                "static void report(void)\n{\n\tputchar('!');\n}\n\nint main",
            ),
            ("puts(\"bad\");", "report();\n\t\tputs(\"bad\");"),
        ],
        true,
    ),
    ("string", &[("puts(\"dash\")", "puts(\"minus\")")], true),
    ("table", &[("\"one\"", "\"uno\"")], true),
    ("variable", &[("limit = 3", "limit = 2")], true),
    // A division by zero, which no check is before any more.
    ("check", &[("b == 0", "b == 0 && n == 8")], true),
    // Everything behind it is at another address.
    (
        "global",
        &[
            (
                "static int seen;",
                "static char pad[1000] = \"x\";\nstatic int seen;",
            ),
            ("puts(\"empty\");", "puts(pad);"),
        ],
        true,
    ),
    ("callee", &[("return x * 2", "return x + x + 1")], true),
    (
        "new path",
        &[(
            "if (c == '-')",
            "if (c == '+')\n\t\treturn 8;\n\tif (c == '-')",
        )],
        true,
    ),
];

fn changed(change: &Change) -> String {
    let mut text = OLD.to_string();
    for (from, to) in change.1 {
        assert!(text.contains(from), "{}: {from}", change.0);
        text = text.replace(from, to);
    }
    text
}

/// A version, as bitcode and natively.
pub(super) struct Version {
    pub(super) bitcode: PathBuf,
    native: PathBuf,
}

pub(super) fn compile(text: &str, name: &str, directory: &Path) -> Version {
    let source = directory.join(format!("{name}.c"));
    let version = Version {
        bitcode: directory.join(format!("{name}.bc")),
        native: directory.join(name),
    };
    fs::write(&source, text).expect("a source");
    compile_bitcode(&source, &version.bitcode);
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    let mut native = Command::new(clang);
    must_run(
        native
            .args(["-O0", "-w"])
            .arg(&source)
            .arg("-o")
            .arg(&version.native),
    );
    version
}

fn explore(program: &Path, out: &Path, options: &[&str]) {
    let (out, program) = (out.to_string_lossy(), program.to_string_lossy());
    // Its length is part of what a path executes.
    let mut args = vec!["explore", "--quiet", "--output-dir", &out];
    args.extend(["--program-name", "command"]);
    args.extend(options);
    args.extend([&*program, "--sym-stdin", "2"]);
    plat_ok(command(), &args).expect("a run");
}

type Json = serde_json::Value;

/// What `plat regress` says, with its exit code.
pub(super) fn regress(old: &Path, new: &Path, out: &Path, options: &[&str]) -> (Json, i32) {
    let (old, new) = (old.to_string_lossy(), new.to_string_lossy());
    let out = out.to_string_lossy();
    let args = [&["regress", "--json", &old, &new, "-o", &out], options].concat();
    let output = plat(command(), &args);
    let said = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code().expect("an exit code");
    assert!(code < 2, "{args:?}: {said}");
    let report = serde_json::from_slice(&output.stdout);
    (report.unwrap_or_else(|why| panic!("{why}: {said}")), code)
}

/// The ended paths of a run, by their decisions, with their ends and their tests' behaviours.
fn paths(out: &Path) -> BTreeMap<String, String> {
    let trie = Trie::read(out).expect("a trie");
    let tests = Container::open(out).expect("tests");
    let mut ways: HashMap<u64, String> = HashMap::new();
    let mut paths = BTreeMap::new();
    trie.walk(&mut |id, _, node| {
        let way = ways.remove(&id).unwrap_or_else(|| format!("{id}"));
        match node {
            Node::Inner(inner) => {
                let place = &trie.places[inner.place];
                for (side, child) in &inner.sides {
                    let (function, inst) = (&place.function, place.inst);
                    let kind = inner.kind.name();
                    let step = format!("{way} {kind} {function}+{inst:?}:{side}");
                    ways.insert(*child, step);
                }
            }
            Node::Leaf(leaf) => {
                let behaviour = trie.tests.get(&id).map(|&number| {
                    let test = tests.test(number).expect("a test");
                    let fault = test.fault.clone();
                    let work = (test.work, test.stdout);
                    format!("{:?} {:?} {fault:?} {work:?}", test.end, test.exit_code)
                });
                paths.insert(way, format!("{} {behaviour:?}", leaf.name()));
            }
            Node::Explored(_) => panic!("nobody has compressed it"),
            Node::Open | Node::Left(_) => assert!(paths.insert(way, "open".into()).is_none()),
        }
    });
    paths
}

/// What a native build does with an input: output, exit code or signal.
fn run_native(native: &Path, input: &[u8]) -> (Vec<u8>, Option<i32>, Option<i32>) {
    let mut child = Command::new(native)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that ends before it has read everything is none of our business.
    let _ = stdin.write_all(input);
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    (output.stdout, output.status.code(), output.status.signal())
}

/// The inputs of a run's tests.
fn inputs(out: &Path) -> Vec<Vec<u8>> {
    let tests = Container::open(out).expect("tests");
    let inputs = tests.tests().map(|test| {
        let test = test.expect("a test");
        assert_ne!(test.end, End::Limit);
        let mut objects = test.inputs.into_iter();
        objects
            .find(|one| one.name == "stdin")
            .expect("standard input")
            .bytes
    });
    inputs.collect()
}

/// Whether two native builds differ on some input of the tests of two runs.
fn differ_natively(versions: [&Version; 2], runs: [&Path; 2]) -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = runs.into_iter().flat_map(inputs).collect();
    all.sort_unstable();
    all.dedup();
    let [old, new] = versions;
    all.retain(|input| run_native(&old.native, input) != run_native(&new.native, input));
    all
}

/// The inputs on which the report says that the versions differ.
fn differ(report: &Json) -> Vec<Vec<u8>> {
    let differences = report["tests"]["differences"].as_array().expect("a list");
    let inputs = differences.iter().map(|one| {
        let objects = one["inputs"].as_array().expect("a list").iter();
        let mut objects = objects.filter(|object| object[0] == "stdin");
        let text = objects.next().expect("standard input")[1]
            .as_str()
            .expect("a text");
        unescaped(text)
    });
    let mut inputs: Vec<Vec<u8>> = inputs.collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'\\' => match rest.next().expect("an escape") {
                b'x' => {
                    let digits = [rest.next(), rest.next()].map(|digit| digit.expect("a digit"));
                    let digits = std::str::from_utf8(&digits).expect("digits");
                    u8::from_str_radix(digits, 16).expect("digits")
                }
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                other => other,
            },
            byte => byte,
        });
    }
    bytes
}

#[test]
fn a_change_comes_to_what_a_run_from_scratch_does() {
    let directory = scratch("regress-pairs");
    let old = compile(OLD, "old", &directory);
    let before = directory.join("before");
    explore(&old.bitcode, &before, &[]);
    let mut taken = 0;
    for change in CHANGES {
        let &(name, _, touches) = change;
        let name = name.replace(' ', "-");
        let new = compile(&changed(change), &name, &directory);
        let [out, whole] = ["out", "whole"].map(|end| directory.join(format!("{name}-{end}")));
        explore(&new.bitcode, &whole, &[]);
        let (report, code) = regress(&before, &new.bitcode, &out, &[]);
        assert_eq!(paths(&out), paths(&whole), "{name}");
        let [expected, found] = [&whole, &out].map(|out| summary(out)["paths"].clone());
        assert_eq!(found, expected, "{name}");
        let [expected, found] = [&whole, &out].map(|out| summary(out)["coverage"].clone());
        assert_eq!(found, expected, "{name}");
        assert_eq!(summary(&out)["led"]["divergences"], serde_json::json!({}));

        let expected = differ_natively([&old, &new], [&before, &out]);
        assert_eq!(differ(&report), expected, "{name}: {report:#}");
        assert_eq!(code, i32::from(!expected.is_empty()), "{name}");
        assert_eq!(report["finished"], true);
        let counts = &report["paths"];
        let [old, over, explored] =
            ["old", "taken_over", "explored"].map(|key| counts[key].as_u64().expect("a number"));
        assert_eq!(explored > 0, touches, "{name}: {report:#}");
        assert!(explored < old, "{name}: {report:#}");
        assert_eq!(over + explored, paths(&whole).len() as u64, "{name}");
        taken += over;
        let faults = report["new_faults"].as_array().expect("a list");
        assert_eq!(faults.len(), usize::from(name == "check"), "{name}");
    }
    assert!(taken > 80, "{taken}");
}

/// A function of the program that plat carries out itself where nothing is symbolic.
const OWN_STRNLEN: &str = r#"
#include <stdio.h>

unsigned long strnlen(const char *text, unsigned long most)
{
	unsigned long length = 0;
	while (length < most && text[length])
		length++;
	return length;
}

int main(void)
{
	char text[3] = {getchar(), getchar(), 0};
	return strnlen(text, 2);
}
"#;

#[test]
fn a_change_that_no_test_executes_is_seen() {
    let directory = scratch("regress-native");
    let text = OWN_STRNLEN.replace("length++;", "length += text[length] == 'q' ? 2 : 1;");
    let old = compile(OWN_STRNLEN, "old", &directory);
    let new = compile(&text, "new", &directory);
    let [before, out, whole] = ["before", "out", "whole"].map(|name| directory.join(name));
    explore(&old.bitcode, &before, &[]);
    explore(&new.bitcode, &whole, &[]);
    let (report, _) = regress(&before, &new.bitcode, &out, &[]);
    assert_eq!(report["paths"]["taken_over"], 0, "{report:#}");
    assert_eq!(report["changed"], serde_json::json!(["strnlen"]));
    assert_eq!(paths(&out), paths(&whole));
    assert_ne!(paths(&out), paths(&before));
}

#[test]
fn the_directory_is_that_of_a_run_like_any_other() {
    let directory = scratch("regress-directory");
    let old = compile(OLD, "old", &directory);
    let versions = ["check", "string", "callee"].map(|name| {
        let change = CHANGES.iter().find(|change| change.0 == name);
        compile(&changed(change.expect("a change")), name, &directory)
    });
    let [first, second, third] = &versions;
    let before = directory.join("before");
    // One that has not ended; several processes.
    let options = ["--max-instructions", "1500", "--batch-instructions", "100"];
    explore(&old.bitcode, &before, &options);
    let (ended, open) = counts(&before);
    assert!(ended > 0 && open > 0, "{ended} {open}");
    let out = directory.join("first");
    let unbound = ["--max-instructions", "0", "--workers", "2"];
    let (report, _) = regress(&before, &first.bitcode, &out, &unbound);
    assert_eq!(report["paths"]["old_open"], open);
    let whole = directory.join("first-whole");
    explore(&first.bitcode, &whole, &[]);
    assert_eq!(paths(&out), paths(&whole));
    assert!(out.join("test000001.out").exists() || !inputs(&out).is_empty());

    // The next change goes on from it, with little at first.
    let (before, out) = (out, directory.join("second"));
    let (report, _) = regress(
        &before,
        &second.bitcode,
        &out,
        &["--max-instructions", "1", "--batch-instructions", "50"][..2],
    );
    assert_eq!(report["finished"], false);
    let (_, open) = counts(&out);
    assert_eq!(report["paths"]["open"], open);
    assert!(open > 0, "{report:#}");
    let text = out.to_string_lossy();
    let line = ["resume", "--quiet", &text, "--max-instructions", "0"];
    plat_ok(command(), &line).expect("it goes on");
    let whole = directory.join("second-whole");
    explore(&second.bitcode, &whole, &[]);
    assert_eq!(paths(&out), paths(&whole));
    // The native build has another name.
    let native = second.native.to_string_lossy();
    plat_ok(command(), &["replay", "--quiet", &text, "--", &native]).expect("the same natively");

    // Its program is kept in the directory, and the file of that name is another one by now.
    let kept = directory.join("kept");
    explore(&second.bitcode, &kept, &["--output-module"]);
    fs::copy(&third.bitcode, &second.bitcode).expect("a copy");
    let (report, code) = regress(&kept, &second.bitcode, &directory.join("third"), &[]);
    assert_eq!((report["finished"].as_bool(), code), (Some(true), 1));
    let said = refused(&[&out.to_string_lossy(), &second.bitcode.to_string_lossy()]);
    assert!(said.contains("--old"), "{said}");
}

/// Ended and open paths.
fn counts(out: &Path) -> (usize, usize) {
    let paths = paths(out);
    let open = paths.values().filter(|end| *end == "open").count();
    (paths.len() - open, open)
}

#[test]
fn a_version_that_does_not_end_is_a_difference() {
    let directory = scratch("regress-endless");
    let old = compile(OLD, "old", &directory);
    // A local variable would be in the first block of main, which all paths enter.
    let endless = OLD.replace(
        "static int seen;",
        "static int seen;\nstatic volatile int spin;",
    );
    let endless = endless.replace("puts(\"empty\");", "for (;;)\n\t\t\t\tspin ^= 1;");
    let new = compile(&endless, "endless", &directory);
    let (before, out) = (directory.join("before"), directory.join("after"));
    explore(&old.bitcode, &before, &[]);
    let limit = ["--max-instructions", "300000"];
    let (report, code) = regress(&before, &new.bitcode, &out, &limit);
    assert_eq!((report["finished"].as_bool(), code), (Some(false), 1));
    let differences = report["tests"]["differences"].as_array().expect("a list");
    assert!(!differences.is_empty(), "{report:#}");
    for difference in differences {
        assert_eq!(difference["old"]["end"]["exit"], 4, "{difference:#}");
        assert_eq!(difference["new"]["end"]["limit"], "instructions");
    }
    assert!(
        report["paths"]["taken_over"].as_u64() > Some(5),
        "{report:#}"
    );
}

/// What the program does depends on where a variable is, which a change moves.
const BY_ADDRESS: &str = r#"
#include <stdio.h>

/* here */
int second = 1;

int main(void)
{
	int odd = (unsigned long)&second >> 28 & 1;
	int c = getchar();
	if (c == (odd ? 'x' : 'y'))
		return 1;
	if (odd ? c > 'x' : c < 'b')
		return 2;
	if (c == 'q')
		return 0;
	return second;
}
"#;

#[test]
fn what_depends_on_moved_addresses_is_explored_again() {
    let directory = scratch("regress-addresses");
    let old = compile(BY_ADDRESS, "old", &directory);
    let before = directory.join("before");
    explore(&old.bitcode, &before, &[]);
    let mut diverged = 0;
    for moved in 1..=8 {
        // Only the path of a 'q' reads them.
        let variables = (0..moved).map(|at| format!("int before_{at} = {at};\n"));
        let sum = (0..moved).map(|at| format!("before_{at} + "));
        let sum = format!("return {}0;", sum.collect::<String>());
        let text = BY_ADDRESS.replace("/* here */", &variables.collect::<String>());
        let text = text.replace("return 0;", &sum);
        let name = format!("moved-{moved}");
        let new = compile(&text, &name, &directory);
        let [out, whole] = ["out", "whole"].map(|end| directory.join(format!("{name}-{end}")));
        explore(&new.bitcode, &whole, &[]);
        let (report, _) = regress(&before, &new.bitcode, &out, &[]);
        assert_eq!(paths(&out), paths(&whole), "{name}: {report:#}");
        diverged += report["paths"]["divergences"].as_u64().expect("a number");
    }
    assert!(diverged > 0);
}

#[test]
fn paths_without_a_test_and_another_directory() {
    let directory = scratch("regress-elsewhere");
    compile(OLD, "old", &directory);
    let change = CHANGES.iter().find(|change| change.0 == "string");
    let new = compile(&changed(change.expect("a change")), "new", &directory);
    let [there, here] = ["there", "here"].map(|name| {
        let path = directory.join(name);
        fs::create_dir(&path).expect("a directory");
        path
    });
    // The first command line names files from where it was begun; not every path has a test.
    // A model under which the paths that print one string or another are two.
    let line = "explore --quiet --memory-model segmented --search bfs --only-output-states-covering-new \
         --output-dir before ../old.bc";
    let line: Vec<&str> = line.split(' ').chain(["--sym-stdin", "2"]).collect();
    let begun = Command::new(command())
        .current_dir(&there)
        .args(&line)
        .output();
    assert!(begun.expect("plat runs").status.success());
    let line = "regress --quiet --json ../there/before ../new.bc -o after";
    let line: Vec<&str> = line.split(' ').collect();
    let output = Command::new(command())
        .current_dir(&here)
        .args(&line)
        .output();
    let output = output.expect("plat runs");
    let report: Json = serde_json::from_slice(&output.stdout).expect("a report");
    let tests = report["tests"]["compared"].as_u64().expect("a number");
    let taken = report["paths"]["taken_over"].as_u64().expect("a number");
    assert!(taken > tests, "{report:#}");
    let whole = directory.join("whole");
    explore(&new.bitcode, &whole, &["--memory-model", "segmented"]);
    let out = here.join("after");
    assert_eq!(paths(&out).len(), paths(&whole).len());
    // What it goes on with is named as it is seen from there.
    let text = out.to_string_lossy();
    plat_ok(command(), &["resume", "--quiet", &text]).expect("it is done");
}

/// What `plat regress` says when it refuses.
fn refused(args: &[&str]) -> String {
    let output = plat(command(), &[&["regress"], args].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert_eq!(said.trim().lines().count(), 1, "{said}");
    said
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_line() {
    let directory = scratch("regress-refused");
    let old = compile(OLD, "old", &directory);
    let new = compile(&changed(&CHANGES[0]), "new", &directory);
    let before = directory.join("before");
    explore(&old.bitcode, &before, &[]);
    let out = directory.join("after");
    let [dir, bc, to] = [&before, &new.bitcode, &out].map(|path| path.to_string_lossy());
    let said = refused(&["/nonexistent", &bc, "-o", &to]);
    assert!(said.contains("no run.trie in it"), "{said}");
    let said = refused(&[&dir, "/nonexistent.bc", "-o", &to]);
    assert!(said.contains("/nonexistent.bc"), "{said}");
    let said = refused(&[&dir, &bc, "-o", &to, "--old", &bc]);
    assert!(
        said.contains("this is not the program of the run"),
        "{said}"
    );
    let said = refused(&[&dir, &bc, "-o", &dir]);
    assert!(said.contains("exists already"), "{said}");
    assert!(!out.exists());
    // A function that begins otherwise has nothing to take over, and is explored all the same.
    let other = compile("int main(void) { return 0; }", "other", &directory);
    let (report, code) = regress(&before, &other.bitcode, &out, &[]);
    assert_eq!((report["paths"]["taken_over"].as_u64(), code), (Some(0), 1));
    assert_eq!(report["finished"], true);
}
