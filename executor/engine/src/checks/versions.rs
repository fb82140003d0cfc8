//! A run that is led by the decisions of a run of another version of its program: a path goes on by
//! itself from where it first comes to what has changed. Up to there it does what it did in the other
//! version, so it has the same decisions and answers.

use crate::api::config::Config;
use crate::hook::{Access, AcrossWorkers, Command, Hook, InstId, Interest, Reached, Step};
use plat_program::Program;

/// The hook, if the configuration has another version.
pub(super) fn make<'a>(program: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    let changed = &config.trie.changed;
    (!changed.is_empty()).then(|| Box::new(Versions { program, changed }) as Box<dyn Hook>)
}

struct Versions<'a> {
    program: &'a Program,
    changed: &'a [InstId],
}

/// Whether a path has come to a change.
#[derive(Clone, Default)]
struct Changed(bool);

plat_expr::plain!(Changed);

impl Hook for Versions<'_> {
    fn name(&self) -> &str {
        "changes between versions"
    }

    fn interest(&self) -> Interest {
        let changed = self.changed.iter();
        changed.fold(Interest::new(), |interest, &inst| {
            let (function, position) = self.program.position(inst);
            let function = &self.program.function(function).name;
            interest.instruction(function, position as u32)
        })
    }

    fn reached(&mut self, access: &mut Access<'_, '_>, _: &Reached<'_>) -> Step<Command> {
        if !std::mem::replace(&mut access.data::<Changed>().0, true) {
            access.exec.leave_plan(access.state);
        }
        Ok(Command::Continue)
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}
