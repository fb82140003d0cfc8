//! The cost of calls, callees included, from counts per instruction.
//!
//! The engine counts how often each instruction is executed, and not by whom a function was called
//! each time. As gprof does, a function's total cost is divided among its callers in proportion to
//! their calls; functions that call each other in a circle share one total.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use plat_program::{Call, Callee, FuncId, Inst, InstId, Program};
use std::collections::BTreeMap;

/// Calls from one instruction to one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Arc {
    /// The call.
    pub call: InstId,
    /// Whom it reached.
    pub callee: FuncId,
    /// How often.
    pub count: u64,
    /// Cost of these calls, one number for each event.
    pub inclusive: Vec<u64>,
}

/// What calls cost.
///
/// `own` has for each function its own cost (events in some order); `executed` counts instructions,
/// `indirect` calls through pointers.
pub fn arcs(
    program: &Program,
    executed: &[u64],
    indirect: &BTreeMap<(InstId, FuncId), u64>,
    own: &[Vec<u64>],
) -> Vec<Arc> {
    let mut arcs = counted(program, executed, indirect);
    let circles = circles(program, &arcs);
    // Circles come callees first: when one is reached, all that it calls is known.
    let mut circle_of = vec![0; program.functions.len()];
    for (at, members) in circles.iter().enumerate() {
        for member in members {
            circle_of[member.index()] = at;
        }
    }
    let events = own.first().map_or(0, Vec::len);
    let mut total = vec![vec![0u64; events]; circles.len()];
    let mut entries = vec![0u64; circles.len()];
    let mut by_caller: Vec<Vec<usize>> = vec![Vec::new(); circles.len()];
    for (at, arc) in arcs.iter().enumerate() {
        let caller = circle_of[program.position(arc.call).0.index()];
        let callee = circle_of[arc.callee.index()];
        if caller != callee {
            entries[callee] += arc.count;
            by_caller[caller].push(at);
        }
    }
    for (circle, members) in circles.iter().enumerate() {
        for member in members {
            add(&mut total[circle], &own[member.index()]);
        }
        for &at in &by_caller[circle] {
            let callee = circle_of[arcs[at].callee.index()];
            let (count, all) = (
                u128::from(arcs[at].count),
                u128::from(entries[callee].max(1)),
            );
            let share = total[callee]
                .iter()
                .map(|&cost| (u128::from(cost) * count / all) as u64);
            arcs[at].inclusive = share.collect();
            let inclusive = arcs[at].inclusive.clone();
            add(&mut total[circle], &inclusive);
        }
    }
    for arc in &mut arcs {
        // Inside a circle: no cost of its own, or it would be counted again on every turn.
        arc.inclusive.resize(events, 0);
    }
    arcs
}

fn add(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = to.saturating_add(*from);
    }
}

/// The calls that were made, without costs, in program order.
fn counted(
    program: &Program,
    executed: &[u64],
    indirect: &BTreeMap<(InstId, FuncId), u64>,
) -> Vec<Arc> {
    let mut arcs = Vec::new();
    let arc = |call, callee, count| Arc {
        call,
        callee,
        count,
        inclusive: Vec::new(),
    };
    // What the executor does itself never enters a body.
    let entered = |callee: FuncId| {
        let function = program.function(callee);
        let first = executed.get(function.first_inst.index()).copied();
        !function.declaration && first.unwrap_or(0) > 0
    };
    for function in &program.functions {
        for (at, inst) in function.insts.iter().enumerate() {
            let id = InstId::new(function.first_inst.index() + at);
            let count = executed.get(id.index()).copied().unwrap_or(0);
            let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = inst else {
                continue;
            };
            if count > 0
                && let Call {
                    callee: Callee::Direct(callee),
                    ..
                } = call
                && entered(*callee)
            {
                arcs.push(arc(id, *callee, count));
            }
        }
    }
    let through = indirect.iter();
    let through = through.filter(|((_, callee), _)| entered(*callee));
    arcs.extend(through.map(|(&(call, callee), &count)| arc(call, callee, count)));
    arcs.sort_by_key(|arc| (arc.call, arc.callee));
    arcs
}

/// Functions that call each other in a circle, and functions alone: callees before their callers.
fn circles(program: &Program, arcs: &[Arc]) -> Vec<Vec<FuncId>> {
    let mut graph: DiGraph<FuncId, ()> = DiGraph::new();
    let nodes: Vec<_> = (0..program.functions.len())
        .map(|at| graph.add_node(FuncId::new(at)))
        .collect();
    for arc in arcs {
        let caller = program.position(arc.call).0;
        graph.update_edge(nodes[caller.index()], nodes[arc.callee.index()], ());
    }
    let components = kosaraju_scc(&graph);
    let functions = |component: Vec<_>| component.into_iter().map(|node| graph[node]).collect();
    components.into_iter().map(functions).collect()
}
