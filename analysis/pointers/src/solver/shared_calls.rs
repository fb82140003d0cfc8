//! Calls of the same functions with the same number of arguments share their edges, as loads and
//! stores do ([`crate::solver::shared_accesses`]).

use crate::constraints::{Callable, Node};
use crate::solver::set::Set;
use crate::solver::shared_accesses::{Accesses, LEAST, fill};
use rustc_hash::FxHashMap;

/// The hubs of calls, by the number of arguments and the functions.
#[derive(Default, Debug)]
pub struct CallHubs(FxHashMap<usize, FxHashMap<Set, CallHub>>);

/// What collects the arguments of calls of the same functions, and hands out their results.
#[derive(Clone, Debug)]
struct CallHub {
    arguments: Vec<Option<Node>>,
    result: Node,
}

/// What a call passes. With arguments by value it has no hub.
#[derive(Clone, Copy, Debug)]
pub struct Passed<'a> {
    /// The arguments, where they can be pointers.
    pub arguments: &'a [Option<Node>],
    /// What gets the result.
    pub result: Option<Node>,
}

/// A graph in which functions are called.
pub trait Passes<'a>: Accesses<'a> {
    /// Its hubs.
    fn call_hubs(&mut self) -> &mut CallHubs;
    /// Passes arguments to one function, and its result back.
    fn pass(&mut self, callee: Callable, passed: Passed<'_>);

    /// The same for each function of a set.
    fn pass_to(&mut self, callees: &Set, passed: Passed<'_>) {
        if callees.len() < LEAST {
            for callee in callees.iter() {
                self.pass(Callable(callee), passed);
            }
            return;
        }
        let hub = call_hub(self, callees, passed.arguments.len());
        for (from, to) in passed.arguments.iter().zip(&hub.arguments) {
            if let (Some(from), Some(to)) = (from, to) {
                self.copy_edge(from.0, to.0);
            }
        }
        if let Some(result) = passed.result {
            self.copy_edge(hub.result.0, result.0);
        }
    }
}

fn call_hub<'a, G: Passes<'a>>(graph: &mut G, callees: &Set, count: usize) -> CallHub {
    let hubs = graph.call_hubs().0.get(&count);
    if let Some(hub) = hubs.and_then(|hubs| hubs.get(callees)) {
        return hub.clone();
    }
    let hub = CallHub {
        arguments: (0..count).map(|_| Some(graph.cells().fresh())).collect(),
        result: graph.cells().fresh(),
    };
    graph.connect_cells();
    let hubs = graph.call_hubs().0.entry(count).or_default();
    hubs.insert(callees.clone(), hub.clone());
    let passed = Passed {
        arguments: &hub.arguments,
        result: Some(hub.result),
    };
    fill(graph, callees, |graph, part| graph.pass_to(part, passed));
    hub
}
