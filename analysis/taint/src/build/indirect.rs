//! Numbers that calls through pointers pass. As with addresses ([`plat_pointers::passing`]), calls of
//! the same functions with the same number of arguments share edges.

use super::Builder;
use super::library::At;
use crate::taint::Kind;
use plat_pointers::hubs::LEAST;
use plat_pointers::set::Set;
use plat_program::{FuncId, InstId, Reg};
use std::rc::Rc;

/// The functions that a set of callables stands for.
pub(super) struct Alike {
    /// Those that have one instance and no further arguments: whatever calls them enters that.
    single: Set,
    /// The others.
    others: Vec<FuncId>,
}

/// What numbers that are passed to some functions go through, and what these return.
#[derive(Clone)]
pub(super) struct DataHub {
    arguments: Rc<[u32]>,
    result: u32,
}

impl Builder<'_> {
    /// A call through a pointer, of the functions that it was found to call.
    pub(super) fn indirect(&mut self, at: At<'_>, id: InstId) {
        for callees in self.bound.get(&id).cloned().unwrap_or_default() {
            let alike = self.alike(&callees);
            self.pass_to(at, &alike.single);
            for &callee in &alike.others {
                if let Some(entered) = self.entered(at, id, callee) {
                    self.pass(at, entered);
                }
            }
        }
    }

    fn alike(&mut self, callees: &Rc<Set>) -> Rc<Alike> {
        if let Some(known) = self.alike.get(&Rc::as_ptr(callees)) {
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
        let alike = Rc::new(Alike { single, others });
        self.alike.insert(Rc::as_ptr(callees), Rc::clone(&alike));
        alike
    }

    /// Numbers are passed to and from functions with one instance each.
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
