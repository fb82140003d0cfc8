//! How an exploration would divide among up to a thousand workers: the tree of a real run, with what its
//! nodes have cost, is walked again by virtual workers.
//!
//! Which piece comes next, for how long, and into how many its rest is divided is asked of plat-ray's own
//! scheduler (`python3 -m plat_ray.scheduler`); who gets which paths is plat's own division
//! ([`plat::trie::partition`]). What a start of plat, the walk to the open paths, and the driver's part
//! of a piece cost are options. A worker takes the paths of its piece in the order of the real run.

use crate::table::Table;
use clap::Args;
use plat::trie::{Node, Timed, partition};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What to simulate.
#[derive(Args)]
pub struct Cluster {
    /// Directories of runs that have kept their decisions (run.trie)
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// How many workers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 10, 100, 1000])]
    pub workers: Vec<usize>,
    /// Processors that the workers share [default: one for each]
    #[arg(long, value_name = "N")]
    pub processors: Option<usize>,
    /// Seconds that a start of plat takes, with what is done behind a piece
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub start: f64,
    /// The walk to the open paths: a part of what exploring the way has taken
    #[arg(long, value_name = "PART", default_value_t = 0.05)]
    pub lead: f64,
    /// Seconds of the driver for each piece
    #[arg(long, value_name = "SECONDS", default_value_t = 0.002)]
    pub driver: f64,
    /// Take each node to have cost so many times as much: a longer run of the same shape
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub scale: f64,
    /// Python 3, for the scheduler
    #[arg(long, value_name = "FILE", default_value = "python3")]
    pub python: PathBuf,
    /// The directory of plat-ray
    #[arg(long, value_name = "DIR", default_value = "driver/ray")]
    pub plat_ray: PathBuf,
}

/// Prints how busy the workers would be.
///
/// # Errors
/// When a run cannot be read, or the scheduler cannot be asked.
pub fn cluster(what: &Cluster) -> Result<(), String> {
    let head = [
        "run",
        "nodes",
        "one worker s",
        "workers",
        "s",
        "busy %",
        "idle %",
        "processor s",
        "pieces",
        "static s",
        "static busy %",
    ];
    let mut table = Table::new("Explorations on virtual workers", &head);
    for run in &what.directories {
        let tree = Tree::read(run, what.scale)?;
        for &workers in &what.workers {
            let ours = simulate(&tree, what, workers, &mut Scheduler::begin(what, workers)?)?;
            let fixed = simulate(&tree, what, workers, &mut Static::default())?;
            let processors = what.processors.unwrap_or(workers).min(workers);
            let busy = |seconds: f64| 100.0 * tree.total() / (seconds * processors as f64);
            table.row(vec![
                run.display().to_string(),
                tree.costs.len().to_string(),
                format!("{:.1}", tree.total()),
                workers.to_string(),
                format!("{:.1}", ours.seconds),
                format!("{:.1}", busy(ours.seconds)),
                format!("{:.1}", 100.0 * ours.idle / (ours.seconds * workers as f64)),
                format!("{:.1}", ours.work),
                ours.pieces.to_string(),
                format!("{:.1}", fixed.seconds),
                format!("{:.1}", busy(fixed.seconds)),
            ]);
        }
    }
    table.print();
    Ok(())
}

/// The tree of a run, its nodes in the order of the tree: parents first, sides in their order.
struct Tree {
    costs: Vec<f64>,
    sides: Vec<Vec<u32>>,
    parents: Vec<u32>,
    /// When each was told.
    order: Vec<u32>,
    /// The share of the tree, where all sides of a split have the same.
    shares: Vec<f64>,
}

impl Tree {
    fn read(run: &Path, scale: f64) -> Result<Self, String> {
        let Timed { trie, costs } = Timed::read(run).map_err(|why| why.to_string())?;
        let told: HashMap<_, _> = costs
            .iter()
            .zip(0..)
            .map(|(&(id, _), at)| (id, at))
            .collect();
        let mut tree = Tree {
            costs: vec![],
            sides: vec![],
            parents: vec![],
            order: vec![],
            shares: vec![],
        };
        let mut behind = HashMap::new();
        trie.walk(&mut |id, _, node| {
            let at = tree.costs.len() as u32;
            let (parent, share) = behind.remove(&id).unwrap_or((u32::MAX, 1.0));
            let known = told.get(&id).copied();
            let seconds = known.map_or(0.0, |told: usize| costs[told].1.as_secs_f64());
            tree.costs.push(seconds * scale);
            tree.order.push(known.map_or(u32::MAX, |told| told as u32));
            tree.parents.push(parent);
            tree.shares.push(share);
            tree.sides.push(vec![]);
            if parent != u32::MAX {
                tree.sides[parent as usize].push(at);
            }
            if let Node::Inner(inner) = node {
                let each = share / inner.sides.len() as f64;
                behind.extend(inner.sides.iter().map(|&(_, side)| (side, (at, each))));
            }
        });
        Ok(tree)
    }

    fn total(&self) -> f64 {
        self.costs.iter().sum()
    }

    fn roots(&self) -> Vec<u32> {
        let all = 0..self.costs.len() as u32;
        all.filter(|&at| self.parents[at as usize] == u32::MAX)
            .collect()
    }

    /// What the ways to some nodes have cost, each part of them once.
    fn ways(&self, open: &[u32]) -> f64 {
        let mut seen = std::collections::HashSet::new();
        let mut cost = 0.0;
        for &node in open {
            let mut at = self.parents[node as usize];
            while at != u32::MAX && seen.insert(at) {
                cost += self.costs[at as usize];
                at = self.parents[at as usize];
            }
        }
        cost
    }

    /// Explores for a time, in the order of the real run. Returns the time that it took, and what is
    /// left, in the order of the tree.
    fn explore(&self, open: &[u32], budget: f64) -> (f64, Vec<u32>) {
        let entry = |&node: &u32| Reverse((self.order[node as usize], node));
        let mut queue: BinaryHeap<_> = open.iter().map(entry).collect();
        let mut took = 0.0;
        while took < budget
            && let Some(Reverse((_, node))) = queue.pop()
        {
            took += self.costs[node as usize];
            queue.extend(self.sides[node as usize].iter().map(entry));
        }
        let mut left: Vec<u32> = queue.into_iter().map(|Reverse((_, node))| node).collect();
        left.sort_unstable();
        (took, left)
    }
}

/// What decides over pieces.
trait Decide {
    /// The piece to begin now, its budget, the pieces that its rest is divided into.
    fn next(&mut self) -> Result<Option<(String, f64, usize)>, String>;
    fn ended(&mut self, name: &str, parts: Vec<String>) -> Result<(), String>;
}

/// plat-ray's.
struct Scheduler {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Scheduler {
    fn begin(what: &Cluster, slots: usize) -> Result<Self, String> {
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
        scheduler.ask(&json!(["ended", "", ["0"]]))?;
        Ok(scheduler)
    }

    fn ask(&mut self, what: &Value) -> Result<Value, String> {
        let wrong = |why: &dyn std::fmt::Display| format!("plat_ray.scheduler: {why}");
        writeln!(self.to, "{what}").map_err(|why| wrong(&why))?;
        let mut line = String::new();
        self.from.read_line(&mut line).map_err(|why| wrong(&why))?;
        serde_json::from_str(&line).map_err(|why| wrong(&why))
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Decide for Scheduler {
    fn next(&mut self) -> Result<Option<(String, f64, usize)>, String> {
        let begun = self.ask(&json!(["next"]))?;
        serde_json::from_value(begun).map_err(|why| why.to_string())
    }

    fn ended(&mut self, name: &str, parts: Vec<String>) -> Result<(), String> {
        self.ask(&json!(["ended", name, parts])).map(drop)
    }
}

/// Divides once, into a piece for each worker.
#[derive(Default)]
struct Static {
    waiting: Option<Vec<String>>,
}

impl Decide for Static {
    fn next(&mut self) -> Result<Option<(String, f64, usize)>, String> {
        Ok(match &mut self.waiting {
            None => {
                self.waiting = Some(vec![]);
                Some(("0".to_owned(), 1.0, usize::MAX))
            }
            Some(waiting) => waiting.pop().map(|name| (name, f64::INFINITY, 1)),
        })
    }

    fn ended(&mut self, _: &str, parts: Vec<String>) -> Result<(), String> {
        self.waiting.get_or_insert_default().extend(parts);
        Ok(())
    }
}

struct Simulated {
    seconds: f64,
    /// Seconds of workers that have had no piece.
    idle: f64,
    /// Seconds of processors, with those of starts and of walks.
    work: f64,
    pieces: usize,
}

/// A piece that is being explored.
struct Running {
    name: String,
    /// So many pieces its rest is divided into.
    parts: usize,
    /// What it leaves.
    left: Vec<u32>,
    /// Seconds until it ends, if it has a processor for itself.
    seconds: f64,
}

/// Explores a tree with so many workers. Those that share processors share them equally.
fn simulate(
    tree: &Tree,
    what: &Cluster,
    workers: usize,
    decide: &mut dyn Decide,
) -> Result<Simulated, String> {
    let processors = what.processors.unwrap_or(workers).min(workers) as f64;
    // A budget is one by the clock.
    let share = processors / workers as f64;
    let mut pieces: HashMap<String, Vec<u32>> = HashMap::from([("0".to_owned(), tree.roots())]);
    let mut running: Vec<Running> = Vec::new();
    let (mut now, mut driver) = (0.0_f64, 0.0_f64);
    let (mut idle, mut work, mut count) = (0.0, 0.0, 0);
    loop {
        while running.len() < workers
            && let Some((name, budget, parts)) = decide.next()?
        {
            let open = pieces.remove(&name).ok_or("a piece that there is not")?;
            // The driver gives pieces out one by one.
            driver = driver.max(now) + what.driver;
            let (took, left) = tree.explore(&open, budget * share);
            let cost = what.start + what.lead * tree.ways(&open) + took;
            work += cost;
            count += 1;
            running.push(Running {
                name,
                parts: parts.min(workers * 4),
                left,
                seconds: driver - now + cost,
            });
        }
        let ends = |(_, one): &(usize, &Running), (_, other): &(usize, &Running)| {
            one.seconds.total_cmp(&other.seconds)
        };
        let Some((first, _)) = running.iter().enumerate().min_by(ends) else {
            break;
        };
        // Until then all go on, as fast as there are processors.
        let busy = running.len() as f64;
        let ended = running.swap_remove(first);
        let took = ended.seconds * (busy / processors).max(1.0);
        running
            .iter_mut()
            .for_each(|one| one.seconds -= ended.seconds);
        now += took;
        idle += took * (workers as f64 - busy);
        driver = driver.max(now) + what.driver;
        let names = divided(tree, ended, &mut pieces);
        decide.ended(&names.0, names.1)?;
    }
    Ok(Simulated {
        seconds: now,
        idle,
        work,
        pieces: count,
    })
}

/// Divides what a piece has left. Returns its name, and those of the parts.
fn divided(
    tree: &Tree,
    ended: Running,
    pieces: &mut HashMap<String, Vec<u32>>,
) -> (String, Vec<String>) {
    let shares = ended.left.iter().map(|&node| tree.shares[node as usize]);
    let shares: Vec<f64> = shares.collect();
    let mut names = Vec::new();
    let mut from = 0;
    for (number, to) in partition(&shares, ended.parts).into_iter().enumerate() {
        let part = format!("{}-{number}", ended.name);
        pieces.insert(part.clone(), ended.left[from..to].to_vec());
        names.push(part);
        from = to;
    }
    (ended.name, names)
}
