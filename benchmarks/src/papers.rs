//! The figures of the papers: the matrix, the irrelevant allocation, the hash
//! table, GNU m4.

use std::path::{Path, PathBuf};

use crate::Common;
use crate::process::{Run, explore};
use crate::programs::{bitcode, folder};
use crate::table::{Table, median};

const ALL: [&str; 6] = ["forking", "merging", "flat", "segmented", "dynamic", "auto"];

/// A program under a memory model, with the runs made so far.
struct Case {
    name: String,
    model: String,
    program: PathBuf,
    runs: Vec<Run>,
}

impl Case {
    fn new(name: &str, model: &str, program: &Path) -> Self {
        Self {
            name: name.to_owned(),
            model: model.to_owned(),
            program: program.to_owned(),
            runs: vec![],
        }
    }

    fn cpu(&self) -> f64 {
        median(self.runs.iter().map(|run| run.cpu).collect())
    }

    /// The counts are the same in every run: those of the first.
    fn count(&self, path: &str) -> String {
        format!("{:.0}", self.runs[0].number(path))
    }

    fn cells(&self, baseline: f64) -> Vec<String> {
        let run = &self.runs[0];
        vec![
            self.name.clone(),
            self.model.clone(),
            run.word("stop"),
            self.count("paths.completed"),
            self.count("forks.resolution"),
            self.count("solver.queries"),
            self.count("instructions"),
            self.count("memory.max_segment_bytes"),
            format!(
                "{:.1}",
                median(self.runs.iter().map(Run::mebibytes).collect())
            ),
            format!("{:.3}", self.cpu()),
            format!("{:.2}", self.cpu() / baseline),
        ]
    }
}

const HEAD: [&str; 11] = [
    "program",
    "model",
    "stop",
    "paths",
    "by resolution",
    "queries",
    "instructions",
    "segment B",
    "MiB",
    "CPU s",
    "ratio",
];

/// How a group of cases is run.
struct Plan<'a> {
    runs: usize,
    options: &'a [&'a str],
    arguments: &'a [&'a str],
}

/// Runs the cases in turns and adds their rows; the ratio is to the first.
fn measure(
    common: &Common,
    plan: &Plan<'_>,
    mut cases: Vec<Case>,
    table: &mut Table,
) -> Result<(), String> {
    for _ in 0..plan.runs {
        for case in &mut cases {
            let mut options = vec!["--memory-model", &case.model];
            options.extend(plan.options);
            let run = explore(common, &options, &case.program, plan.arguments)?;
            case.runs.push(run);
        }
    }
    let baseline = cases[0].cpu();
    for case in &cases {
        table.row(case.cells(baseline));
    }
    Ok(())
}

/// A program under the models asked for, else the usual ones.
fn by_model(common: &Common, usual: &[&str], name: &str) -> Result<Vec<Case>, String> {
    let program = bitcode(name)?;
    let models = models(common, usual);
    Ok(models
        .iter()
        .map(|model| Case::new(name, model, &program))
        .collect())
}

fn models(common: &Common, usual: &[&str]) -> Vec<String> {
    if common.models.is_empty() {
        usual.iter().map(|&model| model.to_owned()).collect()
    } else {
        common.models.clone()
    }
}

fn plain(common: &Common) -> Plan<'static> {
    Plan {
        runs: common.runs,
        options: &[],
        arguments: &[],
    }
}

/// Figures 1 and 3a, 3b: paths and time by size, lookups and model. The ratio is
/// to the first model.
pub fn matrix(common: &Common, sizes: &[u32]) -> Result<(), String> {
    let mut table = Table::new(
        "A symbolic lookup in an N x N matrix of separate rows (ratio: to the first model)",
        &HEAD,
    );
    for lookups in [1, 2] {
        for size in sizes {
            let cases = by_model(common, &ALL, &format!("matrix-N{size}-LOOKUPS{lookups}"))?;
            measure(common, &plain(common), cases, &mut table)?;
        }
    }
    table.print();
    Ok(())
}

/// Figure 3c: an irrelevant allocation. The ratio is to the same model without it.
pub fn extra(common: &Common) -> Result<(), String> {
    let mut table = Table::new(
        "An irrelevant allocation of 30 KB (ratio: to the same model without it)",
        &HEAD,
    );
    for model in models(common, &ALL) {
        let mut cases = Vec::new();
        for name in ["matrix-N40", "matrix-N40-EXTRA"] {
            cases.push(Case::new(name, &model, &bitcode(name)?));
        }
        measure(common, &plain(common), cases, &mut table)?;
    }
    table.print();
    Ok(())
}

/// A lookup in a chained hash table, by model. The ratio is to the first model.
pub fn hashtable(common: &Common) -> Result<(), String> {
    let mut table = Table::new(
        "A lookup in a hash table (ratio: to the first model)",
        &HEAD,
    );
    let cases = by_model(common, &ALL, "hashtable")?;
    measure(common, &plain(common), cases, &mut table)?;
    table.print();
    Ok(())
}

/// Figure 4: GNU m4, depth first, one run a model within the limit. The ratio is
/// to the first model.
pub fn m4(common: &Common) -> Result<(), String> {
    let template = folder().join("m4.input");
    let template = template
        .to_str()
        .ok_or("the path of the template is not text")?;
    let options = [
        "--search",
        "dfs",
        "--stdin-template",
        template,
        "--template-range",
        "A..z",
    ];
    let plan = Plan {
        runs: 1,
        options: &options,
        arguments: &["-H37", "-G"],
    };
    let title = format!(
        "GNU m4 -H37 -G, letters symbolic, at most {} each (ratio: to the first model)",
        common.max_time
    );
    let mut table = Table::new(&title, &HEAD);
    let models = ["forking", "segmented", "dynamic", "auto"];
    let cases = by_model(common, &models, "m4")?;
    measure(common, &plan, cases, &mut table)?;
    table.print();
    Ok(())
}
