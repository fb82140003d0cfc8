//! Pointer fragments: which narrow values can be parts of a pointer that is put together again?
//!
//! A pointer can be copied byte by byte or in halves, so an integer narrower than a pointer may
//! matter. Most do not: a length read from a field next to a pointer, a character of a string.
//! To rebuild a pointer, a program must store all fragments side by side, or shift and join
//! them. So a fragment counts only if it reaches
//! - a narrow store in a loop, a narrow store whose place differs from call to call, or one of
//!   several narrow stores of a width that together carry a whole pointer (a widened character
//!   carries one byte, a value shifted by less than a byte carries none);
//! - any narrow store, if it comes from a caller or a callee (`interprocedural`);
//! - a shift or a disjunction of whole words, a conversion to a pointer, or a vector;
//! - the interface, or any store, of a *helper*: a small function without calls.
//!
//! The search goes backwards (`byte_sources`): in each function for what it does itself, then
//! through all functions for what they pass to each other. Where a whole word is truncated, only
//! fragments that were shifted down first count: no pointer can be rebuilt from its low end alone,
//! and the other fragments bring its object along. Arithmetic turns fragments into numbers.
//!
//! Not found:
//! - What a larger function moves from memory to memory outside of loops, less than a pointer with
//!   each call, to a place that is fixed or that it is passed. A parser of regular expressions moves
//!   characters into tokens like this; to count these costs m4 30.9 contexts for a dereference
//!   instead of 28.1, and a largest group of 393 instead of 288.
//! - One byte in a field of a local structure, bytes that wait as whole words in memory, and what
//!   becomes a fragment again by a table or by arithmetic, as digits do.

mod byte_sources;
mod interprocedural;

use super::Extractor;
use crate::config::PointsToConfig;
use crate::solver::cycles;
use byte_sources::{Sources, is_helper, is_narrow};
use plat_program::{BinaryOp, Callee, CastOp, Function, Inst, Operand, Program, Reg, TypeId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes of a pointer.
const POINTER: u64 = 8;

impl Extractor<'_> {
    /// Whether a type is narrower than a pointer.
    pub(super) fn is_narrow(&self, ty: TypeId) -> bool {
        is_narrow(self.program, ty)
    }

    /// Whether an operand is a fragment of a pointer that counts, perhaps widened.
    pub(super) fn is_fragment(&self, function: &Function, operand: Operand) -> bool {
        let reg = operand.as_reg();
        reg.is_some_and(|reg| self.fragments[function.id.index()].contains(&reg))
    }

    /// Whether a register can hold a pointer, or a fragment of one that counts.
    pub(super) fn holds(&self, function: &Function, reg: Reg) -> bool {
        let ty = function.reg_types[reg.index()];
        self.carries(ty)
            && (!self.is_narrow(ty) || self.fragments[function.id.index()].contains(&reg))
    }
}

/// For each function of a program its registers that hold pointer fragments that count, and whole
/// words that hold nothing but such a fragment.
pub(super) fn find(program: &Program, config: &PointsToConfig) -> Vec<FxHashSet<Reg>> {
    let functions = program.functions.iter();
    let searches: Vec<Search<'_>> = functions
        .map(|function| Search::of(program, config, function))
        .collect();
    let mut all: Vec<FxHashSet<Reg>> = searches.iter().map(Search::own).collect();
    interprocedural::add(program, &searches, &mut all);
    for (wanted, search) in all.iter_mut().zip(&searches) {
        *wanted = search.sources.widened(wanted);
    }
    all
}

/// Where one function puts pointer fragments together.
struct Search<'a> {
    pub sources: Sources<'a>,
    config: &'a PointsToConfig,
    /// Registers that count because of this function alone.
    open: Vec<Reg>,
    /// Those of them that are stored or joined here.
    pub sinks: Vec<Reg>,
    /// Other narrow values that are stored in memory.
    pub stored: Vec<Reg>,
}

/// A narrow store.
struct Narrow {
    value: Reg,
    place: Operand,
    width: u64,
    carried: u64,
    in_loop: bool,
}

impl<'a> Search<'a> {
    fn of(program: &'a Program, config: &'a PointsToConfig, function: &'a Function) -> Self {
        let mut search = Self {
            sources: Sources::of(program, config, function),
            config,
            open: Vec::new(),
            sinks: Vec::new(),
            stored: Vec::new(),
        };
        for inst in &function.insts {
            search.start(inst);
        }
        search.stores();
        search
    }

    /// The fragments that count because of what the function itself does.
    fn own(&self) -> FxHashSet<Reg> {
        let mut open = self.open.clone();
        open.extend(&self.sinks);
        let mut wanted: FxHashSet<Reg> = FxHashSet::default();
        while let Some(reg) = open.pop() {
            if wanted.insert(reg) {
                open.append(&mut self.sources.back(reg));
            }
        }
        wanted
    }

    fn want(&mut self, operands: impl IntoIterator<Item = Operand>) {
        self.open
            .extend(operands.into_iter().filter_map(|operand| operand.as_reg()));
    }

    fn sink(&mut self, operands: impl IntoIterator<Item = Operand>) {
        self.sinks
            .extend(operands.into_iter().filter_map(|operand| operand.as_reg()));
    }

    /// Narrow stores that may be part of a copy: all in loops, those to a place that is another one
    /// with each call, and as many of one width as carry a whole pointer together.
    fn stores(&mut self) {
        let function = self.sources.function;
        let looping = blocks_in_loops(function);
        let mut narrow: Vec<Narrow> = Vec::new();
        for (at, inst) in function.insts.iter().enumerate() {
            if let Inst::Store {
                ty, value, pointer, ..
            }
            | Inst::AtomicRmw {
                ty, value, pointer, ..
            }
            | Inst::CompareExchange {
                ty,
                new: value,
                pointer,
                ..
            } = *inst
                && self.sources.is_narrow(ty)
                && let Some(reg) = value.as_reg()
            {
                let width = self.sources.width(ty);
                narrow.push(Narrow {
                    value: reg,
                    place: pointer,
                    width,
                    carried: self.sources.carried(value, width),
                    in_loop: looping[function.block_of(at).index()],
                });
            }
        }
        let mut carried: FxHashMap<u64, u64> = FxHashMap::default();
        for store in &narrow {
            *carried.entry(store.width).or_default() += store.carried;
        }
        for store in narrow {
            let sources = &self.sources;
            let counts = sources.helper
                || store.in_loop
                || carried[&store.width] >= POINTER
                || sources.varies(store.place);
            let variable = store.place.as_reg();
            let variable = variable.is_some_and(|place| sources.variables.contains(&place));
            match (variable, counts) {
                (false, true) => self.sinks.push(store.value),
                (false, false) => self.stored.push(store.value),
                (true, true) => self.open.push(store.value),
                (true, false) => {}
            }
        }
    }

    /// The other uses that fragments are put together by.
    fn start(&mut self, inst: &Inst) {
        match *inst {
            Inst::Binary {
                op, ty, lhs, rhs, ..
            } if !self.sources.is_narrow(ty) => self.join(op, lhs, rhs),
            Inst::Cast {
                op: CastOp::IntToPtr | CastOp::Bitcast,
                value,
                ..
            } => self.sink([value]),
            Inst::InsertValue { element, .. } | Inst::InsertElement { element, .. } => {
                self.sink([element]);
            }
            Inst::Return { value: Some(value) } if self.sources.helper => self.want([value]),
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
                let program = self.sources.program;
                if let Callee::Direct(callee) = call.callee
                    && is_helper(program, self.config, program.function(callee))
                {
                    let arguments = &self.sources.function.call_args[call.args.range()];
                    self.want(arguments.iter().copied());
                }
            }
            _ => {}
        }
    }

    fn join(&mut self, op: BinaryOp, lhs: Operand, rhs: Operand) {
        let is_constant = |operand: Operand| operand.as_constant().is_some();
        let is_shift = |operand: Operand| {
            let definition = operand
                .as_reg()
                .and_then(|reg| self.sources.defined.get(&reg));
            matches!(
                definition,
                Some(Inst::Binary {
                    op: BinaryOp::Shl,
                    ..
                })
            )
        };
        let variable = !is_constant(lhs) && !is_constant(rhs);
        match op {
            BinaryOp::Shl if self.sources.shifts_bytes(rhs) => self.sink([lhs]),
            BinaryOp::Or | BinaryOp::Xor if variable => self.sink([lhs, rhs]),
            BinaryOp::Add if variable && (is_shift(lhs) || is_shift(rhs)) => {
                self.sink([lhs, rhs]);
            }
            _ => {}
        }
    }
}

/// For each block whether it lies on a cycle.
fn blocks_in_loops(function: &Function) -> Vec<bool> {
    let mut successors = vec![Vec::new(); function.blocks.len()];
    for edge in &function.edges {
        successors[edge.from.index()].push(edge.to.0);
    }
    let component = cycles::components(&successors.iter().cloned().collect());
    let mut members = vec![0u32; function.blocks.len()];
    for &number in &component {
        members[number as usize] += 1;
    }
    let itself = |at: usize| successors[at].contains(&(at as u32));
    (0..successors.len())
        .map(|at| members[component[at] as usize] > 1 || itself(at))
        .collect()
}
