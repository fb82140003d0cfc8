//! What holds before the run, while its stages work: a request to end, the bound on time and the
//! bound on memory end the process. Nothing that a run has found is there yet; what the stages have
//! made is removed.

use crate::args::execution::LimitArgs;
use crate::exit::BAD_INPUT;
use crate::interrupt::{self, INTERRUPTED};
use crate::say::note;
use plat::scratch::Scratch;
use plat::{Error, OnDirectory, llvm};
use signal_hook::iterator::Signals;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time between two looks.
const TICK: Duration = Duration::from_millis(20);

/// What the stages may have in any case: less than a small program takes is no use.
const LEAST_TIME: Duration = Duration::from_secs(10);
const LEAST_MEMORY: u64 = 512 << 20;

/// How often a directory that others write into is removed before it is let be.
const ATTEMPTS: u32 = 1000;

/// What is removed when the process is ended; none once the stages are over.
type Doomed = Arc<Mutex<Option<Vec<PathBuf>>>>;

/// Watches the stages until it is dropped.
pub struct Watch {
    doomed: Doomed,
}

impl Watch {
    /// Begins. The stages may take as much time and memory as the user grants the run, and 10 s and
    /// 512 MiB in any case; what the run has by default does not bound them.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn start(limits: &LimitArgs) -> Result<Self, Error> {
        let time = limits.max_time.filter(|span| !span.is_zero());
        let memory = limits.max_memory.filter(|&bytes| bytes > 0);
        Self::within(
            time.map(|most| most.max(LEAST_TIME)),
            memory.map(|most| most.max(LEAST_MEMORY)),
        )
    }

    /// Begins for the rest of a process that makes no run: only requests to end are heeded.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn unbounded() -> Result<Self, Error> {
        Self::within(None, None)
    }

    fn within(time: Option<Duration>, memory: Option<u64>) -> Result<Self, Error> {
        let failed = |why| Error::input(format!("cannot handle interrupts: {why}"));
        let doomed = Doomed::new(Mutex::new(Some(Vec::new())));
        let signals = Signals::new(interrupt::signals()).map_err(failed)?;
        let shared = Arc::clone(&doomed);
        std::thread::Builder::new()
            .spawn(move || look(signals, time, memory, &shared))
            .map_err(failed)?;
        Ok(Watch { doomed })
    }

    /// Makes a temporary directory that is removed with what the stages have made: who ends the
    /// process meanwhile waits for it.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn scratch(&self) -> Result<Scratch, Error> {
        let mut doomed = self.doomed.lock();
        let scratch = Scratch::create()?;
        if let Ok(Some(doomed)) = doomed.as_deref_mut() {
            doomed.push(scratch.path().to_path_buf());
        }
        Ok(scratch)
    }

    /// The same for directories that the library makes, see [`plat::Explorer::on_directory`].
    pub fn keeper(&self) -> OnDirectory<'static> {
        let doomed = Arc::clone(&self.doomed);
        Box::new(move |make| {
            let mut doomed = doomed.lock();
            let path = make()?;
            if let Ok(Some(doomed)) = doomed.as_deref_mut() {
                doomed.push(path);
            }
            Ok(())
        })
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Ok(mut doomed) = self.doomed.lock() {
            *doomed = None;
        }
    }
}

/// Looks until there is a reason to end the process, or the stages are over.
fn look(mut signals: Signals, time: Option<Duration>, memory: Option<u64>, doomed: &Doomed) {
    let start = Instant::now();
    loop {
        let over = time.is_some_and(|most| start.elapsed() >= most);
        let large = memory.is_some_and(|most| used() >= most);
        if signals.pending().next().is_some() {
            end(doomed, INTERRUPTED, None);
        } else if over {
            end(
                doomed,
                BAD_INPUT.into(),
                Some("take longer than --max-time"),
            );
        } else if large {
            let why = "need more memory than --max-memory";
            end(doomed, BAD_INPUT.into(), Some(why));
        }
        if doomed.lock().map_or(true, |doomed| doomed.is_none()) {
            signals.handle().close();
            return;
        }
        std::thread::sleep(TICK);
    }
}

/// Memory of this process and of the one in which LLVM works.
fn used() -> u64 {
    let resident = |process: &str| {
        let text = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
        let pages = text.split_whitespace().nth(1);
        pages
            .and_then(|pages| pages.parse::<u64>().ok())
            .unwrap_or(0)
            * 4096
    };
    let llvm = llvm::process().map_or(0, |process| resident(&process.to_string()));
    resident("self") + llvm
}

/// Ends the process, unless the stages are over.
fn end(doomed: &Doomed, code: i32, why: Option<&str>) {
    // The lock is kept to the end: who drops the watch now waits for it.
    if let Ok(doomed) = doomed.lock()
        && let Some(paths) = doomed.as_deref()
    {
        paths.iter().for_each(|path| remove(path));
        if let Some(why) = why {
            note!("plat: the stages before the run {why}");
        }
        exit(code);
    }
}

/// Removes a directory, into which somebody may be writing still.
fn remove(path: &Path) {
    for _ in 0..ATTEMPTS {
        let _ = std::fs::remove_dir_all(path);
        if !path.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
