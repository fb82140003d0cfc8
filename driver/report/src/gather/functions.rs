//! What functions have cost, and which lines the solver has worked for.

use super::sources::Texts;
use crate::model::{AskingLine, Function, Place};
use plat::demangle;
use plat::output::profile::{Cost, Profile};
use std::collections::BTreeMap;

/// Lines that are kept.
const LINES: usize = 30;

/// The functions that were executed, or could have been and are the program's own.
pub(super) fn functions(profile: &Profile) -> Vec<Function> {
    let functions = profile.functions.iter().map(|function| Function {
        name: demangle::text(&function.name).into_owned(),
        file: function.file.clone(),
        cost: function.cost(),
    });
    functions.filter(|it| it.cost.executed > 0).collect()
}

/// The lines that the solver has worked for most.
pub(super) fn asking(profile: &Profile, texts: &Texts) -> Vec<AskingLine> {
    let mut lines: BTreeMap<(u32, u32), Cost> = BTreeMap::new();
    for &(file, line, cost) in profile.functions.iter().flat_map(|it| &it.insts) {
        if cost.asked + cost.solving_us > 0 {
            *lines.entry((file, line)).or_default() += cost;
        }
    }
    let mut lines: Vec<((u32, u32), Cost)> = lines.into_iter().collect();
    lines.sort_by_key(|(_, cost)| std::cmp::Reverse((cost.solving_us, cost.asked)));
    lines.truncate(LINES);
    let described = lines.into_iter().map(|((file, line), cost)| {
        let file = &profile.files[file as usize];
        AskingLine {
            place: Place {
                file: file.clone(),
                line,
                column: 0,
            },
            text: texts.line(file, line).unwrap_or_default(),
            cost,
        }
    });
    described.collect()
}
