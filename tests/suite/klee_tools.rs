//! What scripts and tools that are written for KLEE read: places of errors, logs of queries, columns of
//! coverage; and what KLEE's solver of that name and its large allocations are.

use crate::klee_habits::{Bench, said};
use plat::output::tests_jsonl;
use plat_tests::explore::summary;
use plat_tests::{compile_bitcode_with, must_run};
use rusqlite::Connection;
use std::fs;
use std::process::Command;

const OVERFLOWS: &str = r#"
#include <klee/klee.h>
int main(void)
{
	int x, y;
	klee_make_symbolic(&x, sizeof x, "x");
	klee_make_symbolic(&y, sizeof y, "y");
	if (y == 7)
		return x + y;
	return x / y;
}
"#;

/// KLEE's place of an error of UBSan's is its handler; the check stands in the stack and in plat's files.
#[test]
fn errors_of_ubsan_are_placed_where_klee_has_them() {
    let bench = Bench::new("ubsan", OVERFLOWS);
    let checks = "-fsanitize=signed-integer-overflow,integer-divide-by-zero";
    let (source, bitcode) = (bench.path("p.c"), bench.path("p.bc"));
    compile_bitcode_with(source.as_ref(), &[checks.into()], bitcode.as_ref());
    let handler = "runtime/Sanitizer/ubsan/ubsan_handlers.cpp";
    let run = bench.explored("klee", &["--klee-names", "--ubsan-runtime"], &[]);
    let text = said(&run);
    for (line, what) in [
        (9, "signed-integer-overflow"),
        (10, "integer division overflow"),
    ] {
        let error = format!("KLEE: ERROR: {handler}:37: {what}\n");
        let check = format!("KLEE: NOTE: the check is at {source}:{line}\n");
        assert!(text.contains(&format!("{error}{check}")), "{what}: {text}");
    }
    let lines = fs::read_to_string(bench.directory.join("klee/tests.jsonl")).expect("the tests");
    let tests = tests_jsonl::parse(&lines).expect("lines of tests");
    let faults = tests.iter().filter(|test| test.fault.is_some());
    let mut places = Vec::new();
    for test in faults {
        let fault = test.fault.as_ref().expect("a fault");
        let name = format!("klee/test{:06}.overflow.err", test.test);
        let report = fs::read_to_string(bench.directory.join(name)).expect("a report");
        let beginning = format!("Error: {}\nFile: {handler}\nLine: 37\n", fault.message);
        assert!(report.starts_with(&beginning), "{report}");
        assert!(
            report.contains(&format!(" in main() at {source}:{}\n", fault.line)),
            "{report}"
        );
        assert_eq!(fault.file, source);
        places.push(fault.line);
    }
    places.sort_unstable();
    // A division by zero and INT_MIN / -1 are one error to KLEE.
    assert_eq!(places, [9, 10]);
    let run = bench.explored("plat", &[], &[]);
    let text = said(&run);
    assert!(text.contains(&format!("ERROR: {source}:9: signed-integer-overflow")));
    assert!(text.contains(&format!("ERROR: {source}:10: integer-divide-by-zero")));
    assert!(!text.contains(handler), "{text}");
}

const QUERIES: &str = r#"
#include <klee/klee.h>
static const unsigned char table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
static const short words[8] = { 3000, 1, -400, 1, 5, 900, 2, 6 };
int main(void)
{
	unsigned char at, text[3]; int n, m; long big;
	klee_make_symbolic(&at, sizeof at, "at");
	klee_make_symbolic(text, sizeof text, "text");
	klee_make_symbolic(&n, sizeof n, "n");
	klee_make_symbolic(&m, sizeof m, "m");
	klee_make_symbolic(&big, sizeof big, "big");
	klee_assume(at < 8);
	if (table[at] * text[0] == 45 && text[1] + text[2] == 300)
		return 1;
	if (words[at ^ (text[0] & 7)] < 0) return 4;
	if (n > 0 && n < 100 && m > 2 && n * m == 3 * 7 * 11 * (int)text[1]) return 5;
	if (big % 1000 == 7 && (big >> (n & 31)) > 4000) return 6;
	if (m / 7 == -n) return 7;
	return text[0] % 7 == text[2] ? 2 : 3;
}
"#;

/// The queries of a log: their answers, and the rest of the text of each.
fn queries(log: &str, comment: char) -> Vec<(String, String)> {
    let mark = format!("{comment} query ");
    let queries = log.split(&mark).skip(1).map(|query| {
        let mut lines = query.lines();
        let number = lines.next().expect("a number");
        number.parse::<u64>().expect("a number");
        let answer = lines.next().expect("an answer");
        let answer = answer.split_once("answered: ").expect("an answer").1;
        (answer.to_owned(), lines.collect::<Vec<_>>().join("\n"))
    });
    queries.collect()
}

/// The logs in both languages have the same queries; compressed ones have the same text.
#[test]
fn queries_are_logged_in_kquery() {
    let bench = Bench::new("kquery", QUERIES);
    let logs = "--use-query-log=all:kquery,all:smt2,solver:kquery,solver:smt2";
    bench.explored("plain", &[logs], &[]);
    bench.explored("again", &[logs, "--compress-query-log"], &[]);
    let read =
        |name: &str| fs::read_to_string(bench.directory.join("plain").join(name)).expect("a log");
    for asked in ["all", "solver"] {
        let scripts = queries(&read(&format!("{asked}-queries.smt2")), ';');
        let text = read(&format!("{asked}-queries.kquery"));
        let logged = queries(&text, '#');
        assert!(!scripts.is_empty(), "no {asked} queries");
        let answers = |queries: &[(String, String)]| -> Vec<String> {
            queries.iter().map(|(answer, _)| answer.clone()).collect()
        };
        assert_eq!(answers(&logged), answers(&scripts), "{asked}");
        for (_, query) in &logged {
            let of = |bracket| query.matches(bracket).count();
            assert_eq!((of("("), of("[")), (of(")"), of("]")), "{query}");
            assert_eq!(of("(query ["), 1, "{query}");
        }
        let packed = bench.path(&format!("again/{asked}-queries.kquery.gz"));
        let unpacked = must_run(Command::new("gzip").args(["-dc", &packed])).stdout;
        assert_eq!(String::from_utf8(unpacked).expect("text"), text, "{asked}");
    }
    assert!(read("all-queries.kquery").contains("array at[1] : w32 -> w8 = symbolic"));
}

/// Covered and other instructions, and branches, of the last row of run.stats.
fn coverage(bench: &Bench, out: &str) -> (i64, i64, i64) {
    let stats = Connection::open(bench.path(&format!("{out}/run.stats"))).expect("a database");
    let columns = "CoveredInstructions, UncoveredInstructions, NumBranches";
    let last = format!("SELECT {columns} FROM stats ORDER BY rowid DESC LIMIT 1");
    stats
        .query_row(&last, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .expect("a row")
}

/// KLEE counts what it has linked: without --libc=uclibc that is the program alone.
#[test]
fn coverage_is_of_what_klee_would_have_linked() {
    let source = r#"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	if (klee_range(0, 2, "x")) abort();
	puts("here");
	return 0;
}
"#;
    let bench = Bench::new("coverage", source);
    bench.explored("alone", &["--klee-names"], &[]);
    let (covered, uncovered, branches) = coverage(&bench, "alone");
    assert!((5..30).contains(&covered), "{covered} instructions of main");
    assert_eq!((uncovered, branches), (0, 1));
    for (out, options) in [
        ("linked", &["--klee-names", "--libc=uclibc"][..]),
        ("plat", &[]),
    ] {
        bench.explored(out, options, &[]);
        let (covered, uncovered, branches) = coverage(&bench, out);
        assert!(covered > 100 && uncovered > 100 && branches > 10, "{out}");
    }
    bench.explored("own", &["--stats-code=own"], &[]);
    assert_eq!(coverage(&bench, "own"), coverage(&bench, "alone"));
}

/// Large objects are there under KLEE's names, as far as they are written to; none can be symbolic.
#[test]
fn large_allocations_succeed_as_in_klee() {
    let source = r#"
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
	size_t size = ((size_t)1 << 32) + 1;
	char *p = malloc(size), *end;
	if (!p) return 1;
	end = p + size - 1;
	*end = 42;
	printf("%d %d %d\n", p[0], p[size / 2], *end);
	if (klee_range(0, 2, "x")) *(end + 1) = 1;
	klee_make_symbolic(p, size, "p");
	return 0;
}
"#;
    let bench = Bench::new("large", source);
    let run = bench.explored("klee", &["--klee-names"], &[]);
    let text = said(&run);
    for words in [
        "0 0 42\n",
        "memory error: out of bound pointer",
        "Symbolic objects larger than 4 GiB are not allowed (requested 4294967297 bytes).",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let run = bench.explored("plat", &["--exit-code"], &[]);
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
}

/// A path goes as far as no solver is needed.
#[test]
fn the_dummy_solver_answers_nothing() {
    let bench = Bench::new("dummy", QUERIES);
    bench.explored("dummy", &["--solver-backend=dummy"], &[]);
    bench.explored("bits", &[], &[]);
    let of = |out: &str| summary(bench.directory.join(out).as_ref()).paths;
    assert_eq!(of("bits").limits, 0);
    let (dummy, bits) = (of("dummy"), of("bits"));
    assert!(dummy.limits > 0 && dummy.completed < bits.completed);
}

/// What KLEE ends a path at and plat otherwise does not, and what it calls some errors.
#[test]
fn poison_traps_and_checked_copies_are_klees_errors() {
    let source = r#"
#include <klee/klee.h>
#include <limits.h>
#include <stddef.h>
void *__memcpy_chk(void *, const void *, size_t, size_t);
int main(void)
{
	volatile int least = INT_MIN;
	char small[4];
	switch (klee_range(0, 3, "x")) {
	case 0: __builtin_trap();
	case 1: __memcpy_chk(small, "12345", 5, sizeof small);
	}
	__builtin_abs(least);
	return 0;
}
"#;
    let bench = Bench::new("poison", source);
    let run = bench.explored("klee", &["--klee-names"], &[]);
    let text = said(&run);
    for words in [
        "p.c:11: abort failure\n",
        "p.c:12: memcpy overflow\n",
        "p.c:14: llvm.abs called with poison and INT_MIN\n",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let run = bench.explored("plat", &[], &[]);
    let text = said(&run);
    assert!(text.contains("p.c:11: trap\n"), "{text}");
    assert!(
        text.contains("p.c:12: abort failure: buffer overflow detected\n"),
        "{text}"
    );
    assert!(!text.contains("p.c:14"), "{text}");
}

/// A run that its memory ends says so in KLEE's words.
#[test]
fn the_end_of_memory_is_told_as_in_klee() {
    let source = r#"
#include <stdlib.h>
int main(void)
{
	for (;;) {
		char *p = malloc(1 << 20);
		for (int i = 0; i < 1 << 20; i += 64) p[i] = i;
	}
}
"#;
    let bench = Bench::new("memory", source);
    let run = bench.explored("klee", &["--klee-names", "--max-memory=150"], &[]);
    let text = said(&run);
    assert!(
        text.contains("KLEE: WARNING: killing 1 states (over memory cap: "),
        "{text}"
    );
}
