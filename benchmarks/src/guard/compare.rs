//! Two builds of plat on the same rows, in turns. What differs beyond noise is said; exit code 1 if a row has become slower
//! than the threshold.
//!
//! Times are noisy: the interval of the ratio of medians is found by resampling (a bootstrap of 95 %), and a row
//! has changed if it does not contain 1. Counts are the same from run to run up to a few instructions: a row has
//! changed if they differ by more than a thousandth.

use super::measure::{Way, cost};
use super::{percent, rows_of};
use crate::Common;
use crate::suites::rows::rows;
use crate::table::{Table, median};
use clap::Args;
use fastrand::Rng;
use std::path::PathBuf;
use std::process::ExitCode;

/// Which builds, and how they are measured.
#[derive(Args)]
pub struct Compare {
    /// The plat before
    #[arg(value_name = "OLD", value_parser = crate::absolute)]
    pub old: PathBuf,
    /// The plat after
    #[arg(value_name = "NEW", value_parser = crate::absolute)]
    pub new: PathBuf,
    /// Only these rows (repeatable)
    #[arg(long, value_name = "ROW")]
    pub only: Vec<String>,
    /// Percent by which a row may become slower
    #[arg(long, value_name = "PERCENT", default_value_t = 3.0)]
    pub threshold: f64,
    /// How costs are measured [default: the first of these that this machine has]
    #[arg(long, value_name = "WAY")]
    pub by: Option<Way>,
}

/// What became of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    None,
    Faster,
    Slower,
    TooSlow,
}

/// What counts may differ by and be the same.
const SAME: f64 = 0.001;

/// Runs the rows with both.
///
/// # Errors
/// When a row does not come to its end with one of them.
pub fn compare(common: &Common, what: &Compare) -> Result<ExitCode, String> {
    let suite = rows_of("compare")?;
    let way = what.by.unwrap_or_else(Way::best);
    let runs = if way.counts() { 1 } else { common.runs };
    let title = format!("Two builds, by {way:?}; {runs} runs each, in turns");
    let head = ["row", "old", "new", "change", "from", "to", "verdict"];
    let mut table = Table::new(&title, &head);
    let mut slow = false;
    for row in rows(&suite) {
        if !what.only.is_empty() && !what.only.iter().any(|only| row.is_named(only)) {
            continue;
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for turn in 0..runs {
            // Who is first changes, as the second may find warm caches.
            let both = [(&what.old, &mut old), (&what.new, &mut new)];
            let mut order: Vec<_> = both.into_iter().collect();
            if turn % 2 == 1 {
                order.reverse();
            }
            for (plat, costs) in order {
                costs.push(cost(common, plat, &row, way)?);
            }
        }
        let ratio = median(new.clone()) / median(old.clone());
        let interval = match way.counts() {
            true => (ratio - SAME, ratio + SAME),
            false => interval(&old, &new),
        };
        let change = verdict(ratio, interval, what.threshold);
        slow |= change == Change::TooSlow;
        let shown = |cost: f64| match way.counts() {
            true => format!("{:.1} M", cost / 1e6),
            false => format!("{cost:.3} s"),
        };
        table.row(vec![
            row.id,
            shown(median(old)),
            shown(median(new)),
            percent(ratio),
            percent(interval.0),
            percent(interval.1),
            said(change).to_owned(),
        ]);
    }
    table.print();
    Ok(if slow {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    })
}

fn said(change: Change) -> &'static str {
    match change {
        Change::None => "as before",
        Change::Faster => "faster",
        Change::Slower => "slower",
        Change::TooSlow => "TOO SLOW",
    }
}

fn verdict(ratio: f64, (from, to): (f64, f64), threshold: f64) -> Change {
    if to < 1.0 {
        Change::Faster
    } else if from <= 1.0 {
        Change::None
    } else if ratio > 1.0 + threshold / 100.0 {
        Change::TooSlow
    } else {
        Change::Slower
    }
}

/// The middle 95 % of the ratios of medians of resampled measurements. Of one measurement nothing is known but
/// itself: an interval then says nothing is beyond noise.
fn interval(old: &[f64], new: &[f64]) -> (f64, f64) {
    if old.len() < 3 || new.len() < 3 {
        return (0.0, f64::INFINITY);
    }
    let mut random = Rng::with_seed(1);
    let mut resampled = |of: &[f64]| {
        let some = of.iter().map(|_| of[random.usize(..of.len())]);
        median(some.collect())
    };
    let mut ratios: Vec<f64> = (0..2000).map(|_| resampled(new) / resampled(old)).collect();
    ratios.sort_by(f64::total_cmp);
    (ratios[49], ratios[1949])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(old: &[f64], new: &[f64]) -> Change {
        let ratio = median(new.to_vec()) / median(old.to_vec());
        verdict(ratio, interval(old, new), 3.0)
    }

    #[test]
    fn noise_is_no_change() {
        let noisy = [1.0, 1.2, 0.9, 1.1, 1.05];
        assert_eq!(judged(&noisy, &[1.1, 0.95, 1.15, 1.0, 1.2]), Change::None);
        assert_eq!(judged(&noisy, &[2.0, 2.2, 1.9, 2.1, 2.05]), Change::TooSlow);
        assert_eq!(
            judged(&[1.0, 1.001, 1.002], &[1.01, 1.011, 1.012]),
            Change::Slower
        );
        assert_eq!(
            judged(&[2.0, 2.001, 2.002], &[1.01, 1.011, 1.012]),
            Change::Faster
        );
        assert_eq!(judged(&[1.0], &[3.0]), Change::None);
    }

    #[test]
    fn counts_need_one_run() {
        let of = |ratio: f64| verdict(ratio, (ratio - SAME, ratio + SAME), 3.0);
        assert_eq!(of(1.0005), Change::None);
        assert_eq!(of(1.02), Change::Slower);
        assert_eq!(of(1.031), Change::TooSlow);
        assert_eq!(of(0.99), Change::Faster);
    }
}
