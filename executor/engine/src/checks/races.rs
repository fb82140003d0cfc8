//! Data races, as an option: two accesses of one byte by different threads, at least one of them a write
//! and at least one of them plain, that nothing orders.
//!
//! Order is happens-before by vector clocks (Lamport; "FastTrack", Flanagan, Freund, PLDI 2009, for what is
//! kept of accesses). A thread is ordered behind what its maker did before, and an atomic operation behind
//! the atomic operations at its place that came before. The C library's mutexes and conditions are
//! made of such operations, so they need no rules of their own; its accesses through `volatile` are what its
//! atomic loads and stores are, and all its others are left out, as are accesses through symbolic addresses
//! and what system calls do.
//!
//! What is reported is a race of the path. Races that another order of locks would show need another
//! path: `--preemptions`.

use crate::api::config::Config;
use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::executor::Executor;
use crate::hook::{
    Access, Accesses, AcrossWorkers, Allocated, Command, Hook, Interest, MemoryAccess, Place, Step,
};
use plat_env::PID;
use plat_expr::ObjectId;
use plat_memory::AccessKind;
use plat_program::{Inst, InstId, Program};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bytes of which accesses are noted together.
const WORD: i64 = 8;

/// Of longer accesses the first bytes are looked at.
const LONGEST: u64 = 1 << 16;

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(_: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    (config.checks.races).then(|| Box::new(RaceCheck) as Box<dyn Hook>)
}

/// Ends paths in which two threads race.
struct RaceCheck;

/// How often each thread had synchronised, as far as is known: by the number of the thread.
type Clock = Vec<u32>;

/// An access of some bytes of a word.
#[derive(Clone, Copy, Debug)]
struct Past {
    bytes: u8,
    writes: bool,
    atomic: bool,
    thread: usize,
    time: u32,
    inst: InstId,
}

/// A place: an object and a word of it.
type At = (ObjectId, i64);

/// What is known on one path.
#[derive(Clone, Default)]
struct Races {
    /// By thread.
    clocks: Vec<Clock>,
    /// What atomic operations at a place have made known.
    released: Rc<FxHashMap<ObjectId, FxHashMap<i64, Clock>>>,
    /// The last accesses.
    words: Rc<FxHashMap<ObjectId, FxHashMap<i64, Vec<Past>>>>,
}

plat_expr::plain!(Races);

/// How an access orders threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// Not at all.
    Plain,
    /// It is atomic.
    Atomic,
    /// It is one of the library's that does as an atomic one.
    Synchronises,
    /// It is another one of the library's.
    Left,
}

fn join(mine: &mut Clock, theirs: &Clock) {
    if mine.len() < theirs.len() {
        mine.resize(theirs.len(), 0);
    }
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = (*mine).max(*theirs);
    }
}

impl Races {
    /// Takes note of threads that were made: each by which.
    fn meet(&mut self, makers: &[(usize, usize)]) {
        if self.clocks.is_empty() {
            self.clocks.push(vec![1]);
        }
        for &(thread, maker) in makers {
            if thread < self.clocks.len() {
                continue;
            }
            let mut clock = self.clocks.get(maker).cloned().unwrap_or_default();
            clock.resize(thread + 1, 0);
            clock[thread] = 1;
            self.clocks.resize(thread + 1, Clock::new());
            self.clocks[thread] = clock;
            self.step(maker);
        }
    }

    /// What a thread does from now on is not known to others.
    fn step(&mut self, thread: usize) {
        if let Some(time) = self.clocks[thread].get_mut(thread) {
            *time += 1;
        }
    }

    /// An atomic access.
    fn synchronise(&mut self, thread: usize, at: At, writes: bool) {
        let (object, offset) = at;
        let known = self.released.get(&object);
        if let Some(known) = known.and_then(|object| object.get(&offset)) {
            join(&mut self.clocks[thread], known);
        }
        if writes {
            let known = Rc::make_mut(&mut self.released).entry(object).or_default();
            join(known.entry(offset).or_default(), &self.clocks[thread]);
            self.step(thread);
        }
    }

    /// An access of bytes of a word; an earlier one that nothing orders before it.
    fn access(&mut self, (object, word): At, now: Past) -> Option<Past> {
        let clock = &self.clocks[now.thread];
        let words = Rc::make_mut(&mut self.words).entry(object).or_default();
        let known = words.entry(word).or_default();
        let ordered = |past: &Past| {
            clock
                .get(past.thread)
                .is_some_and(|time| past.time <= *time)
        };
        let races = |past: &&Past| {
            past.thread != now.thread
                && past.bytes & now.bytes != 0
                && (past.writes || now.writes)
                && !(past.atomic && now.atomic)
                && !ordered(past)
        };
        let race = known.iter().find(races).copied();
        // Whoever races with one that this one follows and covers, races with this one.
        let covered = |past: &Past| {
            let weaker = (now.writes || !past.writes) && (!now.atomic || past.atomic);
            past.bytes & !now.bytes == 0 && weaker && ordered(past)
        };
        known.retain(|past| !covered(past));
        known.push(now);
        race
    }
}

impl Hook for RaceCheck {
    fn name(&self) -> &str {
        "data races"
    }

    fn interest(&self) -> Interest {
        Interest::new().accesses(Accesses::ALL).allocations()
    }

    fn allocated(&mut self, access: &mut Access<'_, '_>, event: &Allocated) {
        if access.state.others.threads.is_none() {
            return;
        }
        let races = access.data::<Races>();
        if races.words.contains_key(&event.object) {
            Rc::make_mut(&mut races.words).remove(&event.object);
        }
        if races.released.contains_key(&event.object) {
            Rc::make_mut(&mut races.released).remove(&event.object);
        }
    }

    fn accessed(&mut self, access: &mut Access<'_, '_>, event: &MemoryAccess) -> Step<Command> {
        let Some(threads) = &access.state.others.threads else {
            return Ok(Command::Continue);
        };
        let writes = event.kind == AccessKind::Write;
        let Place::Known(object, offset) = event.place else {
            return Ok(Command::Continue);
        };
        if event.kind == AccessKind::Free {
            return Ok(Command::Continue);
        }
        let number = |id: u64| (id - PID) as usize;
        let all = threads.others.iter().map(|thread| &thread.identity);
        let all = all.chain(std::iter::once(&threads.running));
        let mut makers: Vec<(usize, usize)> = all
            .filter_map(|one| Some((number(one.id), number(one.made_by?))))
            .collect();
        makers.sort_unstable();
        let thread = number(threads.running.id);
        let order = order_of(access.exec, event.inst);
        let races = access.data::<Races>();
        races.meet(&makers);
        let size = event.size.min(LONGEST).cast_signed();
        if matches!(order, Order::Atomic | Order::Synchronises) {
            races.synchronise(thread, (object, offset), writes);
        }
        if matches!(order, Order::Left | Order::Synchronises) {
            return Ok(Command::Continue);
        }
        let time = races.clocks[thread].get(thread).copied().unwrap_or(0);
        let (first, last) = (
            offset.div_euclid(WORD),
            (offset + size - 1).div_euclid(WORD),
        );
        for word in first..=last {
            let bytes = (0..WORD).filter(|byte| {
                let at = word * WORD + byte;
                (offset..offset + size).contains(&at)
            });
            let now = Past {
                bytes: bytes.fold(0, |mask, byte| mask | 1 << byte),
                writes,
                atomic: order == Order::Atomic,
                thread,
                time,
                inst: event.inst,
            };
            if let Some(past) = races.access((object, word), now) {
                let end = self.race(access, event, (object, offset), past);
                return Ok(Command::End(end));
            }
        }
        Ok(Command::Continue)
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}

impl RaceCheck {
    fn race(
        &self,
        access: &Access<'_, '_>,
        event: &MemoryAccess,
        (object, offset): (ObjectId, i64),
        past: Past,
    ) -> PathEnd {
        let verb = |writes| if writes { "writes" } else { "reads" };
        let exec = &*access.exec;
        let site = exec.memory.objects.get(object).site;
        let mut fault = Fault::new(FaultKind::DataRace, "data race");
        fault.at = Some(event.inst);
        fault.info.push(format!(
            "it {} {} bytes at offset {offset} of {}",
            verb(event.kind == AccessKind::Write),
            event.size,
            exec.describe_site(site)
        ));
        fault.info.push(format!(
            "thread {} {} there{}, and nothing orders the two",
            past.thread + 1,
            verb(past.writes),
            exec.place_words(past.inst)
        ));
        PathEnd::Fault(fault)
    }
}

/// How the access of an instruction orders threads.
fn order_of(exec: &Executor<'_>, inst: InstId) -> Order {
    let (function, at) = exec.program.position(inst);
    let library = exec.code.functions[function.index()].library;
    match exec.program.function(function).insts[at] {
        Inst::AtomicRmw { .. } | Inst::CompareExchange { .. } if library => Order::Synchronises,
        Inst::AtomicRmw { .. } | Inst::CompareExchange { .. } => Order::Atomic,
        Inst::Load { access, .. } | Inst::Store { access, .. } => match library {
            true if access.atomic || access.volatile => Order::Synchronises,
            true => Order::Left,
            false if access.atomic => Order::Atomic,
            false => Order::Plain,
        },
        _ if library => Order::Left,
        _ => Order::Plain,
    }
}
