//! How an exploration would divide among up to a thousand workers: the tree of a real run, with what its
//! nodes have cost, is walked again by virtual workers.
//!
//! Which piece comes next, for how long, which is asked to end, and into how many its rest is divided is asked of
//! plat-ray's own scheduler (`python3 -m plat_ray.scheduler`); who gets which paths is plat's own division
//! ([`plat::trie::partition`]). What a start of plat, the walk to the open paths, the end of a piece that is asked
//! for, and the driver's part of a piece cost are options. A worker takes the paths of its piece in the order of the
//! real run, or the shallowest first.

use crate::table::Table;
use clap::Args;
use plat::trie::{Node, Timed, partition};
use serde::de::DeserializeOwned;
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
    /// Seconds from when a piece is asked to end until it does
    #[arg(long, value_name = "SECONDS", default_value_t = 0.5)]
    pub ask: f64,
    /// Seconds of the driver for each piece
    #[arg(long, value_name = "SECONDS", default_value_t = 0.002)]
    pub driver: f64,
    /// Take each node to have cost so many times as much: a longer run of the same shape
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub scale: f64,
    /// Workers take the shallowest path of their piece first, much as random paths are chosen, and not in
    /// the order of the run: for runs that went depth first
    #[arg(long)]
    pub breadth_first: bool,
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
        "longest path s",
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
        let tree = Tree::read(run, what)?;
        let longest = tree.longest();
        for &workers in &what.workers {
            let ours = simulate(&tree, what, workers, &mut Scheduler::begin(what, workers)?)?;
            let fixed = simulate(&tree, what, workers, &mut Static::default())?;
            let processors = what.processors.unwrap_or(workers).min(workers);
            let busy = |seconds: f64| 100.0 * tree.total() / (seconds * processors as f64);
            table.row(vec![
                run.display().to_string(),
                tree.costs.len().to_string(),
                format!("{:.1}", tree.total()),
                format!("{longest:.1}"),
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
    /// Which is explored first.
    order: Vec<u32>,
    /// The share of the tree, where all sides of a split have the same.
    shares: Vec<f64>,
}

impl Tree {
    fn read(run: &Path, what: &Cluster) -> Result<Self, String> {
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
        trie.walk(&mut |id, depth, node| {
            let at = tree.costs.len() as u32;
            let (parent, share) = behind.remove(&id).unwrap_or((u32::MAX, 1.0));
            let known = told.get(&id).copied();
            let seconds = known.map_or(0.0, |told: usize| costs[told].1.as_secs_f64());
            tree.costs.push(seconds * what.scale);
            let told = known.map_or(u32::MAX, |told| told as u32);
            tree.order
                .push(if what.breadth_first { depth } else { told });
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

    /// What the longest path has cost: no number of workers takes less.
    fn longest(&self) -> f64 {
        let mut ways: Vec<f64> = Vec::with_capacity(self.costs.len());
        for (&cost, &parent) in self.costs.iter().zip(&self.parents) {
            let before = ways.get(parent as usize).copied().unwrap_or(0.0);
            ways.push(before + cost);
        }
        ways.into_iter().fold(0.0, f64::max)
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
    fn next(&mut self, now: f64) -> Result<Option<(String, f64, usize)>, String>;
    /// The pieces to ask to end, as so many workers have none, and what the rest of each is divided into.
    fn to_end(&mut self, now: f64, idle: usize) -> Result<Vec<(String, usize)>, String>;
    /// A piece has ended; the time of its walk, and whether that is more than it has explored.
    fn ended(
        &mut self,
        name: &str,
        now: f64,
        parts: Vec<String>,
        walk: (f64, bool),
    ) -> Result<(), String>;
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
    fn next(&mut self, now: f64) -> Result<Option<(String, f64, usize)>, String> {
        self.answer(&json!(["next", now]))
    }

    fn to_end(&mut self, now: f64, idle: usize) -> Result<Vec<(String, usize)>, String> {
        self.answer(&json!(["to_end", now, idle]))
    }

    fn ended(
        &mut self,
        name: &str,
        now: f64,
        parts: Vec<String>,
        walk: (f64, bool),
    ) -> Result<(), String> {
        let ended = json!(["ended", name, now, parts, walk.0, walk.1]);
        self.ask(&ended).map(drop)
    }
}

/// Divides once, into a piece for each worker.
#[derive(Default)]
struct Static {
    waiting: Option<Vec<String>>,
}

impl Decide for Static {
    fn next(&mut self, _: f64) -> Result<Option<(String, f64, usize)>, String> {
        Ok(match &mut self.waiting {
            None => {
                self.waiting = Some(vec![]);
                Some(("0".to_owned(), 1.0, usize::MAX))
            }
            Some(waiting) => waiting.pop().map(|name| (name, f64::INFINITY, 1)),
        })
    }

    fn to_end(&mut self, _: f64, _: usize) -> Result<Vec<(String, usize)>, String> {
        Ok(vec![])
    }

    fn ended(&mut self, _: &str, _: f64, parts: Vec<String>, _: (f64, bool)) -> Result<(), String> {
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
    open: Vec<u32>,
    /// What it leaves.
    left: Vec<u32>,
    /// So many pieces its rest is divided into.
    parts: usize,
    /// Seconds of a processor that the walk to its open paths takes, and all that is before it explores.
    walk: f64,
    before: f64,
    /// Those that it has had.
    had: f64,
    /// Those after which it ends.
    ends: f64,
}

/// An exploration by virtual workers.
struct Simulation<'a> {
    tree: &'a Tree,
    what: &'a Cluster,
    workers: usize,
    processors: f64,
    now: f64,
    /// When the driver has time again: it gives pieces out one by one.
    driver: f64,
    waiting: HashMap<String, Vec<u32>>,
    running: Vec<Running>,
    sum: Simulated,
}

/// Explores a tree with so many workers. Those that share processors share them equally.
fn simulate(
    tree: &Tree,
    what: &Cluster,
    workers: usize,
    decide: &mut dyn Decide,
) -> Result<Simulated, String> {
    let mut simulation = Simulation {
        tree,
        what,
        workers,
        processors: what.processors.unwrap_or(workers).min(workers) as f64,
        now: 0.0,
        driver: 0.0,
        waiting: HashMap::from([("0".to_owned(), tree.roots())]),
        running: vec![],
        sum: Simulated {
            seconds: 0.0,
            idle: 0.0,
            work: 0.0,
            pieces: 0,
        },
    };
    loop {
        simulation.give_out(decide)?;
        simulation.ask_to_end(decide)?;
        let Some(next) = simulation.next_end() else {
            break;
        };
        simulation.go_on(next);
        simulation.collect(decide)?;
    }
    simulation.sum.seconds = simulation.now;
    Ok(simulation.sum)
}

/// How often the driver looks whether a piece can be asked to end.
const LOOK: f64 = 0.25;

impl Simulation<'_> {
    /// The part of a processor that a piece has.
    fn share(&self) -> f64 {
        (self.processors / self.running.len().max(1) as f64).min(1.0)
    }

    fn give_out(&mut self, decide: &mut dyn Decide) -> Result<(), String> {
        while self.running.len() < self.workers
            && let Some((name, budget, parts)) = decide.next(self.now)?
        {
            let open = self
                .waiting
                .remove(&name)
                .ok_or("a piece that there is not")?;
            self.driver = self.driver.max(self.now) + self.what.driver;
            let walk = self.what.lead * self.tree.ways(&open);
            let before = self.driver - self.now + self.what.start + walk;
            // A budget is one by the clock.
            let share = self.processors / self.workers as f64;
            let (took, left) = self.tree.explore(&open, budget * share);
            self.sum.pieces += 1;
            self.running.push(Running {
                name,
                open,
                left,
                parts: parts.min(self.workers * 4),
                walk,
                before,
                had: 0.0,
                ends: before + took,
            });
        }
        Ok(())
    }

    fn ask_to_end(&mut self, decide: &mut dyn Decide) -> Result<(), String> {
        let idle = self.workers - self.running.len();
        if idle == 0 || self.running.is_empty() {
            return Ok(());
        }
        let soon = self.what.ask * self.share();
        for (name, parts) in decide.to_end(self.now, idle)? {
            let asked = self.running.iter_mut().find(|piece| piece.name == name);
            let piece = asked.ok_or("a piece that there is not")?;
            piece.parts = parts;
            if piece.had + soon < piece.ends {
                piece.ends = piece.had + soon;
                let explores = piece.ends - piece.before;
                piece.left = self.tree.explore(&piece.open, explores).1;
            }
        }
        Ok(())
    }

    /// Seconds until something happens.
    fn next_end(&self) -> Option<f64> {
        let share = self.share();
        let ends = self.running.iter().map(|piece| piece.ends - piece.had);
        let first = ends.min_by(f64::total_cmp)? / share;
        let idle = self.running.len() < self.workers;
        Some(if idle { first.min(LOOK) } else { first })
    }

    fn go_on(&mut self, seconds: f64) {
        let share = self.share();
        let busy = self.running.len() as f64;
        for piece in &mut self.running {
            piece.had += seconds * share;
        }
        self.now += seconds;
        self.sum.idle += seconds * (self.workers as f64 - busy);
        self.sum.work += seconds * share * busy;
    }

    /// Divides what the pieces that have ended have left.
    fn collect(&mut self, decide: &mut dyn Decide) -> Result<(), String> {
        let over = |piece: &mut Running| piece.had >= piece.ends - 1e-9;
        let ended: Vec<Running> = self.running.extract_if(.., over).collect();
        for piece in ended {
            self.driver = self.driver.max(self.now) + self.what.driver;
            let left = &piece.left;
            let shares = left.iter().map(|&node| self.tree.shares[node as usize]);
            let shares: Vec<f64> = shares.collect();
            let (mut names, mut from) = (Vec::new(), 0);
            for (number, to) in partition(&shares, piece.parts).into_iter().enumerate() {
                let part = format!("{}-{number}", piece.name);
                self.waiting.insert(part.clone(), left[from..to].to_vec());
                names.push(part);
                from = to;
            }
            let little = piece.ends - piece.before < piece.walk;
            decide.ended(&piece.name, self.now, names, (piece.walk, little))?;
        }
        Ok(())
    }
}
