//! Two versions of a program side by side: which decisions of the old run lead the run of the new version,
//! and where it leaves them.
//!
//! The run of the new version is led along all decisions of the old one, with their answers. A path that
//! comes to a changed block goes on by itself from there: the run comes to all paths of the new version,
//! and asks the solver only about what is behind a change. A path that comes to the end of an old one
//! without having met a change does what that did ([`Matched`]), and is taken over.
//!
//! Where something depends on addresses that a change has moved, a path comes to other questions or other
//! splits than the old one. Then it has diverged, and is explored anew as in a resumed run.

use super::blocks::Matched;
use super::earlier::Earlier;
use super::observed::Observed;
use crate::explorer::Replayer;
use crate::suite::SavedTest;
use crate::trie::{Inner, Node, Place, Trie};
use plat_engine::NodeId;
use plat_program::{InstId, Program};
use plat_store::Header;
use std::collections::HashSet;

/// A test that takes this many instructions more than ten times those of the longest path has not
/// ended: a changed program may loop.
const LONGEST: u64 = 10_000_000;

/// What two versions of a program have in common.
#[derive(Debug)]
pub struct Comparison {
    pub(super) earlier: Earlier,
    pub(super) old: Replayer,
    pub(super) new: Replayer,
    pub(super) matched: Matched,
    /// What the run of the new version does.
    pub(super) observed: Observed,
}

impl Comparison {
    /// Compares two versions by their code.
    pub fn new(earlier: Earlier, old: Replayer, new: Replayer) -> Self {
        let matched = Matched::of(old.program(), new.program());
        let observed = Observed::of(earlier.ended());
        Comparison {
            earlier,
            old,
            new,
            matched,
            observed,
        }
    }

    /// The first instructions of what has changed in the new version: of blocks that the old one does not
    /// have, and of functions whose first block is one.
    pub(crate) fn changed(&self) -> Vec<InstId> {
        let partners = self.matched.blocks.iter();
        let known: HashSet<InstId> = partners.filter_map(|&(_, new)| new).collect();
        let functions = self.new.program().functions.iter();
        let changed = functions.flat_map(|function| {
            let blocks = function.blocks.iter();
            let firsts = blocks.map(|block| InstId(function.first_inst.0 + block.first));
            let mut changed: Vec<InstId> = firsts.filter(|first| !known.contains(first)).collect();
            if changed.first() == Some(&function.first_inst) {
                changed.truncate(1);
            }
            changed
        });
        changed.collect()
    }

    /// The places of splits in the new version; none where there is none.
    fn places(&self) -> Vec<Option<Place>> {
        let (old, new) = (self.old.program(), self.new.program());
        let places = self.earlier.trie.places.iter();
        places
            .map(|place| self.matched.place(old, new, place))
            .collect()
    }

    /// The trie that the run of the new version goes on with: all decisions of the old run whose places the
    /// new version has, and no end of a path.
    pub(crate) fn remains(&self, header: Header) -> Trie {
        let old = &self.earlier.trie;
        let places = self.places();
        let mut nodes = std::collections::BTreeMap::new();
        let mut gone: HashSet<NodeId> = HashSet::new();
        old.walk(&mut |id, _, node| match node {
            Node::Inner(Inner { place, sides, .. })
                if gone.contains(&id) || places[*place].is_none() =>
            {
                gone.extend(sides.iter().map(|&(_, side)| side));
            }
            Node::Inner(_) | Node::Left(_) if !gone.contains(&id) => {
                nodes.insert(id, node.clone());
            }
            _ => {}
        });
        // A place that has gone is no kept node's.
        let places = places.into_iter();
        let places = places.map(|place| place.unwrap_or_else(Place::default));
        Trie {
            header,
            places: places.collect(),
            nodes,
            next: old.next,
            ..Trie::default()
        }
    }

    /// What notes what the run of the new version does.
    pub(crate) fn observed(&self) -> Observed {
        self.observed.clone()
    }

    /// A test that takes more instructions has not ended.
    pub(super) fn longest<'t>(tests: impl Iterator<Item = &'t SavedTest>) -> u64 {
        let most = tests.map(|test| test.work.0).max();
        LONGEST.saturating_add(most.unwrap_or(0).saturating_mul(10))
    }

    /// The run of the old version.
    pub fn earlier(&self) -> &Earlier {
        &self.earlier
    }
}

impl Matched {
    /// The place of the new version that one of the old version is.
    fn place(&self, old: &Program, new: &Program, place: &Place) -> Option<Place> {
        let function = old.function_named(&place.function)?;
        let Some(inst) = place.inst else {
            return Some(place.clone());
        };
        let inst = self.inst(InstId(function.first_inst.0 + inst))?;
        let (function, position) = new.position(inst);
        Some(Place {
            function: new.function(function).name.clone(),
            inst: Some(position as u32),
        })
    }
}
