//! Shifts whose result only a `select` behind them can choose.
//!
//! A test for a set of characters, `c < 58 && (SET >> c & 1)`, is compiled so: the shift is carried out
//! for every `c`, and a `select` takes its bit or a constant. Where the condition is known and takes
//! the constant, a shift by too much is poison that nobody uses, and need not be followed
//! ([`crate::step::poison`]).

use crate::code::reads::reads;
use plat_program::{Function, Inst, Operand, Reg};

/// The condition of the `select` that is the only use of the shift at `at`, perhaps behind casts, and
/// whether it takes the shift when it holds.
pub fn guard(function: &Function, at: usize) -> Option<(Operand, bool)> {
    let inside = |block: &&plat_program::Block| {
        (block.first as usize..(block.first + block.len) as usize).contains(&at)
    };
    let block = function.blocks.iter().find(inside)?;
    let end = (block.first + block.len) as usize;
    let mut reg = function.insts[at].dst()?;
    let mut from = at;
    loop {
        from = only_reader(function, reg, from + 1, end)?;
        match function.insts[from] {
            Inst::Cast { dst, .. } => reg = dst,
            Inst::Select {
                cond,
                then,
                otherwise,
                ..
            } => {
                let is = |operand: Operand| operand.as_reg() == Some(reg);
                let known = |&at: &usize| function.insts[at].dst() == cond.as_reg();
                let later = cond.as_reg().is_some() && (at..from).any(|at| known(&at));
                let one = is(then) != is(otherwise) && !is(cond) && !later;
                return one.then_some((cond, is(then)));
            }
            _ => return None,
        }
    }
}

/// The only instruction that reads a register, if it is in `from .. end` and no edge reads it.
fn only_reader(function: &Function, reg: Reg, from: usize, end: usize) -> Option<usize> {
    let moved = function.moves.iter();
    if moved.clone().any(|one| one.src.as_reg() == Some(reg)) {
        return None;
    }
    let all = function.insts.iter().enumerate();
    let mut readers = all.filter(|(_, inst)| reads(function, inst, reg));
    let (at, _) = readers.next()?;
    (readers.next().is_none() && (from..end).contains(&at)).then_some(at)
}
