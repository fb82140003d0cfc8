//! What a fault says of the processes and threads of its path.

use crate::api::outcome::{IN_CHILD, PathEnd};
use crate::executor::Executor;
use crate::report::blame::place_text;
use crate::state::State;
use crate::state::frame::Frame;
use crate::state::threads::{Awaited, Identity};
use plat_env::PID;
use plat_program::InstId;

/// A thread, or a process, as reports number them: the first is 1.
fn number(id: u64) -> u64 {
    id - PID + 1
}

impl Executor<'_> {
    /// An end with what there is to say of processes and threads, if it is a fault and there are several.
    pub(crate) fn in_threads(&self, state: &State, end: PathEnd) -> PathEnd {
        let (PathEnd::Fault(mut fault), Some(threads)) = (end.clone(), &state.others.threads)
        else {
            return end;
        };
        let running = &threads.running;
        if state.others.processes.is_some() {
            let process = state.environment.process();
            if process != PID {
                fault.message.push_str(IN_CHILD);
            }
            fault.info.push(format!(
                "in process {}{}",
                number(process),
                self.made(running)
            ));
            if threads.others.is_empty() && threads.departures.is_empty() {
                return PathEnd::Fault(fault);
            }
        }
        fault.info.push(format!(
            "in thread {}{}",
            number(running.id),
            self.made(running)
        ));
        for thread in &threads.others {
            let frames = std::iter::once(&thread.frame).chain(thread.callers.iter());
            let does = match thread.wait {
                Some(wait) if wait.what == Awaited::Time => "sleeps",
                Some(_) => "waits",
                None => "could run",
            };
            let at = self.standing(frames);
            fault.info.push(format!(
                "thread {}{} {does}{at}",
                number(thread.identity.id),
                self.made(&thread.identity),
            ));
        }
        for departure in &threads.departures {
            let (from, to) = (number(departure.from), number(departure.to));
            let at = self.place_words(departure.at);
            fault.info.push(format!(
                "schedule: thread {to} ran in place of thread {from}{at}"
            ));
        }
        PathEnd::Fault(fault)
    }

    fn made(&self, thread: &Identity) -> String {
        let made = thread.made_at.map(|at| self.place_words(at));
        match made {
            Some(place) if !place.is_empty() => format!(" (made{place})"),
            _ => String::new(),
        }
    }

    /// Where frames stand, innermost first: in the program's own code, if any of them does.
    fn standing<'f>(&self, frames: impl Iterator<Item = &'f Frame>) -> String {
        let mut own = frames.filter(|frame| self.is_own(frame));
        own.next().map_or(String::new(), |frame| {
            let function = self.program.function(frame.function);
            let place = self.place_words(frame.inst(self.program));
            format!("{place} in {}()", function.name)
        })
    }

    /// A place, as it stands behind what happens there.
    pub(crate) fn place_words(&self, at: InstId) -> String {
        let line = self.line_outside_libraries(at);
        place_text(&line).map_or(String::new(), |place| format!(" at {place}"))
    }
}
