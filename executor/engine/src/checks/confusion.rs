//! The confusion recorder: which allocation contexts symbolic pointers confuse, as an ideal
//! segmentation has to put them together (segmented-memory paper, section 4.1).

use crate::api::config::Config;
use crate::api::summary::Summary;
use crate::executor::Executor;
use crate::hook::{Access, Command, Hook, Interest, Resolved, Step};
use plat_expr::ObjectId;
use plat_memory::{AccessKind, Kind, Site};
use plat_program::Program;

/// The recorder, if the configuration asks for it.
pub(super) fn make<'a>(program: &'a Program, config: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    let contexts = program.annotations.contexts.len();
    (config.record_confusions).then(|| Box::new(Confusions::new(contexts)) as Box<dyn Hook>)
}

/// A union-find forest over the program's annotated contexts.
#[derive(Clone, Debug)]
struct Confusions {
    parent: Vec<u32>,
    /// Whether a pointer could lead to several objects of the context or of it and others.
    confused: Vec<bool>,
}

impl Confusions {
    /// Nothing is confused.
    fn new(contexts: usize) -> Self {
        Confusions {
            parent: (0..contexts as u32).collect(),
            confused: vec![false; contexts],
        }
    }

    fn find(&mut self, mut context: u32) -> u32 {
        while self.parent[context as usize] != context {
            let above = self.parent[self.parent[context as usize] as usize];
            self.parent[context as usize] = above;
            context = above;
        }
        context
    }

    fn unite(&mut self, contexts: &[u32]) {
        for pair in contexts.windows(2) {
            let (a, b) = (self.find(pair[0]), self.find(pair[1]));
            self.parent[a.max(b) as usize] = a.min(b);
        }
        for &context in contexts {
            self.confused[context as usize] = true;
        }
    }

    /// Whether these contexts are known to be confused with one another.
    fn knows(&mut self, contexts: &[u32]) -> bool {
        let all = contexts.iter().all(|&at| self.confused[at as usize]);
        all && contexts
            .windows(2)
            .all(|pair| self.find(pair[0]) == self.find(pair[1]))
    }

    /// The sets of contexts that were confused, each sorted, by least member.
    fn result(&mut self) -> Vec<Vec<u32>> {
        let mut sets: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
        for context in 0..self.parent.len() as u32 {
            if self.confused[context as usize] {
                sets.entry(self.find(context)).or_default().push(context);
            }
        }
        sets.into_values().collect()
    }
}

/// The annotated context that an object was allocated in, if it was.
fn context_of(exec: &Executor<'_>, object: ObjectId) -> Option<u32> {
    let info = exec.memory.objects.get(object);
    match info.site {
        Site::Call(_, string) if info.kind == Kind::Heap => exec.memory.contexts.context(string),
        _ => None,
    }
}

impl Hook for Confusions {
    fn name(&self) -> &str {
        "confusion recorder"
    }

    fn interest(&self) -> Interest {
        Interest::new().resolutions()
    }

    /// Contexts are confused if two of their objects are possible. What a resolution names need not
    /// be possible: what would tell something new is verified.
    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        if event.kind == AccessKind::Free {
            return Ok(Command::Continue);
        }
        let found: Vec<(ObjectId, u32)> = event
            .objects()
            .into_iter()
            .filter_map(|object| Some((object, context_of(access.exec, object)?)))
            .collect();
        let contexts: Vec<u32> = found.iter().map(|&(_, context)| context).collect();
        if found.len() < 2 || self.knows(&contexts) {
            return Ok(Command::Continue);
        }
        let mut possible: Vec<u32> = Vec::new();
        for &(object, context) in &found {
            let needed = possible.len() < 2 || !self.knows(&[possible[0], context]);
            // Without an answer of the solver they count as confused.
            if needed
                && !(possible.len() > 1 && possible.contains(&context))
                && access.may_lead_to(event.address, object).unwrap_or(true)
            {
                possible.push(context);
            }
        }
        if possible.len() > 1 {
            self.unite(&possible);
        }
        Ok(Command::Continue)
    }

    fn finished(&mut self, _program: &Program, summary: &mut Summary) {
        summary.confused = self.result();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusions_that_overlap_are_one() {
        let mut confusions = Confusions::new(7);
        confusions.unite(&[1, 3]);
        confusions.unite(&[5, 5]);
        assert!(confusions.knows(&[3, 1]) && confusions.knows(&[5, 5]));
        assert!(!confusions.knows(&[0, 0]) && !confusions.knows(&[3, 5]));
        confusions.unite(&[6, 3]);
        confusions.unite(&[0, 2]);
        assert_eq!(confusions.result(), [vec![0, 2], vec![1, 3, 6], vec![5]]);
    }
}
