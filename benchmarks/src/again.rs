//! Runs executed again (MoKlee; the allocator paper, section 6.5): what a run of some seconds has ended is
//! walked again, depth first and by the default searcher, without pruning (all ended paths) and with it
//! (the run goes on). A divergence is a path that takes another way than it did: none may be.

use crate::Common;
use crate::process::{Run, explored, link_into, printed, scratch, tool};
use crate::programs::is_chosen;
use crate::programs::real::Where;
use crate::table::Table;
use clap::Args;
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Args)]
pub struct Again {
    /// Only this program (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Seconds of the first run, and of going on with it
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub time: u64,
    #[command(flatten)]
    place: Where,
}

const COREUTILS: &[&str] = &[
    "basename", "cat", "cksum", "comm", "cut", "dirname", "echo", "expand", "expr", "fold", "head",
    "join", "ln", "mkdir", "nl", "od", "paste", "rm", "sort", "tr", "uniq", "wc",
];

const INPUT: &[&str] = &[
    "--sym-args",
    "0",
    "1",
    "10",
    "--sym-args",
    "0",
    "2",
    "2",
    "--sym-files",
    "1",
    "8",
    "--sym-stdin",
    "8",
    "--sym-stdout",
];

/// The searchers of the first run and of those again.
const SEARCHERS: [&str; 2] = ["dfs", "random-path,nurs:covnew,random-path,fresh"];

/// Runs all programs.
///
/// # Errors
/// When a program is not there or cannot be run, or other paths end when they are executed again.
pub fn again(common: &Common, what: &Again) -> Result<(), String> {
    let head = [
        "program",
        "first by",
        "paths",
        "first s",
        "again dfs s",
        "again default s",
        "questions",
        "asked again",
        "gone on: led %",
        "divergences",
    ];
    let mut table = Table::new("Runs executed again (MoKlee)", &head);
    let mut places: Vec<String> = Vec::new();
    let programs = COREUTILS.iter().map(|name| format!("coreutils/{name}"));
    for program in programs.chain(["find".into()]) {
        if is_chosen(&program, &what.only) {
            let file = what.place.build().join(format!("{program}.bc"));
            for (searcher, name) in SEARCHERS.into_iter().zip(["dfs", "default"]) {
                table.row(row(common, what, &file, (searcher, name), &mut places)?);
            }
        }
    }
    table.print();
    places.sort();
    places.dedup();
    println!("\n{} places of divergences", places.len());
    for place in places {
        println!("  {place}");
    }
    what.place.write(&table.markdown())
}

fn row(
    common: &Common,
    what: &Again,
    file: &Path,
    (searcher, name): (&str, &str),
    places: &mut Vec<String>,
) -> Result<Vec<String>, String> {
    let room = scratch()?;
    let at = |name: &str| room.path().join(name);
    let linked = at("program.bc");
    link_into(common, file, &linked)?;
    let run = |options: &[&str]| {
        let mut command = tool(common, "run", 60 + 4 * what.time);
        command.args(["--json", "--quiet"]).args(options);
        command.arg(&linked).args(INPUT);
        explored(command)
    };
    let text = |path: PathBuf| path.to_string_lossy().into_owned();
    let (out, time) = (text(at("first")), format!("{}s", what.time));
    let options = ["--dump-states-on-halt=false", "--max-time", &time];
    let first = run(&[&options[..], &["--search", searcher, "--output-dir", &out]].concat())?;
    let mut later = Vec::new();
    if ended(&first).iter().sum::<f64>() > 0.0 {
        let mut divide = tool(common, "trie", 60);
        divide.args(["divide", "--again", "--pieces", "1", "-o"]);
        divide.arg(at("work")).arg(&out);
        printed(divide)?;
        let work = text(at("work").join("1.work"));
        for (order, number) in SEARCHERS.into_iter().zip(0..) {
            let results = text(at(&format!("again-{number}")));
            let again = run(&["--search", order, "--work", &work, "--results", &results])?;
            if ended(&again) != ended(&first) {
                let (new, old) = (ended(&again), ended(&first));
                return Err(format!("{}: {new:?} paths, not {old:?}", file.display()));
            }
            later.push(again);
        }
    }
    let mut on = tool(common, "resume", 60 + 4 * what.time);
    on.args([
        "--json",
        "--quiet",
        "--search",
        SEARCHERS[1],
        "--max-time",
        &time,
    ]);
    on.arg(&out);
    let gone_on = explored(on)?;
    let led = gone_on.number("led.instructions");
    let all = gone_on.number("instructions") - first.number("instructions");
    let runs = later.iter().chain([&gone_on]);
    let found: Vec<String> = runs.flat_map(|run| run.keys("led.divergences")).collect();
    let name_of = file.file_stem().unwrap_or_default().to_string_lossy();
    // Nothing is executed again where no path has ended.
    let figure = |at: usize, of: &dyn Fn(&Run) -> String| later.get(at).map_or("-".into(), of);
    let row = vec![
        name_of.into_owned(),
        name.to_owned(),
        format!("{:.0}", ended(&first).iter().sum::<f64>()),
        format!("{:.2}", first.cpu),
        figure(0, &|run| format!("{:.2}", run.cpu)),
        figure(1, &|run| format!("{:.2}", run.cpu)),
        format!("{:.0}", first.number("solver.queries")),
        figure(0, &|run| format!("{:.0}", run.number("solver.queries"))),
        format!("{:.1}", 100.0 * led / all.max(1.0)),
        found.len().to_string(),
    ];
    places.extend(found);
    Ok(row)
}

/// Paths that the program has ended, by how.
fn ended(run: &Run) -> [f64; 3] {
    let [completed, unsupported, silent] =
        ["completed", "unsupported", "silent"].map(|end| run.number(&format!("paths.{end}")));
    [completed + run.number("paths.faults"), unsupported, silent]
}
