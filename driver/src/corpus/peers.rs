//! The inputs that fuzzers find while plat runs beside them: the queues of AFL++'s nodes, looked at
//! again and again, as seeds.

use super::{Target, files, names};
use plat_engine::seeds::{Seed, SeedSource};
use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The longest input that nodes of AFL++ exchange.
pub const LONGEST: u64 = 1 << 20;
/// The most seeds that are given at once. What lies beside them is to be explored in between.
const AT_ONCE: usize = 8;

/// Inputs by the SHA-1 of their bytes, as both sides of the exchange know them.
pub type Known = Rc<RefCell<HashSet<String>>>;

/// The queues of the other nodes.
pub struct Peers {
    directory: PathBuf,
    /// The name of the node that plat is.
    own: String,
    target: Target,
    interval: Duration,
    /// When the queues are looked at next.
    due: Instant,
    seen: HashSet<PathBuf>,
    /// Inputs that were found and not given, the best at the end.
    waiting: Vec<Waiting>,
    known: Known,
    taken: Rc<RefCell<u64>>,
}

/// An input, by how soon it is to be followed: what covered something in the fuzzer first, then
/// small ones (as SymCC's helper has it).
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    covers: bool,
    smaller_than: std::cmp::Reverse<u64>,
    path: PathBuf,
}

impl Peers {
    /// The queues in an output directory of AFL++, looked at in this interval. `taken` counts the
    /// inputs that were given.
    pub fn new(
        directory: &Path,
        own: &str,
        target: Target,
        interval: Duration,
        known: Known,
        taken: Rc<RefCell<u64>>,
    ) -> Self {
        Peers {
            directory: directory.into(),
            own: own.into(),
            target,
            interval,
            due: Instant::now(),
            seen: HashSet::new(),
            waiting: Vec::new(),
            known,
            taken,
        }
    }

    /// Looks for inputs that were not there before. What cannot be read now may be another time.
    fn look(&mut self) {
        let own = self.directory.join(&self.own);
        let queues = files::queues(&self.directory).unwrap_or_default();
        for queue in queues.iter().filter(|queue| !queue.starts_with(&own)) {
            for path in files::entries(queue).unwrap_or_default() {
                if !self.seen.contains(&path) {
                    self.find(path);
                }
            }
        }
        self.waiting.sort();
    }

    fn find(&mut self, path: PathBuf) {
        let Ok(size) = std::fs::metadata(&path).map(|file| file.len()) else {
            return;
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let from_here = name.contains(&format!(",sync:{},", self.own));
        if !from_here && (1..=LONGEST).contains(&size) {
            self.waiting.push(Waiting {
                covers: name.ends_with("+cov"),
                smaller_than: std::cmp::Reverse(size),
                path: path.clone(),
            });
        }
        self.seen.insert(path);
    }

    fn next(&mut self) -> Option<Seed> {
        while let Some(best) = self.waiting.pop() {
            let Ok(bytes) = files::read(&best.path) else {
                continue;
            };
            let mut known = self.known.borrow_mut();
            let new = known.insert(names::libfuzzer(&bytes));
            // What its path's test will be.
            known.insert(names::libfuzzer(&self.target.as_given(&bytes)));
            if new {
                *self.taken.borrow_mut() += 1;
                return Some(self.target.seed(&bytes));
            }
        }
        None
    }
}

impl SeedSource for Peers {
    fn poll(&mut self) -> Vec<Seed> {
        if Instant::now() >= self.due {
            self.look();
            self.due = Instant::now() + self.interval;
        }
        std::iter::from_fn(|| self.next()).take(AT_ONCE).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Place;
    use std::fs;

    #[test]
    fn what_others_find_is_taken_once_and_the_best_first() {
        let room = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| {
            let path = room.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        put("main/queue/id:000000,orig:a", b"long one");
        put("main/queue/id:000001,src:000000,op:x", b"short");
        put(
            "main/queue/id:000002,src:000000,op:x,+cov",
            b"covers something",
        );
        put("main/queue/id:000003,sync:plat,src:000000", b"own");
        put("main/queue/id:000004,orig:e", b"");
        put("main/queue/.state/x", b"hidden");
        put("plat/queue/id:000000,time:1,op:plat", b"own");
        put("other/queue/id:000000,orig:a", b"short");
        let target = Target {
            place: Place::Stdin,
            size: 5,
        };
        let taken = Rc::new(RefCell::new(0));
        let known = Known::default();
        let mut peers = Peers::new(
            room.path(),
            "plat",
            target,
            Duration::ZERO,
            Rc::clone(&known),
            Rc::clone(&taken),
        );
        let mut texts = || -> Vec<String> {
            let seeds = peers.poll();
            let text = |seed: &Seed| String::from_utf8(seed.objects[0].1.clone()).unwrap();
            seeds.iter().map(text).collect()
        };
        assert_eq!(texts(), ["cover", "short", "long "]);
        assert_eq!(texts(), Vec::<String>::new());
        put("other/queue/id:000001,src:000000,op:y", b"new");
        assert_eq!(texts(), ["new"]);
        assert_eq!(*taken.borrow(), 4);
        assert!(known.borrow().contains(&names::libfuzzer(b"new\0\0")));
    }
}
