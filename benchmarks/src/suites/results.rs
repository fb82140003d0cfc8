//! What the rows of a suite came to: lines of JSON in `results.jsonl`, one for each row and repetition,
//! appended as they come. A line that was cut off by a kill is left out and measured again.

use super::machine::Machine;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// The file in the directory of a suite's results.
pub const FILE: &str = "results.jsonl";

/// A row that was run once.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Line {
    pub suite: String,
    pub row: String,
    pub repetition: u32,
    /// A digest of plat, of its library, of the program and of all words of the row.
    pub key: String,
    /// Seconds that each run had.
    pub limit: f64,
    /// Seconds since 1970.
    pub at: u64,
    pub machine: Machine,
    pub steps: Vec<Step>,
    /// What was wrong with it.
    pub error: Option<String>,
}

/// A command that was run.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Step {
    pub name: String,
    /// The words behind `plat`; `{dir}` is where the row's files are.
    pub command: Vec<String>,
    /// Seconds by the clock, of processors, and of processors in user mode.
    pub wall: f64,
    pub cpu: f64,
    pub user: f64,
    /// Peak resident bytes.
    pub memory: u64,
    /// What the system says of its end: 0 for exit code 0.
    pub status: i32,
    /// Bytes of the file that the suite names.
    pub file: Option<u64>,
    /// `summary.json`; null for commands that explore nothing.
    pub summary: Value,
    /// Seconds and resident bytes while it went on.
    pub samples: Vec<(f64, u64)>,
}

/// A number of a row, and whether the run behind it came to its own end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Figure {
    pub number: f64,
    pub ended: bool,
}

impl Step {
    /// Whether it came to its own end: limits that the row sets on purpose (instructions, depth) are one.
    pub fn ended(&self) -> bool {
        match self.summary["stop"].as_str() {
            Some(stop) => matches!(stop, "finished" | "instructions"),
            None => self.status == 0,
        }
    }

    /// Whether the limit was over before it explored.
    pub fn has_not_begun(&self) -> bool {
        self.status != 0 && self.summary["stop"] == "time"
    }

    /// A metric: of the process, or a key of its summary; a list or an object counts its entries.
    pub fn metric(&self, name: &str) -> Option<f64> {
        Some(match name {
            "wall" => self.wall,
            "cpu" => self.cpu,
            "user" => self.user,
            "memory" => self.memory as f64,
            "file" => self.file? as f64,
            path => {
                let value = path
                    .split('.')
                    .fold(&self.summary, |value, key| &value[key]);
                match value {
                    Value::Array(entries) => entries.len() as f64,
                    Value::Object(entries) => entries.len() as f64,
                    other => other.as_f64()?,
                }
            }
        })
    }
}

/// A metric of the last step, or `step:metric`.
pub fn metric(steps: &[Step], name: &str) -> Option<Figure> {
    let (step, name) = match name.split_once(':') {
        Some((step, name)) => (steps.iter().find(|it| it.name == step)?, name),
        None => (steps.last()?, name),
    };
    let number = step.metric(name)?;
    Some(Figure {
        number,
        ended: step.ended(),
    })
}

/// All lines of a directory of results. There may be none yet.
///
/// # Errors
/// When the file cannot be read, or a line other than the last is damaged.
pub fn read(directory: &Path) -> Result<Vec<Line>, String> {
    let path = directory.join(FILE);
    let Ok(text) = fs::read_to_string(&path) else {
        return Ok(vec![]);
    };
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    let mut lines = Vec::new();
    for (number, line) in text[..whole].lines().enumerate() {
        let line = serde_json::from_str(line)
            .map_err(|why| format!("{}:{}: {why}", path.display(), number + 1))?;
        lines.push(line);
    }
    Ok(lines)
}

/// Appends lines to the file of a directory.
pub struct Writer(File);

impl Writer {
    /// Opens the file. What was cut off at its end is removed.
    ///
    /// # Errors
    /// When it cannot be opened or shortened.
    pub fn open(directory: &Path) -> Result<Self, String> {
        let path = directory.join(FILE);
        let wrong = |why: std::io::Error| format!("{}: {why}", path.display());
        fs::create_dir_all(directory).map_err(wrong)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        let mut file = options.open(&path).map_err(wrong)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(wrong)?;
        let whole = text
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(wrong)?;
        file.seek(SeekFrom::End(0)).map_err(wrong)?;
        Ok(Self(file))
    }

    /// Appends a line.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn append(&mut self, line: &Line) -> Result<(), String> {
        let mut text = serde_json::to_string(line).map_err(|why| why.to_string())?;
        text.push('\n');
        self.0
            .write_all(text.as_bytes())
            .map_err(|why| format!("{FILE}: {why}"))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    /// A line of a row that took so many seconds.
    pub fn line(row: &str, cpu: f64, stop: &str) -> Line {
        let step = Step {
            name: "run".into(),
            command: vec!["explore".into(), "p.bc".into()],
            wall: cpu,
            cpu,
            user: cpu,
            memory: 1 << 20,
            status: 0,
            file: None,
            summary: json!({"stop": stop, "paths": {"completed": 3}, "led": {"divergences": {"a": 1, "b": 2}}}),
            samples: vec![(0.0, 1000), (1.0, 2000)],
        };
        Line {
            suite: "s".into(),
            row: row.into(),
            repetition: 0,
            key: "k".into(),
            limit: 60.0,
            at: 0,
            machine: Machine::default(),
            steps: vec![step],
            error: None,
        }
    }

    #[test]
    fn a_line_that_was_cut_off_is_measured_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = Writer::open(folder.path()).unwrap();
        writer.append(&line("a", 1.0, "finished")).unwrap();
        writer.append(&line("b", 1.0, "finished")).unwrap();
        let path = folder.path().join(FILE);
        let text = fs::read(&path).unwrap();
        for cut in [1, 20] {
            fs::write(&path, &text[..text.len() - cut]).unwrap();
            assert_eq!(read(folder.path()).unwrap().len(), 1);
        }
        let mut writer = Writer::open(folder.path()).unwrap();
        writer.append(&line("c", 1.0, "finished")).unwrap();
        let rows: Vec<String> = read(folder.path())
            .unwrap()
            .into_iter()
            .map(|it| it.row)
            .collect();
        assert_eq!(rows, ["a", "c"]);
        fs::write(&path, b"{}\n").unwrap();
        assert!(read(folder.path()).unwrap_err().contains("results.jsonl:1"));
    }

    #[test]
    fn metrics_are_of_steps() {
        let steps = line("a", 2.5, "time").steps;
        let figure = metric(&steps, "run:cpu").unwrap();
        assert!((figure.number - 2.5).abs() < 1e-9 && !figure.ended);
        assert!((metric(&steps, "paths.completed").unwrap().number - 3.0).abs() < 1e-9);
        assert!((metric(&steps, "led.divergences").unwrap().number - 2.0).abs() < 1e-9);
        assert_eq!(metric(&steps, "none:cpu"), None);
        assert_eq!(metric(&steps, "no.such"), None);
    }
}
