//! Infinite loops, as an option: a path that comes back to a state that it was in, and has heard
//! nothing from the world in between, does the same again for ever (SymLive, CAV 2018).
//!
//! SymLive keeps a hash of the state up to date at every store and compares it at every loop head.
//! Here nothing is done at a store. A path pauses when it has executed 2^12 instructions, 2^12 more, 2^13 more,
//! and so on: the block at which it stands is watched from then on, the state at it is kept
//! ([`snapshot`]), and whenever the path comes to the block again it is compared with that, until
//! the next pause. Two states of a path share what was not written in between, and the place at
//! which they differed last is looked at first, so that most comparisons are of one word. A period
//! of any length is found once the distance between two pauses is longer (Brent's algorithm). States
//! are compared themselves and not by a hash.
//!
//! Where the stack grows from pause to pause, the beginning of a function is watched instead, and what
//! lies on the stack above the activation that was there first does not count: infinite recursion.
//!
//! Objects are compared by their identity. Addresses that a quarantine rotates come back, with the
//! identities of the objects at them: such a loop has a longer period.
//!
//! What is found is walked through once more ([`cycle`]), which confirms it and gives its places.
//!
//! A path that has been silent for long may be in a loop in which something counts, so that no state comes
//! back, but which nothing leads out of ([`without_exit`]).
//! See `docs/decisions/049-infinite-loops.md` for why that is sound.

mod alike;
mod cycle;
mod snapshot;
mod without_exit;

use crate::api::config::Config;
use crate::api::outcome::PathEnd;
use crate::hook::{Access, AcrossWorkers, Command, Hook, Interest, Pause, Step};
use crate::state::State;
use cycle::{INFINITE_LOOP, Lap};
use plat_program::{FuncId, InstId, Program};
use snapshot::{Doubt, Snapshot};
use std::rc::Rc;
use without_exit::WaysOut;

/// Instructions before the first pause.
const FIRST: u64 = 1 << 12;

/// Instructions before the next pause when the path has heard something. Keeping a state costs about
/// as much as some ten thousand instructions, as pages are copied that are written next.
const AFTER_INPUT: u64 = 1 << 18;

/// Questions for the solver between two pauses, see [`alike`].
const QUESTIONS: u32 = 16;

/// Frames by which the stack has grown between two pauses where recursion is looked for.
const GROWN: u32 = 48;

/// Instructions without input after which a path may be in a loop that nothing leads out of. A loop that
/// writes beyond the end of a buffer has mostly done so before.
const SILENT: u64 = 1 << 25;

/// The watched block may be visited once in so many instructions; then it is watched no more. A visit
/// costs as much as some thirty instructions.
const INSTRUCTIONS_PER_VISIT: u64 = 512;

/// The check, if the configuration asks for it.
pub(super) fn make<'a>(_: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    (config.checks.loops).then(|| Box::new(LoopCheck::default()) as Box<dyn Hook>)
}

/// Ends paths that loop for ever in a fault.
#[derive(Default)]
struct LoopCheck {
    /// Once a path has been silent for long.
    ways_out: Option<WaysOut>,
}

impl Hook for LoopCheck {
    fn name(&self) -> &str {
        "infinite loops"
    }

    fn interest(&self) -> Interest {
        Interest::new().start().pauses()
    }

    fn started(&mut self, access: &mut Access<'_, '_>) -> Step<Command> {
        access.data::<Watch>().begin_in(FIRST, 0);
        access.pause(Pause {
            at: FIRST,
            ..Pause::default()
        });
        Ok(Command::Continue)
    }

    fn paused(&mut self, access: &mut Access<'_, '_>) -> Step<Command> {
        let mut watch = std::mem::take(access.data::<Watch>());
        let command = watch.look(access, &mut self.ways_out);
        *access.data() = watch;
        Ok(command)
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}

/// What a path has heard from the world: how often it has asked, and how many symbolic objects it has
/// made.
type Heard = (u64, usize);

/// What is known of one path.
#[derive(Clone, Default)]
struct Watch {
    /// When the next state is kept: behind so many instructions.
    next: u64,
    /// The distance from then to the one after it.
    gap: u64,
    /// The block at which states are compared.
    block: Option<InstId>,
    /// Whether the path may stay within library functions, as it did not come to the last block.
    inside: bool,
    /// Whether the block begins a function, and what is looked for is recursion.
    recursion: bool,
    /// Frames on the stack at the last pause.
    frames: u32,
    /// The state that is kept.
    kept: Option<Rc<Snapshot>>,
    /// How often the block may still be visited.
    visits: u64,
    /// What comparisons have come to.
    doubt: Doubt,
    /// What the path had heard at the last pause.
    heard: Heard,
    /// Instructions on the path when it had heard something, or another thread was there.
    silent_since: u64,
    /// The walk through a loop that was found.
    lap: Option<Box<Lap>>,
}

plat_expr::holder!(Watch { kept } 
    plain { next, gap, block, inside, recursion, frames, visits, doubt, heard, silent_since,
        lap });

/// What a path has heard so far.
fn heard(state: &State) -> Heard {
    (state.environment.heard.calls, state.input.symbolics.len())
}

impl Watch {
    /// The next state is kept so many instructions from now.
    fn begin_in(&mut self, distance: u64, now: u64) -> Pause {
        (self.next, self.gap) = (now.saturating_add(distance), distance);
        (self.block, self.kept, self.lap) = (None, None, None);
        self.pause()
    }

    /// Where the path is to pause next.
    fn pause(&self) -> Pause {
        Pause {
            at: self.next,
            block: self.block,
            blocks: false,
        }
    }

    /// Looks at a path that pauses.
    fn look(&mut self, access: &mut Access<'_, '_>, ways_out: &mut Option<WaysOut>) -> Command {
        let now = access.instructions();
        if let Some(lap) = self.lap.take() {
            return self.walk(access, lap);
        }
        let heard = heard(access.state);
        if heard != self.heard {
            (self.heard, self.silent_since) = (heard, now);
            let pause = self.begin_in(AFTER_INPUT, now);
            access.pause(pause);
            return Command::Continue;
        }
        if !access.state.environment.alone() {
            // What another thread or process does may end the loop.
            self.silent_since = now;
            let pause = self.begin_in(AFTER_INPUT, now);
            access.pause(pause);
            return Command::Continue;
        }
        if access.state.environment.may_interrupt() {
            access.pause(Pause::default());
            return Command::Continue;
        }
        if now >= self.next {
            if now - self.silent_since >= SILENT {
                let ways_out = ways_out
                    .get_or_insert_with(|| WaysOut::of(access.program(), &access.exec.code));
                if let Some(end) = self.without_exit(access, ways_out) {
                    return Command::End(end);
                }
            }
            self.choose(access);
            access.pause(self.pause());
        }
        if let Some(block) = self.block
            && access.instruction() == Some(block)
        {
            self.visit(access, block);
        }
        Command::Continue
    }

    /// The fault of a path that is in a loop of the program's own code that nothing leads out of.
    fn without_exit(&self, access: &Access<'_, '_>, ways_out: &WaysOut) -> Option<PathEnd> {
        let (exec, state) = (&*access.exec, &*access.state);
        if !state.requests.aliases.is_empty() {
            return None;
        }
        let own = |function: FuncId| !exec.code.functions[function.index()].library;
        let blocks = ways_out.loop_around(access.program(), state, own)?;
        let blocks: Vec<_> = blocks.into_iter().map(|block| (block, 0)).collect();
        let silent = access.instructions() - self.silent_since;
        let why =
            format!("nothing leads out of it, and {silent} instructions went by without input");
        Some(cycle::report(exec, INFINITE_LOOP, why, &blocks))
    }

    /// Chooses the block that is watched from now on: where the program calls the library, unless it does
    /// not come there. Within a library function live objects of the stack whose identities take turns.
    fn choose(&mut self, access: &Access<'_, '_>) {
        let now = access.instructions();
        let missed = self.block.is_some() && self.kept.is_none();
        self.inside = missed && !self.inside;
        let frames = access.state.frames();
        self.recursion = frames >= self.frames.saturating_add(GROWN);
        self.frames = frames;
        self.visits = self.gap / INSTRUCTIONS_PER_VISIT;
        (self.next, self.gap) = (now.saturating_add(self.gap), self.gap.saturating_mul(2));
        self.block = Some(match self.recursion {
            true => access.program().function(access.function()).first_inst,
            false => {
                let own = access.own_block().filter(|_| !self.inside);
                own.unwrap_or_else(|| access.block())
            }
        });
        self.kept = None;
        self.doubt.questions = QUESTIONS;
    }

    /// The path has come to the block at which states are compared.
    fn visit(&mut self, access: &mut Access<'_, '_>, block: InstId) {
        let Some(kept) = &self.kept else {
            self.kept = Some(Rc::new(Snapshot::of(access)));
            return;
        };
        let kept = Rc::clone(kept);
        if self.recursion && kept.has_returned(access.state) {
            self.kept = Some(Rc::new(Snapshot::of(access)));
        } else if !kept.differs(access, self.recursion, &mut self.doubt) {
            let period = access.instructions() - kept.instructions;
            let (lap, pause) = Lap::begin(access, block, period);
            access.pause(pause);
            self.lap = Some(Box::new(lap));
            return;
        }
        self.visits = self.visits.saturating_sub(1);
        if self.visits == 0 {
            (self.block, self.kept) = (None, None);
            access.pause(self.pause());
        }
    }

    /// The path goes through a loop that was found.
    fn walk(&mut self, access: &mut Access<'_, '_>, mut lap: Box<Lap>) -> Command {
        let now = access.instructions();
        if now < lap.end() {
            lap.come(access);
            self.lap = Some(lap);
            return Command::Continue;
        }
        let kept = self.kept.clone();
        let again = kept.is_some_and(|kept| {
            let returned = self.recursion && kept.has_returned(access.state);
            !returned && !kept.differs(access, self.recursion, &mut self.doubt)
        });
        // Where an activation has its objects may decide something.
        let by_addresses = self.recursion && lap.looks_at_addresses(access.program());
        if again && !by_addresses {
            return Command::End(lap.fault(access.exec, self.recursion));
        }
        let pause = self.begin_in(self.gap, now);
        access.pause(pause);
        Command::Continue
    }
}
