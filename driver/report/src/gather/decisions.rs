//! Places of decisions, found in the profile: the trie names functions and instructions.

use super::Files;
use crate::model::{Place, SplitPlace};
use plat::demangle;
use plat::output::profile::Function;
use plat::trie::{Node, Trie};
use std::collections::{BTreeMap, HashMap};

/// The places of a trie by position and kind, with where they are in the source.
pub(super) fn places(trie: &Trie, files: &Files) -> Vec<((usize, &'static str), SplitPlace)> {
    let profile = &files.profile;
    let functions: HashMap<&str, &Function> = profile
        .functions
        .iter()
        .map(|function| (function.name.as_str(), function))
        .collect();
    let mut splits: BTreeMap<(usize, &'static str), (u64, u64, u64)> = BTreeMap::new();
    for node in trie.nodes.values() {
        if let Node::Inner(inner) = node {
            let count = splits.entry((inner.place, inner.kind.name())).or_default();
            count.0 += 1;
            count.1 += inner.sides.len() as u64;
            count.2 = count.2.max(inner.sides.len() as u64);
        }
    }
    let described = splits
        .into_iter()
        .map(|(key, (splits, sides, most_sides))| {
            let known = &trie.places[key.0];
            let function = functions.get(known.function.as_str());
            let inst = known.inst.and_then(|at| function?.insts.get(at as usize));
            let place = inst.map_or_else(Place::default, |&(file, line, _)| Place {
                file: profile.files[file as usize].clone(),
                line,
                column: 0,
            });
            let text = files.texts.line(&place.file, place.line);
            let place = SplitPlace {
                kind: key.1.to_string(),
                function: demangle::text(&known.function).into_owned(),
                inst: known.inst,
                place,
                text: text.unwrap_or_default(),
                splits,
                sides,
                most_sides,
            };
            (key, place)
        });
    described.collect()
}
