//! Hooks and native functions from outside.

mod access;
mod commands;
mod events;
mod fast_paths;
mod natives;
mod panics;

use plat_compiled_tests::{Records, config, program, scratch, source};
use plat_engine::hook::{
    Access, AcrossWorkers, Allocated, Call, CallCommand, Command, Decision, EndCommand, Forked,
    Hook, IndirectCall, Interest, MemoryAccess, Reached, Resolved, Returned, Split, Step, View,
};
use plat_engine::native::Native;
use plat_engine::{Config, Extensions, PathEnd, StartError, Summary};
use plat_env::InputSpec;
use plat_program::Program;
use std::sync::atomic::AtomicBool;

/// The program of `hooks.c`.
fn hooks_c(optimisation: &str) -> Program {
    program(&scratch("hooks"), &source("hooks.c"), optimisation)
}

/// A configuration that begins in a function.
fn begin_in(function: &str) -> Config {
    let mut config = config("forking");
    config.start.entry_point = function.into();
    config
}

fn try_run(
    program: &Program,
    config: &Config,
    hooks: Vec<Box<dyn Hook + '_>>,
    natives: Vec<Native<'_>>,
) -> Result<(Summary, Records), StartError> {
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    let (mut records, inputs) = (Records::default(), InputSpec::default());
    let extensions = Extensions {
        hooks,
        natives,
        ..Extensions::default()
    };
    let run = plat_engine::run_with(
        program,
        config,
        &inputs,
        &mut records,
        extensions,
        &INTERRUPT,
    );
    run.map(|summary| (summary, records))
}

fn run(program: &Program, config: &Config, hooks: Vec<Box<dyn Hook + '_>>) -> (Summary, Records) {
    try_run(program, config, hooks, Vec::new()).expect("the run starts")
}

fn codes(records: &Records) -> Vec<i32> {
    let mut codes: Vec<i32> = records
        .list
        .iter()
        .filter_map(|one| one.exit_code)
        .collect();
    codes.sort_unstable();
    codes
}

/// The line of `hooks.c` with a mark.
fn line(mark: &str) -> u32 {
    let text = std::fs::read_to_string(source("hooks.c")).expect("the source");
    let at = text
        .lines()
        .position(|one| one.contains(&format!("line: {mark} ")));
    at.expect("a marked line") as u32 + 1
}

type Asked<'a, E, C> = Box<dyn FnMut(&mut Access<'_, '_>, &E) -> Step<C> + 'a>;

type OnReached<'a> = Box<dyn FnMut(&mut Access<'_, '_>, &Reached<'_>) -> Step<Command> + 'a>;
type OnCalled<'a> = Box<dyn FnMut(&mut Access<'_, '_>, &Call<'_>) -> Step<CallCommand> + 'a>;
type OnReturned<'a> = Box<dyn FnMut(&mut Access<'_, '_>, &Returned<'_>) -> Step<CallCommand> + 'a>;
type OnResolved<'a> = Box<dyn FnMut(&mut Access<'_, '_>, &Resolved<'_>) -> Step<Command> + 'a>;
type OnStarted<'a> = Box<dyn FnMut(&mut Access<'_, '_>) -> Step<Command> + 'a>;

/// A hook made of functions.
#[derive(Default)]
struct On<'a> {
    interest: Interest,
    start: Option<OnStarted<'a>>,
    fork: Option<Asked<'a, Forked, Command>>,
    access: Option<Asked<'a, MemoryAccess, Command>>,
    indirect: Option<Asked<'a, IndirectCall, Command>>,
    end: Option<Asked<'a, PathEnd, EndCommand>>,
    reach: Option<OnReached<'a>>,
    call: Option<OnCalled<'a>>,
    ret: Option<OnReturned<'a>>,
    resolve: Option<OnResolved<'a>>,
}

impl Hook for On<'_> {
    fn name(&self) -> &str {
        "test"
    }

    fn interest(&self) -> Interest {
        self.interest.clone()
    }

    fn started(&mut self, access: &mut Access<'_, '_>) -> Step<Command> {
        self.start.as_mut().expect("interest")(access)
    }

    fn forked(&mut self, access: &mut Access<'_, '_>, event: &Forked) -> Step<Command> {
        self.fork.as_mut().expect("interest")(access, event)
    }

    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        self.resolve.as_mut().expect("interest")(access, event)
    }

    fn accessed(&mut self, access: &mut Access<'_, '_>, event: &MemoryAccess) -> Step<Command> {
        self.access.as_mut().expect("interest")(access, event)
    }

    fn called(&mut self, access: &mut Access<'_, '_>, event: &Call<'_>) -> Step<CallCommand> {
        self.call.as_mut().expect("interest")(access, event)
    }

    fn returned(&mut self, access: &mut Access<'_, '_>, event: &Returned<'_>) -> Step<CallCommand> {
        self.ret.as_mut().expect("interest")(access, event)
    }

    fn called_indirectly(
        &mut self,
        access: &mut Access<'_, '_>,
        event: &IndirectCall,
    ) -> Step<Command> {
        self.indirect.as_mut().expect("interest")(access, event)
    }

    fn reached(&mut self, access: &mut Access<'_, '_>, event: &Reached<'_>) -> Step<Command> {
        self.reach.as_mut().expect("interest")(access, event)
    }

    fn ended(&mut self, access: &mut Access<'_, '_>, end: &PathEnd) -> Step<EndCommand> {
        self.end.as_mut().expect("interest")(access, end)
    }
}
