//! `segmented` (segmented-memory paper, algorithms 3 to 5): heap objects that a pointer can be
//! confused about share a segment; every other object starts in one of its own. A pointer that can
//! lead to several segments is followed on a path for each.
//!
//! The points-to analysis says which objects *may* be confused: those of a group. When they come
//! together is a choice, [`Join`]:
//!
//! - at their allocation, as in algorithm 5: all objects of a group.
//! - on demand: an object of a group starts alone. When a symbolic pointer can lead to several
//!   objects of one group, their allocation contexts are *confused* on this path, from then on.
//!   Objects of contexts that are confused with one another are put together whenever a pointer
//!   may lead to several of them, and fresh ones go where the others are. So a segment holds at
//!   most what the ideal segmentation of the paper's section 4.1 would have in it, and that only
//!   on paths and from moments where the confusion was seen.
//!
//! Which contexts are confused, and which objects are where, depends on what this path has done
//! and on nothing else: parts are ordered by ages and addresses, never by numbers of the run.

use super::clusters::Clusters;
use super::{Entry, Isolation, Join, MemoryModel, Partition, Usage, place_alone, release_alone};
use crate::join::{Move, Part};
use crate::objects::Kind;
use crate::paged::PagedVec;
use crate::request::Request;
use crate::resolution::{SegmentIndex, Stop};
use crate::resolve::{Alternative, ResolutionQuery};
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use plat_program::GroupId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is confused as a whole: the objects of an allocation context of a group.
type Context = (GroupId, Option<u32>);

/// What the objects of an alternative are confused with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Owner {
    /// All that is in this cluster.
    Cluster(u32),
    /// Nothing so far: an object of this context that is alone.
    Fresh(Context),
}

/// What the list of models has.
pub const ENTRY: Entry = Entry {
    name: "segmented",
    help: "objects that may alias share a segment; one path for each segment",
    wants_groups: true,
    make: |config| Box::new(Segmented::new(config.threshold, config.join)),
};

/// The model.
#[derive(Clone, Debug)]
pub struct Segmented {
    join: Join,
    clusters: Clusters,
    /// By segment number: the context of the object of a group that is alone in it.
    alone: PagedVec<Context>,
    /// The clusters of the contexts that are confused.
    homes: Rc<FxHashMap<Context, u32>>,
    /// Number of clusters made for `homes`.
    made: u32,
}

impl Segmented {
    /// Nothing allocated.
    pub fn new(threshold: u64, join: Join) -> Self {
        Self {
            join,
            clusters: Clusters::new(threshold),
            alone: PagedVec::new(),
            homes: Rc::default(),
            made: 0,
        }
    }

    fn owner(&self, segment: SegmentIndex) -> Option<Owner> {
        if let Some(cluster) = self.clusters.of(segment) {
            return Some(Owner::Cluster(cluster));
        }
        let context = *self.alone.get(segment.index())?;
        let home = self.homes.get(&context).copied();
        Some(home.map_or(Owner::Fresh(context), Owner::Cluster))
    }

    /// Parts of one cluster that can be put together.
    fn joinable(&self, query: &ResolutionQuery<'_, '_>, all: &[Alternative]) -> Option<Vec<Part>> {
        let mut parts: BTreeMap<u32, Vec<Part>> = BTreeMap::new();
        for alternative in all {
            if let Some(Owner::Cluster(cluster)) = self.owner(alternative.segment()) {
                let part = query.part(alternative);
                parts.entry(cluster).or_default().push(part);
            }
        }
        let mut parts = parts.into_values();
        parts.find(|parts| parts.len() > 1 && !self.clusters.packing(parts).is_empty())
    }

    /// Whether what is known to be feasible among the alternatives of a group is new: objects that
    /// were not known to be confused are.
    fn is_new(owners: &[Option<(GroupId, Owner)>], all: &[Alternative], group: GroupId) -> bool {
        let of_group = owners.iter().zip(all).filter_map(|(owner, one)| {
            let (_, owner) = owner.filter(|owner| owner.0 == group)?;
            one.is_feasible().then_some(owner)
        });
        let seen: Vec<Owner> = of_group.collect();
        let fresh = |owner: &Owner| matches!(owner, Owner::Fresh(_)) || *owner != seen[0];
        seen.len() > 1 && seen.iter().any(fresh)
    }

    /// Objects of one group that are found to be confused: all that the pointer may lead to of the
    /// contexts and clusters of which it can lead to some. What cannot tell anything new is not
    /// asked about; which contexts those are does not depend on the order of what is asked.
    fn confused(
        &self,
        query: &mut ResolutionQuery<'_, '_>,
        all: &mut [Alternative],
    ) -> Result<Option<Vec<Part>>, Stop> {
        let owner = |one: &Alternative| {
            let owner = self.owner(one.segment())?;
            let state = query.memory.object(query.part(one).object)?;
            Some((state.group?, owner))
        };
        let owners: Vec<Option<(GroupId, Owner)>> = all.iter().map(owner).collect();
        let known = |all: &[Alternative], at: usize| {
            let feasible = |other: usize| all[other].is_feasible() && owners[other] == owners[at];
            owners[at].is_some_and(|(group, _)| Self::is_new(&owners, all, group))
                && (0..all.len()).any(feasible)
        };
        query.explore(all, &known)?;
        let all = &*all;
        let groups: BTreeSet<GroupId> = owners.iter().flatten().map(|owner| owner.0).collect();
        let mut groups = groups.into_iter();
        let Some(group) = groups.find(|&group| Self::is_new(&owners, all, group)) else {
            return Ok(None);
        };
        let with = |&at: &usize| {
            let counts = owners[at].is_some_and(|owner| owner.0 == group);
            counts && (all[at].is_feasible() || known(all, at))
        };
        let parts = (0..all.len()).filter(with);
        Ok(Some(parts.map(|at| query.part(&all[at])).collect()))
    }

    /// The cluster that all parts belong to from now on.
    fn common(&mut self, parts: &[Part]) -> u32 {
        let owners = parts.iter().filter_map(|part| self.owner(part.segment));
        let owners: BTreeSet<Owner> = owners.collect();
        let clusters: Vec<u32> = owners
            .iter()
            .filter_map(|owner| match owner {
                Owner::Cluster(cluster) => Some(*cluster),
                Owner::Fresh(_) => None,
            })
            .collect();
        let common = clusters.first().copied().unwrap_or_else(|| {
            self.made += 1;
            self.made - 1
        });
        let homes = Rc::make_mut(&mut self.homes);
        for owner in owners {
            match owner {
                Owner::Fresh(context) => drop(homes.insert(context, common)),
                Owner::Cluster(other) if other != common => {
                    let theirs = homes.values_mut().filter(|home| **home == other);
                    theirs.for_each(|home| *home = common);
                    self.clusters.unite(common, other);
                }
                Owner::Cluster(_) => {}
            }
        }
        common
    }
}

/// The group whose objects an object can share a segment with: heap objects only, and only those
/// with a group.
fn pooled(kind: Kind, group: Option<GroupId>) -> Option<GroupId> {
    group.filter(|_| kind == Kind::Heap)
}

/// An outcome for each of the alternatives.
pub(super) fn one_each(
    query: &mut ResolutionQuery<'_, '_>,
    all: Vec<Alternative>,
) -> Result<Partition, Stop> {
    let mut outcomes = Vec::with_capacity(all.len());
    for alternative in all {
        outcomes.push(query.outcome(alternative)?);
    }
    Ok(Partition {
        outcomes,
        ..Partition::default()
    })
}

/// One outcome for each segment that is feasible.
pub(crate) fn by_segment(query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
    let alternatives = query.alternatives(&|_, state| state.place.segment.0);
    let feasible = query.feasible(alternatives)?;
    one_each(query, feasible)
}

impl MemoryModel for Segmented {
    fn isolation(&self) -> Isolation {
        Isolation::Ungrouped
    }

    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        let Some(group) = pooled(request.kind, request.group) else {
            return place_alone(request, segments);
        };
        let context = (group, request.context);
        let cluster = match self.join {
            Join::Allocation => Some(group.0),
            Join::Demand => self.homes.get(&context).copied(),
        };
        if let Some(cluster) = cluster {
            return self.clusters.place(pool, cluster, request, segments);
        }
        let place = place_alone(request, segments);
        self.alone.set(place.segment.index(), context);
        place
    }

    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    ) {
        if self.clusters.of(state.place.segment).is_some() {
            return self.clusters.release(pool, state, segments);
        }
        if pooled(kind, state.group).is_some() {
            self.alone.take(state.place.segment.index());
        }
        release_alone(state, segments);
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        if self.join == Join::Allocation {
            return by_segment(query);
        }
        let put_together = |join| Partition {
            join,
            ..Partition::default()
        };
        let mut alternatives = query.alternatives(&|_, state| state.place.segment.0);
        if let Some(parts) = self.joinable(query, &alternatives) {
            return Ok(put_together(parts));
        }
        if let Some(parts) = self.confused(query, &mut alternatives)? {
            return Ok(put_together(parts));
        }
        alternatives.retain(Alternative::is_feasible);
        one_each(query, alternatives)
    }

    fn join(&mut self, parts: &[Part], segments: &mut Segments) -> Vec<Move> {
        let common = self.common(parts);
        let moves = self.clusters.pack(common, parts, segments);
        for one in &moves {
            self.alone.take(one.from.index());
        }
        moves
    }

    fn usage(&self) -> Usage {
        self.clusters.usage()
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(self.clone())
    }
}
