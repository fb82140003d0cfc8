//! One value of an axis, or one column, beside the best of the others: is a model that chooses by itself never much worse
//! than the best model of each row?
//!
//! The best is the least of those that came to their end. Where none has there is nothing to hold it against, and a run
//! that came to its limit where another one has ended has lost.

use super::file::{Best, Unit};
use super::outcome::{Done, Outcome, written};
use super::results::Figure;

/// A row that has lost.
#[derive(PartialEq, Debug)]
pub struct Loss {
    /// The row of the value.
    pub row: String,
    pub own: Figure,
    /// Who is best there.
    pub rival: String,
    pub best: f64,
}

/// How the rows have come out.
#[derive(PartialEq, Debug, Default)]
pub struct Standing {
    /// How many could be held against another one.
    pub judged: usize,
    pub lost: Vec<Loss>,
}

impl Standing {
    /// For one cell: `3 of 24`.
    pub fn shown(&self) -> String {
        format!("{} of {}", self.lost.len(), self.judged)
    }
}

impl Loss {
    /// In one line.
    pub fn shown(&self, unit: Unit) -> String {
        let own = written(unit, self.own.number);
        let best = written(unit, self.best);
        let times = match self.own.ended {
            true => format!("{:.2} times as much", self.own.number / self.best),
            false => "it came to its limit".to_owned(),
        };
        format!("{}: {own}, {} {best} ({times})", self.row, self.rival)
    }
}

/// Holds each row against the best of its rivals.
pub fn standing(outcome: &Outcome, of: &Best) -> Standing {
    let mut standing = Standing::default();
    let Some(column) = outcome.column(&of.column) else {
        return standing;
    };
    for done in &outcome.rows {
        let Some(own) = done.figures[column] else {
            continue;
        };
        let rivals = match &of.axis {
            Some(axis) => match rows(outcome, of, axis, done) {
                Some(rivals) => rivals
                    .into_iter()
                    .filter_map(|(name, done)| Some((name, done.figures[column]?)))
                    .collect(),
                None => continue,
            },
            None => columns(outcome, of, done),
        };
        let ended = rivals.into_iter().filter(|(_, figure)| figure.ended);
        let Some((rival, best)) = ended.min_by(|a, b| a.1.number.total_cmp(&b.1.number)) else {
            continue;
        };
        // What a run held when it was stopped is no more than what it needs.
        if !own.ended && outcome.suite.columns[column].unit == Unit::Bytes {
            continue;
        }
        standing.judged += 1;
        if !own.ended || own.number > best.number * of.within && own.number > best.number + of.noise
        {
            standing.lost.push(Loss {
                row: done.row.id.clone(),
                own,
                rival,
                best: best.number,
            });
        }
    }
    standing
}

/// The rows that differ from this one in the axis only, by their value there; none if this row is not of the value.
fn rows<'a>(
    outcome: &'a Outcome,
    of: &Best,
    axis: &str,
    done: &Done,
) -> Option<Vec<(String, &'a Done)>> {
    let axes = &outcome.suite.axes;
    let at = axes.iter().position(|one| one.name == axis)?;
    if Some(&done.row.values[at]) != of.value.as_ref() {
        return None;
    }
    let same = |other: &Done| {
        let pairs = other.row.values.iter().zip(&done.row.values).enumerate();
        let mut apart = pairs.filter(|(_, (one, other))| one != other);
        apart.next().is_some_and(|(which, _)| which == at) && apart.next().is_none()
    };
    let rivals = outcome.rows.iter().filter(|other| same(other));
    let named = rivals.map(|other| (other.row.values[at].clone(), other));
    Some(
        named
            .filter(|(name, _)| !of.except.contains(name))
            .collect(),
    )
}

/// The columns that are rivals.
fn columns(outcome: &Outcome, of: &Best, done: &Done) -> Vec<(String, Figure)> {
    let named = of.columns.iter().filter_map(|name| {
        let column = outcome.column(name)?;
        Some((name.clone(), done.figures[column]?))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::results::tests::line;
    use super::*;

    const SUITE: &str = r#"
title = "t"
limit = 60
program = "p"
[[axis]]
name = "model"
values = ["one", "two", "three", "auto"]
[[axis]]
name = "size"
values = ["1", "2", "3", "4"]
[[column]]
name = "time"
metric = "cpu"
unit = "seconds"
[[column]]
name = "memory"
metric = "memory"
unit = "bytes"
[[best]]
name = "auto"
column = "time"
axis = "model"
value = "auto"
except = ["three"]
within = 1.1
noise = 0.05
[[best]]
name = "memory"
column = "memory"
axis = "model"
value = "auto"
within = 1.2
[[best]]
name = "columns"
column = "time"
columns = ["memory"]
within = 1.1
"#;

    fn outcome() -> Outcome {
        let runs = [
            ("one/1", 2.0, "finished"),
            ("two/1", 1.0, "time"),
            ("three/1", 0.5, "finished"),
            ("auto/1", 2.1, "finished"),
            ("one/2", 2.0, "finished"),
            ("two/2", 1.0, "finished"),
            ("auto/2", 1.2, "finished"),
            ("one/3", 2.0, "finished"),
            ("auto/3", 60.0, "time"),
            ("one/4", 60.0, "time"),
            ("auto/4", 60.0, "time"),
        ];
        let lines = runs.map(|(row, cpu, stop)| line(row, cpu, stop));
        Outcome::of(parse("s", SUITE).unwrap(), lines.into())
    }

    #[test]
    fn a_row_is_held_against_the_best_that_ended() {
        let outcome = outcome();
        let of = |at: usize| standing(&outcome, &outcome.suite.best[at]);
        let time = of(0);
        assert_eq!(time.shown(), "2 of 3");
        let lines: Vec<String> = time.lost.iter().map(|it| it.shown(Unit::Seconds)).collect();
        assert!(lines[0].starts_with("auto/2: 1.2") && lines[0].ends_with("(1.20 times as much)"));
        assert!(lines[1].starts_with("auto/3: 60") && lines[1].contains("its limit"));
        // The least memory is that of all; of a run that was stopped nothing is known.
        assert_eq!(of(1).shown(), "0 of 2");
    }

    #[test]
    fn little_may_be_noise() {
        let mut outcome = outcome();
        outcome.suite.best[0].noise = 0.3;
        assert_eq!(standing(&outcome, &outcome.suite.best[0]).shown(), "1 of 3");
    }

    #[test]
    fn columns_of_a_row_can_be_rivals() {
        let outcome = outcome();
        // All runs that ended have taken fewer seconds than bytes.
        let columns = standing(&outcome, &outcome.suite.best[2]);
        assert_eq!(columns.judged, 7);
        assert!(columns.lost.is_empty());
    }

    #[test]
    fn what_it_names_is_there() {
        for (from, to) in [
            ("axis = \"model\"", "axis = \"none\""),
            ("value = \"auto\"", "value = \"none\""),
            ("columns = [\"memory\"]", "columns = [\"none\"]"),
            ("except = [\"three\"]", "except = [\"none\"]"),
            ("columns = [\"memory\"]\n", ""),
        ] {
            assert!(SUITE.contains(from));
            let why = parse("s", &SUITE.replacen(from, to, 1)).unwrap_err();
            assert!(why.contains("`auto`") || why.contains("`columns`"), "{why}");
        }
    }
}
