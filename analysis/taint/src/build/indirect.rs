//! Data flow of calls through pointers. Calls of the same functions with the same number of
//! arguments share edges, as for addresses ([`plat_pointers::solver::shared_calls`]).

use super::Builder;
use super::library::At;
use crate::taint::Kind;
use plat_pointers::solver::Set;
use plat_pointers::solver::shared_accesses::LEAST;
use plat_program::{FuncId, InstId, Reg};
use std::rc::Rc;

/// The functions of a set of callables.
pub(super) struct Callees {
    /// Those with one instance and no variadic arguments: every call enters that instance.
    single: Set,
    /// The others.
    others: Vec<FuncId>,
}

/// The hub for data passed to a set of functions, and for their results.
#[derive(Clone)]
pub(super) struct DataHub {
    arguments: Rc<[u32]>,
    result: u32,
}

impl Builder<'_> {
    /// A call through a pointer: connects it to the functions that it can call.
    pub(super) fn indirect(&mut self, at: At<'_>, id: InstId) {
        for callees in self.bound.get(&id).cloned().unwrap_or_default() {
            let callees_of = self.callees_of(&callees);
            self.pass_to(at, &callees_of.single);
            for &callee in &callees_of.others {
                if let Some(entered) = self.entered(at, id, callee) {
                    self.pass(at, entered);
                }
            }
        }
    }

    fn callees_of(&mut self, callees: &Rc<Set>) -> Rc<Callees> {
        if let Some(known) = self.callees_of.get(&Rc::as_ptr(callees)) {
            return Rc::clone(known);
        }
        let functions = callees.iter();
        let functions = functions.map(|at| self.extraction.callable_functions[at as usize]);
        let is_single = |&id: &FuncId| {
            let instance = self.single[id.index()];
            instance.is_some_and(|instance| instance.rest.is_none())
        };
        let (single, mut others): (Vec<FuncId>, Vec<FuncId>) = functions.partition(is_single);
        let single: Set = single.into_iter().map(|id| id.0).collect();
        others.sort_unstable();
        others.dedup();
        let callees_of = Rc::new(Callees { single, others });
        self.callees_of
            .insert(Rc::as_ptr(callees), Rc::clone(&callees_of));
        callees_of
    }

    /// Passes data to and from functions with one instance each.
    fn pass_to(&mut self, at: At<'_>, functions: &Set) {
        if functions.len() < LEAST {
            for id in functions.iter() {
                if let Some(entered) = self.single[id as usize] {
                    self.pass(at, entered);
                }
            }
            return;
        }
        let hub = self.data_hub(functions, at.operands.len());
        for (&operand, &to) in at.operands.iter().zip(&*hub.arguments) {
            if let Some(from) = Self::node(at.instance, operand) {
                self.edge(from, to, Kind::Data);
            }
        }
        if let Some(result) = at.result() {
            self.edge(hub.result, result, Kind::Data);
        }
    }

    fn data_hub(&mut self, functions: &Set, count: usize) -> DataHub {
        let key = (functions.clone(), count);
        if let Some(known) = self.data_hubs.get(&key) {
            return known.clone();
        }
        let hub = DataHub {
            arguments: (0..count).map(|_| self.memory.fresh()).collect(),
            result: self.memory.fresh(),
        };
        for id in functions.iter() {
            let Some(entered) = self.single[id as usize] else {
                continue;
            };
            let parameters = self.program.function(entered.function).params.len();
            for (position, &from) in hub.arguments.iter().enumerate().take(parameters) {
                self.edge(from, entered.node(Reg::new(position)).0, Kind::Data);
            }
            self.edge(entered.result.0, hub.result, Kind::Data);
        }
        self.data_hubs.insert(key, hub.clone());
        hub
    }
}
