//! The segment map of a run.

use crate::model::{Group, Place, Segments};
use plat::demangle;
use plat::segments::SegmentMap;

/// The map, its groups the largest first.
pub(super) fn segments(map: &SegmentMap) -> Segments {
    let mut groups: Vec<Group> = (0..map.groups).map(|number| group(map, number)).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.contexts.len()));
    let alone = map
        .contexts
        .iter()
        .filter(|context| context.group.is_none());
    Segments {
        unify: map.unify.name().to_string(),
        contexts: map.contexts.len() as u64,
        groups,
        alone: alone.map(|context| map.chain_text(context)).collect(),
    }
}

fn group(map: &SegmentMap, number: u32) -> Group {
    let contexts = map.contexts.iter();
    let own = contexts.filter(|context| context.group.is_some_and(|group| group.0 == number));
    let unions = map.unions.iter().filter(|union| union.group.0 == number);
    let described = unions.map(|union| {
        let place = Place {
            file: union.file.clone(),
            line: union.line,
            column: 0,
        };
        let function = demangle::text(&union.function).into_owned();
        (function, place, union.contexts as u64)
    });
    Group {
        number,
        contexts: own.map(|context| map.chain_text(context)).collect(),
        unions: described.collect(),
    }
}
