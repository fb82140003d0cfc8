//! What a run tells its caller while it goes on.
//!
//! A run works in the thread that asks for it, and calls back. Hooks and observers may so borrow from
//! the caller and need not be `Send`, the run waits for whoever is slow to take its results, and a
//! run that is divided over several processes (`fork`) has no other thread in its way. Who wants an
//! iterator instead makes the explorer in a thread of its own and sends the events through a channel
//! ([`Explorer::run_with`](crate::Explorer::run_with) has the example).

use crate::Interrupt;
use crate::report::{Numbers, Test};
use plat_engine::{Observer, Progress, TestRecord};
use plat_program::Program;
use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Something that has happened in a run. Forks and coverage are for an [`Observer`], which hears
/// more, and more often.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// There is a test. It comes before the end of its path.
    Test(Box<Test>),
    /// A path has ended, with a test or without.
    Path(&'e TestRecord),
    /// Something that the user should know.
    Warning(&'e str),
    /// A line that the program asked for (`klee_warning`, `klee_print_expr`).
    Message(&'e str),
    /// What the program writes to standard output (1) or error (2), while it is concrete.
    Output {
        /// 1 or 2.
        descriptor: i32,
        /// What it writes.
        bytes: &'e [u8],
    },
    /// How far the run is: about every tenth of a second, and at the end.
    Progress(&'e Progress<'e>),
}

/// Calls back with the events of a run, until it is told to stop.
pub(crate) struct Caller<'c> {
    call: &'c mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    stop: Interrupt,
    numbers: Numbers,
    /// What the callback has panicked with: for its caller, not for the engine, to which a panic is
    /// the end of a path.
    panic: Option<Box<dyn Any + Send>>,
    over: bool,
}

impl<'c> Caller<'c> {
    /// `stop` ends the run.
    pub fn new(call: &'c mut dyn FnMut(Event<'_>) -> ControlFlow<()>, stop: Interrupt) -> Self {
        Caller {
            call,
            stop,
            numbers: Numbers::default(),
            panic: None,
            over: false,
        }
    }

    /// The run is over.
    pub fn finish(self) {
        if let Some(panic) = self.panic {
            std::panic::resume_unwind(panic);
        }
    }

    fn tell(&mut self, event: Event<'_>) {
        if self.over {
            return;
        }
        match catch_unwind(AssertUnwindSafe(|| (self.call)(event))) {
            Ok(ControlFlow::Continue(())) => return,
            Ok(ControlFlow::Break(())) => {}
            Err(panic) => self.panic = Some(panic),
        }
        self.over = true;
        self.stop.set();
    }

    fn test(&mut self, record: &TestRecord) {
        if record.wanted {
            let number = self.numbers.number(record);
            let path = record.clone();
            self.tell(Event::Test(Box::new(Test { number, path })));
        }
    }
}

impl Observer for Caller<'_> {
    fn path_ended(&mut self, _program: &Program, record: &TestRecord) {
        self.test(record);
        self.tell(Event::Path(record));
    }

    fn further_test(&mut self, _program: &Program, record: &TestRecord) {
        self.test(record);
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        self.tell(Event::Progress(progress));
    }

    fn warning(&mut self, text: &str, _once: bool) {
        self.tell(Event::Warning(text));
    }

    fn message(&mut self, text: &str) {
        self.tell(Event::Message(text));
    }

    fn print(&mut self, text: &str) {
        self.tell(Event::Message(text));
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        self.tell(Event::Output { descriptor, bytes });
    }
}
