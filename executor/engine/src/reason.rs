//! Why a pointer made a path fork: what its alternatives have to do with each other, by groups of
//! the segment map.

use crate::engine::Engine;
use crate::state::State;
use plat_memory::{AccessKind, Kind, Outcome, Site};
use plat_program::{GroupId, InstId};
use std::collections::BTreeSet;

/// What the alternatives of a pointer are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ForkReason {
    /// In bounds of one place, or a fault.
    Fault,
    /// The model has a path for each object.
    PerObject,
    /// The objects are freed: every model has a path for each.
    Freed,
    /// Segments of one group, which has overflowed.
    Overflow(GroupId),
    /// Segments of these groups, and perhaps more.
    Groups(GroupId, GroupId),
    /// Among others an object that is in no group, which this made.
    Ungrouped(Site),
}

/// Forks by resolution at one source line, for one reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolutionForks {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// Why, in words.
    pub reason: String,
    /// How many more states there were after them.
    pub count: u64,
}

impl Engine<'_> {
    /// Why a pointer with these outcomes makes the path fork.
    pub(crate) fn fork_reason(
        &self,
        state: &State,
        outcomes: &[Outcome],
        access: AccessKind,
    ) -> ForkReason {
        let places = outcomes
            .iter()
            .filter_map(|outcome| outcome.then.as_ref().ok());
        let leading: Vec<_> = places.filter_map(|targets| targets.first()).collect();
        if leading.len() < 2 {
            return ForkReason::Fault;
        }
        if access == AccessKind::Free {
            return ForkReason::Freed;
        }
        if state.memory.model().name() != "segmented" {
            return ForkReason::PerObject;
        }
        let mut groups: BTreeSet<GroupId> = BTreeSet::new();
        for target in leading {
            let Some(&object) = target.objects.first() else {
                continue;
            };
            let info = self.objects.get(object);
            let known = state.memory.object(object);
            let group = known.and_then(|known| known.group);
            match group.filter(|_| info.kind == Kind::Heap) {
                Some(group) => groups.insert(group),
                None => return ForkReason::Ungrouped(info.site),
            };
        }
        let mut groups = groups.into_iter();
        match (groups.next(), groups.next()) {
            (Some(first), Some(second)) => ForkReason::Groups(first, second),
            (Some(only), None) => ForkReason::Overflow(only),
            _ => ForkReason::PerObject,
        }
    }

    /// Counts forks by resolution, at the instruction and for the reason noted last.
    pub(crate) fn count_resolution_forks(&mut self, forks: u64) {
        if let Some(place) = self.resolving.take()
            && forks > 0
        {
            *self.counts.resolution_forks.entry(place).or_default() += forks;
        }
    }

    /// The forks by resolution in words, the most frequent first.
    pub(crate) fn resolution_forks(&self) -> Vec<ResolutionForks> {
        let forks = self.counts.resolution_forks.iter();
        let mut all: Vec<ResolutionForks> = Vec::new();
        for (&(inst, reason), &count) in forks {
            let (file, line) = self.source_of(inst);
            let reason = self.in_words(reason);
            let same = |one: &&mut ResolutionForks| {
                one.file == file && one.line == line && one.reason == reason
            };
            match all.iter_mut().find(same) {
                Some(known) => known.count += count,
                None => all.push(ResolutionForks {
                    file,
                    line,
                    reason,
                    count,
                }),
            }
        }
        all.sort_by(|a, b| {
            let place = |one: &ResolutionForks| (one.file.clone(), one.line, one.reason.clone());
            b.count.cmp(&a.count).then_with(|| place(a).cmp(&place(b)))
        });
        all
    }

    fn source_of(&self, inst: Option<InstId>) -> (String, u32) {
        let location = inst.map(|inst| self.program.location_of(inst));
        location.map_or((String::new(), 0), |at| (at.file.clone(), at.line))
    }

    fn in_words(&self, reason: ForkReason) -> String {
        match reason {
            ForkReason::Fault => "the access may be a fault".to_string(),
            ForkReason::Freed => "one path for each object that is freed".to_string(),
            ForkReason::PerObject => "one path for each object".to_string(),
            ForkReason::Overflow(group) => format!("overflow of group {}", group.0),
            ForkReason::Groups(first, second) => {
                format!("pointer may reach groups {} and {}", first.0, second.0)
            }
            ForkReason::Ungrouped(site) => {
                format!("pointer may reach ungrouped {}", self.made_by(site))
            }
        }
    }

    fn made_by(&self, site: Site) -> String {
        match site {
            Site::Inst(inst) | Site::Call(inst, _) => match self.source_of(Some(inst)) {
                (_, 0) => {
                    let (function, _) = self.program.position(inst);
                    format!(
                        "object allocated in {}",
                        self.program.function(function).name
                    )
                }
                (file, line) => format!("object allocated at {file}:{line}"),
            },
            Site::Global(global) => format!("variable {}", self.program.global(global).name),
            Site::Function(function) => {
                format!("function {}", self.program.function(function).name)
            }
            Site::Frame(function) => {
                let name = &self.program.function(function).name;
                format!("argument passed to {name}")
            }
            Site::Entry => "arguments or environment".to_string(),
        }
    }
}
