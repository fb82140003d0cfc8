//! The files of a run that tools read, checked as those tools read them, and the options that
//! KLEE's users type.

use plat_env::Ktest;
use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, must_run, root, scratch};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = "\
#include <klee/klee.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
static int twice(int x) { return 2 * x; }
int other(void) { return klee_int(\"other\") > 7; }
static int (*choice)(int) = twice;
int main(void) {
	int a = __VERIFIER_nondet_int();
	unsigned char b = __VERIFIER_nondet_uchar();
	char *p = malloc(4);
	for (int i = 0; i < 3; i++)
		choice(i);
	if (a < 0) {
		if (twice(a) == -10)
			p[b] = 1;
		return 1;
	}
	if (b == 0)
		return 100 / b;
	free(p);
	return 0;
}
";

/// The program in bitcode, in a directory of its own.
fn program(name: &str) -> (Scratch, PathBuf) {
    let directory = scratch(name);
    let (source, bitcode) = (directory.join("p.c"), directory.join("p.bc"));
    std::fs::write(&source, PROGRAM).expect("a source file");
    compile_bitcode(&source, &bitcode);
    (directory, bitcode)
}

/// Explores with options into a directory `out`.
fn explored(directory: &Path, bitcode: &Path, out: &str, options: &[&str]) -> PathBuf {
    let out = directory.join(out);
    let (out_text, program) = (out.to_string_lossy(), bitcode.to_string_lossy());
    let mut words = vec![
        "explore",
        "--quiet",
        "--test-files=all",
        "--output-dir",
        &out_text,
    ];
    words.extend(options);
    words.push(&program);
    plat_ok(command(), &words).expect("a run");
    out
}

fn summary(out: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(out.join("summary.json")).expect("a summary");
    serde_json::from_str(&text).expect("JSON")
}

fn tests(out: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(out).expect("a run directory");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("one").path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "ktest"));
    files.sort();
    files
}

/// The last row of `run.stats` has the numbers of `summary.json`, under KLEE's names.
#[test]
fn run_stats_agrees_with_the_summary() {
    let (directory, bitcode) = program("run-stats");
    let out = explored(&directory, &bitcode, "out", &[]);
    let summary = summary(&out);
    let stats = Connection::open(out.join("run.stats")).expect("a database");
    let number = |column: &str| -> i64 {
        let query = format!("SELECT CAST({column} AS INTEGER) FROM stats ORDER BY rowid DESC");
        stats.query_row(&query, [], |row| row.get(0)).expect(column)
    };
    assert_eq!(
        number("Instructions"),
        summary["instructions"].as_i64().unwrap()
    );
    assert_eq!(
        number("TerminationExit"),
        summary["paths"]["completed"].as_i64().unwrap()
    );
    assert_eq!(
        number("TerminationProgramError"),
        summary["paths"]["faults"].as_i64().unwrap()
    );
    assert_eq!(
        number("CoveredInstructions"),
        summary["coverage"]["covered"].as_i64().unwrap()
    );
    assert_eq!(
        number("CoveredInstructions") + number("UncoveredInstructions"),
        summary["coverage"]["instructions"].as_i64().unwrap()
    );
    // Both directions of main's branches and of its loop are taken; the library has more branches.
    assert!(number("FullBranches") >= 4, "{}", number("FullBranches"));
    assert!(number("NumBranches") >= number("FullBranches") + number("PartialBranches"));
    assert_eq!(number("NumStates"), 0);
    assert_eq!(
        number("States"),
        number("TerminationExit") + number("TerminationProgramError")
    );
    assert!(number("QueryTime") <= number("CexCacheTime"));
    assert!(number("CexCacheTime") <= number("SolverTime"));
    assert!(number("NumQueryConstructs") >= number("SolverQueries"));
    assert!(number("WallTime") > 0 && number("MallocUsage") > 1 << 20);
    assert_eq!(number("ArrayHashTime"), -1);
    let rows: i64 = stats
        .query_row("SELECT COUNT(*) FROM stats", [], |row| row.get(0))
        .expect("a count");
    assert!(rows >= 2);
}

/// Self costs sum up to the executed instructions, calls have the counts of the source, and
/// positions point at the right lines of `assembly.ll`.
#[test]
fn allocations_that_are_too_large_fail_and_are_counted() {
    let directory = scratch("large-allocations");
    let (source, bitcode) = (directory.join("p.c"), directory.join("p.bc"));
    let text = "#include <errno.h>\n#include <stdlib.h>\n\
                int main(void) {\n\
                \tvoid *a = malloc(5ul << 30), *b = calloc(1ul << 20, 1ul << 20);\n\
                \treturn a || b || errno != ENOMEM;\n}\n";
    std::fs::write(&source, text).expect("a source file");
    compile_bitcode(&source, &bitcode);
    let out = explored(&directory, &bitcode, "out", &["--exit-code"]);
    let unsupported = &summary(&out)["unsupported"];
    assert_eq!(unsupported["an allocation of more than 4 GiB"], 2);
}

#[test]
fn run_istats_is_a_callgrind_profile() {
    let (directory, bitcode) = program("run-istats");
    let out = explored(&directory, &bitcode, "out", &[]);
    let text = std::fs::read_to_string(out.join("run.istats")).expect("the profile");
    let assembly = std::fs::read_to_string(out.join("assembly.ll")).expect("the assembly");
    let assembly: Vec<&str> = assembly.lines().collect();
    let events = text.lines().find_map(|line| line.strip_prefix("events: "));
    let events: Vec<&str> = events.expect("events").split(' ').collect();
    let executed = events.iter().position(|event| *event == "I").expect("I");
    let (mut total, mut function, mut calls) = (0, "", BTreeMap::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("fn=") {
            function = name;
        } else if let Some(callee) = line.strip_prefix("cfn=") {
            let count = lines.next().and_then(|line| line.strip_prefix("calls="));
            let count = count
                .and_then(|rest| rest.split(' ').next())
                .expect("a count");
            let count: u64 = count.parse().expect("a number");
            *calls.entry((function, callee)).or_insert(0) += count;
            // The cost of the call is no cost of the caller's own.
            lines.next();
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let numbers: Vec<u64> = line
                .split(' ')
                .map(|word| word.parse().expect("a number"))
                .collect();
            assert_eq!(numbers.len(), 2 + events.len());
            total += numbers[2 + executed];
            let inst = assembly[numbers[0] as usize - 1];
            assert!(inst.starts_with("  "), "{line}: {inst}");
            // Only returns, branches and calls are told by their first word.
            if function == "twice" && numbers[1] == 5 {
                assert!(inst.contains("!dbg"), "{line}: {inst}");
            }
        }
    }
    assert_eq!(total, summary(&out)["instructions"].as_u64().unwrap());
    // Three calls through the pointer and one by name on the negative path.
    assert_eq!(calls[&("main", "twice")], 4);
    // The tool that is made for it reads it, if it is there.
    if let Ok(done) = Command::new("callgrind_annotate")
        .arg(out.join("run.istats"))
        .output()
    {
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && said.contains("p.c:main"), "{said}");
    }
}

/// The tree has one root, each inner node two children, and a leaf for every path.
#[test]
fn exec_tree_is_a_tree() {
    let (directory, bitcode) = program("exec-tree");
    let options = ["--write-exec-tree", "--exec-tree-batch-size=2"];
    let out = explored(&directory, &bitcode, "out", &options);
    let tree = Connection::open(out.join("exec_tree.db")).expect("a database");
    let mut nodes = tree
        .prepare("SELECT ID, leftID, rightID, asmLine, kind FROM nodes ORDER BY ID")
        .expect("the table");
    let nodes: Vec<[i64; 5]> = nodes
        .query_map([], |row| {
            Ok([
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
            ])
        })
        .expect("rows")
        .collect::<Result<_, _>>()
        .expect("numbers");
    let ids: BTreeSet<i64> = nodes.iter().map(|node| node[0]).collect();
    assert_eq!(ids.len(), nodes.len());
    let children: Vec<i64> = nodes.iter().flat_map(|node| [node[1], node[2]]).collect();
    let children: Vec<i64> = children.into_iter().filter(|&child| child != 0).collect();
    let distinct: BTreeSet<i64> = children.iter().copied().collect();
    assert_eq!(distinct.len(), children.len(), "a node has one parent");
    let roots: Vec<&i64> = ids.difference(&distinct).collect();
    assert_eq!(roots.len(), 1);
    assert!(distinct.is_subset(&ids));
    let leaves: Vec<&[i64; 5]> = nodes.iter().filter(|node| node[1] == 0).collect();
    let paths = &summary(&out)["paths"];
    let faults = paths["faults"].as_u64().unwrap();
    assert_eq!(
        leaves.len() as u64,
        paths["completed"].as_u64().unwrap() + faults
    );
    // Exit is 1; errors of the program are numbered from 30.
    let failing = leaves
        .iter()
        .filter(|leaf| (30..=46).contains(&leaf[4]))
        .count();
    assert_eq!(failing as u64, faults);
    assert!(nodes.iter().all(|node| node[3] > 0));
}

/// The text between a start tag of this name and its end, for each element; attributes too.
fn elements<'a>(xml: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let (start, end) = (format!("<{name}"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find(&start) {
        let inner = &rest[at + start.len()..];
        let close = inner.find('>').expect("a tag ends");
        let until = inner.find(&end).expect("an element ends");
        found.push((inner[..close].trim(), &inner[close + 1..until]));
        rest = &inner[until + end.len()..];
    }
    found
}

/// An error that ends the run ends it with an exit code, and is what the run says last.
#[test]
fn the_first_error_can_end_a_run() {
    let (directory, bitcode) = program("first-error");
    let bitcode = bitcode.to_string_lossy();
    let run = |option: &str, out: &str| {
        let out = directory.join(out);
        let out = out.to_string_lossy();
        plat(
            command(),
            &[
                "explore",
                "--klee-names",
                "--output-dir",
                &out,
                option,
                &bitcode,
            ],
        )
    };
    let ended = run("--exit-on-error", "out");
    assert_eq!(ended.status.code(), Some(1));
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(
        said.contains("KLEE: ERROR: EXITING ON ERROR:\nError: "),
        "{said}"
    );
    let ended = run("--exit-on-error-type=Ptr", "typed");
    assert_eq!(ended.status.code(), Some(0));
    let halted = run("--max-instructions=10", "halted");
    let said = String::from_utf8_lossy(&halted.stderr);
    let halting = "KLEE: halting execution, dumping remaining states";
    assert!(said.contains(halting), "{said}");
}

/// The suite's values are those of the test cases, in order and as C reads them.
#[test]
fn test_comp_suites_hold_the_same_inputs() {
    let (directory, bitcode) = program("test-comp");
    let source = directory.join("p.c").to_string_lossy().into_owned();
    let options = [
        "--write-xml-tests",
        "--exit-on-error-type=Ptr",
        "--xml-metadata-programfile",
        &source,
    ];
    let out = explored(&directory, &bitcode, "out", &options);
    assert_eq!(summary(&out)["stop"], "error");
    let metadata = std::fs::read_to_string(out.join("metadata.xml")).expect("metadata");
    let doctype = "<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format \
                   test-metadata 1.1//EN\" \"https://sosy-lab.org/test-format/test-metadata-1.1.dtd\">";
    assert!(metadata.contains(doctype), "{metadata}");
    let order = [
        "sourcecodelang",
        "producer",
        "specification",
        "programfile",
        "programhash",
        "entryfunction",
        "architecture",
        "creationtime",
    ];
    let positions: Vec<usize> = order
        .iter()
        .map(|name| metadata.find(&format!("<{name}>")).expect(name))
        .collect();
    assert!(positions.is_sorted(), "{metadata}");
    let sum = must_run(Command::new("sha256sum").arg(&source)).stdout;
    let sum = String::from_utf8_lossy(&sum);
    let hash = sum.split(' ').next().expect("a hash");
    assert_eq!(elements(&metadata, "programhash")[0].1, hash);
    assert!(
        elements(&metadata, "specification")[0]
            .1
            .contains("@CALL(reach_error)")
    );
    let files = tests(&out);
    assert!(!files.is_empty());
    for file in files {
        let test = Ktest::read(&file).expect("a test case");
        let xml = std::fs::read_to_string(file.with_extension("xml")).expect("its XML");
        assert!(xml.contains("testcase 1.1//EN"));
        let inputs = elements(elements(&xml, "testcase")[0].1, "input");
        let [a, b] = &inputs[..] else {
            panic!("{xml}");
        };
        assert_eq!((a.0, b.0), ("type=\"int\"", "type=\"unsigned char\""));
        let int: [u8; 4] = test.objects[0].bytes[..].try_into().expect("four bytes");
        assert_eq!(a.1, i32::from_le_bytes(int).to_string());
        assert_eq!(b.1, test.objects[1].bytes[0].to_string());
    }
}

/// The files of each test: what was covered by whom, decisions, constraints.
#[test]
fn tests_come_with_their_paths() {
    let (directory, bitcode) = program("paths");
    let options = [
        "--write-cov",
        "--write-paths",
        "--write-sym-paths",
        "--write-kqueries",
        "--write-smt2s",
        "--write-test-info",
        "--output-module",
    ];
    let out = explored(&directory, &bitcode, "out", &options);
    let (mut covered, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for file in tests(&out) {
        let read = |suffix: &str| {
            let file = file.with_extension(suffix);
            std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}", file.display()))
        };
        for line in read("cov").lines() {
            assert!(
                covered.insert(line.to_string()) || line.contains("musl"),
                "{line} twice"
            );
        }
        let (all, symbolic) = (read("path"), read("sym.path"));
        let digits = |text: &str| text.lines().all(|line| line == "0" || line == "1");
        assert!(digits(&all) && digits(&symbolic));
        assert!(symbolic.lines().count() <= all.lines().count() + 2);
        assert!(paths.insert(symbolic), "two paths with the same choices");
        let kquery = read("kquery");
        assert!(kquery.contains("] : w32 -> w8 = symbolic") || !kquery.contains("(Read"));
        let balance = kquery.chars().fold(0i64, |open, c| match c {
            '(' => open + 1,
            ')' => open - 1,
            _ => open,
        });
        assert_eq!(balance, 0, "{kquery}");
        assert!(read("smt2").contains("(check-sat)"));
        assert!(read("info").starts_with("Time to generate test case: "));
    }
    let lines = |line: u32| {
        covered
            .iter()
            .any(|place| place.ends_with(&format!("p.c:{line}")))
    };
    assert!(lines(16) && lines(20) && lines(21));
    assert!(
        std::fs::read(out.join("final.bc"))
            .expect("the module")
            .starts_with(b"BC")
    );
}

/// A seed's path is followed first, and only it if so asked.
#[test]
fn seeds_are_followed() {
    let (directory, bitcode) = program("seeds");
    let all = explored(&directory, &bitcode, "all", &[]);
    let files = tests(&all);
    let inputs = |file: &PathBuf| Ktest::read(file).expect("a test case").objects;
    for (number, seed) in files.iter().enumerate() {
        let seed_text = seed.to_string_lossy();
        let options = ["--seed-file", &seed_text, "--only-replay-seeds"];
        let out = explored(&directory, &bitcode, &format!("only{number}"), &options);
        let found = tests(&out);
        assert_eq!(found.len(), 1, "{}", seed.display());
        assert_eq!(inputs(&found[0]), inputs(seed));
        let out = explored(
            &directory,
            &bitcode,
            &format!("first{number}"),
            &["--seed-file", &seed_text],
        );
        let found = tests(&out);
        assert_eq!(found.len(), files.len());
        // Only faults beside the seed's path, which end where they are found, come before it.
        let lines = std::fs::read_to_string(out.join("tests.jsonl")).expect("lines");
        let first = lines.lines().zip(&found).find(|(line, file)| {
            inputs(file) == inputs(seed) || !line.contains("\"end\":\"fault\"")
        });
        assert_eq!(inputs(first.expect("a test").1), inputs(seed));
    }
    let all_text = all.to_string_lossy();
    let out = explored(
        &directory,
        &bitcode,
        "replay",
        &["--replay-ktest-dir", &all_text],
    );
    assert_eq!(tests(&out).len(), files.len());
    let other = directory.join("wrong.ktest");
    let mut wrong = Ktest::read(&files[0]).expect("a test case");
    wrong.objects[0].bytes.push(0);
    std::fs::write(&other, wrong.to_bytes()).expect("a file");
    let other = other.to_string_lossy();
    let out = explored(&directory, &bitcode, "wrong", &["--seed-file", &other]);
    let warnings = std::fs::read_to_string(out.join("warnings.txt")).expect("warnings");
    assert!(
        warnings.contains("seed 1 is followed no further"),
        "{warnings}"
    );
    let options = ["--seed-file", &other, "--allow-seed-truncation"];
    let out = explored(&directory, &bitcode, "right", &options);
    assert_eq!(inputs(&tests(&out)[0]), inputs(&files[0]));
}

/// Under the name `klee` the command is one that scripts for KLEE can call.
#[test]
fn it_stands_in_for_klee() {
    let (directory, bitcode) = program("stand-in");
    let link = |name: &str| {
        let path = directory.join(name);
        std::os::unix::fs::symlink(command(), &path).expect("a link");
        path
    };
    let (klee, ktest_tool) = (link("klee"), link("ktest-tool"));
    let program = bitcode.to_string_lossy();
    let words = ["--entry-point=other", "--optimize", "-search=bfs", &program];
    let output = plat(&klee, &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("KLEE: done: completed paths = "), "{said}");
    let last = directory.join("klee-last");
    assert_eq!(
        std::fs::read_link(&last).expect("a link"),
        Path::new("klee-out-0")
    );
    let info = std::fs::read_to_string(last.join("info")).expect("info");
    assert!(info.contains("\nKLEE: done: explored paths = "), "{info}");
    let messages = std::fs::read_to_string(last.join("messages.txt")).expect("messages");
    assert!(
        messages.starts_with("KLEE: output directory is \""),
        "{messages}"
    );
    let test = last.join("test000001.ktest");
    let output = plat(
        &ktest_tool,
        &["--extract", "other", &test.to_string_lossy()],
    );
    assert!(output.status.success());
    let bytes = std::fs::read(last.join("test000001.ktest.other")).expect("the object");
    assert_eq!(bytes.len(), 4);
}

/// Under the name of KLEE's replayer test cases run natively, seen as they run.
#[test]
fn test_cases_run_under_the_name_of_the_replayer() {
    let directory = scratch("klee-replay");
    let source = directory.join("p.c");
    let text = "#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) { char c = 0; int fd = open(\"A\", O_RDONLY);\n\
        if (read(fd, &c, 1) != 1 || c != 'q') return 1; puts(\"the letter\");\n\
        if (argv[1][0] == 'x') { puts(\"and x\"); return 3; } return 0; }\n";
    std::fs::write(&source, text).expect("a source");
    let (bitcode, native) = (directory.join("p.bc"), directory.join("p"));
    compile_bitcode(&source, &bitcode);
    must_run(
        Command::new("cc")
            .arg("-w")
            .arg(&source)
            .arg("-o")
            .arg(&native),
    );
    let input = ["--sym-files", "1", "1", "--sym-arg", "1"];
    let out = directory.join("out");
    let (out_text, program) = (out.to_string_lossy(), bitcode.to_string_lossy());
    let words = [
        &["explore", "-q", "--output-dir", &out_text, &program],
        &input[..],
    ]
    .concat();
    plat_ok(command(), &words).expect("a run");
    let replayer = directory.join("klee-replay");
    std::os::unix::fs::symlink(command(), &replayer).expect("a link");
    let mut words = vec![native.to_string_lossy().into_owned()];
    words.extend(
        tests(&out)
            .iter()
            .map(|test| test.to_string_lossy().into_owned()),
    );
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = plat(&replayer, &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for status in ["NORMAL", "ABNORMAL 1", "ABNORMAL 3"] {
        let line = format!("KLEE-REPLAY: NOTE: EXIT STATUS: {status} (");
        assert!(said.contains(&line), "{said}");
    }
    assert!(String::from_utf8_lossy(&output.stdout).contains("the letter"));
}

/// What KLEE has and plat has not is refused with advice, or noted where nothing is lost without it;
/// what has another name works.
#[test]
fn options_of_klee_are_understood_or_refused_with_advice() {
    let (directory, bitcode) = program("options");
    let program = bitcode.to_string_lossy().into_owned();
    for (option, advice) in [
        ("--rng-seed-random", "--seed N"),
        ("--make-concrete-symbolic=1", "never made symbolic"),
    ] {
        let output = plat(command(), &["explore", option, &program]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains(advice), "{said}");
    }
    let run = directory.join("noted");
    let place = run.to_string_lossy().into_owned();
    let words = ["--max-static-solve-pct=1", "--write-cvcs", "--output-dir"];
    let words = [&["explore"], &words[..], &[&place, &program]].concat();
    let output = plat(command(), &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("note: --max-static-solve-pct is left out"));
    assert!(run.join("test000001.smt2").is_file());
    let library = directory.join("library.c");
    let user = directory.join("user.c");
    std::fs::write(&library, "int helper(int x) { return x + 1; }\n").expect("a file");
    std::fs::write(
        &user,
        "int helper(int);\nint main(void) { return helper(4); }\n",
    )
    .expect("one");
    let (library_bc, user_bc) = (directory.join("library.bc"), directory.join("user.bc"));
    compile_bitcode(&library, &library_bc);
    compile_bitcode(&user, &user_bc);
    let (library_bc, user_bc) = (library_bc.to_string_lossy(), user_bc.to_string_lossy());
    let words = [
        "explore",
        "--quiet",
        "--exit-code",
        "--single-object-resolution",
        "--link-llvm-lib",
        &library_bc,
        &user_bc,
    ];
    assert_eq!(plat(command(), &words).status.code(), Some(5));
    assert!(root().join("driver/KLEE.md").is_file());
}
