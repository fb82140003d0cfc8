//! The numbers of a suite: a table in which one can sort and look for rows, and the same as CSV.

use super::super::file::Column;
use super::super::outcome::{Done, Outcome, ours, ratio, theirs};
use super::super::results::Figure;
use maud::{Markup, html};

/// The table: a row's figures, the paper's behind those that it has, and the paper's divided by ours.
pub fn table(outcome: &Outcome) -> Markup {
    let columns = &outcome.suite.columns;
    html! {
        h2 { "Numbers" }
        input.filter type="search" placeholder="Filter rows" aria-label="Filter rows" data-filter;
        div.scroll { table.sortable {
            thead { tr {
                @for axis in &outcome.suite.axes { (head(&axis.name, false)) }
                @for column in columns {
                    (head(&column.name, true))
                    @if !column.published.is_empty() { (head("paper", true)) (head("\u{d7}", true)) }
                }
            } }
            tbody { @for done in &outcome.rows { tr {
                @for value in &done.row.values { td { (value) } }
                @for (column, figure) in columns.iter().zip(&done.figures) { (cells(column, *figure, done)) }
            } } }
        } }
        p.hint { "\u{d7}: the paper's number divided by ours, so that more is better for times and sizes. A run that came to its limit is marked >." }
    }
}

fn head(name: &str, number: bool) -> Markup {
    html! { th scope="col" class=[number.then_some("number")] { button type="button" data-sort { (name) } } }
}

fn cells(column: &Column, figure: Option<Figure>, done: &Done) -> Markup {
    let published = column.published.get(&done.row.id);
    let ratio = figure
        .zip(published)
        .and_then(|(figure, published)| ratio(column, figure, *published));
    let cell = |number: Option<f64>, text: String| {
        let order = number.unwrap_or(-1.0).to_string();
        html! { td.number data-order=(order) { (text) } }
    };
    let none = || "\u{2013}".to_owned();
    html! {
        (cell(figure.map(|it| it.number), figure.map_or_else(none, |it| ours(column, it))))
        @if !column.published.is_empty() {
            (cell(published.map(|it| it.number), published.map_or_else(none, |it| theirs(column.unit, *it))))
            (cell(ratio.as_ref().map(|it| it.1), ratio.map_or_else(none, |it| it.0)))
        }
    }
}

/// All figures, one line for each row.
///
/// # Errors
/// When they cannot be written.
pub fn csv(outcome: &Outcome) -> Result<String, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("CSV: {why}");
    let mut writer = csv::Writer::from_writer(vec![]);
    let mut names: Vec<String> = outcome
        .suite
        .axes
        .iter()
        .map(|axis| axis.name.clone())
        .collect();
    for column in &outcome.suite.columns {
        names.push(column.name.clone());
        names.push(format!("{} ended", column.name));
        if !column.published.is_empty() {
            names.push(format!("{} paper", column.name));
            names.push(format!("{} paper is a bound", column.name));
        }
    }
    writer.write_record(&names).map_err(|why| wrong(&why))?;
    for done in &outcome.rows {
        let mut record = done.row.values.clone();
        for (column, figure) in outcome.suite.columns.iter().zip(&done.figures) {
            record.push(figure.map_or(String::new(), |it| it.number.to_string()));
            record.push(figure.map_or(String::new(), |it| it.ended.to_string()));
            if !column.published.is_empty() {
                let published = column.published.get(&done.row.id);
                record.push(published.map_or(String::new(), |it| it.number.to_string()));
                record.push(published.map_or(String::new(), |it| it.at_least.to_string()));
            }
        }
        writer.write_record(&record).map_err(|why| wrong(&why))?;
    }
    let bytes = writer.into_inner().map_err(|why| wrong(&why))?;
    String::from_utf8(bytes).map_err(|why| wrong(&why))
}

#[cfg(test)]
mod tests {
    use crate::suites::outcome::tests::outcome;

    #[test]
    fn csv_has_a_line_for_each_row() {
        let text = super::csv(&outcome()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 7);
        assert_eq!(
            lines[0],
            "model,size,time,time ended,time paper,time paper is a bound,memory,memory ended"
        );
        assert_eq!(lines[2], "one,2,4,true,20,true,1048576,true");
        assert_eq!(lines[6], "three,2,,,,,,");
    }
}
