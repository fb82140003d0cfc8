//! The tables of "Relocatable Addressing Model for Symbolic Execution": memory models by program and
//! search (Tables 2 and 3), questions for resolutions by contexts (Table 4), splitting (Table 7).
//!
//! The programs are those of the paper in the distribution's versions, on the inputs of Table 1 of the
//! segmented-memory paper as `table1` has them, each for a limited time: a run that did not end shows
//! how far it came.

use clap::{Args, ValueEnum};

use crate::Common;
use crate::process::{Run, explore};
use crate::programs::cases::{Case, built};
use crate::programs::real::Where;
use crate::table::{Table, median};
use crate::table1::paper_case;

/// The programs of Tables 2 to 5.
const LOOKUPS: [&str; 4] = ["m4", "make", "sqlite", "apr"];

/// The programs of Table 7.
const SPLIT: [&str; 6] = ["m4", "make", "sqlite", "apr", "gas", "libxml2"];

/// Which tables, of which programs, and how long.
#[derive(Args)]
pub struct Relocatable {
    /// Only these tables
    #[arg(value_name = "TABLE")]
    tables: Vec<Part>,
    /// Only these programs (repeatable)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Searchers of the first table
    #[arg(long, value_name = "SEARCHER", default_values = ["dfs", "bfs", "default"], value_delimiter = ',')]
    search: Vec<String>,
    /// Seconds of each run
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    time: u64,
    #[command(flatten)]
    place: Where,
}

/// A table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Part {
    /// Memory models: time, memory, paths, queries, largest segment
    Models,
    /// Queries for resolutions under `dynamic` by the depth of contexts
    Contexts,
    /// Splitting at several sizes of pieces, under `forking` as in the paper
    Splitting,
}

/// A run of a row: what it is called, and its options.
struct Row {
    name: String,
    options: Vec<String>,
}

impl Row {
    fn new(name: impl Into<String>, options: &[&str]) -> Self {
        Self {
            name: name.into(),
            options: options.iter().map(|&option| option.to_owned()).collect(),
        }
    }
}

/// What makes the cells of a program's row, by their names and the runs.
type Cells<'a> = dyn Fn(&str, &str, &[Run]) -> Vec<String> + 'a;

/// Prints the tables.
///
/// # Errors
/// When a program is not there or plat cannot run it.
pub fn relocatable(common: &Common, what: &Relocatable) -> Result<(), String> {
    let mut written = String::new();
    for &part in Part::value_variants() {
        if !what.tables.is_empty() && !what.tables.contains(&part) {
            continue;
        }
        let table = match part {
            Part::Models => models(common, what)?,
            Part::Contexts => contexts(common, what)?,
            Part::Splitting => splitting(common, what)?,
        };
        table.print();
        written.push_str(&table.markdown());
        what.place.write(&written)?;
    }
    Ok(())
}

const HEAD: [&str; 10] = [
    "program",
    "run",
    "stop",
    "paths",
    "by resolution",
    "queries",
    "at back end",
    "segment B",
    "MiB",
    "CPU s",
];

fn models(common: &Common, what: &Relocatable) -> Result<Table, String> {
    let usual = ["forking", "segmented", "dynamic", "auto"].map(str::to_owned);
    let models = match common.models.is_empty() {
        true => &usual[..],
        false => &common.models,
    };
    let mut table = Table::new(
        &format!("Memory models by search, {} s for each run", what.time),
        &HEAD,
    );
    for name in chosen(what, &LOOKUPS) {
        for search in &what.search {
            let rows = models.iter().map(|model| {
                let mut row = Row::new(format!("{search}, {model}"), &["--memory-model", model]);
                if search != "default" {
                    row.options.extend(["--search".to_owned(), search.clone()]);
                }
                row
            });
            measure(
                common,
                what,
                name,
                &rows.collect::<Vec<_>>(),
                &mut table,
                &cells,
            )?;
        }
    }
    Ok(table)
}

fn contexts(common: &Common, what: &Relocatable) -> Result<Table, String> {
    let mut table = Table::new(
        &format!(
            "Queries for resolutions under dynamic, depth first, {} s for each run",
            what.time
        ),
        &[
            "program",
            "contexts",
            "stop",
            "paths",
            "resolutions",
            "queries for them",
            "segment B",
            "CPU s",
        ],
    );
    let depths = ["off", "0", "1", "2", "3", "4"];
    let rows = depths.map(|depth| {
        let options = ["--memory-model", "dynamic", "--search", "dfs"];
        Row::new(depth, &[&options[..], &["--context-depth", depth]].concat())
    });
    for name in chosen(what, &LOOKUPS) {
        measure(
            common,
            what,
            name,
            &rows,
            &mut table,
            &|program, row, runs| {
                vec![
                    program.to_owned(),
                    row.to_owned(),
                    runs[0].word("stop"),
                    count(&runs[0], "paths.completed"),
                    count(&runs[0], "resolution.symbolic"),
                    count(&runs[0], "resolution.queries"),
                    count(&runs[0], "memory.max_segment_bytes"),
                    cpu(runs),
                ]
            },
        )?;
    }
    Ok(table)
}

fn splitting(common: &Common, what: &Relocatable) -> Result<Table, String> {
    let mut table = Table::new(
        &format!(
            "Splitting objects of more than 300 bytes, forking, depth first, {} s for each run",
            what.time
        ),
        &HEAD,
    );
    let mut rows = vec![Row::new("whole", &["--memory-model", "forking"])];
    for size in ["512", "256", "128", "64", "32"] {
        rows.push(Row::new(
            format!("pieces of {size}"),
            &[
                "--memory-model",
                "forking",
                "--split-threshold",
                "300",
                "--partition-size",
                size,
            ],
        ));
    }
    for row in &mut rows {
        row.options
            .extend(["--search".to_owned(), "dfs".to_owned()]);
    }
    for name in chosen(what, &SPLIT) {
        measure(common, what, name, &rows, &mut table, &cells)?;
    }
    Ok(table)
}

fn chosen<'a>(what: &Relocatable, all: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    let only = what.only.clone();
    let asked = move |name: &&str| only.is_empty() || only.iter().any(|one| one == name);
    all.iter().copied().filter(asked)
}

/// Runs the rows of a program in turns and adds them to the table.
fn measure(
    common: &Common,
    what: &Relocatable,
    name: &str,
    rows: &[Row],
    table: &mut Table,
    cells: &Cells<'_>,
) -> Result<(), String> {
    let program = built(&what.place.build(), name)?;
    let case = paper_case(name)?;
    let mut runs: Vec<Vec<Run>> = rows.iter().map(|_| Vec::new()).collect();
    for _ in 0..common.runs {
        for (row, runs) in rows.iter().zip(&mut runs) {
            let mut options: Vec<String> = row.options.clone();
            options.push(format!("--max-time={}s", what.time));
            options.extend(input_options(name, &case));
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            let arguments: Vec<&str> = case.arguments.iter().map(String::as_str).collect();
            runs.push(explore(common, &options, &program.bitcode, &arguments)?);
        }
    }
    for (row, runs) in rows.iter().zip(&runs) {
        table.row(cells(name, &row.name, runs));
    }
    Ok(())
}

/// Where standard input comes from.
fn input_options(name: &str, case: &Case) -> Vec<String> {
    let mut options = Vec::new();
    if let Some(template) = &case.input {
        options.extend([
            "--stdin-template".to_owned(),
            template.display().to_string(),
        ]);
    }
    if name == "m4" {
        options.extend(["--template-range".to_owned(), "A..z".to_owned()]);
    }
    options
}

fn count(run: &Run, path: &str) -> String {
    format!("{:.0}", run.number(path))
}

fn cpu(runs: &[Run]) -> String {
    format!("{:.2}", median(runs.iter().map(|run| run.cpu).collect()))
}

/// The cells of a row. Counts are those of the first run.
fn cells(program: &str, row: &str, runs: &[Run]) -> Vec<String> {
    let first = &runs[0];
    vec![
        program.to_owned(),
        row.to_owned(),
        first.word("stop"),
        count(first, "paths.completed"),
        count(first, "forks.resolution"),
        count(first, "solver.queries"),
        count(first, "solver.backend_queries"),
        count(first, "memory.max_segment_bytes"),
        format!("{:.0}", median(runs.iter().map(Run::mebibytes).collect())),
        cpu(runs),
    ]
}
