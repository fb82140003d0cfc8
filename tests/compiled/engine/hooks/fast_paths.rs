//! Hooks hear the same with the fast paths and without them: the same events in the same order.

use super::{
    Access, Allocated, Call, CallCommand, Command, Decision, EndCommand, Forked, Hook,
    IndirectCall, Interest, MemoryAccess, Reached, Resolved, Returned, Split, Step, View, begin_in,
    hooks_c, run,
};
use plat_engine::PathEnd;
use plat_engine::hook::Accesses;
use plat_expr::ExprId;
use plat_program::Program;

/// The functions of `hooks.c` that can be begun in without others.
const PROGRAMS: [&str; 7] = [
    "branches",
    "accesses",
    "chooses",
    "calls_through_a_pointer",
    "carried_out",
    "loops",
    "many",
];

/// Writes down every event.
struct Log {
    interest: Interest,
    lines: Vec<String>,
}

impl Log {
    fn note(&mut self, view: &View<'_, '_>, what: String) {
        let (state, at) = (view.state(), view.instructions());
        let place = view.instruction();
        self.lines.push(format!("{state:?} {at} {place:?}: {what}"));
    }
}

impl Hook for Log {
    fn name(&self) -> &str {
        "log"
    }

    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn started(&mut self, access: &mut Access<'_, '_>) -> Step<Command> {
        self.note(&access.view(), "start".into());
        Ok(Command::Continue)
    }

    fn forked(&mut self, access: &mut Access<'_, '_>, event: &Forked) -> Step<Command> {
        self.note(&access.view(), format!("{event:?}"));
        Ok(Command::Continue)
    }

    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        let objects = event.objects();
        self.note(&access.view(), format!("{:?} in {objects:?}", event.kind));
        Ok(Command::Continue)
    }

    fn accessed(&mut self, access: &mut Access<'_, '_>, event: &MemoryAccess) -> Step<Command> {
        self.note(&access.view(), format!("accessed {event:?}"));
        Ok(Command::Continue)
    }

    fn called(&mut self, access: &mut Access<'_, '_>, event: &Call<'_>) -> Step<CallCommand> {
        self.note(
            &access.view(),
            format!("call {} {:?}", event.name, event.args),
        );
        Ok(CallCommand::Continue)
    }

    fn returned(&mut self, access: &mut Access<'_, '_>, event: &Returned<'_>) -> Step<CallCommand> {
        let (name, value) = (event.name, event.value);
        self.note(&access.view(), format!("return {name} {value:?}"));
        Ok(CallCommand::Continue)
    }

    fn called_indirectly(
        &mut self,
        access: &mut Access<'_, '_>,
        event: &IndirectCall,
    ) -> Step<Command> {
        self.note(&access.view(), format!("{event:?}"));
        Ok(Command::Continue)
    }

    fn reached(&mut self, access: &mut Access<'_, '_>, event: &Reached<'_>) -> Step<Command> {
        self.note(&access.view(), format!("{event:?}"));
        Ok(Command::Continue)
    }

    fn decides(&mut self, access: &mut Access<'_, '_>, event: &Decision) -> Step<ExprId> {
        self.note(&access.view(), format!("{event:?}"));
        Ok(event.expr)
    }

    fn allocated(&mut self, access: &mut Access<'_, '_>, event: &Allocated) {
        self.note(&access.view(), format!("{event:?}"));
    }

    fn watch_access(&mut self, view: &View<'_, '_>, event: &MemoryAccess) {
        self.note(view, format!("watch {event:?}"));
    }

    fn watch_split(&mut self, view: &View<'_, '_>, event: &Split) {
        self.note(view, format!("{event:?}"));
    }

    fn ended(&mut self, access: &mut Access<'_, '_>, end: &PathEnd) -> Step<EndCommand> {
        self.note(&access.view(), format!("{end:?}"));
        Ok(EndCommand::Keep)
    }
}

/// All events but accesses, which alone would take all instructions off the fast paths.
fn everything_else() -> Interest {
    let interest = Interest::new()
        .start()
        .forks()
        .resolutions()
        .indirect_calls()
        .decisions()
        .allocations()
        .watch_splits()
        .ends()
        .block("thrice", 0)
        .instruction("twice", 1);
    let calls = ["twice", "thrice", "malloc", "free", "strlen"];
    calls
        .into_iter()
        .fold(interest, |interest, name| interest.call(name).returns(name))
}

fn heard(program: &Program, entry: &str, interest: Interest, fast_paths: bool) -> Vec<String> {
    let mut config = begin_in(entry);
    config.fast_paths = fast_paths;
    let mut log = Log {
        interest,
        lines: Vec::new(),
    };
    run(program, &config, vec![Box::new(&mut log)]);
    log.lines
}

#[test]
fn hooks_hear_the_same_with_fast_paths_and_without() {
    for optimisation in ["-O0", "-O1"] {
        let program = hooks_c(optimisation);
        let accesses = Interest::new()
            .accesses(Accesses::ALL)
            .watch_accesses(Accesses::ALL);
        for interest in [everything_else(), accesses] {
            let mut all = Vec::new();
            for entry in PROGRAMS {
                let with = heard(&program, entry, interest.clone(), true);
                let without = heard(&program, entry, interest.clone(), false);
                assert_eq!(with, without, "{entry} {optimisation}");
                all.extend(with);
            }
            assert!(all.len() > 50, "{} events", all.len());
        }
    }
}
