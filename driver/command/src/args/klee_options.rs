//! Options of KLEE's that plat does not have under that name, and what becomes of each. The one
//! table of its kind: a name that is here gets a note or an error, a name that is nowhere gets clap's
//! message.

/// What becomes of an option.
#[derive(Clone, Copy, Debug)]
pub enum Fate {
    /// A switch that is left out, with a note: why, or what there is instead.
    Dropped(&'static str),
    /// The same with a value, which may stand behind it.
    DroppedValue(&'static str),
    /// Not available: an error that says what to use.
    Refused(&'static str),
    /// Other options, or an error.
    Becomes(fn(Option<&str>) -> Result<Vec<String>, String>),
}

use Fate::{Becomes, Dropped, DroppedValue, Refused};

/// What is known of an option of KLEE's.
pub fn fate(name: &str) -> Option<Fate> {
    let at = OPTIONS.binary_search_by_key(&name, |(name, _)| name).ok()?;
    Some(OPTIONS[at].1)
}

fn switch(value: Option<&str>, option: &str) -> Result<Vec<String>, String> {
    match value.unwrap_or("true") {
        "true" | "1" => Ok(vec![option.to_string()]),
        "false" | "0" => Ok(Vec::new()),
        _ => Err("a switch is true or false".to_string()),
    }
}

/// An option that has another name, with its value.
fn valued(value: Option<&str>, option: &str) -> Result<Vec<String>, String> {
    let value = value.ok_or("it takes a value behind a `=`")?;
    Ok(vec![format!("{option}={value}")])
}

/// How switches are executed: as they are, as one comparison for each case, or by halves.
fn switch_type(value: Option<&str>) -> Result<Vec<String>, String> {
    match value {
        Some("internal") => Ok(Vec::new()),
        Some("simple") => Ok(vec!["--split-switch-cases".to_string()]),
        Some("llvm") => Ok(vec!["--lower-switches".to_string()]),
        _ => Err("the types are internal, simple and llvm, behind a `=`".to_string()),
    }
}

/// KLEE writes tests unless it is told not to.
fn write_tests(value: Option<&str>) -> Result<Vec<String>, String> {
    Ok(match switch(value, "--write-no-tests")?.is_empty() {
        true => vec!["--write-no-tests".to_string()],
        false => Vec::new(),
    })
}

/// The options by name, sorted.
#[rustfmt::skip]
pub const OPTIONS: &[(&str, Fate)] = &[
    ("all-external-warnings", Dropped("summary.json names functions that are missing")),
    ("allocate-determ", Dropped("plat's addresses are always deterministic")),
    ("allocate-determ-size", DroppedValue("plat's addresses are always deterministic")),
    ("allocate-determ-start-address", DroppedValue("plat's addresses are always deterministic")),
    ("allow-external-sym-calls", Becomes(|value| switch(value, "--external-calls=all"))),
    ("always-output-seeds", Dropped("tests of seeds are always written")),
    ("array-value-ratio", DroppedValue("plat's solver layers are always on")),
    ("array-value-symb-ratio", DroppedValue("plat's solver layers are always on")),
    ("batch-time", DroppedValue("plat's order of paths depends on no clock; see --batch-instructions")),
    ("cex-cache-exp", Dropped("plat's solver layers are always on")),
    ("cex-cache-superset", Dropped("plat's solver layers are always on")),
    ("cex-cache-try-all", Dropped("plat's solver layers are always on")),
    ("color", Dropped("messages have no colours")),
    ("compress-exec-tree", Dropped("plat writes them plain")),
    ("compress-log", Becomes(|value| switch(value, "--compress-query-log"))),
    ("compress-process-tree", Dropped("plat writes it plain")),
    ("const-array-opt", Dropped("plat's solver layers are always on")),
    ("debug-assignment-validating-solver", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-cex-cache-check-binding", Dropped("plat's solver layers are always on")),
    ("debug-check-for-implied-values", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-compress-instructions", Dropped("instead, use --write-paths, or run.istats for counts")),
    ("debug-crosscheck-core-solver", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-dump-stp-queries", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-execution-tree", Dropped("instead, use --write-exec-tree")),
    ("debug-log-incomplete-merge", Becomes(|value| switch(value, "--debug-log-merge"))),
    ("debug-log-state-merge", Becomes(|value| switch(value, "--debug-log-merge"))),
    ("debug-validate-solver", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-z3-dump-queries", DroppedValue("instead, use --log-queries solver and another solver on the file")),
    ("debug-z3-log-api-interaction", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-z3-validate-models", Dropped("instead, use --log-queries solver and another solver on the file")),
    ("debug-z3-verbosity", DroppedValue("instead, use --log-queries solver and another solver on the file")),
    ("delete-dead-loops", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("disable-inlining", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("disable-internalize", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("disable-opt", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("disable-verify", Dropped("plat always verifies its input")),
    ("emit-all-errors-in-same-path", Refused("plat describes all errors at a location with --emit-all-errors")),
    ("entry-points", Becomes(|value| valued(value, "--entry-point"))),
    ("environ", Becomes(|value| valued(value, "--env-file"))),
    ("equality-substitution", Dropped("plat's solver layers are always on")),
    ("external-call-warnings", DroppedValue("summary.json names functions that are missing")),
    ("help-hidden", Becomes(|_| Ok(vec!["--help".to_string()]))),
    ("help-list", Becomes(|_| Ok(vec!["--help".to_string()]))),
    ("help-list-hidden", Becomes(|_| Ok(vec!["--help".to_string()]))),
    ("ignore-stp-failures", Dropped("there is no STP here; --solver names what there is")),
    ("istats-write-after-instructions", DroppedValue("instead, use --istats-write-interval")),
    ("kdalloc", Dropped("it is the default; see --allocator")),
    ("kdalloc-constants-size", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-constants-start-address", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-external-page-threshold", DroppedValue("external calls get the objects that their arguments reach, whatever their number")),
    ("kdalloc-globals-size", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-globals-start-address", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-heap-size", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-heap-start-address", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-mark-as-unneeded", Dropped("freed memory is given back with the path")),
    ("kdalloc-stack-size", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("kdalloc-stack-start-address", DroppedValue("instead, use --region NAME=SIZE@BASE")),
    ("klee-call-optimisation", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("libc", DroppedValue("plat always links its own C library")),
    ("libcxx", Dropped("libc++ is linked where a program needs it; compile programs with -stdlib=libc++")),
    ("load", Refused("a function of a shared library is called with --external-calls concrete --external-library FILE --external-allow NAME")),
    ("log-partial-queries-early", Dropped("all questions are logged: --log-queries")),
    ("log-timed-out-queries", Dropped("all questions are logged: --log-queries")),
    ("make-concrete-symbolic", Refused("concrete values are never made symbolic at random")),
    ("max-instruction-time", DroppedValue("--max-solver-time bounds every query, --max-time the run")),
    ("max-memory-inhibit", Dropped("near the memory limit the deepest paths go first, and none is ended or kept from forking")),
    ("max-static-cpsolve-pct", DroppedValue("what a path does depends on no clock; --max-static-cpfork-pct is a bound")),
    ("max-static-solve-pct", DroppedValue("what a path does depends on no clock; --max-static-fork-pct is a bound")),
    ("max-sym-alloc-size", Refused("use --size-capacity N: the most bytes of an object whose size stays symbolic")),
    ("max-sym-array-size", DroppedValue("large symbolic arrays stay symbolic")),
    ("metasmt-backend", DroppedValue("there is no metaSMT here; --solver names what there is")),
    ("min-query-time-to-log", DroppedValue("all questions are logged: --log-queries")),
    ("no-externals", Becomes(|value| switch(value, "--external-calls=refuse"))),
    ("no-output", Becomes(|value| switch(value, "--write-no-tests"))),
    ("null-on-zero-malloc", Refused("malloc(0) gives an object of no bytes, as in glibc and musl")),
    ("optimize-array", DroppedValue("plat's solver layers are always on")),
    ("pc-all-const-widths", Dropped(".kquery files have one form")),
    ("pc-all-widths", Dropped(".kquery files have one form")),
    ("pc-multibyte-reads", Dropped(".kquery files have one form")),
    ("pc-prefix-width", Dropped(".kquery files have one form")),
    ("pc-width-as-arg", Dropped(".kquery files have one form")),
    ("posix-runtime", Dropped("plat always models the system calls")),
    ("print-all-options", Dropped("the file info of the run has the command line, plat explore --help the defaults")),
    ("print-options", Dropped("the file info of the run has the command line, plat explore --help the defaults")),
    ("ptree-batch-size", Becomes(|value| Ok(vec![format!("--exec-tree-batch-size={}", value.ok_or("it takes a number")?)]))),
    ("replay-keep-symbolic", Refused("use --seed-file, which follows a test and keeps its inputs symbolic")),
    ("return-null-on-zero-malloc", Refused("malloc(0) gives an object of no bytes, as in glibc and musl")),
    ("rewrite-equalities", Dropped("plat's solver layers are always on")),
    ("rng-seed-random", Refused("use --seed N")),
    ("run-in", Becomes(|value| valued(value, "--run-in-dir"))),
    ("runtime-build", DroppedValue("plat always models the system calls")),
    ("seed-time", DroppedValue("seeds are followed to their ends; --max-time limits the run")),
    ("simplify-sym-indices", Dropped("plat's solver layers are always on")),
    ("single-object-resolution", Becomes(|value| switch(value, "--memory-model=single"))),
    ("smtlib-abbreviation-mode", DroppedValue("logs are SMT-LIB 2 as Z3 and others read it")),
    ("smtlib-display-constants", DroppedValue("logs are SMT-LIB 2 as Z3 and others read it")),
    ("smtlib-human-readable", Dropped("logs are SMT-LIB 2 as Z3 and others read it")),
    ("solver-optimize-divides", Dropped("how a division is expressed is the back end's; --solver names what there is")),
    ("stats-commit-after", DroppedValue("instead, use --stats-write-interval")),
    ("stats-write-after-instructions", DroppedValue("instead, use --stats-write-interval")),
    ("stop-after-n-instructions", Becomes(|value| valued(value, "--max-instructions"))),
    ("stop-after-n-tests", Becomes(|value| valued(value, "--max-tests"))),
    ("stp-sat-solver", DroppedValue("there is no STP here; --solver names what there is")),
    ("strip-all", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("strip-debug", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("suppress-external-warnings", Dropped("summary.json names functions that are missing")),
    ("switch-type", Becomes(switch_type)),
    ("time-passes", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("timer-interval", DroppedValue("limits are looked at ten times a second")),
    ("track-instruction-time", Dropped("the table of statistics has call costs always")),
    ("ubsan-runtime", Dropped("UBSan's handlers are built in; compile with -fsanitize=undefined")),
    ("uclibc-path", DroppedValue("plat always links its own C library")),
    ("uncovered-update-interval", DroppedValue("distances are kept up to date as the searchers need them")),
    ("use-asm-addresses", Dropped("klee.h is one file for all LLVM versions")),
    ("use-batching-search", Dropped("plat always batches; see --batch-instructions")),
    ("use-branch-cache", Dropped("plat's solver layers are always on")),
    ("use-call-paths", Dropped("the table of statistics has call costs always")),
    ("use-cex-cache", Dropped("plat's solver layers are always on")),
    ("use-constant-arrays", Dropped("arrays that begin with constants are tables, always")),
    ("use-construct-hash-metasmt", Dropped("plat's solver layers are always on")),
    ("use-construct-hash-stp", Dropped("plat's solver layers are always on")),
    ("use-construct-hash-z3", Dropped("plat's solver layers are always on")),
    ("use-fast-cex-solver", Dropped("plat's solver layers are always on")),
    ("use-forked-solver", Dropped("plat's solver is part of its process, with a time limit for each query")),
    ("use-independent-solver", Dropped("plat's solver layers are always on")),
    ("use-iterative-deepening-search", DroppedValue("plat's order of paths depends on no clock; see --search")),
    ("use-iterative-deepening-time-search", Dropped("plat's order of paths depends on no clock; see --search")),
    ("use-non-uniform-random-search", Becomes(|value| switch(value, "--search=nurs:covnew"))),
    ("use-query-log", Becomes(|value| valued(value, "--log-queries"))),
    ("use-random-path", Becomes(|value| switch(value, "--search=random-path"))),
    ("use-random-search", Becomes(|value| switch(value, "--search=random-state"))),
    ("use-visitor-hash", Dropped("plat's solver layers are always on")),
    ("verify-each", Dropped("what is done to the program before it runs is what plat link and --optimize say")),
    ("warn-all-external-symbols", Dropped("summary.json names functions that are missing")),
    ("watchdog", Dropped("plat stops at --max-time by itself")),
    ("write-bcs", Becomes(|value| switch(value, "--output-module"))),
    ("write-cvcs", Becomes(|value| switch(value, "--write-smt2s"))),
    ("write-ktests", Becomes(write_tests)),
    ("write-ptree", Becomes(|value| switch(value, "--write-exec-tree"))),
];

/// Every option that `klee --help-hidden` of KLEE 3.2 lists.
#[cfg(test)]
#[rustfmt::skip]
pub const KLEE_3_2: &[&str] = &[
    "allow-seed-extension", "allow-seed-truncation", "always-output-seeds", "array-value-ratio",
    "array-value-symb-ratio", "batch-instructions", "batch-time", "cex-cache-superset",
    "cex-cache-try-all", "check-div-zero", "check-overshift", "color", "compress-exec-tree",
    "compress-query-log", "const-array-opt", "debug-assignment-validating-solver",
    "debug-cex-cache-check-binding", "debug-check-for-implied-values",
    "debug-compress-instructions", "debug-crosscheck-core-solver", "debug-dump-stp-queries",
    "debug-log-incomplete-merge", "debug-log-merge", "debug-log-state-merge",
    "debug-print-escaping-functions", "debug-print-instructions", "debug-validate-solver",
    "debug-z3-dump-queries", "debug-z3-log-api-interaction", "debug-z3-validate-models",
    "debug-z3-verbosity", "disable-inlining", "disable-internalize", "disable-verify",
    "dump-states-on-halt", "emit-all-errors", "entry-point", "env-file", "equality-substitution",
    "exec-tree-batch-size", "exit-on-error", "exit-on-error-type", "external-call-warnings",
    "external-calls", "function-alias", "help", "help-hidden", "help-list", "help-list-hidden",
    "ignore-stp-failures", "istats-write-after-instructions", "istats-write-interval", "kdalloc",
    "kdalloc-constants-size", "kdalloc-constants-start-address",
    "kdalloc-external-page-threshold", "kdalloc-globals-size", "kdalloc-globals-start-address",
    "kdalloc-heap-size", "kdalloc-heap-start-address", "kdalloc-mark-as-unneeded",
    "kdalloc-quarantine", "kdalloc-stack-size", "kdalloc-stack-start-address",
    "klee-call-optimisation", "libc", "libcxx", "link-llvm-lib", "log-partial-queries-early",
    "log-timed-out-queries", "make-concrete-symbolic", "max-depth", "max-forks",
    "max-instructions", "max-memory", "max-memory-inhibit", "max-solver-time",
    "max-stack-frames", "max-static-cpfork-pct", "max-static-cpsolve-pct", "max-static-fork-pct",
    "max-static-pct-check-delay", "max-static-solve-pct", "max-sym-array-size", "max-tests",
    "max-time", "metasmt-backend", "min-query-time-to-log", "named-seed-matching",
    "only-output-states-covering-new", "only-replay-seeds", "only-seed", "optimize",
    "optimize-array", "output-dir", "output-istats", "output-module", "output-source",
    "output-stats", "pc-all-const-widths", "pc-all-widths", "pc-multibyte-reads",
    "pc-prefix-width", "pc-width-as-arg", "posix-runtime", "print-all-options", "print-options",
    "readable-posix-inputs", "replay-ktest-dir", "replay-ktest-file", "replay-path",
    "return-null-on-zero-malloc", "rewrite-equalities", "rng-initial-seed", "run-in-dir",
    "runtime-build", "search", "seed-dir", "seed-file", "seed-time", "silent-klee-assume",
    "simplify-sym-indices", "single-object-resolution", "smtlib-abbreviation-mode",
    "smtlib-display-constants", "smtlib-human-readable", "solver-backend",
    "solver-optimize-divides", "stats-commit-after", "stats-write-after-instructions",
    "stats-write-interval", "stp-sat-solver", "strip-all", "strip-debug", "switch-type",
    "timer-interval", "track-instruction-time", "ubsan-runtime", "uncovered-update-interval",
    "use-batching-search", "use-branch-cache", "use-call-paths", "use-cex-cache",
    "use-constant-arrays", "use-construct-hash-metasmt", "use-construct-hash-stp",
    "use-construct-hash-z3", "use-fast-cex-solver", "use-forked-solver", "use-incomplete-merge",
    "use-independent-solver", "use-iterative-deepening-time-search", "use-merge",
    "use-query-log", "use-visitor-hash", "verify-each", "version", "warn-all-external-symbols",
    "warnings-only-to-file", "watchdog", "write-cov", "write-cvcs", "write-exec-tree",
    "write-kqueries", "write-ktests", "write-no-tests", "write-paths", "write-smt2s",
    "write-sym-paths", "write-test-info", "write-xml-tests", "xml-metadata-programfile",
    "xml-metadata-programhash",
];
