//! Where a register may still be read.

use crate::step::poison::reads;
use plat_program::{Function, Reg};

/// By block: whether what is in a register at its beginning may be read, there or behind it.
pub(crate) fn live_blocks(function: &Function, reg: Reg) -> Box<[bool]> {
    let mut live = vec![false; function.blocks.len()];
    let mut defined = live.clone();
    for (at, block) in function.blocks.iter().enumerate() {
        for inst in &function.insts[block.first as usize..][..block.len as usize] {
            live[at] |= !defined[at] && reads(function, inst, reg);
            defined[at] |= inst.dst() == Some(reg);
        }
    }
    loop {
        let mut changed = false;
        for edge in &function.edges {
            let moves = &function.moves[edge.moves.range()];
            let passed = moves.iter().any(|one| one.src.as_reg() == Some(reg));
            let replaced = moves.iter().any(|one| one.dst == reg);
            let needed = passed || (live[edge.to.index()] && !replaced);
            let from = edge.from.index();
            if needed && !defined[from] && !live[from] {
                live[from] = true;
                changed = true;
            }
        }
        if !changed {
            return live.into();
        }
    }
}
