//! A panic ends the path that meets it, and nothing else: a run is repeated with a panic injected at
//! many of the places that it passes, and compared with the run without one.

use crate::Run;
use crate::api::config::Config;
use crate::api::id::StateId;
use crate::api::observe::{Fork, Observer};
use crate::api::outcome::{PathEnd, TestRecord};
use crate::api::summary::Summary;
use crate::hook::Extensions;
use crate::hook::{
    Access, Accesses, Command, EndCommand, Forked, Hook, Interest, MemoryAccess, Step,
};
use crate::panic_points::{Passed, pass, watched};
use crate::search::SearcherChoice;
use plat_env::InputSpec;
use plat_expr::Pool;
use plat_memory::model::{self, ModelChoice, Partition, Usage};
use plat_memory::resolve::ResolutionQuery;
use plat_memory::segments::Segments;
use plat_memory::{Kind, MemoryModel, ObjectState, Place, Request};
use plat_program::{Program, parse};
use plat_solver::{Answer, Oracle, Query, Solver, SolverConfig, SolverStats};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

static NO_INTERRUPT: AtomicBool = AtomicBool::new(false);

/// A chain of solvers that may panic before and behind a query.
struct PanickingSolver {
    inner: Box<dyn Solver>,
}

plat_expr::holder!(PanickingSolver { inner });

impl Solver for PanickingSolver {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        pass("solver, before a query");
        let answer = self.inner.check(pool, query);
        pass("solver, behind a query");
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        self.inner.stats(out);
    }
}

/// A memory model that may panic.
struct PanickingModel(Box<dyn MemoryModel>);

impl MemoryModel for PanickingModel {
    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        pass("memory model, place");
        self.0.place(pool, request, segments)
    }

    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    ) {
        pass("memory model, release");
        self.0.release(pool, state, kind, segments);
    }

    fn partition(
        &self,
        query: &mut ResolutionQuery<'_, '_>,
    ) -> Result<Partition, plat_memory::Stop> {
        pass("memory model, before a partition");
        let partition = self.0.partition(query);
        pass("memory model, behind a partition");
        partition
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        pass("memory model, fork");
        Box::new(PanickingModel(self.0.fork()))
    }
}

/// Hears everything that the program does, and may panic.
struct PanickingHook;

impl Hook for PanickingHook {
    fn name(&self) -> &str {
        "panicking"
    }

    fn interest(&self) -> Interest {
        Interest::new()
            .start()
            .forks()
            .accesses(Accesses::ALL)
            .ends()
    }

    fn started(&mut self, _: &mut Access<'_, '_>) -> Step<Command> {
        pass("hook, start");
        Ok(Command::Continue)
    }

    fn forked(&mut self, _: &mut Access<'_, '_>, _: &Forked) -> Step<Command> {
        pass("hook, fork");
        Ok(Command::Continue)
    }

    fn accessed(&mut self, _: &mut Access<'_, '_>, _: &MemoryAccess) -> Step<Command> {
        pass("hook, access");
        Ok(Command::Continue)
    }

    fn ended(&mut self, _: &mut Access<'_, '_>, _: &PathEnd) -> Step<EndCommand> {
        pass("hook, end");
        Ok(EndCommand::Keep)
    }
}

/// What an observer was told.
#[derive(Default)]
struct Told {
    records: Vec<TestRecord>,
    children: BTreeSet<StateId>,
}

/// Writes down ends and forks.
struct Listener {
    told: Rc<RefCell<Told>>,
}

impl Observer for Listener {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.told.borrow_mut().records.push(record.clone());
    }

    fn forked(&mut self, fork: &Fork) {
        self.told.borrow_mut().children.insert(fork.child);
    }
}

/// The parts of a run that differ from test to test.
#[derive(Clone, Copy, Default)]
struct Setting {
    hook: bool,
    searcher: &'static str,
}

/// What a run has come to.
struct Observed {
    summary: Summary,
    told: Told,
    passed: Passed,
}

fn explore(program: &Program, setting: Setting, panic_at: Option<usize>) -> Observed {
    let forking = model::named("forking").expect("a memory model");
    let mut config = Config::default();
    config.memory.model = Some(ModelChoice::new("panicking", move |options| {
        Box::new(PanickingModel((forking.make)(options)))
    }));
    config.errors.all = true;
    config.search.searchers = vec![SearcherChoice::named(setting.searcher).expect("a searcher")];
    let told = Rc::new(RefCell::new(Told::default()));
    let mut listener = Listener {
        told: Rc::clone(&told),
    };
    let mut run = Run::new(program, &config, &mut listener, &NO_INTERRUPT).expect("a run");
    let chain = plat_solver::chain(&SolverConfig::default()).expect("a solver");
    run.replace_oracle(Oracle::with_chain(Box::new(PanickingSolver {
        inner: chain,
    })));
    if setting.hook {
        let hooks: Vec<Box<dyn Hook>> = vec![Box::new(PanickingHook)];
        let natives = Vec::new();
        run.extend(Extensions {
            hooks,
            natives,
            ..Extensions::default()
        })
        .expect("hooks");
    }
    let inputs = InputSpec::default();
    let initial = run.initial_states(&inputs).expect("a start");
    let (summary, passed) = watched(panic_at, || run.explore_states(initial));
    let told = told.take();
    Observed {
        summary,
        told,
        passed,
    }
}

/// What must be the same of a path whatever happens to others.
fn essence(record: &TestRecord) -> String {
    let inputs = record
        .inputs
        .iter()
        .map(|input| (&input.name, &input.bytes));
    let inputs: Vec<_> = inputs.collect();
    format!(
        "{:?} {:?} {:?} {inputs:?} {} {:?} {:?}",
        record.path, record.end, record.exit_code, record.instructions, record.inst, record.stdout
    )
}

/// Each path with how often it stands there.
fn paths<'r>(records: impl Iterator<Item = &'r TestRecord>) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for record in records {
        *found.entry(essence(record)).or_default() += 1;
    }
    found
}

fn is_internal(record: &TestRecord) -> bool {
    matches!(record.end, PathEnd::Internal(_))
}

/// The counters agree with what was told.
fn counters_agree(run: &Observed) -> Result<(), String> {
    let counts = &run.summary.counts;
    let ended = run.told.records.len() as u64;
    if counts.paths() != ended {
        return Err(format!(
            "{} paths are counted, {ended} ended",
            counts.paths()
        ));
    }
    let known: BTreeSet<StateId> = run.told.records.iter().map(|record| record.state).collect();
    let lost: Vec<_> = run.told.children.difference(&known).collect();
    if !lost.is_empty() {
        return Err(format!("states {lost:?} have not ended"));
    }
    Ok(())
}

/// A run in which one path has panicked, against the run without that.
fn one_path_is_gone(calm: &Observed, run: &Observed) -> Result<(), String> {
    let internal: Vec<_> = run
        .told
        .records
        .iter()
        .filter(|one| is_internal(one))
        .collect();
    let [victim] = internal.as_slice() else {
        return Err(format!("{} paths end in internal errors", internal.len()));
    };
    if run.summary.counts.internal_errors != 1 {
        let count = run.summary.counts.internal_errors;
        return Err(format!("{count} internal errors are counted"));
    }
    let expected = paths(calm.told.records.iter());
    let others = run
        .told
        .records
        .iter()
        .filter(|record| !is_internal(record));
    let found = paths(others);
    for (path, count) in &found {
        if expected.get(path) < Some(count) {
            return Err(format!("a path differs: {path}"));
        }
    }
    // What is missing has come from the path that has panicked.
    for record in &calm.told.records {
        let known = found.get(&essence(record)).copied().unwrap_or(0);
        if known < expected[&essence(record)] && !record.path.starts_with(&victim.path) {
            return Err(format!("a path is missing: {}", essence(record)));
        }
    }
    counters_agree(run)
}

/// Of the passes of each place the first, the last, and some between.
fn chosen(places: &[&'static str]) -> Vec<usize> {
    let mut passes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        passes.entry(place).or_default().push(at);
    }
    let spread = |all: &Vec<usize>| -> BTreeSet<usize> {
        let last = all.len() - 1;
        [0, last / 3, last / 2, last].map(|at| all[at]).into()
    };
    passes.values().flat_map(spread).collect()
}

fn program() -> Program {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/panics.txt"));
    parse(&text.expect("a text")).unwrap_or_else(|why| panic!("{why}"))
}

/// Runs with a panic at many places; returns at how many different ones.
fn panic_everywhere(
    setting: Setting,
    check: impl Fn(&Observed, &Observed) -> Result<(), String>,
) -> usize {
    let program = program();
    let calm = explore(&program, setting, None);
    assert!(
        calm.told.records.len() > 10,
        "few paths: {}",
        calm.told.records.len()
    );
    assert!(!calm.told.records.iter().any(is_internal));
    counters_agree(&calm).expect("counters");
    let places = &calm.passed.places;
    for at in chosen(places) {
        let run = explore(&program, setting, Some(at));
        if let Err(why) = check(&calm, &run) {
            panic!("with a panic at pass {at}, {}: {why}", places[at]);
        }
    }
    places.iter().collect::<BTreeSet<_>>().len()
}

#[test]
fn a_panic_ends_its_path_only() {
    for searcher in ["dfs", "bfs"] {
        let setting = Setting {
            searcher,
            ..Setting::default()
        };
        let places = panic_everywhere(setting, one_path_is_gone);
        assert!(places >= 60, "only {places} places");
    }
}

#[test]
fn a_panic_of_a_hook_ends_its_path_only() {
    let setting = Setting {
        hook: true,
        searcher: "dfs",
    };
    panic_everywhere(setting, one_path_is_gone);
}
