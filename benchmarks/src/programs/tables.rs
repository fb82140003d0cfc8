//! `plat-bench tables`: interpreters that intern and hash what they read, the lines of
//! `tables.cases`, under several memory models; every test is replayed natively.

use clap::Args;

use super::cases::{built, read};
use super::real::{Programs, Where};
use super::replays::{Place, Tests, replay};
use super::symbolic::{ROOM, explore};
use crate::Common;
use crate::process::scratch;
use crate::table::Table;

const HEAD: [&str; 12] = [
    "program",
    "arguments",
    "model",
    "stop",
    "paths",
    "cut off",
    "queries",
    "at the back end",
    "resolution s",
    "cpu s",
    "replayed",
    "different",
];

/// The models that are compared, if none are named.
const MODELS: [&str; 2] = ["segmented", "forking"];

/// Which programs, and how long.
#[derive(Args)]
pub struct Tables {
    /// Only these programs (repeatable)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Seconds of each exploration
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time: u64,
    #[command(flatten)]
    place: Where,
}

/// Prints the table.
///
/// # Errors
/// When a program is not there or cannot be run, or a test does natively something else than its
/// path.
pub fn tables(common: &Common, what: &Tables) -> Result<(), String> {
    let title = format!(
        "Interpreters that intern what they read; {} s for each run",
        what.time
    );
    let mut table = Table::new(&title, &HEAD);
    let mut models = common.models.clone();
    if models.is_empty() {
        models = MODELS.map(str::to_owned).to_vec();
    }
    let mut wrong = Vec::new();
    for case in read("tables.cases", &what.only)? {
        let program = built(&what.place.build(), &case.program)?;
        for model in &models {
            let mut run = Programs::explored(what.time, &what.place);
            run.with = vec![format!("--memory-model={model}")];
            let common = Common {
                models: Vec::new(),
                libc: common.libc.clone(),
                plat: common.plat.clone(),
                max_time: common.max_time.clone(),
                ..*common
            };
            let scratch = scratch()?;
            let run = explore(&common, &run, &scratch, &case, &program.bitcode)?;
            let tests = Tests::read(&scratch.path().join("out"))?;
            let place = Place {
                native: &program.native,
                explored_in: &scratch.path().join(ROOM),
            };
            let replays = replay(&common, usize::MAX, &tests, &place)?;
            let count = |path: &str| format!("{:.0}", run.number(path));
            table.row(vec![
                case.program.clone(),
                case.shown(),
                model.clone(),
                run.word("stop"),
                count("paths.completed"),
                count("paths.limits"),
                count("solver.queries"),
                count("solver.backend_queries"),
                format!("{:.2}", run.number("resolution.wall_s")),
                format!("{:.2}", run.cpu),
                replays.replayed().to_string(),
                replays.different.len().to_string(),
            ]);
            let lines = replays.different.iter();
            wrong.extend(lines.map(|line| format!("{} under {model}: {line}", case.program)));
        }
        what.place.write(&table.markdown())?;
    }
    table.print();
    match wrong.len() {
        0 => Ok(()),
        count => Err(format!("{count} wrong:\n{}", wrong.join("\n"))),
    }
}
