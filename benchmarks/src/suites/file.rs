//! The form of a suite file: what is run, how it is measured, what the paper has published, and how both
//! are drawn. `benchmarks/suites/README.md` describes it for those who write one.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A table or a figure of a paper, as runs of plat.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The name of its file.
    #[serde(skip)]
    pub name: String,
    /// What is measured.
    pub title: String,
    #[serde(flatten)]
    pub repeats: Origin,
    /// What the rows are, and where they differ from the paper's.
    #[serde(default)]
    pub about: String,
    /// Seconds that a run may take, before `--scale`.
    pub limit: f64,
    /// Seconds that it has at the least, whatever the scale, so that rows come to their end that can.
    #[serde(default)]
    pub least: f64,
    #[serde(default = "once")]
    pub repetitions: u32,
    /// What all rows have.
    #[serde(flatten)]
    pub all: Part,
    #[serde(rename = "axis")]
    pub axes: Vec<Axis>,
    #[serde(rename = "column")]
    pub columns: Vec<Column>,
    #[serde(default, rename = "check")]
    pub checks: Vec<Check>,
    #[serde(default, rename = "aggregate")]
    pub aggregates: Vec<Aggregate>,
    #[serde(default)]
    pub best: Vec<Best>,
    #[serde(default, rename = "chart")]
    pub charts: Vec<Chart>,
}

/// What a suite repeats.
#[derive(Deserialize, Clone, Default, Debug)]
pub struct Origin {
    /// Which table or figure, of which paper.
    #[serde(default)]
    pub item: String,
    #[serde(default)]
    pub paper: String,
    /// The machine and the limits of the paper.
    #[serde(default)]
    pub machine: String,
}

/// What a suite, an axis or a value of an axis adds to a row.
#[derive(Deserialize, Clone, Default, Debug)]
pub struct Part {
    /// A program of `benchmarks/programs`.
    pub program: Option<String>,
    /// Options of plat.
    pub options: Option<Vec<String>>,
    /// Arguments of the program.
    pub arguments: Option<Vec<String>>,
    /// Commands of plat; one `explore` if nothing says otherwise.
    pub steps: Option<Vec<Step>>,
}

/// A command of plat.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What columns call it.
    pub name: String,
    /// Its words.
    pub run: String,
    /// It is left out unless this metric of an earlier step is more than 0.
    pub when: Option<String>,
    /// A file whose size behind the step is the metric `file`.
    pub file: Option<String>,
}

/// Rows are all combinations of the values of all axes.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    pub name: String,
    /// What each of its values adds that does not have its own.
    #[serde(flatten)]
    pub part: Part,
    pub values: Vec<Named>,
}

/// A value of an axis: a name, or a name with what it adds.
#[derive(Deserialize, Clone, Debug)]
#[serde(untagged)]
pub enum Named {
    Name(String),
    Full(Value),
}

/// A value of an axis with what it adds.
#[derive(Deserialize, Clone, Debug)]
pub struct Value {
    pub name: String,
    #[serde(flatten)]
    pub part: Part,
    /// Words that stand for others in the row: `{depth}`.
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

impl Named {
    /// The name, in rows and charts.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Full(value) => &value.name,
        }
    }
}

/// A figure of each row.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Column {
    pub name: String,
    /// `cpu`, or `step:cpu`; a key of summary.json, as `forks.resolution`.
    pub metric: String,
    /// What it is divided by.
    pub over: Option<String>,
    #[serde(default)]
    pub unit: Unit,
    /// What the paper has, by row.
    #[serde(default)]
    pub published: BTreeMap<String, Published>,
}

/// How a number is written.
#[derive(Deserialize, Clone, Copy, Default, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    Seconds,
    Bytes,
    #[default]
    Count,
    Percent,
    Ratio,
}

/// A number of a paper: `7200.0`, or `">7200"` where it has a bound only.
#[derive(Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(try_from = "Written")]
pub struct Published {
    pub number: f64,
    /// The paper's run came to its limit.
    pub at_least: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Whole(i64),
    Text(String),
}

impl TryFrom<Written> for Published {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let (number, at_least) = match written {
            Written::Number(number) => (number, false),
            Written::Whole(number) => (number as f64, false),
            Written::Text(text) => {
                let number = text.strip_prefix('>').and_then(|rest| rest.parse().ok());
                let number = number.ok_or(format!("what is `{text}`? A bound is \">7200\""))?;
                (number, true)
            }
        };
        Ok(Self { number, at_least })
    }
}

/// Metrics, or sums of some (`a + b`), that are the same in each row; a run that breaks it is an error.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub same: Vec<String>,
    /// Whether runs that came to their limit are held to it.
    #[serde(default)]
    pub limited: bool,
}

/// One number of all rows.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Aggregate {
    pub name: String,
    /// The column that it is made of.
    pub column: String,
    pub take: Take,
    /// Only rows with this value of an axis.
    pub only: Option<String>,
    /// Whether it is of the paper's numbers divided by ours, where both runs came to their end.
    #[serde(default)]
    pub against: bool,
    /// Whether `overview` has it although it is not held against the paper.
    #[serde(default)]
    pub overview: bool,
    #[serde(default)]
    pub unit: Unit,
    pub published: Option<Published>,
}

/// One value of an axis, or one column, that is to be near the best of the others in each row.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Best {
    pub name: String,
    /// The column that is compared.
    pub column: String,
    /// The axis whose other values are the rivals, and the value that is held against them.
    pub axis: Option<String>,
    pub value: Option<String>,
    /// Values that are no rivals.
    #[serde(default)]
    pub except: Vec<String>,
    /// Without an axis: the columns of the same row that are the rivals.
    #[serde(default)]
    pub columns: Vec<String>,
    /// How many times as much as the best it may be.
    pub within: f64,
    /// By how much more it must be to be more at all.
    #[serde(default)]
    pub noise: f64,
}

/// How many numbers become one.
#[derive(Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    Mean,
    Median,
    Least,
    Most,
    Sum,
    /// How many are more than this.
    Above(f64),
    /// How many are less than this.
    Below(f64),
    /// How many rows' runs came to their limit.
    Unended,
}

/// A figure, in a panel for each combination of the axes that it does not name.
#[derive(Deserialize, Clone, Debug)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    pub title: String,
    pub kind: Kind,
    /// The axis along which it goes: numbers for lines, groups for bars. A column for scatter.
    #[serde(default)]
    pub x: String,
    /// The column that is drawn.
    #[serde(default)]
    pub y: String,
    /// The axis whose values are lines, or bars of a group.
    #[serde(default)]
    pub by: String,
    /// Whether y (scatter: x too) is logarithmic.
    #[serde(default)]
    pub log: bool,
}

/// What a chart draws.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Lines,
    Bars,
    Scatter,
    /// Resident memory of each run while it went on.
    MemoryOverTime,
}

fn once() -> u32 {
    1
}

/// Where the suites that come with plat are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("suites")
}

/// The names of the suites that come with plat, sorted.
///
/// # Errors
/// When the folder cannot be read.
pub fn names() -> Result<Vec<String>, String> {
    let wrong = |why| format!("{}: {why}", folder().display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder()).map_err(wrong)? {
        let path = entry.map_err(wrong)?.path();
        if path.extension().is_some_and(|end| end == "toml") {
            names.extend(
                path.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
    }
    names.sort();
    Ok(names)
}

/// The text of a suite, by its name or its file, and its name.
///
/// # Errors
/// When there is none.
pub fn text(suite: &str) -> Result<(String, String), String> {
    let path = Path::new(suite);
    let path = match path.extension().is_some_and(|end| end == "toml") {
        true => path.to_owned(),
        false => folder().join(format!("{suite}.toml")),
    };
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok((name, text)),
        Err(_) if !suite.ends_with(".toml") => Err(format!(
            "there is no suite {suite}; `plat-bench suites` lists them"
        )),
        Err(why) => Err(format!("{}: {why}", path.display())),
    }
}

/// A suite of a text.
///
/// # Errors
/// When it is not in the form, or names what it does not have.
pub fn parse(name: &str, text: &str) -> Result<Suite, String> {
    let mut suite: Suite = toml::from_str(text).map_err(|why| format!("{name}: {why}"))?;
    suite.name = name.to_owned();
    suite.verified()
}

impl Suite {
    /// Whether charts and aggregates name axes and columns that there are, and published numbers rows.
    fn verified(self) -> Result<Self, String> {
        let name = self.name.clone();
        let axis = |of: &str| self.axes.iter().any(|axis| axis.name == of);
        let column = |of: &str| self.columns.iter().any(|column| column.name == of);
        let must = |holds: bool, what: String| match holds {
            true => Ok(()),
            false => Err(format!("{name}: {what}")),
        };
        for chart in &self.charts {
            let title = &chart.title;
            let is_scatter = chart.kind == Kind::Scatter;
            let along = match is_scatter {
                true => column(&chart.x),
                false => axis(&chart.x) || chart.kind == Kind::MemoryOverTime,
            };
            must(along, format!("`{title}` has no x `{}`", chart.x))?;
            let drawn = column(&chart.y) || chart.kind == Kind::MemoryOverTime;
            must(drawn, format!("`{title}` has no column `{}`", chart.y))?;
            let by = axis(&chart.by) || is_scatter && chart.by.is_empty();
            must(by, format!("`{title}` has no axis `{}`", chart.by))?;
        }
        for one in &self.aggregates {
            must(column(&one.column), format!("`{}` has no column", one.name))?;
        }
        for one in &self.best {
            let name = |what: &str| format!("`{}` has no {what}", one.name);
            must(column(&one.column), name("column"))?;
            let values: Vec<&str> = match &one.axis {
                Some(axis) => {
                    let axis = self.axes.iter().find(|it| it.name == *axis);
                    let axis = axis.ok_or_else(|| format!("{}: {}", self.name, name("axis")))?;
                    axis.values.iter().map(Named::name).collect()
                }
                None => vec![],
            };
            let mut named = one.value.iter().chain(&one.except);
            must(
                named.all(|it| values.contains(&it.as_str())),
                name("such value"),
            )?;
            must(one.columns.iter().all(|it| column(it)), name("rival"))?;
            let rivals = one.axis.is_some() == one.value.is_some()
                && one.axis.is_none() != one.columns.is_empty();
            must(rivals, name("rivals"))?;
        }
        let rows = super::rows::rows(&self);
        for column in &self.columns {
            for row in column.published.keys() {
                let known = rows.iter().any(|one| one.id == *row);
                must(
                    known,
                    format!("`{}` has a number of {row}, which is no row", column.name),
                )?;
            }
        }
        must(!rows.is_empty(), "it has no rows".to_owned())?;
        Ok(self)
    }
}
