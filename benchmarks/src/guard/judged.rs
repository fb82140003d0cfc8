//! Counts beside those that are kept: which rows have more instructions than they may, and what is said of it.

use super::percent;

/// A row with its count, and the one that is kept.
pub struct Judged {
    pub row: String,
    pub kept: Option<u64>,
    pub now: u64,
}

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing is kept for it.
    New,
    Same,
    /// Fewer by more than the threshold: worth keeping, or the gain can be lost again unseen.
    Fewer,
    TooMany,
}

impl Judged {
    /// The count as a part of the one that is kept.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.now as f64 / self.kept? as f64)
    }

    /// `threshold` is in percent.
    pub fn verdict(&self, threshold: f64) -> Verdict {
        match self.ratio() {
            None => Verdict::New,
            Some(ratio) if ratio > 1.0 + threshold / 100.0 => Verdict::TooMany,
            Some(ratio) if ratio < 1.0 - threshold / 100.0 => Verdict::Fewer,
            Some(_) => Verdict::Same,
        }
    }

    /// Whether it has more than it may.
    pub fn is_too_slow(&self, threshold: f64) -> bool {
        self.verdict(threshold) == Verdict::TooMany
    }

    /// Its cells: row, kept, now, change, verdict.
    pub fn cells(&self, threshold: f64) -> Vec<String> {
        let verdict = match self.verdict(threshold) {
            Verdict::New => "new",
            Verdict::Same => "",
            Verdict::Fewer => "fewer",
            Verdict::TooMany => "TOO MANY",
        };
        vec![
            self.row.clone(),
            self.kept.map_or("none".to_owned(), |kept| kept.to_string()),
            self.now.to_string(),
            self.ratio().map_or(String::new(), percent),
            verdict.to_owned(),
        ]
    }
}

/// What is said of rows that have changed, and what can be done about it; nothing if none has.
pub fn said(rows: &[Judged], threshold: f64) -> Vec<String> {
    let of = |verdict| {
        rows.iter()
            .filter(move |it| it.verdict(threshold) == verdict)
    };
    let line = |it: &Judged| {
        let (kept, now) = (it.kept.unwrap_or(0) as f64 / 1e6, it.now as f64 / 1e6);
        let change = percent(it.ratio().unwrap_or(1.0));
        format!(
            "{}: {change}, {now:.1} M instructions where {kept:.1} M are kept",
            it.row
        )
    };
    let mut lines: Vec<String> = of(Verdict::TooMany).map(line).collect();
    if !lines.is_empty() {
        lines.push(format!(
            "A row may have {threshold} % more. `plat-bench compare OLD NEW` says what each part has lost. If the loss is \
             worth it, `plat-bench guard --bless` keeps the new counts; say in the commit why."
        ));
    }
    let fewer = lines.len();
    lines.extend(of(Verdict::Fewer).map(line));
    if lines.len() > fewer {
        lines.push(
            "`plat-bench guard --bless` keeps the gain, so that it is not lost unseen.".to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(now: u64) -> Judged {
        Judged {
            row: "forks".into(),
            kept: Some(200_000_000),
            now,
        }
    }

    #[test]
    fn a_loss_of_five_percent_is_noticed() {
        assert_eq!(row(210_000_000).verdict(3.0), Verdict::TooMany);
        assert_eq!(row(206_100_000).verdict(3.0), Verdict::TooMany);
        assert_eq!(row(205_900_000).verdict(3.0), Verdict::Same);
        assert_eq!(row(199_000_000).verdict(3.0), Verdict::Same);
        assert_eq!(row(180_000_000).verdict(3.0), Verdict::Fewer);
        assert_eq!(row(210_000_000).verdict(6.0), Verdict::Same);
        let said = said(&[row(200_000_001), row(210_000_000)], 3.0);
        assert_eq!(
            said[0],
            "forks: +5.00 %, 210.0 M instructions where 200.0 M are kept"
        );
        assert!(said.len() == 2 && said[1].contains("--bless"), "{said:?}");
    }

    #[test]
    fn a_gain_is_to_be_kept_and_what_is_new_is_no_loss() {
        let new = Judged {
            kept: None,
            ..row(7)
        };
        assert_eq!(new.verdict(3.0), Verdict::New);
        assert!(said(&[new, row(200_000_000)], 3.0).is_empty());
        let said = said(&[row(150_000_000)], 3.0);
        assert!(said[0].starts_with("forks: -25.00 %") && said[1].contains("keeps the gain"));
    }
}
