//! The call graph: which functions each call can reach.

use crate::extract::Extraction;
use crate::solver::set::Set;
use crate::solver::solved::Solved;
use plat_program::{FuncId, InstId};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Calls, sorted, with the positions of the sets of functions that they reach; and these sets, once
/// each and sorted: thousands of calls through pointers can reach the same.
#[derive(Default)]
pub struct CallGraph {
    /// The calls.
    pub calls: Vec<(InstId, u32)>,
    /// The sets.
    pub callees: Vec<Vec<FuncId>>,
}

/// Direct calls and the calls through pointers that the solver bound.
pub fn call_graph(extraction: &Extraction, solved: &Solved) -> CallGraph {
    let mut sets: BTreeMap<InstId, BTreeSet<u32>> = BTreeMap::new();
    let mut known: FxHashMap<Vec<FuncId>, u32> = FxHashMap::default();
    let mut graph = CallGraph::default();
    let mut share = |graph: &mut CallGraph, callees: BTreeSet<FuncId>| {
        let callees: Vec<FuncId> = callees.into_iter().collect();
        let next = graph.callees.len() as u32;
        *known.entry(callees).or_insert_with_key(|callees| {
            graph.callees.push(callees.clone());
            next
        })
    };
    let mut direct: BTreeMap<InstId, BTreeSet<FuncId>> = BTreeMap::new();
    for &(inst, callee) in &extraction.direct_calls {
        direct.entry(inst).or_default().insert(callee);
    }
    for (inst, callees) in direct {
        let callees = share(&mut graph, callees);
        sets.entry(inst).or_default().insert(callees);
    }
    let mut bound: FxHashMap<*const Set, u32> = FxHashMap::default();
    for (call, callees) in solved.bound.iter().enumerate() {
        let Some(inst) = extraction.call_sites[call].filter(|_| !callees.is_empty()) else {
            continue;
        };
        let callees = *bound.entry(Rc::as_ptr(callees)).or_insert_with(|| {
            let callees = callees.iter();
            let callees = callees.map(|at| extraction.callable_functions[at as usize]);
            share(&mut graph, callees.collect())
        });
        sets.entry(inst).or_default().insert(callees);
    }
    for (inst, parts) in sets {
        let callees = match parts.first() {
            Some(&only) if parts.len() == 1 => only,
            _ => {
                let parts = parts.iter();
                let all = parts.flat_map(|&part| graph.callees[part as usize].clone());
                let all = all.collect();
                share(&mut graph, all)
            }
        };
        graph.calls.push((inst, callees));
    }
    graph
}
