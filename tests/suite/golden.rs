//! What users read, held against golden files (`tests/golden`): messages of a run, error reports,
//! the keys of `summary.json`, help, explanations of segments, queries. `PLAT_BLESS=1` rewrites them.

use plat_tests::explore::{plat_ok, prepare};
use plat_tests::golden::{check, normalised};
use plat_tests::{Scratch, command, compile_bitcode, root, scratch};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// One error of each kind, in an order that input chooses.
const FAULTS: &str = "\
#include <assert.h>
#include <klee/klee.h>
#include <stdlib.h>
extern int not_there(int);
int main(void) {
	unsigned char choice, index;
	klee_make_symbolic(&choice, 1, \"choice\");
	klee_make_symbolic(&index, 1, \"index\");
	int *numbers = malloc(4 * sizeof *numbers);
	switch (choice) {
	case 0: return numbers[index];
	case 1: free(numbers); return numbers[0];
	case 2: free(numbers); free(numbers); return 0;
	case 3: return 100 / index;
	case 4: assert(index != 7); return 0;
	case 5: return not_there(index);
	case 6: klee_report_error(__FILE__, __LINE__, \"reported\", \"own.err\");
	case 7: return *(int *)0;
	case 8: free(numbers + 1); return 0;
	case 9: klee_assume(index > 255);
	case 10: abort();
	}
	return 0;
}
";

/// Runs a program of the text; its directory, and what the command said on both streams.
fn explored(name: &str, text: &str, options: &[&str]) -> (Scratch, String) {
    let directory = scratch(name);
    let (source, bitcode) = (directory.join("p.c"), directory.join("p.bc"));
    std::fs::write(&source, text).expect("a source file");
    compile_bitcode(&source, &bitcode);
    let (out, program) = (
        directory.join("out"),
        bitcode.to_string_lossy().into_owned(),
    );
    let out_text = out.to_string_lossy().into_owned();
    let mut words = vec!["explore", "--output-dir", &out_text];
    words.extend(options);
    words.push(&program);
    let output = plat_ok(command(), &words).expect("a run");
    let said = [output.stderr, output.stdout].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    (directory, said)
}

/// Files of a directory with an ending, by name.
fn files(directory: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("one").path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
}

#[test]
fn messages_and_error_reports() {
    // The order of errors is the order of paths.
    let (directory, said) = explored("golden-faults", FAULTS, &["--search", "dfs"]);
    check("explore.txt", &normalised(&said, &directory));
    let mut reports = String::new();
    for file in files(&directory.join("out"), ".err") {
        let name = file.file_name().expect("a name").to_string_lossy();
        writeln!(reports, "==> {name} <==\n{}", read(&file)).expect("a string");
    }
    check("errors.txt", &normalised(&reports, &directory));
}

#[test]
fn queries() {
    let text = "\
#include <klee/klee.h>
int main(void) {
	short value;
	klee_make_symbolic(&value, 2, \"value\");
	if (value * 3 == 21 && (value & 1))
		return 1;
	if (value < -5)
		return 2;
	return 0;
}
";
    let options = ["--write-kqueries", "--search", "dfs"];
    let (directory, _) = explored("golden-queries", text, &options);
    let mut queries = String::new();
    for file in files(&directory.join("out"), ".kquery") {
        let name = file.file_name().expect("a name").to_string_lossy();
        writeln!(queries, "==> {name} <==\n{}", read(&file)).expect("a string");
    }
    check("queries.txt", &normalised(&queries, &directory));
}

/// The keys of an object and below, each with the kind of its value; elements of lists are alike.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "yes or no",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(elements) => {
            for element in elements {
                keys(element, &format!("{path}[]"), found);
            }
            "list"
        }
        Value::Object(members) => {
            for (key, value) in members {
                keys(value, &format!("{path}.{key}"), found);
            }
            "object"
        }
    };
    found.insert(format!("{path}: {kind}"));
}

#[test]
fn keys_of_the_summary() {
    let options = ["--max-time", "1h", "--max-memory", "4000"];
    let (directory, _) = explored("golden-summary", FAULTS, &options);
    let summary = serde_json::from_str(&read(&directory.join("out/summary.json")));
    let mut found = BTreeSet::new();
    keys(&summary.expect("JSON"), "", &mut found);
    let lines: Vec<String> = found.into_iter().collect();
    check(
        "summary-keys.txt",
        &normalised(&lines.join("\n"), &directory),
    );
}

#[test]
fn help() {
    let help = |words: &[&str]| {
        let output = plat_ok(command(), words).expect("help");
        String::from_utf8(output.stdout).expect("text")
    };
    let top = help(&["--help"]);
    let listed = top.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = listed.map_while(|line| line.strip_prefix("  ")?.split(' ').next());
    let names: Vec<&str> = names.collect();
    assert!(names.contains(&"explore") && names.len() > 9, "{names:?}");
    check("help/plat.txt", &top);
    for name in names
        .into_iter()
        .filter(|name| !["", "help"].contains(name))
    {
        check(&format!("help/{name}.txt"), &help(&[name, "--help"]));
    }
}

#[test]
fn an_explanation_of_segments() {
    let directory = scratch("golden-segments");
    let source = root().join("tests/programs/agree/mixed_sites.c");
    prepare(command(), &source, &directory).expect("a program");
    let file = |name: &str| directory.join(name).to_string_lossy().into_owned();
    let segment = |options: &[&str]| {
        let (linked, points_to) = (file("mixed_sites.linked.bc"), file("mixed_sites.pts"));
        let words = [&["segment", &linked, "--points-to", &points_to], options].concat();
        let output = plat_ok(command(), &words).expect("an explanation");
        String::from_utf8(output.stdout).expect("text")
    };
    let print = segment(&["--print"]);
    let explain = segment(&["--explain", "mixed_sites.c:22", "mixed_sites.c:28"]);
    let text = format!(
        "$ plat segment --print\n{print}\n$ plat segment --explain mixed_sites.c:22 mixed_sites.c:28\n{explain}"
    );
    check("segments.txt", &normalised(&text, &directory));
}
