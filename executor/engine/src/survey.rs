//! Which allocation contexts the symbolic pointers of a run confuse: what an ideal segmentation
//! has to put together (segmented-memory paper, section 4.1).

use crate::engine::Engine;
use crate::lent;
use crate::state::State;
use crate::stop::Step;
use plat_expr::{ExprId, ObjectId, Predicate};
use plat_memory::{Kind, Site};

/// A union-find forest over the program's annotated contexts.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    parent: Vec<u32>,
    /// Whether a pointer could lead to several objects of the context or of it and others.
    confused: Vec<bool>,
}

impl Survey {
    /// Nothing is confused.
    pub fn new(contexts: usize) -> Self {
        Survey {
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
    pub fn result(mut self) -> Vec<Vec<u32>> {
        let mut sets: std::collections::BTreeMap<u32, Vec<u32>> = Default::default();
        for context in 0..self.parent.len() as u32 {
            if self.confused[context as usize] {
                sets.entry(self.find(context)).or_default().push(context);
            }
        }
        sets.into_values().collect()
    }
}

impl Engine<'_> {
    /// Whether a pointer can lead into an object on this path. Resolutions name objects that they
    /// need not exclude; where an object counts, the solver is asked.
    pub(crate) fn leads_to(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        object: ObjectId,
    ) -> Step<bool> {
        let info = *self.objects.get(object);
        let pool = &mut self.pool;
        let number = pool.number(pointer);
        let start = pool.constant(64, info.number);
        let size = pool.constant(64, info.size);
        let distance = pool.sub(number, start);
        let inside = pool.compare(Predicate::Ult, distance, size);
        Ok(self.feasible(state, inside)?.is_some())
    }

    /// Notes that a pointer can lead to these objects. Contexts are confused if two of their
    /// objects are possible; each possibility that tells something new is verified.
    pub(crate) fn note_confusion(
        &mut self,
        state: &mut State,
        pointer: ExprId,
        objects: &[ObjectId],
    ) {
        lent::with(
            self,
            |engine| &mut engine.survey,
            |engine, survey| engine.confuse(survey, state, pointer, objects),
        );
    }

    fn confuse(
        &mut self,
        survey: &mut Survey,
        state: &mut State,
        pointer: ExprId,
        objects: &[ObjectId],
    ) {
        let context = |engine: &Self, object: ObjectId| {
            let info = engine.objects.get(object);
            match info.site {
                Site::Call(_, string) if info.kind == Kind::Heap => engine.contexts.context(string),
                _ => None,
            }
        };
        let found: Vec<(ObjectId, u32)> = objects
            .iter()
            .filter_map(|&object| Some((object, context(self, object)?)))
            .collect();
        let contexts: Vec<u32> = found.iter().map(|&(_, context)| context).collect();
        if found.len() > 1 && !survey.knows(&contexts) {
            let mut possible: Vec<u32> = Vec::new();
            for &(object, context) in &found {
                let needed = possible.len() < 2 || !survey.knows(&[possible[0], context]);
                // Without an answer of the solver they count as confused.
                if needed
                    && !(possible.len() > 1 && possible.contains(&context))
                    && self.leads_to(state, pointer, object).unwrap_or(true)
                {
                    possible.push(context);
                }
            }
            if possible.len() > 1 {
                survey.unite(&possible);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusions_that_overlap_are_one() {
        let mut survey = Survey::new(7);
        survey.unite(&[1, 3]);
        survey.unite(&[5, 5]);
        assert!(survey.knows(&[3, 1]) && survey.knows(&[5, 5]));
        assert!(!survey.knows(&[0, 0]) && !survey.knows(&[3, 5]));
        survey.unite(&[6, 3]);
        survey.unite(&[0, 2]);
        assert_eq!(survey.result(), [vec![0, 2], vec![1, 3, 6], vec![5]]);
    }
}
