//! Which allocations came into one segment because a pointer could lead to several of them, and which
//! were followed on paths of their own: the segment map that a run draws itself.
//!
//! What it costs, a run hardly notices: only resolutions that have joined something, and those that fork,
//! are looked at, and both take far longer themselves. An allocation is known by its calls, so that what
//! several processes have seen can be added.

use super::fork_reasons::{ForkReason, reason, words};
use crate::api::config::Config;
use crate::api::sharing::{Apart, JoinPlace, Member, Origin, Together};
use crate::api::summary::{ForkKind, Summary};
use crate::executor::Executor;
use crate::hook::{Access, AcrossWorkers, Command, Hook, Interest, Resolved, Split, Step, View};
use plat_expr::ObjectId;
use plat_memory::{Kind, Site, Target};
use plat_program::{InstId, Program};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Combinations of places and allocations that are kept.
const MOST: usize = 10_000;

/// The recorder. Every run has it.
pub(super) fn make<'a>(_: &'a Program, _: &'a Config) -> Option<Box<dyn Hook + 'a>> {
    Some(Box::new(Sharing::default()))
}

/// What has become of an allocation at a place. Allocations are numbers of [`Origins`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
enum What {
    /// The second has come into one segment with the first, or with itself.
    Joined(u32, u32),
    /// It was followed apart from others.
    Apart(ForkReason, u32),
}

impl What {
    fn renumbered(self, numbers: &[u32]) -> Self {
        let of = |number: u32| numbers[number as usize];
        match self {
            What::Joined(first, other) => What::Joined(of(first), of(other)),
            What::Apart(reason, one) => What::Apart(reason, of(one)),
        }
    }
}

/// How often, and how much at the most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Seen {
    count: u64,
    /// Objects that the pointer could lead to; ways that it had.
    most: u64,
    /// Of the segment.
    most_bytes: u64,
    /// Of the allocation's objects.
    sizes: (u64, u64),
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.count += other.count;
        self.most = self.most.max(other.most);
        self.most_bytes = self.most_bytes.max(other.most_bytes);
        self.sizes = wider(self.sizes, other.sizes);
    }
}

fn wider(one: (u64, u64), other: (u64, u64)) -> (u64, u64) {
    (one.0.min(other.0), one.1.max(other.1))
}

/// What was seen.
type Entries = BTreeMap<(Option<InstId>, What), Seen>;

/// Numbers of allocations, in this process.
#[derive(Default)]
struct Origins {
    list: Vec<Origin>,
    numbers: FxHashMap<Origin, u32>,
    by_site: FxHashMap<Site, u32>,
}

impl Origins {
    fn number(&mut self, origin: Origin) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.numbers.entry(origin.clone()).or_insert(next);
        if number == next {
            self.list.push(origin);
        }
        number
    }

    fn of(&mut self, exec: &Executor<'_>, site: Site) -> u32 {
        if let Some(&known) = self.by_site.get(&site) {
            return known;
        }
        let number = self.number(origin(exec, site));
        self.by_site.insert(site, number);
        number
    }
}

fn origin(exec: &Executor<'_>, site: Site) -> Origin {
    match site {
        Site::Inst(inst) => Origin::Stack(inst),
        Site::Call(_, string) => Origin::Calls(exec.memory.contexts.calls(string).to_vec()),
        Site::Frame(function) => Origin::Frame(function),
        Site::Global(global) => Origin::Global(global),
        Site::Function(function) => Origin::Function(function),
        Site::Entry => Origin::Entry,
    }
}

/// Objects of one allocation: its number, and their sizes.
type Grouped = (u32, (u64, u64));

/// The recorder.
#[derive(Default)]
struct Sharing {
    origins: Origins,
    /// Of this process what the first one has not heard of; there, all.
    entries: Entries,
    left_out: u64,
    /// Joins of the run so far.
    joins: u64,
    /// The resolution that may fork and was made last.
    last: Option<(Option<InstId>, ForkReason, Vec<Grouped>)>,
}

impl Sharing {
    /// The objects by their allocations.
    fn grouped(&mut self, exec: &Executor<'_>, objects: &[ObjectId]) -> Vec<Grouped> {
        let mut all: Vec<Grouped> = Vec::new();
        for &object in objects {
            let info = exec.memory.objects.get(object);
            if info.kind == Kind::Function {
                continue;
            }
            let number = self.origins.of(exec, info.site);
            let sizes = (info.size, info.size);
            match all.iter_mut().find(|known| known.0 == number) {
                Some(known) => known.1 = wider(known.1, sizes),
                None => all.push((number, sizes)),
            }
        }
        all
    }

    fn enter(&mut self, at: Option<InstId>, what: What, seen: &Seen) {
        let room = self.entries.len() < MOST;
        match self.entries.get_mut(&(at, what)) {
            Some(known) => known.add(seen),
            None if room => drop(self.entries.insert((at, what), *seen)),
            None => self.left_out += 1,
        }
    }

    /// A pointer may lead to several objects of one segment, which it has put together.
    fn joined(&mut self, access: &Access<'_, '_>, target: &Target) {
        let members = self.grouped(access.exec, &target.objects);
        let Some(first) = members.iter().map(|member| member.0).min() else {
            return;
        };
        let most_bytes = access.state.memory.segment_bytes(target.segment);
        for (number, sizes) in members {
            let seen = Seen {
                count: 1,
                most: target.objects.len() as u64,
                most_bytes,
                sizes,
            };
            self.enter(access.instruction(), What::Joined(first, number), &seen);
        }
    }
}

impl Hook for Sharing {
    fn name(&self) -> &str {
        "sharing of segments"
    }

    fn interest(&self) -> Interest {
        Interest::new().resolutions().watch_splits()
    }

    fn resolved(&mut self, access: &mut Access<'_, '_>, event: &Resolved<'_>) -> Step<Command> {
        self.last = None;
        let joins = access.exec.memory.stats.joins;
        let ways = || event.outcomes.iter().filter_map(|it| it.then.as_ref().ok());
        if joins > self.joins {
            self.joins = joins;
            for target in ways().flatten().filter(|it| it.objects.len() > 1) {
                self.joined(access, target);
            }
        }
        if ways().nth(1).is_some() {
            let reason = reason(access, event.outcomes, event.kind);
            let members = self.grouped(access.exec, &event.objects());
            self.last = Some((access.instruction(), reason, members));
        }
        Ok(Command::Continue)
    }

    fn watch_split(&mut self, _view: &View<'_, '_>, event: &Split) {
        if event.kind != ForkKind::Resolution {
            return;
        }
        let Some((at, reason, members)) = self.last.take_if(|last| last.0 == event.inst) else {
            return;
        };
        for (number, sizes) in members {
            let seen = Seen {
                count: 1,
                most: event.parts as u64,
                most_bytes: 0,
                sizes,
            };
            self.enter(at, What::Apart(reason, number), &seen);
        }
    }

    fn across_workers(&self) -> AcrossWorkers {
        AcrossWorkers::Merged
    }

    fn save(&mut self) -> Vec<u8> {
        let entries = std::mem::take(&mut self.entries);
        let left_out = std::mem::take(&mut self.left_out);
        if entries.is_empty() && left_out == 0 {
            return Vec::new();
        }
        let entries: Vec<_> = entries.into_iter().collect();
        plat_protocol::encode(&(&self.origins.list, entries, left_out))
            .expect("counts have a form as bytes")
    }

    fn merge(&mut self, saved: &[u8]) {
        type Saved = (Vec<Origin>, Vec<((Option<InstId>, What), Seen)>, u64);
        let (origins, entries, left_out): Saved =
            plat_protocol::decode(saved).expect("a worker's counts");
        let numbers: Vec<u32> = origins
            .into_iter()
            .map(|origin| self.origins.number(origin))
            .collect();
        for ((at, what), seen) in entries {
            self.enter(at, what.renumbered(&numbers), &seen);
        }
        self.left_out += left_out;
    }

    fn worker_started(&mut self) {
        self.entries.clear();
        self.left_out = 0;
    }

    fn finished(&mut self, program: &Program, summary: &mut Summary) {
        summary.resolutions.together = together(&self.origins.list, &self.entries);
        summary.resolutions.apart = apart(program, &self.origins.list, &self.entries);
        summary.resolutions.left_out = self.left_out;
    }
}

/// Allocations with what was seen of them.
fn members(origins: &[Origin], sizes: BTreeMap<u32, (u64, u64)>) -> Vec<Member> {
    let member = |(number, sizes): (u32, (u64, u64))| Member {
        origin: origins[number as usize].clone(),
        least_bytes: sizes.0,
        most_bytes: sizes.1,
    };
    let mut members: Vec<Member> = sizes.into_iter().map(member).collect();
    members.sort_by(|a, b| a.origin.cmp(&b.origin));
    members
}

fn enter_sizes(known: &mut BTreeMap<u32, (u64, u64)>, number: u32, sizes: (u64, u64)) {
    let entry = known.entry(number).or_insert(sizes);
    *entry = wider(*entry, sizes);
}

/// What came together, directly or by way of others.
fn together(origins: &[Origin], entries: &Entries) -> Vec<Together> {
    let mut above: Vec<usize> = (0..origins.len()).collect();
    let top = |above: &[usize], mut at: usize| {
        while above[at] != at {
            at = above[at];
        }
        at
    };
    let joined = || {
        entries.iter().filter_map(|(&(at, what), seen)| match what {
            What::Joined(first, other) => Some((at, first, other, seen)),
            What::Apart(..) => None,
        })
    };
    for (_, first, other, _) in joined() {
        let (one, other) = (top(&above, first as usize), top(&above, other as usize));
        above[one.max(other)] = one.min(other);
    }
    #[derive(Default)]
    struct Parts {
        sizes: BTreeMap<u32, (u64, u64)>,
        most_bytes: u64,
        joins: BTreeMap<Option<InstId>, (u64, u64)>,
    }
    let mut all: BTreeMap<usize, Parts> = BTreeMap::new();
    for (at, first, other, seen) in joined() {
        let parts = all.entry(top(&above, first as usize)).or_default();
        enter_sizes(&mut parts.sizes, other, seen.sizes);
        parts.most_bytes = parts.most_bytes.max(seen.most_bytes);
        // Each join has one entry of its first allocation with itself.
        if first == other {
            let place = parts.joins.entry(at).or_default();
            *place = (place.0 + seen.count, place.1.max(seen.most));
        }
    }
    let described = all.into_values().map(|parts| {
        let place = |(at, (count, most_objects))| JoinPlace {
            at,
            count,
            most_objects,
        };
        let mut joins: Vec<_> = parts.joins.into_iter().map(place).collect();
        joins.sort_by_key(|place| Reverse(place.count));
        Together {
            members: members(origins, parts.sizes),
            most_bytes: parts.most_bytes,
            joins,
        }
    });
    let mut described: Vec<Together> = described.collect();
    described.sort_by(|a, b| {
        let of = |it: &Together| Reverse(it.most_bytes);
        of(a)
            .cmp(&of(b))
            .then_with(|| a.members[0].origin.cmp(&b.members[0].origin))
    });
    described
}

/// What was followed apart, by place and reason.
fn apart(program: &Program, origins: &[Origin], entries: &Entries) -> Vec<Apart> {
    type Parts = (u64, u64, BTreeMap<u32, (u64, u64)>);
    let mut all: BTreeMap<(Option<InstId>, String), Parts> = BTreeMap::new();
    for (&(at, what), seen) in entries {
        let What::Apart(reason, number) = what else {
            continue;
        };
        let (count, ways, sizes) = all.entry((at, words(program, reason))).or_default();
        // A resolution has an entry for each allocation: the most frequent of them is in most.
        *count = (*count).max(seen.count);
        *ways = (*ways).max(seen.most);
        enter_sizes(sizes, number, seen.sizes);
    }
    let described = all
        .into_iter()
        .map(|((at, reason), (count, most_ways, sizes))| Apart {
            at,
            reason,
            count,
            most_ways,
            members: members(origins, sizes),
        });
    let mut described: Vec<Apart> = described.collect();
    described.sort_by_key(|it| Reverse(it.count));
    described
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(inst: u32) -> Origin {
        Origin::Calls(vec![InstId(inst)])
    }

    fn seen(most_bytes: u64, size: u64) -> Seen {
        Seen {
            count: 1,
            most: 2,
            most_bytes,
            sizes: (size, size),
        }
    }

    fn recorder(origins: &[u32], joins: &[(u32, u32, u32, u64)]) -> Sharing {
        let mut sharing = Sharing::default();
        for &inst in origins {
            sharing.origins.number(calls(inst));
        }
        for &(at, first, other, bytes) in joins {
            sharing.enter(
                Some(InstId(at)),
                What::Joined(first, other),
                &seen(bytes, 8 * u64::from(other + 1)),
            );
        }
        sharing
    }

    #[test]
    fn what_came_together_by_way_of_others_is_one() {
        // At 7: the allocations 0 and 1; at 9: 1 and 2; at 9, too: 3 alone.
        let joins = [
            (7, 0, 0, 24),
            (7, 0, 1, 24),
            (9, 1, 1, 48),
            (9, 1, 2, 48),
            (9, 3, 3, 64),
        ];
        let sharing = recorder(&[50, 40, 30, 20], &joins);
        let all = together(&sharing.origins.list, &sharing.entries);
        let shape: Vec<_> = all
            .iter()
            .map(|it| (it.members.len(), it.most_bytes, it.joins.len()))
            .collect();
        assert_eq!(shape, [(1, 64, 1), (3, 48, 2)]);
        assert_eq!(all[1].members[0].origin, calls(30));
        assert_eq!(
            (all[1].members[0].least_bytes, all[1].members[0].most_bytes),
            (24, 24)
        );
        let counts: u64 = all[1].joins.iter().map(|place| place.count).sum();
        assert_eq!(counts, 2);
    }

    #[test]
    fn processes_number_allocations_for_themselves() {
        let mut first = recorder(&[50, 40], &[(7, 0, 0, 24), (7, 0, 1, 24)]);
        let mut worker = recorder(&[40, 50], &[(7, 0, 0, 32), (7, 0, 1, 32)]);
        first.merge(&worker.save());
        assert!(worker.save().is_empty());
        let all = together(&first.origins.list, &first.entries);
        assert_eq!(
            (all.len(), all[0].members.len(), all[0].most_bytes),
            (1, 2, 32)
        );
        let counts: u64 = all[0].joins.iter().map(|place| place.count).sum();
        assert_eq!(counts, 2);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut sharing = recorder(&[50], &[]);
        for at in 0..=MOST as u32 {
            sharing.enter(Some(InstId(at)), What::Joined(0, 0), &seen(8, 8));
        }
        assert_eq!((sharing.entries.len(), sharing.left_out), (MOST, 1));
        sharing.enter(Some(InstId(3)), What::Joined(0, 0), &seen(8, 8));
        assert_eq!(sharing.left_out, 1);
    }
}
