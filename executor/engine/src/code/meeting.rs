//! Where the sides of a fork meet again: the immediate postdominator of a block.
//!
//! Blocks that leave the function without returning (`abort`, what is unreachable) do not count: the
//! sides that return meet all the same.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use plat_program::{BlockId, FuncId, Function, Inst, InstId, Program};
use rustc_hash::FxHashMap;

/// The meeting points of functions, worked out as they are asked for.
#[derive(Default, Debug)]
pub(crate) struct MeetingPoints {
    by_function: FxHashMap<FuncId, Box<[Option<BlockId>]>>,
}

impl MeetingPoints {
    /// The beginning of the block that each way from the end of the block of `inst` to a return of its
    /// function comes by first; none if that is the return to the caller.
    pub fn behind(&mut self, program: &Program, inst: InstId) -> Option<InstId> {
        let (id, position) = program.position(inst);
        let function = program.function(id);
        let known = self.by_function.entry(id);
        let meeting = known.or_insert_with(|| postdominators(function));
        let block = meeting[function.block_of(position).index()]?;
        let first = function.blocks[block.index()].first;
        Some(InstId(function.first_inst.0 + first))
    }
}

/// By block: its immediate postdominator, if it is a block.
fn postdominators(function: &Function) -> Box<[Option<BlockId>]> {
    let blocks = function.blocks.len();
    let caller = NodeIndex::new(blocks);
    let edges = function.edges.iter();
    let mut backwards: Vec<(usize, usize)> = edges
        .map(|edge| (edge.to.index(), edge.from.index()))
        .collect();
    for (at, block) in function.blocks.iter().enumerate() {
        let insts = &function.insts[block.first as usize..][..block.len as usize];
        if matches!(insts.last(), Some(Inst::Return { .. })) {
            backwards.push((blocks, at));
        }
    }
    let mut graph = DiGraph::<(), ()>::with_capacity(blocks + 1, backwards.len());
    for _ in 0..=blocks {
        graph.add_node(());
    }
    for (from, to) in backwards {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    let dominators = simple_fast(&graph, caller);
    let meeting = (0..blocks).map(|at| {
        let behind = dominators.immediate_dominator(NodeIndex::new(at));
        behind.filter(|&behind| behind != caller)
    });
    meeting
        .map(|behind| behind.map(|behind| BlockId::new(behind.index())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::MeetingPoints;
    use plat_program::{Inst, InstId, Program, parse};

    /// A loop with a condition in it, an early return, and a side that does not return.
    const FUNCTION: &str = "program \"meeting\"

define i32 @f(i1 %0, i32 %1) {
b0:
  branch %0, b1, b5
b1:
  branch %0, b2, b3
b2:
  jump b3
b3:
  switch i32 %1, 3 => b1, 4 => b4, 5 => b6, default => b4
b4:
  jump b6
b5:
  branch %0, b7, b6
b6:
  return %1
b7:
  unreachable
}

define i32 @returns(i1 %0) {
b0:
  branch %0, b1, b2
b1:
  return 1
b2:
  return 2
}
";

    /// The block, by its number in its function, behind each branch and switch.
    fn behind(program: &Program) -> Vec<Option<usize>> {
        let mut points = MeetingPoints::default();
        let all = program.functions.iter().flat_map(|function| {
            let first = function.first_inst.0;
            (first..).map(InstId).zip(&function.insts)
        });
        let forks =
            all.filter(|(_, inst)| matches!(inst, Inst::Branch { .. } | Inst::Switch { .. }));
        forks
            .map(|(at, _)| {
                let (id, position) = program.position(points.behind(program, at)?);
                Some(program.function(id).block_of(position).index())
            })
            .collect()
    }

    #[test]
    fn sides_meet_where_all_that_return_come_by() {
        let program = parse(FUNCTION.as_bytes()).expect("a program");
        let expected = [Some(6), Some(3), Some(6), Some(6), None];
        assert_eq!(behind(&program), expected);
    }
}
