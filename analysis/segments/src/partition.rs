//! Algorithm 3, lines 3 to 13: unite points-to sets that intersect.
//!
//! The paper repeats pairwise unions until nothing changes; here a union-find forest over the heap
//! objects needs one pass over the sets. Only heap objects are grouped. Globals, constants and
//! stack objects are not (section 3 of the paper), and do not unite heap objects that share a set
//! with them.

use crate::map::{Context, FORMAT, SegmentMap, Site, Unify, VERSION};
use plat_pointers::{AbstractObject, PointsTo};
use plat_program::{GroupId, Program, SiteId};
use rustc_hash::FxHashMap;

/// The sets to unite.
fn counted(points_to: &PointsTo, unify: Unify) -> impl Iterator<Item = &[u32]> {
    let mut sets = match unify {
        Unify::All => points_to.pointer_sets.clone(),
        Unify::Dereferenced => points_to.dereferenced_sets.clone(),
        Unify::Symbolic => {
            let chosen = points_to.symbolic.iter().flatten();
            chosen.map(|&(_, set)| set).collect()
        }
    };
    sets.sort_unstable();
    sets.dedup();
    sets.into_iter()
        .map(|set| points_to.sets[set as usize].as_slice())
}

fn chain_of(points_to: &PointsTo, object: u32) -> Option<&[u32]> {
    match &points_to.objects[object as usize] {
        AbstractObject::Heap { chain } => Some(chain),
        _ => None,
    }
}

/// A union-find forest with path halving and union by least element.
struct Forest(Vec<u32>);

impl Forest {
    fn find(&mut self, mut element: u32) -> u32 {
        while self.0[element as usize] != element {
            let above = self.0[self.0[element as usize] as usize];
            self.0[element as usize] = above;
            element = above;
        }
        element
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

/// Partitions the heap objects of `points_to`. [`Unify::Symbolic`] needs the taint analysis;
/// without it, the result is that of [`Unify::Dereferenced`], and says so.
pub fn partition(program: &Program, points_to: &PointsTo, unify: Unify) -> SegmentMap {
    let unify = match (unify, &points_to.symbolic) {
        (Unify::Symbolic, None) => Unify::Dereferenced,
        (unify, _) => unify,
    };
    let count = points_to.objects.len();
    let mut forest = Forest((0..count as u32).collect());
    let mut counts = vec![false; count];
    for set in counted(points_to, unify) {
        let mut heap = set
            .iter()
            .copied()
            .filter(|&at| chain_of(points_to, at).is_some());
        let Some(first) = heap.next() else { continue };
        counts[first as usize] = true;
        for other in heap {
            counts[other as usize] = true;
            forest.unite(first, other);
        }
    }
    let mut contexts: Vec<(Vec<u32>, u32)> = Vec::new();
    for object in 0..count as u32 {
        if let Some(chain) = chain_of(points_to, object) {
            contexts.push((chain.to_vec(), object));
        }
    }
    contexts.sort();
    let mut sites: Vec<u32> = contexts
        .iter()
        .flat_map(|(chain, _)| chain.clone())
        .collect();
    sites.sort_unstable();
    sites.dedup();
    let id = |site: &u32| SiteId::new(sites.partition_point(|other| other < site));
    let mut groups: FxHashMap<u32, GroupId> = FxHashMap::default();
    let contexts = contexts
        .iter()
        .map(|(chain, object)| {
            let next = GroupId::new(groups.len());
            let root = forest.find(*object);
            let group = counts[*object as usize].then(|| *groups.entry(root).or_insert(next));
            Context {
                chain: chain.iter().map(id).collect(),
                group,
            }
        })
        .collect();
    SegmentMap {
        format: FORMAT.to_string(),
        version: VERSION,
        program: program.name.clone(),
        fingerprint: points_to.fingerprint.clone(),
        unify,
        sites: sites
            .iter()
            .map(|site| named(points_to, *site, id(site)))
            .collect(),
        contexts,
        groups: groups.len() as u32,
        unions: Vec::new(),
    }
}

fn named(points_to: &PointsTo, site: u32, id: SiteId) -> Site {
    let call = points_to.sites[site as usize].clone();
    Site {
        id,
        function: call.function,
        call: call.call,
        callee: call.callee,
        file: call.file,
        line: call.line,
    }
}

/// Checks that every counted points-to set lies in one group.
///
/// # Errors
/// The first set that does not, as text.
pub fn verify(points_to: &PointsTo, map: &SegmentMap) -> Result<(), String> {
    let name = |site: SiteId| {
        let site = map.sites.get(site.index())?;
        Some((site.function.as_str(), site.call))
    };
    let mut groups: FxHashMap<Vec<(&str, u32)>, Option<GroupId>> = FxHashMap::default();
    for context in &map.contexts {
        let chain: Option<Vec<_>> = context.chain.iter().map(|&site| name(site)).collect();
        let Some(chain) = chain else {
            return Err("a chain names a site that is not there".into());
        };
        if groups.insert(chain, context.group).is_some() {
            return Err("two contexts have the same chain".into());
        }
        if context.group.is_some_and(|group| group.0 >= map.groups) {
            return Err("a context is in a group that is not there".into());
        }
    }
    for set in counted(points_to, map.unify) {
        let mut found: Option<GroupId> = None;
        for chain in set.iter().filter_map(|&object| chain_of(points_to, object)) {
            let calls = chain.iter().map(|&site| &points_to.sites[site as usize]);
            let chain: Vec<(&str, u32)> = calls
                .map(|site| (site.function.as_str(), site.call))
                .collect();
            let Some(Some(group)) = groups.get(&chain) else {
                return Err(format!("{chain:?} can be pointed to but has no group"));
            };
            if found.is_some_and(|found| found != *group) {
                return Err(format!(
                    "a pointer's set reaches beyond one group at {chain:?}"
                ));
            }
            found = Some(*group);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_pointers::{CallSite, Statistics};
    use std::collections::{BTreeMap, BTreeSet};

    /// A result whose object `i` is allocated by call `i` and whose pointers have the given sets.
    fn result(objects: u32, sets: &[Vec<u32>]) -> PointsTo {
        let site = |call| CallSite {
            function: "f".into(),
            call,
            callee: "malloc".into(),
            file: String::new(),
            line: 0,
        };
        let object = |at: u32| match at % 5 {
            4 => AbstractObject::Global {
                name: format!("g{at}"),
            },
            _ => AbstractObject::Heap { chain: vec![at] },
        };
        PointsTo {
            format: plat_pointers::report::FORMAT.into(),
            version: plat_pointers::report::VERSION,
            program: "p".into(),
            fingerprint: "0".into(),
            sites: (0..objects).map(site).collect(),
            objects: (0..objects).map(object).collect(),
            sets: sets.to_vec(),
            registers: BTreeMap::new(),
            dereferences: Vec::new(),
            pointer_sets: (0..sets.len() as u32).collect(),
            dereferenced_sets: (0..sets.len() as u32).step_by(2).collect(),
            heap_dereferences: Vec::new(),
            symbolic: Some(
                (0..sets.len() as u32)
                    .step_by(3)
                    .map(|set| (None, set))
                    .collect(),
            ),
            calls: Vec::new(),
            callees: Vec::new(),
            cloned: Vec::new(),
            summarised: Vec::new(),
            unknown: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    /// Algorithm 3 as in the paper.
    fn paper(sets: &[Vec<u32>]) -> BTreeSet<BTreeSet<u32>> {
        let heap = |set: &Vec<u32>| set.iter().copied().filter(|at| at % 5 != 4).collect();
        let mut all: BTreeSet<BTreeSet<u32>> = sets.iter().map(heap).collect();
        all.remove(&BTreeSet::new());
        loop {
            let pair = all.iter().find_map(|a| {
                let b = all.iter().find(|b| *b != a && !a.is_disjoint(b))?;
                Some((a.clone(), b.clone()))
            });
            let Some((a, b)) = pair else { return all };
            all.remove(&a);
            all.remove(&b);
            all.insert(&a | &b);
        }
    }

    #[test]
    fn partition_agrees_with_the_paper() {
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..300 {
            let objects = 1 + random.u32(..25);
            let sets: Vec<Vec<u32>> = (0..random.u32(..12))
                .map(|_| {
                    let set: BTreeSet<u32> = (0..random.u32(..4))
                        .map(|_| random.u32(..objects))
                        .collect();
                    set.into_iter().collect()
                })
                .collect();
            let points_to = result(objects, &sets);
            let (_, unify) = Unify::ALL[round % 3];
            let map = partition(&Program::default(), &points_to, unify);
            verify(&points_to, &map).expect("a legal partition");
            let mut found: BTreeMap<GroupId, BTreeSet<u32>> = BTreeMap::new();
            for context in &map.contexts {
                let site = &map.sites[context.chain[0].index()];
                if let Some(group) = context.group {
                    found.entry(group).or_default().insert(site.call);
                }
            }
            let counted: Vec<Vec<u32>> = match unify {
                Unify::All => sets.clone(),
                Unify::Dereferenced => sets.iter().step_by(2).cloned().collect(),
                Unify::Symbolic => sets.iter().step_by(3).cloned().collect(),
            };
            assert_eq!(
                found.values().cloned().collect::<BTreeSet<_>>(),
                paper(&counted)
            );
            assert_eq!(found.len(), map.groups as usize);
            let again = SegmentMap::from_json("m", &map.to_json()).expect("what was written");
            assert_eq!(again, map);
        }
    }

    #[test]
    fn verify_refuses_a_split_set() {
        let points_to = result(3, &[vec![0, 1, 2]]);
        let mut map = partition(&Program::default(), &points_to, Unify::All);
        map.groups = 2;
        map.contexts[2].group = Some(GroupId(1));
        assert!(verify(&points_to, &map).is_err());
        map.contexts[2].group = None;
        assert!(verify(&points_to, &map).is_err());
    }
}
