//! Explains why two allocation contexts are in one group: a chain of intersecting points-to sets
//! from one to the other, with the instruction of each set.

use crate::map::{SegmentMap, Unify};
use plat_pointers::{AbstractObject, PointsTo};
use plat_program::{InstId, Program, SiteId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

/// A points-to set that contains two contexts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The first context, a position in [`SegmentMap::contexts`].
    pub from: usize,
    /// The second context.
    pub to: usize,
    /// The instruction whose pointer (or choice) has this set, if known.
    pub inst: Option<InstId>,
    /// The number of contexts in the set.
    pub size: usize,
}

/// The sets that a map was made from, as contexts of the map, with an instruction for each.
#[derive(Debug)]
pub struct Joins {
    sets: Vec<(Option<InstId>, Vec<usize>)>,
    /// For each context, the positions of its sets.
    of_context: Vec<Vec<usize>>,
}

impl Joins {
    /// The sets of a map that was made from `points_to`.
    pub fn new(points_to: &PointsTo, map: &SegmentMap) -> Self {
        let mut reasons: BTreeMap<u32, Option<InstId>> = BTreeMap::new();
        let mut add = |set: u32, inst: Option<InstId>| {
            let known = reasons.entry(set).or_insert(inst);
            *known = (*known).or(inst);
        };
        for &(inst, set) in &points_to.heap_dereferences {
            if map.unify != Unify::Symbolic {
                add(set, Some(inst));
            }
        }
        match map.unify {
            Unify::All => points_to
                .pointer_sets
                .iter()
                .for_each(|&set| add(set, None)),
            Unify::Dereferenced => {}
            Unify::Symbolic => {
                let chosen = points_to.symbolic.iter().flatten();
                chosen.for_each(|&(inst, set)| add(set, inst));
            }
        }
        let contexts = contexts(points_to, map);
        let mut joins = Joins {
            sets: Vec::new(),
            of_context: vec![Vec::new(); map.contexts.len()],
        };
        for (set, inst) in reasons {
            let objects = points_to.sets[set as usize].iter();
            let members: Vec<usize> = objects
                .filter_map(|object| contexts.get(object).copied())
                .collect();
            for &member in &members {
                joins.of_context[member].push(joins.sets.len());
            }
            joins.sets.push((inst, members));
        }
        joins
    }

    /// The shortest chain from one of `from` to one of `to`.
    pub fn chain(&self, from: &[usize], to: &[usize]) -> Option<Vec<Link>> {
        let mut reached: Vec<Option<Option<Link>>> = vec![None; self.of_context.len()];
        let mut used = vec![false; self.sets.len()];
        let mut queue: VecDeque<usize> = from.iter().copied().collect();
        from.iter().for_each(|&start| reached[start] = Some(None));
        while let Some(context) = queue.pop_front() {
            for &set in &self.of_context[context] {
                if std::mem::replace(&mut used[set], true) {
                    continue;
                }
                let (inst, members) = &self.sets[set];
                for &member in members {
                    if reached[member].is_some() {
                        continue;
                    }
                    reached[member] = Some(Some(Link {
                        from: context,
                        to: member,
                        inst: *inst,
                        size: members.len(),
                    }));
                    queue.push_back(member);
                }
            }
            let found = to.iter().find(|&&end| reached[end].is_some());
            if let Some(&end) = found {
                let mut links = Vec::new();
                let mut at = end;
                while let Some(Some(link)) = reached[at] {
                    links.push(link);
                    at = link.from;
                }
                links.reverse();
                return Some(links);
            }
        }
        None
    }

    /// The sets: an instruction whose pointer (or choice) has it, if known, and the contexts in it.
    pub(crate) fn sets(&self) -> impl Iterator<Item = (Option<InstId>, &[usize])> {
        let sets = self.sets.iter();
        sets.map(|(inst, members)| (*inst, members.as_slice()))
    }

    /// The sets by size, largest first: the number of contexts and the instruction.
    pub fn greatest(&self) -> Vec<(usize, Option<InstId>)> {
        let sets = self.sets.iter();
        let mut all: Vec<_> = sets.map(|(inst, set)| (set.len(), *inst)).collect();
        all.sort_by_key(|&(size, inst)| (std::cmp::Reverse(size), inst));
        all
    }
}

/// The context of each heap object of a result.
fn contexts(points_to: &PointsTo, map: &SegmentMap) -> FxHashMap<u32, usize> {
    let named = |site: SiteId| {
        let site = &map.sites[site.index()];
        (site.function.as_str(), site.call)
    };
    let mut known: FxHashMap<Vec<(&str, u32)>, usize> = FxHashMap::default();
    for (at, context) in map.contexts.iter().enumerate() {
        known.insert(context.chain.iter().map(|&site| named(site)).collect(), at);
    }
    let mut found = FxHashMap::default();
    for (object, what) in (0..).zip(&points_to.objects) {
        if let AbstractObject::Heap { chain } = what {
            let calls = chain.iter().map(|&site| &points_to.sites[site as usize]);
            let chain: Vec<_> = calls
                .map(|site| (site.function.as_str(), site.call))
                .collect();
            if let Some(&at) = known.get(&chain) {
                found.insert(object, at);
            }
        }
    }
    found
}

/// The contexts that a text selects: `FILE:LINE` or `FUNCTION` of a call on the way to the
/// allocation, or a site number. If the innermost call of some contexts matches, only these.
pub fn named(map: &SegmentMap, text: &str) -> Vec<usize> {
    let fits = |site: SiteId| {
        let site = &map.sites[site.index()];
        let by_place = text.rsplit_once(':').is_some_and(|(file, line)| {
            let same_file = site.file == file || site.file.ends_with(&format!("/{file}"));
            same_file && line.parse() == Ok(site.line)
        });
        by_place || site.function == text || text.parse() == Ok(site.id.0)
    };
    let with = |inner: bool| -> Vec<usize> {
        let chains = map.contexts.iter().enumerate();
        let chosen = chains.filter(|(_, context)| {
            let from = if inner { context.chain.len() - 1 } else { 0 };
            context.chain[from..].iter().any(|&site| fits(site))
        });
        chosen.map(|(at, _)| at).collect()
    };
    let inner = with(true);
    if inner.is_empty() { with(false) } else { inner }
}

/// The location of an instruction, as text.
pub fn place(program: &Program, inst: Option<InstId>) -> String {
    let Some(inst) = inst else {
        return "a pointer in memory or in an argument".to_string();
    };
    let function = &program.function(program.position(inst).0).name;
    let location = program.location_of(inst);
    match (location.line, location.file.rsplit('/').next()) {
        (0, _) | (_, None) => format!("{function}, instruction {}", inst.0),
        (line, Some(file)) => format!("{function} ({file}:{line})"),
    }
}

/// A chain, as text.
pub fn narrate(program: &Program, map: &SegmentMap, links: &[Link]) -> String {
    let mut text = String::new();
    let does = match map.unify {
        Unify::All => "points to",
        Unify::Dereferenced => "dereferences",
        Unify::Symbolic => "lets input choose among",
    };
    for (at, link) in links.iter().enumerate() {
        if at == 0 {
            let _ = writeln!(text, "{}", map.chain_text(&map.contexts[link.from]));
        }
        let place = place(program, link.inst);
        let _ = writeln!(
            text,
            "  {place} {does} it and the next, of {} in all",
            link.size
        );
        let _ = writeln!(text, "{}", map.chain_text(&map.contexts[link.to]));
    }
    text
}
