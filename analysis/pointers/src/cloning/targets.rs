//! What is known of the targets of calls through pointers when constraints are generated.
//!
//! Constraints can only be cloned along calls whose callees are known. So a program is analysed
//! in rounds: each round knows the targets that the round before has found, treats calls through
//! pointers with few targets like direct calls of these, and finds a subset of them. Any round is
//! sound, for it starts from a sound answer; every other call is bound while solving.

use crate::extract::Extraction;
use crate::program::interfaces;
use crate::solver::solved::Solved;
use plat_program::{Call, Callee, FuncId, Function, Inst, InstId, Program};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The known targets of calls through pointers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Targets {
    known: FxHashMap<InstId, Vec<FuncId>>,
    fitting: Rc<FxHashMap<InstId, Vec<FuncId>>>,
}

impl Targets {
    /// None known yet.
    pub fn new(program: &Program) -> Targets {
        Targets {
            known: FxHashMap::default(),
            fitting: Rc::new(interfaces::fitting(program)),
        }
    }

    /// The functions that a call through a pointer whose targets are not known can return a
    /// pointer of.
    pub fn fitting(&self, inst: InstId) -> &[FuncId] {
        match self.of(inst) {
            Some(_) => &[],
            None => self.fitting.get(&inst).map_or(&[], Vec::as_slice),
        }
    }

    /// What a round has found: calls with at most `most` targets. A call once known stays known.
    pub fn found(&self, extraction: &Extraction, solved: &Solved, most: usize) -> Targets {
        let mut all: FxHashMap<InstId, BTreeSet<FuncId>> = FxHashMap::default();
        for (call, callable) in solved.call_edges() {
            if let Some(inst) = extraction.call_sites[call as usize] {
                let callee = extraction.callable_functions[callable.index()];
                all.entry(inst).or_default().insert(callee);
            }
        }
        let few = all.into_iter().filter(|(_, callees)| callees.len() <= most);
        let mut known = self.clone();
        known
            .known
            .extend(few.map(|(inst, callees)| (inst, callees.into_iter().collect())));
        known
    }

    /// The targets of a call, if they are known.
    pub fn of(&self, inst: InstId) -> Option<&[FuncId]> {
        self.known.get(&inst).map(Vec::as_slice)
    }

    /// The functions that a call at position `at` of `function` is known to call.
    pub fn callees(&self, function: &Function, at: usize, call: &Call) -> Vec<FuncId> {
        match call.callee {
            Callee::Direct(callee) => vec![callee],
            Callee::Indirect(_) => {
                let inst = InstId::new(function.first_inst.index() + at);
                self.of(inst).unwrap_or_default().to_vec()
            }
            Callee::Asm(_) => Vec::new(),
        }
    }

    /// All calls of a function with their positions and known callees.
    pub fn calls<'a>(
        &'a self,
        function: &'a Function,
    ) -> impl Iterator<Item = (usize, &'a Call, Vec<FuncId>)> {
        let insts = function.insts.iter().enumerate();
        insts.filter_map(|(at, inst)| match inst {
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
                Some((at, call, self.callees(function, at, call)))
            }
            _ => None,
        })
    }
}
