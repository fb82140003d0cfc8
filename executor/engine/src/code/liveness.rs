//! Where a register may still be read, and which registers may be at an instruction.

use crate::code::reads::reads;
use fixedbitset::FixedBitSet;
use plat_program::{Function, Inst, Reg, operands};
use rustc_hash::FxHashMap;
use std::rc::Rc;

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

/// The registers of a function that may be read behind each of its instructions, worked out as they
/// are asked for.
pub(crate) struct Live {
    /// By block: what may be read behind its last instruction.
    behind: Vec<FixedBitSet>,
    /// By position: what may be read there or behind it, ascending; all parameters are among them.
    at: FxHashMap<u32, Rc<[Reg]>>,
}

impl Live {
    /// Nothing asked for yet.
    pub fn new(function: &Function) -> Self {
        let registers = function.reg_types.len();
        let mut into: Vec<FixedBitSet> =
            vec![FixedBitSet::with_capacity(registers); function.blocks.len()];
        let mut behind = into.clone();
        let mut changed = true;
        while changed {
            changed = false;
            for (at, block) in function.blocks.iter().enumerate().rev() {
                let mut live = behind[at].clone();
                for inst in function.insts[block.first as usize..][..block.len as usize]
                    .iter()
                    .rev()
                {
                    step_back(function, inst, &mut live);
                }
                into[at] = live;
            }
            for edge in &function.edges {
                let mut live = into[edge.to.index()].clone();
                let moves = &function.moves[edge.moves.range()];
                moves
                    .iter()
                    .for_each(|one| live.set(one.dst.index(), false));
                let read = moves.iter().filter_map(|one| one.src.as_reg());
                read.for_each(|reg| live.insert(reg.index()));
                let from = &mut behind[edge.from.index()];
                if !live.is_subset(from) {
                    from.union_with(&live);
                    changed = true;
                }
            }
        }
        debug_assert!(agrees(function, &into), "{}", function.name);
        Live {
            behind,
            at: FxHashMap::default(),
        }
    }

    /// What may be read at a position or behind it, and the parameters.
    pub fn at(&mut self, function: &Function, position: u32) -> &Rc<[Reg]> {
        let behind = &self.behind;
        self.at.entry(position).or_insert_with(|| {
            let at = function.block_of(position as usize).index();
            let block = function.blocks[at];
            let mut live = behind[at].clone();
            let rest = &function.insts[position as usize..(block.first + block.len) as usize];
            for inst in rest.iter().rev() {
                step_back(function, inst, &mut live);
            }
            live.insert_range(..function.params.len());
            live.ones().map(Reg::new).collect()
        })
    }

    /// The same, if somebody has asked for it.
    pub fn known(&self, position: u32) -> Option<&Rc<[Reg]>> {
        self.at.get(&position)
    }
}

/// Whether what is live at the beginning of each block is what [`live_blocks`] says of each register,
/// if the function is small. (That one knows nothing of landing pads.)
fn agrees(function: &Function, into: &[FixedBitSet]) -> bool {
    let registers = function.reg_types.len();
    let pads = |inst: &Inst| matches!(inst, Inst::LandingPad { .. } | Inst::Resume { .. });
    registers > 48
        || function.insts.iter().any(pads)
        || (0..registers).all(|at| {
            let alone = live_blocks(function, Reg::new(at));
            let mut all = into.iter().map(|live| live.contains(at));
            alone.iter().all(|&live| all.next() == Some(live))
        })
}

/// What may be read before an instruction, from what may be read behind it.
fn step_back(function: &Function, inst: &Inst, live: &mut FixedBitSet) {
    if let Some(dst) = inst.dst() {
        live.set(dst.index(), false);
    }
    operands::each(function, inst, |operand| {
        if let Some(reg) = operand.as_reg() {
            live.insert(reg.index());
        }
    });
}
