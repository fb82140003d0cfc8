//! What a run has covered by the engine's own count, as coverage of source files.

use super::source::{Function, SourceCoverage};
use plat_program::{Inst, InstId, Program};

/// The coverage of a program's own code (not that of libraries) by how often each instruction was
/// executed and which ways each branch has taken: bit 0 if it was not taken, bit 1 if it was.
///
/// A line counts as often as the instruction on it that was executed most. That a way was taken is known, not
/// how often: it counts once.
pub fn of_run(program: &Program, executed: &[u64], ways: &[u8]) -> SourceCoverage {
    let mut coverage = SourceCoverage::default();
    let own = program.functions.iter();
    let own = own.filter(|it| !it.declaration && !plat_engine::is_library(program, it));
    for function in own {
        let first = function.first_inst.index();
        let count = |at: usize| executed.get(first + at).copied().unwrap_or(0);
        let place = program.location(function.location);
        if place.line > 0 {
            let file = coverage.files.entry(place.file.clone()).or_default();
            let entry = Function {
                line: place.line,
                count: count(0),
            };
            file.functions.insert(function.name.clone(), entry);
        }
        for (at, inst) in function.insts.iter().enumerate() {
            let id = InstId::new(first + at);
            let location = program.location_of(id);
            if location.line == 0 {
                continue;
            }
            let file = coverage.files.entry(location.file.clone()).or_default();
            let line = file.lines.entry(location.line).or_default();
            *line = (*line).max(count(at));
            if matches!(inst, Inst::Branch { .. }) {
                let taken = ways.get(id.index()).copied().unwrap_or(0);
                let on_line = (location.line, 0, 0)..(location.line + 1, 0, 0);
                let place = file.branches.range(on_line).count() as u32 / 2;
                for way in 0..2 {
                    let known = u64::from(taken >> (1 - way) & 1);
                    let counted = (count(at) > 0 || taken > 0).then_some(known);
                    file.branches.insert((location.line, place, way), counted);
                }
            }
        }
    }
    coverage
}
