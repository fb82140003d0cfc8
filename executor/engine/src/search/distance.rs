//! How far a state is from code that no path has executed: the least number of instructions over
//! jumps, calls and returns. `nurs:md2u` and `nurs:covnew` ask for it.
//!
//! Two tables over all instructions of the program: the way to a return of the same function,
//! which never changes, and the way to an uncovered instruction at or below the same activation,
//! which is computed again when enough has happened since. A state's distance adds up the way out
//! of its activations and the way from there. (KLEE, Cadar et al., OSDI 2008, section 3.4, calls
//! it minimum distance to uncovered.)

use crate::executor::executed::Executed;
use crate::state::State;
use plat_program::{Callee, EdgeId, Function, Inst, Program};

/// There is no way.
pub(super) const NEVER: u32 = u32::MAX;

/// Instructions of the program's size that pass before the tables are computed again.
const ROUNDS: u64 = 50;

/// The tables.
#[derive(Debug)]
pub struct Distances {
    to_return: Vec<u32>,
    to_new: Vec<u32>,
    /// Instructions executed and covered when `to_new` was computed.
    computed_at: u64,
    covered_then: usize,
}

/// A way of `steps` followed by a way of `rest`.
pub(super) fn along(steps: u32, rest: u32) -> u32 {
    steps.saturating_add(rest)
}

/// The positions at which control can go on behind the terminator at `position`.
fn successors(function: &Function, position: usize) -> impl Iterator<Item = usize> {
    let (edges, cases) = match function.insts[position] {
        Inst::Jump { edge } => ([Some(edge), None], &[][..]),
        Inst::Branch {
            then, otherwise, ..
        } => ([Some(then), Some(otherwise)], &[][..]),
        Inst::Switch { cases, default, .. } => {
            ([Some(default), None], &function.switch_cases[cases.range()])
        }
        Inst::Invoke { normal, .. } => ([Some(normal), None], &[][..]),
        _ => ([None, None], &[][..]),
    };
    let edges = edges.into_iter().flatten();
    edges
        .chain(cases.iter().map(|case| case.1))
        .map(|edge: EdgeId| {
            let to = function.edges[edge.index()].to;
            function.blocks[to.index()].first as usize
        })
}

/// Steps that a call at `position` takes to come back, and the first instruction of its callee if
/// it is known and has a body.
pub(super) fn called(program: &Program, to_return: &[u32], inst: &Inst) -> (u32, Option<usize>) {
    let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = inst else {
        return (0, None);
    };
    let Callee::Direct(callee) = call.callee else {
        return (0, None);
    };
    let callee = program.function(callee);
    if callee.declaration {
        return (0, None);
    }
    let entry = callee.first_inst.index();
    (to_return[entry], Some(entry))
}

/// Lowers a table until every entry is what `way` says of the entries behind it.
pub(super) fn lower_to_fixpoint(
    program: &Program,
    table: &mut [u32],
    way: &dyn Fn(&[u32], &Function, usize) -> u32,
) {
    loop {
        let mut changed = false;
        for function in program
            .functions
            .iter()
            .filter(|function| !function.declaration)
        {
            let first = function.first_inst.index();
            for position in (0..function.insts.len()).rev() {
                let found = way(table, function, position);
                if found < table[first + position] {
                    table[first + position] = found;
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// The least entry that control can reach next from `position`, one step further.
pub(super) fn next(table: &[u32], function: &Function, position: usize) -> u32 {
    let first = function.first_inst.index();
    let inst = &function.insts[position];
    if inst.is_terminator() {
        let ways = successors(function, position).map(|to| table[first + to]);
        return along(1, ways.min().unwrap_or(NEVER));
    }
    table
        .get(first + position + 1)
        .map_or(NEVER, |&rest| along(1, rest))
}

/// The way from each instruction to a return of its function.
pub(super) fn to_return(program: &Program, instructions: usize) -> Vec<u32> {
    let mut to_return = vec![NEVER; instructions];
    lower_to_fixpoint(program, &mut to_return, &|table, function, position| {
        let inst = &function.insts[position];
        if matches!(inst, Inst::Return { .. }) {
            return 1;
        }
        let (steps, _) = called(program, table, inst);
        along(steps, next(table, function, position))
    });
    to_return
}

impl Distances {
    /// The tables for a program of which `executed` says what was executed.
    pub fn new(program: &Program, executed: &Executed) -> Self {
        let to_return = to_return(program, executed.len());
        let mut distances = Distances {
            to_return,
            to_new: Vec::new(),
            computed_at: 0,
            covered_then: usize::MAX,
        };
        distances.update(program, executed, 0, 0);
        distances
    }

    /// Computes the tables again if coverage has grown and the run has gone far enough since.
    /// Returns whether it has done so.
    pub fn refresh(
        &mut self,
        program: &Program,
        executed: &Executed,
        instructions: u64,
        covered: usize,
    ) -> bool {
        let due = self.computed_at + ROUNDS * executed.len() as u64;
        if covered == self.covered_then || instructions < due {
            return false;
        }
        self.update(program, executed, instructions, covered);
        true
    }

    fn update(
        &mut self,
        program: &Program,
        executed: &Executed,
        instructions: u64,
        covered: usize,
    ) {
        self.computed_at = instructions;
        self.covered_then = covered;
        let mut to_new = vec![NEVER; executed.len()];
        lower_to_fixpoint(program, &mut to_new, &|table, function, position| {
            if !executed.once(function.first_inst.index() + position) {
                return 0;
            }
            let (steps, entry) = called(program, &self.to_return, &function.insts[position]);
            let inside = entry.map_or(NEVER, |entry| along(1, table[entry]));
            inside.min(along(steps, next(table, function, position)))
        });
        self.to_new = to_new;
    }

    /// The distance of a state.
    pub fn of(&self, program: &Program, state: &State) -> Option<u32> {
        of(program, state, &self.to_new, &self.to_return)
    }
}

/// The distance of a state by the way to what is looked for at or below an activation, and the way out
/// of it.
pub(super) fn of(
    program: &Program,
    state: &State,
    to_goal: &[u32],
    to_return: &[u32],
) -> Option<u32> {
    let (mut best, mut way_out) = (NEVER, 0);
    for (depth, frame) in state.stack().enumerate() {
        let function = program.function(frame.function);
        let first = function.first_inst.index();
        let position = frame.pc as usize;
        let behind_call = match function.insts.get(position) {
            Some(Inst::Call { .. }) if depth > 0 => vec![position + 1],
            Some(Inst::Invoke { .. }) if depth > 0 => successors(function, position).collect(),
            Some(_) => vec![position],
            None => Vec::new(),
        };
        let least = |table: &[u32]| {
            behind_call
                .iter()
                .map(|&at| table[first + at])
                .min()
                .unwrap_or(NEVER)
        };
        best = best.min(along(way_out, least(to_goal)));
        way_out = along(way_out, least(to_return));
        if way_out >= best {
            break;
        }
    }
    (best != NEVER).then_some(best)
}
