//! Sizes without measure: what is untouched costs nothing, what is too large is refused with one
//! line, and the run's bounds hold during whatever takes long.

use plat_tests::explore::{plat, plat_ok};
use plat_tests::{Scratch, command, compile_bitcode, scratch};
use serde_json::Value;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Processor time that no process may exceed, in seconds: far more than any run here takes.
const CPU: u32 = 60;

/// The memory that a run may take in a debug build, its program in LLVM's form not included.
const MEMORY: u64 = 300 << 20;

/// Runs a program under a prefix of the command; what the summary says.
fn explored(name: &str, program: &Path, prefix: &str, args: &str) -> Value {
    let directory = scratch(&format!("bounds-{name}-out"));
    let out = directory.join("out");
    let plat = command();
    let line = format!(
        "ulimit -t {CPU}; exec {prefix} \"$0\" explore --quiet {args} --output-dir \"$1\" \"$2\""
    );
    let run = Command::new("sh")
        .args(["-c", &line])
        .arg(plat)
        .args([&*out, program])
        .output()
        .expect("plat runs");
    assert!(run.status.success(), "{name}: {run:?}");
    let summary = fs::read(out.join("summary.json")).expect("a summary");
    serde_json::from_slice(&summary).expect("JSON")
}

/// A program in a directory of its own.
struct Program {
    file: PathBuf,
    _directory: Scratch,
}

impl Deref for Program {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.file
    }
}

fn compiled(name: &str, source: &str) -> Program {
    let directory = scratch(&format!("bounds-{name}"));
    let (file, bitcode) = (directory.join("program.c"), directory.join("program.bc"));
    fs::write(&file, source).expect("a file");
    compile_bitcode(&file, &bitcode);
    Program {
        file: bitcode,
        _directory: directory,
    }
}

fn text(name: &str, source: &str) -> Program {
    let directory = scratch(&format!("bounds-{name}"));
    let file = directory.join("program.ll");
    fs::write(&file, source).expect("a file");
    Program {
        file,
        _directory: directory,
    }
}

/// The program ends by itself, returns normally, and took little memory.
fn completes(name: &str, program: &Path) {
    let summary = explored(name, program, "", "--max-time 60s --region globals=512G");
    assert_eq!(summary["paths"]["completed"], 1, "{name}: {summary}");
    let peak = summary["peak_rss_bytes"].as_u64().expect("a number");
    assert!(peak < MEMORY, "{name}: {peak} bytes");
}

#[test]
fn untouched_memory_costs_nothing() {
    let source = "
#include <stdlib.h>
#include <string.h>
static char g[700000000], h[700000000];
struct { char before[400000000]; int some[4]; char behind[400000000]; } mixed = {.some = {1, 2, 3, 4}};
int main(void)
{
\tfor (int i = 0; i < 10; i++) {
\t\tsize_t n = 3000000000u;
\t\tchar *p = calloc(1, n), *q = malloc(n);
\t\tif (!p || !q) abort();
\t\tmemset(p, 0, n);
\t\tmemcpy(q, p, n);
\t\tmemmove(p, p + 1, n - 1);
\t\tmemcpy(g, h, sizeof g);
\t\tif (memcmp(p, q, n) || memchr(p, 1, n) || strlen(p)) abort();
\t\tq[i * 100000000] = 1;
\t\tif (memcmp(p, q, n) >= 0 || memchr(q, 1, n) != q + i * 100000000) abort();
\t\tif (i % 2) { free(p); free(q); }
\t}
\tif (mixed.some[3] != 4 || mixed.behind[399999999] || g[5]) abort();
\treturn 0;
}
";
    let source = format!("#define _GNU_SOURCE\n{source}");
    completes("untouched", &compiled("untouched", &source));
}

#[test]
fn filled_and_copied_ranges_share_their_pages() {
    let source = "
#include <stdlib.h>
#include <string.h>
int main(void)
{
\tsize_t n = 2000000000u;
\tchar *p = malloc(n), *q = malloc(n);
\tif (!p || !q) abort();
\tmemset(p, 'a', n);
\tmemcpy(q, p, n);
\tq[n - 1] = 'b';
\tp[n / 2] = 0;
\tif (p[n - 1] != 'a' || q[n / 2] != 'a' || q[n - 1] != 'b' || p[n / 2 + 1] != 'a') abort();
\treturn 0;
}
";
    completes("shared", &compiled("shared", source));
}

/// The path ends at what plat does not take, with this in the list of what is lacking.
fn refuses(name: &str, program: &Path, what: &str) {
    let summary = explored(name, program, "", "--max-time 60s");
    assert_eq!(summary["paths"]["unsupported"], 1, "{name}: {summary}");
    let unsupported = summary["unsupported"].as_object().expect("a map");
    assert!(
        unsupported.keys().any(|name| name.contains(what)),
        "{name}: {unsupported:?}"
    );
    let peak = summary["peak_rss_bytes"].as_u64().expect("a number");
    assert!(peak < MEMORY, "{name}: {peak} bytes");
}

#[test]
fn values_beyond_the_bounds_are_refused_with_one_line() {
    let wide =
        "int main(int c, char **v) { _BitInt(400000) x = c; x = x * x; return (int)(x % 7); }";
    refuses(
        "wide",
        &compiled("wide", wide),
        "an integer of 400000 bits (more than 65536)",
    );
    let division = "define i32 @main(i32 %c, ptr %v) {
  %x = zext i32 %c to i8388608
  %y = sub i8388608 0, %x
  %z = udiv i8388608 %y, 12345678901234567890
  %r = trunc i8388608 %z to i32
  ret i32 %r
}
";
    refuses(
        "division",
        &text("division", division),
        "an integer of 8388608 bits",
    );
    let vector = "define i32 @main(i32 %c, ptr %v) {
  %x = insertelement <1000000 x i32> zeroinitializer, i32 %c, i32 7
  %y = mul <1000000 x i32> %x, %x
  %r = extractelement <1000000 x i32> %y, i32 7
  ret i32 %r
}
";
    refuses(
        "vector",
        &text("vector", vector),
        "a vector of 1000000 elements (more than 4096)",
    );
    let array = "@g = global [100000000 x i8] zeroinitializer
define i32 @main(i32 %c, ptr %v) {
  %k = icmp eq i32 %c, 5
  br i1 %k, label %a, label %b
a:
  br label %b
b:
  %x = phi [100000000 x i8] [ zeroinitializer, %0 ], [ undef, %a ]
  store [100000000 x i8] %x, ptr @g
  ret i32 0
}
";
    refuses(
        "array",
        &text("array", array),
        "a value of 100000000 elements (more than 16384)",
    );
}

#[test]
fn values_at_the_bounds_work() {
    let source = "
#include <stdlib.h>
typedef unsigned _BitInt(65535) wide;
int main(int argc, char **argv)
{
\twide x = (wide)argc << 65000, y = ((wide)1 << 32000) + 12345;
\twide q = x / y, r = x % y;
\tif (q * y + r != x || r >= y || q == 0) abort();
\treturn 0;
}
";
    completes("limit", &compiled("limit", source));
    let array = "@g = global [16384 x i8] zeroinitializer
define i32 @main(i32 %c, ptr %v) {
  %x = load [16384 x i8], ptr @g
  %y = insertvalue [16384 x i8] %x, i8 7, 16383
  store [16384 x i8] %y, ptr @g
  %z = load [16384 x i8], ptr @g
  %b = extractvalue [16384 x i8] %z, 16383
  %w = zext i8 %b to i32
  %r = sub i32 %w, 7
  ret i32 %r
}
";
    completes("elements", &text("elements", array));
}

const ENDLESS_STRINGS: &str = "
#include <stdlib.h>
#include <string.h>
volatile size_t sum;
int main(void)
{
\tsize_t n = 1000000000;
\tchar *p = calloc(1, n + 1), *q = calloc(1, n + 1);
\tif (!p || !q) abort();
\tmemset(p, 'a', n);
\tmemset(q, 'a', n);
\tfor (;;) {
\t\tsum += strlen(p) + strcmp(p, q) + memcmp(p, q, n);
\t\tif (memchr(p, 'b', n) || strchr(p, 'b') || strrchr(p, 'b')) abort();
\t}
}
";

#[test]
fn the_time_and_an_interrupt_hold_during_native_functions() {
    let program = compiled("strings", ENDLESS_STRINGS);
    let summary = explored("strings", &program, "", "--max-time 2s");
    assert_eq!(summary["stop"], "time", "{summary}");
    let directory = scratch("bounds-interrupted");
    let out = directory.join("out");
    let line = format!(
        "ulimit -t {CPU}; exec \"$0\" explore --quiet --max-time 300s --output-dir \"$1\" \"$2\""
    );
    let mut run = Command::new("sh")
        .args(["-c", &line])
        .arg(command())
        .args([&*out, &program])
        .spawn()
        .expect("plat runs");
    // The directory is made when the stages are done; then the program soon is in its functions.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !out.join("info").exists() {
        assert!(Instant::now() < deadline, "no run begins");
        sleep(Duration::from_millis(50));
    }
    sleep(Duration::from_secs(2));
    let kill = Command::new("kill")
        .args(["-TERM", &run.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let asked = Instant::now();
    run.wait().expect("an end");
    assert!(asked.elapsed() < Duration::from_secs(30), "deaf");
    let summary = fs::read(out.join("summary.json")).expect("a summary");
    let summary: Value = serde_json::from_slice(&summary).expect("JSON");
    assert_eq!(summary["stop"], "interrupted", "{summary}");
}

/// A program that writes this much, in pieces of 1 MiB.
const WRITTEN: u64 = 600 << 20;

#[test]
fn output_without_bound_passes_by() {
    let source = "
#include <string.h>
#include <unistd.h>
int main(void)
{
\tstatic char piece[1 << 20];
\tmemset(piece, 'x', sizeof piece);
\tfor (int i = 0; i < 600; i++)
\t\tif (write(1, piece, sizeof piece) != sizeof piece) return 1;
\treturn 0;
}
";
    let program = compiled("output", source);
    let directory = scratch("bounds-output-out");
    let out = directory.join("out");
    let mut run = Command::new(command())
        .args(["explore", "--quiet", "--max-memory", "300", "--output-dir"])
        .args([&*out, &program])
        .stdout(Stdio::piped())
        .spawn()
        .expect("plat runs");
    let mut written = run.stdout.take().expect("a pipe");
    let count = std::io::copy(&mut written, &mut std::io::sink()).expect("output");
    assert!(run.wait().expect("an end").success());
    assert_eq!(count, WRITTEN);
    let text = |name: &str| fs::read_to_string(out.join(name)).expect("a file of the run");
    let summary: Value = serde_json::from_str(&text("summary.json")).expect("JSON");
    assert_eq!(summary["paths"]["completed"], 1, "{summary}");
    let peak = summary["peak_rss_bytes"].as_u64().expect("a number");
    assert!(peak < MEMORY, "{peak} bytes");
    let kept = text("test000001.out").len() as u64;
    let test: Value = serde_json::from_str(&text("tests.jsonl")).expect("a test");
    assert_eq!(test["stdout_cut"], WRITTEN - kept, "{test}");
    assert!(text("warnings.txt").contains("16 MiB of output"));
}

#[test]
fn the_time_holds_during_arithmetic_on_wide_integers() {
    let source = "
typedef unsigned _BitInt(65535) wide;
volatile int sum;
int main(int argc, char **argv)
{
\tfor (wide x = argc + 2, y = x << 30000;; x = x * x + 3) sum += (int)(x / (y | 1)) + (int)(x % (y | 3));
}
";
    let summary = explored("endless", &compiled("endless", source), "", "--max-time 2s");
    assert_eq!(summary["stop"], "time", "{summary}");
    let wall = summary["wall_s"].as_f64().expect("seconds");
    assert!(wall < 30.0, "{wall} s");
}

/// Two numbers of which few are possible, and what one of them has for bits.
const BITS: &str = "\
#include <klee/klee.h>
int main(void) {
	unsigned short a, b;
	int sum = 0;
	klee_make_symbolic(&a, sizeof a, \"a\");
	klee_make_symbolic(&b, sizeof b, \"b\");
	if ((unsigned short)(a * 40503 + b * b) != 4711)
		return 1;
	for (int i = 0; i < 8; i++)
		if (a >> i & 1)
			sum += i;
	return sum > 14;
}
";

/// At the bound on depth a path goes on by one side of each split. Which one is not for the values to say that a solver
/// has happened to find: a run that goes on with a greater bound has others.
#[test]
fn paths_at_the_bound_on_depth_are_the_same_with_every_solver() {
    let directory = scratch("bounds-depth");
    let (source, bitcode) = (directory.join("bits.c"), directory.join("bits.bc"));
    fs::write(&source, BITS).expect("a source file");
    compile_bitcode(&source, &bitcode);
    let outs = ["bits", "z3"].map(|solver| {
        let out = directory.join(solver).to_string_lossy().into_owned();
        let program = bitcode.to_string_lossy();
        let words = ["explore", "--quiet", "--max-depth=3", "--solver", solver];
        let words = [&words[..], &["--output-dir", &out, &program]].concat();
        plat_ok(command(), &words).expect("a run");
        out
    });
    let differences = plat(command(), &["trie", "diff", &outs[0], &outs[1]]);
    let said = String::from_utf8_lossy(&differences.stdout).into_owned();
    assert!(differences.status.success(), "{said}");
    let summary = fs::read_to_string(Path::new(&outs[0]).join("summary.json")).expect("a summary");
    let summary: Value = serde_json::from_str(&summary).expect("JSON");
    // Eight ways at the bound, each of which goes on, and a path for each bit that it goes by.
    assert!(summary["paths"]["limits"].as_u64() >= Some(8), "{summary}");
}
