//! What is as in KLEE under its names and otherwise is not, and KLEE's options that do what they do there.
//! The numbers of paths are those that KLEE 3.2 has for the same programs.

use plat_tests::explore::{plat, summary};
use plat_tests::{Scratch, command, compile_bitcode, must_run, scratch};
use std::fs::{self, File};
use std::process::{Command, Output};

/// A program in a directory of its own.
pub struct Bench {
    pub directory: Scratch,
}

impl Bench {
    /// The program `p.c`, compiled.
    pub fn new(name: &str, source: &str) -> Self {
        let bench = Bench {
            directory: scratch(&format!("klee-habits-{name}")),
        };
        bench.compile("p", source);
        bench
    }

    fn compile(&self, name: &str, source: &str) {
        let file = self.directory.join(format!("{name}.c"));
        fs::write(&file, source).expect("a source");
        compile_bitcode(&file, &self.directory.join(format!("{name}.bc")));
    }

    /// A file of the directory.
    pub fn path(&self, name: &str) -> String {
        self.directory.join(name).display().to_string()
    }

    /// A run of the program with options before and words behind it; its directory is `out`.
    pub fn explored(&self, out: &str, before: &[&str], behind: &[&str]) -> Output {
        let (out, program) = (self.path(out), self.path("p.bc"));
        let mut words = vec!["explore", "--output-dir", &out];
        words.extend(before);
        words.push(&program);
        words.extend(behind);
        plat(command(), &words)
    }

    /// How many tests a run has left.
    fn tests(&self, out: &str) -> u64 {
        summary(self.directory.join(out).as_ref()).tests
    }
}

/// All that was written.
pub fn said(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&all).into_owned()
}

/// What was printed, sorted by lines.
fn lines(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn the_program_may_come_from_standard_input() {
    let bench = Bench::new(
        "stdin",
        "#include <stdio.h>\nint main(void) { return puts(\"here\") < 0; }\n",
    );
    for words in [
        &["--klee-names", "--quiet"][..],
        &["--quiet", "-"],
        &["--klee-names", "--quiet", "-", "x"],
    ] {
        let mut klee = Command::new(command());
        klee.arg("explore").args(words);
        klee.current_dir(&*bench.directory);
        klee.stdin(File::open(bench.directory.join("p.bc")).expect("bitcode"));
        let run = must_run(&mut klee);
        assert_eq!(String::from_utf8_lossy(&run.stdout), "here\n", "{words:?}");
    }
    assert!(bench.directory.join("klee-out-0/info").exists());
    assert!(bench.directory.join("plat-out-0/info").exists());
}

const STATUS: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	struct stat status;
	char c;
	if (fstat(0, &status)) return 1;
	printf("%s of %d\n", S_ISREG(status.st_mode) ? "file" : "other", (int)status.st_size);
	printf("terminal: %d\n", isatty(0));
	int both = open("A", O_RDWR), reads = open("A", O_RDONLY);
	printf("opened: %d %d\n", both >= 0, reads >= 0);
	return read(reads, &c, 1) != 1;
}
"#;

/// Standard input is a file, a terminal, or something else; A may be written or not: 3 * 2 paths. A file
/// can always be read.
#[test]
fn the_status_of_symbolic_files_is_symbolic() {
    let bench = Bench::new("status", STATUS);
    let input = ["--sym-stdin", "4", "--sym-files", "1", "3"];
    bench.explored("plat", &["--test-files=all"], &input);
    assert_eq!(bench.tests("plat"), 1);
    let run = bench.explored("klee", &["--klee-names"], &input);
    assert_eq!(bench.tests("klee"), 6, "{}", said(&run));
    let printed = lines(&run);
    for line in [
        "file of 4",
        "other of 4",
        "terminal: 0",
        "terminal: 1",
        "opened: 0 1",
        "opened: 1 1",
    ] {
        assert!(
            printed.iter().any(|one| one == line),
            "no {line:?} in {printed:?}"
        );
    }
    // A test prefers ordinary files: half of them have one as standard input.
    let regular = (1..=6).filter(|test| {
        let test = bench.path(&format!("klee/test{test:06}.ktest"));
        let shown = must_run(Command::new(command()).args(["ktest", &test]));
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(
            shown.contains("stdin_stat") && shown.contains("A_data_stat"),
            "{shown}"
        );
        let at = shown.find("'stdin_stat'").expect("the object");
        let hex = shown[at..]
            .lines()
            .find(|line| line.contains("hex : "))
            .expect("its bytes");
        let hex = hex.split("0x").nth(1).expect("digits");
        // The mode is at byte 24: 0o100000 and no other kind.
        u8::from_str_radix(&hex[50..52], 16).expect("a byte") & 0xf0 == 0x80
    });
    assert_eq!(regular.count(), 2);
}

/// KLEE's runtime gives an error where a program reads to null, and does not let printing fail.
#[test]
fn calls_fail_as_in_klees_runtime() {
    let source = r#"
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	char c;
	if (read(0, (void *)0, 1) != -1 || errno != EFAULT) return 2;
	int got = read(0, &c, 1);
	printf("%d\n", got);
	return 0;
}
"#;
    let bench = Bench::new("calls", source);
    let run = bench.explored(
        "klee",
        &["--klee-names"],
        &["--sym-stdin", "2", "--max-fail", "1"],
    );
    assert_eq!(lines(&run), ["-1", "1"], "{}", said(&run));
    assert_eq!(bench.tests("klee"), 2);
    let run = bench.explored("plat", &["--all-output"], &["--sym-stdin", "2"]);
    assert!(said(&run).contains("ERROR: "), "{}", said(&run));
}

/// What a path has printed is not printed again by those that come of it.
#[test]
fn streams_write_at_once() {
    let source = r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void)
{
	printf("before\n");
	if (klee_range(0, 2, "x")) printf("one\n"); else klee_silent_exit(printf("other\n"));
	return 0;
}
"#;
    let bench = Bench::new("streams", source);
    let run = bench.explored("klee", &["--klee-names"], &[]);
    assert_eq!(lines(&run), ["before", "one", "other"]);
    let run = bench.explored("plat", &["--all-output"], &[]);
    assert_eq!(lines(&run), ["before", "one"]);
}

/// Of an archive, what is needed is linked and nothing else.
#[test]
fn a_library_may_be_an_archive() {
    let source = "#include <stdio.h>\nint twice(int);\nint main(void) { printf(\"%d\\n\", twice(21)); return 0; }\n";
    let bench = Bench::new("archive", source);
    bench.compile(
        "twice",
        "int add(int, int);\nint twice(int x) { return add(x, x); }\n",
    );
    bench.compile("add", "int add(int a, int b) { return a + b; }\n");
    // Would be a second definition of main.
    bench.compile(
        "other",
        "int main(void) { return 7; }\nint unneeded(void) { return 1; }\n",
    );
    let library = bench.path("lib.a");
    let members = ["other.bc", "add.bc", "twice.bc"].map(|name| bench.path(name));
    must_run(
        Command::new("llvm-ar-22")
            .args(["rcs", &library])
            .args(members),
    );
    let run = bench.explored("out", &["--link-llvm-lib", &library], &[]);
    assert_eq!(lines(&run), ["42"], "{}", said(&run));
}

/// Instructions of inline assembly compute what the machine computes.
#[test]
fn inline_assembly_computes_in_registers() {
    let source = r#"
#include <stdint.h>
#include <stdio.h>
#define ALL(T, letter) static void with_##letter(T x, T y) { \
	T n = x, a = x, s = x, i = x, o = x, l = x, r = x, h = x, m = x, v, k = x; \
	__asm__("neg" #letter " %0" : "+r"(n)); \
	__asm__("add %1, %0" : "+r"(a) : "r"(y)); \
	__asm__("sub $-3, %0" : "+r"(s)); \
	__asm__("inc %0" : "+r"(i)); \
	__asm__("not %0" : "+r"(o)); \
	__asm__("shl" #letter " $3, %0" : "+r"(l)); \
	__asm__("sar $2, %0" : "+r"(r)); \
	__asm__("shr $1, %0" : "+r"(h)); \
	__asm__("xor %1, %0" : "+r"(m) : "r"(y)); \
	__asm__("mov %1, %0" : "=r"(v) : "r"(y)); \
	__asm__("or $5, %0" : "+r"(k)); \
	T all[] = { n, a, s, i, o, l, r, h, m, v, k }; \
	for (unsigned at = 0; at < sizeof all / sizeof *all; at++) printf(" %llx", (unsigned long long)all[at]); \
	printf("\n"); }
ALL(uint16_t, w)
ALL(uint32_t, l)
ALL(uint64_t, q)
int main(void)
{
	uint64_t values[] = { 0, 1, 0x7fff, 0x8000, 0xffffffff, 0x80000000, 0x123456789abcdef0 };
	for (int a = 0; a < 7; a++)
		for (int b = 0; b < 7; b++)
			with_w(values[a], values[b]), with_l(values[a], values[b]), with_q(values[a], values[b]);
	return 0;
}
"#;
    let bench = Bench::new("assembly", source);
    let native = bench.path("native");
    must_run(Command::new("clang-22").args(["-O0", &bench.path("p.c"), "-o", &native]));
    let native = must_run(&mut Command::new(native));
    let run = bench.explored("out", &[], &[]);
    assert_eq!(
        String::from_utf8_lossy(&run.stdout),
        String::from_utf8_lossy(&native.stdout),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

const BRANCHES: &str = r#"
#include <klee/klee.h>
int main(void)
{
	int x[10], sum = 0;
	klee_make_symbolic(&x, sizeof(x), "x");
	if (x[0]) sum++; else sum--;
	if (x[1]) sum++; else sum--;
	for (int i = 2; i < 10; i++)
		if (x[i]) sum++; else sum--;
	return sum > 100;
}
"#;

/// The completed paths are those of KLEE's test MaxStaticForkPct.c.
#[test]
fn forks_at_one_instruction_may_be_bounded() {
    let bench = Bench::new("shares", BRANCHES);
    let rows = [
        ("--max-static-fork-pct=0.2", 4),
        ("--max-static-fork-pct=0.5", 8),
        ("--max-static-fork-pct=0.8", 17),
        ("--max-static-cpfork-pct=0.5", 2),
    ];
    for (at, (option, paths)) in rows.into_iter().enumerate() {
        for search in ["dfs", "bfs", "random-path"] {
            let (out, search) = (format!("out-{at}-{search}"), format!("--search={search}"));
            let options = [
                "--max-static-pct-check-delay=1",
                option,
                &search,
                "--dump-states-on-halt=false",
            ];
            let run = bench.explored(&out, &options, &[]);
            let completed = summary(bench.directory.join(&out).as_ref()).paths.completed;
            assert_eq!(completed, paths, "{option} {search}");
            assert!(
                said(&run).contains("MaxStatic*Pct limit reached) at "),
                "{}",
                said(&run)
            );
        }
    }
    bench.explored("without", &[], &[]);
    assert_eq!(
        summary(bench.directory.join("without").as_ref())
            .paths
            .completed,
        1024
    );
}

/// The path of each test, by its `.path` file alone, has the test's output.
#[test]
fn paths_are_replayed_by_their_directions() {
    let source = r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void)
{
	int x;
	klee_make_symbolic(&x, sizeof x, "x");
	for (int bit = 0; bit < 3; bit++)
		if (x >> bit & 1) printf("%d ", bit);
	printf(".\n");
	return 0;
}
"#;
    let bench = Bench::new("directions", source);
    bench.explored("first", &["--write-paths", "--test-files=all"], &[]);
    assert_eq!(bench.tests("first"), 8);
    let read = |name: &str| fs::read_to_string(bench.path(name)).expect(name);
    for test in 1..=8 {
        let file = bench.path(&format!("first/test{test:06}.path"));
        let out = format!("again-{test}");
        let run = bench.explored(&out, &["--replay-path", &file, "--test-files=all"], &[]);
        assert_eq!(bench.tests(&out), 1, "{}", said(&run));
        let printed = |out: &str, test| read(&format!("{out}/test{test:06}.out"));
        assert_eq!(printed(&out, 1), printed("first", test));
    }
    fs::write(bench.path("wrong"), "1\nx\n").expect("a file");
    let run = bench.explored("wrong-out", &["--replay-path", &bench.path("wrong")], &[]);
    assert!(
        said(&run).contains("wrong:2: `x` is no direction"),
        "{}",
        said(&run)
    );
}

/// There are as many lines as instructions that were executed, and they are those of assembly.ll.
#[test]
fn executed_instructions_are_printed() {
    let bench = Bench::new("instructions", BRANCHES);
    let options = ["--debug-print-instructions=all:file", "--max-forks=3"];
    let run = bench.explored("out", &options, &[]);
    let read = |name: &str| fs::read_to_string(bench.path(name)).expect(name);
    let printed = read("out/instructions.txt");
    let executed = summary(bench.directory.join("out").as_ref()).instructions;
    assert_eq!(printed.lines().count() as u64, executed, "{}", said(&run));
    assert!(
        printed.contains("call void @klee_make_symbolic"),
        "{printed}"
    );
    assert!(printed.contains("p.c:6:"), "{printed}");
    let run = bench.explored(
        "err",
        &["--debug-print-instructions=compact:stderr", "--max-forks=3"],
        &[],
    );
    assert!(!bench.directory.join("err/instructions.txt").exists());
    let compact = String::from_utf8_lossy(&run.stderr);
    assert!(!compact.contains("p.c:6:"), "{compact}");
}

#[test]
fn functions_escape_that_are_not_only_called() {
    let source = r#"
static int called(void) { return 0; }
static int pointed(void) { return 1; }
static int passed(void) { return 2; }
int named(void) { return 3; }
int other_name(void) __attribute__((alias("named")));
int behind(void) { return 4; }
int alias_called(void) __attribute__((alias("behind")));
static int take(int (*f)(void)) { return f(); }
int main(void)
{
	int (*p)(void) = pointed, (*q)(void) = other_name;
	return called() + p() + q() + take(passed) + alias_called() == 10 ? 0 : 1;
}
"#;
    let bench = Bench::new("escaping", source);
    let run = bench.explored(
        "out",
        &["--debug-print-escaping-functions", "--klee-names"],
        &[],
    );
    let said = said(&run);
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("KLEE: escaping functions: ["));
    let names = line
        .and_then(|line| line.strip_suffix(']'))
        .expect("a line");
    let mut names: Vec<&str> = names.split(", ").collect();
    names.sort_unstable();
    assert_eq!(names, ["named", "passed", "pointed"]);
}

/// Ranges of a switch are paths if it becomes comparisons.
#[test]
fn switches_may_become_comparisons() {
    let source = r#"
#include <klee/klee.h>
int main(void)
{
	switch (klee_range(0, 256, "c")) {
	case 0: case 10: return 1;
	case 20 ... 29: return 2;
	default: return 3;
	}
}
"#;
    let bench = Bench::new("switches", source);
    bench.explored("internal", &["--switch-type=internal"], &[]);
    assert_eq!(bench.tests("internal"), 3);
    // Each case, and the rest; 0, 10, 20 to 29, and what is between and behind them.
    for (kind, paths) in [("simple", 13), ("llvm", 6)] {
        bench.explored(kind, &[&format!("--switch-type={kind}")], &[]);
        let summary = summary(bench.directory.join(kind).as_ref());
        assert_eq!(summary.paths.completed, paths, "{kind}");
    }
}

/// Messages that scripts look for.
#[test]
fn klee_says_it_in_these_words() {
    let source = r#"
#include <klee/klee.h>
#include <stdlib.h>
void poof(void);
int main(void)
{
	static volatile int sink;
	char *large = malloc(20 << 20);
	sink = large != 0;
	if (klee_range(0, 2, "x")) poof();
	klee_close_merge();
	large[5 + klee_range(0, 5000, "at")] = 1;
	sink = large[klee_range(0, 6000, "from")];
	sink = large[klee_range(0, 4096, "near")];
	__asm__ volatile("movl %eax, %eax");
	return 0;
}
"#;
    let bench = Bench::new("words", source);
    let run = bench.explored("klee", &["--klee-names", "--use-merge"], &[]);
    let text = said(&run);
    for words in [
        "KLEE: WARNING ONCE: Large memory allocation (20971520 bytes). KLEE may run out of memory.",
        "failed external call: poof",
        "KLEE: WARNING ONCE: Symbolic memory write will send the following array of 5000 bytes to the constraint solver",
        "KLEE: WARNING ONCE: Symbolic memory read will send the following array of 6000 bytes to the constraint solver",
        "ran into a close at ",
        "external calls disallowed (in particular inline asm)",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    let suffixes: Vec<bool> = ["external.err", "exec.err"]
        .iter()
        .map(|suffix| {
            (1..=2).any(|test| {
                bench
                    .directory
                    .join(format!("klee/test{test:06}.{suffix}"))
                    .exists()
            })
        })
        .collect();
    assert_eq!(suffixes, [true, true], "{text}");
    assert_eq!(text.matches("Symbolic memory").count(), 2, "{text}");
    let run = bench.explored("plat", &["--use-merge"], &[]);
    let text = said(&run);
    let warned = ["Large memory", "Symbolic memory"].map(|words| text.contains(words));
    assert!(
        text.contains("external function poof") && warned == [false; 2],
        "{text}"
    );
    for (option, words) in [
        (
            "--function-alias=:f",
            "KLEE: ERROR: function-alias: name or pattern cannot be empty",
        ),
        (
            "--function-alias=poof:gone",
            "KLEE: ERROR: function-alias: replacement function @gone could not be found",
        ),
        (
            "--function-alias=main:poof",
            "KLEE: WARNING: function-alias: @main could not be replaced with @poof",
        ),
        (
            "--entry-point=gone",
            "Entry function 'gone' not found in module.",
        ),
        ("--entry-point=", "KLEE: ERROR: entry-point cannot be empty"),
    ] {
        let run = bench.explored("refused", &["--klee-names", option], &[]);
        assert_eq!(run.status.code(), Some(2), "{option}");
        assert!(said(&run).contains(words), "{option}: {}", said(&run));
    }
}

/// A program finds the directory that it starts in in its environment, and a call stack has an end.
#[test]
fn the_surroundings_are_klees() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int deep(int n) { return n ? deep(n - 1) + 1 : 0; }
int main(void)
{
	char here[4096];
	char *told = getenv("PWD");
	printf("%d\n", told && getcwd(here, sizeof here) && !strcmp(told, here));
	fflush(stdout);
	return deep(9000) != 9000;
}
"#;
    let bench = Bench::new("surroundings", source);
    let run = bench.explored("klee", &["--klee-names"], &[]);
    assert_eq!(lines(&run), ["1"]);
    assert!(
        said(&run).contains("Maximum stack size reached."),
        "{}",
        said(&run)
    );
    let run = bench.explored("plat", &[], &[]);
    assert_eq!(lines(&run), ["0"]);
    assert_eq!(
        summary(bench.directory.join("plat").as_ref())
            .paths
            .completed,
        1
    );
}
