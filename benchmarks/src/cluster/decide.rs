//! What decides over pieces: plat-ray's scheduler, and what it is compared with.

use super::options::Cluster;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A piece that begins.
pub struct Next {
    pub name: String,
    /// Seconds.
    pub budget: f64,
    /// Its rest is divided into so many pieces at most.
    pub parts: usize,
}

/// A piece that has ended.
pub struct Ended {
    pub name: String,
    /// What its rest was divided into, each with its share of the tree.
    pub parts: Vec<(String, f64)>,
    /// Seconds that the walk to its open paths has taken.
    pub walk: f64,
    /// Whether that is more than what it has explored.
    pub little: bool,
}

/// What decides over pieces. The first one is called `0`.
pub trait Decide {
    /// The piece to begin now.
    fn next(&mut self, now: f64) -> Result<Option<Next>, String>;
    /// The pieces to ask to end, as so many workers have none, and what the rest of each is divided into.
    fn to_end(&mut self, now: f64, idle: usize) -> Result<Vec<(String, usize)>, String>;
    fn ended(&mut self, now: f64, piece: Ended) -> Result<(), String>;
}

/// plat-ray's.
pub struct Scheduler {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Scheduler {
    /// Begins an exploration.
    ///
    /// # Errors
    /// When Python or the package is not there.
    pub fn begin(what: &Cluster, slots: usize) -> Result<Self, String> {
        let mut child = Command::new(&what.python)
            .args(["-m", "plat_ray.scheduler"])
            .env("PYTHONPATH", &what.plat_ray)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|why| format!("{}: {why}", what.python.display()))?;
        let to = child.stdin.take().ok_or("no pipe")?;
        let from = BufReader::new(child.stdout.take().ok_or("no pipe")?);
        let mut scheduler = Scheduler { child, to, from };
        scheduler.ask(&json!(["slots", slots]))?;
        scheduler.ask(&json!(["add", ["0"]]))?;
        Ok(scheduler)
    }

    fn ask(&mut self, what: &Value) -> Result<Value, String> {
        let wrong = |why: &dyn std::fmt::Display| format!("plat_ray.scheduler: {why}");
        writeln!(self.to, "{what}").map_err(|why| wrong(&why))?;
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|why| wrong(&why))?;
        serde_json::from_str(&line).map_err(|why| wrong(&why))
    }

    fn answer<T: DeserializeOwned>(&mut self, what: &Value) -> Result<T, String> {
        serde_json::from_value(self.ask(what)?).map_err(|why| why.to_string())
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Decide for Scheduler {
    fn next(&mut self, now: f64) -> Result<Option<Next>, String> {
        let next: Option<(String, f64, usize)> = self.answer(&json!(["next", now]))?;
        Ok(next.map(|(name, budget, parts)| Next {
            name,
            budget,
            parts,
        }))
    }

    fn to_end(&mut self, now: f64, idle: usize) -> Result<Vec<(String, usize)>, String> {
        self.answer(&json!(["to_end", now, idle]))
    }

    fn ended(&mut self, now: f64, piece: Ended) -> Result<(), String> {
        let Ended {
            name,
            parts,
            walk,
            little,
        } = piece;
        let (parts, shares): (Vec<String>, Vec<f64>) = parts.into_iter().unzip();
        let ended = json!(["ended", name, now, parts, walk, little, shares]);
        self.ask(&ended).map(drop)
    }
}

/// Divides once, into a piece for each worker.
#[derive(Default)]
pub struct Static {
    waiting: Option<Vec<String>>,
}

impl Decide for Static {
    fn next(&mut self, _: f64) -> Result<Option<Next>, String> {
        let whole = |name: String| Next {
            name,
            budget: f64::INFINITY,
            parts: 1,
        };
        Ok(match &mut self.waiting {
            None => {
                self.waiting = Some(vec![]);
                Some(Next {
                    name: "0".to_owned(),
                    budget: 1.0,
                    parts: usize::MAX,
                })
            }
            Some(waiting) => waiting.pop().map(whole),
        })
    }

    fn to_end(&mut self, _: f64, _: usize) -> Result<Vec<(String, usize)>, String> {
        Ok(vec![])
    }

    fn ended(&mut self, _: f64, piece: Ended) -> Result<(), String> {
        let parts = piece.parts.into_iter().map(|(part, _)| part);
        self.waiting.get_or_insert_default().extend(parts);
        Ok(())
    }
}
