//! What `--check-points-to` has found, for people and for `summary.json`.

use super::summary::{PointsTo, Violation};
use plat_engine::Checked;
use plat_engine::prediction::Missing;

/// A line for each violation.
pub fn errors(checked: &Checked) -> impl Iterator<Item = String> + '_ {
    let violations = checked.violations.iter();
    violations.map(|violation| format!("plat: ANALYSIS ERROR: {violation}"))
}

/// A line on how much was checked.
pub fn closing_line(checked: &Checked) -> String {
    format!(
        "plat: points-to: {} dereferences and {} resolutions checked, {} violations",
        checked.dereferences,
        checked.resolutions,
        checked.violations.len()
    )
}

/// The object of `summary.json`.
pub fn summary(checked: &Checked) -> PointsTo {
    let violations = checked.violations.iter().map(|violation| Violation {
        kind: match violation.missing {
            Missing::Object { .. } => "points_to",
            Missing::Groups { .. } => "groups",
        }
        .to_string(),
        function: violation.function.clone(),
        file: violation.file.clone(),
        line: violation.line,
        message: violation.to_string(),
        count: violation.count,
    });
    PointsTo {
        dereferences: checked.dereferences,
        resolutions: checked.resolutions,
        violations: violations.collect(),
    }
}
