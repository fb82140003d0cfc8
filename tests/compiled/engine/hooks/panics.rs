//! A hook that panics ends the path that it was asked about, and no other.

use super::{
    Access, AcrossWorkers, Allocated, Call, CallCommand, Command, Decision, EndCommand, Hook,
    Interest, MemoryAccess, Returned, Step, View, begin_in, codes, hooks_c, run,
};
use plat_engine::hook::Accesses;
use plat_engine::{PathEnd, Summary};
use plat_expr::ExprId;
use plat_program::Program;

/// The events at which it panics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Call,
    Return,
    Decision,
    Allocation,
    Access,
    WatchedAccess,
    End,
    Finish,
}

/// Panics the second time that an event comes.
struct Panics {
    at: At,
    events: u32,
}

impl Panics {
    fn at(&mut self, at: At) {
        if at == self.at {
            self.events += 1;
            assert_ne!(self.events, 2, "the panic of a test");
        }
    }
}

impl Hook for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn interest(&self) -> Interest {
        let interest = Interest::new();
        match self.at {
            At::Call => interest.call("twice"),
            At::Return => interest.returns("twice"),
            At::Decision => interest.decisions(),
            At::Allocation => interest.allocations(),
            At::Access => interest.accesses(Accesses::WRITES),
            At::WatchedAccess => interest.watch_accesses(Accesses::WRITES),
            At::End => interest.ends(),
            At::Finish => interest,
        }
    }

    fn accessed(&mut self, _: &mut Access<'_, '_>, _: &MemoryAccess) -> Step<Command> {
        self.at(At::Access);
        Ok(Command::Continue)
    }

    fn called(&mut self, _: &mut Access<'_, '_>, _: &Call<'_>) -> Step<CallCommand> {
        self.at(At::Call);
        Ok(CallCommand::Continue)
    }

    fn returned(&mut self, _: &mut Access<'_, '_>, _: &Returned<'_>) -> Step<CallCommand> {
        self.at(At::Return);
        Ok(CallCommand::Continue)
    }

    fn decides(&mut self, _: &mut Access<'_, '_>, event: &Decision) -> Step<ExprId> {
        self.at(At::Decision);
        Ok(event.expr)
    }

    fn allocated(&mut self, _: &mut Access<'_, '_>, _: &Allocated) {
        self.at(At::Allocation);
    }

    fn watch_access(&mut self, _: &View<'_, '_>, _: &MemoryAccess) {
        self.at(At::WatchedAccess);
    }

    fn ended(&mut self, _: &mut Access<'_, '_>, _: &PathEnd) -> Step<EndCommand> {
        self.at(At::End);
        Ok(EndCommand::Keep)
    }

    fn finished(&mut self, _: &Program, _: &mut Summary) {
        self.at(At::Finish);
        self.at(At::Finish);
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Independent
    }
}

#[test]
fn a_hook_that_panics_ends_only_its_path() {
    let program = hooks_c("-O0");
    let config = begin_in("many");
    let (_, whole) = run(&program, &config, Vec::new());
    let whole = codes(&whole);
    assert_eq!(whole, [0, 1, 1, 1, 3, 3, 3, 7]);
    // Without inputs that lead the same way yet, a panic ends all of them.
    for (at, left) in [
        (At::Call, None),
        (At::Return, None),
        (At::Decision, None),
        (At::Allocation, Some(0)),
        (At::Access, Some(0)),
        (At::WatchedAccess, Some(0)),
        (At::End, Some(7)),
    ] {
        let mut hook = Panics { at, events: 0 };
        let (summary, records) = run(&program, &config, vec![Box::new(&mut hook)]);
        assert_eq!(summary.counts.internal_errors, 1, "{at:?}");
        let mut rest = whole.clone();
        for code in codes(&records) {
            let at = rest.iter().position(|&known| known == code);
            rest.remove(at.expect("an end of a run without the hook"));
        }
        let left_now = whole.len() - rest.len();
        assert!(!rest.is_empty(), "{at:?}");
        match left {
            Some(left) => assert_eq!(left_now, left, "{at:?}"),
            // Other paths go on, and the hook still hears of them.
            None => assert!(left_now > 0 && hook.events > 2, "{at:?}: {left_now}"),
        }
    }
}

#[test]
fn a_hook_that_panics_at_the_end_of_the_run_leaves_the_summary() {
    let program = hooks_c("-O0");
    let config = begin_in("many");
    let (at, events) = (At::Finish, 0);
    let mut hook = Panics { at, events };
    let (summary, records) = run(&program, &config, vec![Box::new(&mut hook)]);
    assert_eq!(hook.events, 2);
    assert_eq!(summary.counts.internal_errors, 1);
    assert_eq!(codes(&records), [0, 1, 1, 1, 3, 3, 3, 7]);
}
