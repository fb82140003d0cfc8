//! Virtual workers on a tree. Time goes on in short steps, in which each worker explores what it comes to: a node is
//! taken from the queue of its piece once, however often pieces are asked to end.

use super::decide::{Decide, Ended, Next};
use super::options::Cluster;
use super::tree::Tree;
use plat::trie::partition;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

/// Seconds of a step.
const STEP: f64 = 0.005;

/// Most pieces that the rest of one is divided into, for each worker: the rest of the first piece is to be enough for
/// all.
const PARTS: usize = 4;

/// What has come of an exploration.
#[derive(Default)]
pub struct Simulated {
    pub seconds: f64,
    /// Seconds of workers that have had no piece.
    pub idle: f64,
    /// Seconds of processors, with those of starts and of walks.
    pub work: f64,
    pub pieces: usize,
}

/// A process of a piece.
#[derive(Default)]
struct Process {
    queue: BinaryHeap<Reverse<(u32, u32)>>,
    /// Seconds for which it may explore before it is as far as the time; less than 0 where a node took longer, or it
    /// has forked.
    credit: f64,
    explored: f64,
    /// When it has forked last, or was forked.
    forked: f64,
}

impl Process {
    /// Goes on for some seconds of a processor.
    fn go_on(&mut self, tree: &Tree, seconds: f64) {
        self.credit += seconds;
        while self.credit > 0.0
            && let Some(Reverse((_, node))) = self.queue.pop()
        {
            let cost = tree.costs[node as usize];
            self.credit -= cost;
            self.explored += cost;
            let sides = tree.sides(node).iter();
            self.queue
                .extend(sides.map(|&side| Reverse(tree.entry(side))));
        }
    }

    fn is_over(&self) -> bool {
        self.queue.is_empty() && self.credit >= 0.0
    }

    /// Keeps every second path, and gives the others to a new process.
    fn fork(&mut self, now: f64, seconds: f64) -> Process {
        let mut all: Vec<_> = self.queue.drain().collect();
        all.sort_unstable_by_key(|&Reverse((_, node))| node);
        let mut other = Process::default();
        for (at, path) in all.into_iter().enumerate() {
            let side = if at % 2 == 0 { &mut other } else { &mut *self };
            side.queue.push(path);
        }
        (self.forked, other.forked) = (now, now);
        // What the old one has begun, its paths have begun.
        self.credit -= seconds;
        other.credit = self.credit.min(-seconds);
        other
    }
}

/// A piece that is being explored.
struct Running {
    name: String,
    processes: Vec<Process>,
    /// What processes that have ended have explored.
    explored: f64,
    /// So many pieces its rest is divided into.
    parts: usize,
    /// Seconds until it explores, on a processor of its own.
    before: f64,
    /// Those of them that are the walk to its open paths.
    walk: f64,
    /// When it has ended, whatever is left.
    until: f64,
    worker: usize,
}

impl Running {
    /// Processors that it uses.
    fn uses(&self) -> usize {
        self.processes.len().max(1)
    }

    /// Goes on for a step, with so many seconds for each processor.
    fn go_on(&mut self, tree: &Tree, seconds: f64) {
        let waits = self.before.min(seconds);
        self.before -= waits;
        for process in &mut self.processes {
            process.go_on(tree, seconds - waits);
        }
        if self.before <= 0.0 {
            let ended = self.processes.extract_if(.., |process| process.is_over());
            self.explored += ended.map(|process| process.explored).sum::<f64>();
        }
    }

    /// Processes that have several paths fork, while there are fewer than may be.
    fn fork(&mut self, now: f64, what: &Cluster) {
        for at in 0..self.processes.len() {
            if self.processes.len() >= what.node.width {
                return;
            }
            let process = &mut self.processes[at];
            if process.queue.len() > 1 && now - process.forked >= what.node.interval {
                let other = process.fork(now, what.node.fork);
                self.processes.push(other);
            }
        }
    }

    fn is_over(&self, now: f64) -> bool {
        self.before <= 0.0 && (now >= self.until || self.processes.is_empty())
    }

    fn explored(&self) -> f64 {
        let live = self.processes.iter().map(|process| process.explored);
        self.explored + live.sum::<f64>()
    }

    /// What it leaves, in the order of the tree.
    fn left(self) -> Vec<u32> {
        let left = self.processes.into_iter().flat_map(|process| process.queue);
        let mut left: Vec<u32> = left.map(|Reverse((_, node))| node).collect();
        left.sort_unstable();
        left
    }
}

/// An exploration by virtual workers.
struct Simulation<'a> {
    tree: &'a Tree,
    what: &'a Cluster,
    workers: usize,
    /// Pieces that can run at once, each by several workers.
    nodes: usize,
    processors: f64,
    now: f64,
    /// When the driver has time again: it gives pieces out, and takes what they leave, one by one.
    driver: f64,
    /// When it has looked last whether pieces can be asked to end.
    looked: f64,
    waiting: HashMap<String, Vec<u32>>,
    running: Vec<Running>,
    /// Pieces that have ended, and when the driver knows.
    ended: VecDeque<(f64, Running)>,
    /// Workers without a piece.
    free: Vec<usize>,
    sum: Simulated,
}

/// Explores a tree with so many workers. Those that share processors share them equally.
///
/// # Errors
/// When the scheduler cannot be asked.
pub fn simulate(
    tree: &Tree,
    what: &Cluster,
    workers: usize,
    decide: &mut dyn Decide,
) -> Result<Simulated, String> {
    let nodes = workers.div_ceil(what.node.width);
    let mut simulation = Simulation {
        tree,
        what,
        workers,
        nodes,
        processors: what.processors.unwrap_or(workers).min(workers) as f64,
        now: 0.0,
        driver: 0.0,
        looked: 0.0,
        waiting: HashMap::from([("0".to_owned(), tree.roots())]),
        running: vec![],
        ended: VecDeque::new(),
        free: (0..nodes).rev().collect(),
        sum: Simulated::default(),
    };
    simulation.give_out(decide)?;
    while !(simulation.running.is_empty() && simulation.ended.is_empty()) {
        simulation.go_on();
        if simulation.collect(decide)? {
            simulation.give_out(decide)?;
        }
        simulation.ask_to_end(decide)?;
    }
    simulation.sum.seconds = simulation.now;
    Ok(simulation.sum)
}

impl Simulation<'_> {
    fn give_out(&mut self, decide: &mut dyn Decide) -> Result<(), String> {
        while !self.free.is_empty()
            && let Some(next) = decide.next(self.now)?
        {
            let worker = self.free.pop().ok_or("a worker that there is not")?;
            self.begin(worker, next)?;
        }
        Ok(())
    }

    fn begin(&mut self, worker: usize, next: Next) -> Result<(), String> {
        let open = self.waiting.remove(&next.name);
        let open = open.ok_or("a piece that there is not")?;
        self.driver = self.driver.max(self.now) + self.what.driver;
        let walk = self.what.lead * self.tree.ways(&open);
        // All workers begin to load the program with the first piece.
        let loads = (self.what.first - self.now).max(0.0);
        let before = (self.driver - self.now).max(loads) + self.what.start + walk;
        self.sum.pieces += 1;
        let entry = |node: u32| Reverse(self.tree.entry(node));
        self.running.push(Running {
            processes: vec![Process {
                queue: open.into_iter().map(entry).collect(),
                ..Process::default()
            }],
            explored: 0.0,
            parts: next.parts.min(self.nodes * PARTS),
            before,
            walk,
            // The budget is one by the clock.
            until: self.now + before + next.budget,
            name: next.name,
            worker,
        });
        Ok(())
    }

    fn ask_to_end(&mut self, decide: &mut dyn Decide) -> Result<(), String> {
        if self.free.is_empty() || self.now < self.looked + self.what.look {
            return Ok(());
        }
        self.looked = self.now;
        for (name, parts) in decide.to_end(self.now, self.free.len())? {
            // It may have ended, which the driver does not know yet.
            if let Some(piece) = self.running.iter_mut().find(|piece| piece.name == name) {
                piece.parts = parts;
                piece.until = piece.until.min(self.now + self.what.ask);
            }
        }
        Ok(())
    }

    fn go_on(&mut self) {
        let busy: usize = self.running.iter().map(Running::uses).sum();
        let share = (self.processors / busy.max(1) as f64).min(1.0);
        self.now += STEP;
        self.sum.idle += STEP * (self.workers as f64 - busy as f64).max(0.0);
        self.sum.work += STEP * share * busy as f64;
        let now = self.now;
        for piece in &mut self.running {
            piece.go_on(self.tree, STEP * share);
            piece.fork(now, self.what);
        }
        for piece in self.running.extract_if(.., |piece| piece.is_over(now)) {
            self.driver = self.driver.max(now) + self.what.driver;
            self.ended.push_back((self.driver, piece));
        }
    }

    /// Divides what the pieces have left of which the driver knows by now that they have ended. Says whether there
    /// are any.
    fn collect(&mut self, decide: &mut dyn Decide) -> Result<bool, String> {
        let mut any = false;
        while self.ended.front().is_some_and(|ended| ended.0 <= self.now) {
            let Some((_, piece)) = self.ended.pop_front() else {
                break;
            };
            any = true;
            self.free.push(piece.worker);
            let (name, walk, most) = (piece.name.clone(), piece.walk, piece.parts);
            let little = piece.explored() < walk;
            let left = piece.left();
            let shares = left.iter().map(|&node| self.tree.shares[node as usize]);
            let shares: Vec<f64> = shares.collect();
            let (mut parts, mut from) = (Vec::new(), 0);
            for (number, to) in partition(left.len(), most).into_iter().enumerate() {
                let part = format!("{name}-{number}");
                self.waiting.insert(part.clone(), left[from..to].to_vec());
                parts.push((part, shares[from..to].iter().sum()));
                from = to;
            }
            let ended = Ended {
                name,
                parts,
                walk,
                little,
            };
            decide.ended(self.now, ended)?;
        }
        Ok(any)
    }
}
