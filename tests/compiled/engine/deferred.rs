//! A question that takes more than its first effort changes the order of paths and nothing else: with
//! a solver that gives half of its answers only for a price, which grows up to the whole effort, a
//! run has the same paths with the same inputs, under every memory model and searcher, and one that
//! is stopped loses no path.

use plat_compiled_tests::{Records, compile, config, scratch, searchers, source};
use plat_engine::{Config, PathEnd, Run, StopReason, Summary};
use plat_env::InputSpec;
use plat_expr::Pool;
use plat_program::Program;
use plat_solver::{Answer, Effort, Oracle, Query, Solver, SolverStats};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Programs in `symbolic.c`.
const TESTS: usize = 11;

/// A solver that answers for a price.
struct Priced {
    inner: Box<dyn Solver>,
}

plat_expr::holder!(Priced { inner });

impl Solver for Priced {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let mut hasher = DefaultHasher::new();
        query.constraints.hash(&mut hasher);
        let price = match hasher.finish() % 8 {
            times @ 1..=3 => Effort::rung(times as u32, None).operations(),
            4 => u64::MAX,
            _ => 0,
        };
        match query.effort.operations() < price {
            true => {
                // Nearly all work is lost so: most paths wait without being asked for.
                query.charge(query.effort.operations());
                Answer::Unknown("too cheap".into())
            }
            false => self.inner.check(pool, query),
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        self.inner.stats(out);
    }
}

/// Runs a program, with prices or without.
fn run(program: &Program, config: &Config, priced: bool) -> (Summary, Records) {
    let mut records = Records::default();
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    let mut run = Run::new(program, config, &mut records, &INTERRUPT).expect("a run");
    if priced {
        let chain = plat_solver::chain(&config.solver).expect("a solver");
        run.replace_oracle(Oracle::with_chain(Box::new(Priced { inner: chain })));
    }
    let summary = run.explore(&InputSpec::default()).expect("a state");
    (summary, records)
}

/// The paths of a run: how they end, their inputs, their choices, their length.
fn paths(records: &Records) -> BTreeSet<String> {
    let one = records.list.iter().map(|record| {
        format!(
            "{:?} {:?} {:?} {}",
            record.end, record.inputs, record.path, record.instructions
        )
    });
    one.collect()
}

fn read(directory: &Path, source: &Path, definition: &str) -> Program {
    let bitcode = directory.join(format!("program{definition}.bc"));
    let flags = [
        "-g",
        "-c",
        "-emit-llvm",
        "-w",
        "-fno-builtin",
        "-O0",
        definition,
    ];
    compile(&flags, source, &bitcode);
    plat_bitcode::read(&bitcode).expect("clang's bitcode is readable")
}

#[test]
fn prices_change_the_order_alone() {
    let directory = scratch("deferred");
    let mut deferred = 0;
    for number in 0..TESTS {
        let program = read(
            &directory,
            &source("symbolic.c"),
            &format!("-DTEST={number}"),
        );
        for model in plat_memory::model::ALL.iter().map(|entry| entry.name) {
            // Each model with both over the programs.
            let searcher = ["dfs", "random-path"][number % 2];
            let mut config = config(model);
            config.search.searchers = searchers(&[searcher]);
            let what = format!("test {number} {model} {searcher}");
            let (plain, before) = run(&program, &config, false);
            let (priced, after) = run(&program, &config, true);
            assert_eq!(priced.reason, StopReason::Finished, "{what}");
            assert_eq!(paths(&before), paths(&after), "{what}");
            assert_eq!(plain.counts.forks, priced.counts.forks, "{what}");
            assert_eq!(
                plain.counts.instructions, priced.counts.instructions,
                "{what}"
            );
            assert_eq!(
                (plain.counts.order.deferred, priced.counts.limited.len()),
                (0, 0),
                "{what}"
            );
            deferred += priced.counts.order.deferred;
        }
    }
    assert!(deferred > 500, "{deferred}");
}

/// When the run is stopped, what waits has its test.
#[test]
fn a_run_that_stops_loses_no_path() {
    let directory = scratch("deferred-stopped");
    let mut deferred = 0;
    for number in 0..TESTS {
        let program = read(
            &directory,
            &source("symbolic.c"),
            &format!("-DTEST={number}"),
        );
        for most in [100, 200, 400, 800] {
            let mut config = config("forking");
            config.search.searchers = searchers(&["bfs"]);
            config.limits.instructions = Some(most);
            let (summary, records) = run(&program, &config, true);
            let what = format!("test {number} {most}");
            let forks = summary.counts.total_forks() as usize;
            assert_eq!(records.list.len(), forks + 1, "{what}");
            assert!(records.list.iter().all(|record| record.wanted), "{what}");
            deferred += summary.counts.order.deferred;
        }
    }
    assert!(deferred > 20, "{deferred}");
}

const MERGED: &str = "
void klee_make_symbolic(void *, unsigned long, const char *);
void klee_open_merge(void);
void klee_close_merge(void);
int main(void) {
	unsigned char x, y;
	int found = 0;
	klee_make_symbolic(&x, 1, \"x\");
	klee_make_symbolic(&y, 1, \"y\");
	klee_open_merge();
	if (x < 10) found = 1;
	else if (x < 30) { if (y == 3) found = 2; else found = 3; }
	else if (x + y == 200) found = 4;
	klee_close_merge();
	if (found == 3) return 1;
	return found * 2 + (y > 100);
}
";

/// Paths that wait to be merged wait for a path that waits for an answer.
#[test]
fn merges_wait_for_deferred_paths() {
    let directory = scratch("deferred-merged");
    let source = directory.join("merged.c");
    std::fs::write(&source, MERGED).expect("a file");
    let program = read(&directory, &source, "-DMERGED");
    let mut config = config("forking");
    config.search.merging = plat_engine::Merging::Complete;
    let (plain, before) = run(&program, &config, false);
    let (priced, after) = run(&program, &config, true);
    let codes = |records: &Records| -> BTreeSet<Option<i32>> {
        let ended = records.list.iter();
        let ended = ended.filter(|record| record.end != PathEnd::Merged);
        ended.map(|record| record.exit_code).collect()
    };
    assert_eq!(codes(&before), codes(&after));
    assert_eq!(plain.counts.merged, priced.counts.merged);
    assert!(plain.counts.merged > 0 && priced.counts.order.deferred > 0);
}
