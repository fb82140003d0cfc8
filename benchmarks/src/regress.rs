//! Regression: real pairs of versions, one patch of the distribution between them. A run of the new version
//! from scratch, and `plat regress` on a run of the old one.
//!
//! That both come to the same tests, with the same behaviours, is checked. Times are of processors, all
//! stages included; the run of the old version is not.

use crate::Common;
use crate::process::{Cost, printed_at_cost, scratch, tool};
use crate::programs::is_chosen;
use crate::programs::real::Where;
use crate::table::Table;
use clap::Args;
use plat::suite::Container;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What to run.
#[derive(Args)]
pub struct Regress {
    /// Only this program (repeatable)
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// End the exploration of a version after so many instructions, so that it has open paths
    #[arg(long, value_name = "N")]
    pub instructions: Option<u64>,
    #[command(flatten)]
    place: Where,
}

/// Versions that follow one another, as `make versions` builds them.
struct Case {
    /// The file is versions/PROGRAM-N.bc.
    program: &'static str,
    /// What it explores: a template of standard input, or nothing,
    template: &'static str,
    /// and arguments.
    arguments: &'static [&'static str],
    /// The new versions of pairs, with what is between them and the one before.
    steps: &'static [(u32, &'static str)],
}

const HTML: &[(u32, &str)] = &[
    (1, "CVE-2022-40303 (lengths)"),
    (3, "CVE-2023-29469 (hash of empty names)"),
    (4, "nsNr in htmlCtxtReset"),
    (5, "CVE-2025-24928 (names of elements)"),
    (7, "CVE-2023-39615 (SAX1)"),
    (9, "CVE-2025-6021 (xmlBuildQName)"),
    (10, "CVE-2025-7425 (types of attributes)"),
];

const XML: &[(u32, &str)] = &[
    (1, "CVE-2022-40303 (lengths)"),
    (2, "CVE-2022-40304 (names of entities)"),
    (3, "CVE-2023-29469 (hash of empty names)"),
    (7, "CVE-2023-39615 (SAX1)"),
    (10, "CVE-2025-7425 (types of attributes)"),
];

const CASES: &[Case] = &[
    Case {
        program: "libxml2",
        template: "",
        arguments: &["--sym-stdin", "3"],
        steps: HTML,
    },
    Case {
        program: "libxml2-xml",
        template: "<a ?='&?'>",
        arguments: &[],
        steps: XML,
    },
    Case {
        program: "make",
        template: "",
        arguments: &["-n", "-r", "-R", "-f", "-", "--sym-stdin", "2"],
        steps: &[
            (1, "read.c (include directories, -e)"),
            (2, "posixos.c (pipes of jobs)"),
            (3, "remake.c (archives)"),
            (4, "output.c (umask)"),
        ],
    },
    Case {
        program: "dd",
        template: "",
        arguments: &["--sym-arg", "3"],
        steps: &[(2, "append without notrunc")],
    },
    Case {
        program: "id",
        template: "",
        arguments: &["--sym-args", "0", "1", "3"],
        steps: &[(3, "number of groups")],
    },
    Case {
        program: "who",
        template: "",
        arguments: &["--sym-args", "0", "1", "4"],
        steps: &[(1, "--ips")],
    },
    Case {
        program: "sqlite",
        template: "select ?? is null",
        arguments: &["-"],
        steps: &[
            (1, "largest page size"),
            (2, "IS NULL of columns"),
            (3, "CVE-2025-6965 (terms of aggregates)"),
            (4, "recursion of windows"),
        ],
    },
];

/// Each run may take this long.
const SECONDS: u64 = 600;

/// Runs all cases.
///
/// # Errors
/// When a program is not there or cannot be run, or what the two runs come to differs.
pub fn regress(common: &Common, what: &Regress) -> Result<(), String> {
    let head = [
        "program",
        "change",
        "paths",
        "taken over",
        "explored",
        "share %",
        "another way",
        "scratch s",
        "regress s",
        "tests compared",
        "different",
        "as from scratch",
    ];
    let mut table = Table::new(
        "Pairs of versions: plat regress and a run from scratch",
        &head,
    );
    for case in CASES {
        if is_chosen(case.program, &what.only) {
            for &step in case.steps {
                table.row(Measured::of(common, what, case, step)?.cells(case.program, step.1));
            }
        }
    }
    table.print();
    what.place.write(&table.markdown())
}

/// The runs of one pair.
struct Measured {
    scratch: Cost,
    regress: Cost,
    report: Value,
}

impl Measured {
    fn of(
        common: &Common,
        what: &Regress,
        case: &Case,
        (step, change): (u32, &str),
    ) -> Result<Self, String> {
        let room = scratch()?;
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("template"), case.template).map_err(|why| why.to_string())?;
        std::fs::create_dir(at("empty")).map_err(|why| why.to_string())?;
        let versions = what.place.build().join("versions");
        let version = |step: u32| {
            let path = versions.join(format!("{}-{step}.bc", case.program));
            std::path::absolute(&path).map_err(|why| why.to_string())
        };
        let explore = |program: PathBuf, out: &str| {
            let mut command = tool(common, "explore", SECONDS);
            command.args(["--quiet", "--output-module", "--program-name", case.program]);
            command.current_dir(room.path()).args(["--output-dir", out]);
            // Some programs look at the files there.
            command.arg("--run-in-dir").arg(at("empty"));
            if !case.template.is_empty() {
                command.arg("--stdin-template").arg(at("template"));
            }
            if let Some(instructions) = what.instructions {
                command.arg(format!("--max-instructions={instructions}"));
            }
            command.arg(program).args(case.arguments);
            printed_at_cost(command).map(|(_, cost)| cost)
        };
        explore(version(step - 1)?, "old")?;
        let scratch = explore(version(step)?, "scratch")?;
        let mut command = tool(common, "regress", SECONDS);
        command.args(["--quiet", "--json"]).current_dir(room.path());
        command.arg("old").arg(version(step)?).args(["-o", "new"]);
        let (report, regress) = printed_at_cost(command)?;
        let report: Value = serde_json::from_str(&report)
            .map_err(|why| format!("{} {change}: no report: {why}", case.program))?;
        let finished = report["finished"] == true;
        if finished && behaviours(&at("new"))? != behaviours(&at("scratch"))? {
            return Err(format!("{} {change}: not as from scratch", case.program));
        }
        Ok(Measured {
            scratch,
            regress,
            report,
        })
    }

    fn cells(&self, program: &str, change: &str) -> Vec<String> {
        let number = |key: &str| self.report["paths"][key].as_u64().unwrap_or(0);
        let (taken, explored) = (number("taken_over"), number("explored"));
        let all = taken + explored;
        let share = 100.0 * explored as f64 / all.max(1) as f64;
        let tests = &self.report["tests"];
        let different = tests["differences"].as_array().map_or(0, Vec::len);
        let same = match self.report["finished"] == true {
            true => "yes",
            false => "not finished",
        };
        vec![
            program.to_owned(),
            change.to_owned(),
            all.to_string(),
            taken.to_string(),
            explored.to_string(),
            format!("{share:.1}"),
            number("divergences").to_string(),
            format!("{:.1}", self.scratch.cpu),
            format!("{:.1}", self.regress.cpu),
            tests["compared"].to_string(),
            different.to_string(),
            same.to_owned(),
        ]
    }
}

/// All tests of a run: their inputs, and what the program does with them.
fn behaviours(directory: &Path) -> Result<BTreeSet<String>, String> {
    if !Container::is_in(directory) {
        return Ok(BTreeSet::new());
    }
    let container = Container::open(directory).map_err(|why| why.to_string())?;
    let tests = container.tests().map(|test| {
        let test = test.map_err(|why| why.to_string())?;
        let input = test.inputs.iter().map(|one| (&one.name, &one.bytes));
        let input: Vec<_> = input.collect();
        let fault = test
            .fault
            .as_ref()
            .map(|fault| (&fault.kind, &fault.message, fault.line));
        let does = (test.end, test.exit_code, fault, &test.stdout, &test.stderr);
        Ok(format!("{input:?} {does:?}"))
    });
    tests.collect()
}
