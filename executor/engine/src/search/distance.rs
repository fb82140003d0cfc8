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
use plat_program::{Callee, EdgeId, FuncId, Function, Inst, Program};
use std::collections::VecDeque;

/// There is no way.
pub(super) const NEVER: u32 = u32::MAX;

/// Instructions of the program's size that pass before the tables are computed again.
const ROUNDS: u64 = 50;

/// The tables.
#[derive(Debug)]
pub struct Distances {
    callers: Callers,
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

/// The position at which an exception of a call arrives.
pub(super) fn raised(function: &Function, position: usize) -> Option<usize> {
    let Inst::Invoke { unwind, .. } = function.insts[position] else {
        return None;
    };
    let to = function.edges[unwind.index()].to;
    Some(function.blocks[to.index()].first as usize)
}

/// Steps that a call at `position` takes to come back, and the first instruction of its callee if
/// it is known and has a body.
pub(super) fn called(program: &Program, to_return: &[u32], inst: &Inst) -> (u32, Option<usize>) {
    let Some(callee) = callee(program, inst) else {
        return (0, None);
    };
    let entry = program.function(callee).first_inst.index();
    (to_return[entry], Some(entry))
}

/// The function that an instruction calls by its name, if that has a body.
pub(super) fn callee(program: &Program, inst: &Inst) -> Option<FuncId> {
    let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = inst else {
        return None;
    };
    match call.callee {
        Callee::Direct(callee) => Some(callee).filter(|&it| !program.function(it).declaration),
        _ => None,
    }
}

/// Which functions call each function. Those without a body are left out.
#[derive(Debug)]
pub(super) struct Callers(Vec<Vec<FuncId>>);

impl Callers {
    /// By what an instruction calls.
    pub fn of<F: IntoIterator<Item = FuncId>>(
        program: &Program,
        called: impl Fn(&Inst) -> F,
    ) -> Self {
        let mut callers = vec![Vec::new(); program.functions.len()];
        for caller in bodies(program) {
            for callee in program.function(caller).insts.iter().flat_map(&called) {
                let callers = &mut callers[callee.index()];
                if callers.last() != Some(&caller) {
                    callers.push(caller);
                }
            }
        }
        Callers(callers)
    }

    /// By what it calls by its name.
    fn by_name(program: &Program) -> Self {
        Callers::of(program, |inst| callee(program, inst))
    }
}

/// The functions that have a body.
fn bodies(program: &Program) -> impl DoubleEndedIterator<Item = FuncId> {
    let all = 0..program.functions.len();
    all.map(FuncId::new)
        .filter(|&function| !program.function(function).declaration)
}

/// The functions that have a body, each behind those that it calls where no cycle of calls forbids it.
fn callees_first(program: &Program, callers: &Callers) -> impl Iterator<Item = FuncId> {
    let mut seen = vec![false; program.functions.len()];
    let mut order = Vec::new();
    for root in bodies(program) {
        // Functions on the way to `root`'s callers, and how many of the callers of each have been seen.
        let mut way = match std::mem::replace(&mut seen[root.index()], true) {
            true => Vec::new(),
            false => vec![(root, 0)],
        };
        while let Some((id, done)) = way.last_mut() {
            let Some(&caller) = callers.0[id.index()].get(*done) else {
                order.push(*id);
                way.pop();
                continue;
            };
            *done += 1;
            if !std::mem::replace(&mut seen[caller.index()], true) {
                way.push((caller, 0));
            }
        }
    }
    order.into_iter().rev()
}

/// Lowers a table until every entry is what `way` says of the entries behind it: those of the same
/// function, and the first ones of callees. So a function is looked at again when a callee's has changed.
pub(super) fn lower_to_fixpoint(
    program: &Program,
    callers: &Callers,
    table: &mut [u32],
    way: impl Fn(&[u32], &Function, usize) -> u32,
) {
    let mut waiting: VecDeque<FuncId> = callees_first(program, callers).collect();
    let mut waits = vec![true; program.functions.len()];
    while let Some(id) = waiting.pop_front() {
        waits[id.index()] = false;
        let function = program.function(id);
        let entry = function.first_inst.index();
        let before = table[entry];
        lower(table, function, &way);
        if table[entry] == before {
            continue;
        }
        for &caller in &callers.0[id.index()] {
            if !std::mem::replace(&mut waits[caller.index()], true) {
                waiting.push_back(caller);
            }
        }
    }
}

/// Lowers the entries of a function until none changes.
fn lower(table: &mut [u32], function: &Function, way: &impl Fn(&[u32], &Function, usize) -> u32) {
    // From the last one on, each entry comes behind those that it depends on, but for ways back.
    if lower_once(table, function, way) && has_ways_back(function) {
        while lower_once(table, function, way) {}
    }
}

/// Lowers the entries of a function once. Returns whether there were any to lower.
fn lower_once(
    table: &mut [u32],
    function: &Function,
    way: &impl Fn(&[u32], &Function, usize) -> u32,
) -> bool {
    let first = function.first_inst.index();
    let mut changed = false;
    for position in (0..function.insts.len()).rev() {
        let found = way(table, function, position);
        if found < table[first + position] {
            table[first + position] = found;
            changed = true;
        }
    }
    changed
}

/// Whether control can go on at or before where it is, within the function.
fn has_ways_back(function: &Function) -> bool {
    let all = 0..function.insts.len();
    let mut terminators = all.filter(|&at| function.insts[at].is_terminator());
    terminators.any(|at| {
        let mut ways = successors(function, at).chain(raised(function, at));
        ways.any(|to| to <= at)
    })
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
pub(super) fn to_return(program: &Program, callers: &Callers) -> Vec<u32> {
    let mut to_return = vec![NEVER; program.inst_count()];
    lower_to_fixpoint(
        program,
        callers,
        &mut to_return,
        |table, function, position| {
            let inst = &function.insts[position];
            if matches!(inst, Inst::Return { .. }) {
                return 1;
            }
            let (steps, _) = called(program, table, inst);
            along(steps, next(table, function, position))
        },
    );
    to_return
}

impl Distances {
    /// The tables for a program of which `executed` says what was executed.
    pub fn new(program: &Program, executed: &Executed) -> Self {
        let callers = Callers::by_name(program);
        let mut distances = Distances {
            to_return: to_return(program, &callers),
            callers,
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
        lower_to_fixpoint(
            program,
            &self.callers,
            &mut to_new,
            |table, function, position| {
                if !executed.once(function.first_inst.index() + position) {
                    return 0;
                }
                let (steps, entry) = called(program, &self.to_return, &function.insts[position]);
                let inside = entry.map_or(NEVER, |entry| along(1, table[entry]));
                inside.min(along(steps, next(table, function, position)))
            },
        );
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two functions that call each other before and behind the one that calls both, and one whose blocks
    /// go on before themselves.
    const PROGRAM: &str = r#"
program "ways"

define void @even(i32 %0) {
b0:
  %1 = icmp eq i32 %0, 0
  branch %1, b1, b2
b1:
  return
b2:
  call void @odd(%0)
  return
}

define i32 @main(i32 %0) {
b0:
  call void @even(%0)
  call void @odd(%0)
  call void @never(%0)
  return i32 0
}

define void @odd(i32 %0) {
b0:
  %1 = icmp eq i32 %0, 1
  branch %1, b1, b2
b1:
  return
b2:
  call void @even(%0)
  return
}

define void @never(i32 %0) {
b0:
  call void @never(%0)
  return
}

define void @back(i32 %0) {
b0:
  jump b3
b1:
  return
b2:
  branch %1, b3, b1
b3:
  %1 = icmp eq i32 %0, 2
  branch %1, b2, b4
b4:
  call void @back(%0)
  jump b2
}
"#;

    #[test]
    fn ways_to_a_return_are_the_least() {
        let program = plat_program::parse(PROGRAM.as_bytes()).expect("a program");
        let found = to_return(&program, &Callers::by_name(&program));
        // Every function in turn until nothing changes.
        let mut table = vec![NEVER; program.inst_count()];
        let way = |table: &[u32], function: &Function, position: usize| {
            let inst = &function.insts[position];
            match inst {
                Inst::Return { .. } => 1,
                _ => along(
                    called(&program, table, inst).0,
                    next(table, function, position),
                ),
            }
        };
        while bodies(&program).any(|id| lower_once(&mut table, program.function(id), &way)) {}
        assert_eq!(found, table);
        let from = |name: &str| {
            let function = bodies(&program)
                .map(|id| program.function(id))
                .find(|function| function.name == name);
            found[function.expect("a function").first_inst.index()]
        };
        assert_eq!((from("even"), from("odd")), (3, 3));
        assert_eq!((from("never"), from("main")), (NEVER, NEVER));
        assert_eq!(from("back"), 5);
    }
}
