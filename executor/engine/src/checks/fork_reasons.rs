//! Why pointers made paths fork: what the alternatives have to do with each other, by groups of the
//! segment map.

use crate::api::config::Config;
use crate::api::summary::{ForkKind, ResolutionForks, Summary};
use crate::hook::{Access, AcrossWorkers, Command, Hook, Interest, Resolved, Split, Step, View};
use plat_memory::model::Isolation;
use plat_memory::{AccessKind, Kind, Outcome, Site, Target};
use plat_program::{GroupId, InstId, Program};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// The counter of reasons. Every run has it: its end tells the most frequent ones.
pub(super) fn make<'a>(_: &'a Program, _: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    Some(Box::new(ForkReasons::default()))
}

/// What the alternatives of a pointer are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ForkReason {
    /// In bounds of one place, or a fault.
    Fault,
    /// The model has a path for each object.
    PerObject,
    /// The model has a path for each segment.
    PerSegment,
    /// A large object has a path for each of its pieces.
    Pieces,
    /// The objects are freed: every model has a path for each.
    Freed,
    /// Segments of one group, which has overflowed.
    Overflow(GroupId),
    /// Segments of these groups, and perhaps more.
    Groups(GroupId, GroupId),
    /// Among others an object that is in no group, which this made.
    Ungrouped(#[serde(serialize_with = "without_call_string")] Site),
}

/// A site for another process: each numbers call strings for itself, and the call alone says where.
fn without_call_string<S: Serializer>(site: &Site, to: S) -> Result<S::Ok, S::Error> {
    match *site {
        Site::Call(inst, _) => Site::Inst(inst),
        other => other,
    }
    .serialize(to)
}

/// How many more paths there were for each instruction and reason.
type Forks = BTreeMap<(Option<InstId>, ForkReason), u64>;

/// Counts forks by resolution.
#[derive(Default)]
struct ForkReasons {
    /// The resolution with several outcomes that was made last: where, and why it would fork.
    last: Option<(Option<InstId>, ForkReason)>,
    /// The forks of this process that the first one has not heard of; there, all.
    forks: Forks,
}

impl Hook for ForkReasons {
    fn name(&self) -> &str {
        "fork reasons"
    }

    fn interest(&self) -> Interest {
        Interest::new().resolutions().watch_splits()
    }

    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        let several = event.outcomes.len() > 1;
        self.last = several.then(|| {
            let reason = reason(access, event.outcomes, event.kind);
            (access.instruction(), reason)
        });
        Ok(Command::Continue)
    }

    fn watch_split(&mut self, _view: &View<'_, '_>, event: &Split) {
        if event.kind == ForkKind::Resolution
            && let Some(place) = self.last.take()
            && place.0 == event.inst
        {
            *self.forks.entry(place).or_default() += event.parts as u64 - 1;
        }
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Merged
    }

    fn save(&mut self) -> Vec<u8> {
        let forks = std::mem::take(&mut self.forks);
        match forks.is_empty() {
            true => Vec::new(),
            false => plat_protocol::encode(&forks).expect("counts have a form as bytes"),
        }
    }

    fn merge(&mut self, saved: &[u8]) {
        for (place, count) in plat_protocol::decode::<Forks>(saved).expect("a worker's counts") {
            *self.forks.entry(place).or_default() += count;
        }
    }

    fn worker_started(&mut self) {
        self.forks.clear();
    }

    fn finished(&mut self, program: &Program, summary: &mut Summary) {
        summary.resolutions.forks = in_words(program, &self.forks);
    }
}

/// Why a pointer with these outcomes makes the path fork.
pub(super) fn reason(
    access: &Access<'_, '_>,
    outcomes: &[Outcome],
    kind: AccessKind,
) -> ForkReason {
    let places = outcomes
        .iter()
        .filter_map(|outcome| outcome.then.as_ref().ok());
    let leading: Vec<_> = places.filter_map(|targets| targets.first()).collect();
    if leading.len() < 2 {
        return ForkReason::Fault;
    }
    if kind == AccessKind::Free {
        return ForkReason::Freed;
    }
    let pieces = |pair: &[&Target]| {
        let [one, other] = [pair[0], pair[1]];
        one.segment == other.segment && one.objects.first() == other.objects.first()
    };
    if leading.windows(2).any(pieces) {
        return ForkReason::Pieces;
    }
    if access.state.memory.model().isolation() != Isolation::Ungrouped {
        let shared = leading.iter().any(|target| target.objects.len() > 1);
        return match shared {
            true => ForkReason::PerSegment,
            false => ForkReason::PerObject,
        };
    }
    let mut groups: BTreeSet<GroupId> = BTreeSet::new();
    for target in leading {
        let Some(&object) = target.objects.first() else {
            continue;
        };
        let info = access.exec.memory.objects.get(object);
        let known = access.state.memory.object(object);
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

/// Forks in words, the most frequent first.
fn in_words(program: &Program, forks: &Forks) -> Vec<ResolutionForks> {
    let mut all: Vec<ResolutionForks> = Vec::new();
    for (&(inst, reason), &count) in forks {
        let (file, line) = source_of(program, inst);
        let reason = words(program, reason);
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

fn source_of(program: &Program, inst: Option<InstId>) -> (String, u32) {
    let location = inst.map(|inst| program.location_of(inst));
    location.map_or((String::new(), 0), |at| (at.file.clone(), at.line))
}

pub(super) fn words(program: &Program, reason: ForkReason) -> String {
    match reason {
        ForkReason::Fault => "the access may be a fault".to_string(),
        ForkReason::Freed => "one path for each object that is freed".to_string(),
        ForkReason::PerObject => "one path for each object".to_string(),
        ForkReason::PerSegment => "one path for each segment".to_string(),
        ForkReason::Pieces => "one path for each piece of a large object".to_string(),
        ForkReason::Overflow(group) => format!("overflow of group {}", group.0),
        ForkReason::Groups(first, second) => {
            format!("pointer may reach groups {} and {}", first.0, second.0)
        }
        ForkReason::Ungrouped(site) => {
            format!("pointer may reach ungrouped {}", made_by(program, site))
        }
    }
}

fn made_by(program: &Program, site: Site) -> String {
    match site {
        Site::Inst(inst) | Site::Call(inst, _) => match source_of(program, Some(inst)) {
            (_, 0) => {
                let (function, _) = program.position(inst);
                format!("object allocated in {}", program.function(function).name)
            }
            (file, line) => format!("object allocated at {file}:{line}"),
        },
        Site::Global(global) => format!("variable {}", program.global(global).name),
        Site::Function(function) => {
            format!("function {}", program.function(function).name)
        }
        Site::Frame(function) => {
            let name = &program.function(function).name;
            format!("argument passed to {name}")
        }
        Site::Entry => "arguments or environment".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_memory::CallString;

    fn counted(reason: ForkReason, forks: u64) -> ForkReasons {
        let place = (Some(InstId(7)), reason);
        ForkReasons {
            last: None,
            forks: [(place, forks)].into(),
        }
    }

    #[test]
    fn forks_of_several_processes_are_added() {
        let groups = ForkReason::Groups(GroupId(1), GroupId(2));
        let (mut first, mut worker) = (counted(groups, 2), counted(groups, 3));
        first.merge(&worker.save());
        assert_eq!(first.forks[&(Some(InstId(7)), groups)], 5);
        assert!(worker.save().is_empty());
    }

    #[test]
    fn numbers_of_call_strings_stay_in_their_process() {
        let call = |string| ForkReason::Ungrouped(Site::Call(InstId(4), CallString(string)));
        let mut first = ForkReasons::default();
        first.merge(&counted(call(3), 1).save());
        let without = ForkReason::Ungrouped(Site::Inst(InstId(4)));
        assert_eq!(first.forks, counted(without, 1).forks);
    }
}
