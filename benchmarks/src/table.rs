//! A table of figures: words to the left, numbers to the right.

use crate::say::sayln;

/// Rows under a head; every row has as many cells as the head.
pub struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a title line and column names.
    pub fn new(title: &str, head: &[&str]) -> Self {
        sayln!("\n{title}\n");
        Self {
            title: title.to_owned(),
            rows: vec![head.iter().map(|&name| name.to_owned()).collect()],
        }
    }

    /// Adds a row. Measuring takes long, so it is also shown at once, on standard error.
    pub fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.rows[0].len(), "a cell for every column");
        eprintln!("{}", cells.join("  "));
        self.rows.push(cells);
    }

    /// The table in Markdown, under its title.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| {
            let cells = cells.iter().map(|cell| cell.replace('|', "\\|"));
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        let columns = self.rows[0].len();
        let mut text = format!("{}\n\n{}", self.title, line(&self.rows[0]));
        text.push_str(&format!("|---|{}\n", "---:|".repeat(columns - 1)));
        self.rows[1..]
            .iter()
            .for_each(|row| text.push_str(&line(row)));
        text
    }

    /// Prints the table to standard output.
    pub fn print(&self) {
        let widths: Vec<usize> = (0..self.rows[0].len())
            .map(|column| {
                self.rows
                    .iter()
                    .map(|row| row[column].len())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for row in &self.rows {
            let line: Vec<String> = (row.iter().zip(&widths).enumerate())
                .map(|(column, (cell, &width))| match column {
                    0 => format!("{cell:width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            sayln!("{}", line.join("  ").trim_end());
        }
    }
}

/// The middle of some measurements.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => f64::midpoint(values[n / 2 - 1], values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use super::{Table, median};

    #[test]
    fn a_table_in_markdown() {
        let mut table = Table::new("Names", &["name", "count"]);
        table.row(vec!["a|b".into(), "1".into()]);
        let expected = "Names\n\n| name | count |\n|---|---:|\n| a\\|b | 1 |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn a_median_is_the_middle() {
        assert!((median(vec![3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
        assert!((median(vec![4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < 1e-9);
        assert!(median(vec![]).is_nan());
    }
}
