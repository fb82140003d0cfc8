//! Allocation contexts: under which calls memory is allocated.
//!
//! The calls on the stack, from the allocating call outwards and as far as the longest context
//! goes, are interned: a [`CallString`] is part of an object's identity. What a call string means
//! (a context of the program's annotations, and with it a group) is looked up once per string.

use crate::state::State;
use plat_memory::CallString;
use plat_program::{GroupId, InstId, Program};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Calls that tell allocations apart where confusions are recorded: those of an allocator of the program's own,
/// and those of what uses it.
pub const OF_CONFUSIONS: usize = 12;

/// What a call string means.
#[derive(Clone, Debug)]
struct Known {
    /// The calls, the allocating one first.
    calls: Vec<InstId>,
    /// The annotated context: a position in [`plat_program::Annotations::contexts`].
    context: Option<u32>,
}

/// The call strings of a run.
#[derive(Default, Debug)]
pub struct Contexts {
    /// Calls of the longest context that anybody asks about.
    longest: usize,
    strings: Vec<Known>,
    numbers: FxHashMap<Vec<InstId>, CallString>,
}

impl Contexts {
    /// None yet. Strings are as long as the program's longest annotated context, and at least
    /// `longest`.
    pub fn new(program: &Program, longest: usize) -> Self {
        let annotated = program.annotations.contexts.iter();
        let annotated = annotated.map(|context| context.chain.len()).max();
        Contexts {
            longest: longest.max(annotated.unwrap_or(0)).max(1),
            ..Contexts::default()
        }
    }

    /// The call string that a state is in at an allocating call.
    pub fn of(&mut self, program: &Program, state: &State) -> CallString {
        let calls = state.stack().take(self.longest);
        let calls: SmallVec<[InstId; 4]> = calls.map(|frame| frame.inst(program)).collect();
        match self.numbers.get(calls.as_slice()) {
            Some(&number) => number,
            None => self.enter(program, calls.into_vec()),
        }
    }

    #[cold]
    fn enter(&mut self, program: &Program, calls: Vec<InstId>) -> CallString {
        may_panic!();
        let annotations = &program.annotations;
        let sites = calls
            .iter()
            .map(|call| annotations.sites.get(call).copied());
        let context = annotations.context_of(sites).map(|at| at as u32);
        let number = CallString(self.strings.len() as u32);
        self.numbers.insert(calls.clone(), number);
        self.strings.push(Known { calls, context });
        number
    }

    /// The calls of all strings.
    pub fn all(&self) -> Vec<Vec<InstId>> {
        self.strings
            .iter()
            .map(|known| known.calls.clone())
            .collect()
    }

    /// The calls of a string, the allocating one first.
    pub fn calls(&self, string: CallString) -> &[InstId] {
        &self.strings[string.0 as usize].calls
    }

    /// The annotated context of a string.
    pub fn context(&self, string: CallString) -> Option<u32> {
        self.strings[string.0 as usize].context
    }

    /// The group of a string's context.
    pub fn group(&self, program: &Program, string: CallString) -> Option<GroupId> {
        let context = self.context(string)?;
        program.annotations.contexts[context as usize].group
    }
}
