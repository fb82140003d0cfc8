//! What of a program's own code can be covered: lines, sides of branches, blocks. The code of
//! libraries ([`plat_engine::is_library`]) is left out.

use plat_program::{Function, Inst, InstId, Program};
use std::collections::BTreeMap;

/// The functions of a program that are not a library's.
pub fn own_functions(program: &Program) -> impl Iterator<Item = &Function> {
    let functions = program.functions.iter();
    functions.filter(|it| !it.declaration && !plat_engine::is_library(program, it))
}

/// A line of a source file.
pub type Line = (String, u32);

/// What can be covered, each with a number.
#[derive(Debug)]
pub struct Places {
    /// Lines with code.
    pub lines: Vec<Line>,
    /// The number of the line of each instruction that has one.
    pub line_of: Vec<(InstId, u32)>,
    /// Conditional branches. The sides of number n are the features 2n and 2n + 1.
    pub branches: Vec<InstId>,
    /// First instructions of blocks: the features behind those of branches. They tell the cases of
    /// a `switch` apart.
    pub blocks: Vec<InstId>,
}

impl Places {
    /// Those of a program.
    pub fn of(program: &Program) -> Self {
        let mut places = Places {
            lines: Vec::new(),
            line_of: Vec::new(),
            branches: Vec::new(),
            blocks: Vec::new(),
        };
        let mut numbers: BTreeMap<Line, u32> = BTreeMap::new();
        // The number of the line of each location: a large program has many instructions on few.
        let mut known: Vec<Option<u32>> = vec![None; program.locations.len()];
        for function in own_functions(program) {
            let first = function.first_inst.index();
            let starts = function.blocks.iter();
            let starts = starts.map(|block| InstId::new(first + block.first as usize));
            places.blocks.extend(starts);
            for (at, (inst, place)) in function.insts.iter().zip(&function.locs).enumerate() {
                let id = InstId::new(first + at);
                if matches!(inst, Inst::Branch { .. }) {
                    places.branches.push(id);
                }
                let location = program.location(*place);
                if location.line == 0 {
                    continue;
                }
                let number = *known[place.index()].get_or_insert_with(|| {
                    let line = (location.file.clone(), location.line);
                    let next = numbers.len() as u32;
                    *numbers.entry(line.clone()).or_insert_with(|| {
                        places.lines.push(line);
                        next
                    })
                });
                places.line_of.push((id, number));
            }
        }
        places
    }

    /// How many lines, and how many sides of branches, were covered.
    pub fn covered(
        &self,
        executed: impl Fn(InstId) -> bool,
        ways: impl Fn(InstId) -> u8,
    ) -> (usize, usize) {
        let mut lines = vec![false; self.lines.len()];
        for (inst, line) in &self.line_of {
            lines[*line as usize] |= executed(*inst);
        }
        let sides = self.branches.iter();
        let sides = sides.map(|&branch| (ways(branch) & 3).count_ones() as usize);
        let lines = lines.into_iter().filter(|covered| *covered);
        (lines.count(), sides.sum())
    }
}
