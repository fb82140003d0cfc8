//! Pieces of pointers that functions hand to each other, one with each call: bytes through a
//! stream or a ring, to a callback and from one, halves as arguments and as results.
//!
//! Backwards through the whole program from where [`super::pieces`] finds that pieces are put
//! together, and from all other narrow stores of what a caller or a callee hands over: from a
//! parameter to the arguments of all calls, from the result of a call to what its callees return.
//! A call through a pointer calls every function whose address is taken and that it fits.
//!
//! Nothing asks here how often a call is made, for nearly all of a program is in a loop of some
//! caller, nor whether a value is looked at, as characters of a text are: a stream looks for the
//! ends of lines in a pointer, too. To leave out what is compared, switched on, an index, or an
//! operand of arithmetic was tried: of m4, make, APR, libxml2, SQLite and gas it takes 0.5 % of the
//! contexts for a dereference at most (gas), and groups stay as they are but for gas' largest (1,213
//! contexts instead of 1,219).
//!
//! Further arguments of variadic functions are left out.

use super::pieces::Search;
use crate::constraints::Kinds;
use crate::interfaces::{self, Interface};
use plat_program::{Call, Callee, FuncId, Inst, Operand, Program, Reg, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call that can enter functions of the program.
struct Site<'a> {
    caller: FuncId,
    callee: Callee,
    arguments: &'a [Operand],
    kinds: Kinds,
}

/// Adds to the pieces of each function those that it hands to others or is handed.
pub(super) fn handed(program: &Program, searches: &[Search<'_>], pieces: &mut [FxHashSet<Reg>]) {
    let handed = Handed::of(program, searches);
    let mut open = handed.starts();
    let mut seen: Vec<FxHashSet<Reg>> = vec![FxHashSet::default(); pieces.len()];
    while let Some((id, reg)) = open.pop() {
        if !seen[id.index()].insert(reg) {
            continue;
        }
        if handed.is_integer(id, reg) {
            handed.passed(id, reg, &mut open);
            handed.returned(id, reg, &mut open);
        }
        let from = searches[id.index()].sources.back(reg);
        open.extend(from.into_iter().map(|reg| (id, reg)));
    }
    for (all, more) in pieces.iter_mut().zip(seen) {
        all.extend(more);
    }
}

/// What functions hand to each other.
struct Handed<'a> {
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

impl<'a> Handed<'a> {
    fn of(program: &'a Program, searches: &'a [Search<'a>]) -> Self {
        let taken = interfaces::address_taken(program).into_iter();
        let taken = taken.map(|id| program.function(id));
        let taken = taken.filter(|function| !function.declaration);
        let mut handed = Handed {
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
                    handed.site(function.id, call, inst.dst());
                }
            }
        }
        handed
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

    /// Where pieces are put together.
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
