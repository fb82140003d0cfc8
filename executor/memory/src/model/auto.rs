//! `auto`: decides for each pointer what is cheapest, from what this path has seen.
//!
//! Where a pointer can lead to several segments, they are put together as under `dynamic`, or the path
//! forks, whichever is estimated cheaper ([`super::policy`]): from the number of segments, their bytes,
//! and by how much the same instruction has multiplied this path before. What was put together stays
//! so; but once accesses to it have cost more than that ([`super::accounts`]), the path forks by object
//! where a pointer leads to it. The user can pin an instruction to one way.
//!
//! No analysis is made. What is decided follows from what this path has done and from nothing else, so
//! that a path can be followed again anywhere.

use super::accounts::Accounts;
use super::dynamic::{Candidates, Dynamic};
use super::policy::{Choice, Facts, Way, Why, cheaper};
use super::segmented::one_each;
use super::{Entry, Isolation, MemoryModel, ModelConfig, Partition, Usage};
use crate::join::{Move, Part};
use crate::objects::Kind;
use crate::request::Request;
use crate::resolution::{SegmentIndex, Stop};
use crate::resolve::{ResolutionQuery, Splitting};
use crate::segments::{Segments, own};
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use plat_program::InstId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What the list of models has.
pub const ENTRY: Entry = Entry {
    name: "auto",
    help: "merges or forks at each pointer, whichever is estimated cheaper; no analysis",
    wants_groups: false,
    make: |config| Box::new(Auto::new(config)),
};

/// The pieces of an instruction that is pinned to be split, without other sizes: those of the paper.
const PIECES: Splitting = Splitting {
    threshold: 300,
    piece: 128,
};

/// Every position is a piece.
const POSITIONS: Splitting = Splitting {
    threshold: 0,
    piece: 1,
};

/// The model.
#[derive(Clone, Debug)]
pub struct Auto {
    segments: Dynamic,
    pieces: Splitting,
    /// By how much pointers at an instruction have multiplied this path.
    factors: Rc<FxHashMap<InstId, u64>>,
    /// What segments have cost that objects share.
    accounts: Accounts,
}

impl Auto {
    /// Nothing allocated.
    pub fn new(config: &ModelConfig) -> Self {
        Self {
            segments: Dynamic::new(config),
            pieces: config.splitting.unwrap_or(PIECES),
            factors: Rc::default(),
            accounts: Accounts::default(),
        }
    }

    fn factor(&self, at: Option<InstId>) -> u64 {
        let known = at.and_then(|at| self.factors.get(&at));
        known.copied().unwrap_or(1)
    }

    /// A path for each object, of segments that are dear, if that is paid for; one if the pointer leads to
    /// one only.
    fn apart(
        &self,
        query: &mut ResolutionQuery<'_, '_>,
        candidates: &Candidates,
    ) -> Result<Option<Partition>, Stop> {
        let segments = candidates.parts.iter().map(|part| part.segment);
        let dear = segments.filter(|&segment| self.accounts.is_dear(segment));
        let Some(dearest) = dear.max_by_key(|&segment| self.accounts.paid(segment)) else {
            return Ok(None);
        };
        // An object that shares a segment leaves the number of its own to nobody else.
        let all = query.alternatives(&|object, state| match state.place.segment {
            segment if self.accounts.is_dear(segment) => own(object).0,
            segment => segment.0,
        });
        if all.len() == candidates.all.len() {
            return Ok(None);
        }
        let objects = query.feasible(all)?;
        let alternatives = objects.len() as u64;
        if !self.accounts.buys(dearest, alternatives) {
            return Ok(None);
        }
        let choice = Choice {
            way: Way::Fork,
            why: Why::Cost,
            apart: Some(dearest),
            alternatives,
            bytes: self.segments.bytes(&candidates.parts),
        };
        Ok(Some(Partition {
            choice: (alternatives > 1).then_some(choice),
            ..one_each(query, objects)?
        }))
    }
}

impl MemoryModel for Auto {
    fn isolation(&self) -> Isolation {
        self.segments.isolation()
    }

    fn context_depth(&self) -> usize {
        self.segments.context_depth()
    }

    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        self.segments.place(pool, request, segments)
    }

    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    ) {
        self.segments.release(pool, state, kind, segments);
        if !self.segments.holds(state.place.segment) {
            self.accounts.close(state.place.segment);
        }
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        let mut candidates = self.segments.candidates(query)?;
        let pinned = query.pinned();
        if pinned.is_none()
            && let Some(apart) = self.apart(query, &candidates)?
        {
            return Ok(apart);
        }
        let facts = Facts {
            alternatives: candidates.parts.len() as u64,
            bytes: self.segments.bytes(&candidates.parts),
            factor: self.factor(query.at()),
        };
        let way = pinned.unwrap_or_else(|| cheaper(&facts));
        let is_choice = facts.alternatives > 1 || pinned.is_some();
        let choice = is_choice.then_some(Choice {
            way,
            why: pinned.map_or(Why::Estimate, |_| Why::Pinned),
            apart: None,
            alternatives: facts.alternatives,
            bytes: facts.bytes,
        });
        if way == Way::Merge && self.segments.is_packable(&candidates.parts) {
            return Ok(Partition {
                join: candidates.parts,
                choice,
                ..Partition::default()
            });
        }
        candidates.settle(query)?;
        Ok(Partition {
            pieces: match way {
                Way::Split => Some(self.pieces),
                Way::Value => Some(POSITIONS),
                Way::Merge | Way::Fork => None,
            },
            choice,
            ..one_each(query, candidates.all)?
        })
    }

    fn join(&mut self, parts: &[Part], segments: &mut Segments) -> Vec<Move> {
        let moves = self.segments.join(parts, segments);
        self.accounts.moved(&moves);
        moves
    }

    fn accessed(&mut self, segment: SegmentIndex, bytes: u64) {
        self.accounts.pay(segment, bytes);
    }

    fn chosen(&mut self, at: Option<InstId>, choice: &Choice) {
        if let Some(segment) = choice.apart {
            return self.accounts.forked(segment, choice.alternatives);
        }
        let Some(at) = at.filter(|_| choice.way != Way::Merge) else {
            return;
        };
        let factor = Rc::make_mut(&mut self.factors).entry(at).or_insert(1);
        *factor = factor.saturating_mul(choice.alternatives.max(1));
    }

    fn arrange(
        &mut self,
        segment: SegmentIndex,
        objects: &[(u64, u64)],
    ) -> Option<(Vec<u64>, u64)> {
        self.segments.arrange(segment, objects)
    }

    fn usage(&self) -> Usage {
        self.segments.usage()
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(self.clone())
    }
}
