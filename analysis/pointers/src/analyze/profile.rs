//! Where the time and the memory of an analysis go.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// A part of the work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// What it does, in one word.
    pub name: &'static str,
    /// Processor time of this process and of those that it has waited for.
    pub time: Duration,
    /// Bytes of memory that this process has at its end; 0 where the kernel does not tell.
    pub resident: u64,
}

/// Measures stages that follow each other.
#[derive(Clone, Debug)]
pub struct Clock {
    last: Duration,
    /// What was measured.
    pub stages: Vec<Stage>,
}

impl Clock {
    /// The first stage begins now.
    pub fn start() -> Self {
        Self {
            last: spent(),
            stages: Vec::new(),
        }
    }

    /// Others have measured these stages.
    pub fn go_on(&mut self, stages: Vec<Stage>) {
        self.stages.extend(stages);
        self.last = spent();
    }

    /// A stage has ended, and the next one begins. What is done several times is one stage.
    pub fn ended(&mut self, name: &'static str) {
        let now = spent();
        let time = now.saturating_sub(std::mem::replace(&mut self.last, now));
        let resident = resident();
        match self.stages.iter_mut().find(|stage| stage.name == name) {
            Some(stage) => {
                stage.time += time;
                stage.resident = resident;
            }
            None => self.stages.push(Stage {
                name,
                time,
                resident,
            }),
        }
    }
}

fn spent() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let part = |number: i64| u64::try_from(number).unwrap_or(0);
    let own = Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec));
    own + of_children()
}

/// Of processes that have ended, as far as the kernel tells (in ticks of 10 ms).
fn of_children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may hold blanks.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(13).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = pages
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}
