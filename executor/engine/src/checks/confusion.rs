//! The confusion recorder: which allocations symbolic pointers confuse, as an ideal segmentation has to put
//! them together (segmented-memory paper, section 4.1). They are told apart by the calls on the stack, as in
//! the paper, and not by the analysis' contexts: those of a program with an allocator of its own all end in
//! that.

use crate::api::config::Config;
use crate::api::summary::Summary;
use crate::executor::Executor;
use crate::hook::{Access, Command, Hook, Interest, Resolved, Step};
use plat_expr::ObjectId;
use plat_memory::{AccessKind, CallString, Kind, Site};
use plat_program::{InstId, Program};
use std::collections::BTreeMap;

/// The recorder, if the configuration asks for it.
pub(super) fn make<'a>(_: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    (config.record_confusions).then(|| Box::new(Recorder::default()) as Box<dyn Hook>)
}

/// A union-find forest over the call strings of allocations that were confused.
#[derive(Clone, Default, Debug)]
struct Recorder {
    parent: BTreeMap<CallString, CallString>,
    /// Their calls.
    calls: BTreeMap<CallString, Vec<InstId>>,
}

impl Recorder {
    fn find(&self, mut string: CallString) -> CallString {
        while let Some(&above) = self.parent.get(&string).filter(|&&above| above != string) {
            string = above;
        }
        string
    }

    fn unite(&mut self, strings: &[CallString]) {
        for &string in strings {
            self.parent.entry(string).or_insert(string);
        }
        for pair in strings.windows(2) {
            let (a, b) = (self.find(pair[0]), self.find(pair[1]));
            self.parent.insert(a.max(b), a.min(b));
        }
    }

    /// Whether these call strings are known to be confused with one another.
    fn knows(&self, strings: &[CallString]) -> bool {
        let all = strings
            .iter()
            .all(|string| self.parent.contains_key(string));
        all && strings
            .windows(2)
            .all(|pair| self.find(pair[0]) == self.find(pair[1]))
    }

    /// The sets of call strings that were confused, by least member.
    fn result(&self) -> Vec<Vec<CallString>> {
        let mut sets: BTreeMap<CallString, Vec<CallString>> = BTreeMap::new();
        for &string in self.parent.keys() {
            sets.entry(self.find(string)).or_default().push(string);
        }
        sets.into_values().collect()
    }
}

/// Under which calls an object was allocated, if it is on the heap.
fn string_of(exec: &Executor<'_>, object: ObjectId) -> Option<CallString> {
    let info = exec.memory.objects.get(object);
    match info.site {
        Site::Call(_, string) if info.kind == Kind::Heap => Some(string),
        _ => None,
    }
}

impl Hook for Recorder {
    fn name(&self) -> &str {
        "confusion recorder"
    }

    fn interest(&self) -> Interest {
        Interest::new().resolutions()
    }

    /// Allocations are confused if two of their objects are possible. What a resolution names need not
    /// be possible: what would tell something new is verified.
    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        if event.kind == AccessKind::Free {
            return Ok(Command::Continue);
        }
        let found: Vec<(ObjectId, CallString)> = event
            .objects()
            .into_iter()
            .filter_map(|object| Some((object, string_of(access.exec, object)?)))
            .collect();
        let strings: Vec<CallString> = found.iter().map(|&(_, string)| string).collect();
        if found.len() < 2 || self.knows(&strings) {
            return Ok(Command::Continue);
        }
        let mut possible: Vec<CallString> = Vec::new();
        for &(object, string) in &found {
            let needed = possible.len() < 2 || !self.knows(&[possible[0], string]);
            // Without an answer of the solver they count as confused.
            if needed
                && !(possible.len() > 1 && possible.contains(&string))
                && access.may_lead_to(event.address, object).unwrap_or(true)
            {
                possible.push(string);
            }
        }
        if possible.len() > 1 {
            self.unite(&possible);
            for string in possible {
                let calls = || access.exec.memory.contexts.calls(string).to_vec();
                self.calls.entry(string).or_insert_with(calls);
            }
        }
        Ok(Command::Continue)
    }

    fn finished(&mut self, _program: &Program, summary: &mut Summary) {
        let calls = |string: &CallString| self.calls.get(string).cloned();
        let sets = self.result();
        let sets = sets
            .iter()
            .map(|set| set.iter().filter_map(calls).collect());
        summary.confused.sets = sets.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusions_that_overlap_are_one() {
        let strings = |numbers: &[u32]| -> Vec<CallString> {
            numbers.iter().map(|&number| CallString(number)).collect()
        };
        let mut confusions = Recorder::default();
        confusions.unite(&strings(&[1, 3]));
        confusions.unite(&strings(&[5, 5]));
        assert!(confusions.knows(&strings(&[3, 1])) && confusions.knows(&strings(&[5, 5])));
        assert!(!confusions.knows(&strings(&[0, 0])) && !confusions.knows(&strings(&[3, 5])));
        confusions.unite(&strings(&[6, 3]));
        confusions.unite(&strings(&[0, 2]));
        let expected = [&[0, 2][..], &[1, 3, 6], &[5]].map(strings);
        assert_eq!(confusions.result(), expected);
    }
}
