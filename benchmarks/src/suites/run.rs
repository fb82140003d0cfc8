//! Runs the rows of a suite. A row whose line is there, of the same plat and program with the same words, is not
//! run again, so that a suite that was interrupted goes on where it was.

use super::command::{Prepared, plain, program_path};
use super::file::{self, Suite};
use super::machine::{Machine, digest, hex};
use super::results::{self, Figure, Line, Step, Writer, metric};
use super::rows::{Places, Row, rows};
use crate::Common;
use crate::process::{Ended, finish, killed_after, scratch};
use crate::programs::{bitcode, folder};
use crate::say::sayln;
use clap::Args;
use plat::output::samples;
use sha2::{Digest as _, Sha256};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// Samples that a line keeps of a run.
const SAMPLES: usize = 120;

/// What plat says if the limit was over before the run began.
const BEFORE: &str = "the stages before the run take longer than --max-time";

/// Which suites, which rows, and how long.
#[derive(Args)]
pub struct Arguments {
    /// Suites by name or file; `all` is all that come with plat
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<String>,
    /// What the limits of the runs are multiplied with
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = scale)]
    pub scale: f64,
    /// Seconds that each run may take, instead of the suite's limit; no less than the suite's least
    #[arg(long, value_name = "SECONDS", conflicts_with = "scale")]
    pub limit: Option<f64>,
    /// Only these rows: the name of a row, or of values that follow one another in it (repeatable)
    #[arg(long, value_name = "ROW")]
    pub only: Vec<String>,
    /// Where the results go, a directory for each suite
    #[arg(long, value_name = "DIR", default_value = "target/suites")]
    pub out: PathBuf,
    /// Run rows that have results too
    #[arg(long)]
    pub again: bool,
    /// How often each row is run, instead of what the suite says
    #[arg(long, value_name = "N")]
    pub repetitions: Option<u32>,
    /// Say which rows there are, and the commands of each, and run nothing
    #[arg(long)]
    pub list: bool,
    /// Where the programs have been built, instead of building what is missing
    #[arg(long, value_name = "DIR", value_parser = crate::absolute)]
    pub build: Option<PathBuf>,
}

impl Arguments {
    /// Seconds that each run may take, whole ones.
    fn limit(&self, suite: &Suite) -> f64 {
        let limit = self.limit.unwrap_or(suite.limit * self.scale);
        limit.max(suite.least).max(1.0).round()
    }
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if scale > 0.0 && scale <= 1000.0 => Ok(scale),
        _ => Err("a number above 0, such as 0.05".to_owned()),
    }
}

/// Runs suites.
///
/// # Errors
/// When a suite or a program is not there, or a row went wrong.
pub fn run(common: &Common, what: &Arguments) -> Result<(), String> {
    let names = match what.suites.iter().any(|name| name == "all") {
        true => file::names()?,
        false => what.suites.clone(),
    };
    // All are read before the first is run: a mistake in the last one is no reason to find that out in hours.
    let mut suites = Vec::new();
    for name in names {
        let (name, text) = file::text(&name)?;
        suites.push((file::parse(&name, &text)?, text));
    }
    let mut wrong = Vec::new();
    for (suite, text) in suites {
        let chosen: Vec<Row> = rows(&suite)
            .into_iter()
            .filter(|row| what.only.is_empty() || what.only.iter().any(|only| row.is_named(only)))
            .collect();
        if what.list {
            list(&suite, &chosen, what)?;
            continue;
        }
        let directory = what.out.join(&suite.name);
        let writer = Writer::open(&directory)?;
        let copy = directory.join("suite.toml");
        std::fs::write(&copy, text).map_err(|why| format!("{}: {why}", copy.display()))?;
        wrong.extend(Session::new(common, what, &suite, &directory, writer)?.rows(&chosen)?);
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("rows that went wrong:\n  {}", wrong.join("\n  "))),
    }
}

/// Says which rows there are, with their commands.
fn list(suite: &Suite, rows: &[Row], what: &Arguments) -> Result<(), String> {
    sayln!("{}: {} ({})", suite.name, suite.title, suite.repeats.item);
    for row in rows {
        sayln!("{}", row.id);
        let program = program_path(&row.program, what.build.as_deref());
        let places = Places {
            program: &program,
            programs: &folder(),
            folder: Path::new("DIR"),
            limit: what.limit(suite),
        };
        for step in &row.steps {
            let words = row.words(step, &places, &|name| Some(format!("{{{name}}}")))?;
            sayln!("    {}", plain(&words));
        }
    }
    Ok(())
}

/// A suite that is being run.
struct Session<'a> {
    common: &'a Common,
    what: &'a Arguments,
    suite: &'a Suite,
    machine: Machine,
    writer: Writer,
    /// Keys and repetitions that have been run.
    known: HashSet<(String, u32)>,
    digests: HashMap<PathBuf, String>,
}

impl<'a> Session<'a> {
    fn new(
        common: &'a Common,
        what: &'a Arguments,
        suite: &'a Suite,
        directory: &Path,
        writer: Writer,
    ) -> Result<Self, String> {
        let lines = results::read(directory)?;
        let done = lines.into_iter().filter(|line| line.error.is_none());
        Ok(Self {
            common,
            what,
            suite,
            machine: Machine::with(&common.plat)?,
            writer,
            known: done.map(|line| (line.key, line.repetition)).collect(),
            digests: HashMap::new(),
        })
    }

    /// Runs rows, and says which went wrong. Repetitions take turns, so that a busy time is one for all rows.
    fn rows(&mut self, rows: &[Row]) -> Result<Vec<String>, String> {
        let mut wrong = Vec::new();
        let repetitions = self.what.repetitions.unwrap_or(self.suite.repetitions);
        for repetition in 0..repetitions {
            for row in rows {
                let program = match &self.what.build {
                    Some(build) => program_path(&row.program, Some(build)),
                    None => bitcode(&row.program)?,
                };
                let key = self.key(row, &program)?;
                let id = format!("{}: {}", self.suite.name, row.id);
                if self.known.contains(&(key.clone(), repetition)) && !self.what.again {
                    eprintln!("{id}: there already");
                    continue;
                }
                let line = self.line(row, &program, key, repetition)?;
                eprintln!("{id}: {}", said(&line));
                if let Some(error) = &line.error {
                    wrong.push(format!("{id}: {error}"));
                }
                self.writer.append(&line)?;
            }
        }
        Ok(wrong)
    }

    /// A digest of all that decides what the row does.
    fn key(&mut self, row: &Row, program: &Path) -> Result<String, String> {
        let mut hash = Sha256::new();
        let mut files = vec![self.common.plat.clone(), program.to_owned()];
        files.extend(self.common.libc.as_ref().map(|libc| libc.join("libc.a")));
        let places = Places {
            program: Path::new("PROGRAM"),
            programs: &folder(),
            folder: Path::new("DIR"),
            limit: self.limit(),
        };
        for step in &row.steps {
            for word in row.words(step, &places, &|name| Some(name.to_owned()))? {
                let file = Path::new(word.rsplit('=').next().unwrap_or_default());
                if file.is_file() {
                    files.push(file.to_owned());
                }
                hash.update(word.as_bytes());
                hash.update([0]);
            }
        }
        for file in files {
            let known = match self.digests.get(&file) {
                Some(known) => known.clone(),
                None => digest(&file)?,
            };
            hash.update(known.as_bytes());
            self.digests.insert(file, known);
        }
        Ok(hex(&hash.finalize())[..16].to_owned())
    }

    fn limit(&self) -> f64 {
        self.what.limit(self.suite)
    }

    fn line(
        &self,
        row: &Row,
        program: &Path,
        key: String,
        repetition: u32,
    ) -> Result<Line, String> {
        let room = scratch()?;
        let places = Places {
            program,
            programs: &folder(),
            folder: room.path(),
            limit: self.limit(),
        };
        let mut steps: Vec<Step> = Vec::new();
        let mut error = None;
        for step in &row.steps {
            let number = |name: &str| metric(&steps, name).map(|figure| figure.number);
            if step
                .when
                .as_ref()
                .is_some_and(|when| number(when) <= Some(0.0))
            {
                continue;
            }
            let text = |name: &str| number(name).map(|number| number.to_string());
            let words = row.words(step, &places, &text)?;
            let file = row.file(step, room.path());
            let done = self.step(&step.name, &words, room.path(), file.as_deref());
            match done {
                Ok(done) => steps.push(done),
                Err(why) => {
                    error = Some(why);
                    break;
                }
            }
            if steps.last().is_some_and(Step::has_not_begun) {
                break;
            }
        }
        let error = error.or_else(|| self.unequal(&steps));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Ok(Line {
            suite: self.suite.name.clone(),
            row: row.id.clone(),
            repetition,
            key,
            limit: self.limit(),
            at: now.map_or(0, |span| span.as_secs()),
            machine: self.machine.clone(),
            steps,
            error,
        })
    }

    /// The first check of the suite that does not hold.
    fn unequal(&self, steps: &[Step]) -> Option<String> {
        for check in &self.suite.checks {
            let figures = check
                .same
                .iter()
                .filter_map(|name| Some((name, sum(steps, name)?)));
            let figures: Vec<_> = figures
                .filter(|(_, figure)| figure.ended || check.limited)
                .collect();
            for pair in figures.windows(2) {
                let [(first, one), (second, other)] = pair else {
                    continue;
                };
                if one.number != other.number {
                    return Some(format!(
                        "{first} is {}, {second} is {}",
                        one.number, other.number
                    ));
                }
            }
        }
        None
    }

    /// Runs a command of plat.
    fn step(
        &self,
        name: &str,
        words: &[String],
        room: &Path,
        file: Option<&Path>,
    ) -> Result<Step, String> {
        let prepared = Prepared::new(name, words, room);
        let mut command = killed_after(120 + 4 * self.limit() as u64);
        command.arg(&self.common.plat);
        prepared.give(&mut command, self.common, room);
        let room = room.to_string_lossy();
        let words = prepared
            .words
            .iter()
            .map(|word| word.replace(&*room, "{dir}"));
        let words: Vec<String> = words.collect();
        let begun = Instant::now();
        let Ended {
            printed,
            status,
            cost,
            complaint,
        } = finish(command)?;
        let wall = begun.elapsed().as_secs_f64();
        let wrong = |why: &str| {
            Err(format!(
                "{why} ({}) from: {}",
                complaint.trim(),
                plain(&words)
            ))
        };
        let summary = match prepared.explores {
            _ if complaint.contains(BEFORE) => serde_json::json!({ "stop": "time" }),
            true => match serde_json::from_str(&printed) {
                Ok(summary) => summary,
                Err(_) => return wrong(&format!("no summary, wait status {status}")),
            },
            false if status != 0 => return wrong(&format!("wait status {status}")),
            false => serde_json::Value::Null,
        };
        Ok(Step {
            name: name.to_owned(),
            command: words,
            wall,
            cpu: cost.cpu,
            user: cost.user,
            memory: cost.memory,
            status,
            file: file.and_then(|file| Some(std::fs::metadata(file).ok()?.len())),
            summary,
            samples: prepared.out.map_or(vec![], |out| sampled(&out)),
        })
    }
}

/// A metric, or the sum of some.
fn sum(steps: &[Step], names: &str) -> Option<Figure> {
    let figures: Option<Vec<Figure>> = names.split(" + ").map(|name| metric(steps, name)).collect();
    let figures = figures?;
    Some(Figure {
        number: figures.iter().map(|it| it.number).sum(),
        ended: figures.iter().all(|it| it.ended),
    })
}

/// Some of the samples of a run.
fn sampled(directory: &Path) -> Vec<(f64, u64)> {
    let all = samples::read(directory).unwrap_or_default();
    let step = all.len().div_ceil(SAMPLES).max(1);
    let last = all.last().filter(|_| all.len() % step != 1 && step > 1);
    let few = all.iter().step_by(step).chain(last);
    few.map(|it| ((it.seconds * 1e3).round() / 1e3, it.resident))
        .collect()
}

/// A line for people, with the commands that repeat it.
fn said(line: &Line) -> String {
    let mut text = String::new();
    if let Some(step) = line.steps.last() {
        let stop = step.summary["stop"].as_str().unwrap_or("done");
        let paths = step.metric("paths.completed").unwrap_or(0.0);
        text = format!("{stop}, {:.2} s, {paths} paths", step.cpu);
    }
    if let Some(error) = &line.error {
        text = format!("wrong: {error}");
    }
    format!("{text}\n    {}", repeated(line))
}

/// The commands that repeat a row. A row of one command leaves its directory where plat puts it.
pub fn repeated(line: &Line) -> String {
    if let [only] = &line.steps[..] {
        let words = only
            .command
            .iter()
            .filter(|word| !word.starts_with("--output-dir="));
        return plain(&words.cloned().collect::<Vec<_>>());
    }
    let commands = line
        .steps
        .iter()
        .map(|step| plain(&step.command).replace("{dir}", "DIR"));
    let commands: Vec<String> = commands.collect();
    format!("mkdir DIR && {}", commands.join(" && "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::results::tests::line;

    #[test]
    fn a_row_can_be_repeated() {
        let mut line = line("a", 1.0, "finished");
        line.steps[0]
            .command
            .insert(1, "--output-dir={dir}/run".into());
        assert_eq!(repeated(&line), "plat explore p.bc");
        line.steps.push(line.steps[0].clone());
        let first = "mkdir DIR && plat explore --output-dir=DIR/run p.bc && ";
        assert!(repeated(&line).starts_with(first));
    }

    #[test]
    fn sums_are_of_metrics() {
        let steps = line("a", 1.5, "time").steps;
        let figure = sum(&steps, "run:paths.completed + cpu").unwrap();
        assert!((figure.number - 4.5).abs() < 1e-9 && !figure.ended);
        assert_eq!(sum(&steps, "cpu + none:cpu"), None);
    }

    #[test]
    fn a_scale_is_a_factor() {
        assert!(scale("0.05").is_ok() && scale("0").is_err() && scale("x").is_err());
    }
}
