//! The call graph: which functions each call can reach.

use crate::extract::Extraction;
use crate::solved::Solved;
use plat_program::{FuncId, InstId};
use std::collections::{BTreeMap, BTreeSet};

/// Direct calls and the calls through pointers that the solver bound; sorted.
pub fn call_graph(extraction: &Extraction, solved: &Solved) -> Vec<(InstId, Vec<FuncId>)> {
    let mut graph: BTreeMap<InstId, BTreeSet<FuncId>> = BTreeMap::new();
    for &(inst, callee) in &extraction.direct_calls {
        graph.entry(inst).or_default().insert(callee);
    }
    for &(call, callable) in &solved.bound {
        if let Some(inst) = extraction.call_sites[call as usize] {
            let callee = extraction.callable_functions[callable.index()];
            graph.entry(inst).or_default().insert(callee);
        }
    }
    graph
        .into_iter()
        .map(|(inst, callees)| (inst, callees.into_iter().collect()))
        .collect()
}
