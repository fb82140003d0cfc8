//! The way through a loop that was found, and the report of it.
//!
//! The path goes through the loop once more, block by block, and must be in the same state again
//! behind exactly as many instructions. The loop is blamed on its head, which does not depend on
//! where in it the path was looked at: of the blocks of the program's own code in the outermost
//! activation, the first; of recursion, the first of all.

use crate::api::outcome::{Fault, FaultKind, PathEnd};
use crate::executor::Executor;
use crate::hook::{Access, Pause};
use crate::report::blame::place_text;
use plat_program::{CastOp, Constant, Inst, InstId, Operand, Program, Type};
use rustc_hash::FxHashSet;

/// Of a longer loop the blocks of the first so many instructions are looked at.
const LONG: u64 = 1 << 22;

/// Places that a report lists.
const LISTED: usize = 32;

/// What the report of a loop says.
pub(super) const INFINITE_LOOP: &str = "infinite loop";

/// The walk through a loop.
#[derive(Clone, Debug)]
pub(super) struct Lap {
    /// Where it is over: behind so many instructions on the path.
    end: u64,
    /// How many instructions the loop has.
    period: u64,
    /// The blocks of the loop, as they were come to first, each with the frames on the stack.
    blocks: Vec<(InstId, u32)>,
    known: FxHashSet<InstId>,
}

impl Lap {
    /// The walk begins, at a block; and where the path is to pause on it.
    pub fn begin(access: &Access<'_, '_>, block: InstId, period: u64) -> (Self, Pause) {
        let end = access.instructions().saturating_add(period);
        let lap = Lap {
            end,
            period,
            blocks: vec![(block, access.state.frames())],
            known: FxHashSet::from_iter([block]),
        };
        let pause = Pause {
            at: end.min(access.instructions().saturating_add(LONG)),
            block: None,
            blocks: true,
        };
        (lap, pause)
    }

    /// Where it is over.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The path has come to a block, or to the last one that is looked at.
    pub fn come(&mut self, access: &mut Access<'_, '_>) {
        if access.instructions() >= (self.end - self.period).saturating_add(LONG) {
            access.pause(Pause {
                at: self.end,
                ..Pause::default()
            });
            return;
        }
        let block = access.block();
        if self.known.insert(block) {
            self.blocks.push((block, access.state.frames()));
        }
    }

    /// Whether the loop may compare addresses or take them as numbers.
    pub fn looks_at_addresses(&self, program: &Program) -> bool {
        let looks = |inst: &Inst| match *inst {
            Inst::Cast { op, .. } => op == CastOp::PtrToInt,
            Inst::Compare { ty, lhs, rhs, .. } => {
                let null = |operand: Operand| {
                    let constant = operand.as_constant();
                    constant.is_some_and(|one| *program.constant(one) == Constant::Null)
                };
                *program.types.get(ty) == Type::Pointer && !null(lhs) && !null(rhs)
            }
            _ => false,
        };
        self.period > LONG
            || self.blocks.iter().any(|&(block, _)| {
                let (function, position) = program.position(block);
                let function = program.function(function);
                let block = function.blocks[function.block_of(position).index()];
                let insts = &function.insts[block.first as usize..][..block.len as usize];
                insts.iter().any(looks)
            })
    }

    /// The fault that the path ends in, once it is in the same state again.
    pub fn fault(&self, exec: &Executor<'_>, recursion: bool) -> PathEnd {
        let period = self.period;
        let why =
            format!("the same state again after {period} instructions, without input in between");
        match recursion {
            true => {
                // Every activation is as good.
                let blocks = self.blocks.iter().map(|&(block, _)| (block, 0));
                report(exec, "infinite recursion", why, &blocks.collect::<Vec<_>>())
            }
            false => report(exec, INFINITE_LOOP, why, &self.blocks),
        }
    }
}

/// The fault of a loop of these blocks, each with the frames on the stack.
pub(super) fn report(
    exec: &Executor<'_>,
    message: &str,
    why: String,
    blocks: &[(InstId, u32)],
) -> PathEnd {
    let own = |block: &InstId| {
        let (function, _) = exec.program.position(*block);
        !exec.code.functions[function.index()].library
    };
    let head = |all: &mut dyn Iterator<Item = &(InstId, u32)>| {
        all.map(|&(block, frames)| (frames, block)).min()
    };
    let head = head(&mut blocks.iter().filter(|(block, _)| own(block)))
        .or_else(|| head(&mut blocks.iter()));
    let head = head.map(|(_, block)| block);
    let mut info = vec![why];
    info.extend(places(exec, blocks, head));
    PathEnd::Fault(Fault {
        info,
        at: head,
        ..Fault::new(FaultKind::InfiniteLoop, message)
    })
}

/// The places of a loop in words, from its head on.
fn places(exec: &Executor<'_>, blocks: &[(InstId, u32)], head: Option<InstId>) -> Vec<String> {
    let mut blocks: Vec<InstId> = blocks.iter().map(|&(block, _)| block).collect();
    if let Some(at) = blocks.iter().position(|&block| Some(block) == head) {
        blocks.rotate_left(at);
    }
    let mut places: Vec<String> = Vec::new();
    for block in blocks {
        let (function, _) = exec.program.position(block);
        let function = &exec.program.function(function).name;
        let line = place_text(&exec.line_outside_libraries(block));
        let place = match line {
            Some(line) => format!("in the loop: {function}() at {line}"),
            None => format!("in the loop: {function}()"),
        };
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let more = places.len().saturating_sub(LISTED);
    places.truncate(LISTED);
    if more > 0 {
        places.push(format!("and {more} more places"));
    }
    places
}
