//! Pointer fragments that functions pass to each other, one with each call: bytes through a stream
//! or a ring buffer, bytes to and from callbacks, halves as arguments and results.
//!
//! The search goes backwards through the whole program. It starts where [`super`] finds that
//! fragments are put together, and at every other narrow store of a value that comes from a caller or
//! a callee. It goes from a parameter to the arguments of all calls, and from the result of a call to
//! what its callees return. A call through a pointer can call every function whose address is taken
//! and that it fits.
//!
//! Two filters are left out on purpose. How often a call is made says nothing, because nearly all of
//! a program is in a loop of some caller. And that a value is compared, switched on, used as an index
//! or in arithmetic does not make it a plain number: a stream looks for line ends in a pointer, too.
//! The second filter was tried on m4, make, APR, libxml2, SQLite and gas. It takes at most 0.5 % of
//! the contexts for a dereference (gas), and changes one group (gas' largest, from 1,219 to 1,213
//! contexts).
//!
//! Further arguments of variadic functions are not followed.

use super::Search;
use crate::constraints::Kinds;
use crate::program::interfaces::{self, Interface};
use plat_program::{Call, Callee, FuncId, Inst, Operand, Program, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call that can enter functions of the program.
struct Site<'a> {
    caller: FuncId,
    callee: Callee,
    arguments: &'a [Operand],
    kinds: Kinds,
}

/// Adds to the fragments of each function those that it passes to others or is passed.
pub(super) fn add(program: &Program, searches: &[Search<'_>], fragments: &mut [FxHashSet<Reg>]) {
    let flow = CallFlow::of(program, searches);
    let mut open = flow.starts();
    let mut seen: Vec<FxHashSet<Reg>> = vec![FxHashSet::default(); fragments.len()];
    while let Some((id, reg)) = open.pop() {
        if !seen[id.index()].insert(reg) {
            continue;
        }
        if flow.is_integer(id, reg) {
            flow.passed(id, reg, &mut open);
            flow.returned(id, reg, &mut open);
        }
        let from = searches[id.index()].sources.back(reg);
        open.extend(from.into_iter().map(|reg| (id, reg)));
    }
    for (all, more) in fragments.iter_mut().zip(seen) {
        all.extend(more);
    }
}

/// What functions hand to each other.
struct CallFlow<'a> {
    program: &'a Program,
    searches: &'a [Search<'a>],
    sites: Vec<Site<'a>>,
    /// The direct calls of each function.
    direct: Vec<Vec<u32>>,
    /// The calls through pointers.
    indirect: Vec<u32>,
    /// The functions whose address is taken, sorted.
    taken: Vec<(FuncId, Interface)>,
    /// The calls by their results.
    results: FxHashMap<(FuncId, Reg), u32>,
}

impl<'a> CallFlow<'a> {
    fn of(program: &'a Program, searches: &'a [Search<'a>]) -> Self {
        let taken = plat_program::operands::address_taken(program).into_iter();
        let taken = taken.map(|id| program.function(id));
        let taken = taken.filter(|function| !function.declaration);
        let mut flow = CallFlow {
            program,
            searches,
            sites: Vec::new(),
            direct: vec![Vec::new(); program.functions.len()],
            indirect: Vec::new(),
            taken: taken
                .map(|function| (function.id, Interface::of(program, function)))
                .collect(),
            results: FxHashMap::default(),
        };
        for function in &program.functions {
            for inst in &function.insts {
                if let Inst::Call { call, .. } | Inst::Invoke { call, .. } = inst {
                    flow.site(function.id, call, inst.dst());
                }
            }
        }
        flow
    }

    fn site(&mut self, caller: FuncId, call: &Call, dst: Option<Reg>) {
        let function = self.program.function(caller);
        let arguments = &function.call_args[call.args.range()];
        let at = self.sites.len() as u32;
        let mut kinds = Kinds::default();
        match call.callee {
            Callee::Direct(callee) if self.program.function(callee).declaration => return,
            Callee::Direct(callee) => self.direct[callee.index()].push(at),
            Callee::Indirect(_) => {
                kinds = interfaces::kinds_of(self.program, function, arguments);
                self.indirect.push(at);
            }
            Callee::Asm(_) => return,
        }
        self.results.extend(dst.map(|dst| ((caller, dst), at)));
        self.sites.push(Site {
            caller,
            callee: call.callee,
            arguments,
            kinds,
        });
    }

    /// Where fragments are put together.
    fn starts(&self) -> Vec<(FuncId, Reg)> {
        let mut open = Vec::new();
        for search in self.searches {
            let id = search.sources.function.id;
            let stored = search.stored.iter().copied();
            let given = stored.filter(|&reg| self.is_given(search, reg));
            let all = given.chain(search.sinks.iter().copied());
            open.extend(all.map(|reg| (id, reg)));
        }
        open
    }

    /// Whether a value may be one that a caller or a callee handed over.
    fn is_given(&self, search: &Search<'_>, reg: Reg) -> bool {
        let id = search.sources.function.id;
        let mut seen: FxHashSet<Reg> = FxHashSet::default();
        let mut open = vec![reg];
        while let Some(reg) = open.pop() {
            if !seen.insert(reg) {
                continue;
            }
            let result = || self.results.contains_key(&(id, reg));
            if self.is_integer(id, reg) && (self.is_parameter(id, reg) || result()) {
                return true;
            }
            open.append(&mut search.sources.back(reg));
        }
        false
    }

    /// Whether a register is an integer: a byte can be handed over as a whole word.
    fn is_integer(&self, id: FuncId, reg: Reg) -> bool {
        let ty = self.program.function(id).reg_types[reg.index()];
        matches!(self.program.types.get(ty), Type::Int(_))
    }

    fn is_parameter(&self, id: FuncId, reg: Reg) -> bool {
        reg.index() < self.program.function(id).params.len()
    }

    /// What callers pass if a register is a parameter.
    fn passed(&self, id: FuncId, reg: Reg, open: &mut Vec<(FuncId, Reg)>) {
        if !self.is_parameter(id, reg) {
            return;
        }
        let mut sites = self.direct[id.index()].clone();
        if let Ok(at) = self.taken.binary_search_by_key(&id, |&(id, _)| id) {
            let fits = |site: u32| self.sites[site as usize].fits(&self.taken[at].1);
            sites.extend(self.indirect.iter().filter(|&&site| fits(site)));
        }
        for site in sites {
            let site = &self.sites[site as usize];
            let argument = site.arguments.get(reg.index());
            let argument = argument.and_then(|argument| argument.as_reg());
            open.extend(argument.map(|argument| (site.caller, argument)));
        }
    }

    /// What callees return if a register is the result of a call.
    fn returned(&self, id: FuncId, reg: Reg, open: &mut Vec<(FuncId, Reg)>) {
        let Some(&site) = self.results.get(&(id, reg)) else {
            return;
        };
        let site = &self.sites[site as usize];
        let callees: Vec<FuncId> = match site.callee {
            Callee::Direct(callee) => vec![callee],
            _ => {
                let fitting = self.taken.iter().filter(|(_, one)| site.fits(one));
                fitting.map(|&(id, _)| id).collect()
            }
        };
        for id in callees {
            for inst in &self.program.function(id).insts {
                if let Inst::Return { value: Some(value) } = inst {
                    open.extend(value.as_reg().map(|reg| (id, reg)));
                }
            }
        }
    }
}

impl Site<'_> {
    fn fits(&self, interface: &Interface) -> bool {
        interface.fits(self.arguments.len(), self.kinds, false)
    }
}
