//! The contexts of an ideal segmentation: those of the analysis, and longer ones where these do not tell
//! apart what a run has told apart.
//!
//! The analysis clones a few functions around an allocation. In a program with an allocator of its own its
//! call strings end in that, so that all objects have the same few. A run sees the calls on the stack. So a
//! context of the analysis whose objects were not all confused alike is divided, call by call outwards, until
//! those of one context are; it gets no longer than that, so that the segments also fit paths that the run
//! has not seen.

use plat_program::{GroupId, InstId, Program, SiteId};
use plat_segments::{Context, SegmentMap, Site};
use std::collections::{BTreeMap, BTreeSet};

/// The calls on the stack at an allocation, the allocating one first.
pub type CallString = Vec<InstId>;

/// The map with a number for each call of the program that the analysis has seen, so that contexts can have
/// any of them.
pub fn with_all_calls(mut map: SegmentMap, program: &Program) -> SegmentMap {
    let known: BTreeSet<(String, u32)> = map
        .sites
        .iter()
        .map(|site| (site.function.clone(), site.call))
        .collect();
    for function in &program.functions {
        for (at, &call) in function.call_ordinals.iter().enumerate() {
            if call == u32::MAX || known.contains(&(function.name.clone(), call)) {
                continue;
            }
            let location = program.location(function.locs[at]);
            map.sites.push(Site {
                id: SiteId::new(map.sites.len()),
                function: function.name.clone(),
                call,
                callee: callee(program, function, at),
                file: location.file.clone(),
                line: location.line,
            });
        }
    }
    map
}

/// The function that a call names.
fn callee(program: &Program, function: &plat_program::Function, at: usize) -> String {
    match &function.insts[at] {
        plat_program::Inst::Call { call, .. } => match call.callee {
            plat_program::Callee::Direct(callee) => program.function(callee).name.clone(),
            _ => "*".to_string(),
        },
        _ => "*".to_string(),
    }
}

/// An allocation as a run has seen it: the sites of its calls, the allocating one first, as far as they have
/// numbers, and the set that it was confused in.
type Seen = (Vec<SiteId>, Option<usize>);

/// The map whose groups are the sets of call strings that were confused; `allocated` are all under which
/// the program has allocated. Its contexts are those of `base`, followed by longer ones. Sets that share a call
/// string, or that no context tells apart, are one group.
pub fn grouped(
    base: &SegmentMap,
    program: &Program,
    allocated: &[CallString],
    sets: &[Vec<CallString>],
) -> SegmentMap {
    let mut forest: Vec<usize> = (0..sets.len()).collect();
    let mut set_of: BTreeMap<Vec<SiteId>, Option<usize>> = BTreeMap::new();
    let named = sets.iter().enumerate();
    let named = named.flat_map(|(at, set)| set.iter().map(move |string| (string, Some(at))));
    for (string, set) in named.chain(allocated.iter().map(|string| (string, None))) {
        let known = set_of.entry(sites(program, string)).or_default();
        *known = united(&mut forest, *known, set);
    }
    // What the analysis has no context for is told apart by its allocating call.
    let mut by_context: BTreeMap<(Option<usize>, Option<SiteId>), Vec<Seen>> = BTreeMap::new();
    for seen in set_of {
        let context = context_of(&base.contexts, &seen.0);
        let call = seen.0.first().copied().filter(|_| context.is_none());
        by_context.entry((context, call)).or_default().push(seen);
    }
    let mut map = base.clone();
    for context in &mut map.contexts {
        context.group = None;
    }
    let mut found: Vec<Option<usize>> = vec![None; map.contexts.len()];
    for ((context, call), seen) in by_context {
        let len = match context {
            Some(at) => base.contexts[at].chain.len(),
            None => usize::from(call.is_some()),
        };
        let is_confused = seen.iter().any(|one| one.1.is_some());
        if len == 0 || !is_confused {
            continue;
        }
        let mut leaves = Vec::new();
        divide(&mut forest, &seen, len, &mut leaves);
        for (chain, set) in leaves {
            if let Some(at) = context.filter(|_| chain.len() == len) {
                found[at] = set;
                continue;
            }
            let chain = chain.into_iter().rev().collect();
            map.contexts.push(Context { chain, group: None });
            found.push(set);
        }
    }
    number(&mut map, &found, &forest);
    map
}

/// Numbers the groups in the order of their first contexts.
fn number(map: &mut SegmentMap, found: &[Option<usize>], forest: &[usize]) {
    let mut numbers: BTreeMap<usize, GroupId> = BTreeMap::new();
    for (context, set) in map.contexts.iter_mut().zip(found) {
        let next = GroupId::new(numbers.len());
        context.group = set.map(|set| *numbers.entry(root(forest, set)).or_insert(next));
    }
    map.groups = numbers.len() as u32;
}

fn root(forest: &[usize], mut at: usize) -> usize {
    while forest[at] != at {
        at = forest[at];
    }
    at
}

/// One of two sets that are one.
fn united(forest: &mut [usize], one: Option<usize>, other: Option<usize>) -> Option<usize> {
    let (Some(a), Some(b)) = (one, other) else {
        return one.or(other);
    };
    let (a, b) = (root(forest, a), root(forest, b));
    forest[a.max(b)] = a.min(b);
    Some(a.min(b))
}

/// The calls of a string by their numbers, as far as they have some.
fn sites(program: &Program, string: &[InstId]) -> Vec<SiteId> {
    let sites = string
        .iter()
        .map(|call| program.annotations.sites.get(call));
    sites.map_while(|site| site.copied()).collect()
}

/// The context with the longest chain that ends these calls.
fn context_of(contexts: &[Context], calls: &[SiteId]) -> Option<usize> {
    let fits = |chain: &[SiteId]| {
        chain.len() <= calls.len()
            && chain
                .iter()
                .rev()
                .zip(calls)
                .all(|(one, other)| one == other)
    };
    let all = (0..contexts.len()).filter(|&at| fits(&contexts[at].chain));
    all.max_by_key(|&at| (contexts[at].chain.len(), std::cmp::Reverse(at)))
}

/// Divides allocations, which have their first `len` calls in common, until those of one part were confused
/// alike: the calls of each part, and its set.
fn divide(forest: &mut [usize], all: &[Seen], len: usize, leaves: &mut Vec<Seen>) {
    let Some((first, rest)) = all.split_first() else {
        return;
    };
    let set = first.1.map(|set| root(forest, set));
    let alike = |forest: &[usize]| {
        rest.iter()
            .all(|one| one.1.map(|set| root(forest, set)) == set)
    };
    if alike(forest) {
        leaves.push((first.0[..len].to_vec(), set));
        return;
    }
    // What has no further call stays at this length. The longer contexts beside it go before it.
    let mut parts: BTreeMap<Option<SiteId>, Vec<Seen>> = BTreeMap::new();
    for one in all {
        let part = parts.entry(one.0.get(len).copied()).or_default();
        part.push(one.clone());
    }
    for (call, part) in parts {
        if call.is_some() {
            divide(forest, &part, len + 1, leaves);
            continue;
        }
        let set = part
            .iter()
            .fold(None, |known, one| united(forest, known, one.1));
        leaves.push((part[0].0[..len].to_vec(), set));
    }
}

/// The map without the sites that no context has; those before the first of them keep their numbers.
pub fn without_unused_sites(mut map: SegmentMap) -> SegmentMap {
    let chains = map.contexts.iter().flat_map(|context| &context.chain);
    let used: BTreeSet<SiteId> = chains.copied().collect();
    map.sites.retain(|site| used.contains(&site.id));
    let mut numbers = BTreeMap::new();
    for (at, site) in map.sites.iter_mut().enumerate() {
        numbers.insert(site.id, SiteId::new(at));
        site.id = SiteId::new(at);
    }
    let chains = map.contexts.iter_mut().map(|context| &mut context.chain);
    chains.flatten().for_each(|site| *site = numbers[site]);
    map
}
