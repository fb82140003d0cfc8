//! What a suite came to: a figure of each row and column, the paper's number beside it, and numbers over
//! all rows.

use super::file::{Aggregate, Column, Published, Suite, Take, Unit};
use super::machine::Machine;
use super::results::{self, Figure, Line, metric};
use super::rows::{Row, rows};
use super::{file, run};
use crate::table::median;
use plat_report::look::numbers;
use std::path::Path;

/// A suite with its results.
pub struct Outcome {
    pub suite: Suite,
    pub rows: Vec<Done>,
    /// The machines that the lines were made on.
    pub machines: Vec<Machine>,
    /// Seconds that a run could take.
    pub limit: f64,
}

/// A row with its last results.
pub struct Done {
    pub row: Row,
    /// Its repetitions; empty if it was not run.
    pub lines: Vec<Line>,
    /// A figure for each column.
    pub figures: Vec<Option<Figure>>,
}

/// Reads the directory of a suite's results.
///
/// # Errors
/// When it is not one, or is damaged.
pub fn read(directory: &Path) -> Result<Outcome, String> {
    let copy = directory.join("suite.toml");
    let text = std::fs::read_to_string(&copy)
        .map_err(|_| format!("{} has no results of `plat-bench run`", directory.display()))?;
    let lines = results::read(directory)?;
    let name = lines.first().map_or("suite", |line| line.suite.as_str());
    let suite = file::parse(name, &text)?;
    Ok(Outcome::of(suite, lines))
}

impl Outcome {
    /// The last results of each row.
    pub fn of(suite: Suite, lines: Vec<Line>) -> Self {
        let done = |row: Row| {
            let of = lines.iter().filter(|line| line.row == row.id);
            let key = of.clone().next_back().map(|line| line.key.clone());
            let of = of.filter(|line| Some(&line.key) == key.as_ref());
            let mut last: Vec<Line> = Vec::new();
            for line in of {
                last.retain(|it| it.repetition != line.repetition);
                last.push(line.clone());
            }
            let figures = suite.columns.iter().map(|column| figure(column, &last));
            Done {
                figures: figures.collect(),
                lines: last,
                row,
            }
        };
        let rows: Vec<Done> = rows(&suite).into_iter().map(done).collect();
        let used = || rows.iter().flat_map(|row| &row.lines);
        let mut machines: Vec<Machine> = Vec::new();
        for line in used() {
            if !machines.contains(&line.machine) {
                machines.push(line.machine.clone());
            }
        }
        let limit = used().map(|line| line.limit).fold(0.0, f64::max);
        Self {
            limit,
            machines,
            rows,
            suite,
        }
    }

    /// How many rows have results.
    pub fn measured(&self) -> usize {
        self.rows
            .iter()
            .filter(|done| !done.lines.is_empty())
            .count()
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.suite
            .columns
            .iter()
            .position(|column| column.name == name)
    }

    /// The unit of the column of this name.
    pub fn unit(&self, name: &str) -> Unit {
        let column = self.column(name);
        column.map_or(Unit::Count, |at| self.suite.columns[at].unit)
    }

    /// The number of an aggregate, if any row has one.
    pub fn aggregate(&self, aggregate: &Aggregate) -> Option<f64> {
        let column = self.column(&aggregate.column)?;
        let rows = self.rows.iter().filter(|done| match &aggregate.only {
            Some(only) => done.row.is_named(only),
            None => true,
        });
        let published = &self.suite.columns[column].published;
        let of = |done: &Done| {
            let figure = done.figures[column]?;
            if !aggregate.against {
                return Some(figure);
            }
            let paper = published.get(&done.row.id)?;
            (figure.ended && !paper.at_least && figure.number > 0.0).then(|| Figure {
                number: paper.number / figure.number,
                ended: true,
            })
        };
        let figures: Vec<Figure> = rows.filter_map(of).collect();
        if figures.is_empty() {
            return None;
        }
        let unended = figures.iter().filter(|it| !it.ended).count() as f64;
        let numbers = || figures.iter().map(|it| it.number);
        Some(match aggregate.take {
            Take::Mean => numbers().sum::<f64>() / figures.len() as f64,
            Take::Median => median(numbers().collect()),
            Take::Least => numbers().fold(f64::INFINITY, f64::min),
            Take::Most => numbers().fold(f64::NEG_INFINITY, f64::max),
            Take::Sum => numbers().sum(),
            Take::Above(limit) => numbers().filter(|it| *it > limit).count() as f64,
            Take::Below(limit) => numbers().filter(|it| *it < limit).count() as f64,
            Take::Unended => unended,
        })
    }
}

impl Done {
    /// The commands that repeat it; none if it was not run.
    pub fn command(&self) -> Option<String> {
        self.lines.last().map(run::repeated)
    }

    /// What was wrong with it.
    pub fn error(&self) -> Option<&str> {
        self.lines.iter().find_map(|line| line.error.as_deref())
    }
}

/// The median of the repetitions of a column. It came to its end if all have.
fn figure(column: &Column, lines: &[Line]) -> Option<Figure> {
    let of = |line: &Line| {
        let mut figure = metric(&line.steps, &column.metric)?;
        if let Some(over) = &column.over {
            let over = metric(&line.steps, over)?;
            figure.number /= over.number;
            figure.ended &= over.ended;
        }
        figure.number.is_finite().then_some(figure)
    };
    let figures: Vec<Figure> = lines.iter().filter_map(of).collect();
    (!figures.is_empty()).then(|| Figure {
        number: median(figures.iter().map(|it| it.number).collect()),
        ended: figures.iter().all(|it| it.ended),
    })
}

/// A number in its unit.
pub fn written(unit: Unit, number: f64) -> String {
    match unit {
        Unit::Seconds => numbers::seconds(number),
        Unit::Bytes => numbers::bytes(number),
        Unit::Percent => format!("{:.1}\u{202f}%", 100.0 * number),
        Unit::Ratio if number >= 100.0 => format!("{number:.0}"),
        Unit::Ratio => format!("{number:.2}"),
        Unit::Count if number.fract() == 0.0 && number >= 0.0 => numbers::count(number as u64),
        Unit::Count => format!("{number:.2}"),
    }
}

/// Our figure. A time or a count of a run that came to its limit is at least that.
pub fn ours(column: &Column, figure: Figure) -> String {
    let bound = !figure.ended && grows(column.unit);
    format!(
        "{}{}",
        if bound { "> " } else { "" },
        written(column.unit, figure.number)
    )
}

/// Whether a longer run has more of it.
fn grows(unit: Unit) -> bool {
    matches!(unit, Unit::Seconds | Unit::Count)
}

/// The paper's number.
pub fn theirs(unit: Unit, published: Published) -> String {
    let bound = if published.at_least { "> " } else { "" };
    format!("{bound}{}", written(unit, published.number))
}

/// The paper's number divided by ours, with what it is a bound of: a run that came to its limit says nothing
/// where the paper's has too.
pub fn ratio(column: &Column, figure: Figure, published: Published) -> Option<(String, f64)> {
    let bound = match (published.at_least, grows(column.unit) && !figure.ended) {
        (false, false) => "",
        (true, false) => "> ",
        (false, true) => "< ",
        (true, true) => return None,
    };
    let ratio = published.number / figure.number;
    let text = match ratio {
        it if !it.is_finite() => return None,
        it if it >= 100.0 => numbers::count(it.round() as u64),
        it if it >= 10.0 => format!("{it:.1}"),
        it => format!("{it:.2}"),
    };
    Some((format!("{bound}{text}"), ratio))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::suites::results::tests::line;

    const SUITE: &str = r#"
title = "A title <b>"
item = "Figure 1"
paper = "A paper"
limit = 60
program = "p"
[[axis]]
name = "model"
values = ["one", "two", "three"]
[[axis]]
name = "size"
values = ["1", "2"]
[[column]]
name = "time"
metric = "cpu"
unit = "seconds"
published = { "one/1" = 10, "one/2" = ">20", "two/1" = 5 }
[[column]]
name = "memory"
metric = "memory"
unit = "bytes"
[[aggregate]]
name = "longest"
column = "time"
take = "most"
published = 10
unit = "seconds"
[[aggregate]]
name = "slow"
column = "time"
take = { above = 2.5 }
[[aggregate]]
name = "not ended"
column = "time"
take = "unended"
only = "two"
[[aggregate]]
name = "the paper / plat"
column = "time"
take = "median"
against = true
[[chart]]
title = "Bars"
kind = "bars"
x = "size"
y = "time"
by = "model"
log = true
[[chart]]
title = "Lines"
kind = "lines"
x = "size"
y = "time"
by = "model"
[[chart]]
title = "Against memory"
kind = "scatter"
x = "memory"
y = "time"
[[chart]]
title = "While it went on"
kind = "memory-over-time"
by = "model"
"#;

    /// A suite of which four of six rows were run, one of them three times.
    pub fn outcome() -> Outcome {
        let suite = file::parse("s", SUITE).unwrap();
        let mut lines = vec![
            line("one/1", 9.0, "finished"),
            line("one/2", 4.0, "finished"),
        ];
        lines[0].key = "older".into();
        for (repetition, cpu) in [2.0, 8.0, 3.0].into_iter().enumerate() {
            let mut line = line("one/1", cpu, "finished");
            line.repetition = repetition as u32;
            lines.push(line);
        }
        lines.push(line("two/1", 1.0, "time"));
        lines.push(line("two/2", 2.0, "finished"));
        Outcome::of(suite, lines)
    }

    #[test]
    fn a_row_has_the_median_of_its_last_repetitions() {
        let outcome = outcome();
        let figure = |row: usize| outcome.rows[row].figures[0];
        assert_eq!(
            figure(0),
            Some(Figure {
                number: 3.0,
                ended: true
            })
        );
        assert_eq!(
            figure(2),
            Some(Figure {
                number: 1.0,
                ended: false
            })
        );
        assert_eq!(figure(5), None);
        let numbers = outcome
            .suite
            .aggregates
            .iter()
            .map(|it| outcome.aggregate(it));
        assert_eq!(
            numbers.collect::<Vec<_>>(),
            [Some(4.0), Some(2.0), Some(1.0), Some(10.0 / 3.0)]
        );
    }

    #[test]
    fn ratios_say_what_they_bound() {
        let outcome = outcome();
        let column = &outcome.suite.columns[0];
        let ratio = |row: usize| {
            let done = &outcome.rows[row];
            ratio(
                column,
                done.figures[0]?,
                *column.published.get(&done.row.id)?,
            )
        };
        assert_eq!(ratio(0).unwrap().0, "3.33");
        assert_eq!(ratio(1).unwrap().0, "> 5.00");
        assert_eq!(ratio(2).unwrap().0, "< 5.00");
        assert_eq!(ratio(3), None);
        assert_eq!(
            theirs(Unit::Seconds, column.published["one/2"]),
            "> 20\u{202f}s"
        );
        assert_eq!(
            ours(column, outcome.rows[2].figures[0].unwrap()),
            "> 1\u{202f}s"
        );
    }
}
