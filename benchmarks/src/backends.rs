//! The back ends, and Z3's encodings of tables, on queries of real runs: files that
//! `--log-queries solver` wrote, or parts of them.
//!
//! The queries of a file are asked in their order by one solver, as the run did, so that what a
//! back end keeps from query to query counts. Times are processor time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use plat_expr::{BinaryOp, ExprId, Node, Pool};
use plat_solver::backend::bits::Bits;
use plat_solver::backend::z3::{Tuning, Z3};
use plat_solver::backend::z3_process::Z3Process;
use plat_solver::{Answer, Query, Solver, SolverConfig, read_log};

use crate::Common;
use crate::process::{process_time, thread_time};
use crate::table::Table;

/// A back end under measurement.
enum Measured {
    Here(Box<dyn Solver>),
    /// In a process of its own.
    Z3Process(Box<Z3Process>),
}

impl Measured {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        match self {
            Self::Here(solver) => solver.check(pool, query),
            Self::Z3Process(solver) => solver.check(pool, query),
        }
    }

    /// Processor time that it has had so far.
    fn clock(&self) -> Duration {
        let process = match self {
            Self::Here(_) => None,
            Self::Z3Process(solver) => solver.process(),
        };
        thread_time() + process.map_or(Duration::ZERO, process_time)
    }
}

/// A back end by its name.
type Row = (&'static str, fn(&SolverConfig) -> Measured);

/// Z3 with tables up to this length as trees of choices, and no others.
fn z3(config: &SolverConfig, limit: usize, logic: &'static str) -> Measured {
    let tuning = Tuning {
        constant_mux_limit: limit,
        mux_limit: limit,
        table_logic: logic,
        ..Tuning::default()
    };
    Measured::Here(Box::new(Z3::with_tuning(config, tuning)))
}

const ENTRIES: &[Row] = &[
    ("z3", |config| Measured::Here(Box::new(Z3::new(config)))),
    ("z3, choices", |config| z3(config, usize::MAX, "QF_BV")),
    ("z3, arrays", |config| z3(config, 0, "QF_ABV")),
    ("z3, process", |config| {
        Measured::Z3Process(Box::new(Z3Process::new(config)))
    }),
    // What it leaves to Z3 is Z3's here, as far as time goes.
    ("bits", |config| {
        let process = Vec::new();
        let here = SolverConfig {
            process,
            ..config.clone()
        };
        Measured::Here(Box::new(Bits::new(&here)))
    }),
];

/// The classes of queries that a back end is chosen by, each with the entry that it gets by default.
const CLASSES: [(&str, &str); 4] = [
    ("plain", "bits"),
    ("tables", "bits"),
    ("products", "bits"),
    ("floats", "z3, process"),
];

/// The class of a query, by what is hardest in it.
fn class(pool: &Pool, constraints: &[ExprId]) -> usize {
    let of = |&e: &ExprId| match pool.node(e) {
        Node::Float(..) => 3,
        Node::Binary(op, a, b) => {
            use BinaryOp::{Mul, SDiv, SRem, UDiv, URem};
            let product = matches!(op, Mul | UDiv | SDiv | URem | SRem);
            2 * usize::from(product && !pool.is_constant(a) && !pool.is_constant(b))
        }
        Node::Read(..) => 1,
        _ => 0,
    };
    let order = pool.postorder(constraints);
    order.iter().map(of).max().unwrap_or(0)
}

/// One answer.
struct Asked {
    class: usize,
    /// 0 satisfiable, 1 not, 2 not decided.
    verdict: usize,
    time: Duration,
    /// Whether it is another answer than the logged one.
    differs: bool,
}

fn milliseconds<'a>(asked: impl Iterator<Item = &'a Asked>) -> f64 {
    asked.map(|one| one.time.as_secs_f64() * 1e3).sum()
}

fn measure(path: &Path, config: &SolverConfig, entry: &Row) -> Result<Vec<Asked>, String> {
    let mut pool = Pool::new();
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    let queries = read_log(&mut pool, &text).map_err(|error| wrong(&error))?;
    let mut solver = (entry.1)(config);
    let mut all = Vec::new();
    for logged in &queries {
        let query = Query::new(&logged.constraints);
        let start = solver.clock();
        let answer = solver.check(&mut pool, &query);
        let time = solver.clock().saturating_sub(start);
        let satisfiable = match answer {
            Answer::Sat(_) => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        };
        let both = satisfiable.zip(logged.satisfiable);
        all.push(Asked {
            class: class(&pool, &logged.constraints),
            verdict: satisfiable.map_or(2, |yes| usize::from(!yes)),
            time,
            differs: both.is_some_and(|(now, then)| now != then),
        });
    }
    Ok(all)
}

/// The queries that come with plat.
///
/// # Errors
/// When their folder cannot be read.
pub fn sample() -> Result<Vec<PathBuf>, String> {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../executor/solver/tests/queries"
    );
    let files = std::fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let mut files: Vec<PathBuf> = (files.flatten().map(|file| file.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "smt2"))
        .collect();
    files.sort();
    Ok(files)
}

fn config(common: &Common, limit: Duration) -> SolverConfig {
    SolverConfig {
        time_limit: Some(limit),
        process: vec![common.plat.clone().into(), "solver-process".into()],
        ..SolverConfig::default()
    }
}

/// For each class of queries of the sample, the back end that it gets by default and its time for
/// each second of Z3 in the same process.
///
/// # Errors
/// When the sample cannot be read.
pub fn ratios(common: &Common, limit: Duration) -> Result<Vec<(String, f64)>, String> {
    let (config, files) = (config(common, limit), sample()?);
    let mut ratios = Vec::new();
    let of = |name: &str| -> Result<Vec<Asked>, String> {
        let entry = ENTRIES.iter().find(|entry| entry.0 == name);
        let entry = entry.ok_or(format!("no back end {name}"))?;
        let answers: Result<Vec<_>, String> =
            (files.iter().map(|file| measure(file, &config, entry))).collect();
        Ok(answers?.into_iter().flatten().collect())
    };
    let all = [of("z3")?, of("bits")?, of("z3, process")?];
    for (number, (class, chosen)) in CLASSES.iter().enumerate() {
        if all[0].iter().all(|one| one.class != number) {
            continue;
        }
        let time = |asked: &[Asked]| {
            let same = asked.iter().filter(|one| one.class == number);
            milliseconds(same)
        };
        let chosen_time = time(&all[if *chosen == "bits" { 1 } else { 2 }]);
        ratios.push((format!("{class}: {chosen}"), chosen_time / time(&all[0])));
    }
    Ok(ratios)
}

const HEAD: [&str; 10] = [
    "queries of",
    "back end",
    "sat",
    "unsat",
    "unknown",
    "differ",
    "ms",
    "ratio",
    "median ms",
    "longest ms",
];

/// A row about these answers, and what they took; the ratio is to `first`, if there is one.
fn row(what: &str, name: &str, asked: &[&Asked], first: Option<f64>) -> (Vec<String>, f64) {
    let sum = milliseconds(asked.iter().copied());
    let mut times: Vec<Duration> = asked.iter().map(|one| one.time).collect();
    times.sort_unstable();
    let count = |verdict: usize| asked.iter().filter(|one| one.verdict == verdict).count();
    let mut row = vec![what.to_owned(), name.to_owned()];
    row.extend([0, 1, 2].map(|verdict| count(verdict).to_string()));
    row.push(asked.iter().filter(|one| one.differs).count().to_string());
    let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
    let ratio = first.map_or(1.0, |first| sum / first);
    let (median, longest) = (ms(times.get(times.len() / 2)), ms(times.last()));
    row.extend([sum, ratio, median, longest].map(|figure| format!("{figure:.2}")));
    (row, sum)
}

/// Prints a table by file and one by class of query.
///
/// # Errors
/// When a file cannot be read.
pub fn backends(common: &Common, files: &[PathBuf], limit: Duration) -> Result<(), String> {
    let config = config(common, limit);
    let files = match files {
        [] => sample()?,
        files => files.to_vec(),
    };
    let title = "Back ends on logged queries (processor time; ratios: to the first)";
    let mut table = Table::new(title, &HEAD);
    let mut all: Vec<Vec<Asked>> = ENTRIES.iter().map(|_| Vec::new()).collect();
    for path in &files {
        let mut first = None;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        for (entry, all) in ENTRIES.iter().zip(&mut all) {
            let asked = measure(path, &config, entry)?;
            let (row, sum) = row(&name, entry.0, &asked.iter().collect::<Vec<_>>(), first);
            first.get_or_insert(sum);
            table.row(row);
            all.extend(asked);
        }
    }
    table.print();
    let title = "The same by what is hardest in a query; * has been chosen for it";
    let mut table = Table::new(title, &HEAD);
    for (number, (class, chosen)) in CLASSES.iter().enumerate() {
        let mut first = None;
        for (entry, all) in ENTRIES.iter().zip(&all) {
            let asked: Vec<&Asked> = all.iter().filter(|one| one.class == number).collect();
            if asked.is_empty() {
                continue;
            }
            let mark = if entry.0 == *chosen { " *" } else { "" };
            let (row, sum) = row(class, &format!("{}{mark}", entry.0), &asked, first);
            first.get_or_insert(sum);
            table.row(row);
        }
    }
    table.print();
    Ok(())
}
