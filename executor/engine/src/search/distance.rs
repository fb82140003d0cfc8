//! How far is it from an instruction to one that no path has executed? What fills
//! [`super::Summary::distance`].
//!
//! Distances are least numbers of instructions along the control-flow graph; a direct call costs
//! the shortest way through the callee, and also leads into it. Calls through pointers count as
//! one instruction: where they lead is not known here, and a distance is a hint, not a promise.
//! A state's distance goes over its whole stack: what is near after a return is near.

use plat_program::{Callee, EdgeId, Function, Inst, InstId, Program};

/// No way leads there.
const NONE: u32 = u32::MAX;

/// Distances of all instructions of a program.
#[derive(Clone, Debug)]
pub struct Distances {
    /// From each instruction to the return of its function; fixed.
    to_return: Vec<u32>,
    /// From each instruction to the nearest uncovered one, without returning.
    to_uncovered: Vec<u32>,
}

impl Distances {
    /// Distances before anything is covered.
    pub fn new(program: &Program) -> Self {
        let mut distances = Distances {
            to_return: vec![NONE; program.inst_count()],
            to_uncovered: vec![0; program.inst_count()],
        };
        settle(
            program,
            &mut distances.to_return,
            |inst, at, table| match inst {
                Inst::Return { .. } => 1,
                _ => after(program, inst, at, table, table),
            },
        );
        distances
    }

    /// Recomputes the distances for the present coverage.
    pub fn update(&mut self, program: &Program, covered: impl Fn(InstId) -> bool) {
        let through = &self.to_return;
        let start = |at: usize| if covered(InstId(at as u32)) { NONE } else { 0 };
        self.to_uncovered = (0..through.len()).map(start).collect();
        settle(program, &mut self.to_uncovered, |inst, at, table| {
            if table[at.inst] == 0 {
                return 0;
            }
            let inside = callee_of(program, inst).map_or(NONE, |callee| {
                table[callee.first_inst.index()].saturating_add(1)
            });
            inside.min(after(program, inst, at, table, through))
        });
    }

    /// The distance of a state, given the instruction that each frame executes next, innermost
    /// frame first.
    pub fn of(&self, stack: impl Iterator<Item = InstId>) -> Option<u32> {
        let mut best = NONE;
        let mut returned = 0u32;
        for inst in stack {
            let (Some(&near), Some(&out)) = (
                self.to_uncovered.get(inst.index()),
                self.to_return.get(inst.index()),
            ) else {
                break;
            };
            best = best.min(returned.saturating_add(near));
            returned = returned.saturating_add(out);
            if returned >= best {
                break;
            }
        }
        (best != NONE).then_some(best)
    }
}

/// Where an instruction stands.
struct At<'a> {
    function: &'a Function,
    /// Its number in the whole program.
    inst: usize,
}

/// Lowers the entries of a table to the fixed point of `distance`, which is monotone.
fn settle(program: &Program, table: &mut [u32], distance: impl Fn(&Inst, &At<'_>, &[u32]) -> u32) {
    let mut changed = true;
    while changed {
        changed = false;
        // Backwards: most ways lead forwards, so one round settles nearly all of a function.
        for function in program.functions.iter().rev() {
            for (position, inst) in function.insts.iter().enumerate().rev() {
                let at = At {
                    function,
                    inst: function.first_inst.index() + position,
                };
                let new = distance(inst, &at, table);
                if new < table[at.inst] {
                    table[at.inst] = new;
                    changed = true;
                }
            }
        }
    }
}

/// The distance by going on after the instruction: its own cost (for a call, by way of
/// `through`), then the least of its successors' entries in `table`.
fn after(program: &Program, inst: &Inst, at: &At<'_>, table: &[u32], through: &[u32]) -> u32 {
    let cost = match callee_of(program, inst) {
        Some(callee) => through[callee.first_inst.index()].saturating_add(1),
        None => 1,
    };
    let edge = |edge: EdgeId| {
        let block = at.function.edges[edge.index()].to;
        let first = at.function.blocks[block.index()].first as usize;
        table[at.function.first_inst.index() + first]
    };
    let next = match *inst {
        Inst::Jump { edge: only } => edge(only),
        Inst::Branch {
            then, otherwise, ..
        } => edge(then).min(edge(otherwise)),
        Inst::Invoke { normal, unwind, .. } => edge(normal).min(edge(unwind)),
        Inst::Switch { cases, default, .. } => {
            let cases = &at.function.switch_cases[cases.range()];
            let cases = cases.iter().map(|&(_, case)| edge(case));
            cases.fold(edge(default), u32::min)
        }
        Inst::Return { .. } | Inst::Unreachable => NONE,
        _ => table[at.inst + 1],
    };
    cost.saturating_add(next)
}

/// The function with a body that the instruction calls by name.
fn callee_of<'a>(program: &'a Program, inst: &Inst) -> Option<&'a Function> {
    let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = inst else {
        return None;
    };
    let Callee::Direct(callee) = call.callee else {
        return None;
    };
    Some(program.function(callee)).filter(|function| !function.insts.is_empty())
}
