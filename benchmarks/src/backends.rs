//! The back ends, and Z3's encodings of tables, on queries of real runs: files that
//! `--log-queries solver` wrote, or parts of them.
//!
//! The queries of a file are asked in their order by one solver, as the run did, so that what a
//! back end keeps from query to query counts. Times are processor time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plat_expr::Pool;
use plat_solver::backend::apart::Apart;
use plat_solver::backend::bits::Bits;
use plat_solver::backend::z3::{Tuning, Z3};
use plat_solver::{Answer, Config, Query, Solver, read_log};

use crate::Common;
use crate::process::thread_time;
use crate::table::Table;

/// A back end that is measured, by its name.
type Entry = (&'static str, fn(&Config) -> Box<dyn Solver>);

/// Z3 with tables up to this length as trees of choices, and no others.
fn z3(config: &Config, limit: usize, logic: &'static str) -> Box<dyn Solver> {
    let tuning = Tuning {
        constant_mux_limit: limit,
        mux_limit: limit,
        table_logic: logic,
        ..Tuning::default()
    };
    Box::new(Z3::with_tuning(config, tuning))
}

const ENTRIES: &[Entry] = &[
    ("z3", |config| Box::new(Z3::new(config))),
    ("z3, choices", |config| z3(config, usize::MAX, "QF_BV")),
    ("z3, arrays", |config| z3(config, 0, "QF_ABV")),
    ("z3, apart", |config| Box::new(Apart::new(config))),
    ("bits", |config| Box::new(Bits::new(config))),
];

/// What one back end made of a file.
#[derive(Default)]
struct Found {
    verdicts: [u64; 3],
    times: Vec<Duration>,
    /// Answers other than the logged ones.
    different: u64,
}

fn measure(path: &Path, config: &Config, entry: &Entry) -> Result<Found, String> {
    let mut pool = Pool::new();
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    let queries = read_log(&mut pool, &text).map_err(|error| wrong(&error))?;
    let (mut solver, mut found) = ((entry.1)(config), Found::default());
    for logged in &queries {
        let query = Query::new(&logged.constraints);
        let start = thread_time();
        let answer = solver.check(&mut pool, &query);
        found.times.push(thread_time().saturating_sub(start));
        let satisfiable = match answer {
            Answer::Sat(_) => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        };
        found.verdicts[satisfiable.map_or(2, |yes| usize::from(!yes))] += 1;
        let both = satisfiable.zip(logged.satisfiable);
        found.different += u64::from(both.is_some_and(|(now, then)| now != then));
    }
    Ok(found)
}

/// The time of a back end on logged queries for each second that Z3 takes.
///
/// # Errors
/// When a file cannot be read.
pub fn ratio(files: &[PathBuf], name: &str) -> Result<f64, String> {
    let config = Config::default();
    let time = |wanted: &str| -> Result<Duration, String> {
        let entry = ENTRIES.iter().find(|entry| entry.0 == wanted);
        let entry = entry.ok_or(format!("no back end {wanted}"))?;
        let mut sum = Duration::ZERO;
        for file in files {
            sum += measure(file, &config, entry)?
                .times
                .iter()
                .sum::<Duration>();
        }
        Ok(sum)
    };
    Ok(time(name)?.as_secs_f64() / time("z3")?.as_secs_f64())
}

/// Prints the table.
pub fn backends(common: &Common, files: &[PathBuf], limit: Duration) -> Result<(), String> {
    let config = Config {
        time_limit: Some(limit),
        process: vec![common.plat.clone().into(), "solver-process".into()],
        ..Config::default()
    };
    let mut table = Table::new(
        "Back ends on logged queries (processor time; ratios: to the first)",
        &[
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
        ],
    );
    for path in files {
        let mut first = None;
        for entry in ENTRIES {
            let mut found = measure(path, &config, entry)?;
            found.times.sort_unstable();
            let ms = |time: Option<&Duration>| time.map_or(0.0, |time| time.as_secs_f64() * 1e3);
            let sum: f64 = found.times.iter().map(|time| ms(Some(time))).sum();
            let first = *first.get_or_insert(sum);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let mut row = vec![name.into_owned(), entry.0.to_owned()];
            row.extend(found.verdicts.iter().map(u64::to_string));
            row.push(found.different.to_string());
            let median = ms(found.times.get(found.times.len() / 2));
            let longest = ms(found.times.last());
            for figure in [sum, sum / first, median, longest] {
                let mut cell = String::new();
                let _ = write!(cell, "{figure:.2}");
                row.push(cell);
            }
            table.row(row);
        }
    }
    table.print();
    Ok(())
}
