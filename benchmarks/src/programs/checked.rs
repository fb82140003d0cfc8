//! What `--check-points-to` has found in all runs together.

use serde_json::Value;

/// The sums over the runs that were checked.
#[derive(Default)]
pub struct Checked {
    runs: u64,
    dereferences: u64,
    resolutions: u64,
    violations: u64,
}

impl Checked {
    /// Counts in the summary of a run, if it was checked, and says what its violations are: a line
    /// for each place.
    pub fn add(&mut self, summary: &Value) -> Vec<String> {
        let checked = &summary["points_to"];
        let Some(violations) = checked["violations"].as_array() else {
            return vec![];
        };
        self.runs += 1;
        self.dereferences += checked["dereferences"].as_u64().unwrap_or(0);
        self.resolutions += checked["resolutions"].as_u64().unwrap_or(0);
        self.violations += violations.len() as u64;
        let line = |violation| format!("the points-to analysis lacks: {violation}");
        violations.iter().map(line).collect()
    }

    /// A line on how much was checked; none if nothing was.
    pub fn line(&self) -> Option<String> {
        (self.runs > 0).then(|| {
            format!(
                "points-to: {} runs, {} dereferences and {} resolutions checked, {} violations",
                self.runs, self.dereferences, self.resolutions, self.violations
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Checked;
    use serde_json::json;

    #[test]
    fn sums_over_the_runs_that_were_checked() {
        let mut checked = Checked::default();
        assert_eq!(checked.add(&json!({ "instructions": 1 })).len(), 0);
        assert_eq!(checked.line(), None);
        let clean = json!({ "dereferences": 5, "resolutions": 1, "violations": [] });
        assert_eq!(checked.add(&json!({ "points_to": clean })).len(), 0);
        let wrong = json!({ "dereferences": 2, "resolutions": 0, "violations": [{ "line": 7 }] });
        let lines = checked.add(&json!({ "points_to": wrong }));
        assert_eq!(lines, ["the points-to analysis lacks: {\"line\":7}"]);
        let said = "points-to: 2 runs, 7 dereferences and 1 resolutions checked, 1 violations";
        assert_eq!(checked.line().as_deref(), Some(said));
    }
}
