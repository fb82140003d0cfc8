//! Table 1 of the segmented-memory paper: the largest segment as the analysis draws it and as it
//! could ideally be, for each program, with what forking and segments cost. The figures are those
//! of `plat compare`.

use std::path::Path;

use clap::Args;
use serde_json::Value;

use crate::Common;
use crate::process::{printed, tool};
use crate::programs::cases::{Case, built, read};
use crate::programs::folder;
use crate::programs::real::Where;
use crate::table::Table;

/// The programs of the table, in its order.
const PROGRAMS: [&str; 8] = [
    "m4",
    "make",
    "sqlite",
    "apr",
    "libxml2",
    "gas",
    "hashtable",
    "matrix",
];

const HEAD: [&str; 11] = [
    "program",
    "run",
    "total B",
    "largest segment B",
    "segments",
    "analysis s",
    "paths",
    "by resolution",
    "queries",
    "seconds",
    "stop",
];

/// Which programs, and where they are.
#[derive(Args)]
pub struct Table1 {
    /// Only these programs (repeatable)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Seconds of each run: each program has one to find the ideal segments, and one for each line
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time: u64,
    /// A further option for plat compare, such as --unify=all (repeatable)
    #[arg(long = "with", value_name = "OPTION", allow_hyphen_values = true)]
    with: Vec<String>,
    #[command(flatten)]
    place: Where,
}

/// Prints the table.
///
/// # Errors
/// When a program is not there or plat cannot compare.
pub fn table1(common: &Common, what: &Table1) -> Result<(), String> {
    let title = format!(
        "Segments as drawn and ideal, forking beside both; {} s for each run",
        what.time
    );
    let mut table = Table::new(&title, &HEAD);
    let asked = |name: &&&str| what.only.is_empty() || what.only.iter().any(|only| only == **name);
    for name in PROGRAMS.iter().filter(asked) {
        let program = built(&what.place.build(), name)?;
        let comparison = compare(common, what, name, &program.bitcode)?;
        for run in comparison["runs"].as_array().into_iter().flatten() {
            table.row(row(name, &comparison, run));
        }
        what.place.write(&table.markdown())?;
    }
    table.print();
    Ok(())
}

/// What `plat compare` says of a program.
fn compare(common: &Common, what: &Table1, name: &str, bitcode: &Path) -> Result<Value, String> {
    // One run finds the ideal, six are compared; the analysis has its own time.
    let mut command = tool(common, "compare", 8 * what.time + 600);
    command.arg("--json").arg("--quiet");
    command.arg(format!("--max-time={}s", what.time));
    command.args(["--search=dfs", "--max-iterations=1"]);
    command.args(&what.with);
    let case = paper_case(name)?;
    if let Some(template) = &case.input {
        command.arg("--stdin-template").arg(template);
    }
    if name == "m4" {
        command.args(["--template-range", "A..z"]);
    }
    command.arg(bitcode).args(&case.arguments);
    let shown = format!("{command:?}");
    let text = printed(command)?;
    serde_json::from_str(&text).map_err(|_| format!("no comparison from: {shown}"))
}

/// The input of a program: m4 has the paper's, the two small programs make their own, the others have
/// that of their symbolic case.
///
/// # Errors
/// When it has none.
pub fn paper_case(name: &str) -> Result<Case, String> {
    Ok(match name {
        "m4" => paper_m4(),
        "hashtable" | "matrix" => Case {
            program: name.to_owned(),
            input: None,
            arguments: vec![],
        },
        _ => read("symbolic.cases", &[name.to_owned()])?.remove(0),
    })
}

fn paper_m4() -> Case {
    Case {
        program: "m4".into(),
        input: Some(folder().join("m4.input")),
        arguments: vec!["-H37".into(), "-G".into()],
    }
}

fn row(name: &str, comparison: &Value, run: &Value) -> Vec<String> {
    let summary = &run["summary"];
    let count = |value: &Value| value.as_u64().map_or("?".into(), |count| count.to_string());
    let seconds = |value: &Value| value.as_f64().map_or("?".into(), |s| format!("{s:.1}"));
    let joining = ["dynamic", "auto"].map(Value::from).contains(&run["name"]);
    let segmented = |value: &Value| match run["segments"].is_null() && !joining {
        true => "-".to_owned(),
        false => count(value),
    };
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    vec![
        name.to_owned(),
        word(&run["name"]),
        count(&comparison["total_bytes"]),
        segmented(&summary["memory"]["max_segment_bytes"]),
        segmented(&summary["memory"]["segments"]),
        seconds(&comparison["analysis_wall_s"]),
        count(&summary["paths"]["completed"]),
        count(&summary["forks"]["resolution"]),
        count(&summary["solver"]["queries"]),
        seconds(&summary["wall_s"]),
        word(&summary["stop"]),
    ]
}
